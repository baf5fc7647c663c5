//! Texts cut at separators.

use arrow::datatypes::Int64Type;
use millstream_types::{DataType, Fault};

use super::arguments::{Arg, arguments, strict_arguments};
use super::texts;
use crate::kernel::{simple, strings};
use crate::{BoundCall, Call, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "SPLIT",
        "SPLIT(text STRING, separator STRING) -> ARRAY<STRING>",
        "The parts of the text between occurrences of the separator, or its characters for an empty separator. An empty array for an empty text.",
        &[Example::new("SPLIT('a,b,', ',')", "[a, b, ]")],
        split,
    ).gives_pieces(),
    Function::new(
    "SPLIT_INDEX",
    "SPLIT_INDEX(text STRING, separator STRING, index INT) -> STRING\nSPLIT_INDEX(text STRING, separator_code INT, index INT) -> STRING",
    "The part of the text with a number (from 0) between occurrences of the separator, or of the character with a code from 1 to 255. An empty separator stands for white \
     space. NULL when there is no such part, and for an empty text.",
    &[Example::new("SPLIT_INDEX('a,b,c', ',', 2)", "c"), Example::new("SPLIT_INDEX('a,b', 44, 1)", "b")],
    split_index,
).gives_pieces().aliases(&["SPLITINDEX"]),
];

fn split_index(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str =
        "SPLIT_INDEX(<CHARACTER>, <CHARACTER>, <INTEGER>)\nSPLIT_INDEX(<CHARACTER>, <INTEGER>, <INTEGER>)";
    let by_code = call.args.get(1).is_some_and(|a| a.data_type.kind.is_integer());
    let separator = if by_code { Arg::Integer } else { Arg::Text };
    let args = strict_arguments(call, FORM, 3, &[Arg::Text, separator, Arg::Integer])?;
    let kernel = simple("SPLIT_INDEX", move |arguments, _| {
        let (text, index) = (arguments.strings(0)?, arguments.numbers::<Int64Type>(2)?);
        if by_code {
            let codes = arguments.numbers::<Int64Type>(1)?;
            return strings::build(arguments.rows(), |row, out| {
                let (Some(s), Some(code), Some(i)) = (text.get(row), codes.get(row), index.get(row)) else {
                    return Ok(false);
                };
                let Some(c) = u8::try_from(code).ok().filter(|c| *c > 0).map(char::from) else {
                    return Ok(false);
                };
                let mut room = [0; 4];
                let part = nth_part(s, c.encode_utf8(&mut room), i);
                part.inspect(|p| out.push_str(p));
                Ok(part.is_some())
            });
        }
        let separators = arguments.strings(1)?;
        strings::build(arguments.rows(), |row, out| {
            let (Some(s), Some(separator), Some(i)) = (text.get(row), separators.get(row), index.get(row))
            else {
                return Ok(false);
            };
            let part = nth_part(s, separator, i);
            part.inspect(|p| out.push_str(p));
            Ok(part.is_some())
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}

/// The part with a number.
fn nth_part<'t>(text: &'t str, separator: &str, index: i64) -> Option<&'t str> {
    let index = usize::try_from(index).ok()?;
    if text.is_empty() {
        return None;
    }
    match separator.as_bytes() {
        [] => text.split(is_java_whitespace).nth(index),
        [one] if one.is_ascii() => text.split(char::from(*one)).nth(index),
        _ => text.split(separator).nth(index),
    }
}

/// `Character.isWhitespace`: Unicode's white space without the no-break spaces, with four control characters.
fn is_java_whitespace(c: char) -> bool {
    matches!(c, '\u{1c}'..='\u{1f}')
        || c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}' | '\u{85}')
}

fn split(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "SPLIT(<CHARACTER_STRING>, <CHARACTER_STRING>)";
    let args = arguments(call, FORM, 2, &[Arg::Text; 2])?;
    let kernel = simple("SPLIT", |arguments, _| {
        let (text, separators) = (arguments.strings(0)?, arguments.strings(1)?);
        texts::build(arguments.rows(), |row, list| {
            let (Some(s), Some(separator)) = (text.get(row), separators.get(row)) else { return Ok(false) };
            if s.is_empty() {
                return Ok(true);
            }
            if separator.is_empty() {
                let mut room = [0; 4];
                s.chars().for_each(|c| list.append_value(c.encode_utf8(&mut room)));
            } else {
                s.split(separator).for_each(|part| list.append_value(part));
            }
            Ok(true)
        })
    });
    let data_type = DataType::array(DataType::string()).with_nullable(call.any_nullable());
    Ok(BoundCall::new(data_type, args, kernel))
}
