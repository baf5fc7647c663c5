//! From JSON tokens to typed values, by Flink's rules, and into columns.
//!
//! Source: Flink's `JsonParserToRowDataConverters`, as its 2.3 release answers.

use std::borrow::Cow;
use std::collections::HashMap;

use millstream_text::number::push_i64;
use millstream_text::temporal::TimestampStandard;
use millstream_types::{Fault, Slice, SliceForm};

use crate::column::{Column, Datum};
use crate::value::{self, Bad, Leaf};

use super::kind::{Kind, Part, Typed};
use super::marks::Closed;
use super::scan::{Scan, Syntax};
use super::text;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Null,
    True,
    False,
    /// A number without fraction and exponent.
    Whole,
    /// Another number.
    Number,
    /// A string without escapes.
    Text,
    /// A string with escapes, but none of `\u`.
    Escaped,
    /// A string with `\u` escapes.
    Unicode,
    Array,
    Object,
}

/// A JSON value's text; of a string its inside.
#[derive(Debug, Clone, Copy)]
pub(super) struct Token<'a> {
    pub form: Form,
    pub bytes: &'a [u8],
}

impl<'a> Token<'a> {
    /// The value at `at`, and where it ends.
    #[inline(always)]
    pub fn at(scan: Scan<'a>, at: usize) -> Result<(Token<'a>, usize), Syntax> {
        let (form, from, to, end) = match scan.byte(at) {
            b'"' => {
                if let Some(Closed { close, escaped }) = scan.usual_string(at + 1) {
                    let form = if escaped { Form::Escaped } else { Form::Text };
                    let bytes = scan.data.get(at + 1..close).unwrap_or_default();
                    return Ok((Token { form, bytes }, close + 1));
                }
                let text = scan.string_by_steps(at + 1)?;
                let form = match (text.escaped, text.unicode) {
                    (false, _) => Form::Text,
                    (true, false) => Form::Escaped,
                    (true, true) => Form::Unicode,
                };
                (form, at + 1, text.close, text.close + 1)
            }
            b'-' | b'0'..=b'9' => {
                let (end, whole) = scan.number(at)?;
                (if whole { Form::Whole } else { Form::Number }, at, end, end)
            }
            open @ (b'{' | b'[') => {
                let end = scan.container(at)?;
                (if open == b'{' { Form::Object } else { Form::Array }, at, end, end)
            }
            first => {
                let end = scan.literal(at)?;
                let form = match first {
                    b't' => Form::True,
                    b'f' => Form::False,
                    _ => Form::Null,
                };
                (form, at, end, end)
            }
        };
        Ok((Token { form, bytes: scan.data.get(from..to).unwrap_or_default() }, end))
    }

    /// What a slice that was cut holds.
    pub fn of_slice(slice: Slice, bytes: &'a [u8]) -> Token<'a> {
        let form = match slice.form {
            SliceForm::Absent | SliceForm::Null => Form::Null,
            SliceForm::Plain | SliceForm::Side | SliceForm::Quoted => Form::Text,
            SliceForm::JsonEscaped => Form::Escaped,
            SliceForm::JsonRaw => match bytes.first() {
                Some(b'{') => Form::Object,
                Some(b'[') => Form::Array,
                Some(b't') => Form::True,
                Some(b'f') => Form::False,
                Some(b'n') | None => Form::Null,
                _ if bytes.iter().any(|b| matches!(b, b'.' | b'e' | b'E')) => Form::Number,
                _ => Form::Whole,
            },
        };
        Token { form, bytes }
    }

    /// The token as it stood, shortened, for a message.
    pub fn shown(&self) -> String {
        const MOST: usize = 40;
        let text = String::from_utf8_lossy(self.bytes.get(..4 * MOST).unwrap_or(self.bytes));
        let mut shown: String = text.chars().take(MOST).collect();
        if shown.len() < self.bytes.len() {
            shown.push('…');
        }
        match self.form {
            Form::Text | Form::Escaped | Form::Unicode => format!("\"{shown}\""),
            _ => shown,
        }
    }
}

/// Why a value could not be read: where below its column, what was wanted and what was there.
#[derive(Debug)]
pub(super) struct Problem {
    path: String,
    expected: Option<Box<str>>,
    found: String,
}

impl Problem {
    pub fn type_of(typed: &Typed, token: Token<'_>) -> Box<Problem> {
        let expected = Some(typed.expected.clone());
        Box::new(Problem { path: String::new(), expected, found: token.shown() })
    }

    fn missing(name: &str) -> Box<Problem> {
        Box::new(Problem { path: format!(".{name}"), expected: None, found: String::new() })
    }

    fn below(mut self: Box<Self>, step: &str) -> Box<Self> {
        self.path.insert_str(0, step);
        self
    }

