//! From the binder's plan to the one that runs: rewrites in a fixed order, then changelog modes and identities.
//!
//! Each rewrite has a file; the list below is the order. All of them are deterministic, and none of them may change a result: filters may
//! be evaluated early, late, once or never, but an error that they would have raised stays possible only where Flink could raise it, too.

mod column_pruning;
mod common_subplans;
mod constant_folding;
mod filter_push_down;
pub(crate) mod fingerprint;
mod graph;
mod join_condition;
mod scan_fields;
pub(crate) mod scan_sharing;
mod streaming_rules;
pub(crate) mod terms;
mod text_screens;
mod top_n;
mod trivial;

use millstream_types::Fault;

use crate::{JobPlan, changelog};

pub(crate) use text_screens::OPTION as TEXT_SCREENS;

/// A rewrite of the whole plan.
type Rewrite = fn(&mut JobPlan) -> Result<(), Fault>;

/// The rewrites, in order.
const REWRITES: &[(&str, Rewrite)] = &[
    ("drop what no sink reads", |p| infallible(p, graph::compact)),
    ("fold constants", |p| infallible(p, constant_folding::fold_constants)),
    ("remove filters on TRUE", |p| infallible(p, trivial::remove_true_filters)),
    ("push filters down", |p| infallible(p, filter_push_down::push_filters)),
    ("find Top-N", top_n::find_top_n),
    ("push the rest of their filters down", |p| infallible(p, filter_push_down::push_filters)),
    ("check OVER windows", |p| streaming_rules::check_overs(p)),
    ("classify joins", |p| infallible(p, join_condition::classify_joins)),
    ("merge projections", |p| infallible(p, trivial::merge_projections)),
    ("fold constants that merging brought together", |p| infallible(p, constant_folding::fold_constants)),
    ("prune columns", |p| infallible(p, column_pruning::prune_columns)),
    ("merge projections that pruning left", |p| infallible(p, trivial::merge_projections)),
    ("remove projections that change nothing", |p| infallible(p, trivial::remove_identities)),
    ("take fields of rows in the scans", |p| infallible(p, scan_fields::take_fields_in_scans)),
    ("prune what the scans no longer need", |p| infallible(p, column_pruning::prune_columns)),
    ("screen texts before they are taken apart", |p| infallible(p, text_screens::screen_texts)),
    ("share scans", |p| infallible(p, scan_sharing::share_scans)),
    ("share subplans", |p| infallible(p, common_subplans::share_subplans)),
];

fn infallible(plan: &mut JobPlan, rewrite: fn(&mut JobPlan)) -> Result<(), Fault> {
    rewrite(plan);
    Ok(())
}

/// Optimizes a bound plan and derives its changelog modes, upsert keys and identities.
///
/// # Errors
/// User, where an operator cannot do what the query asks of it.
pub(crate) fn optimize(mut plan: JobPlan) -> Result<JobPlan, Fault> {
    for (name, rewrite) in REWRITES {
        rewrite(&mut plan)?;
        debug_assert!(well_formed(&plan), "plan is not well formed after: {name}");
    }
    changelog::derive(&mut plan)?;
    Ok(plan)
}

/// Shares scans and subplans between the statements of a job that was put together from several plans.
pub(crate) fn share(plan: &mut JobPlan) {
    graph::compact(plan);
    scan_sharing::share_scans(plan);
    common_subplans::share_subplans(plan);
    // An operator is called by what it means, not by its place: merging leaves the names that each statement's plan gave.
    debug_assert!(named_alike(plan), "merging changed what an operator is called");
}

/// Whether operators are called what they would be called now.
fn named_alike(plan: &JobPlan) -> bool {
    let mut again = plan.clone();
    changelog::identify(&mut again);
    again.nodes.iter().zip(&plan.nodes).all(|(a, b)| (a.id, a.upstream) == (b.id, b.upstream))
}

/// Whether inputs come before users and every column exists.
fn well_formed(plan: &JobPlan) -> bool {
    plan.nodes.iter().enumerate().all(|(i, node)| {
        let ordered = node.inputs.iter().all(|input| input.0 < i);
        let width =
            |n: usize| node.inputs.get(n).and_then(|i| plan.nodes.get(i.0)).map_or(0, |n| n.schema.len());
        let limit = match &node.op {
            crate::Op::Scan(scan) => scan.columns.len(),
            crate::Op::Join(_) => width(0) + width(1),
            _ => width(0),
        };
        ordered && node.op.expressions().iter().all(|e| e.columns().last().is_none_or(|c| *c < limit))
    })
}
