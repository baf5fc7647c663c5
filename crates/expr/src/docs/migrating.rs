//! The manual's page for users of Apache RocketMQ Streams: every function of it and what stands for it here.

use std::fmt::Write;

use super::replaced::replaced;
use crate::functions::{aggregate_function, scalar_function, table};

const HEAD: &str = "# Coming from RocketMQ Streams and rsqldb

Every function and alias of Apache RocketMQ Streams and rsqldb. *Same* means that it is here under its name; *alias of* names the function that it is another name of; what
makes sense only for scripts that change a row in place has the SQL that does the same. This page is generated; a test compares it and looks for names that are missing.
`millstream functions NAME` says the same of a name.

Names that are keywords of SQL are written in backticks: `` `EQUALS`(a, b) ``. A function does what the manual of RocketMQ Streams promises: rounding by a wrong type, arguments in two orders
under one name, and results that depend on the case of a function's name are not kept. Where the arguments of a script name fields of the row, SQL takes expressions.
";

/// Names that mean another thing here, or take other arguments.
const SAID: &[(&str, &str, &str)] = &[
    ("JSON", "max", "of a JSON array: alias of `IN_MAX`"),
    ("JSON", "json", "SQL: JSON_OBJECT('a' VALUE a, 'b' VALUE b); `JSON` is Flink's"),
    ("Date and time", "tochar", "of milliseconds: alias of `TIMESTAMP2STRING`"),
    ("Date and time", "year", "same; of a text: DATEPART(x, 'year')"),
    ("Date and time", "quarter", "same; of a text: DATEPART(x, 'quarter')"),
    ("Date and time", "month", "same; of a text: DATEPART(x, 'month')"),
    ("Date and time", "hour", "same; of a text: DATEPART(x, 'hour')"),
    ("Date and time", "minute", "same; of a text: DATEPART(x, 'minute')"),
    ("Date and time", "second", "same; of a text: DATEPART(x, 'second')"),
];

/// The page; `names` has a line a function: row, chapter, name, aliases separated by spaces, with tabs between.
pub fn migrating_markdown(names: &str) -> String {
    let mut out = String::from(HEAD);
    let mut chapter = "";
    for line in names.lines().filter(|l| !l.starts_with('#')) {
        let mut cells = line.split('\t');
        let (row, title, name) =
            (cells.next().unwrap_or(""), cells.next().unwrap_or(""), cells.next().unwrap_or(""));
        if title != chapter {
            let _ = write!(out, "\n## {title}\n\n| | function | in Millstream |\n|---|---|---|\n");
            chapter = title;
        }
        for name in std::iter::once(name).chain(cells.next().unwrap_or("").split_whitespace()) {
            let _ = writeln!(out, "| {row} | {} | {} |", code(name), answer(title, name));
        }
    }
    out
}

/// What stands for a function.
fn answer(chapter: &str, name: &str) -> String {
    if let Some((_, _, said)) = SAID.iter().find(|(c, n, _)| (*c, *n) == (chapter, name)) {
        return (*said).into();
    }
    let of = |primary: &str| {
        if primary.eq_ignore_ascii_case(name) {
            "same".to_string()
        } else {
            format!("alias of {}", code(primary))
        }
    };
    if let Some(f) = scalar_function(name) {
        return of(f.name);
    }
    if let Some(f) = aggregate_function(name) {
        return of(f.name);
    }
    if let Some(f) = table::table_function(name) {
        return of(f.name);
    }
    match replaced(name) {
        Some(sql) => format!("SQL: {}", sql.replace('|', "\\|")),
        None => "missing".into(),
    }
}

fn code(text: &str) -> String {
    format!("`{}`", text.replace('|', "\\|"))
}
