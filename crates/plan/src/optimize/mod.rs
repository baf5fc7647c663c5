//! From the binder's plan to the one that runs: rewrites in a fixed order, then changelog modes and identities.

use millstream_types::Fault;

use crate::JobPlan;

/// Optimizes a bound plan.
///
/// # Errors
/// User, where an operator cannot do what the query asks of it.
pub(crate) fn optimize(plan: JobPlan) -> Result<JobPlan, Fault> {
    Ok(plan)
}
