//! Texts as bytes and back.

use std::sync::Arc;

use arrow::array::BinaryBuilder;
use millstream_text::charset::{Charset, decode_base64, decode_utf8, push_base64};
use millstream_types::{Fault, FaultKind, TypeKind};

use super::arguments::{Arg, of_kind, strict_arguments};
use super::texts;
use crate::kernel::{simple, strings};
use crate::{BoundCall, Call, EvalError, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "ENCODE",
        "ENCODE(text STRING, charset STRING) -> BYTES",
        "The bytes of the text in a character set: UTF-8, US-ASCII, UTF-16, UTF-32, GBK, GB2312, GB18030, Big5, Shift_JIS, windows-31j, EUC-KR, ISO-8859-1 to -16, windows-1250 to -1258, KOI8-R and others by Java's names and aliases. A character that the set does not have is `?`. An unknown set fails.",
        &[Example::new("HEX(DECODE(ENCODE('abc', 'UTF-8'), 'UTF-8'))", "616263")],
        encode,
    ),
    Function::new(
        "DECODE",
        "DECODE(bytes BYTES, charset STRING) -> STRING",
        "The text of bytes in a character set, as ENCODE has them. What is no character becomes U+FFFD. An unknown set fails.",
        &[Example::new("DECODE(X'616263', 'UTF-8')", "abc"), Example::new("DECODE(X'D6D0CEC4', 'GBK')", "中文")],
        decode,
    )
    .aliases(&["BYTE2STRING"]),
    Function::new(
        "TO_BASE64",
        "TO_BASE64(text STRING) -> STRING\nTO_BASE64(bytes BYTES) -> STRING",
        "The text's UTF-8, or the bytes, in Base64.",
        &[Example::new("TO_BASE64('hello world')", "aGVsbG8gd29ybGQ=")],
        to_base64,
    )
    .aliases(&["TOBASE64"]),
    Function::new(
        "FROM_BASE64",
        "FROM_BASE64(text STRING) -> STRING\nFROM_BASE64(bytes BYTES) -> STRING",
        "The text whose UTF-8 a text is in Base64. What is no Base64 fails.",
        &[Example::new("FROM_BASE64('aGVsbG8gd29ybGQ=')", "hello world")],
        from_base64,
    )
    .aliases(&["FROMBASE64"]),
];

/// The character set of the rows so far.
#[derive(Default)]
struct Known<'a>(Option<(&'a str, Charset)>);

impl<'a> Known<'a> {
    fn of(&mut self, name: &'a str, row: usize) -> Result<Charset, EvalError> {
        match self.0 {
            Some((known, charset)) if known == name => Ok(charset),
            _ => {
                let charset = Charset::of(name).map_err(|f| EvalError::at_row(row, f))?;
                self.0 = Some((name, charset));
                Ok(charset)
            }
        }
    }
}

/// Whether the set may be unknown at run time.
///
/// # Errors
/// NotYet, for a literal that names a set that is not there yet.
fn may_fail(call: &Call<'_>) -> Result<bool, Fault> {
    match call.literal_text(1).map(Charset::of) {
        Some(Ok(_)) => Ok(false),
        Some(Err(f)) if f.kind() == FaultKind::NotYet => Err(f.at(call.span)),
        _ => Ok(true),
    }
}

fn finished(bound: BoundCall, fallible: bool) -> BoundCall {
    if fallible { bound.fallible() } else { bound }
}

fn encode(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = strict_arguments(call, "ENCODE(<CHARACTER>, <CHARACTER>)", 2, &[Arg::Text; 2])?;
    let fallible = may_fail(call)?;
    let kernel = simple("ENCODE", |arguments, _| {
        let (text, charsets) = (arguments.strings(0)?, arguments.strings(1)?);
        let mut known = Known::default();
        let mut out = BinaryBuilder::new();
        let mut bytes = Vec::new();
        for row in 0..arguments.rows() {
            match text.get(row).zip(charsets.get(row)) {
                None => out.append_null(),
                Some((s, name)) => {
                    bytes.clear();
                    known.of(name, row)?.encode(s, &mut bytes);
                    texts::check(out.values_slice().len() + bytes.len(), row)?;
                    out.append_value(&bytes);
                }
            }
        }
        Ok(Arc::new(out.finish()))
    });
    Ok(finished(BoundCall::new(of_kind(call, TypeKind::BYTES), args, kernel), fallible))
}

fn decode(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = strict_arguments(call, "DECODE(<BINARY>, <CHARACTER>)", 2, &[Arg::Bytes, Arg::Text])?;
    let fallible = may_fail(call)?;
    let kernel = simple("DECODE", |arguments, _| {
        let (bytes, charsets) = (arguments.binaries(0)?, arguments.strings(1)?);
        let mut known = Known::default();
        strings::build(arguments.rows(), |row, out| {
            let Some((b, name)) = bytes.get(row).zip(charsets.get(row)) else { return Ok(false) };
            let charset = known.of(name, row)?;
            out.write(|text| charset.decode(b, text));
            Ok(true)
        })
    });
    Ok(finished(BoundCall::new(of_kind(call, TypeKind::STRING), args, kernel), fallible))
}

/// The kind of the argument: text or bytes.
fn of_either(call: &Call<'_>) -> Arg {
    let bytes = call.args.first().is_some_and(|a| a.data_type.kind.is_binary());
    if bytes { Arg::Bytes } else { Arg::Text }
}

fn to_base64(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let of = of_either(call);
    let args = strict_arguments(call, "TO_BASE64(<STRING>)", 1, &[of])?;
    let kernel = simple("TO_BASE64", move |arguments, _| {
        if of == Arg::Bytes {
            let bytes = arguments.binaries(0)?;
            return strings::build(arguments.rows(), |row, out| {
                let Some(b) = bytes.get(row) else { return Ok(false) };
                out.write(|text| push_base64(text, b));
                Ok(true)
            });
        }
        let text = arguments.strings(0)?;
        strings::build(arguments.rows(), |row, out| {
            let Some(s) = text.get(row) else { return Ok(false) };
            out.write(|text| push_base64(text, s.as_bytes()));
            Ok(true)
        })
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::STRING), args, kernel))
}

fn from_base64(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let of = of_either(call);
    let args = strict_arguments(call, "FROM_BASE64(<STRING>)", 1, &[of])?;
    let kernel = simple("FROM_BASE64", move |arguments, _| {
        let (texts, bytes) = match of {
            Arg::Bytes => (None, Some(arguments.binaries(0)?)),
            _ => (Some(arguments.strings(0)?), None),
        };
        strings::build(arguments.rows(), |row, out| {
            let given = match (&texts, &bytes) {
                (Some(t), _) => t.get(row).map(str::as_bytes),
                (_, Some(b)) => b.get(row),
                _ => None,
            };
            let Some(given) = given else { return Ok(false) };
            let Some(decoded) = decode_base64(given, false) else {
                let shown: String = String::from_utf8_lossy(given).chars().take(60).collect();
                let fault = Fault::user("bad-base64", format!("FROM_BASE64: '{shown}' is no Base64"))
                    .hint("keep such rows away with WHERE: REGEXP(text, '^[A-Za-z0-9+/]*=*$')");
                return Err(EvalError::at_row(row, fault));
            };
            out.write(|text| decode_utf8(&decoded, text));
            Ok(true)
        })
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::STRING), args, kernel).fallible())
}
