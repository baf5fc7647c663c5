//! Regular expressions as Apache RocketMQ Streams uses them: REGEXGROUP, REGEXREPLACE, and searches from a position.

use arrow::datatypes::{Int32Type, Int64Type};
use millstream_text::regex::{Found, Pattern};
use millstream_types::{DataType, Fault, TypeKind};

use super::pattern::{PatternArgument, Subjects};
use crate::functions::scalar::string::{Arg, arguments, of_kind};
use crate::kernel::numbers::Numbers;
use crate::kernel::{Arguments, booleans, numbers, simple, strings};
use crate::{BoundCall, Call, EvalError, Example, Function, Origin};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "NOTREGEX",
        "NOTREGEX(text STRING, pattern STRING) -> BOOLEAN",
        "Whether no part of the text matches the regular expression. TRUE for an empty or a wrong pattern.",
        &[Example::new("NOTREGEX('abc', 'x')", "TRUE")],
        |c| matches(c, "NOTREGEX", false, true),
    )
    .origin(Origin::Ancestor),
    Function::new(
        "REGEXCASEINSENSITIVE",
        "REGEXCASEINSENSITIVE(text STRING, pattern STRING) -> BOOLEAN",
        "Whether some part of the text matches the regular expression, whatever the letters' case. FALSE for an empty or a wrong pattern.",
        &[Example::new("REGEXCASEINSENSITIVE('CMD.EXE', 'cmd\\.exe')", "TRUE")],
        |c| matches(c, "REGEXCASEINSENSITIVE", true, false),
    )
    .origin(Origin::Ancestor),
    Function::new(
        "NOTREGEXCASEINSENSITIVE",
        "NOTREGEXCASEINSENSITIVE(text STRING, pattern STRING) -> BOOLEAN",
        "Whether no part of the text matches the regular expression, whatever the letters' case. TRUE for an empty or a wrong pattern.",
        &[Example::new("NOTREGEXCASEINSENSITIVE('CMD.EXE', 'cmd\\.exe')", "FALSE")],
        |c| matches(c, "NOTREGEXCASEINSENSITIVE", true, true),
    )
    .origin(Origin::Ancestor),
    Function::new(
        "REGEXGROUP",
        "REGEXGROUP(text STRING, pattern STRING) -> STRING",
        "What the first group holds in the first match. NULL when nothing matches, when there is no group, and for a wrong pattern.",
        &[Example::new("REGEXGROUP('user=bob;id=7', 'id=(\\d+)')", "7")],
        group,
    )
    .aliases(&["REGEX_GROUP"])
    .origin(Origin::Ancestor),
    Function::new(
        "REGEXREPLACE",
        "REGEXREPLACE(text STRING, pattern STRING, replacement STRING) -> STRING",
        "The text with every match replaced; `$1` in the replacement is a group, a backslash quotes. NULL for a wrong pattern; a wrong replacement fails where something matches.",
        &[Example::new("REGEXREPLACE('foo bar', '(\\w+) (\\w+)', '$2 $1')", "bar foo")],
        replace,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "REGEXCOUNT",
        "REGEXCOUNT(text STRING, pattern STRING [, start INT]) -> INT",
        "How often the regular expression matches from a position (from 1) on. NULL for a wrong pattern.",
        &[Example::new("REGEXCOUNT('a1b2', '\\d', 3)", "1")],
        count,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "REGEXINSTR",
        "REGEXINSTR(text STRING, pattern STRING [, start INT [, occurrence INT [, end INT]]]) -> INT",
        "The position (from 1) of an occurrence of a match from a position on, or, with 1 as last argument, the position behind it. 0 when there is none. NULL for a wrong pattern.",
        &[Example::new("REGEXINSTR('a1b2', '\\d', 1, 2)", "4")],
        position,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "REGEXSUBSTR",
        "REGEXSUBSTR(text STRING, pattern STRING [, start INT [, occurrence INT]]) -> STRING",
        "An occurrence of a match from a position (from 1) on. NULL when there is none, and for a wrong pattern.",
        &[Example::new("REGEXSUBSTR('a1b22', '\\d+', 1, 2)", "22")],
        substr,
    )
    .origin(Origin::Ancestor),
];

