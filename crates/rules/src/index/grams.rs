//! Literals in texts: a table of four-byte windows says where a literal may be, then it is compared.
//!
//! Windows are folded (`byte | 0x20`), so that one table serves literals of either case; some other bytes meet as well, which the comparison
//! sorts out. Of each literal the rarest window goes into the table, by how often windows were seen in a sample.

use super::atom::{Case, Place};
use super::found::Slot;

/// Bytes of a window.
pub(super) const WINDOW: usize = 4;
const FOLD: u32 = 0x2020_2020;

/// A literal to be found.
#[derive(Debug, Clone)]
pub(super) struct Sought {
    pub(super) literal: Box<[u8]>,
    pub(super) place: Place,
    pub(super) case: Case,
    pub(super) slot: Slot,
}

impl Sought {
    /// Whether the literal stands at a position of a text.
    #[inline]
    pub(super) fn is_at(&self, text: &[u8], start: usize) -> bool {
        let Some(part) = text.get(start..start + self.literal.len()) else { return false };
        let placed = match self.place {
            Place::Anywhere => true,
            Place::Start => start == 0,
            Place::End => start + self.literal.len() == text.len(),
            Place::Whole => part.len() == text.len(),
        };
        placed
            && if self.case == Case::Exact {
                *part == *self.literal
            } else {
                part.eq_ignore_ascii_case(&self.literal)
            }
    }

    /// Whether it is in a text, without a table.
    pub(super) fn is_in(&self, text: &[u8]) -> bool {
        let length = self.literal.len();
        if text.len() < length {
            return false;
        }
        match self.place {
            Place::Start | Place::Whole => self.is_at(text, 0),
            Place::End => self.is_at(text, text.len() - length),
            Place::Anywhere if self.case == Case::Exact => {
                memchr::memmem::find(text, &self.literal).is_some()
            }
            Place::Anywhere => (0..=text.len() - length).any(|i| self.is_at(text, i)),
        }
    }
}

/// How often windows were seen: up to 255 times, by a hash of so many bits.
#[derive(Debug, Clone)]
pub(super) struct Frequencies(Vec<u8>);

const FREQUENCY_BITS: u32 = 15;

impl Default for Frequencies {
    fn default() -> Self {
        Frequencies(vec![0; 1 << FREQUENCY_BITS])
    }
}

impl Frequencies {
    pub(super) fn count(&mut self, text: &[u8]) {
        for w in text.windows(WINDOW) {
            if let Some(n) = self.0.get_mut(hash(folded(w), FREQUENCY_BITS)) {
                *n = n.saturating_add(1);
            }
        }
    }

    fn of(&self, gram: u32) -> u32 {
        self.0.get(hash(gram, FREQUENCY_BITS)).copied().unwrap_or(0).into()
    }
}

#[inline(always)]
fn folded(window: &[u8]) -> u32 {
    match window {
        [a, b, c, d] => u32::from_le_bytes([*a, *b, *c, *d]) | FOLD,
        _ => 0,
    }
}

#[inline(always)]
fn hash(gram: u32, bits: u32) -> usize {
    (gram.wrapping_mul(0x9E37_79B1) >> (32 - bits)) as usize
}

/// Whether a byte is spelled as itself in every escaped text.
fn is_plain(byte: u8) -> bool {
    byte >= 0x20 && !matches!(byte, b'"' | b'\\' | b'/')
}

#[derive(Debug, Clone, Copy)]
struct Entry {
    gram: u32,
    /// Where the window is in the literal.
    offset: u32,
    sought: u32,
}

/// The table of the literals of at least [`WINDOW`] bytes of one column.
#[derive(Debug)]
pub(super) struct Grams {
    bits: u32,
    filter: Vec<u64>,
    /// For each hash, where its entries begin; one more at the end.
    starts: Vec<u32>,
    entries: Vec<Entry>,
    /// Whether every window consists of bytes that are spelled as themselves in escaped texts.
    pub(super) plain: bool,
}

impl Grams {
    pub(super) fn new(sought: &[Sought], frequencies: Option<&Frequencies>) -> Self {
        let bits = (usize::BITS - (sought.len() * 64).leading_zeros()).clamp(12, 18);
        let mut plain = true;
        let mut chosen: Vec<(usize, Entry)> = Vec::with_capacity(sought.len());
        for (i, s) in sought.iter().enumerate() {
            let best = s
                .literal
                .windows(WINDOW)
                .enumerate()
                .map(|(offset, w)| {
                    let gram = folded(w);
                    let is_plain = w.iter().all(|b| is_plain(*b));
                    (!is_plain, frequencies.map_or(0, |f| f.of(gram)), offset, gram)
                })
                .min();
            let Some((escaped, _, offset, gram)) = best else { continue };
            plain &= !escaped;
            chosen.push((hash(gram, bits), Entry { gram, offset: offset as u32, sought: i as u32 }));
        }
        chosen.sort_unstable_by_key(|(h, e)| (*h, e.gram));
        let size = 1usize << bits;
        let mut filter = vec![0u64; size / 64];
        let mut starts = vec![0u32; size + 1];
        for (h, _) in &chosen {
            if let Some(word) = filter.get_mut(h / 64) {
                *word |= 1 << (h % 64);
            }
            if let Some(n) = starts.get_mut(h + 1) {
                *n += 1;
            }
        }
        let mut sum = 0;
        for n in &mut starts {
            sum += *n;
            *n = sum;
        }
        Grams { bits, filter, starts, entries: chosen.into_iter().map(|(_, e)| e).collect(), plain }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The first window at `from` or later that is in the filter: its position and hash.
    #[inline]
    #[allow(clippy::indexing_slicing)] // a hash has `bits` bits, and the filter 2^bits
    pub(super) fn next(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        let rest = text.get(from..)?;
        for (i, w) in rest.windows(WINDOW).enumerate() {
            let h = hash(folded(w), self.bits);
            if self.filter[h >> 6] >> (h & 63) & 1 != 0 {
                return Some((from + i, h));
            }
        }
        None
    }

    /// Whether some literal's window is in a text that may be escaped.
    #[inline]
    pub(super) fn suspects(&self, text: &[u8]) -> bool {
        let mut from = 0;
        while let Some((at, h)) = self.next(text, from) {
            let gram = text.get(at..at + WINDOW).map_or(0, folded);
            if self.entries_of(h).iter().any(|e| e.gram == gram) {
                return true;
            }
            from = at + 1;
        }
        false
    }

    fn entries_of(&self, hash: usize) -> &[Entry] {
        let start = self.starts.get(hash).copied().unwrap_or(0) as usize;
        let end = self.starts.get(hash + 1).copied().unwrap_or(0) as usize;
        self.entries.get(start..end).unwrap_or(&[])
    }

    /// Calls `hit` for each literal (its number) that stands somewhere in the text.
    #[inline]
    pub(super) fn find(&self, sought: &[Sought], text: &[u8], mut hit: impl FnMut(&Sought)) {
        let mut from = 0;
        while let Some((at, h)) = self.next(text, from) {
            from = at + 1;
            let gram = text.get(at..at + WINDOW).map_or(0, folded);
            for e in self.entries_of(h).iter().filter(|e| e.gram == gram) {
                if let Some(start) = at.checked_sub(e.offset as usize)
                    && let Some(s) = sought.get(e.sought as usize)
                    && s.is_at(text, start)
                {
                    hit(s);
                }
            }
        }
    }
}
