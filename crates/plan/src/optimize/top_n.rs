//! `ROW_NUMBER() OVER (…)` with a bound on the number above it is a Top-N.

use std::sync::Arc;

use millstream_expr::{Expr, ExprKind};
use millstream_types::{Fault, Value};

use super::graph;
use super::terms::terms;
use crate::{JobPlan, NodeId, Op, TopNOp};

/// Finds the patterns.
///
/// # Errors
/// User, for a function that a streaming Top-N does not have.
pub(super) fn find_top_n(plan: &mut JobPlan) -> Result<(), Fault> {
    let mut changed = false;
    for i in 0..plan.nodes.len() {
        let Some(node) = plan.nodes.get(i) else { continue };
        let (Op::Filter(condition), Some(child_id)) = (&node.op, node.inputs.first().copied()) else {
            continue;
        };
        let Some(child) = plan.nodes.get(child_id.0) else { continue };
        let Op::Over(over) = &child.op else { continue };
        let [call] = over.calls.as_slice() else { continue };
        if !matches!(&*call.function, "ROW_NUMBER" | "RANK" | "DENSE_RANK") {
            continue;
        }
        let rank = child.schema.len().saturating_sub(1);
        let (mut from, mut to): (u64, Option<u64>) = (1, None);
        let mut rest = Vec::new();
        for term in terms(condition.clone()) {
            match bounds(&term, rank) {
                Some((lower, upper)) => {
                    from = from.max(lower.unwrap_or(1));
                    to = upper.map_or(to, |u| Some(to.map_or(u, |t| t.min(u))));
                }
                None => rest.push(term),
            }
        }
        let Some(to) = to else { continue };
        if !plan.settings.batch && &*call.function != "ROW_NUMBER" {
            let fault = Fault::user(
                "top-n-function",
                format!("{}() on streaming table is not supported", call.function),
            )
            .hint("use ROW_NUMBER()");
            return Err(match call.span {
                Some(s) => fault.at(s),
                None => fault,
            });
        }
        let op = TopNOp {
            partition_by: over.partition_by.clone(),
            order_by: over.order_by.clone(),
            from,
            to,
            with_rank: true,
            function: Arc::clone(&call.function),
        };
        let (place, inputs, schema) = (child.place(), child.inputs.clone(), child.schema.clone());
        let top = graph::add(plan, place, Op::TopN(op), inputs, schema);
        changed = true;
        if rest.is_empty() {
            super::filter_push_down::bypass(plan, NodeId(i), top);
        } else if let Some(n) = plan.nodes.get_mut(i) {
            n.op = Op::Filter(Expr::and(rest));
            n.inputs = vec![top];
        }
    }
    graph::compact_if(changed, plan);
    Ok(())
}

/// The bounds that a term sets on the rank.
fn bounds(term: &Expr, rank: usize) -> Option<(Option<u64>, Option<u64>)> {
    let ExprKind::Call(call) = &term.kind else { return None };
    let [a, b] = call.args.as_slice() else { return None };
    let (number, flipped) = match (rank_column(a, rank), literal(b), rank_column(b, rank), literal(a)) {
        (true, Some(n), ..) => (n, false),
        (_, _, true, Some(n)) => (n, true),
        _ => return None,
    };
    let at_least = |n: i64| (Some(n.max(1) as u64), None);
    let at_most = |n: i64| (None, Some(n.max(0) as u64));
    Some(match (&*call.name, flipped) {
        ("=", _) => (Some(number.max(1) as u64), Some(number.max(0) as u64)),
        ("<=", false) | (">=", true) => at_most(number),
        ("<", false) | (">", true) => at_most(number.saturating_sub(1)),
        (">=", false) | ("<=", true) => at_least(number),
        (">", false) | ("<", true) => at_least(number.saturating_add(1)),
        _ => return None,
    })
}

fn rank_column(expr: &Expr, rank: usize) -> bool {
    match &expr.kind {
        ExprKind::Column(c) => *c == rank,
        ExprKind::Cast { input, .. } => rank_column(input, rank),
        _ => false,
    }
}

fn literal(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Literal(Value::Int(n)) if expr.data_type.kind.is_integer() => Some(*n),
        ExprKind::Cast { input, .. } => literal(input),
        _ => None,
    }
}
