//! Every function of Apache RocketMQ Streams and rsqldb is here: under its name, as an alias, or with the SQL that replaces it.

// Tests fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::BTreeSet;

use millstream_expr::docs::{REPLACED, function_markdown, migrating_markdown};
use millstream_expr::functions::{aggregate_function, scalar_function, table};

const NAMES: &str = include_str!("data/ancestor-functions.tsv");

fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    NAMES.lines().filter(|l| !l.starts_with('#')).flat_map(|line| {
        let mut cells = line.split('\t').skip(1);
        let (chapter, name) = (cells.next().unwrap(), cells.next().unwrap());
        std::iter::once(name).chain(cells.next().unwrap_or("").split_whitespace()).map(move |n| (chapter, n))
    })
}

fn built_in(name: &str) -> bool {
    scalar_function(name).is_some()
        || aggregate_function(name).is_some()
        || table::table_function(name).is_some()
}

#[test]
fn no_name_is_forgotten() {
    let replaced: BTreeSet<String> = REPLACED.iter().map(|(name, _)| name.to_lowercase()).collect();
    let missing: Vec<_> =
        names().filter(|(_, n)| !built_in(n) && !replaced.contains(&n.to_lowercase())).collect();
    assert!(missing.is_empty(), "{} names: {missing:?}", missing.len());
    assert_eq!(names().map(|(_, n)| n.to_lowercase()).collect::<BTreeSet<_>>().len(), 434);
}

#[test]
fn what_is_replaced_is_no_function_and_known_to_the_command() {
    let known: BTreeSet<String> = names().map(|(_, n)| n.to_lowercase()).collect();
    let mut seen = BTreeSet::new();
    let both: Vec<_> = REPLACED.iter().map(|(name, _)| name).filter(|n| built_in(n)).collect();
    assert!(both.is_empty(), "these are functions: {both:?}");
    for (name, sql) in REPLACED {
        assert!(known.contains(&name.to_lowercase()), "{name} is no function of RocketMQ Streams");
        assert!(seen.insert(name.to_lowercase()), "{name} is listed twice");
        assert!(function_markdown(name).is_some_and(|m| m.contains(sql)), "{name}");
    }
}

#[test]
fn the_page_is_as_generated() {
    let page = migrating_markdown(NAMES);
    assert!(!page.contains("| missing |"));
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/migrating.md");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &page).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap_or_default(), page, "run with UPDATE_DOCS=1");
}
