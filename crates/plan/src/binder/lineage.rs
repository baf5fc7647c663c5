//! Where a column of a node comes from: window columns and time attributes keep their meaning only along certain operators.

use millstream_expr::ExprKind;
use millstream_types::TimeAttribute;

use crate::{JobPlan, JoinKind, NodeId, Op};

/// A column that a window function adds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WindowColumn {
    /// window_start.
    Start,
    /// window_end.
    End,
    /// window_time.
    Time,
}

/// One step towards the origin: the input node and its column that a column is, unchanged.
fn step(plan: &JobPlan, node: NodeId, column: usize) -> Option<(NodeId, usize)> {
    let n = plan.nodes.get(node.0)?;
    let input = *n.inputs.first()?;
    let width = plan.nodes.get(input.0)?.schema.len();
    let through = |e: &millstream_expr::Expr| match e.kind {
        ExprKind::Column(i) => Some((input, i)),
        _ => None,
    };
    match &n.op {
        Op::Filter(_) | Op::Sort(_) | Op::Limit { .. } | Op::Sink(_) => Some((input, column)),
        Op::Project(items) => items.get(column).and_then(|i| through(&i.expr)),
        Op::Unnest(_) | Op::TableFunction(_) | Op::Window(_) | Op::Over(_) | Op::TopN(_) => {
            (column < width).then_some((input, column))
        }
        Op::Aggregate(a) => a.keys.get(column).and_then(through),
        Op::Join(_) => {
            if column < width {
                Some((input, column))
            } else {
                n.inputs.get(1).map(|right| (*right, column - width))
            }
        }
        _ => None,
    }
}

/// The window function that a column comes from.
pub(crate) fn window_origin(plan: &JobPlan, node: NodeId, column: usize) -> Option<(NodeId, WindowColumn)> {
    let (mut node, mut column) = (node, column);
    loop {
        let n = plan.nodes.get(node.0)?;
        if let Op::Window(_) = n.op {
            match n.schema.len().checked_sub(column)? {
                3 => return Some((node, WindowColumn::Start)),
                2 => return Some((node, WindowColumn::End)),
                1 => return Some((node, WindowColumn::Time)),
                _ => {}
            }
        }
        (node, column) = step(plan, node, column)?;
    }
}

/// Whether a column still is a time attribute: its type says so, and no operator on its way has broken the order of the watermark
/// (Flink materializes time attributes at regular joins).
pub(crate) fn is_time_attribute(plan: &JobPlan, node: NodeId, column: usize) -> bool {
    let attribute = |node: NodeId, column: usize| {
        plan.nodes
            .get(node.0)
            .and_then(|n| n.schema.field(column))
            .is_some_and(|f| f.data_type.kind.time_attribute() != TimeAttribute::None)
    };
    if !attribute(node, column) {
        return false;
    }
    let (mut node, mut column) = (node, column);
    loop {
        let Some(n) = plan.nodes.get(node.0) else { return true };
        match &n.op {
            Op::Join(j) => {
                let regular =
                    matches!(j.kind, JoinKind::Inner | JoinKind::Left | JoinKind::Right | JoinKind::Full)
                        && j.interval.is_none()
                        && !j.window
                        && !mentions_times(plan, node);
                if regular {
                    return false;
                }
            }
            Op::Aggregate(a) if a.window_keys.is_none() && a.group_window.is_none() => return false,
            _ => {}
        }
        match step(plan, node, column) {
            Some((next, c)) => (node, column) = (next, c),
            None => return true,
        }
    }
}

/// Whether a join's condition, perhaps completed by a filter above it, may turn out to bound the times of both sides, or to pair
/// windows: what it is, is decided when all conditions are at their place.
fn mentions_times(plan: &JobPlan, join: NodeId) -> bool {
    let Some(n) = plan.nodes.get(join.0) else { return false };
    let Op::Join(j) = &n.op else { return false };
    let timed = |e: &millstream_expr::Expr| {
        e.columns().iter().any(|c| {
            n.schema.field(*c).is_some_and(|f| f.data_type.kind.time_attribute() != TimeAttribute::None)
        })
    };
    let mut conditions: Vec<&millstream_expr::Expr> = j.condition.iter().collect();
    for above in &plan.nodes {
        if above.inputs.contains(&join)
            && let Op::Filter(e) = &above.op
        {
            conditions.push(e);
        }
    }
    conditions.iter().any(|e| timed(e))
        || conditions.iter().any(|e| {
            e.columns()
                .iter()
                .any(|c| window_origin(plan, join, *c).is_some_and(|(_, w)| w == WindowColumn::Start))
        })
}
