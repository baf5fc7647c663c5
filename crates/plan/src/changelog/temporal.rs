//! What a temporal join asks of its versioned table.

use millstream_expr::ExprKind;
use millstream_types::Fault;

use crate::{JobPlan, JoinKind, Op};

/// Checks the joins FOR SYSTEM_TIME AS OF a rowtime.
///
/// # Errors
/// User, where the right side has no primary key among the join's equalities, or no rowtime.
pub(super) fn check_temporal_joins(plan: &JobPlan) -> Result<(), Fault> {
    for node in &plan.nodes {
        let Op::Join(join) = &node.op else { continue };
        if !matches!(join.kind, JoinKind::TemporalInner | JoinKind::TemporalLeft) {
            continue;
        }
        let Some(right) = node.inputs.get(1).and_then(|i| plan.nodes.get(i.0)) else { continue };
        let refuse = |message: &str, hint: &str| {
            let fault = Fault::user("temporal-join", message).hint(hint);
            Err(match node.span {
                Some(s) => fault.at(s),
                None => fault,
            })
        };
        if join.right_time.is_none() {
            return refuse(
                "Event-Time Temporal Table Join requires both primary key and row time attribute in versioned table, but no row time attribute can be found",
                "declare a WATERMARK on the right table's time column, and a PRIMARY KEY",
            );
        }
        let equal: Vec<usize> = join
            .equal
            .iter()
            .filter_map(|(_, r)| match r.kind {
                ExprKind::Column(c) => Some(c),
                _ => None,
            })
            .collect();
        let keyed = right.upsert_keys.iter().any(|k| !k.is_empty() && k.iter().all(|c| equal.contains(c)));
        if !keyed {
            return refuse(
                "Temporal Table Join requires primary key in versioned table, but no primary key can be found among the equalities of the join",
                "declare PRIMARY KEY (...) NOT ENFORCED in the right table, and join by all its columns",
            );
        }
    }
    Ok(())
}
