//! Parts of texts replaced.

use std::collections::HashMap;

use memchr::memmem;
use millstream_types::{Fault, TypeKind};

use super::arguments::{Arg, arguments, of_kind, strict_arguments};
use crate::kernel::simple;
use crate::kernel::strings::{self, TextOut};
use crate::{BoundCall, Call, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "REPLACE",
        "REPLACE(text STRING, old STRING, new STRING) -> STRING",
        "The text with every occurrence of `old` replaced. An empty `old` stands before every character and at the end.",
        &[Example::new("REPLACE('hello world', 'world', 'there')", "hello there")],
        replace,
    ),
    Function::new(
        "TRANSLATE",
        "TRANSLATE(text STRING, from STRING, to STRING) -> STRING",
        "The text with every character that is in `from` replaced by the one at the same place in `to`, or dropped where `to` has none. \
         A NULL for `from` leaves the text as it is, a NULL for `to` counts as ''.",
        &[Example::new("TRANSLATE('www.apache.org', 'wapcheorg', ' APCHEcom')", "   .APACHE.com")],
        translate,
    )
    .aliases(&["TRANSLATE3"]),
];

fn replace(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "REPLACE(<CHARACTER>, <CHARACTER>, <CHARACTER>)";
    let args = strict_arguments(call, FORM, 3, &[Arg::Text; 3])?;
    let kernel = simple("REPLACE", |arguments, _| {
        let (text, old, new) = (arguments.strings(0)?, arguments.strings(1)?, arguments.strings(2)?);
        let known = if old.constant { old.get(0).map(memmem::Finder::new) } else { None };
        strings::build(arguments.rows(), |row, out| {
            let (Some(s), Some(old), Some(new)) = (text.get(row), old.get(row), new.get(row)) else {
                return Ok(false);
            };
            if old.is_empty() {
                between(s, new, out);
                return Ok(true);
            }
            let mut done = 0;
            let mut copy = |at: usize| {
                out.push_str(s.get(done..at).unwrap_or(""));
                out.push_str(new);
                done = at + old.len();
            };
            match &known {
                Some(finder) => finder.find_iter(s.as_bytes()).for_each(&mut copy),
                None => memmem::find_iter(s.as_bytes(), old).for_each(&mut copy),
            }
            out.push_str(s.get(done..).unwrap_or(""));
            Ok(true)
        })
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::STRING), args, kernel))
}

fn between(text: &str, new: &str, out: &mut TextOut) {
    out.push_str(new);
    for c in text.chars() {
        out.push(c);
        out.push_str(new);
    }
}

fn translate(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "TRANSLATE(<CHARACTER_STRING>, <CHARACTER_STRING>, <CHARACTER_STRING>)";
    let args = arguments(call, FORM, 3, &[Arg::Text; 3])?;
    let nullable = args.first().is_none_or(|a| a.data_type.nullable);
    let kernel = simple("TRANSLATE", |arguments, _| {
        let (text, from, to) = (arguments.strings(0)?, arguments.strings(1)?, arguments.strings(2)?);
        let mut last: Option<(&str, &str)> = None;
        let mut table: HashMap<char, Option<char>> = HashMap::new();
        strings::build(arguments.rows(), |row, out| {
            let Some(s) = text.get(row) else { return Ok(false) };
            let (from, to) = (from.get(row).unwrap_or(""), to.get(row).unwrap_or(""));
            if last != Some((from, to)) {
                table.clear();
                let mut to_chars = to.chars();
                for c in from.chars() {
                    // The first place of a character counts, but its second one uses up a place of `to`, too.
                    let new = to_chars.next();
                    table.entry(c).or_insert(new);
                }
                last = Some((from, to));
            }
            s.chars().filter_map(|c| table.get(&c).map_or(Some(c), |new| *new)).for_each(|c| out.push(c));
            Ok(true)
        })
    });
    Ok(BoundCall::new(TypeKind::STRING.nullable().with_nullable(nullable), args, kernel))
}
