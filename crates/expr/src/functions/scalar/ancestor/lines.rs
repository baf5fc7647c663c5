//! Parsers of log lines: parts between signs, what stands in brackets and quotes, groups of a pattern, `key=value` pairs.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{ArrayRef, ListArray, NullBufferBuilder, StringBuilder, StructArray};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::DataType as Arrow;
use millstream_text::regex::Pattern;
use millstream_types::{DataType, Fault};

use super::{apply, stands_for, text};
use crate::functions::scalar::string::{Arg, arguments, texts};
use crate::kernel::{Arguments, broken, simple};
use crate::{BoundCall, Call, EvalError, Example, Function, Origin};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "PASERBYSPLIT",
        "PASERBYSPLIT(line STRING, sign STRING) -> ARRAY<STRING>\nPASERBYSPLIT(quotes BOOLEAN, brackets BOOLEAN, dates BOOLEAN, line STRING, sign STRING) -> ARRAY<STRING>",
        "The parts of a line between signs. The first three constants say what stays whole although a sign is in it: what stands in quotes, what stands in brackets ([], (), {}, <>), and times such as \
         2020-02-28 23:10:20. A part that is one quoted or bracketed text stands without its signs. An empty array for ''.",
        &[
            Example::new("PASERBYSPLIT('a|b||c', '|')", "[a, b, , c]"),
            Example::new("PASERBYSPLIT(TRUE, TRUE, TRUE, '2020-02-28 23:10:20 [main x] \"GET /\" 200', ' ')", "[2020-02-28 23:10:20, main x, GET /, 200]"),
        ],
        by_split,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "PASERBYCOMMA",
        "PASERBYCOMMA(line STRING) -> ARRAY<STRING>",
        "The parts of a line between commas.",
        &[Example::new("PASERBYCOMMA('a,b,c')[2]", "b")],
        |c| {
            c.expect(1, 1, "PASERBYCOMMA(<CHARACTER>)")?;
            let line = c.string(0, "PASERBYCOMMA(<CHARACTER>)")?;
            stands_for(c, "PASERBYCOMMA(<CHARACTER>)", apply(c, "SPLIT", &[line, text(",")]))
        },
    )
    .origin(Origin::Ancestor),
    Function::new(
        "PASERBYSIGN",
        "PASERBYSIGN(line STRING, code INT) -> ARRAY<STRING>",
        "The parts of a line between characters that have a code, such as 1 for the control character that Hive separates columns by.",
        &[Example::new("PASERBYSIGN('a\tb', 9)[2]", "b")],
        |c| {
            c.expect(2, 2, "PASERBYSIGN(<CHARACTER>, <INTEGER>)")?;
            let sign = apply(c, "CHR", &[c.arg(1)?.clone()])?;
            let line = c.string(0, "PASERBYSIGN(<CHARACTER>, <INTEGER>)")?;
            stands_for(c, "PASERBYSIGN(<CHARACTER>, <INTEGER>)", apply(c, "SPLIT", &[line, sign]))
        },
    )
    .origin(Origin::Ancestor),
    Function::new(
        "PASERBYREGEX",
        "PASERBYREGEX(line STRING, pattern STRING) -> MAP<STRING, STRING>",
        "The groups of a constant regular expression at its first match: named ones by their names, the others by their numbers. NULL when nothing matches.",
        &[Example::new("PASERBYREGEX('port=22 user=bob', 'port=(?<port>\\d+) user=(\\w+)')", "{port=22, 2=bob}")],
        by_regex,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "BACKET",
        "BACKET(line STRING [, signs STRING, ...]) -> ARRAY<STRING>",
        "What stands in brackets, outermost first, in the order of the line. The signs are constants of two characters, for example '[]'; without them [], (), {} and <> count.",
        &[Example::new("BACKET('[main] run (a (b)) x', '[]', '()')", "[main, a (b)]")],
        in_brackets,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "VAL",
        "VAL(line STRING) -> ARRAY<STRING>",
        "What stands in double or single quotes, in the order of the line. A backslash before a quote keeps it in the text.",
        &[Example::new("VAL('a \"GET /\" x')[1]", "GET /")],
        in_quotes,
    )
    .aliases(&["CONST"])
    .origin(Origin::Ancestor),
    Function::new(
        "PARSE_EXPRESS",
        "PARSE_EXPRESS(line STRING [, sign STRING]) -> MAP<STRING, STRING>",
        "The pairs of a line such as 'user=bob path=/a b code=200': a key is the word before a sign (= when none is given), its value goes to the next key; quotes around a value are taken off. The last value of \
         a key counts.",
        &[Example::new("PARSE_EXPRESS('user=bob path=/a b code=200', '=')", "{user=bob, path=/a b, code=200}")],
        express,
    )
    .aliases(&["EXPRESS"])
    .origin(Origin::Ancestor),
];