fn finished(bound: BoundCall, fallible: bool) -> BoundCall {
    if fallible { bound.fallible() } else { bound }
}

fn matches(call: &Call<'_>, name: &'static str, ignore_case: bool, not: bool) -> Result<BoundCall, Fault> {
    let args = arguments(call, &format!("{name}(<CHARACTER>, <CHARACTER>)"), 2, &[Arg::Text; 2])?;
    let pattern = PatternArgument::with(call, 1, ignore_case)?;
    let fallible = pattern.fallible();
    let kernel = simple(name, move |arguments, _| {
        let (text, patterns) = (arguments.strings(0)?, arguments.strings(1)?);
        let mut reader = pattern.reader();
        booleans::build(arguments.rows(), |row| {
            let (Some(s), Some(p)) = (text.get(row), patterns.get(row)) else { return Ok(None) };
            let at_row = |f| EvalError::at_row(row, f);
            let found = match reader.get(p).map_err(at_row)?.filter(|_| !p.is_empty()) {
                Some(pattern) => pattern.is_match(s).map_err(at_row)?,
                None => false,
            };
            Ok(Some(found != not))
        })
    });
    Ok(finished(BoundCall::new(of_kind(call, TypeKind::Boolean), args, kernel), fallible))
}

fn group(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = arguments(call, "REGEXGROUP(<CHARACTER>, <CHARACTER>)", 2, &[Arg::Text; 2])?;
    let pattern = PatternArgument::of(call, 1)?;
    let fallible = pattern.fallible();
    let kernel = simple("REGEXGROUP", move |arguments, _| {
        let mut subjects = Subjects::of(arguments, &pattern)?;
        strings::build(arguments.rows(), |row, out| {
            let Some((s, pattern)) = subjects.get(row)? else { return Ok(false) };
            let mut groups = pattern.locations();
            let found = pattern.captures_at(s, 0, &mut groups).map_err(|f| EvalError::at_row(row, f))?;
            let part = groups.get(1).filter(|_| found).and_then(|(start, end)| s.get(start..end));
            part.inspect(|p| out.push_str(p));
            Ok(part.is_some())
        })
    });
    Ok(finished(BoundCall::new(DataType::string(), args, kernel), fallible))
}

