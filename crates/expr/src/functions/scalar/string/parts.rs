//! Parts of texts by separators, as Apache RocketMQ Streams takes them: KEYVALUE, SPLITPART, SUBSTRINGINDEX.

use arrow::datatypes::Int64Type;
use memchr::memmem;
use millstream_types::{DataType, Fault};

use super::arguments::{Arg, arguments};
use crate::kernel::{simple, strings};
use crate::{BoundCall, Call, Example, Function, Origin};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "KEYVALUE",
        "KEYVALUE(text STRING, pair_separators STRING, key_separators STRING, key STRING) -> STRING\nKEYVALUE(text STRING, key STRING) -> STRING",
        "The value of a key in a text such as 'k1=v1;k2=v2'. Each character of the separators separates; NULL stands for white space. With two arguments the separators are `;` and `:`. \
         NULL when the text has no such key.",
        &[
            Example::new("KEYVALUE('k1=v1;k2=v2', ';', '=', 'k2')", "v2"),
            Example::new("KEYVALUE('k1:v1;k2:v2', 'k2')", "v2"),
        ],
        key_value,
    ).gives_pieces()
    .aliases(&["KV"])
    .origin(Origin::Ancestor),
    Function::new(
        "SPLITPART",
        "SPLITPART(text STRING, separator STRING, first INT [, last INT]) -> STRING",
        "The text from one part to another one (to its end, when no last one is given); parts between separators are counted from 0. '' when there is no such part.",
        &[
            Example::new("SPLITPART('a,b,c,d', ',', 1, 2)", "b,c"),
            Example::new("SPLITPART('a,b,c', ',', 1)", "b,c"),
        ],
        split_part,
    ).gives_pieces()
    .origin(Origin::Ancestor),
    Function::new(
        "SUBSTRINGINDEX",
        "SUBSTRINGINDEX(text STRING, separator STRING, count INT) -> STRING",
        "The text before so many separators, or, for a negative count, behind so many from the end. The whole text when it has fewer; NULL for an empty text or separator.",
        &[
            Example::new("SUBSTRINGINDEX('www.apache.org', '.', 2)", "www.apache"),
            Example::new("SUBSTRINGINDEX('www.apache.org', '.', -1)", "org"),
        ],
        substring_index,
    ).gives_pieces()
    .aliases(&["SUBSTR_INDEX"])
    .origin(Origin::Ancestor),
];

/// Whether a character is one of the separators; white space when none are given.
fn separates(separators: Option<&str>, c: char) -> bool {
    separators.map_or_else(|| c.is_whitespace(), |s| s.contains(c))
}

fn value_of<'t>(text: &'t str, pairs: Option<&str>, keys: Option<&str>, key: &str) -> Option<&'t str> {
    text.split(|c| separates(pairs, c)).find_map(|pair| {
        let at = pair.find(|c| separates(keys, c))?;
        let (name, rest) = pair.split_at_checked(at)?;
        let mut value = rest.chars();
        value.next();
        (name == key).then_some(value.as_str())
    })
}

fn key_value(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str =
        "KEYVALUE(<CHARACTER>, <CHARACTER>, <CHARACTER>, <CHARACTER>)\nKEYVALUE(<CHARACTER>, <CHARACTER>)";
    let args = arguments(call, FORM, 2, &[Arg::Text; 4])?;
    if args.len() == 3 {
        call.expect(4, 4, FORM)?;
    }
    let given = args.len() == 4;
    let kernel = simple("KEYVALUE", move |arguments, _| {
        let texts = arguments.strings(0)?;
        let keys = arguments.strings(if given { 3 } else { 1 })?;
        let separators = if given { Some((arguments.strings(1)?, arguments.strings(2)?)) } else { None };
        strings::build(arguments.rows(), |row, out| {
            let (Some(text), Some(key)) = (texts.get(row), keys.get(row)) else { return Ok(false) };
            let (pair, of_key) = match &separators {
                Some((p, k)) => (p.get(row), k.get(row)),
                None => (Some(";"), Some(":")),
            };
            let value = value_of(text, pair, of_key, key);
            value.inspect(|v| out.push_str(v));
            Ok(value.is_some())
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}

/// The byte behind the `n`th separator (the start for 0); `None` when there are fewer.
fn behind(text: &str, separator: &str, n: usize) -> Option<usize> {
    match n.checked_sub(1) {
        None => Some(0),
        Some(i) => memmem::find_iter(text.as_bytes(), separator).nth(i).map(|at| at + separator.len()),
    }
}

fn split_part(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "SPLITPART(<CHARACTER>, <CHARACTER>, <INTEGER>)\nSPLITPART(<CHARACTER>, <CHARACTER>, <INTEGER>, <INTEGER>)";
    let args = arguments(call, FORM, 3, &[Arg::Text, Arg::Text, Arg::Integer, Arg::Integer])?;
    let with_last = args.len() > 3;
    let kernel = simple("SPLITPART", move |arguments, _| {
        let (texts, separators) = (arguments.strings(0)?, arguments.strings(1)?);
        let first = arguments.numbers::<Int64Type>(2)?;
        let last = if with_last { Some(arguments.numbers::<Int64Type>(3)?) } else { None };
        strings::build(arguments.rows(), |row, out| {
            let (Some(s), Some(separator), Some(first)) =
                (texts.get(row), separators.get(row), first.get(row))
            else {
                return Ok(false);
            };
            let Some(last) = last.as_ref().map_or(Some(i64::MAX), |l| l.get(row)) else { return Ok(false) };
            let first = usize::try_from(first).unwrap_or(0);
            if separator.is_empty() || last < first as i64 {
                return Ok(true);
            }
            let Some(rest) = behind(s, separator, first).and_then(|at| s.get(at..)) else { return Ok(true) };
            let parts = usize::try_from(last - first as i64).unwrap_or(0).saturating_add(1);
            let end = behind(rest, separator, parts).map_or(rest.len(), |at| at - separator.len());
            out.push_str(rest.get(..end).unwrap_or(""));
            Ok(true)
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}

fn substring_index(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "SUBSTRINGINDEX(<CHARACTER>, <CHARACTER>, <INTEGER>)";
    let args = arguments(call, FORM, 3, &[Arg::Text, Arg::Text, Arg::Integer])?;
    let kernel = simple("SUBSTRINGINDEX", |arguments, _| {
        let (texts, separators) = (arguments.strings(0)?, arguments.strings(1)?);
        let counts = arguments.numbers::<Int64Type>(2)?;
        strings::build(arguments.rows(), |row, out| {
            let (Some(s), Some(separator), Some(count)) =
                (texts.get(row), separators.get(row), counts.get(row))
            else {
                return Ok(false);
            };
            if s.is_empty() || separator.is_empty() {
                return Ok(false);
            }
            let n = usize::try_from(count.unsigned_abs()).unwrap_or(usize::MAX);
            let part = match count {
                0 => Some(""),
                1.. => s.match_indices(separator).nth(n - 1).and_then(|(at, _)| s.get(..at)),
                _ => s.rmatch_indices(separator).nth(n - 1).and_then(|(at, m)| s.get(at + m.len()..)),
            };
            out.push_str(part.unwrap_or(s));
            Ok(true)
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}
