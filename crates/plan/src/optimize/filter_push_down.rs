//! Filters go down to the scans: through projections by substitution, into the branches of unions, below UNNEST and windows, into joins.
//!
//! A condition moves as a whole, its terms in their order: what is behind a term that cannot move stays behind it. Volatile terms never
//! move. Joins are the exception that Flink makes, too: equalities are decided first, then the rest; but a term that can fail is never
//! evaluated on rows that the join would have dropped.

use millstream_expr::Expr;

use super::graph;
use super::terms::{is_fallible, is_steady, size, split, terms};
use crate::binder::replace_columns;
use crate::{JobPlan, JoinKind, Node, NodeId, Op};
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
    match &child.op {
        Op::Filter(inner) => {
            let mut joined = terms(inner.clone());
            joined.extend(all);
            replace(plan, id, Op::Filter(Expr::and(joined)), child.inputs);
            work.push(id);
        }
        Op::Project(items) => {
            let fits = |t: &Expr| {
                let columns = t.columns();
                let largest = columns.iter().filter_map(|c| items.get(*c)).map(|i| size(&i.expr)).max();
                columns.iter().all(|c| items.get(*c).is_some_and(|i| is_steady(&i.expr)))
                    && size(t).saturating_mul(largest.unwrap_or(1)) < MAX_SIZE
            };
            let (moving, staying) = split(all, fits);
            let moved = substituted(moving, &|c| items.get(c).map(|i| i.expr.clone()));
            below(plan, id, &child, moved, staying, work);
        }
        Op::Union => {
            let (moving, staying) = split(all, |_| true);
            if moving.is_empty() {
                return;
            }
            let inputs: Vec<NodeId> =
                child.inputs.iter().map(|i| filter_on(plan, &node, moving.clone(), *i, work)).collect();
            let union = graph::add(plan, &child, Op::Union, inputs, &child.schema);
            finish(plan, id, union, staying);
        }
        Op::Unnest(_) | Op::TableFunction(_) | Op::Window(_) | Op::Sort(_) => {
            let width = child.inputs.first().and_then(|i| plan.nodes.get(i.0)).map_or(0, |n| n.schema.len());
            let (moving, staying) = split(all, |t| t.columns().iter().all(|c| *c < width));
            below(plan, id, &child, moving, staying, work);
        }
        Op::Aggregate(a) => {
            // A condition on keys holds for a whole group or for none of it.
            let whole = a.grouping_sets.len() == 1 && !a.keys.is_empty() && a.group_window.is_none();
            if !whole || shared(plan, child_id) {
                return;
            }
            let on_keys = |t: &Expr| {
                let columns = t.columns();
                !is_fallible(t)
                    && !columns.is_empty()
                    && columns.iter().all(|c| a.keys.get(*c).is_some_and(|k| is_steady(k) && !is_fallible(k)))
            };
            let (moving, staying) = split(all, on_keys);
            let moved = substituted(moving, &|c| a.keys.get(c).cloned());
            below(plan, id, &child, moved, staying, work);
        }
        Op::Join(_) => push_into_join(plan, id, child_id, all, work),
        Op::Scan(scan) => {
            // Updates by key are completed by the row before them above the scan: what is not about the key must see both.
            let keys = child.upsert_keys.first().cloned().unwrap_or_default();
            let by_key = child.changes == ChangelogMode::Upsert;
            let fits = |t: &Expr| {
                t.columns().iter().all(|c| {
                    (!by_key || keys.contains(c)) && scan.output.get(*c).is_some_and(|o| is_steady(&o.expr))
                })
            };
            let (moving, staying) = split(all, fits);
            if moving.is_empty() {
                return;
            }
            let mut scan = scan.clone();
            let mut pushed = scan.filter.take().map(terms).unwrap_or_default();
            pushed.extend(substituted(moving, &|c| scan.output.get(c).map(|o| o.expr.clone())));
            scan.filter = Some(Expr::and(pushed));
            let filtered = graph::add(plan, &child, Op::Scan(scan), Vec::new(), &child.schema);
            if let Some(n) = plan.nodes.get_mut(filtered.0) {
                n.upsert_keys.clone_from(&child.upsert_keys);
            }
            finish(plan, id, filtered, staying);
        }
        _ => {}
    }
}

