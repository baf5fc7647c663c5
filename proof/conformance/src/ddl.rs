//! Statements that are accepted or refused; what would start a job is planned only.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;

use millstream::Session;
use millstream::types::Fault;
use serde_json::Value as Json;

use crate::answer::{Refusal, same_kind};
use crate::report::Report;

/// Runs every case of a file.
pub fn run(
    path: &str,
    wanted: &dyn Fn(&str) -> bool,
    extensions: &BTreeMap<String, String>,
    report: &mut Report,
) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{path}: {e}"))?;
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|e| e.to_string())?;
    let _entered = runtime.enter();
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        let case: Json = serde_json::from_str(line).map_err(|e| format!("{path}: {e}"))?;
        let id = case["id"].as_str().unwrap_or("?").to_string();
        if !wanted(&id) {
            continue;
        }
        let group = case["group"].as_str().unwrap_or("?").to_string();
        let sql = case["sql"].as_str().unwrap_or("").to_string();
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| plan(&case, &sql)));
        let verdict = match outcome {
            Err(_) => Err("panic".to_string()),
            Ok(faults) => judge(&case, &faults, extensions.contains_key(&id)),
        };
        report.add(&group, &id, verdict.map_err(|e| format!("{sql}\n{e}")));
    }
    Ok(())
}

/// The faults of the statement after its set-up.
fn plan(case: &Json, sql: &str) -> Vec<Fault> {
    // What only a client carries out: of these the recorded answer is that of the parser.
    if case["client"].as_bool() == Some(true) {
        return millstream_sql::parse_statement(sql).err().into_iter().collect();
    }
    let mut session = Session::new();
    for line in case["setup"].as_array().into_iter().flatten() {
        let faults = session.plan_only(line.as_str().unwrap_or(""));
        if !faults.is_empty() {
            return faults.into_iter().map(|f| f.in_place("set-up")).collect();
        }
    }
    session.plan_only(sql)
}

fn judge(case: &Json, faults: &[Fault], extension: bool) -> Result<(), String> {
    match (case["ok"].as_bool() == Some(true) || extension, faults.first()) {
        (true, None) => Ok(()),
        (true, Some(f)) => Err(format!("Flink accepts it\nhere:  {} {f}", f.code())),
        (false, None) => {
            Err(format!("Flink: {}: {}\nhere:  accepted", case["error"]["kind"], case["error"]["msg"]))
        }
        (false, Some(f)) => same_kind(&case["error"], &Refusal::Plan(f)),
    }
}
