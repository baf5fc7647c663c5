//! What Flink did with a text that it refuses, and whether Millstream refuses it for a reason of the same kind.

use millstream::types::{Fault, FaultKind};
use serde_json::Value as Json;

/// How an answer of Millstream ended.
pub enum Refusal<'a> {
    /// Before anything ran.
    Plan(&'a Fault),
    /// While it ran.
    Run(&'a Fault),
}

/// Whether a refusal is what Flink's recorded error asks for.
pub fn same_kind(error: &Json, refusal: &Refusal<'_>) -> Result<(), String> {
    let kind = error["kind"].as_str().unwrap_or("");
    let flink = error["msg"].as_str().unwrap_or("");
    let (fault, at_plan) = match refusal {
        Refusal::Plan(f) => (f, true),
        Refusal::Run(f) => (f, false),
    };
    let told = || {
        format!(
            "Flink: {kind}: {flink}\nhere:  {} {}: {fault}",
            fault.code(),
            if at_plan { "(plan)" } else { "(run)" }
        )
    };
    match fault.kind() {
        FaultKind::NotYet => return Err(told()),
        FaultKind::Internal => return Err(told()),
        FaultKind::User | FaultKind::External => {}
    }
    // A name that Flink knows must not be unknown here.
    let flink_knows_it = ![
        "No match found for function signature",
        "does not exist",
        "doesn't exist",
        "not found in any table",
    ]
    .iter()
    .any(|m| flink.contains(m));
    if fault.code() == "unknown-function" && flink_knows_it && kind != "parse" {
        return Err(told());
    }
    match kind {
        "parse" | "validation" | "unsupported" if at_plan => Ok(()),
        // Constants are folded at different moments: a value that makes it fail may do so before the job starts.
        "runtime" => Ok(()),
        "internal" => Ok(()),
        _ => Err(told()),
    }
}
