//! What matches, where, and how often.

use arrow::datatypes::{Int32Type, Int64Type};
use millstream_text::regex::{Locations, Pattern};
use millstream_types::{DataType, Fault, TypeKind};

use super::pattern::{PatternArgument, Subjects};
use crate::functions::scalar::string::{Arg, arguments, of_kind, strict_arguments, texts};
use crate::kernel::{booleans, numbers, simple, strings};
use crate::{BoundCall, Call, EvalError, Example, Expr, Function, KernelRef};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "REGEXP",
        "REGEXP(text STRING, pattern STRING) -> BOOLEAN",
        "Whether some part of the text matches the regular expression. FALSE for an empty or a wrong pattern.",
        &[Example::new("REGEXP('cmd.exe /c dir', 'cmd\\.exe')", "TRUE")],
        regexp,
    )
    .aliases(&["REGEX", "DIPPERREGEX", "REG"]),
    Function::new(
        "REGEXP_EXTRACT",
        "REGEXP_EXTRACT(text STRING, pattern STRING [, group INT]) -> STRING",
        "What a group (0, the whole match, when none is given) holds in the first match. NULL when nothing matches or the group takes no part, when there is no such group, \
         and for a wrong pattern.",
        &[Example::new("REGEXP_EXTRACT('user=bob;id=7', 'id=(\\d+)', 1)", "7")],
        extract,
    ).gives_pieces()
    .aliases(&["REGEXGROUPINDEX", "REGEX_GROUP_INDEX"]),
    Function::new(
        "REGEXP_EXTRACT_ALL",
        "REGEXP_EXTRACT_ALL(text STRING, pattern STRING [, group INT]) -> ARRAY<STRING>",
        "What a group (1, when none is given; 0 is the whole match) holds in every match. NULL when there is no such group, and for a wrong pattern.",
        &[Example::new("REGEXP_EXTRACT_ALL('100-200, 300-400', '(\\d+)-(\\d+)', 2)", "[200, 400]")],
        extract_all,
    ).gives_pieces(),
    Function::new(
        "REGEXP_COUNT",
        "REGEXP_COUNT(text STRING, pattern STRING) -> INT",
        "How often the regular expression matches. NULL for a wrong pattern.",
        &[Example::new("REGEXP_COUNT('hello', 'l')", "2")],
        count,
    ),
    Function::new(
        "REGEXP_INSTR",
        "REGEXP_INSTR(text STRING, pattern STRING) -> INT",
        "The position (from 1) of the first match, 0 when there is none. NULL for a wrong pattern.",
        &[Example::new("REGEXP_INSTR('hello', 'l+')", "3")],
        position,
    ),
    Function::new(
        "REGEXP_SUBSTR",
        "REGEXP_SUBSTR(text STRING, pattern STRING) -> STRING",
        "The first match. NULL when nothing matches, and for a wrong pattern.",
        &[Example::new("REGEXP_SUBSTR('a1b22', '\\d\\d')", "22")],
        substr,
    ).gives_pieces(),
];

fn bound(
    data_type: DataType,
    args: Vec<Expr>,
    fallible: bool,
    kernel: KernelRef,
) -> Result<BoundCall, Fault> {
    let bound = BoundCall::new(data_type, args, kernel);
    Ok(if fallible { bound.fallible() } else { bound })
}

fn regexp(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = strict_arguments(call, "REGEXP(<CHARACTER>, <CHARACTER>)", 2, &[Arg::Text; 2])?;
    let pattern = PatternArgument::of(call, 1)?;
    let fallible = pattern.fallible();
    let kernel = simple("REGEXP", move |arguments, _| {
        let (text, patterns) = (arguments.strings(0)?, arguments.strings(1)?);
        let mut reader = pattern.reader();
        booleans::build(arguments.rows(), |row| {
            let (Some(s), Some(p)) = (text.get(row), patterns.get(row)) else { return Ok(None) };
            if p.is_empty() {
                return Ok(Some(false));
            }
            let at_row = |f| EvalError::at_row(row, f);
            match reader.get(p).map_err(at_row)? {
                Some(pattern) => pattern.is_match(s).map(Some).map_err(at_row),
                None => Ok(Some(false)),
            }
        })
    });
    bound(of_kind(call, TypeKind::Boolean), args, fallible, kernel)
}

fn extract(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str =
        "REGEXP_EXTRACT(<CHARACTER>, <CHARACTER>)\nREGEXP_EXTRACT(<CHARACTER>, <CHARACTER>, <INTEGER>)";
    let args = strict_arguments(call, FORM, 2, &[Arg::Text, Arg::Text, Arg::Integer])?;
    let pattern = PatternArgument::of(call, 1)?;
    let fallible = pattern.fallible();
    let with_group = args.len() > 2;
    let kernel = simple("REGEXP_EXTRACT", move |arguments, _| {
        let groups = if with_group { Some(arguments.numbers::<Int64Type>(2)?) } else { None };
        let mut subjects = Subjects::of(arguments, &pattern)?;
        let mut room = Room::default();
        strings::build(arguments.rows(), |row, out| {
            let Some(group) = groups.as_ref().map_or(Some(0), |g| g.get(row)) else { return Ok(false) };
            let Some((s, pattern)) = subjects.get(row)? else { return Ok(false) };
            let Some(group) = usize::try_from(group).ok().filter(|g| *g <= pattern.group_count()) else {
                return Ok(false);
            };
            let found = room.group(pattern, s, group).map_err(|f| EvalError::at_row(row, f))?;
            found.inspect(|part| out.push_str(part));
            Ok(found.is_some())
        })
    });
    bound(DataType::string(), args, fallible, kernel)
}

