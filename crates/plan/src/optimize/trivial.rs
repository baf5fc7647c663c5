//! Filters that keep everything, projections that change nothing, and projections of projections.

use millstream_expr::{Expr, ExprKind, Volatility};
use millstream_types::Value;

use super::filter_push_down::bypass;
use super::graph;
use super::terms::size;
use crate::binder::replace_columns;
use crate::{JobPlan, Node, NodeId, Op, ProjectItem};

/// A merged expression may not become larger than this.
const MAX_SIZE: usize = 10_000;

/// Removes filters on the constant TRUE.
pub(super) fn remove_true_filters(plan: &mut JobPlan) {
    let mut changed = false;
    for i in 0..plan.nodes.len() {
        let Some(node) = plan.nodes.get(i) else { continue };
        let always =
            matches!(&node.op, Op::Filter(e) if matches!(e.as_literal(), Some(Value::Boolean(true))));
        if let (true, Some(input)) = (always, node.inputs.first().copied()) {
            bypass(plan, NodeId(i), input);
            changed = true;
        }
    }
    graph::compact_if(changed, plan);
}

/// Merges projections of projections, from the inputs up.
pub(super) fn merge_projections(plan: &mut JobPlan) {
    let mut changed = false;
    for i in 0..plan.nodes.len() {
        while let Some(inputs) = merge_with_input(plan, i) {
            if let Some(n) = plan.nodes.get_mut(i) {
                n.inputs = inputs;
            }
            changed = true;
        }
    }
    graph::compact_if(changed, plan);
}

/// Makes a projection of a projection one over the lower one's input, and gives that; `None`: it is none, or has to stay one.
fn merge_with_input(plan: &mut JobPlan, index: usize) -> Option<Vec<NodeId>> {
    let below = plan.nodes.get(index)?.inputs.first()?.0;
    // Inputs stand before their users.
    let (lower, upper) = plan.nodes.split_at_mut_checked(index)?;
    match (&mut upper.first_mut()?.op, lower.get(below)?) {
        (Op::Project(items), Node { op: Op::Project(lower), inputs, .. }) if fits(items, lower) => {
            merge(items, lower);
            Some(inputs.clone())
        }
        _ => None,
    }
}

/// Whether two projections can become one: no value is computed more often than before, and none becomes too large.
fn fits(upper: &[ProjectItem], lower: &[ProjectItem]) -> bool {
    let mut uses = vec![0usize; lower.len()];
    let mut parts = 0;
    for item in upper {
        item.expr.walk(&mut |e| match e.kind {
            ExprKind::Column(c) if c < lower.len() => {
                if let Some(u) = uses.get_mut(c) {
                    *u += 1;
                }
            }
            _ => parts += 1,
        });
    }
    let cheap = |e: &Expr| matches!(e.kind, ExprKind::Column(_) | ExprKind::Literal(_));
    let once = uses
        .iter()
        .zip(lower)
        .all(|(n, item)| cheap(&item.expr) || *n <= 1 && item.expr.volatility() < Volatility::PerRow);
    let added = uses.iter().zip(lower).filter(|(n, _)| **n > 0).map(|(n, l)| n * size(&l.expr));
    once && parts + added.sum::<usize>() <= MAX_SIZE
}

/// The upper projection over the lower one's input.
fn merge(upper: &mut [ProjectItem], lower: &[ProjectItem]) {
    for item in upper {
        let data_type = item.expr.data_type.clone();
        replace_columns(&mut item.expr, &|c| lower.get(c).map(|l| l.expr.clone()));
        item.expr.data_type = data_type;
    }
}

/// Removes projections that give exactly their input.
pub(super) fn remove_identities(plan: &mut JobPlan) {
    let mut changed = false;
    for i in 0..plan.nodes.len() {
        let Some(node) = plan.nodes.get(i) else { continue };
        let (Op::Project(items), Some(child)) = (&node.op, node.inputs.first().copied()) else { continue };
        let Some(input) = plan.nodes.get(child.0) else { continue };
        let same = items.len() == input.schema.len()
            && items.iter().zip(&input.schema.fields).enumerate().all(|(c, (item, field))| {
                matches!(item.expr.kind, ExprKind::Column(k) if k == c) && item.name == field.name
            });
        if same {
            bypass(plan, NodeId(i), child);
            changed = true;
        }
    }
    graph::compact_if(changed, plan);
}