const PAIRS: [(char, char); 4] = [('[', ']'), ('(', ')'), ('{', '}'), ('<', '>')];

/// What stays whole in a line that is split.
#[derive(Debug, Clone, Copy, Default)]
struct Whole {
    quotes: bool,
    brackets: bool,
    dates: bool,
}

fn by_split(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "PASERBYSPLIT(<CHARACTER>, <CHARACTER>)\nPASERBYSPLIT(<BOOLEAN>, <BOOLEAN>, <BOOLEAN>, <CHARACTER>, <CHARACTER>)";
    let mut whole = Whole::default();
    let first = if call.args.len() == 5 { 3 } else { 0 };
    if first == 3 {
        let flag =
            |i: usize| call.arg(i)?.as_literal().and_then(|v| v.as_bool()).ok_or_else(|| call.refuse(FORM));
        whole = Whole { quotes: flag(0)?, brackets: flag(1)?, dates: flag(2)? };
    } else {
        call.expect(2, 2, FORM)?;
    }
    let args = vec![call.string(first, FORM)?, call.string(first + 1, FORM)?];
    let nullable = args.iter().any(|a| a.data_type.nullable);
    let kernel = simple("PASERBYSPLIT", move |arguments, _| {
        let (lines, signs) = (arguments.strings(0)?, arguments.strings(1)?);
        texts::build(arguments.rows(), |row, list| {
            let (Some(line), Some(sign)) = (lines.get(row), signs.get(row)) else { return Ok(false) };
            parts(line, sign, whole, |part| list.append_value(part));
            Ok(true)
        })
    });
    Ok(BoundCall::new(DataType::array(DataType::string()).with_nullable(nullable), args, kernel))
}

/// Hands on the parts of a line.
fn parts<'t>(line: &'t str, sign: &str, whole: Whole, mut part: impl FnMut(&'t str)) {
    if line.is_empty() {
        return;
    }
    if sign.is_empty() {
        return part(line);
    }
    let mut rest = line;
    loop {
        let mut at = 0;
        let end = loop {
            let Some(here) = rest.get(at..).filter(|h| !h.is_empty()) else { break None };
            if here.starts_with(sign) {
                break Some(at);
            }
            at += kept(here, whole).unwrap_or_else(|| here.chars().next().map_or(1, char::len_utf8));
        };
        let Some(end) = end else { return part(bare(rest, whole)) };
        part(bare(rest.get(..end).unwrap_or(rest), whole));
        rest = rest.get(end + sign.len()..).unwrap_or("");
    }
}

/// The length of what begins here and stays whole.
fn kept(here: &str, whole: Whole) -> Option<usize> {
    let first = here.chars().next()?;
    if whole.quotes && matches!(first, '"' | '\'') {
        return quoted(here).map(|(_, length)| length);
    }
    if whole.brackets && PAIRS.iter().any(|(open, _)| *open == first) {
        return bracketed(here, &PAIRS).map(|(_, length)| length);
    }
    if whole.dates && first.is_ascii_digit() { time(here) } else { None }
}

/// A part without its quotes or brackets, if it is one quoted or bracketed text.
fn bare(part: &str, whole: Whole) -> &str {
    let inner =
        quoted(part).filter(|_| whole.quotes).or_else(|| bracketed(part, &PAIRS).filter(|_| whole.brackets));
    inner.filter(|(_, length)| *length == part.len()).map_or(part, |(inner, _)| inner)
}

/// The text in the quotes that begin here, and the length with them.
fn quoted(here: &str) -> Option<(&str, usize)> {
    let quote = here.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut escaped = false;
    for (i, c) in here.char_indices().skip(1) {
        if c == quote && !escaped {
            return Some((here.get(1..i)?, i + 1));
        }
        escaped = c == '\\' && !escaped;
    }
    None
}

