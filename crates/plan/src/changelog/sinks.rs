//! Whether sinks take what they get.

use millstream_flow::ChangelogMode;
use millstream_types::Fault;

use super::modes::updating_operator;
use crate::explain::operator_text;
use crate::{JobPlan, Op, SinkTarget};

/// Refuses updates for sinks that cannot take them, and decides which sinks need their rows put in order.
///
/// # Errors
/// User, naming the operator that makes the updates.
pub(super) fn check_sinks(plan: &mut JobPlan, accepts: &[ChangelogMode]) -> Result<(), Fault> {
    let batch = plan.settings.batch;
    let setting = plan.settings.options.get("table.exec.sink.upsert-materialize").map(str::to_uppercase);
    for i in 0..plan.nodes.len() {
        let Some(node) = plan.nodes.get(i) else { continue };
        let (Op::Sink(sink), Some(input)) = (&node.op, node.inputs.first().copied()) else { continue };
        let accepted = accepts.get(i).copied().unwrap_or(ChangelogMode::Append);
        let Some(below) = plan.nodes.get(input.0) else { continue };
        let fault = |f: Fault| match node.span {
            Some(s) => f.at(s),
            None => f,
        };
        if batch || below.changes == ChangelogMode::Append {
            continue;
        }
        if accepted == ChangelogMode::Append {
            let source = updating_operator(plan, input).unwrap_or(input);
            let made = plan.nodes.get(source.0);
            let text = made.map(|n| operator_text(plan, n)).unwrap_or_default();
            let changes = match made.map(|n| &n.op) {
                Some(Op::Aggregate(a))
                    if below.changes != ChangelogMode::Append && only_updates(plan, a, source) =>
                {
                    "update"
                }
                _ => "update and delete",
            };
            return Err(fault(
                Fault::user(
                    "sink-changes",
                    format!(
                        "Table sink '{}' doesn't support consuming {changes} changes which is produced by node {text}",
                        sink.name
                    ),
                )
                .hint(
                    "write to a table that takes updates (print, upsert-kafka, a database with a PRIMARY KEY), or group by windows, whose results are final",
                ),
            ));
        }
        if accepted != ChangelogMode::Upsert {
            continue;
        }
        let SinkTarget::Table(spec) = &sink.target else { continue };
        if spec.primary_key.is_empty() {
            return Err(fault(
                Fault::user(
                    "sink-key",
                    format!("table '{}' gets updates and deletes, so it needs a primary key", sink.name),
                )
                .hint("declare PRIMARY KEY (...) NOT ENFORCED in the table"),
            ));
        }
        let mut key = spec.primary_key.clone();
        key.sort_unstable();
        let same_key = below.upsert_keys.contains(&key);
        let materialize = match setting.as_deref() {
            Some("NONE") => false,
            Some("FORCE") => true,
            _ => !same_key,
        };
        if let Some(Op::Sink(s)) = plan.nodes.get_mut(i).map(|n| &mut n.op) {
            s.materialize = materialize;
        }
    }
    Ok(())
}

/// An aggregation of inserts only updates its groups, it never deletes one.
fn only_updates(plan: &JobPlan, _: &crate::AggregateOp, node: crate::NodeId) -> bool {
    plan.nodes.get(node.0).is_some_and(|n| {
        n.inputs.iter().all(|i| plan.nodes.get(i.0).is_some_and(|m| m.changes == ChangelogMode::Append))
    })
}
