//! From a failed evaluation to a fault that names the row's place.

use millstream_expr::EvalError;
use millstream_types::{Batch, Fault};

/// Adds where the failing row came from (`events.jsonl, line 7`).
pub fn at_origin(error: EvalError, batch: &Batch) -> Fault {
    let place = error.row.and_then(|row| {
        let origin = batch.origin.as_ref()?;
        Some(format!("{}, {} {}", origin.split, origin.unit, origin.positions.get(row)?))
    });
    match place {
        Some(place) => error.fault.in_place(place),
        None => error.fault,
    }
}