/// The text in the brackets that begin here, and the length with them.
fn bracketed<'t>(here: &'t str, pairs: &[(char, char)]) -> Option<(&'t str, usize)> {
    let first = here.chars().next()?;
    let (open, close) = *pairs.iter().find(|(open, _)| *open == first)?;
    let mut depth = 0usize;
    for (i, c) in here.char_indices() {
        if c == open {
            depth += 1;
        } else if c == close {
            depth -= 1;
            if depth == 0 {
                return Some((here.get(open.len_utf8()..i)?, i + close.len_utf8()));
            }
        }
    }
    None
}

/// The length of a time such as `2020-02-28 23:10:20.5` that begins here.
fn time(here: &str) -> Option<usize> {
    const FORM: &[u8] = b"0000-00-00 00:00:00";
    let bytes = here.as_bytes();
    let fits = |(b, f): (&u8, &u8)| match f {
        b'0' => b.is_ascii_digit(),
        b' ' => matches!(b, b' ' | b'T'),
        b'-' => matches!(b, b'-' | b'/'),
        f => b == f,
    };
    if bytes.len() < FORM.len() || !bytes.iter().zip(FORM).all(fits) {
        return None;
    }
    let rest = bytes.get(FORM.len()..)?;
    let fraction = match rest.first() {
        Some(b'.' | b',') => rest.iter().skip(1).take_while(|b| b.is_ascii_digit()).count(),
        _ => 0,
    };
    Some(FORM.len() + if fraction > 0 { fraction + 1 } else { 0 })
}

fn in_brackets(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "BACKET(<CHARACTER> [, <signs>, ...])";
    call.expect(1, usize::MAX, FORM)?;
    let mut pairs = Vec::new();
    for i in 1..call.args.len() {
        let mut signs = call.literal_text(i).unwrap_or("").chars();
        match (signs.next(), signs.next(), signs.next()) {
            (Some(open), Some(close), None) => pairs.push((open, close)),
            _ => return Err(call.refuse(FORM)),
        }
    }
    if pairs.is_empty() {
        pairs.extend(PAIRS);
    }
    list_of(call, FORM, "BACKET", move |here| bracketed(here, &pairs))
}

fn in_quotes(call: &Call<'_>) -> Result<BoundCall, Fault> {
    call.expect(1, 1, "VAL(<CHARACTER>)")?;
    list_of(call, "VAL(<CHARACTER>)", "VAL", quoted)
}

/// A function that lists what `found` finds in a line: a text and the length to go on behind.
fn list_of(
    call: &Call<'_>,
    form: &str,
    name: &'static str,
    found: impl Fn(&str) -> Option<(&str, usize)> + Send + Sync + 'static,
) -> Result<BoundCall, Fault> {
    let args = vec![call.string(0, form)?];
    let nullable = call.arg(0)?.data_type.nullable;
    let kernel = simple(name, move |arguments, _| {
        let lines = arguments.strings(0)?;
        texts::build(arguments.rows(), |row, list| {
            let Some(line) = lines.get(row) else { return Ok(false) };
            let mut rest = line;
            while let Some(c) = rest.chars().next() {
                let length = match found(rest) {
                    Some((inner, length)) => {
                        list.append_value(inner);
                        length
                    }
                    None => c.len_utf8(),
                };
                rest = rest.get(length..).unwrap_or("");
            }
            Ok(true)
        })
    });
    Ok(BoundCall::new(DataType::array(DataType::string()).with_nullable(nullable), args, kernel))
}

fn by_regex(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "PASERBYREGEX(<CHARACTER>, <pattern>)";
    let args = arguments(call, FORM, 2, &[Arg::Text; 2])?;
    let pattern = call.literal_text(1).ok_or_else(|| call.refuse(FORM))?;
    let pattern = Pattern::compile(pattern).map_err(|e| Fault::from(e).at(call.span))?;
    let names: Vec<String> = (1..=pattern.group_count())
        .map(|group| {
            let named = pattern.group_names().iter().find(|(_, number)| *number == group);
            named.map_or_else(|| group.to_string(), |(name, _)| name.clone())
        })
        .collect();
    let kernel = simple("PASERBYREGEX", move |arguments, _| {
        let lines = arguments.strings(0)?;
        maps(arguments, |row, pair| {
            let Some(line) = lines.get(row) else { return Ok(false) };
            let mut groups = pattern.locations();
            let found = pattern.captures_at(line, 0, &mut groups).map_err(|f| EvalError::at_row(row, f))?;
            if found {
                for (i, name) in names.iter().enumerate() {
                    pair(name, groups.get(i + 1).and_then(|(start, end)| line.get(start..end)));
                }
            }
            Ok(found)
        })
    });
    // A pattern that backtracks can come to its step limit.
    Ok(BoundCall::new(map_type(), args, kernel).fallible())
}

