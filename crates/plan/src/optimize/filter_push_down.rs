//! Filters go down to the scans: through projections by substitution, into the branches of unions, below UNNEST and windows, into joins.
//!
//! A condition moves as a whole, its terms in their order: what is behind a term that cannot move stays behind it. Volatile terms never
//! move. Joins are the exception that Flink makes, too: equalities are decided first, then the rest; but a term that can fail is never
//! evaluated on rows that the join would have dropped.

use millstream_expr::Expr;

use super::graph::{self, Place};
use super::terms::{is_fallible, is_steady, moves, size, split, term_refs, terms};
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
    if work.is_empty() {
        return;
    }
    while let Some(id) = work.pop() {
        push(plan, id, &mut work);
    }
    graph::compact(plan);
}

/// Moves the terms of one filter one node down, as far as they can; new filters are added to the work.
fn push(plan: &mut JobPlan, id: NodeId, work: &mut Vec<NodeId>) {
    let Some(node) = plan.nodes.get(id.0) else { return };
    let (Op::Filter(condition), Some(child_id)) = (&node.op, node.inputs.first().copied()) else { return };
    let Some(child) = plan.nodes.get(child_id.0) else { return };
    let all = term_refs(condition);
    if all.is_empty() {
        // Nothing is asked: the filter passes everything on.
        bypass(plan, id, child_id);
        return;
    }
    let first_width = || child.inputs.first().and_then(|i| plan.nodes.get(i.0)).map_or(0, |n| n.schema.len());
    let moves = match &child.op {
        Op::Filter(_) => return merge_filters(plan, id, child_id, work),
        Op::Join(_) => return push_into_join(plan, id, child_id, work),
        Op::Project(items) => moves(&all, |t| {
            let columns = t.columns();
            let largest = columns.iter().filter_map(|c| items.get(*c)).map(|i| size(&i.expr)).max();
            columns.iter().all(|c| items.get(*c).is_some_and(|i| is_steady(&i.expr)))
                && size(t).saturating_mul(largest.unwrap_or(1)) < MAX_SIZE
        }),
        Op::Union => moves(&all, |_| true),
        Op::Unnest(_) | Op::TableFunction(_) | Op::Window(_) | Op::Sort(_) => {
            let width = first_width();
            moves(&all, |t| t.columns().iter().all(|c| *c < width))
        }
        Op::Aggregate(a) => {
            // A condition on keys holds for a whole group or for none of it.
            let whole = a.grouping_sets.len() == 1 && !a.keys.is_empty() && a.group_window.is_none();
            if !whole || graph::is_shared(plan, child_id) {
                return;
            }
            moves(&all, |t| {
                let columns = t.columns();
                !is_fallible(t)
                    && !columns.is_empty()
                    && columns.iter().all(|c| a.keys.get(*c).is_some_and(|k| is_steady(k) && !is_fallible(k)))
            })
        }
        Op::Scan(scan) => {
            // Updates by key are completed by the row before them above the scan: what is not about the key must see both.
            let keys = child.upsert_keys.first().map_or(&[][..], Vec::as_slice);
            let by_key = child.changes == ChangelogMode::Upsert;
            moves(&all, |t| {
                t.columns().iter().all(|c| {
                    (!by_key || keys.contains(c)) && scan.output.get(*c).is_some_and(|o| is_steady(&o.expr))
                })
            })
        }
        _ => return,
    };
    if !moves.contains(&true) {
        return;
    }
    let Some(Op::Filter(condition)) = graph::take(plan, id) else { return };
    let (moving, staying) = split(terms(condition), &moves);
    let below = below(plan, id, child_id, moving, work);
    finish(plan, id, below, staying);
}

