//! Filters go down to the scans: through projections by substitution, into the branches of unions, below UNNEST and windows, into joins.
//!
//! A condition moves as a whole, its terms in their order: what is behind a term that cannot move stays behind it. Volatile terms never
//! move. Joins are the exception that Flink makes, too: equalities are decided first, then the rest; but a term that can fail is never
//! evaluated on rows that the join would have dropped.

use millstream_expr::Expr;

use super::graph;
use super::terms::{is_fallible, is_steady, size, terms};
use crate::binder::replace_columns;
use crate::{JobPlan, JoinKind, NodeId, Op};
use millstream_flow::ChangelogMode;

/// A condition that grows beyond this by substitution stays where it is.
const MAX_SIZE: usize = 100_000;

/// Pushes every filter as far down as it goes.
pub(super) fn push_filters(plan: &mut JobPlan) {
    let mut work: Vec<NodeId> = (0..plan.nodes.len())
        .map(NodeId)
        .filter(|id| matches!(plan.nodes.get(id.0).map(|n| &n.op), Some(Op::Filter(_))))
        .collect();
    // Users come behind their inputs in the list: taking from its end goes from the sinks down.
    while let Some(id) = work.pop() {
        push(plan, id, &mut work);
    }
    graph::compact(plan);
}

/// Moves the terms of one filter one node down, as far as they can; new filters are added to the work.
fn push(plan: &mut JobPlan, id: NodeId, work: &mut Vec<NodeId>) {
    let Some(node) = plan.nodes.get(id.0).cloned() else { return };
    let (Op::Filter(condition), Some(child_id)) = (node.op.clone(), node.inputs.first().copied()) else {
        return;
    };
    let Some(child) = plan.nodes.get(child_id.0).cloned() else { return };
    let all = terms(condition);
    if all.is_empty() {
        // Nothing is asked: the filter passes everything on.
        bypass(plan, id, child_id);
        return;
    }
    let steady = all.iter().take_while(|t| is_steady(t)).count();
    let mut moving = all;
    let mut staying = moving.split_off(steady);
    match &child.op {
        Op::Filter(inner) => {
            let mut joined = terms(inner.clone());
            joined.append(&mut moving);
            joined.append(&mut staying);
            replace(plan, id, Op::Filter(Expr::and(joined)), child.inputs);
            work.push(id);
        }
        Op::Project(items) => {
            let movable = moving
                .iter()
                .take_while(|t| {
                    t.columns().iter().all(|c| items.get(*c).is_some_and(|i| is_steady(&i.expr)))
                        && size(t).saturating_mul(
                            t.columns()
                                .iter()
                                .filter_map(|c| items.get(*c))
                                .map(|i| size(&i.expr))
                                .max()
                                .unwrap_or(1),
                        ) < MAX_SIZE
                })
                .count();
            let rest = moving.split_off(movable);
            if moving.is_empty() {
                return;
            }
            for t in &mut moving {
                replace_columns(t, &|c| items.get(c).map(|i| i.expr.clone()));
            }
            let Some(below) = child.inputs.first().copied() else { return };
            let filter = filter_on(plan, &node, moving, below);
            work.push(filter);
            let op = child.op.clone();
            above(plan, id, &node, op, vec![filter], rest, staying, work);
        }
        Op::Union => {
            if moving.is_empty() {
                return;
            }
            let inputs: Vec<NodeId> = child
                .inputs
                .iter()
                .map(|i| {
                    let filter = filter_on(plan, &node, moving.clone(), *i);
                    work.push(filter);
                    filter
                })
                .collect();
            above(plan, id, &node, Op::Union, inputs, Vec::new(), staying, work);
        }
        Op::Unnest(_) | Op::TableFunction(_) | Op::Window(_) | Op::Sort(_) => {
            let Some(below) = child.inputs.first().copied() else { return };
            let width = plan.nodes.get(below.0).map_or(0, |n| n.schema.len());
            let movable = moving.iter().take_while(|t| t.columns().iter().all(|c| *c < width)).count();
            let rest = moving.split_off(movable);
            if moving.is_empty() {
                return;
            }
            let filter = filter_on(plan, &node, moving, below);
            work.push(filter);
            above(plan, id, &node, child.op.clone(), vec![filter], rest, staying, work);
        }
        Op::Aggregate(a) => {
            // A condition on keys holds for a whole group or for none of it.
            let whole = a.grouping_sets.len() == 1 && !a.keys.is_empty() && a.group_window.is_none();
            if !whole || shared(plan, child_id) {
                return;
            }
            let movable = moving
                .iter()
                .take_while(|t| {
                    !is_fallible(t)
                        && t.columns().iter().all(|c| a.keys.get(*c).is_some_and(is_steady))
                        && !t.columns().is_empty()
                })
                .count();
            let rest = moving.split_off(movable);
            if moving.is_empty() {
                return;
            }
            for t in &mut moving {
                replace_columns(t, &|c| a.keys.get(c).cloned());
            }
            let Some(below) = child.inputs.first().copied() else { return };
            let filter = filter_on(plan, &node, moving, below);
            work.push(filter);
            above(plan, id, &node, child.op.clone(), vec![filter], rest, staying, work);
        }
        Op::Join(_) => push_into_join(plan, id, child_id, moving, staying, work),
        Op::Scan(scan) => {
            if child.changes == ChangelogMode::Upsert {
                let keys = child.upsert_keys.first().cloned().unwrap_or_default();
                let movable =
                    moving.iter().take_while(|t| t.columns().iter().all(|c| keys.contains(c))).count();
                let mut rest = moving.split_off(movable);
                rest.append(&mut staying);
                staying = rest;
            }
            let movable = moving
                .iter()
                .take_while(|t| {
                    t.columns().iter().all(|c| scan.output.get(*c).is_some_and(|o| is_steady(&o.expr)))
                })
                .count();
            let rest = moving.split_off(movable);
            if moving.is_empty() {
                return;
            }
            let mut scan = scan.clone();
            for t in &mut moving {
                replace_columns(t, &|c| scan.output.get(c).map(|o| o.expr.clone()));
            }
            let mut pushed = scan.filter.take().map(terms).unwrap_or_default();
            pushed.append(&mut moving);
            scan.filter = Some(Expr::and(pushed));
            let filtered = graph::add(plan, &child, Op::Scan(scan), Vec::new(), &child.schema);
            if let Some(n) = plan.nodes.get_mut(filtered.0) {
                n.upsert_keys.clone_from(&child.upsert_keys);
            }
            finish(plan, id, filtered, rest, staying);
        }
        _ => {}
    }
}