fn express(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "PARSE_EXPRESS(<CHARACTER> [, <CHARACTER>])";
    let args = arguments(call, FORM, 1, &[Arg::Text; 2])?;
    let kernel = simple("PARSE_EXPRESS", |arguments, _| {
        let lines = arguments.strings(0)?;
        let signs = if arguments.count() > 1 { Some(arguments.strings(1)?) } else { None };
        maps(arguments, |row, pair| {
            let sign = signs.map_or(Some("="), |s| s.get(row));
            let (Some(line), Some(sign)) = (lines.get(row), sign) else { return Ok(false) };
            let mut known: HashMap<&str, usize> = HashMap::new();
            let mut pairs: Vec<(&str, &str)> = Vec::new();
            for (key, value) in key_values(line, sign) {
                match known.get(key).and_then(|i| pairs.get_mut(*i)) {
                    Some(pair) => pair.1 = value,
                    None => {
                        known.insert(key, pairs.len());
                        pairs.push((key, value));
                    }
                }
            }
            pairs.iter().for_each(|(key, value)| pair(key, Some(value)));
            Ok(true)
        })
    });
    Ok(BoundCall::new(map_type(), args, kernel))
}

/// The pairs of a line.
fn key_values<'t>(line: &'t str, sign: &str) -> Vec<(&'t str, &'t str)> {
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    if sign.is_empty() {
        return pairs;
    }
    // Each piece but the first begins with a value; each but the last ends with a key.
    let mut key: Option<&str> = None;
    let mut rest = line;
    loop {
        let Some((before, after)) = split_outside_quotes(rest, sign) else {
            if let Some(key) = key {
                pairs.push((key, unquoted(rest.trim())));
            }
            return pairs;
        };
        let before = before.trim_end();
        let start = before
            .rfind(char::is_whitespace)
            .map_or(0, |i| i + before.get(i..).and_then(|s| s.chars().next()).map_or(0, char::len_utf8));
        let word = before.get(start..).unwrap_or("");
        // A sign without a word before it belongs to the value: keep what stands before whole.
        if let Some(known) = key {
            pairs.push((known, unquoted(before.get(..start).unwrap_or("").trim())));
        }
        key = Some(word);
        rest = after;
    }
}

/// What stands before and behind the first sign that is not in quotes which begin the text.
fn split_outside_quotes<'t>(text: &'t str, sign: &str) -> Option<(&'t str, &'t str)> {
    let skip = text.len() - text.trim_start().len();
    let from = skip + quoted(text.get(skip..)?).map_or(0, |(_, length)| length);
    let at = from + text.get(from..)?.find(sign)?;
    Some((text.get(..at)?, text.get(at + sign.len()..)?))
}

fn unquoted(value: &str) -> &str {
    quoted(value).filter(|(_, length)| *length == value.len()).map_or(value, |(inner, _)| inner)
}

fn map_type() -> DataType {
    DataType::map(DataType::string(), DataType::string())
}

/// A column of maps: `row` hands on a row's pairs and says whether there is a map.
fn maps(
    arguments: &Arguments<'_>,
    mut row: impl FnMut(usize, &mut dyn FnMut(&str, Option<&str>)) -> Result<bool, EvalError>,
) -> Result<ArrayRef, EvalError> {
    let no_map = || Fault::internal("MAP is no list of pairs");
    let Arrow::List(entries) = map_type().to_arrow() else { return Err(no_map().into()) };
    let Arrow::Struct(fields) = entries.data_type().clone() else { return Err(no_map().into()) };
    let (mut keys, mut values) = (StringBuilder::new(), StringBuilder::new());
    let mut lengths = Vec::with_capacity(arguments.rows());
    let mut nulls = NullBufferBuilder::new(arguments.rows());
    for i in 0..arguments.rows() {
        let mut length = 0;
        let present = row(i, &mut |key, value| {
            keys.append_value(key);
            values.append_option(value);
            length += 1;
        })?;
        lengths.push(length);
        nulls.append(present);
    }
    let columns: Vec<ArrayRef> = vec![Arc::new(keys.finish()), Arc::new(values.finish())];
    let pairs = StructArray::try_new(fields, columns, None).map_err(broken)?;
    let offsets = OffsetBuffer::from_lengths(lengths);
    Ok(Arc::new(ListArray::try_new(entries, offsets, Arc::new(pairs), nulls.finish()).map_err(broken)?))
}
