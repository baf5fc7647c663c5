//! What changes an operator gives, from what it gets.

use millstream_expr::ExprKind;
use millstream_flow::ChangelogMode;
use millstream_types::{Fault, TimeAttribute};

use super::keys::is_windowed;
use crate::explain::operator_text;
use crate::{JobPlan, JoinKind, Node, NodeId, Op, TopNOp};

/// Derives the mode of every node but sinks.
///
/// # Errors
/// User, where an operator that wants only inserts gets updates.
pub(super) fn derive_modes(plan: &mut JobPlan, given: &[ChangelogMode]) -> Result<(), Fault> {
    for i in 0..plan.nodes.len() {
        let Some(node) = plan.nodes.get(i) else { continue };
        let mode = mode_of(plan, node, given.get(i).copied().unwrap_or(ChangelogMode::Append))?;
        if let Some(n) = plan.nodes.get_mut(i) {
            n.changes = mode;
        }
    }
    Ok(())
}

fn input_mode(plan: &JobPlan, node: &Node, input: usize) -> ChangelogMode {
    node.inputs.get(input).and_then(|i| plan.nodes.get(i.0)).map_or(ChangelogMode::Append, |n| n.changes)
}

fn mode_of(plan: &JobPlan, node: &Node, given: ChangelogMode) -> Result<ChangelogMode, Fault> {
    let most = node
        .inputs
        .iter()
        .filter_map(|i| plan.nodes.get(i.0))
        .map(|n| n.changes)
        .max()
        .unwrap_or(ChangelogMode::Append);
    let updating = if most == ChangelogMode::Append { ChangelogMode::Append } else { ChangelogMode::Retract };
    Ok(match &node.op {
        Op::Scan(_) => given,
        Op::Values(_) => ChangelogMode::Append,
        Op::Filter(_) | Op::Project(_) | Op::Union | Op::Unnest(_) | Op::TableFunction(_) | Op::Window(_) => {
            most
        }
        Op::Sort(_) | Op::Sink(_) => most,
        Op::Limit { .. } => updating,
        Op::Aggregate(a) => {
            if a.window_keys.is_some() || a.group_window.is_some() {
                append_only(plan, node, "Window aggregate")?;
                let fires = |key: &str| {
                    plan.settings
                        .options
                        .get(&format!("table.exec.emit.{key}-fire.enabled"))
                        .is_some_and(|v| v == "true")
                };
                if a.group_window.is_some() && (fires("early") || fires("late")) {
                    ChangelogMode::Retract
                } else {
                    ChangelogMode::Append
                }
            } else {
                ChangelogMode::Retract
            }
        }
        Op::Join(j) => {
            if j.interval.is_some() {
                append_only(plan, node, "Interval join")?;
                return Ok(ChangelogMode::Append);
            }
            if j.window {
                append_only(plan, node, "Window join")?;
                return Ok(ChangelogMode::Append);
            }
            match j.kind {
                JoinKind::Inner | JoinKind::Semi => updating,
                JoinKind::TemporalInner
                | JoinKind::TemporalLeft
                | JoinKind::LookupInner
                | JoinKind::LookupLeft => input_mode(plan, node, 0),
                JoinKind::Left | JoinKind::Right | JoinKind::Full | JoinKind::Anti => ChangelogMode::Retract,
            }
        }
        Op::Over(_) => {
            append_only(plan, node, "OVER aggregate")?;
            ChangelogMode::Append
        }
        Op::TopN(t) => {
            let Some(input) = node.inputs.first().copied() else { return Ok(ChangelogMode::Append) };
            let is_final = is_windowed(plan, input, &t.partition_by) || keeps_first(plan, input, t);
            if is_final && most == ChangelogMode::Append {
                ChangelogMode::Append
            } else {
                ChangelogMode::Retract
            }
        }
        Op::Match(_) => {
            append_only(plan, node, "MATCH_RECOGNIZE")?;
            ChangelogMode::Append
        }
        Op::SetOperation { .. } => ChangelogMode::Retract,
    })
}

