//! Sets of constants for IN and alike: built once per plan, asked for every row.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

/// A multiplicative hash: good enough for constants of a query, which nobody can make collide at run time.
#[derive(Debug, Default, Clone, Copy)]
pub struct QuickHasher(u64);

const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

impl QuickHasher {
    #[inline]
    fn mix(&mut self, word: u64) {
        self.0 = (self.0 ^ word).wrapping_mul(FACTOR);
        self.0 ^= self.0 >> 32;
    }
}

impl Hasher for QuickHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for w in words {
            self.mix(u64::from_le_bytes(*w));
        }
        if !rest.is_empty() {
            let mut last = [0u8; 8];
            for (to, from) in last.iter_mut().zip(rest) {
                *to = *from;
            }
            self.mix(u64::from_le_bytes(last) ^ ((rest.len() as u64) << 56));
        }
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        self.mix(word);
    }

    #[inline]
    fn write_i64(&mut self, word: i64) {
        self.mix(word as u64);
    }

    #[inline]
    fn write_usize(&mut self, word: usize) {
        self.mix(word as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

type Quick = BuildHasherDefault<QuickHasher>;

/// A set of integers.
#[derive(Debug)]
pub struct IntSet {
    set: HashSet<i64, Quick>,
    low: i64,
    high: i64,
}

impl IntSet {
    /// A set of these integers.
    pub fn new(values: impl IntoIterator<Item = i64>) -> Self {
        let set: HashSet<i64, Quick> = values.into_iter().collect();
        let low = set.iter().min().copied().unwrap_or(1);
        let high = set.iter().max().copied().unwrap_or(0);
        IntSet { set, low, high }
    }

    /// Whether an integer is in it.
    #[inline]
    pub fn contains(&self, value: i64) -> bool {
        value >= self.low && value <= self.high && self.set.contains(&value)
    }
}

/// A set of texts.
#[derive(Debug)]
pub struct TextSet {
    set: HashSet<Box<[u8]>, Quick>,
    /// Bit n: a text of n bytes is in it; the last bit: one of 63 bytes or more.
    lengths: u64,
}

impl TextSet {
    /// A set of these texts.
    pub fn new<'a>(values: impl IntoIterator<Item = &'a str>) -> Self {
        let set: HashSet<Box<[u8]>, Quick> = values.into_iter().map(|s| s.as_bytes().into()).collect();
        let lengths = set.iter().fold(0, |bits, s| bits | 1 << s.len().min(63));
        TextSet { set, lengths }
    }

    /// Whether a text is in it.
    #[inline]
    pub fn contains(&self, text: &[u8]) -> bool {
        self.lengths >> text.len().min(63) & 1 == 1 && self.set.contains(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_hold_what_they_hold() {
        let texts: Vec<String> = (0..1000).map(|i| format!("host-{i}")).collect();
        let set = TextSet::new(texts.iter().map(String::as_str));
        assert!(texts.iter().all(|t| set.contains(t.as_bytes())));
        assert!(!set.contains(b"host-1000") && !set.contains(b"") && !set.contains(&[b'x'; 100]));
        let ints = IntSet::new([i64::MIN, -1, 7, i64::MAX]);
        assert!(ints.contains(i64::MIN) && ints.contains(7) && !ints.contains(8));
        assert!(!IntSet::new([]).contains(0));
    }
}
