//! Parts of texts by their positions.

use arrow::datatypes::Int64Type;
use millstream_types::{DataType, Fault, MAX_LENGTH, TypeKind};

use super::arguments::{Arg, length_of, of_kind, strict_arguments};
use super::chars::{byte_from_end, byte_of, count};
use crate::kernel::{simple, strings};
use crate::{BoundCall, Call, Example, Expr, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "SUBSTRING",
        "SUBSTRING(text STRING, start INT [, length INT]) -> STRING\nSUBSTRING(text STRING FROM start INT [FOR length INT]) -> STRING",
        "The part of the text from a position (from 1; negative ones count from the end; 0 is 1) to its end, or with a length at most. \
         A start before or behind the text gives ''; a negative length gives NULL.",
        &[
            Example::new("SUBSTRING('abcdef', 2, 3)", "bcd"),
            Example::new("SUBSTRING('abcdef' FROM -2)", "ef"),
        ],
        substring,
    ).gives_pieces()
    .aliases(&["SUBSTR", "BLINK_SUBSTRING", "BLINK_SUBSTR"]),
    Function::new(
        "LEFT",
        "LEFT(text STRING, length INT) -> STRING",
        "The first characters of the text; '' when the length is not positive.",
        &[Example::new("LEFT('abcdef', 2)", "ab")],
        |c| end(c, "LEFT"),
    ).gives_pieces(),
    Function::new(
        "RIGHT",
        "RIGHT(text STRING, length INT) -> STRING",
        "The last characters of the text; '' when the length is not positive.",
        &[Example::new("RIGHT('abcdef', 2)", "ef")],
        |c| end(c, "RIGHT"),
    ).gives_pieces(),
    Function::new(
        "OVERLAY",
        "OVERLAY(text STRING PLACING new STRING FROM start INT [FOR length INT]) -> STRING",
        "The text with `length` characters (as many as `new` has, when it is not given) from a position on replaced by another text. A position outside the \
         text leaves it as it is; when less than one character is replaced, what is behind the position is dropped.",
        &[Example::new("OVERLAY('xxxxxtest' PLACING 'xxxx' FROM 6 FOR 2)", "xxxxxxxxxst")],
        overlay,
    ),
];

/// The type of a part of the first argument; always nullable, as in Flink.
fn part_type(args: &[Expr]) -> DataType {
    TypeKind::VarChar(args.first().map_or(MAX_LENGTH, length_of)).nullable()
}

fn size(n: i64) -> usize {
    usize::try_from(n).unwrap_or(if n < 0 { 0 } else { usize::MAX })
}

/// Flink's `BinaryStringDataUtil.substringSQL`.
fn part(text: &str, start: i64, length: Option<i64>) -> Option<&str> {
    if length.is_some_and(|l| l < 0) {
        return None;
    }
    let from = match start {
        0 => Some(0),
        1.. => Some(byte_of(text, size(start - 1))),
        _ => byte_from_end(text, size(start.saturating_neg())),
    };
    let rest = from.and_then(|at| text.get(at..)).unwrap_or("");
    match length {
        None => Some(rest),
        Some(l) => rest.get(..byte_of(rest, size(l))),
    }
}

fn substring(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "SUBSTRING(<CHARACTER>, <INTEGER>)\nSUBSTRING(<CHARACTER>, <INTEGER>, <INTEGER>)";
    let args = strict_arguments(call, FORM, 2, &[Arg::Text, Arg::Integer, Arg::Integer])?;
    let with_length = args.len() > 2;
    let kernel = simple("SUBSTRING", move |arguments, _| {
        let (text, start) = (arguments.strings(0)?, arguments.numbers::<Int64Type>(1)?);
        let length = if with_length { Some(arguments.numbers::<Int64Type>(2)?) } else { None };
        strings::build(arguments.rows(), |row, out| {
            let (Some(s), Some(start)) = (text.get(row), start.get(row)) else { return Ok(false) };
            let length = match &length {
                None => None,
                Some(l) => match l.get(row) {
                    None => return Ok(false),
                    given => given,
                },
            };
            let Some(part) = part(s, start, length) else { return Ok(false) };
            out.push_str(part);
            Ok(true)
        })
    });
    Ok(BoundCall::new(part_type(&args), args, kernel))
}

fn end(call: &Call<'_>, name: &'static str) -> Result<BoundCall, Fault> {
    let args =
        strict_arguments(call, &format!("{name}(<CHARACTER>, <INTEGER>)"), 2, &[Arg::Text, Arg::Integer])?;
    let left = name == "LEFT";
    let kernel = simple(name, move |arguments, _| {
        let (text, length) = (arguments.strings(0)?, arguments.numbers::<Int64Type>(1)?);
        strings::build(arguments.rows(), |row, out| {
            let (Some(s), Some(n)) = (text.get(row), length.get(row)) else { return Ok(false) };
            let part = match left {
                true => s.get(..byte_of(s, size(n))),
                false => s.get(byte_from_end(s, size(n)).unwrap_or(0)..),
            };
            out.push_str(part.unwrap_or(""));
            Ok(true)
        })
    });
    Ok(BoundCall::new(part_type(&args), args, kernel))
}

fn overlay(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "OVERLAY(<CHARACTER> PLACING <CHARACTER> FROM <INTEGER>)\nOVERLAY(<CHARACTER> PLACING <CHARACTER> FROM <INTEGER> FOR <INTEGER>)";
    let args = strict_arguments(call, FORM, 3, &[Arg::Text, Arg::Text, Arg::Integer, Arg::Integer])?;
    let length = args.iter().take(2).map(length_of).fold(0u32, u32::saturating_add).min(MAX_LENGTH);
    let with_length = args.len() > 3;
    let kernel = simple("OVERLAY", move |arguments, _| {
        let (text, new) = (arguments.strings(0)?, arguments.strings(1)?);
        let start = arguments.numbers::<Int64Type>(2)?;
        let length = if with_length { Some(arguments.numbers::<Int64Type>(3)?) } else { None };
        strings::build(arguments.rows(), |row, out| {
            let (Some(s), Some(new), Some(start)) = (text.get(row), new.get(row), start.get(row)) else {
                return Ok(false);
            };
            let length = match &length {
                None => count(new) as i64,
                Some(l) => match l.get(row) {
                    None => return Ok(false),
                    Some(l) => l,
                },
            };
            let at = byte_of(s, size(start.saturating_sub(1)));
            let (Some(before), Some(rest)) = (s.get(..at), s.get(at..)) else { return Ok(false) };
            if start <= 0 || rest.is_empty() {
                out.push_str(s);
                return Ok(true);
            }
            out.push_str(before);
            out.push_str(new);
            if length > 0 {
                out.push_str(rest.get(byte_of(rest, size(length))..).unwrap_or(""));
            }
            Ok(true)
        })
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::VarChar(length)), args, kernel))
}