/// Terms over a node's output as terms over its input.
fn substituted(mut moving: Vec<Expr>, with: &impl Fn(usize) -> Option<Expr>) -> Vec<Expr> {
    for t in &mut moving {
        replace_columns(t, with);
    }
    moving
}

/// Puts the moving terms below a copy of the child, which takes the filter's place.
fn below(
    plan: &mut JobPlan,
    id: NodeId,
    child: &Node,
    moving: Vec<Expr>,
    staying: Vec<Expr>,
    work: &mut Vec<NodeId>,
) {
    let (Some(input), Some(node)) = (child.inputs.first().copied(), plan.nodes.get(id.0).cloned()) else {
        return;
    };
    if moving.is_empty() {
        return;
    }
    let filter = filter_on(plan, &node, moving, input, work);
    let moved = graph::add(plan, child, child.op.clone(), vec![filter], &child.schema);
    finish(plan, id, moved, staying);
}

/// Terms of a filter above a join: to the side that they read, or into its condition.
fn push_into_join(plan: &mut JobPlan, id: NodeId, join_id: NodeId, all: Vec<Expr>, work: &mut Vec<NodeId>) {
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
    let (mut lefts, mut rights, mut both, mut rest) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for term in all {
        let columns = term.columns();
        let (on_left, on_right) = (columns.iter().any(|c| *c < width), columns.iter().any(|c| *c >= width));
        if is_fallible(&term) || !is_steady(&term) {
            rest.push(term);
        } else if on_left && !on_right && to_left {
            lefts.push(term);
        } else if on_right && !on_left && to_right {
            rights.push(term);
        } else if on_left && on_right && op.kind == JoinKind::Inner {
            both.push(term);
        } else {
            rest.push(term);
        }
    }
    if lefts.is_empty() && rights.is_empty() && both.is_empty() {
        return;
    }
    for t in &mut rights {
        t.map_columns(&|c| c - width);
    }
    let mut side = |terms: Vec<Expr>, input: NodeId| {
        if terms.is_empty() { input } else { filter_on(plan, &node, terms, input, work) }
    };
    let (left, right) = (side(lefts, left), side(rights, right));
    let mut condition = op.condition.take().map(terms).unwrap_or_default();
    condition.append(&mut both);
    op.condition = (!condition.is_empty()).then(|| Expr::and(condition));
    let joined = graph::add(plan, &join, Op::Join(op), vec![left, right], &join.schema);
    finish(plan, id, joined, rest);
}

/// Whether more than one node reads a node.
fn shared(plan: &JobPlan, id: NodeId) -> bool {
    plan.nodes.iter().flat_map(|n| &n.inputs).filter(|i| **i == id).count() > 1
}

/// A new filter on a node, to be pushed further.
fn filter_on(
    plan: &mut JobPlan,
    like: &Node,
    terms: Vec<Expr>,
    input: NodeId,
    work: &mut Vec<NodeId>,
) -> NodeId {
    let schema = plan.nodes.get(input.0).map(|n| n.schema.clone()).unwrap_or_default();
    let filter = graph::add(plan, like, Op::Filter(Expr::and(terms)), vec![input], &schema);
    work.push(filter);
    filter
}

/// The old filter keeps what could not move, or goes.
fn finish(plan: &mut JobPlan, id: NodeId, below: NodeId, staying: Vec<Expr>) {
    if staying.is_empty() {
        bypass(plan, id, below);
    } else {
        replace(plan, id, Op::Filter(Expr::and(staying)), vec![below]);
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
