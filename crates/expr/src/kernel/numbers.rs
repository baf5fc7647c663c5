//! Columns of numbers, dates, times and intervals in and out.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, NullBufferBuilder, PrimitiveArray};
use arrow::buffer::NullBuffer;
use millstream_types::Fault;

use super::unexpected;
use crate::{Column, EvalError};

/// A column held in a primitive Arrow array, that may stand for every row.
#[derive(Debug)]
pub struct Numbers<'a, T: ArrowPrimitiveType> {
    /// The array; of one entry when it is constant.
    pub array: &'a PrimitiveArray<T>,
    /// Whether its entry is that of every row.
    pub constant: bool,
}

impl<'a, T: ArrowPrimitiveType> Numbers<'a, T> {
    /// A view of a column.
    ///
    /// # Errors
    /// Internal, when the column holds something else.
    pub fn of(column: &'a Column) -> Result<Self, Fault> {
        let array = column.array().as_primitive_opt::<T>().ok_or_else(|| unexpected("number", column))?;
        Ok(Numbers { array, constant: column.is_constant() })
    }

    /// The number at a row, or NULL.
    #[inline]
    pub fn get(&self, row: usize) -> Option<T::Native> {
        let i = if self.constant { 0 } else { row };
        (!self.array.is_null(i)).then(|| self.array.value(i))
    }

    /// An array of a function's values, for functions that do no harm on the undefined entries below NULLs.
    pub fn map<O: ArrowPrimitiveType>(&self, f: impl Fn(T::Native) -> O::Native) -> ArrayRef {
        Arc::new(self.array.unary::<_, O>(f))
    }
}

/// An array of `rows` entries from a function of the row.
///
/// # Errors
/// Those of `row`.
pub fn build<T: ArrowPrimitiveType>(
    rows: usize,
    mut row: impl FnMut(usize) -> Result<Option<T::Native>, EvalError>,
) -> Result<ArrayRef, EvalError> {
    build_array::<T>(rows, &mut row).map(|a| Arc::new(a) as ArrayRef)
}

/// As [`build`], but the array itself, so that its Arrow type can be set (`with_data_type`, `with_timezone_opt`).
///
/// # Errors
/// Those of `row`.
pub fn build_array<T: ArrowPrimitiveType>(
    rows: usize,
    mut row: impl FnMut(usize) -> Result<Option<T::Native>, EvalError>,
) -> Result<PrimitiveArray<T>, EvalError> {
    let mut values: Vec<T::Native> = Vec::with_capacity(rows);
    let mut nulls = NullBufferBuilder::new(rows);
    for i in 0..rows {
        match row(i)? {
            Some(v) => {
                values.push(v);
                nulls.append_non_null();
            }
            None => {
                values.push(T::Native::default());
                nulls.append_null();
            }
        }
    }
    Ok(PrimitiveArray::<T>::new(values.into(), nulls.finish()))
}

/// The rows that are NULL because one of two columns is, for results of `rows` entries.
pub fn either_null(a: &Column, b: &Column, rows: usize) -> Option<NullBuffer> {
    NullBuffer::union(nulls_of(a, rows).as_ref(), nulls_of(b, rows).as_ref())
}

/// The rows that are NULL in a column.
pub fn nulls_of(column: &Column, rows: usize) -> Option<NullBuffer> {
    match column {
        Column::Array(a) => a.logical_nulls(),
        Column::Constant(a) if a.logical_null_count() > 0 => Some(NullBuffer::new_null(rows)),
        Column::Constant(_) => None,
    }
}

/// A function of two columns, for functions that do no harm on the undefined entries below NULLs.
///
/// # Errors
/// Internal, when the columns differ in length.
pub fn binary<A, B, O>(
    a: &Numbers<'_, A>,
    b: &Numbers<'_, B>,
    rows: usize,
    f: impl Fn(A::Native, B::Native) -> O::Native,
) -> Result<ArrayRef, EvalError>
where
    A: ArrowPrimitiveType,
    B: ArrowPrimitiveType,
    O: ArrowPrimitiveType,
{
    let all_null = |constant: bool, array: &dyn Array| constant && array.null_count() > 0;
    if all_null(a.constant, a.array) || all_null(b.constant, b.array) {
        return Ok(Arc::new(PrimitiveArray::<O>::new_null(rows)));
    }
    Ok(match (a.constant, b.constant) {
        (false, false) => {
            Arc::new(arrow::compute::binary::<_, _, _, O>(a.array, b.array, f).map_err(super::broken)?)
        }
        (false, true) => {
            let y = b.array.value(0);
            Arc::new(a.array.unary::<_, O>(|x| f(x, y)))
        }
        (true, _) => {
            let x = a.array.value(0);
            Arc::new(b.array.unary::<_, O>(|y| f(x, y)))
        }
    })
}
