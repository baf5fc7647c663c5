//! Which changes each edge carries, which columns identify a row of it, and what each operator is called over restarts.
//!
//! Two ways through the plan: up from the sources, what an operator can give; down from the sinks, whether anyone needs the row before an
//! update (`-U`). An operator whose rows are identified by a key and whose users do not ask leaves `-U` out.

mod identity;
mod keys;
mod modes;
mod sinks;
mod temporal;

use millstream_flow::ChangelogMode;
use millstream_types::Fault;

use crate::{JobPlan, Op};

pub(crate) use identity::identify;

/// Derives changelog modes, upsert keys and identities, and checks what operators and sinks take.
///
/// # Errors
/// User, where an operator or a sink gets changes that it cannot take.
pub(crate) fn derive(plan: &mut JobPlan) -> Result<(), Fault> {
    keys::derive_keys(plan);
    temporal::check_temporal_joins(plan)?;
    let accepts: Vec<ChangelogMode> = plan.nodes.iter().map(|n| n.changes).collect();
    modes::derive_modes(plan, &accepts)?;
    sinks::check_sinks(plan, &accepts)?;
    modes::drop_before_images(plan, &accepts);
    for (node, accepted) in plan.nodes.iter_mut().zip(&accepts) {
        if matches!(node.op, Op::Sink(_)) {
            node.changes = *accepted;
        }
    }
    identify(plan);
    Ok(())
}
