//! BOOLEAN columns out.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, BooleanBufferBuilder, NullBufferBuilder};

use crate::EvalError;

/// An array of `rows` entries from a function of the row; `None` is NULL.
///
/// # Errors
/// Those of `row`.
pub fn build(
    rows: usize,
    mut row: impl FnMut(usize) -> Result<Option<bool>, EvalError>,
) -> Result<ArrayRef, EvalError> {
    let mut values = BooleanBufferBuilder::new(rows);
    let mut nulls = NullBufferBuilder::new(rows);
    for i in 0..rows {
        match row(i)? {
            Some(v) => {
                values.append(v);
                nulls.append_non_null();
            }
            None => {
                values.append(false);
                nulls.append_null();
            }
        }
    }
    Ok(Arc::new(BooleanArray::new(values.finish(), nulls.finish())))
}
