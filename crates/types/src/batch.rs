//! A batch of rows.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, RecordBatch, RecordBatchOptions, UInt32Array};
use arrow::compute;

use crate::{Fault, RowKind, SchemaRef, Value};

/// Where the rows of a batch come from, for messages: a source's name, and a position for each row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The split: a file, a topic and partition.
    pub split: Arc<str>,
    /// What is counted: `line`, `offset`.
    pub unit: &'static str,
    /// The position of each row in the split.
    pub positions: Arc<[u64]>,
}

/// Columns of equal length, with the kind of each row and the watermark that stood when it arrived.
#[derive(Debug, Clone)]
pub struct Batch {
    /// Names and types.
    pub schema: SchemaRef,
    /// One array a column, in the Arrow form of its type.
    pub columns: Vec<ArrayRef>,
    /// Number of rows; also right when there is no column.
    pub rows: usize,
    /// The kind of each row; `None`: all are inserts.
    pub kinds: Option<Arc<[RowKind]>>,
    /// For each row the watermark (milliseconds) made by the rows before it, by which lateness is judged;
    /// `None`: no watermark is declared.
    pub watermarks: Option<Arc<[i64]>>,
    /// Where the rows come from.
    pub origin: Option<Arc<Origin>>,
}

impl Batch {
    /// A batch of inserts. The columns must have `rows` rows and the schema's Arrow types.
    pub fn new(schema: SchemaRef, columns: Vec<ArrayRef>, rows: usize) -> Self {
        debug_assert!(columns.iter().all(|c| c.len() == rows), "column lengths");
        debug_assert_eq!(schema.len(), columns.len(), "column count");
        Batch { schema, columns, rows, kinds: None, watermarks: None, origin: None }
    }

    /// A batch built row by row; for tests and small results.
    ///
    /// # Errors
    /// When a value does not fit its column's type.
    pub fn from_rows(schema: SchemaRef, rows: &[(RowKind, Vec<Value>)]) -> Result<Self, Fault> {
        let mut columns = Vec::with_capacity(schema.len());
        for (i, field) in schema.fields.iter().enumerate() {
            let values = rows.iter().map(|(_, r)| r.get(i).unwrap_or(&Value::Null));
            columns.push(Value::array(values, &field.data_type)?);
        }
        let mut batch = Batch::new(schema, columns, rows.len());
        if rows.iter().any(|(k, _)| *k != RowKind::Insert) {
            batch.kinds = Some(rows.iter().map(|(k, _)| *k).collect());
        }
        Ok(batch)
    }

    /// The kind of a row.
    pub fn kind(&self, row: usize) -> RowKind {
        self.kinds.as_ref().and_then(|k| k.get(row).copied()).unwrap_or(RowKind::Insert)
    }

    /// The values of a row.
    pub fn row(&self, row: usize) -> Vec<Value> {
        self.columns
            .iter()
            .zip(&self.schema.fields)
            .map(|(c, f)| Value::from_array(c.as_ref(), row, &f.data_type))
            .collect()
    }

    /// The same rows with other columns.
    #[must_use]
    pub fn with_columns(&self, schema: SchemaRef, columns: Vec<ArrayRef>) -> Self {
        Batch { schema, columns, ..self.clone() }
    }

    /// The rows at these positions, in their order.
    ///
    /// # Errors
    /// Internal, when a position is out of range.
    pub fn take(&self, rows: &UInt32Array) -> Result<Batch, Fault> {
        let columns = self
            .columns
            .iter()
            .map(|c| compute::take(c.as_ref(), rows, None))
            .collect::<Result<Vec<_>, _>>()
            .map_err(|e| Fault::internal(format!("taking rows: {e}")))?;
        let pick = |i: &u32| *i as usize;
        let positions = rows.values();
        Ok(Batch {
            schema: self.schema.clone(),
            columns,
            rows: rows.len(),
            kinds: self.kinds.as_ref().map(|k| {
                positions.iter().map(|i| k.get(pick(i)).copied().unwrap_or(RowKind::Insert)).collect()
            }),
            watermarks: self
                .watermarks
                .as_ref()
                .map(|w| positions.iter().map(|i| w.get(pick(i)).copied().unwrap_or(i64::MIN)).collect()),
            origin: self.origin.as_ref().map(|o| {
                Arc::new(Origin {
                    positions: positions
                        .iter()
                        .map(|i| o.positions.get(pick(i)).copied().unwrap_or(0))
                        .collect(),
                    ..(**o).clone()
                })
            }),
        })
    }

    /// The rows where the mask is TRUE (NULL is not).
    ///
    /// # Errors
    /// Internal, when the mask has another length.
    pub fn filter(&self, mask: &BooleanArray) -> Result<Batch, Fault> {
        if mask.len() != self.rows {
            return Err(Fault::internal("mask and batch differ in length"));
        }
        let rows: UInt32Array = (0..mask.len())
            .filter(|i| mask.value(*i) && !arrow::array::Array::is_null(mask, *i))
            .map(|i| i as u32)
            .collect::<Vec<u32>>()
            .into();
        if rows.len() == self.rows {
            return Ok(self.clone());
        }
        self.take(&rows)
    }

    /// Rows `from..from + len`, without copying columns.
    #[must_use]
    pub fn slice(&self, from: usize, len: usize) -> Batch {
        let end = (from + len).min(self.rows);
        let from = from.min(end);
        Batch {
            schema: self.schema.clone(),
            columns: self.columns.iter().map(|c| c.slice(from, end - from)).collect(),
            rows: end - from,
            kinds: self.kinds.as_ref().and_then(|k| k.get(from..end).map(Arc::from)),
            watermarks: self.watermarks.as_ref().and_then(|w| w.get(from..end).map(Arc::from)),
            origin: self.origin.as_ref().map(|o| {
                Arc::new(Origin {
                    positions: o.positions.get(from..end).map(Arc::from).unwrap_or_default(),
                    ..(**o).clone()
                })
            }),
        }
    }

    /// The columns as Arrow's own batch.
    ///
    /// # Errors
    /// Internal, when a column does not have its type's Arrow form.
    pub fn to_arrow(&self) -> Result<RecordBatch, Fault> {
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        RecordBatch::try_new_with_options(Arc::new(self.schema.to_arrow()), self.columns.clone(), &options)
            .map_err(|e| Fault::internal(format!("batch does not fit its schema: {e}")))
    }

    /// Bytes of memory that the columns hold, shared buffers counted as often as they appear.
    pub fn memory(&self) -> usize {
        self.columns.iter().map(|c| c.get_array_memory_size()).sum()
    }
}
