//! Time and randomness, handed in so that a whole job can run under a simulated clock.

use std::fmt::Debug;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

/// Where the time comes from.
pub trait Clock: Send + Sync + Debug {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    fn now_millis(&self) -> i64;
    /// Nanoseconds on a clock that never goes back; only differences mean anything.
    fn monotonic_nanos(&self) -> u64;
}

/// Where randomness comes from.
pub trait Random: Send + Sync + Debug {
    /// The next 64 random bits.
    fn next_u64(&self) -> u64;
}

/// A clock that stands still until it is told to move: for tests and simulations.
#[derive(Debug, Default)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    /// A clock that shows `millis` since the epoch.
    pub fn new(millis: i64) -> Self {
        ManualClock(AtomicI64::new(millis))
    }

    /// Moves the clock forward.
    pub fn advance(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now_millis(&self) -> i64 {
        self.0.load(Ordering::SeqCst)
    }

    fn monotonic_nanos(&self) -> u64 {
        (self.now_millis().max(0) as u64).saturating_mul(1_000_000)
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same seed gives the same sequence on every machine.
#[derive(Debug)]
pub struct SeededRandom(AtomicU64);

impl SeededRandom {
    /// A generator that starts at `seed`.
    pub fn new(seed: u64) -> Self {
        SeededRandom(AtomicU64::new(seed))
    }
}

impl Random for SeededRandom {
    fn next_u64(&self) -> u64 {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut z = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}
