//! From bytes to columns.

use std::fmt::Debug;
use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use millstream_types::{Clock, DataType, Fault, RowKind, Slices};

use crate::{Options, RawChunk};

/// A column that the format is to find in a record.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldSpec {
    /// Its name in the record.
    pub name: Arc<str>,
    /// Its type.
    pub data_type: DataType,
    /// For a ROW column of which only some (nested) fields are read: their paths by position; empty: all of it. A format may ignore it.
    pub paths: Vec<Vec<usize>>,
}

/// What a decoder is made from.
#[derive(Debug, Clone)]
pub struct DecoderSpec {
    /// All physical columns of the table, in the order of their declaration.
    pub columns: Vec<FieldSpec>,
    /// Positions of the columns that the job reads; the others are not looked at beyond what the format's validation asks.
    pub read: Vec<usize>,
    /// The format's options, without its prefix.
    pub options: Options,
    /// `table.local-time-zone`.
    pub zone: Arc<str>,
    /// The time, for records whose own does not say the year.
    pub clock: Arc<dyn Clock>,
}

/// A record that could not be decoded.
#[derive(Debug, Clone)]
pub struct BadRecord {
    /// Its position in the chunk.
    pub record: usize,
    /// Why: names the field and what was found.
    pub fault: Fault,
}

/// Decodes the records of a table. One decoder belongs to one scan task.
pub trait Decoder: Send + Debug {
    /// Cuts the records of a chunk into slices of the columns `want` (positions in the spec's columns; a subset of its `read`), into
    /// `out`. Validates as the format's options say, also what is not in `want`. `out.rows` may differ from the number of records.
    ///
    /// Records that the format's option says to ignore are left out and counted by [`Decoder::ignored`]; others that are bad are put into
    /// `bad`, in order, and are no rows.
    ///
    /// # Errors
    /// Only for what is not about one record.
    fn cut(
        &mut self,
        chunk: &RawChunk,
        want: &[usize],
        out: &mut Slices,
        bad: &mut Vec<BadRecord>,
    ) -> Result<(), Fault>;

    /// Builds a column (a position in the spec's columns that is in its `read`) for some rows of what [`Decoder::cut`] found, in the
    /// given order. The column need not have been in `want`: the decoder then looks the rows' records up in the chunk again.
    ///
    /// # Errors
    /// The first value that is not one of the type, if `cut` has not seen that already.
    fn build(
        &mut self,
        chunk: &RawChunk,
        slices: &Slices,
        column: usize,
        rows: &UInt32Array,
    ) -> Result<ArrayRef, BadRecord>;

    /// The kinds of the rows that [`Decoder::cut`] found; `None`: all are inserts.
    fn kinds(&self) -> Option<&[RowKind]> {
        None
    }

    /// Bad records and fields left out so far because the format's option says so (`json.ignore-parse-errors`).
    fn ignored(&self) -> u64 {
        0
    }
}
