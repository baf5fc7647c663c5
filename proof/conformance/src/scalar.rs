//! Scalar cases: `SELECT expr` in batch mode.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;

use millstream::types::{DataType, Fault, TypeKind, Value};
use millstream::{ScriptFault, Session};
use serde_json::Value as Json;

use crate::answer::{Refusal, same_kind};
use crate::report::Report;
use crate::value::{same, to_json};

/// What an expression gave.
pub enum Outcome {
    Value { data_type: DataType, value: Json, text: Option<String> },
    Plan(Fault),
    Run(Fault),
    Panic,
}

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
    let (mut types_same, mut types) = (0usize, 0usize);
    for line in text.lines().filter(|l| !l.trim().is_empty()) {
        let case: Json = serde_json::from_str(line).map_err(|e| format!("{path}: {e}"))?;
        let id = case["id"].as_str().unwrap_or("?").to_string();
        if !wanted(&id) {
            continue;
        }
        let group = case["group"].as_str().unwrap_or("?").to_string();
        let expr = case["expr"].as_str().unwrap_or("").to_string();
        let conf: Vec<(String, String)> = case["conf"]
            .as_object()
            .map(|o| o.iter().map(|(k, v)| (k.clone(), v.as_str().unwrap_or("").to_string())).collect())
            .unwrap_or_default();
        let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| runtime.block_on(evaluate(&expr, &conf))))
            .unwrap_or(Outcome::Panic);
        let verdict = judge(&case, &outcome, extensions.contains_key(&id), &mut types_same, &mut types);
        report.add(&group, &id, verdict.map_err(|e| format!("{expr}\n{e}")));
    }
    report.note(format!("result types: {types_same} of {types} equal"));
    Ok(())
}

/// The value of an expression under some options.
pub async fn evaluate(expr: &str, conf: &[(String, String)]) -> Outcome {
    let mut session = Session::new();
    let options = conf.iter().map(|(k, v)| (k.as_str(), v.as_str()));
    let defaults = [("execution.runtime-mode", "batch"), ("table.local-time-zone", "UTC")];
    for (key, value) in defaults.into_iter().chain(options) {
        if let Err(fault) = session.set(key, value) {
            return Outcome::Plan(fault);
        }
    }
    let (data_type, value) = match single(&mut session, &format!("SELECT {expr}")).await {
        Ok(found) => found,
        Err(outcome) => return outcome,
    };
    // A bitmap's answer is its text.
    let json = match (&value, &data_type.kind) {
        (Value::Bytes(_), TypeKind::Bitmap) => {
            match single(&mut session, &format!("SELECT BITMAP_TO_STRING({expr})")).await {
                Ok((_, Value::String(text))) => Json::from(&*text),
                _ => Json::Null,
            }
        }
        _ => to_json(&value, &data_type),
    };
    let text = match single(&mut session, &format!("SELECT CAST({expr} AS STRING)")).await {
        Ok((_, Value::String(s))) => Some(s.to_string()),
        _ => None,
    };
    Outcome::Value { data_type, value: json, text }
}

async fn single(session: &mut Session, sql: &str) -> Result<(DataType, Value), Outcome> {
    let rows = session.query(sql).await.map_err(|f: ScriptFault| {
        Outcome::Plan(f.faults.into_iter().next().unwrap_or_else(|| Fault::internal("no fault")))
    })?;
    let data_type = rows.schema().field(0).map(|f| f.data_type.clone());
    let rows = rows.collect().await.map_err(Outcome::Run)?;
    match (data_type, rows.into_iter().next().and_then(|(_, r)| r.into_iter().next())) {
        (Some(data_type), Some(value)) => Ok((data_type, value)),
        _ => Err(Outcome::Run(Fault::internal("no row"))),
    }
}

fn judge(
    case: &Json,
    outcome: &Outcome,
    extension: bool,
    types_same: &mut usize,
    types: &mut usize,
) -> Result<(), String> {
    // What a query over columns gives counts, where Flink's folding of constants gives something else.
    let recorded = if case["unfolded"].is_object() { &case["unfolded"] } else { case };
    let error = &recorded["error"];
    let kind = error["kind"].as_str();
    match outcome {
        Outcome::Panic => Err("panic".into()),
        Outcome::Value { .. } if extension => Ok(()),
        Outcome::Plan(f) | Outcome::Run(f) if extension => Err(format!("an extension is refused: {f}")),
        Outcome::Plan(f) if kind.is_some() && kind != Some("notnull") => same_kind(error, &Refusal::Plan(f)),
        Outcome::Run(f) if kind.is_some() && kind != Some("notnull") => same_kind(error, &Refusal::Run(f)),
        Outcome::Plan(f) | Outcome::Run(f) => {
            Err(format!("Flink: {}\nhere:  {} {f}", recorded["value"], f.code()))
        }
        Outcome::Value { data_type, value, text } => {
            match kind {
                Some("notnull") if value.is_null() => return Ok(()),
                Some("internal") => return Ok(()),
                Some(kind) => {
                    return Err(format!("Flink: {kind}: {}\nhere:  {value} {data_type}", error["msg"]));
                }
                None => {}
            }
            let expected_type = recorded["type"].as_str().unwrap_or("");
            *types += 1;
            let same_type = data_type.to_string() == expected_type;
            *types_same += usize::from(same_type);
            let type_note = if same_type {
                String::new()
            } else {
                format!("\n(type: Flink {expected_type}, here {data_type})")
            };
            if !same(&recorded["value"], value, data_type) {
                return Err(format!("Flink: {}\nhere:  {value}{type_note}", recorded["value"]));
            }
            match (recorded["str"].as_str(), text) {
                (Some(expected), Some(got)) if expected != got => {
                    Err(format!("as text: Flink: {expected:?}\nhere:           {got:?}{type_note}"))
                }
                (Some(expected), None) => {
                    Err(format!("as text: Flink: {expected:?}\nhere: nothing{type_note}"))
                }
                _ if !same_type && std::env::var_os("CONFORMANCE_TYPES").is_some() => Err(type_note),
                _ => Ok(()),
            }
        }
    }
}
