//! How long texts are, and single characters by their codes.

use arrow::datatypes::{Int32Type, Int64Type};
use millstream_types::{DataType, Fault, TypeKind};

use super::arguments::{Arg, of_kind, strict_arguments};
use super::chars::count;
use crate::kernel::{numbers, simple, strings};
use crate::{BoundCall, Call, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "CHAR_LENGTH",
        "CHAR_LENGTH(text STRING) -> INT",
        "The number of characters (Unicode code points).",
        &[Example::new("CHAR_LENGTH('日本')", "2")],
        |c| of_text(c, "CHAR_LENGTH", |s| count(s) as i32),
    )
    .aliases(&["CHARACTER_LENGTH", "LENGTH", "LEN"]),
    Function::new(
        "ASCII",
        "ASCII(text STRING) -> INT",
        "The first byte of the text in UTF-8: its code for an ASCII character, negative for others, 0 for ''.",
        &[Example::new("ASCII('abc')", "97"), Example::new("ASCII('é')", "-61")],
        |c| of_text(c, "ASCII", |s| s.bytes().next().map_or(0, |b| i32::from(b as i8))),
    ),
    Function::new(
        "CHR",
        "CHR(code INTEGER) -> STRING",
        "The character of a code, of which the lowest byte counts (ISO-8859-1). '' for negative codes.",
        &[Example::new("CHR(97)", "a"), Example::new("CHR(353)", "a")],
        chr,
    )
    .aliases(&["CHAR"]),
];

/// An INT from a text.
fn of_text(call: &Call<'_>, name: &'static str, f: fn(&str) -> i32) -> Result<BoundCall, Fault> {
    let args = strict_arguments(call, &format!("{name}(<CHARACTER>)"), 1, &[Arg::Text])?;
    let kernel = simple(name, move |arguments, _| {
        let text = arguments.strings(0)?;
        numbers::build::<Int32Type>(arguments.rows(), |row| Ok(text.get(row).map(f)))
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::Int), args, kernel))
}

fn chr(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = strict_arguments(call, "CHR(<INTEGER>)", 1, &[Arg::Integer])?;
    let kernel = simple("CHR", |arguments, _| {
        let code = arguments.numbers::<Int64Type>(0)?;
        strings::build(arguments.rows(), |row, out| {
            let Some(code) = code.get(row) else { return Ok(false) };
            if code >= 0 {
                out.push(char::from(code as u8));
            }
            Ok(true)
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}