fn replace(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = arguments(call, "REGEXREPLACE(<CHARACTER>, <CHARACTER>, <CHARACTER>)", 3, &[Arg::Text; 3])?;
    let pattern = PatternArgument::of(call, 1)?;
    let kernel = simple("REGEXREPLACE", move |arguments, _| {
        let replacements = arguments.strings(2)?;
        let mut subjects = Subjects::of(arguments, &pattern)?;
        strings::build(arguments.rows(), |row, out| {
            let Some(replacement) = replacements.get(row) else { return Ok(false) };
            let Some((s, pattern)) = subjects.get(row)? else { return Ok(false) };
            let text = pattern.replace_all_groups(s, replacement).map_err(|f| EvalError::at_row(row, f))?;
            out.push_str(&text);
            Ok(true)
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel).fallible())
}

/// The byte of a position from 1; positions below it are 1.
fn byte_of(text: &str, position: i64) -> Option<usize> {
    let skip = usize::try_from(position.saturating_sub(1)).unwrap_or(0);
    text.char_indices().map(|(i, _)| i).chain([text.len()]).nth(skip)
}

/// The `nth` match (from 1) from a position on.
fn occurrence(pattern: &Pattern, text: &str, start: i64, nth: i64) -> Result<Option<Found>, Fault> {
    let Some(from) = byte_of(text, start) else { return Ok(None) };
    let mut left = nth;
    for found in pattern.find_all(text) {
        let found = found?;
        if found.0 < from {
            continue;
        }
        left -= 1;
        if left <= 0 {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// The integer arguments behind text and pattern; 1 where one is not given.
struct Integers<'a>(Vec<Numbers<'a, Int64Type>>);

impl<'a> Integers<'a> {
    fn of(arguments: &Arguments<'a>) -> Result<Self, Fault> {
        (2..arguments.count()).map(|i| arguments.numbers(i)).collect::<Result<_, _>>().map(Integers)
    }

    /// The one at a place; `None` for NULL.
    fn get(&self, place: usize, row: usize) -> Option<i64> {
        self.0.get(place).map_or(Some(1), |n| n.get(row))
    }
}

const KINDS: [Arg; 5] = [Arg::Text, Arg::Text, Arg::Integer, Arg::Integer, Arg::Integer];

fn count(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let form = "REGEXCOUNT(<CHARACTER>, <CHARACTER> [, <INTEGER>])";
    let args = arguments(call, form, 2, KINDS.get(..3).unwrap_or_default())?;
    let pattern = PatternArgument::of(call, 1)?;
    let fallible = pattern.fallible();
    let kernel = simple("REGEXCOUNT", move |arguments, _| {
        let integers = Integers::of(arguments)?;
        let mut subjects = Subjects::of(arguments, &pattern)?;
        numbers::build::<Int32Type>(arguments.rows(), |row| {
            let Some(start) = integers.get(0, row) else { return Ok(None) };
            let Some((s, pattern)) = subjects.get(row)? else { return Ok(None) };
            let Some(from) = byte_of(s, start) else { return Ok(Some(0)) };
            let mut n = 0;
            for found in pattern.find_all(s) {
                n += i32::from(found.map_err(|f| EvalError::at_row(row, f))?.0 >= from);
            }
            Ok(Some(n))
        })
    });
    Ok(finished(BoundCall::new(DataType::int(), args, kernel), fallible))
}

fn position(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let form = "REGEXINSTR(<CHARACTER>, <CHARACTER> [, <INTEGER> [, <INTEGER> [, <INTEGER>]]])";
    let args = arguments(call, form, 2, &KINDS)?;
    let pattern = PatternArgument::of(call, 1)?;
    let fallible = pattern.fallible();
    let behind = args.len() > 4;
    let kernel = simple("REGEXINSTR", move |arguments, _| {
        let integers = Integers::of(arguments)?;
        let mut subjects = Subjects::of(arguments, &pattern)?;
        numbers::build::<Int32Type>(arguments.rows(), |row| {
            let (Some(start), Some(nth)) = (integers.get(0, row), integers.get(1, row)) else {
                return Ok(None);
            };
            let Some(end) = (if behind { integers.get(2, row) } else { Some(0) }) else { return Ok(None) };
            let Some((s, pattern)) = subjects.get(row)? else { return Ok(None) };
            let found = occurrence(pattern, s, start, nth).map_err(|f| EvalError::at_row(row, f))?;
            let at = found.map(|f| if end == 0 { f.0 } else { f.1 });
            Ok(Some(at.and_then(|at| s.get(..at)).map_or(0, |before| 1 + before.chars().count() as i32)))
        })
    });
    Ok(finished(BoundCall::new(DataType::int(), args, kernel), fallible))
}

fn substr(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let form = "REGEXSUBSTR(<CHARACTER>, <CHARACTER> [, <INTEGER> [, <INTEGER>]])";
    let args = arguments(call, form, 2, KINDS.get(..4).unwrap_or_default())?;
    let pattern = PatternArgument::of(call, 1)?;
    let fallible = pattern.fallible();
    let kernel = simple("REGEXSUBSTR", move |arguments, _| {
        let integers = Integers::of(arguments)?;
        let mut subjects = Subjects::of(arguments, &pattern)?;
        strings::build(arguments.rows(), |row, out| {
            let (Some(start), Some(nth)) = (integers.get(0, row), integers.get(1, row)) else {
                return Ok(false);
            };
            let Some((s, pattern)) = subjects.get(row)? else { return Ok(false) };
            let found = occurrence(pattern, s, start, nth).map_err(|f| EvalError::at_row(row, f))?;
            let part = found.and_then(|(start, end)| s.get(start..end));
            part.inspect(|p| out.push_str(p));
            Ok(part.is_some())
        })
    });
    Ok(finished(BoundCall::new(DataType::string(), args, kernel), fallible))
}