/// Deduplication that keeps the first row by time: it is never replaced.
fn keeps_first(plan: &JobPlan, input: NodeId, top: &TopNOp) -> bool {
    let [key] = top.order_by.as_slice() else { return false };
    if (top.from, top.to) != (1, 1) || key.descending {
        return false;
    }
    let ExprKind::Column(c) = key.expr.kind else { return false };
    plan.nodes
        .get(input.0)
        .and_then(|n| n.schema.field(c))
        .is_some_and(|f| f.data_type.kind.time_attribute() != TimeAttribute::None)
}

/// Refuses updates, naming the operator that makes them. In batch mode rows come as they are in the end.
fn append_only(plan: &JobPlan, node: &Node, what: &str) -> Result<(), Fault> {
    if plan.settings.batch {
        return Ok(());
    }
    for input in &node.inputs {
        let Some(source) = updating_operator(plan, *input) else { continue };
        let text = plan.nodes.get(source.0).map(|n| operator_text(plan, n)).unwrap_or_default();
        let fault = Fault::user(
            "updates",
            format!(
                "{what} doesn't support consuming update and delete changes which is produced by node {text}"
            ),
        )
        .hint("compute it on rows that are only inserted: put it before the operator that makes updates");
        return Err(match node.span {
            Some(s) => fault.at(s),
            None => fault,
        });
    }
    Ok(())
}

/// The operator from which the updates of a node come.
pub(super) fn updating_operator(plan: &JobPlan, node: NodeId) -> Option<NodeId> {
    let n = plan.nodes.get(node.0)?;
    if n.changes == ChangelogMode::Append {
        return None;
    }
    let passes = matches!(
        n.op,
        Op::Filter(_)
            | Op::Project(_)
            | Op::Union
            | Op::Unnest(_)
            | Op::TableFunction(_)
            | Op::Window(_)
            | Op::Sort(_)
    );
    if passes {
        let below = n.inputs.iter().find_map(|i| updating_operator(plan, *i));
        return below.or(Some(node));
    }
    Some(node)
}

/// Leaves out the row before an update where nobody asks for it.
pub(super) fn drop_before_images(plan: &mut JobPlan, accepts: &[ChangelogMode]) {
    let mut asked = vec![false; plan.nodes.len()];
    for i in (0..plan.nodes.len()).rev() {
        let Some(node) = plan.nodes.get(i) else { continue };
        let own = asked.get(i).copied().unwrap_or(false);
        for input in node.inputs.clone() {
            let Some(below) = plan.nodes.get(input.0) else { continue };
            let wants = match &node.op {
                Op::Sink(s) => {
                    let mode = accepts.get(i).copied().unwrap_or(ChangelogMode::Append);
                    mode != ChangelogMode::Upsert || s.materialize
                }
                // A row that no longer passes the filter must be taken back: only conditions on the key are sure not to change.
                Op::Filter(e) => {
                    own || !below.upsert_keys.iter().any(|k| e.columns().iter().all(|c| k.contains(c)))
                }
                Op::Project(_) => own || node.upsert_keys.is_empty(),
                Op::Union => own,
                _ => true,
            };
            if wants && let Some(a) = asked.get_mut(input.0) {
                *a = true;
            }
        }
    }
    for i in 0..plan.nodes.len() {
        let most = plan.nodes.get(i).map(|n| {
            n.inputs
                .iter()
                .filter_map(|i| plan.nodes.get(i.0))
                .map(|n| n.changes)
                .max()
                .unwrap_or(ChangelogMode::Append)
        });
        let Some(node) = plan.nodes.get_mut(i) else { continue };
        if node.changes != ChangelogMode::Retract {
            continue;
        }
        match node.op {
            Op::Aggregate(_) | Op::TopN(_) | Op::Join(_) | Op::SetOperation { .. } | Op::Limit { .. } => {
                if !asked.get(i).copied().unwrap_or(true) && !node.upsert_keys.is_empty() {
                    node.changes = ChangelogMode::Upsert;
                }
            }
            Op::Scan(_) | Op::Sink(_) => {}
            _ => node.changes = most.unwrap_or(ChangelogMode::Retract),
        }
    }
}
