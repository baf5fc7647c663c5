//! Plans as text: `tests/data/plans.txt` holds scripts and the trees that they give, byte for byte.
//!
//! A case is `### name`, the script, `---`, the tree. `UPDATE_PLANS=1 cargo test --test explain` writes the file anew.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::disallowed_methods
)]

mod cards;

use millstream_plan::statement::{Planned, merge_jobs};
use millstream_plan::{ExplainOptions, JobPlan, explain_json, explain_text};
use millstream_types::Fault;

fn plan(script: &str) -> Result<JobPlan, Fault> {
    let mut state = cards::session();
    let (statements, faults) = millstream_sql::parse_script(script);
    if let Some(fault) = faults.into_iter().next() {
        return Err(fault);
    }
    let mut plans = Vec::new();
    for statement in &statements {
        match state.execute(statement, script)? {
            Planned::Query(plan) | Planned::Insert(plan) => plans.push(*plan),
            _ => {}
        }
    }
    Ok(merge_jobs(plans))
}

#[test]
fn plans_are_as_recorded() {
    let data = include_str!("data/plans.txt");
    let tables = data.split("### ").next().unwrap_or_default();
    let mut written = tables.to_string();
    let mut wrong = String::new();
    for case in data.split("### ").skip(1) {
        let (name, rest) = case.split_once('\n').unwrap();
        let (script, wanted) = rest.split_once("---\n").unwrap();
        let text = match plan(&format!("{tables}\n{script}")) {
            Ok(plan) => {
                let again = self::plan(&format!("{tables}\n{script}")).unwrap();
                let options = ExplainOptions { changes: true, advice: name.contains("advice") };
                let text = explain_text(&plan, options);
                assert_eq!(text, explain_text(&again, options), "{name}: two plans of one text differ");
                assert_eq!(explain_json(&plan), explain_json(&again), "{name}");
                serde_json::from_str::<serde_json::Value>(&explain_json(&plan)).expect("valid JSON");
                text
            }
            Err(fault) => format!("refused: {fault}\n"),
        };
        if text.trim_end() != wanted.trim_end() {
            wrong.push_str(&format!("### {name}\nfound:\n{text}\nwanted:\n{wanted}\n"));
        }
        written.push_str(&format!("### {name}\n{script}---\n{}\n\n", text.trim_end()));
    }
    if std::env::var_os("UPDATE_PLANS").is_some() {
        std::fs::write(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/plans.txt"), written).unwrap();
        return;
    }
    assert!(wrong.is_empty(), "{wrong}");
}
