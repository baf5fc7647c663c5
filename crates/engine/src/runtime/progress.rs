//! What a job has done so far, for the progress line, metrics and the final table.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Counters of a running job.
#[derive(Debug, Default)]
pub struct Progress {
    /// Records read from all sources.
    pub records: AtomicU64,
    /// Bytes of them.
    pub bytes: AtomicU64,
    /// Records that could not be decoded (skipped or put into a dead-letter table).
    pub bad_records: AtomicU64,
    /// Records and fields left out because the format's option says so.
    pub ignored: AtomicU64,
    /// Checkpoints that are durable and committed.
    pub checkpoints: AtomicU64,
    /// Sinks in the order of their statements.
    pub sinks: Vec<Arc<SinkProgress>>,
}

/// Counters of a sink.
#[derive(Debug, Default)]
pub struct SinkProgress {
    /// The table's name.
    pub name: String,
    /// Rows written.
    pub rows: AtomicU64,
}

impl Progress {
    /// Reads a counter.
    pub fn get(counter: &AtomicU64) -> u64 {
        counter.load(Ordering::Relaxed)
    }

    /// Adds to a counter.
    pub fn add(counter: &AtomicU64, by: u64) {
        counter.fetch_add(by, Ordering::Relaxed);
    }
}
