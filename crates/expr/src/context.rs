//! What an evaluation may know besides its input columns.

use std::sync::Arc;

use arrow::array::ArrayRef;
use millstream_types::{Clock, Random};

/// What functions may ask for: time, randomness, the session's settings.
#[derive(Debug, Clone)]
pub struct EvalContext {
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness for RAND, UUID.
    pub random: Arc<dyn Random>,
    /// `table.local-time-zone`, as the user wrote it.
    pub zone: Arc<str>,
    /// When the query started, in milliseconds since the epoch: batch queries fix CURRENT_TIMESTAMP and its kin at it.
    pub query_start: i64,
    /// Whether the query runs in batch mode.
    pub batch: bool,
}

/// The input of an evaluation.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// The input columns, by position. A position that no expression reads may hold an array of any length.
    pub columns: &'a [ArrayRef],
    /// Number of rows.
    pub rows: usize,
    /// The watermark (milliseconds) that stood when each row arrived, for CURRENT_WATERMARK; `None`: none is declared.
    pub watermarks: Option<&'a [i64]>,
}

/// Whether a text names a zone that `table.local-time-zone` may have.
///
/// # Errors
/// User, when there is no such zone.
pub fn check_time_zone(id: &str) -> Result<(), millstream_types::Fault> {
    millstream_text::temporal::Zone::of(id).map(|_| ())
}