    /// The fault, for a column.
    pub fn fault(&self, column: &str) -> Fault {
        let path = &self.path;
        match &self.expected {
            None => Fault::user("bad-record", format!("field '{column}{path}' is missing"))
                .hint("set 'json.fail-on-missing-field' to 'false' to read it as NULL"),
            Some(expected) => Fault::user(
                "bad-record",
                format!("field '{column}{path}': expected {expected}, found {}", self.found),
            )
            .hint("set 'json.ignore-parse-errors' to 'true' to read such a field as NULL"),
        }
    }
}

/// How values are read, and the memory that reading reuses.
#[derive(Debug)]
pub(super) struct Reader {
    pub standard: TimestampStandard,
    pub ignore: bool,
    pub fail_on_missing: bool,
    /// Whether the table has a DECIMAL, which decides how numbers look in objects that become text.
    pub decimals: bool,
    /// Fields read as NULL because they are bad.
    pub ignored: u64,
    bytes: Vec<u8>,
    text: String,
    binary: Vec<u8>,
}

impl Reader {
    pub fn new(standard: TimestampStandard, ignore: bool, fail_on_missing: bool, decimals: bool) -> Self {
        Reader {
            standard,
            ignore,
            fail_on_missing,
            decimals,
            ignored: 0,
            bytes: Vec::new(),
            text: String::new(),
            binary: Vec::new(),
        }
    }

    /// The value of a type without parts. NULL tokens are not for this.
    #[inline]
    pub fn leaf<'s>(&'s mut self, leaf: Leaf, token: Token<'s>) -> Result<Datum<'s>, Bad> {
        let Reader { bytes: scratch, text: json, binary, standard, decimals, .. } = self;
        if token.form == Form::Null || leaf == Leaf::Null {
            return Ok(Datum::Null);
        }
        // The token as Java's parser gives its text.
        let container = matches!(token.form, Form::Object | Form::Array);
        let bytes: &[u8] = if matches!(token.form, Form::Escaped | Form::Unicode) {
            scratch.clear();
            text::unescape(token.bytes, scratch);
            scratch
        } else {
            token.bytes
        };
        let text = std::str::from_utf8(bytes).map_err(|_| Bad)?;
        if leaf == Leaf::Text {
            if !container {
                return Ok(Datum::Text(text));
            }
            json.clear();
            if !text::compact(token.bytes, *decimals, json) {
                return Err(Bad);
            }
            return Ok(Datum::Text(json));
        }
        if container {
            return Err(Bad);
        }
        let number = matches!(token.form, Form::Whole | Form::Number);
        Ok(match leaf {
            Leaf::Null | Leaf::Text => Datum::Null,
            Leaf::Boolean => Datum::Boolean(value::boolean(value::trim(text))),
            Leaf::Integer { min, max, cuts } => {
                if token.form == Form::Number && cuts {
                    Datum::Integer(cut_fraction(text, min, max)?)
                } else {
                    Datum::Integer(value::integer(value::trim(text), min, max)?)
                }
            }
            Leaf::Float => Datum::Float(value::float(text)?),
            Leaf::Double => Datum::Float(value::double(text)?),
            Leaf::Decimal { precision, scale } => {
                if matches!(token.form, Form::True | Form::False) {
                    return Err(Bad);
                }
                match value::decimal(text, precision, scale)? {
                    Some(v) => Datum::Decimal(v),
                    None => Datum::Null,
                }
            }
            Leaf::Bytes => {
                if number || matches!(token.form, Form::True | Form::False) {
                    return Err(Bad);
                }
                binary.clear();
                value::base64(text.as_bytes(), binary)?;
                Datum::Bytes(binary)
            }
            Leaf::Date => Datum::Integer(value::date(text)?),
            Leaf::Time => Datum::Integer(value::time(text)?),
            Leaf::Timestamp(p) => Datum::Integer(value::timestamp(text, p, *standard)?),
            Leaf::Instant(p) => Datum::Integer(value::instant(text, p, *standard)?),
        })
    }

