//! What a job has done so far, for the progress line, metrics and the final table.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use millstream_rules::RuleReport;

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
    /// What each rule has cost, once its source has been read.
    pub rules: Mutex<Vec<RuleCost>>,
}

/// A rule (the pushed filter of one query) and what it has cost.
#[derive(Debug, Clone)]
pub struct RuleCost {
    /// The source's table.
    pub table: String,
    /// Position of the statement that the rule belongs to.
    pub statement: usize,
    /// How its rows were chosen, and the figures.
    pub report: RuleReport,
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