/// Where the groups of a match are put, as long as the pattern stays the same.
#[derive(Default)]
struct Room(Option<(Pattern, Locations)>);

impl Room {
    fn of(&mut self, pattern: &Pattern) -> &mut Locations {
        if self.0.as_ref().is_some_and(|(known, _)| known != pattern) {
            self.0 = None;
        }
        &mut self.0.get_or_insert_with(|| (pattern.clone(), pattern.locations())).1
    }

    /// What a group holds in the first match.
    fn group<'t>(
        &mut self,
        pattern: &Pattern,
        text: &'t str,
        group: usize,
    ) -> Result<Option<&'t str>, Fault> {
        let found = if group == 0 {
            pattern.find_at(text, 0)?
        } else {
            let locations = self.of(pattern);
            if pattern.captures_at(text, 0, locations)? { locations.get(group) } else { None }
        };
        Ok(found.and_then(|(start, end)| text.get(start..end)))
    }
}

fn extract_all(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "REGEXP_EXTRACT_ALL(<CHARACTER_STRING>, <CHARACTER_STRING>)\nREGEXP_EXTRACT_ALL(<CHARACTER_STRING>, <CHARACTER_STRING>, <INTEGER_NUMERIC>)";
    let args = arguments(call, FORM, 2, &[Arg::Text, Arg::Text, Arg::Integer])?;
    let pattern = PatternArgument::of(call, 1)?;
    let fallible = pattern.fallible();
    let with_group = args.len() > 2;
    let kernel = simple("REGEXP_EXTRACT_ALL", move |arguments, _| {
        let groups = if with_group { Some(arguments.numbers::<Int64Type>(2)?) } else { None };
        let mut subjects = Subjects::of(arguments, &pattern)?;
        let mut room = Room::default();
        texts::build(arguments.rows(), |row, list| {
            let Some(group) = groups.as_ref().map_or(Some(1), |g| g.get(row)) else { return Ok(false) };
            let Some((s, pattern)) = subjects.get(row)? else { return Ok(false) };
            let Some(group) = usize::try_from(group).ok().filter(|g| *g <= pattern.group_count()) else {
                return Ok(false);
            };
            let at_row = |f| EvalError::at_row(row, f);
            if group == 0 {
                for found in pattern.find_all(s) {
                    let (start, end) = found.map_err(at_row)?;
                    list.append_option(s.get(start..end));
                }
            } else {
                let each = |l: &Locations| {
                    list.append_option(l.get(group).and_then(|(start, end)| s.get(start..end)));
                    true
                };
                pattern.captures_all(s, room.of(pattern), each).map_err(at_row)?;
            }
            Ok(true)
        })
    });
    bound(DataType::array(DataType::string()), args, fallible, kernel)
}

/// A function of text and pattern that gives an INT, NULL for a wrong pattern.
fn integer(
    call: &Call<'_>,
    name: &'static str,
    f: fn(&Pattern, &str) -> Result<usize, Fault>,
) -> Result<BoundCall, Fault> {
    let form = format!("{name}(<CHARACTER_STRING>, <CHARACTER_STRING>)");
    let args = arguments(call, &form, 2, &[Arg::Text; 2])?;
    let pattern = PatternArgument::of(call, 1)?;
    let fallible = pattern.fallible();
    let kernel = simple(name, move |arguments, _| {
        let mut subjects = Subjects::of(arguments, &pattern)?;
        numbers::build::<Int32Type>(arguments.rows(), |row| {
            let Some((s, pattern)) = subjects.get(row)? else { return Ok(None) };
            f(pattern, s).map(|n| Some(n as i32)).map_err(|f| EvalError::at_row(row, f))
        })
    });
    bound(DataType::int(), args, fallible, kernel)
}

fn count(call: &Call<'_>) -> Result<BoundCall, Fault> {
    integer(call, "REGEXP_COUNT", |pattern, s| pattern.count(s))
}

fn position(call: &Call<'_>) -> Result<BoundCall, Fault> {
    integer(call, "REGEXP_INSTR", |pattern, s| {
        let found = pattern.find_at(s, 0)?;
        Ok(found.and_then(|(start, _)| s.get(..start)).map_or(0, |before| 1 + before.encode_utf16().count()))
    })
}

fn substr(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "REGEXP_SUBSTR(<CHARACTER_STRING>, <CHARACTER_STRING>)";
    let args = arguments(call, FORM, 2, &[Arg::Text; 2])?;
    let pattern = PatternArgument::of(call, 1)?;
    let fallible = pattern.fallible();
    let kernel = simple("REGEXP_SUBSTR", move |arguments, _| {
        let mut subjects = Subjects::of(arguments, &pattern)?;
        strings::build(arguments.rows(), |row, out| {
            let Some((s, pattern)) = subjects.get(row)? else { return Ok(false) };
            let found = pattern.find_at(s, 0).map_err(|f| EvalError::at_row(row, f))?;
            let part = found.and_then(|(start, end)| s.get(start..end));
            part.inspect(|p| out.push_str(p));
            Ok(part.is_some())
        })
    });
    bound(DataType::string(), args, fallible, kernel)
}
