//! The patterns that are in use: a rule's pattern is asked for by its expression and by the rule index, and equal patterns of many rules are one.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use super::Inner;

/// Weak, so that a pattern goes with its last user.
static LIVE: LazyLock<Mutex<Live>> = LazyLock::new(Mutex::default);

/// Entries at which those that are gone are first looked for.
const FIRST_SWEEP: usize = 1024;

#[derive(Default)]
struct Live {
    patterns: HashMap<Box<str>, Weak<Inner>>,
    /// Entries at which those that are gone are looked for next: twice what was left.
    sweep: usize,
}

/// The pattern of a text, if somebody has it.
pub(super) fn find(java: &str) -> Option<Arc<Inner>> {
    let live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    live.patterns.get(java)?.upgrade()
}

/// Notes a pattern.
pub(super) fn keep(inner: &Arc<Inner>) {
    let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
    if live.patterns.len() >= live.sweep.max(FIRST_SWEEP) {
        live.patterns.retain(|_, weak| weak.strong_count() > 0);
        live.sweep = live.patterns.len() * 2;
    }
    live.patterns.insert(inner.java.as_str().into(), Arc::downgrade(inner));
}
