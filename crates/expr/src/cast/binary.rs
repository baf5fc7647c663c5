//! To BINARY and VARBINARY.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryBuilder};
use arrow::datatypes::DataType as Arrow;
use millstream_types::{Fault, MAX_LENGTH, TypeKind};

use super::Rules;
use crate::EvalError;

pub(super) fn cast(
    array: &ArrayRef,
    from: &TypeKind,
    to: &TypeKind,
    rules: Rules<'_>,
) -> Result<ArrayRef, EvalError> {
    let (length, pad) = match to {
        TypeKind::Binary(n) => (*n as usize, !rules.legacy),
        TypeKind::VarBinary(n) => (*n as usize, false),
        _ => return Err(Fault::internal("no binary type").into()),
    };
    if matches!(array.data_type(), Arrow::Binary) && length == MAX_LENGTH as usize {
        return Ok(array.clone());
    }
    if pad {
        super::strings::padded_length(to, length)?;
    }
    let mut out = BinaryBuilder::with_capacity(array.len(), 0);
    for row in 0..array.len() {
        if array.is_null(row) {
            out.append_null();
            continue;
        }
        let bytes = match array.data_type() {
            Arrow::Utf8 => array.as_string::<i32>().value(row).as_bytes(),
            Arrow::Binary => array.as_binary::<i32>().value(row),
            _ => return Err(Fault::internal(format!("no cast from {from} to {to}")).into()),
        };
        let cut = bytes.get(..length).unwrap_or(bytes);
        if pad && cut.len() < length {
            let mut padded = cut.to_vec();
            padded.resize(length, 0);
            out.append_value(padded);
        } else {
            out.append_value(cut);
        }
    }
    Ok(Arc::new(out.finish()))
}
