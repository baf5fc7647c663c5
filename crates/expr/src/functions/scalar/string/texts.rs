//! `ARRAY<STRING>` columns out.

use std::sync::Arc;

use arrow::array::{ArrayRef, ListArray, NullBufferBuilder, StringBuilder};
use arrow::buffer::OffsetBuffer;
use arrow::datatypes::DataType as Arrow;
use millstream_types::{DataType, Fault};

use crate::EvalError;
use crate::kernel::broken;

/// The most bytes in one array.
const MOST: usize = 1 << 30;

/// Checks how many bytes a builder holds behind a row: its offsets are 32 bits, and it panics beyond them.
///
/// # Errors
/// User (`too-large`).
pub(super) fn check(bytes: usize, row: usize) -> Result<(), EvalError> {
    if bytes <= MOST {
        return Ok(());
    }
    let fault = Fault::user("too-large", "the texts of a batch are longer than 1 GiB")
        .hint("make the texts shorter, with SUBSTRING for instance");
    Err(EvalError::at_row(row, fault))
}

/// An array of `rows` lists: `row` appends a row's texts and says whether there is a list (else it is NULL).
///
/// # Errors
/// Those of `row`.
pub(in crate::functions::scalar) fn build(
    rows: usize,
    mut row: impl FnMut(usize, &mut StringBuilder) -> Result<bool, EvalError>,
) -> Result<ArrayRef, EvalError> {
    let Arrow::List(field) = DataType::array(DataType::string()).to_arrow() else {
        return Err(Fault::internal("ARRAY<STRING> is no list").into());
    };
    let mut texts = StringBuilder::new();
    let mut lengths = Vec::with_capacity(rows);
    let mut nulls = NullBufferBuilder::new(rows);
    let mut start = 0;
    for i in 0..rows {
        let there = row(i, &mut texts)?;
        check(texts.values_slice().len(), i)?;
        if there {
            nulls.append_non_null();
        } else {
            nulls.append_null();
        }
        let end = arrow::array::ArrayBuilder::len(&texts);
        lengths.push(end - start);
        start = end;
    }
    let offsets = OffsetBuffer::from_lengths(lengths);
    let list =
        ListArray::try_new(field, offsets, Arc::new(texts.finish()), nulls.finish()).map_err(broken)?;
    Ok(Arc::new(list))
}
