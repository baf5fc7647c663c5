//! Upsert keys: column sets that identify a row for its whole life.

use millstream_expr::{Expr, ExprKind};

use crate::binder::window_origin;
use crate::{JobPlan, JoinKind, NodeId, Op, ScanOp, WindowKind};

/// Keeps few keys: more are of no use.
const MAX_KEYS: usize = 8;

/// Derives the keys of every node. Scans come with the keys of their tables, from the binder.
pub(super) fn derive_keys(plan: &mut JobPlan) {
    for i in 0..plan.nodes.len() {
        let keys = keys_of(plan, i);
        if let Some(n) = plan.nodes.get_mut(i) {
            n.upsert_keys = tidy(keys);
        }
    }
}

fn tidy(keys: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut tidy: Vec<Vec<usize>> = Vec::new();
    for mut key in keys {
        key.sort_unstable();
        key.dedup();
        if !tidy.contains(&key) {
            tidy.push(key);
        }
    }
    tidy.sort();
    tidy.truncate(MAX_KEYS);
    tidy
}

/// The keys of an input of a node.
fn below(plan: &JobPlan, index: usize, input: usize) -> Vec<Vec<usize>> {
    plan.nodes
        .get(index)
        .and_then(|n| n.inputs.get(input))
        .and_then(|i| plan.nodes.get(i.0))
        .map(|n| n.upsert_keys.clone())
        .unwrap_or_default()
}

fn columns(exprs: &[Expr]) -> Option<Vec<usize>> {
    exprs
        .iter()
        .map(|e| match e.kind {
            ExprKind::Column(c) => Some(c),
            _ => None,
        })
        .collect()
}

fn keys_of(plan: &JobPlan, index: usize) -> Vec<Vec<usize>> {
    let Some(node) = plan.nodes.get(index) else { return Vec::new() };
    match &node.op {
        Op::Scan(ScanOp { .. }) => node.upsert_keys.clone(),
        Op::Values(_) | Op::Union | Op::Unnest(_) | Op::TableFunction(_) | Op::Match(_) => Vec::new(),
        Op::Filter(_) | Op::Sort(_) | Op::Limit { .. } | Op::Over(_) | Op::Sink(_) => below(plan, index, 0),
        Op::Window(w) => match w.kind {
            // A row is in one tumbling window only.
            WindowKind::Tumble { .. } => below(plan, index, 0),
            _ => Vec::new(),
        },
        Op::Project(items) => {
            let place =
                |c: usize| items.iter().position(|i| matches!(i.expr.kind, ExprKind::Column(k) if k == c));
            below(plan, index, 0)
                .into_iter()
                .filter_map(|key| key.into_iter().map(place).collect::<Option<Vec<_>>>())
                .collect()
        }
        Op::Aggregate(a) => {
            if a.group_window.is_some() || a.grouping_sets.len() != 1 {
                return Vec::new();
            }
            vec![(0..a.keys.len()).collect()]
        }
        Op::TopN(t) => {
            let width = node.inputs.first().and_then(|i| plan.nodes.get(i.0)).map_or(0, |n| n.schema.len());
            let partition = columns(&t.partition_by);
            let mut keys = Vec::new();
            if let Some(partition) = &partition {
                if t.from == t.to {
                    keys.push(partition.clone());
                }
                if t.with_rank {
                    keys.push(partition.iter().copied().chain([width]).collect());
                }
            }
            if !t.with_rank {
                keys.extend(below(plan, index, 0));
            }
            keys
        }
        Op::SetOperation { all, .. } => {
            if *all {
                Vec::new()
            } else {
                vec![(0..node.schema.len()).collect()]
            }
        }
        Op::Join(j) => {
            let (left, right) = (below(plan, index, 0), below(plan, index, 1));
            let width = node.inputs.first().and_then(|i| plan.nodes.get(i.0)).map_or(0, |n| n.schema.len());
            if matches!(
                j.kind,
                JoinKind::Semi
                    | JoinKind::Anti
                    | JoinKind::TemporalInner
                    | JoinKind::TemporalLeft
                    | JoinKind::LookupInner
                    | JoinKind::LookupLeft
            ) {
                return left;
            }
            let side = |first: bool| -> Vec<usize> {
                j.equal
                    .iter()
                    .filter_map(|(l, r)| match (if first { l } else { r }).kind {
                        ExprKind::Column(c) => Some(c),
                        _ => None,
                    })
                    .collect()
            };
            let covers = |keys: &[Vec<usize>], equal: &[usize]| {
                keys.iter().any(|k| k.iter().all(|c| equal.contains(c)))
            };
            let shifted = |keys: &[Vec<usize>]| -> Vec<Vec<usize>> {
                keys.iter().map(|k| k.iter().map(|c| c + width).collect()).collect()
            };
            let mut keys = Vec::new();
            // At most one partner on the right: the left's keys still identify a row, unless rows without a left side are padded.
            if covers(&right, &side(false)) && !matches!(j.kind, JoinKind::Right | JoinKind::Full) {
                keys.extend(left.clone());
            }
            if covers(&left, &side(true)) && !matches!(j.kind, JoinKind::Left | JoinKind::Full) {
                keys.extend(shifted(&right));
            }
            for l in &left {
                for r in &shifted(&right) {
                    keys.push(l.iter().chain(r).copied().collect());
                }
            }
            keys
        }
    }
}

/// Whether the rows of a Top-N belong to windows: its partition holds start and end of one.
pub(super) fn is_windowed(plan: &JobPlan, input: NodeId, partition_by: &[Expr]) -> bool {
    use crate::binder::WindowColumn as W;
    let origins: Vec<_> = columns(partition_by)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|c| window_origin(plan, input, c))
        .collect();
    origins.iter().any(|(node, w)| *w == W::Start && origins.contains(&(*node, W::End)))
}
