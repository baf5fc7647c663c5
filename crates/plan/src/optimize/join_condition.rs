//! What a join's condition is: equalities, bounds of time, windows, and the rest.

use millstream_expr::{Expr, ExprKind};
use millstream_types::{TimeAttribute, TypeKind, Value};

use super::graph;
use super::terms::terms;
use crate::binder::{WindowColumn, is_time_attribute, window_origin};
use crate::{JobPlan, JoinKind, JoinOp, NodeId, Op};

/// Takes every join's condition apart.
pub(super) fn classify_joins(plan: &mut JobPlan) {
    for i in 0..plan.nodes.len() {
        let Some(node) = plan.nodes.get(i) else { continue };
        let (Op::Join(_), Some(left), Some(right)) =
            (&node.op, node.inputs.first().copied(), node.inputs.get(1).copied())
        else {
            continue;
        };
        let Some(Op::Join(join)) = graph::take(plan, NodeId(i)) else { continue };
        let classified = classify(plan, join, left, right);
        graph::put(plan, NodeId(i), Op::Join(classified));
    }
}

fn classify(plan: &JobPlan, mut join: JoinOp, left: NodeId, right: NodeId) -> JoinOp {
    let width = plan.nodes.get(left.0).map_or(0, |n| n.schema.len());
    let mut rest = Vec::new();
    for term in join.condition.take().map(terms).unwrap_or_default() {
        match equality(&term, width) {
            Some((l, r, null_safe)) => {
                if null_safe {
                    join.null_safe.push(join.equal.len());
                }
                join.equal.push((l, r));
            }
            None => rest.push(term),
        }
    }
    join.window = is_window_join(plan, &join, left, right);
    let regular = matches!(join.kind, JoinKind::Inner | JoinKind::Left | JoinKind::Right | JoinKind::Full);
    if regular && !join.window && !plan.settings.batch {
        join.interval = take_interval(plan, &mut rest, left, right, width);
    }
    if matches!(join.kind, JoinKind::TemporalInner | JoinKind::TemporalLeft) {
        join.right_time = plan.nodes.get(right.0).and_then(|n| {
            (0..n.schema.len()).find(|c| {
                n.schema
                    .field(*c)
                    .is_some_and(|f| f.data_type.kind.time_attribute() == TimeAttribute::Rowtime)
                    && is_time_attribute(plan, right, *c)
            })
        });
    }
    join.condition = (!rest.is_empty()).then(|| Expr::and(rest));
    join
}

/// `left expression = right expression`; the right one over the right input.
fn equality(term: &Expr, width: usize) -> Option<(Expr, Expr, bool)> {
    let ExprKind::Call(call) = &term.kind else { return None };
    let null_safe = match &*call.name {
        "=" => false,
        "IS NOT DISTINCT FROM" => true,
        _ => return None,
    };
    let [a, b] = call.args.as_slice() else { return None };
    let on_left = |e: &Expr| !e.columns().is_empty() && e.columns().iter().all(|c| *c < width);
    let on_right = |e: &Expr| !e.columns().is_empty() && e.columns().iter().all(|c| *c >= width);
    let (l, r) = if on_left(a) && on_right(b) {
        (a, b)
    } else if on_left(b) && on_right(a) {
        (b, a)
    } else {
        return None;
    };
    let mut r = r.clone();
    r.map_columns(&|c| c - width);
    Some((l.clone(), r, null_safe))
}

/// Both sides come from windows, and start and end are equal.
fn is_window_join(plan: &JobPlan, join: &JoinOp, left: NodeId, right: NodeId) -> bool {
    let column = |e: &Expr| match e.kind {
        ExprKind::Column(c) => Some(c),
        _ => None,
    };
    let paired = |wanted: WindowColumn| {
        join.equal.iter().any(|(l, r)| {
            let of = |node, e: &Expr| column(e).and_then(|c| window_origin(plan, node, c)).map(|(_, w)| w);
            of(left, l) == Some(wanted) && of(right, r) == Some(wanted)
        })
    };
    paired(WindowColumn::Start) && paired(WindowColumn::End)
}

/// A time attribute with an offset in milliseconds: `ts - INTERVAL '5' MINUTE`.
fn time_with_offset(expr: &Expr) -> Option<(usize, i64)> {
    match &expr.kind {
        ExprKind::Column(c) if expr.data_type.kind.time_attribute() != TimeAttribute::None => Some((*c, 0)),
        ExprKind::Call(call) => {
            let sign = match &*call.name {
                "+" => 1,
                "-" => -1,
                _ => return None,
            };
            let [a, b] = call.args.as_slice() else { return None };
            let interval = |e: &Expr| match (&e.data_type.kind, e.as_literal()) {
                (TypeKind::IntervalDayTime(..), Some(Value::Int(ms))) => Some(*ms),
                _ => None,
            };
            if let (Some((c, o)), Some(ms)) = (time_with_offset(a), interval(b)) {
                return Some((c, o + sign * ms));
            }
            match (interval(a), time_with_offset(b)) {
                (Some(ms), Some((c, o))) if sign == 1 => Some((c, o + ms)),
                _ => None,
            }
        }
        ExprKind::Cast { input, .. } => time_with_offset(input),
        _ => None,
    }
}

/// Bounds of the left time less the right time, taken out of the terms; both must be there.
fn take_interval(
    plan: &JobPlan,
    rest: &mut Vec<Expr>,
    left: NodeId,
    right: NodeId,
    width: usize,
) -> Option<(i64, i64, usize, usize)> {
    let (mut low, mut high): (Option<i64>, Option<i64>) = (None, None);
    let mut times: Option<(usize, usize)> = None;
    let mut used = Vec::new();
    for (i, term) in rest.iter().enumerate() {
        let ExprKind::Call(call) = &term.kind else { continue };
        let [a, b] = call.args.as_slice() else { continue };
        let (Some((ca, oa)), Some((cb, ob))) = (time_with_offset(a), time_with_offset(b)) else { continue };
        // `left + ol OP right + or` is `left - right OP or - ol`.
        let (l, r, bound, flipped) = if ca < width && cb >= width {
            (ca, cb - width, ob - oa, false)
        } else if cb < width && ca >= width {
            (cb, ca - width, oa - ob, true)
        } else {
            continue;
        };
        if !is_time_attribute(plan, left, l) || !is_time_attribute(plan, right, r) {
            continue;
        }
        if times.is_some_and(|t| t != (l, r)) {
            continue;
        }
        let (lower, upper) = match (&*call.name, flipped) {
            ("=", _) => (Some(bound), Some(bound)),
            ("<=", false) | (">=", true) => (None, Some(bound)),
            ("<", false) | (">", true) => (None, Some(bound - 1)),
            (">=", false) | ("<=", true) => (Some(bound), None),
            (">", false) | ("<", true) => (Some(bound + 1), None),
            _ => continue,
        };
        times = Some((l, r));
        low = lower.map_or(low, |v| Some(low.map_or(v, |x: i64| x.max(v))));
        high = upper.map_or(high, |v| Some(high.map_or(v, |x: i64| x.min(v))));
        used.push(i);
    }
    let (low, high, (l, r)) = (low?, high?, times?);
    let mut index = 0;
    rest.retain(|_| {
        index += 1;
        !used.contains(&(index - 1))
    });
    Some((low, high, l, r))
}
