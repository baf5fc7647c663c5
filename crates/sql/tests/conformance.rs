//! What Flink 2.3 accepts is read, what its grammar refuses is refused.
//!
//! `data/statements.jsonl` and `data/queries.jsonl` are Flink's recorded answers, copied. The scalar expressions are those of
//! `proof/conformance/data`.

// A test that stops at once says best what is wrong.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::path::PathBuf;

use millstream_sql::{parse_expression, parse_script, parse_statement};
use serde_json::Value;

/// What Flink refuses and we read on purpose, with the reason.
const EXTENSIONS: &[(&str, &str)] = &[
    ("create-table/051", "Blink names its watermarks"),
    ("create-table/114", "Blink's options: type='datagen'"),
    ("create-table/115", "Blink's options"),
    ("create-table/116", "Blink's PERIOD FOR SYSTEM_TIME"),
    ("create-table/117", "Blink's HEADER columns"),
    ("query-syntax/099", "Blink's EMIT"),
];

/// Several statements in one text, which only a script can hold.
const SCRIPTS: &[&str] = &["query-syntax/121", "statement-set/003"];

fn lines(text: &str) -> Vec<(String, String, Option<String>)> {
    text.lines()
        .map(|line| {
            let v: Value = serde_json::from_str(line).unwrap();
            let text = |k: &str| v.get(k).and_then(Value::as_str).map(str::to_string);
            (text("id").unwrap(), text("sql").unwrap(), text("error"))
        })
        .collect()
}

#[test]
fn statements_are_read_as_flink_reads_them() {
    let all = lines(include_str!("data/statements.jsonl"));
    assert!(all.len() > 490);
    let mut wrong = Vec::new();
    for (id, sql, error) in &all {
        let refused = error.as_deref() == Some("parse") && !EXTENSIONS.iter().any(|(e, _)| e == id);
        if SCRIPTS.contains(&id.as_str()) {
            let (statements, faults) = parse_script(sql);
            assert!(faults.is_empty() && statements.len() > 1, "{id}: {faults:?}");
            continue;
        }
        match (parse_statement(sql), refused) {
            (Ok(_), false) => {}
            (Err(fault), true) => {
                let span = fault.span().unwrap_or_else(|| panic!("{id}: no place: {fault}"));
                assert!(span.end as usize <= sql.len(), "{id}: {fault:?}");
                assert_eq!(fault.code(), "parse", "{id}: {fault:?}");
            }
            (Ok(_), true) => wrong.push(format!("{id}: Flink's grammar refuses: {sql}")),
            // What Flink refuses later may be refused here already, but not as a fault of the grammar.
            (Err(fault), false) if error.is_some() && fault.code() != "parse" => {}
            (Err(fault), false) => wrong.push(format!("{id}: {fault:?}: {sql}")),
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn queries_are_read() {
    let all = lines(include_str!("data/queries.jsonl"));
    assert!(all.len() > 250);
    let mut wrong = Vec::new();
    for (id, sql, error) in &all {
        let (statements, faults) = parse_script(sql);
        for fault in faults {
            if error.is_none() || fault.code() == "parse" {
                wrong.push(format!("{id}: {}", fault.render("query.sql", sql)));
            }
        }
        assert!(!statements.is_empty(), "{id}");
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn expressions_are_read_as_flink_reads_them() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../proof/conformance/data/scalar.jsonl");
    let text = std::fs::read_to_string(path).unwrap();
    let mut wrong = Vec::new();
    for line in text.lines() {
        let v: Value = serde_json::from_str(line).unwrap();
        let expr = v["expr"].as_str().unwrap();
        let error = v["error"]["kind"].as_str();
        match (parse_expression(expr), error) {
            (Ok(_), Some("parse")) => wrong.push(format!("{}: Flink's grammar refuses: {expr}", v["id"])),
            (Ok(_), _) | (Err(_), Some("parse")) => {}
            (Err(fault), Some("validation" | "unsupported")) if fault.code() != "parse" => {}
            (Err(fault), _) => wrong.push(format!("{}: {fault:?}: {expr}", v["id"])),
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
