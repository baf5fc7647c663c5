//! Where a text stands in another one.

use arrow::datatypes::{Int32Type, Int64Type};
use memchr::memmem;
use millstream_types::{Fault, TypeKind};

use super::arguments::{Arg, arguments, of_kind, strict_arguments};
use super::chars::{byte_of, count};
use crate::kernel::{booleans, numbers, simple};
use crate::{BoundCall, Call, EvalError, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "POSITION",
        "POSITION(part STRING IN text STRING [FROM start INT]) -> INT",
        "The position (from 1) of the first occurrence of a text in another one, from a position on. 0 when there is none.",
        &[Example::new("POSITION('b' IN 'abc')", "2")],
        |c| position(c, "POSITION", "POSITION(<CHARACTER> IN <CHARACTER> [FROM <INTEGER>])"),
    ),
    Function::new(
        "LOCATE",
        "LOCATE(part STRING, text STRING [, start INT]) -> INT",
        "The position (from 1) of the first occurrence of a text in another one, from a position on. 0 when there is none.",
        &[Example::new("LOCATE('bar', 'foobarbar', 5)", "7")],
        |c| position(c, "LOCATE", "LOCATE(<CHARACTER>, <CHARACTER>)\nLOCATE(<CHARACTER>, <CHARACTER>, <INTEGER>)"),
    ),
    Function::new(
        "INSTR",
        "INSTR(text STRING, part STRING [, start INT [, occurrence INT]]) -> INT",
        "The position (from 1) of an occurrence (the first one, when none is given) of `part` in the text, from a position on. A negative start counts from the end and \
         searches towards the start. 0 when there is none, and for a start of 0. An occurrence below 1 fails.",
        &[
            Example::new("INSTR('foobarbar', 'bar')", "4"),
            Example::new("INSTR('corporate floor', 'or', -3, 2)", "2"),
        ],
        instr,
    )
    .aliases(&["BLINK_INSTR", "BLINK_INDEXOF", "INDEXOF"]),
    Function::new(
        "STARTSWITH",
        "STARTSWITH(text STRING, start STRING) -> BOOLEAN\nSTARTSWITH(bytes BYTES, start BYTES) -> BOOLEAN",
        "Whether the text (or bytes) starts with another one. TRUE for an empty one.",
        &[Example::new("STARTSWITH('abc', 'a')", "TRUE")],
        |c| ends(c, "STARTSWITH", |s, part| s.starts_with(part)),
    ),
    Function::new(
        "ENDSWITH",
        "ENDSWITH(text STRING, end STRING) -> BOOLEAN\nENDSWITH(bytes BYTES, end BYTES) -> BOOLEAN",
        "Whether the text (or bytes) ends with another one. TRUE for an empty one.",
        &[Example::new("ENDSWITH('abc', 'c')", "TRUE")],
        |c| ends(c, "ENDSWITH", |s, part| s.ends_with(part)),
    ),
];

/// The position from 1, or 0; positions below 1 are the start. An empty text is found at 1 whatever the start
/// (`BinaryStringData.indexOf`).
fn find(text: &str, part: &str, start: i64) -> usize {
    if part.is_empty() {
        return 1;
    }
    let skip = usize::try_from(start.saturating_sub(1)).unwrap_or(0);
    let from = byte_of(text, skip);
    let Some(rest) = text.get(from..) else { return 0 };
    match memmem::find(rest.as_bytes(), part.as_bytes()) {
        Some(at) => 1 + skip + rest.get(..at).map_or(0, count),
        None => 0,
    }
}

fn position(call: &Call<'_>, name: &'static str, form: &str) -> Result<BoundCall, Fault> {
    let args = strict_arguments(call, form, 2, &[Arg::Text, Arg::Text, Arg::Integer])?;
    let with_start = args.len() > 2;
    let kernel = simple(name, move |arguments, _| {
        let (part, text) = (arguments.strings(0)?, arguments.strings(1)?);
        let start = if with_start { Some(arguments.numbers::<Int64Type>(2)?) } else { None };
        numbers::build::<Int32Type>(arguments.rows(), |row| {
            let (Some(p), Some(s)) = (part.get(row), text.get(row)) else { return Ok(None) };
            let Some(start) = start.as_ref().map_or(Some(1), |n| n.get(row)) else { return Ok(None) };
            Ok(Some(find(s, p, start) as i32))
        })
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::Int), args, kernel))
}

