//! Evaluating on a batch: its rows as expressions see them, and from a failed evaluation to a fault that names the row's place.

use millstream_expr::{EvalError, Rows};
use millstream_types::{Batch, Fault};

/// The rows of a batch as the input of expressions.
pub fn input_rows(batch: &Batch) -> Rows<'_> {
    Rows { columns: &batch.columns, rows: batch.rows, watermarks: batch.watermarks.as_deref() }
}

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
