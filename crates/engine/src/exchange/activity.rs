//! How much of a job is under way, to say when it is drained.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Elements that are in channels or being worked on, in all tasks of a job.
#[derive(Debug, Clone, Default)]
pub struct Activity(Arc<AtomicUsize>);

impl Activity {
    /// Counts one more thing under way, until the guard is dropped.
    pub fn begin(&self) -> Underway {
        self.0.fetch_add(1, Ordering::SeqCst);
        Underway(self.0.clone())
    }

    /// Whether nothing is under way: everything that sources have given so far has reached the sinks.
    pub fn is_drained(&self) -> bool {
        self.0.load(Ordering::SeqCst) == 0
    }
}

/// One thing that is under way.
#[derive(Debug)]
pub struct Underway(Arc<AtomicUsize>);

impl Drop for Underway {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
