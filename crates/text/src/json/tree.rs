//! JSON as a tree.

use std::borrow::Cow;
use std::collections::HashMap;

use super::scan::{Scan, TOO_DEEP};
use super::string::unescape;
use super::{JsonError, MAX_DEPTH};

/// A JSON value. Objects keep the order of their fields; numbers keep the text they were written in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it was written.
    Number(String),
    /// A string, unescaped.
    String(String),
    /// An array.
    Array(Vec<Json>),
    /// An object. Names are unique: of equal names the last value stays, in the place of the first.
    Object(Vec<(String, Json)>),
}

/// Objects with more fields look names up in a table while they are read.
const FEW: usize = 16;

/// A container that is being read.
enum Open {
    Array(Vec<Json>),
    Object { fields: Vec<(String, Json)>, index: HashMap<String, usize>, key: String },
}

impl Json {
    /// Reads the first value of a text, as Jackson's defaults do: what follows it is not looked at.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        read(Scan { text: text.as_bytes(), at: 0, seen: 0 })
    }

    /// Reads the first value of bytes in UTF-8, which may begin with a byte order mark.
    pub fn parse_bytes(bytes: &[u8]) -> Result<Self, JsonError> {
        let end = super::validate_prefix(bytes)?;
        let start = if bytes.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        let text = bytes.get(..end).unwrap_or_default();
        read(Scan { text, at: start, seen: 0 })
    }

    /// The value of a field, if this is an object that has it.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(fields) => fields.iter().find(|(n, _)| n == name).map(|(_, v)| v),
            _ => None,
        }
    }

    /// Whether this is neither an array nor an object.
    pub fn is_scalar(&self) -> bool {
        !matches!(self, Json::Array(_) | Json::Object(_))
    }
}

pub(super) fn read(mut scan: Scan<'_>) -> Result<Json, JsonError> {
    let mut open: Vec<Open> = Vec::new();
    loop {
        let root = open.is_empty();
        let mut value = match scan.token() {
            b'"' => Json::String(string(&mut scan)?),
            b'{' => {
                deeper(&scan, open.len())?;
                scan.at += 1;
                match scan.token() {
                    b'"' => {
                        let key = key(&mut scan)?;
                        open.push(Open::Object { fields: Vec::new(), index: HashMap::new(), key });
                        continue;
                    }
                    b'}' => scan.at += 1,
                    _ => return scan.unexpected("expected a field name or '}'"),
                }
                Json::Object(Vec::new())
            }
            b'[' => {
                deeper(&scan, open.len())?;
                scan.at += 1;
                if scan.token() != b']' {
                    open.push(Open::Array(Vec::new()));
                    continue;
                }
                scan.at += 1;
                Json::Array(Vec::new())
            }
            b'-' | b'0'..=b'9' => {
                let from = scan.at;
                scan.number(root)?;
                Json::Number(plain(&scan, from, scan.at).into_owned())
            }
            b't' => {
                scan.word(b"true", root)?;
                Json::Bool(true)
            }
            b'f' => {
                scan.word(b"false", root)?;
                Json::Bool(false)
            }
            b'n' => {
                scan.word(b"null", root)?;
                Json::Null
            }
            _ => return scan.unexpected("expected a value"),
        };
        loop {
            let object = match open.last_mut() {
                None => return Ok(value),
                Some(Open::Array(items)) => {
                    items.push(value);
                    false
                }
                Some(Open::Object { fields, index, key }) => {
                    put(fields, index, std::mem::take(key), value);
                    true
                }
            };
            match scan.token() {
                b',' => {
                    scan.at += 1;
                    if object {
                        if scan.token() != b'"' {
                            return scan.unexpected("expected a field name");
                        }
                        let name = key(&mut scan)?;
                        if let Some(Open::Object { key, .. }) = open.last_mut() {
                            *key = name;
                        }
                    }
                    break;
                }
                b'}' if object => {}
                b']' if !object => {}
                _ if object => return scan.unexpected("expected ',' or '}'"),
                _ => return scan.unexpected("expected ',' or ']'"),
            }
            scan.at += 1;
            value = match open.pop() {
                Some(Open::Array(items)) => Json::Array(items),
                Some(Open::Object { fields, .. }) => Json::Object(fields),
                None => Json::Null,
            };
        }
    }
}

fn deeper(scan: &Scan<'_>, depth: usize) -> Result<(), JsonError> {
    if depth >= MAX_DEPTH { scan.error(TOO_DEEP) } else { Ok(()) }
}

fn plain<'a>(scan: &Scan<'a>, from: usize, to: usize) -> Cow<'a, str> {
    unescape(scan.text.get(from..to).unwrap_or_default())
}

fn string(scan: &mut Scan<'_>) -> Result<String, JsonError> {
    let from = scan.at + 1;
    scan.string()?;
    Ok(plain(scan, from, scan.at - 1).into_owned())
}

fn key(scan: &mut Scan<'_>) -> Result<String, JsonError> {
    let name = string(scan)?;
    if scan.token() != b':' {
        return scan.unexpected("expected ':'");
    }
    scan.at += 1;
    Ok(name)
}

/// Sets a field; an equal name keeps its place and takes the new value.
fn put(fields: &mut Vec<(String, Json)>, index: &mut HashMap<String, usize>, key: String, value: Json) {
    let known = if fields.len() < FEW {
        fields.iter().position(|(n, _)| *n == key)
    } else {
        if index.is_empty() {
            index.extend(fields.iter().enumerate().map(|(i, (n, _))| (n.clone(), i)));
        }
        index.get(&key).copied()
    };
    if let Some((_, old)) = known.and_then(|i| fields.get_mut(i)) {
        *old = value;
        return;
    }
    if !index.is_empty() {
        index.insert(key.clone(), fields.len());
    }
    fields.push((key, value));
}

/// The text of a number as Flink's JSON functions show it: integers as they are, others as `java.math.BigDecimal` prints them
/// (`1e10` is `1E+10`, `0.1000` keeps its zeros).
pub fn java_number(text: &str) -> Cow<'_, str> {
    if !text.contains(['.', 'e', 'E']) {
        return Cow::Borrowed(if text == "-0" { "0" } else { text });
    }
    let (negative, rest) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let Ok(exponent) = exponent.strip_prefix('+').unwrap_or(exponent).parse::<i32>() else {
        return Cow::Borrowed(text);
    };
    let scale = fraction.len() as i64 - i64::from(exponent);
    let all = format!("{whole}{fraction}");
    let digits = match all.trim_start_matches('0') {
        "" => "0",
        digits => digits,
    };
    let mut out = String::new();
    if negative && digits != "0" {
        out.push('-');
    }
    let adjusted = digits.len() as i64 - 1 - scale;
    if scale == 0 {
        out.push_str(digits);
    } else if scale > 0 && adjusted >= -6 {
        let scale = scale as usize;
        let padded = format!("{}{digits}", "0".repeat((scale + 1).saturating_sub(digits.len())));
        let (whole, fraction) = padded.split_at(padded.len() - scale);
        out.push_str(&format!("{whole}.{fraction}"));
    } else {
        let (first, more) = digits.split_at(1);
        out.push_str(first);
        if !more.is_empty() {
            out.push_str(&format!(".{more}"));
        }
        if adjusted != 0 {
            out.push_str(&format!("E{adjusted:+}"));
        }
    }
    Cow::Owned(out)
}
