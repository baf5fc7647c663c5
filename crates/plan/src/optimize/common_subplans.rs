//! Parts of the plan that are the same are computed once.

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use millstream_expr::kernel::hash::QuickHasher;
use millstream_expr::{Expr, Volatility};

use super::graph;
use crate::{AggregateCall, JobPlan, Node, NodeId, Op};

/// Joins equal nodes, from the inputs up.
pub(super) fn share_subplans(plan: &mut JobPlan) {
    if graph::is_chain(plan) {
        return;
    }
    let mut known: BTreeMap<u64, Vec<NodeId>> = BTreeMap::new();
    let mut shared = false;
    let mut instead: Vec<NodeId> = Vec::with_capacity(plan.nodes.len());
    for i in 0..plan.nodes.len() {
        let Some(node) = plan.nodes.get_mut(i) else { continue };
        for input in &mut node.inputs {
            if let Some(n) = instead.get(input.0) {
                *input = *n;
            }
        }
        let id = NodeId(i);
        let Some(node) = plan.nodes.get(i) else { continue };
        let mut same = id;
        if shareable(&node.op) {
            let bucket = known.entry(bucket(node)).or_default();
            let twin =
                bucket.iter().copied().find(|k| plan.nodes.get(k.0).is_some_and(|n| equal(plan, n, node)));
            match twin {
                Some(t) => {
                    same = t;
                    shared = true;
                }
                None => bucket.push(id),
            }
        }
        instead.push(same);
    }
    graph::compact_if(shared, plan);
}

/// Nodes that could be equal have the same number.
fn bucket(node: &Node) -> u64 {
    let mut h = QuickHasher::default();
    std::mem::discriminant(&node.op).hash(&mut h);
    for i in &node.inputs {
        h.write_u64(i.0 as u64);
    }
    for f in &node.schema.fields {
        h.write(f.name.as_bytes());
    }
    // Hundreds of rules on one source differ only in their conditions: without these every one would be compared with every other.
    match &node.op {
        Op::Scan(scan) => {
            scan.filter.hash(&mut h);
            scan.screen.hash(&mut h);
            scan.output.hash(&mut h);
        }
        Op::Filter(predicate) => predicate.hash(&mut h),
        Op::Project(items) => items.hash(&mut h),
        Op::Values(rows) => rows.hash(&mut h),
        _ => {}
    }
    h.finish()
}

/// Whether an operator gives the same rows wherever it stands.
fn shareable(op: &Op) -> bool {
    !matches!(op, Op::Sink(_) | Op::Match(_))
        && op.expressions().iter().all(|e| e.volatility() < Volatility::PerRow)
}

fn equal(plan: &JobPlan, a: &Node, b: &Node) -> bool {
    a.inputs == b.inputs && a.schema == b.schema && same_op(plan, &a.op, &b.op)
}

fn same_op(plan: &JobPlan, a: &Op, b: &Op) -> bool {
    match (a, b) {
        (Op::Scan(x), Op::Scan(y)) => {
            let sources = |s: &crate::ScanOp| {
                plan.scan_groups
                    .get(s.group)
                    .map(|g| s.columns.iter().map(|c| g.columns.get(*c).cloned()).collect::<Vec<_>>())
            };
            x.table == y.table
                && sources(x) == sources(y)
                && x.filter == y.filter
                && x.screen == y.screen
                && x.output == y.output
                && x.watermark == y.watermark
        }
        (Op::Filter(x), Op::Filter(y)) => x == y,
        (Op::Project(x), Op::Project(y)) => x == y,
        (Op::Union, Op::Union) => true,
        (Op::Values(x), Op::Values(y)) => x == y,
        (Op::Unnest(x), Op::Unnest(y)) => {
            x.collection == y.collection && x.ordinality == y.ordinality && x.left == y.left
        }
        (Op::TableFunction(x), Op::TableFunction(y)) => {
            x.function == y.function && x.args == y.args && x.left == y.left
        }
        (Op::Window(x), Op::Window(y)) => x.kind == y.kind && x.time == y.time,
        (Op::Aggregate(x), Op::Aggregate(y)) => {
            let windows = match (&x.group_window, &y.group_window) {
                (None, None) => true,
                (Some(v), Some(w)) => v.kind == w.kind && v.time == w.time,
                _ => false,
            };
            windows
                && x.keys == y.keys
                && x.grouping_sets == y.grouping_sets
                && same_calls(&x.calls, &y.calls)
                && x.window_properties == y.window_properties
                && x.window_keys == y.window_keys
        }
        (Op::Join(x), Op::Join(y)) => {
            x.kind == y.kind
                && x.equal == y.equal
                && x.null_safe == y.null_safe
                && x.condition == y.condition
                && x.interval == y.interval
                && x.window == y.window
                && x.time == y.time
                && x.hints == y.hints
        }
        (Op::Over(x), Op::Over(y)) => {
            x.partition_by == y.partition_by
                && x.order_by == y.order_by
                && (x.rows, x.preceding, x.following) == (y.rows, y.preceding, y.following)
                && same_calls(&x.calls, &y.calls)
        }
        (Op::TopN(x), Op::TopN(y)) => {
            x.partition_by == y.partition_by
                && x.order_by == y.order_by
                && (x.from, x.to, x.with_rank, &x.function) == (y.from, y.to, y.with_rank, &y.function)
        }
        (Op::Sort(x), Op::Sort(y)) => x == y,
        (Op::Limit { offset: a, fetch: b }, Op::Limit { offset: c, fetch: d }) => (a, b) == (c, d),
        (Op::SetOperation { except: a, all: b }, Op::SetOperation { except: c, all: d }) => (a, b) == (c, d),
        _ => false,
    }
}

fn same_calls(a: &[AggregateCall], b: &[AggregateCall]) -> bool {
    let key = |c: &AggregateCall| -> (String, Vec<Expr>, bool, Option<Expr>) {
        (c.function.to_string(), c.args.clone(), c.distinct, c.filter.clone())
    };
    a.len() == b.len()
        && a.iter().zip(b).all(|(x, y)| {
            key(x) == key(y)
                && x.order_by == y.order_by
                && x.keywords == y.keywords
                && x.data_type == y.data_type
        })
}
