//! Fields of ROW columns are taken in the scan, so that a row of which only some fields are read is never built; projections that only
//! choose and rename become the scan's own output.

use std::sync::Arc;

use millstream_expr::{Expr, ExprKind};
use millstream_flow::ChangelogMode;
use millstream_types::{Field, Schema};

use super::graph;
use crate::{JobPlan, NodeId, Op, ProjectItem};

/// Rewrites projections that stand on a scan of their own.
pub(super) fn take_fields_in_scans(plan: &mut JobPlan) {
    let mut bypassed = false;
    let mut users = vec![0usize; plan.nodes.len()];
    for input in plan.nodes.iter().flat_map(|n| &n.inputs) {
        if let Some(u) = users.get_mut(input.0) {
            *u += 1;
        }
    }
    for i in 0..plan.nodes.len() {
        let Some(node) = plan.nodes.get(i) else { continue };
        let (Op::Project(_), Some(input)) = (&node.op, node.inputs.first().copied()) else { continue };
        let Some(below) = plan.nodes.get(input.0) else { continue };
        let Op::Scan(_) = &below.op else { continue };
        if users.get(input.0) != Some(&1) || below.changes == ChangelogMode::Upsert {
            continue;
        }
        let (Some(Op::Project(mut items)), Some(Op::Scan(mut scan))) =
            (graph::take(plan, NodeId(i)), graph::take(plan, input))
        else {
            return;
        };
        let mut output: Vec<ProjectItem> = Vec::new();
        for item in &mut items {
            replace_chains(&mut item.expr, &scan.output, &mut output);
        }
        let only_chosen =
            items.iter().enumerate().all(|(k, i)| matches!(i.expr.kind, ExprKind::Column(c) if c == k))
                && items.len() == output.len();
        if only_chosen {
            for (own, item) in output.iter_mut().zip(&items) {
                own.name = item.name.clone();
            }
        }
        let schema = Schema::new(
            output.iter().map(|o| Field::new(o.name.clone(), o.expr.data_type.clone())).collect(),
        );
        // A key is still one if all its columns are there as they were.
        let place = |c: &usize| {
            let old = scan.output.get(*c)?;
            output.iter().position(|o| o.expr.kind == old.expr.kind)
        };
        let keys: Vec<Vec<usize>> = plan
            .nodes
            .get(input.0)
            .iter()
            .flat_map(|below| &below.upsert_keys)
            .filter_map(|key| key.iter().map(place).collect::<Option<Vec<_>>>())
            .collect();
        scan.output = Arc::new(output);
        if let Some(n) = plan.nodes.get_mut(input.0) {
            n.op = Op::Scan(scan);
            n.schema = Arc::new(schema);
            n.upsert_keys = keys;
        }
        graph::put(plan, NodeId(i), Op::Project(items));
        if only_chosen {
            super::filter_push_down::bypass(plan, NodeId(i), input);
            bypassed = true;
        }
    }
    graph::compact_if(bypassed, plan);
}

/// Replaces the largest chains of fields over columns by columns of a new output, which gets each chain once.
fn replace_chains(expr: &mut Expr, old: &[ProjectItem], output: &mut Vec<ProjectItem>) {
    if let Some((column, names)) = chain(expr) {
        let Some(source) = old.get(column) else { return };
        let mut value = expr.clone();
        crate::binder::replace_columns(&mut value, &|_| Some(source.expr.clone()));
        value.data_type = expr.data_type.clone();
        let position = match output.iter().position(|o| o.expr == value) {
            Some(p) => p,
            None => {
                let name = names.iter().fold(source.name.clone(), |n, part| Arc::from(format!("{n}.{part}")));
                output.push(ProjectItem { name, expr: value });
                output.len() - 1
            }
        };
        expr.kind = ExprKind::Column(position);
        return;
    }
    expr.each_child_mut(|child| replace_chains(child, old, output));
}

/// The column below a chain of fields, and the fields' positions from it on as names for the output.
fn chain(expr: &Expr) -> Option<(usize, Vec<String>)> {
    match &expr.kind {
        ExprKind::Column(c) => Some((*c, Vec::new())),
        ExprKind::Field { input, index } => {
            let (column, mut names) = chain(input)?;
            let name = input.data_type.kind.fields().and_then(|f| f.get(*index)).map(|f| f.name.to_string());
            names.push(name.unwrap_or_else(|| index.to_string()));
            Some((column, names))
        }
        _ => None,
    }
}

impl JobPlan {
    /// For each column of a scan group ([`crate::ScanGroup::columns`]) the paths, by field positions, that its scans read of it; empty: all of
    /// it. For [`millstream_flow::FieldSpec::paths`].
    pub fn read_paths(&self, group: usize) -> Vec<Vec<Vec<usize>>> {
        let Some(group) = self.scan_groups.get(group) else { return Vec::new() };
        let mut paths: Vec<Vec<Vec<usize>>> = vec![Vec::new(); group.columns.len()];
        let mut whole = vec![false; group.columns.len()];
        for op in group.scans.iter().filter_map(|s| self.nodes.get(s.0)).map(|n| &n.op) {
            let Op::Scan(scan) = op else { continue };
            let columns = &scan.columns;
            for expr in op.expressions() {
                read_of(expr, &mut |column, path| {
                    let Some(column) = columns.get(column).copied() else { return };
                    match (paths.get_mut(column), whole.get_mut(column)) {
                        (Some(_), Some(w)) if path.is_empty() => *w = true,
                        (Some(p), _) if !p.contains(&path) => p.push(path),
                        _ => {}
                    }
                });
            }
        }
        for (p, whole) in paths.iter_mut().zip(whole) {
            if whole {
                p.clear();
            }
            p.sort();
        }
        paths
    }
}

/// Calls for each column that an expression reads with the path of fields that it reads of it.
fn read_of(expr: &Expr, found: &mut impl FnMut(usize, Vec<usize>)) {
    let mut path = Vec::new();
    let mut below = expr;
    loop {
        match &below.kind {
            ExprKind::Field { input, index } => {
                path.insert(0, *index);
                below = input;
            }
            ExprKind::Column(c) => return found(*c, path),
            _ => break,
        }
    }
    below.each_child(|child| read_of(child, found));
}
