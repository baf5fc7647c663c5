//! A chunk as rules and outputs see it: columns are built only when somebody asks, and only for the rows asked for.

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute;
use millstream_flow::{Decoder, RawChunk};
use millstream_rules::RuleInput;
use millstream_types::{Batch, Fault, FieldSlices, Slices, Value};

use super::bad::located;
use super::group::GroupColumn;

/// Raw records that were cut, or rows of a source of rows.
pub enum Content<'a> {
    /// Raw records.
    Records {
        /// The chunk.
        chunk: &'a RawChunk,
        /// What the decoder found in it.
        slices: &'a Slices,
        /// The decoder.
        decoder: &'a mut dyn Decoder,
    },
    /// Rows.
    Rows(&'a Batch),
}

/// A chunk of one split.
pub struct ChunkInput<'a> {
    /// The content.
    pub content: Content<'a>,
    /// Number of rows.
    pub rows: usize,
    /// The scan group's columns.
    pub columns: &'a [GroupColumn],
    /// Columns that were built for all rows.
    pub built: Vec<Option<ArrayRef>>,
    /// The split's id and what its positions count.
    pub split: (&'a str, &'a str),
    /// The watermark before each row.
    pub watermarks: Option<Arc<[i64]>>,
}

impl ChunkInput<'_> {
    fn build(&mut self, column: usize, rows: Option<&UInt32Array>) -> Result<ArrayRef, Fault> {
        let Some(source) = self.columns.get(column) else {
            return Err(Fault::internal("column out of range"));
        };
        let all;
        let rows = match rows {
            Some(rows) => rows,
            None => {
                all = UInt32Array::from_iter_values(0..self.rows as u32);
                &all
            }
        };
        match (&mut self.content, source) {
            (Content::Records { chunk, slices, decoder }, GroupColumn::Physical(position, _)) => decoder
                .build(chunk, slices, *position, rows)
                .map_err(|bad| located(&bad, chunk, self.split.0, self.split.1)),
            (Content::Records { chunk, slices, .. }, GroupColumn::Metadata(key, data_type)) => {
                let values = chunk
                    .metadata
                    .iter()
                    .find(|(k, _)| *k == key)
                    .map(|(_, v)| v)
                    .ok_or_else(|| Fault::internal(format!("the source gave no metadata '{key}'")))?;
                let picked = rows.values().iter().map(|r| match values.as_slice() {
                    [one] => one,
                    many => many.get(slices.record_of(*r as usize)).unwrap_or(&Value::Null),
                });
                Value::array(picked, data_type)
            }
            (Content::Rows(batch), GroupColumn::Physical(position, _)) => {
                let array = batch
                    .columns
                    .get(*position)
                    .ok_or_else(|| Fault::internal("the source gave too few columns"))?;
                if rows.len() == self.rows {
                    return Ok(array.clone());
                }
                compute::take(array, rows, None).map_err(|e| Fault::internal(format!("taking rows: {e}")))
            }
            (Content::Rows(batch), GroupColumn::Metadata(key, _)) => {
                let position = batch
                    .schema
                    .index_of(key)
                    .ok_or_else(|| Fault::internal(format!("the source gave no metadata '{key}'")))?;
                let array =
                    batch.columns.get(position).ok_or_else(|| Fault::internal("column out of range"))?;
                compute::take(array, rows, None).map_err(|e| Fault::internal(format!("taking rows: {e}")))
            }
        }
    }
}

impl RuleInput for ChunkInput<'_> {
    fn rows(&self) -> usize {
        self.rows
    }

    fn field(&self, column: usize) -> Option<(&Slices, &FieldSlices)> {
        match (&self.content, self.columns.get(column)) {
            (Content::Records { slices, .. }, Some(GroupColumn::Physical(position, _))) => {
                slices.column(*position).map(|cut| (*slices, cut))
            }
            _ => None,
        }
    }

    fn column(&mut self, column: usize, rows: Option<&UInt32Array>) -> Result<ArrayRef, Fault> {
        if let Some(Some(array)) = self.built.get(column) {
            return match rows {
                None => Ok(array.clone()),
                Some(rows) => {
                    compute::take(array, rows, None).map_err(|e| Fault::internal(format!("taking rows: {e}")))
                }
            };
        }
        let array = self.build(column, rows)?;
        if rows.is_none_or(|r| r.len() == self.rows)
            && let Some(slot) = self.built.get_mut(column)
        {
            *slot = Some(array.clone());
        }
        Ok(array)
    }

    fn watermarks(&self) -> Option<&[i64]> {
        self.watermarks.as_deref()
    }
}
