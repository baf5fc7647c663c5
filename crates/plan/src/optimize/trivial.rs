//! Filters that keep everything, projections that change nothing, and projections of projections.

use millstream_expr::{Expr, ExprKind, Volatility};
use millstream_types::Value;

use super::filter_push_down::bypass;
use super::graph;
use super::terms::size;
use crate::binder::replace_columns;
use crate::{JobPlan, NodeId, Op, ProjectItem};

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
        while let Some((merged, inputs)) = merged_with_input(plan, i) {
            if let Some(n) = plan.nodes.get_mut(i) {
                n.op = Op::Project(merged);
                n.inputs = inputs;
            }
            changed = true;
        }
    }
    graph::compact_if(changed, plan);
}

/// A projection of a projection as one over the lower one's input.
fn merged_with_input(plan: &JobPlan, index: usize) -> Option<(Vec<ProjectItem>, Vec<NodeId>)> {
    let node = plan.nodes.get(index)?;
    let child = plan.nodes.get(node.inputs.first()?.0)?;
    match (&node.op, &child.op) {
        (Op::Project(upper), Op::Project(lower)) => Some((merge(upper, lower)?, child.inputs.clone())),
        _ => None,
    }
}

/// The upper projection over the lower one's input, where no value would be computed more often than before.
fn merge(upper: &[ProjectItem], lower: &[ProjectItem]) -> Option<Vec<ProjectItem>> {
    let mut uses = vec![0usize; lower.len()];
    for item in upper {
        item.expr.walk(&mut |e| {
            if let ExprKind::Column(c) = e.kind
                && let Some(u) = uses.get_mut(c)
            {
                *u += 1;
            }
        });
    }
    let cheap = |e: &Expr| matches!(e.kind, ExprKind::Column(_) | ExprKind::Literal(_));
    let fits = uses
        .iter()
        .zip(lower)
        .all(|(n, item)| cheap(&item.expr) || *n <= 1 && item.expr.volatility() < Volatility::PerRow);
    if !fits {
        return None;
    }
    let merged: Vec<ProjectItem> = upper
        .iter()
        .map(|item| {
            let mut expr = item.expr.clone();
            let data_type = expr.data_type.clone();
            replace_columns(&mut expr, &|c| lower.get(c).map(|l| l.expr.clone()));
            expr.data_type = data_type;
            ProjectItem { name: item.name.clone(), expr }
        })
        .collect();
    (merged.iter().map(|m| size(&m.expr)).sum::<usize>() <= MAX_SIZE).then_some(merged)
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
