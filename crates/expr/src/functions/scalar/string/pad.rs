//! Texts made longer.

use arrow::datatypes::Int64Type;
use millstream_types::{Fault, TypeKind, Value};

use super::arguments::{Arg, strict_arguments};
use crate::kernel::simple;
use crate::kernel::strings::{self, TextOut};
use crate::{BoundCall, Call, EvalError, Example, Expr, Function, Origin};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "LPAD",
        "LPAD(text STRING, length INT, pad STRING) -> STRING",
        "The text brought to a length, in which a character beyond U+FFFF counts as two: `pad` is repeated before it, or it is cut at its end. NULL for a negative length and for an empty `pad`.",
        &[Example::new("LPAD('hi', 5, '??')", "???hi"), Example::new("LPAD('hi', 1, '?')", "h")],
        |c| pad(c, "LPAD"),
    ),
    Function::new(
        "RPAD",
        "RPAD(text STRING, length INT, pad STRING) -> STRING",
        "The text brought to a length, in which a character beyond U+FFFF counts as two: `pad` is repeated behind it, or it is cut at its end. NULL for a negative length and for an empty `pad`.",
        &[Example::new("RPAD('hi', 5, '??')", "hi???")],
        |c| pad(c, "RPAD"),
    ),
    Function::new(
        "REPEAT",
        "REPEAT(text STRING, count INT) -> STRING",
        "The text repeated; '' when the count is not positive.",
        &[Example::new("REPEAT('ab', 3)", "ababab")],
        repeat,
    ),
    Function::new(
        "SPACE",
        "SPACE(count INT) -> STRING",
        "A text of so many spaces; '' when the count is not positive.",
        &[Example::new("CONCAT('a', SPACE(2), 'b')", "a  b")],
        space,
    )
    .origin(Origin::Ancestor),
];

/// The longest text that these functions make, in bytes: a wrong length must not take all memory.
const MOST: usize = 1 << 28;

fn too_long(name: &str) -> Fault {
    Fault::user("too-large", format!("{name}: the text is longer than {} MiB", MOST >> 20))
        .hint("give a smaller length")
}

/// The value of an integer literal.
fn literal(expr: Option<&Expr>) -> Option<i64> {
    expr?.as_literal().and_then(Value::as_int)
}

fn pad(call: &Call<'_>, name: &'static str) -> Result<BoundCall, Fault> {
    let form = format!("{name}(<CHARACTER>, <INTEGER>, <CHARACTER>)");
    let args = strict_arguments(call, &form, 3, &[Arg::Text, Arg::Integer, Arg::Text])?;
    let length = literal(call.args.get(1));
    let padded = call.literal_text(2).is_some_and(|p| !p.is_empty());
    let left = name == "LPAD";
    let kernel = simple(name, move |arguments, _| {
        let (text, pads) = (arguments.strings(0)?, arguments.strings(2)?);
        let lengths = arguments.numbers::<Int64Type>(1)?;
        strings::build(arguments.rows(), |row, out| {
            let (Some(s), Some(length), Some(pad)) = (text.get(row), lengths.get(row), pads.get(row)) else {
                return Ok(false);
            };
            let Some(length) = usize::try_from(length).ok().filter(|_| !pad.is_empty()) else {
                return Ok(false);
            };
            let missing = length.saturating_sub(units(s));
            if missing > MOST / 4 {
                return Err(EvalError::at_row(row, too_long(name)));
            }
            if missing == 0 {
                push_units(s, length, out);
                return Ok(true);
            }
            if !left {
                out.push_str(s);
            }
            fill(pad, missing, out);
            if left {
                out.push_str(s);
            }
            Ok(true)
        })
    });
    // Flink calls it NOT NULL whenever its arguments are, although a negative length or an empty `pad` gives NULL.
    let never_null = padded && length.is_some_and(|l| l >= 0);
    let data_type = TypeKind::STRING.nullable().with_nullable(call.any_nullable() || !never_null);
    let bound = BoundCall::new(data_type, args, kernel);
    Ok(if length.is_some_and(|l| l <= 10_000) { bound } else { bound.fallible() })
}

/// How long a text is for Flink's padding, which is done on Java's UTF-16: a character beyond U+FFFF counts as two.
fn units(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// Appends the first so many UTF-16 units of a text; half a character becomes a question mark, as it does in Flink.
fn push_units(text: &str, units: usize, out: &mut TextOut) {
    let mut left = units;
    for (at, c) in text.char_indices() {
        if left < c.len_utf16() {
            out.push_str(text.get(..at).unwrap_or(text));
            out.push_str(if left > 0 { "?" } else { "" });
            return;
        }
        left -= c.len_utf16();
    }
    out.push_str(text);
}

/// Appends so many UTF-16 units of a text repeated.
fn fill(pad: &str, missing: usize, out: &mut TextOut) {
    let each = units(pad).max(1);
    for _ in 0..missing / each {
        out.push_str(pad);
    }
    push_units(pad, missing % each, out);
}

fn repeat(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = strict_arguments(call, "REPEAT(<CHARACTER>, <INTEGER>)", 2, &[Arg::Text, Arg::Integer])?;
    let data_type = super::of_kind(call, TypeKind::STRING);
    let kernel = simple("REPEAT", |arguments, _| {
        let (text, times) = (arguments.strings(0)?, arguments.numbers::<Int64Type>(1)?);
        strings::build(arguments.rows(), |row, out| {
            let (Some(s), Some(times)) = (text.get(row), times.get(row)) else { return Ok(false) };
            repeated("REPEAT", s, times, row, out)
        })
    });
    Ok(BoundCall::new(data_type, args, kernel).fallible())
}

fn repeated(name: &str, text: &str, times: i64, row: usize, out: &mut TextOut) -> Result<bool, EvalError> {
    let times = usize::try_from(times).unwrap_or(0);
    if text.len().saturating_mul(times) > MOST {
        return Err(EvalError::at_row(row, too_long(name)));
    }
    // An empty text is as long, however often it is repeated.
    for _ in 0..if text.is_empty() { 0 } else { times } {
        out.push_str(text);
    }
    Ok(true)
}

fn space(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = strict_arguments(call, "SPACE(<INTEGER>)", 1, &[Arg::Integer])?;
    let data_type = super::of_kind(call, TypeKind::STRING);
    let kernel = simple("SPACE", |arguments, _| {
        let times = arguments.numbers::<Int64Type>(0)?;
        strings::build(arguments.rows(), |row, out| match times.get(row) {
            Some(times) => repeated("SPACE", " ", times, row, out),
            None => Ok(false),
        })
    });
    Ok(BoundCall::new(data_type, args, kernel).fallible())
}
