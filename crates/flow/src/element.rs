//! What travels along the edges of a job.

use millstream_types::Batch;

/// The lowest watermark: nothing is known yet.
pub const MIN_WATERMARK: i64 = i64::MIN;
/// The watermark at the end of bounded input.
pub const MAX_WATERMARK: i64 = i64::MAX;

/// Event time, in milliseconds since the epoch: no row with an earlier or equal time is expected any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Watermark(pub i64);

/// A checkpoint's border in the stream: what came before it belongs to checkpoint `checkpoint`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Barrier {
    /// The checkpoint's number.
    pub checkpoint: u64,
    /// Whether the job stops behind it.
    pub last: bool,
}

/// An element of a stream.
#[derive(Debug, Clone)]
pub enum Element {
    /// Rows. They carry the running watermark row by row; the watermark behind the last row follows as an element of its own.
    Batch(Batch),
    /// The watermark moves forward.
    Watermark(Watermark),
    /// The input is idle: it holds no watermark back until its next element.
    Idle,
    /// A checkpoint's border.
    Barrier(Barrier),
    /// No more elements.
    End,
}
