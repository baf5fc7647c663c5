//! Flink's recorded answers to whole queries, as far as a plan can tell: names and types of the columns, and what is refused
//! (`tests/data/queries.jsonl`, without the rows).
//!
//! What Flink refuses before it runs must be refused as the user's fault; what fails only while running must be planned. Known differences
//! stand in `queries-known.txt`, each with its reason; the list may only shrink.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods
)]

mod cards;

use std::collections::BTreeSet;

use millstream_plan::JobPlan;
use millstream_plan::statement::{Planned, SessionState};
use millstream_types::{Fault, FaultKind};
use serde_json::Value;

fn plan(state: &mut SessionState, text: &str) -> Result<JobPlan, Fault> {
    let (statements, faults) = millstream_sql::parse_script(text);
    if let Some(fault) = faults.into_iter().next() {
        return Err(fault);
    }
    let mut last = None;
    for statement in &statements {
        match state.execute(statement, text)? {
            Planned::Query(plan) | Planned::Insert(plan) => last = Some(*plan),
            _ => {}
        }
    }
    last.ok_or_else(|| Fault::internal("no query"))
}

/// Names and types as the recorded answers have them.
fn columns(plan: &JobPlan) -> Vec<(String, String)> {
    let sink = plan.sinks.first().and_then(|s| plan.nodes.get(s.0)).expect("a sink");
    let fields = &sink.schema.fields;
    fields
        .iter()
        .map(|f| {
            let shown = f.data_type.with_attribute();
            // The oracle writes the attribute behind NOT NULL.
            let shown = match (shown.contains(" *ROWTIME*"), shown.ends_with(" NOT NULL")) {
                (true, true) => format!("{} *ROWTIME*", shown.replace(" *ROWTIME*", "")),
                _ => shown,
            };
            (f.name.to_string(), shown)
        })
        .collect()
}

#[test]
fn queries_have_flinks_columns() {
    let known: BTreeSet<&str> = include_str!("data/queries-known.txt")
        .lines()
        .filter(|l| !l.is_empty() && !l.starts_with('#'))
        .filter_map(|l| l.split_whitespace().next())
        .collect();
    let mut failed = BTreeSet::new();
    let mut report = String::new();
    let mut passed = 0;
    for line in include_str!("data/queries.jsonl").lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let name = case["name"].as_str().unwrap().to_string();
        let mut state = cards::session();
        state.settings.set("execution.runtime-mode", case["mode"].as_str().unwrap()).unwrap();
        for (key, value) in case["conf"].as_object().unwrap() {
            state.settings.set(key, value.as_str().unwrap()).unwrap();
        }
        let sql = case["sql"].as_str().unwrap().replace("${INPUT}", "/data");
        let answer = plan(&mut state, &sql);
        let refused = case["error"]["at"].as_str() == Some("plan");
        if refused && case["error"]["kind"].as_str() == Some("internal") {
            // Flink broke: no answer to hold to.
            passed += 1;
            continue;
        }
        let wrong = match (&answer, refused) {
            (Err(f), true) if f.kind() == FaultKind::User => None,
            (Err(f), true) => Some(format!("refused as {:?}: {f}", f.kind())),
            (Ok(_), true) => Some("planned, but Flink refuses it".to_string()),
            (Err(f), false) => Some(format!("{:?} {}: {f}", f.kind(), f.code())),
            (Ok(plan), false) => {
                let wanted: Vec<(String, String)> = case["columns"]
                    .as_array()
                    .map(|c| c.as_slice())
                    .unwrap_or_default()
                    .iter()
                    .map(|c| (c[0].as_str().unwrap().to_string(), c[1].as_str().unwrap().to_string()))
                    .collect();
                let found = columns(plan);
                (!wanted.is_empty() && found != wanted)
                    .then(|| format!("columns are {found:?}, wanted {wanted:?}"))
            }
        };
        match wrong {
            None => passed += 1,
            Some(why) => {
                if !known.contains(name.as_str()) {
                    report.push_str(&format!("{name}: {why}\n"));
                }
                failed.insert(name);
            }
        }
    }
    println!("{passed} passed, {} failed", failed.len());
    let shrunk: Vec<&str> = known.iter().copied().filter(|k| !failed.contains(*k)).collect();
    assert!(report.is_empty(), "{passed} passed, {} failed\n{report}", failed.len());
    assert!(shrunk.is_empty(), "no longer different, to be taken out of queries-known.txt: {shrunk:?}");
}