    /// Appends a value to a column of its type. Bad values become NULL where errors are ignored, each at its own level.
    pub fn append(
        &mut self,
        typed: &Typed,
        column: &mut Column,
        token: Token<'_>,
    ) -> Result<(), Box<Problem>> {
        if token.form == Form::Null {
            column.push_null();
            return Ok(());
        }
        match (&typed.kind, &mut *column) {
            (Kind::Leaf(leaf), column) => {
                if let Ok(datum) = self.leaf(*leaf, token) {
                    column.push(datum);
                    return Ok(());
                }
            }
            (Kind::Array(item), Column::List(list)) if token.form == Form::Array => {
                let mut count = 0;
                let scan = Scan::new(token.bytes, token.bytes.len());
                let mut at = scan.space(1);
                while let Ok((element, end)) = Token::at(scan, at) {
                    self.append(item, &mut list.items, element)
                        .map_err(|p| p.below(&format!("[{}]", count + 1)))?;
                    count += 1;
                    at = scan.space(end);
                    if scan.byte(at) != b',' {
                        break;
                    }
                    at = scan.space(at + 1);
                }
                list.end(count);
                return Ok(());
            }
            (Kind::Map(of), Column::List(list)) if token.form == Form::Object => {
                let Column::Row(entries) = &mut list.items else {
                    return Err(Problem::type_of(typed, token));
                };
                let mut count = 0;
                for (name, value) in members(token) {
                    let [keys, values] = &mut *entries.fields else {
                        return Err(Problem::type_of(typed, token));
                    };
                    let key = String::from_utf8_lossy(&name);
                    self.append(of, values, value).map_err(|p| p.below(&format!("['{key}']")))?;
                    keys.push(Datum::Text(&key));
                    entries.end();
                    count += 1;
                }
                list.end(count);
                return Ok(());
            }
            (Kind::Row(parts), Column::Row(row)) if token.form == Form::Object => {
                let found = self.row_parts(parts, token);
                for ((part, value), field) in parts.iter().zip(found).zip(&mut row.fields) {
                    match value {
                        Some(value) => {
                            self.append(&part.typed, field, value)
                                .map_err(|p| p.below(&format!(".{}", part.name)))?;
                        }
                        None if self.fail_on_missing && part.read => {
                            return Err(Problem::missing(&part.name));
                        }
                        None => field.push_null(),
                    }
                }
                row.end();
                return Ok(());
            }
            _ => {}
        }
        if !self.ignore {
            return Err(Problem::type_of(typed, token));
        }
        self.ignored += 1;
        column.push_null();
        Ok(())
    }

    /// The values of a row's fields; of equal names the last.
    fn row_parts<'a>(&self, parts: &[Part], token: Token<'a>) -> Vec<Option<Token<'a>>> {
        let mut found = vec![None; parts.len()];
        each_member(token, |name, value| {
            for (part, place) in parts.iter().zip(&mut found) {
                if part.read && part.name.as_bytes() == name {
                    *place = Some(value);
                }
            }
        });
        found
    }
}

/// A number with a fraction or exponent for an integer column: what is behind the point is cut, what is out of range is bad.
fn cut_fraction(text: &str, min: i64, max: i64) -> Result<i64, Bad> {
    let value: f64 = text.parse().map_err(|_| Bad)?;
    // The largest BIGINT is no double: 2⁶³ passes here, as in Jackson, and is cut to it.
    if value < min as f64 || value > max as f64 { Err(Bad) } else { Ok(value as i64) }
}

/// The members of an object; of equal names the last one's value, in the first one's place.
fn members<'a>(token: Token<'a>) -> Vec<(Cow<'a, [u8]>, Token<'a>)> {
    let mut all: Vec<(Cow<'a, [u8]>, Token<'a>)> = Vec::new();
    let mut places: HashMap<Vec<u8>, usize> = HashMap::new();
    each_member(token, |name, value| match places.get(name) {
        Some(at) => {
            if let Some(member) = all.get_mut(*at) {
                member.1 = value;
            }
        }
        None => {
            places.insert(name.to_vec(), all.len());
            all.push((Cow::Owned(name.to_vec()), value));
        }
    });
    all
}

/// Calls `f` with each member of an object that is known to be JSON: its name, unescaped, and its value.
fn each_member<'a>(token: Token<'a>, mut f: impl FnMut(&[u8], Token<'a>)) {
    let scan = Scan::new(token.bytes, token.bytes.len());
    let mut name = Vec::new();
    let mut at = scan.space(1);
    while let Ok((key, value_at)) = scan.key(at) {
        let raw = scan.data.get(at + 1..key.close).unwrap_or_default();
        let Ok((value, end)) = Token::at(scan, value_at) else { return };
        if key.escaped {
            name.clear();
            text::unescape(raw, &mut name);
            f(&name, value);
        } else {
            f(raw, value);
        }
        at = scan.space(end);
        if scan.byte(at) != b',' {
            return;
        }
        at = scan.space(at + 1);
    }
}

/// The text of a typed value that does not stand as such in the record: what a rule may compare with.
pub(super) fn canonical(datum: Datum<'_>, leaf: Leaf, out: &mut String) {
    match (datum, leaf) {
        (Datum::Boolean(v), _) => out.push_str(if v { "true" } else { "false" }),
        (Datum::Integer(v), _) => push_i64(out, v),
        (Datum::Float(v), Leaf::Float) => millstream_text::number::push_f32(out, v as f32),
        (Datum::Float(v), _) => millstream_text::number::push_f64(out, v),
        (Datum::Decimal(v), Leaf::Decimal { scale, .. }) => {
            millstream_text::number::push_decimal(out, v, scale);
        }
        (Datum::Text(t), _) => out.push_str(t),
        _ => {}
    }
}