/// Terms of a filter above a join: to the side that they read, or into its condition.
fn push_into_join(
    plan: &mut JobPlan,
    id: NodeId,
    join_id: NodeId,
    moving: Vec<Expr>,
    staying: Vec<Expr>,
    work: &mut Vec<NodeId>,
) {
    if shared(plan, join_id) {
        return;
    }
    let Some(node) = plan.nodes.get(id.0).cloned() else { return };
    let Some(join) = plan.nodes.get(join_id.0).cloned() else { return };
    let Op::Join(mut op) = join.op.clone() else { return };
    let (Some(left), Some(right)) = (join.inputs.first().copied(), join.inputs.get(1).copied()) else {
        return;
    };
    let width = plan.nodes.get(left.0).map_or(0, |n| n.schema.len());
    let to_left = !matches!(op.kind, JoinKind::Right | JoinKind::Full);
    let to_right = matches!(op.kind, JoinKind::Inner | JoinKind::Right);
    let into = op.kind == JoinKind::Inner;
    let (mut lefts, mut rights, mut both, mut rest) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for term in moving {
        let columns = term.columns();
        let (on_left, on_right) = (columns.iter().any(|c| *c < width), columns.iter().any(|c| *c >= width));
        if is_fallible(&term) {
            rest.push(term);
        } else if on_left && !on_right && to_left {
            lefts.push(term);
        } else if on_right && !on_left && to_right {
            rights.push(term);
        } else if on_left && on_right && into {
            both.push(term);
        } else {
            rest.push(term);
        }
    }
    if lefts.is_empty() && rights.is_empty() && both.is_empty() {
        return;
    }
    let left = if lefts.is_empty() {
        left
    } else {
        let f = filter_on(plan, &node, lefts, left);
        work.push(f);
        f
    };
    let right = if rights.is_empty() {
        right
    } else {
        for t in &mut rights {
            t.map_columns(&|c| c - width);
        }
        let f = filter_on(plan, &node, rights, right);
        work.push(f);
        f
    };
    let mut condition = op.condition.take().map(terms).unwrap_or_default();
    condition.append(&mut both);
    op.condition = (!condition.is_empty()).then(|| Expr::and(condition));
    let joined = graph::add(plan, &join, Op::Join(op), vec![left, right], &join.schema);
    finish(plan, id, joined, rest, staying);
}

/// Whether more than one node reads a node.
fn shared(plan: &JobPlan, id: NodeId) -> bool {
    plan.nodes.iter().flat_map(|n| &n.inputs).filter(|i| **i == id).count() > 1
}

fn filter_on(plan: &mut JobPlan, like: &crate::Node, terms: Vec<Expr>, input: NodeId) -> NodeId {
    let schema = plan.nodes.get(input.0).map(|n| n.schema.clone()).unwrap_or_default();
    let mut node = like.clone();
    node.changes = ChangelogMode::Append;
    graph::add(plan, &node, Op::Filter(Expr::and(terms)), vec![input], &schema)
}

/// The moved node above the new filter, in the place of the old filter, with what could not move above it.
#[allow(clippy::too_many_arguments)]
fn above(
    plan: &mut JobPlan,
    id: NodeId,
    node: &crate::Node,
    op: Op,
    inputs: Vec<NodeId>,
    rest: Vec<Expr>,
    staying: Vec<Expr>,
    _work: &mut Vec<NodeId>,
) {
    let child = node.inputs.first().and_then(|c| plan.nodes.get(c.0)).cloned();
    let Some(child) = child else { return };
    let moved = graph::add(plan, &child, op, inputs, &child.schema);
    finish(plan, id, moved, rest, staying);
}

/// The old filter keeps what could not move, or goes.
fn finish(plan: &mut JobPlan, id: NodeId, below: NodeId, mut rest: Vec<Expr>, mut staying: Vec<Expr>) {
    rest.append(&mut staying);
    if rest.is_empty() {
        bypass(plan, id, below);
    } else {
        replace(plan, id, Op::Filter(Expr::and(rest)), vec![below]);
    }
}

fn replace(plan: &mut JobPlan, id: NodeId, op: Op, inputs: Vec<NodeId>) {
    if let Some(n) = plan.nodes.get_mut(id.0) {
        n.op = op;
        n.inputs = inputs;
    }
}

/// Users of a node read another one instead.
pub(super) fn bypass(plan: &mut JobPlan, id: NodeId, instead: NodeId) {
    for node in &mut plan.nodes {
        for input in &mut node.inputs {
            if *input == id {
                *input = instead;
            }
        }
    }
}
