//! The memory that a job holds, counted against the budget that the user sets.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A counter of bytes with a limit, shared by everything in a job.
#[derive(Debug, Clone)]
pub struct MemoryBudget(Arc<Counters>);

#[derive(Debug)]
struct Counters {
    limit: usize,
    used: AtomicUsize,
    peak: AtomicUsize,
}

impl MemoryBudget {
    /// A budget of `limit` bytes.
    pub fn new(limit: usize) -> Self {
        MemoryBudget(Arc::new(Counters { limit, used: AtomicUsize::new(0), peak: AtomicUsize::new(0) }))
    }

    /// Counts bytes until the charge is dropped. Going over the limit is not refused here: who holds state decides between
    /// spilling and failing, who reads waits (see [`MemoryBudget::is_over`]).
    pub fn charge(&self, bytes: usize) -> Charge {
        let used = self.0.used.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.0.peak.fetch_max(used, Ordering::Relaxed);
        Charge { budget: self.clone(), bytes }
    }

    /// Bytes counted now.
    pub fn used(&self) -> usize {
        self.0.used.load(Ordering::Relaxed)
    }

    /// The most that was counted at once.
    pub fn peak(&self) -> usize {
        self.0.peak.load(Ordering::Relaxed)
    }

    /// The limit in bytes.
    pub fn limit(&self) -> usize {
        self.0.limit
    }

    /// Whether more is held than the budget allows.
    pub fn is_over(&self) -> bool {
        self.used() > self.0.limit
    }
}

/// Bytes that are counted as long as this lives.
#[derive(Debug)]
pub struct Charge {
    budget: MemoryBudget,
    bytes: usize,
}

impl Charge {
    /// Bytes of this charge.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Changes the number of bytes.
    pub fn resize(&mut self, bytes: usize) {
        let grown = self.budget.charge(bytes);
        *self = grown;
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.budget.0.used.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}