/// Puts terms below the node that a filter stands on: into a scan, else as a filter on its inputs. Gives the node that stands for it now; a
/// node that others read, too, is left to them.
fn below(
    plan: &mut JobPlan,
    id: NodeId,
    child_id: NodeId,
    moving: Vec<Expr>,
    work: &mut Vec<NodeId>,
) -> NodeId {
    let target = if graph::is_shared(plan, child_id) {
        let Some(child) = plan.nodes.get(child_id.0).cloned() else { return child_id };
        plan.nodes.push(child);
        NodeId(plan.nodes.len() - 1)
    } else {
        child_id
    };
    let Some(mut op) = graph::take(plan, target) else { return child_id };
    let moving = match &op {
        Op::Project(items) => substituted(moving, &|c| items.get(c).map(|i| i.expr.clone())),
        Op::Scan(scan) => substituted(moving, &|c| scan.output.get(c).map(|o| o.expr.clone())),
        Op::Aggregate(a) => substituted(moving, &|c| a.keys.get(c).cloned()),
        _ => moving,
    };
    if let Op::Scan(scan) = &mut op {
        let mut pushed = scan.filter.take().map(terms).unwrap_or_default();
        pushed.extend(moving);
        scan.filter = Some(Expr::and(pushed));
    } else if let Some(like) = plan.nodes.get(id.0).map(Node::place) {
        let inputs = plan.nodes.get(target.0).map(|n| n.inputs.clone()).unwrap_or_default();
        let mut moving = moving;
        let mut filtered = Vec::with_capacity(inputs.len());
        for (k, input) in inputs.iter().enumerate() {
            let last = k + 1 == inputs.len();
            let own = if last { std::mem::take(&mut moving) } else { moving.clone() };
            filtered.push(filter_on(plan, like, own, *input, work));
        }
        if let Some(n) = plan.nodes.get_mut(target.0) {
            n.inputs = filtered;
        }
    }
    graph::put(plan, target, op);
    target
}

/// A filter on a filter asks for both.
fn merge_filters(plan: &mut JobPlan, id: NodeId, child_id: NodeId, work: &mut Vec<NodeId>) {
    let shared = graph::is_shared(plan, child_id);
    let Some(child) = plan.nodes.get_mut(child_id.0) else { return };
    let inputs = child.inputs.clone();
    let inner = if shared { child.op.clone() } else { std::mem::replace(&mut child.op, Op::Union) };
    let (Op::Filter(inner), Some(Op::Filter(outer))) = (inner, graph::take(plan, id)) else { return };
    let mut joined = terms(inner);
    joined.extend(terms(outer));
    replace(plan, id, Op::Filter(Expr::and(joined)), inputs);
    work.push(id);
}

/// Terms over a node's output as terms over its input.
fn substituted(mut moving: Vec<Expr>, with: &impl Fn(usize) -> Option<Expr>) -> Vec<Expr> {
    for t in &mut moving {
        replace_columns(t, with);
    }
    moving
}

/// Terms of a filter above a join: to the side that they read, or into its condition.
fn push_into_join(plan: &mut JobPlan, id: NodeId, join_id: NodeId, work: &mut Vec<NodeId>) {
    if graph::is_shared(plan, join_id) {
        return;
    }
    let Some(node) = plan.nodes.get(id.0).cloned() else { return };
    let Op::Filter(condition) = node.op.clone() else { return };
    let all = terms(condition);
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
        if terms.is_empty() { input } else { filter_on(plan, node.place(), terms, input, work) }
    };
    let (left, right) = (side(lefts, left), side(rights, right));
    let mut condition = op.condition.take().map(terms).unwrap_or_default();
    condition.append(&mut both);
    op.condition = (!condition.is_empty()).then(|| Expr::and(condition));
    let joined = graph::add(plan, join.place(), Op::Join(op), vec![left, right], join.schema.clone());
    finish(plan, id, joined, rest);
}

/// A new filter on a node, to be pushed further.
fn filter_on(
    plan: &mut JobPlan,
    like: Place,
    terms: Vec<Expr>,
    input: NodeId,
    work: &mut Vec<NodeId>,
) -> NodeId {
    let schema = plan.nodes.get(input.0).map(|n| n.schema.clone()).unwrap_or_default();
    let filter = graph::add(plan, like, Op::Filter(Expr::and(terms)), vec![input], schema);
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
