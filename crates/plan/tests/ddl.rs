//! Flink's recorded answers to 498 statements: accepted or refused (`tests/data/ddl.jsonl`).
//!
//! A statement that Flink refuses passes only if it is refused as the user's fault: "not supported yet" never counts. Two lists may only
//! shrink: forms that are accepted on purpose (`ddl-extensions.txt`), and known differences with their reasons (`ddl-known.txt`).

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a test fails by panicking

mod cards;

use std::collections::{BTreeMap, BTreeSet};

use millstream_plan::statement::{SessionState, check_script};
use millstream_types::{Fault, FaultKind};
use serde_json::Value;

fn run(state: &mut SessionState, text: &str, parse_only: bool) -> Result<(), Fault> {
    let (statements, faults) = millstream_sql::parse_script(text);
    if let Some(fault) = faults.into_iter().next() {
        return Err(fault);
    }
    if statements.is_empty() {
        return Err(Fault::user("parse", "there is no statement"));
    }
    if parse_only {
        return Ok(());
    }
    for statement in &statements {
        state.execute(statement, text)?;
    }
    Ok(())
}

fn list(text: &str) -> BTreeSet<&str> {
    text.lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .filter_map(|l| l.split_whitespace().next())
        .collect()
}

#[test]
fn statements_are_answered_as_by_flink() {
    let data = include_str!("data/ddl.jsonl");
    let extensions = list(include_str!("data/ddl-extensions.txt"));
    let known = list(include_str!("data/ddl-known.txt"));
    let mut lines = data.lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
    let setups = lines.next().unwrap();
    let mut groups: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut failed: BTreeSet<String> = BTreeSet::new();
    let mut report = String::new();
    for case in lines {
        let id = case["id"].as_str().unwrap();
        let sql = case["sql"].as_str().unwrap();
        let refused = case["refused"].as_str();
        let mut state = cards::session();
        let setup = &setups["setups"][case["setup"].as_u64().unwrap_or(0) as usize];
        let prepared =
            setup.as_array().unwrap().iter().try_for_each(|s| {
                run(&mut state, s.as_str().unwrap(), false).map_err(|f| format!("setup: {f}"))
            });
        let answer = run(&mut state, sql, case["client"].as_bool().unwrap_or(false));
        let wrong = match (prepared, refused, &answer) {
            (Err(f), ..) => Some(f),
            (_, None, Err(f)) => Some(format!("refused: {f}")),
            (_, Some(kind), Ok(())) => Some(format!("accepted, Flink refuses it ({kind})")),
            (_, Some(_), Err(f)) if f.kind() != FaultKind::User => {
                Some(format!("not refused as the user's fault: {f:?}"))
            }
            _ => None,
        };
        let wrong = match wrong {
            Some(_) if extensions.contains(id) && answer.is_ok() => None,
            None if extensions.contains(id) => Some("an extension, but refused".to_string()),
            other => other,
        };
        let group = groups.entry(id.split('/').next().unwrap().to_string()).or_default();
        match wrong {
            None => group.0 += 1,
            Some(why) => {
                group.1 += 1;
                failed.insert(id.to_string());
                report.push_str(&format!("{id}: {sql}\n    {why}\n"));
            }
        }
    }
    for (group, (passed, failed)) in &groups {
        println!("{group:20} {passed:4} passed {failed:4} failed");
    }
    println!("{report}");
    let failed: BTreeSet<&str> = failed.iter().map(String::as_str).collect();
    let new: Vec<_> = failed.difference(&known).collect();
    let mended: Vec<_> = known.difference(&failed).collect();
    println!("{} failed of 498", failed.len());
    assert!(new.is_empty(), "new failures: {new:?}");
    assert!(mended.is_empty(), "take these out of ddl-known.txt: {mended:?}");
}

/// Whatever is left out of a statement: an answer or a fault of the user, never a mistake of ours and never a panic.
#[test]
fn damaged_statements_give_faults() {
    let mut lines = include_str!("data/ddl.jsonl").lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
    let setups = lines.next().unwrap();
    let mut base = cards::session();
    for setup in setups["setups"][1].as_array().unwrap() {
        run(&mut base, setup.as_str().unwrap(), false).unwrap();
    }
    let mut internal = Vec::new();
    for case in lines {
        let sql = case["sql"].as_str().unwrap();
        let words: Vec<&str> = sql.split_inclusive([' ', '(', ')', ',']).collect();
        for leave_out in 0..words.len() {
            let without: String =
                words.iter().enumerate().filter(|(i, _)| *i != leave_out).map(|(_, w)| *w).collect();
            let doubled: String = words
                .iter()
                .enumerate()
                .flat_map(|(i, w)| std::iter::repeat_n(*w, if i == leave_out { 2 } else { 1 }))
                .collect();
            for text in [without, doubled] {
                let mut state = base.clone();
                for fault in check_script(&mut state, &text).faults {
                    if fault.kind() == FaultKind::Internal {
                        internal.push(format!("{text}: {fault}"));
                    }
                    // Rendering must cope with every place.
                    fault.render("t", &text);
                }
            }
        }
    }
    assert!(internal.is_empty(), "{}", internal.join("\n"));
}

/// All statements one after the other in one session: whatever earlier ones left behind, no mistake of ours.
#[test]
fn statements_follow_each_other() {
    let mut lines = include_str!("data/ddl.jsonl").lines().map(|l| serde_json::from_str::<Value>(l).unwrap());
    let setups = lines.next().unwrap();
    let mut state = cards::session();
    for setup in setups["setups"][1].as_array().unwrap() {
        run(&mut state, setup.as_str().unwrap(), false).unwrap();
    }
    let cases: Vec<Value> = lines.collect();
    let order = |round: usize| (0..cases.len()).map(move |i| (i * 101 + round * 37) % 498);
    for case in (0..4).flat_map(order).filter_map(|i| cases.get(i)) {
        let sql = case["sql"].as_str().unwrap();
        for fault in check_script(&mut state, sql).faults {
            assert_ne!(fault.kind(), FaultKind::Internal, "{sql}: {fault}");
        }
        for text in ["SHOW TABLES", "DESCRIBE src", "SHOW CREATE TABLE src", "SHOW CREATE TABLE t"] {
            check_script(&mut state, text);
        }
    }
}