fn instr(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "INSTR(<CHARACTER>, <CHARACTER>)\nINSTR(<CHARACTER>, <CHARACTER>, <INTEGER>)\nINSTR(<CHARACTER>, <CHARACTER>, <INTEGER>, <INTEGER>)";
    let args = strict_arguments(call, FORM, 2, &[Arg::Text, Arg::Text, Arg::Integer, Arg::Integer])?;
    let given = args.len();
    let kernel = simple("INSTR", move |arguments, _| {
        let (text, part) = (arguments.strings(0)?, arguments.strings(1)?);
        let start = if given > 2 { Some(arguments.numbers::<Int64Type>(2)?) } else { None };
        let nth = if given > 3 { Some(arguments.numbers::<Int64Type>(3)?) } else { None };
        numbers::build::<Int32Type>(arguments.rows(), |row| {
            let (Some(s), Some(p)) = (text.get(row), part.get(row)) else { return Ok(None) };
            let Some(start) = start.as_ref().map_or(Some(1), |n| n.get(row)) else { return Ok(None) };
            let Some(nth) = nth.as_ref().map_or(Some(1), |n| n.get(row)) else { return Ok(None) };
            if nth <= 0 {
                let fault =
                    Fault::user("bad-argument", format!("INSTR: the occurrence {nth} is not positive"))
                        .hint("give an occurrence of at least 1");
                return Err(EvalError::at_row(row, fault));
            }
            Ok(Some(occurrence(s, p, start, nth) as i32))
        })
    });
    let bound = BoundCall::new(of_kind(call, TypeKind::Int), args, kernel);
    Ok(if given > 3 { bound.fallible() } else { bound })
}

fn occurrence(text: &str, part: &str, start: i64, nth: i64) -> usize {
    if start == 0 {
        return 0;
    }
    if start < 0 {
        // Flink searches the reversed texts.
        let reversed = |s: &str| s.chars().rev().collect::<String>();
        let at = occurrence(&reversed(text), &reversed(part), start.saturating_neg(), nth);
        return if at == 0 { 0 } else { (count(text) + 2).saturating_sub(at + count(part)) };
    }
    if part.is_empty() {
        return 1;
    }
    let mut from = start;
    for n in 1.. {
        let at = find(text, part, from);
        if at == 0 || n == nth {
            return at;
        }
        from = at as i64 + 1;
    }
    0
}

fn ends(call: &Call<'_>, name: &'static str, test: fn(&[u8], &[u8]) -> bool) -> Result<BoundCall, Fault> {
    let form =
        format!("{name}(<CHARACTER_STRING>, <CHARACTER_STRING>)\n{name}(<BINARY_STRING>, <BINARY_STRING>)");
    let bytes = call.args.iter().any(|a| a.data_type.kind.is_binary());
    let data_type = of_kind(call, TypeKind::Boolean);
    if bytes {
        let args = arguments(call, &form, 2, &[Arg::Bytes; 2])?;
        let kernel = simple(name, move |arguments, _| {
            let (text, part) = (arguments.binaries(0)?, arguments.binaries(1)?);
            booleans::build(arguments.rows(), |row| {
                Ok(text.get(row).zip(part.get(row)).map(|(s, p)| test(s, p)))
            })
        });
        return Ok(BoundCall::new(data_type, args, kernel));
    }
    let args = arguments(call, &form, 2, &[Arg::Text; 2])?;
    let kernel = simple(name, move |arguments, _| {
        let (text, part) = (arguments.strings(0)?, arguments.strings(1)?);
        booleans::build(arguments.rows(), |row| {
            Ok(text.get(row).zip(part.get(row)).map(|(s, p)| test(s.as_bytes(), p.as_bytes())))
        })
    });
    Ok(BoundCall::new(data_type, args, kernel))
}
