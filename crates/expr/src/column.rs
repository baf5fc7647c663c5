//! A column during evaluation: an array, or one value that stands for all rows.

use arrow::array::{Array, ArrayRef, UInt32Array};
use arrow::compute;
use millstream_types::{DataType, Fault, Value};

/// An array of all rows, or an array of one row that stands for every row.
#[derive(Debug, Clone)]
pub enum Column {
    /// One entry a row.
    Array(ArrayRef),
    /// An array of length 1 whose entry is the value of every row.
    Constant(ArrayRef),
}

impl Column {
    /// A constant column.
    ///
    /// # Errors
    /// Internal, when the value is not one of the type.
    pub fn constant(value: &Value, data_type: &DataType) -> Result<Self, Fault> {
        Ok(Column::Constant(value.repeat(1, data_type)?))
    }

    /// The array behind it: of length 1 for a constant.
    pub fn array(&self) -> &ArrayRef {
        match self {
            Column::Array(a) | Column::Constant(a) => a,
        }
    }

    /// Whether one value stands for every row.
    pub fn is_constant(&self) -> bool {
        matches!(self, Column::Constant(_))
    }

    /// Position in [`Column::array`] of a row's entry.
    #[inline]
    pub fn index(&self, row: usize) -> usize {
        match self {
            Column::Array(_) => row,
            Column::Constant(_) => 0,
        }
    }

    /// Whether a row's entry is NULL.
    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        self.array().is_null(self.index(row))
    }

    /// An array of `rows` entries.
    ///
    /// # Errors
    /// Internal, when Arrow fails to repeat the entry.
    pub fn into_array(self, rows: usize) -> Result<ArrayRef, Fault> {
        match self {
            Column::Array(a) => Ok(a),
            Column::Constant(a) if rows == 1 => Ok(a),
            Column::Constant(a) => {
                let zeros = UInt32Array::from(vec![0; rows]);
                compute::take(a.as_ref(), &zeros, None)
                    .map_err(|e| Fault::internal(format!("repeating a constant: {e}")))
            }
        }
    }

    /// The entries at these rows.
    ///
    /// # Errors
    /// Internal, when a row is out of range.
    pub fn take(&self, rows: &UInt32Array) -> Result<Column, Fault> {
        match self {
            Column::Array(a) => compute::take(a.as_ref(), rows, None)
                .map(Column::Array)
                .map_err(|e| Fault::internal(format!("taking rows: {e}"))),
            Column::Constant(_) => Ok(self.clone()),
        }
    }

    /// The value of a row.
    pub fn value(&self, row: usize, data_type: &DataType) -> Value {
        Value::from_array(self.array().as_ref(), self.index(row), data_type)
    }
}
