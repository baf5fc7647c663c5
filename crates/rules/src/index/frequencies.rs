//! How often windows were seen in the texts of a column.

use super::filter::{WINDOW, folded, hash};

/// Counts up to 255, by a hash of so many bits.
#[derive(Debug, Clone)]
pub(super) struct Frequencies {
    counts: Vec<u8>,
    /// Texts that were looked at, and their bytes.
    pub(super) texts: u32,
    pub(super) bytes: u64,
}

const BITS: u32 = 15;

impl Default for Frequencies {
    fn default() -> Self {
        Frequencies { counts: vec![0; 1 << BITS], texts: 0, bytes: 0 }
    }
}

impl Frequencies {
    pub(super) fn count(&mut self, text: &[u8]) {
        self.texts += 1;
        self.bytes += text.len() as u64;
        for w in text.windows(WINDOW) {
            if let Some(n) = self.counts.get_mut(place(folded(w))) {
                *n = n.saturating_add(1);
            }
        }
    }

    /// How often a window was seen. What was seen too often to be counted is thought to be in every text.
    pub(super) fn of(&self, gram: u32) -> u32 {
        match self.counts.get(place(gram)).copied().unwrap_or(0) {
            u8::MAX => self.texts.max(u8::MAX.into()),
            n => n.into(),
        }
    }
}

fn place(gram: u32) -> usize {
    (hash(gram) >> (32 - BITS)) as usize
}
