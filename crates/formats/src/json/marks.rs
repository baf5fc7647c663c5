//! Where quotes and backslashes are: a bit for every byte, 64 at a time, found for some kilobytes ahead of the records that are read. The end of
//! a string is then the next bit, however many escapes stand before it, and a record without other characters than ASCII is known as such.
//!
//! Whether a quote is escaped is decided from the record's first block on. What stands in that block before the record cannot change it: a record
//! that is read with these begins with a brace, where every run of backslashes ends.

/// Bytes of a block.
const BLOCK: usize = 64;
/// Bytes that are looked at ahead, for records that follow each other: what is found in them stays in the first cache.
const AHEAD: usize = 8 << 10;

/// 64 bytes, the first one's bit the lowest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Block {
    /// Quotes that are not escaped.
    quotes: u64,
    backslashes: u64,
    /// Escaped characters other than quotes and backslashes: those of `\n`, `\u` and of what is no escape.
    odd: u64,
    /// Bytes that are no ASCII.
    high: u64,
}

/// The blocks of a part of a chunk. What they hold is forgotten when another chunk is begun.
#[derive(Debug, Default)]
pub(super) struct Marks {
    blocks: Vec<Block>,
    base: usize,
    /// Any of the blocks has bytes that are no ASCII.
    high: bool,
}

/// The blocks as a record's reader sees them.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Marked<'a> {
    blocks: &'a [Block],
    base: usize,
}

/// A string that was found: its closing quote, and whether it has escapes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Closed {
    pub close: usize,
    pub escaped: bool,
}

impl Marks {
    /// Another chunk is begun.
    pub fn forget(&mut self) {
        self.blocks.clear();
    }

    /// Sees that the bytes from `start` to `end` are covered; with `ahead`, more are looked at, for the records behind.
    #[inline]
    pub fn cover(&mut self, data: &[u8], start: usize, end: usize, ahead: bool) {
        if start < self.base || end > self.base + self.blocks.len() * BLOCK {
            let further = if ahead { end.max(start + AHEAD) } else { end };
            self.fill(data, start, further);
        }
    }

    #[inline(never)]
    fn fill(&mut self, data: &[u8], start: usize, end: usize) {
        self.base = start / BLOCK * BLOCK;
        let part = data.get(self.base..end.next_multiple_of(BLOCK).min(data.len())).unwrap_or_default();
        self.high = find(part, &mut self.blocks);
    }

    /// The blocks, for reading.
    #[inline(always)]
    pub fn marked(&self) -> Marked<'_> {
        Marked { blocks: &self.blocks, base: self.base }
    }

    /// Whether the bytes from `start` to `end`, which are covered, are surely ASCII.
    #[inline(always)]
    pub fn is_ascii(&self, start: usize, end: usize) -> bool {
        let block = |at: usize| at.saturating_sub(self.base) / BLOCK;
        !self.high
            || self.blocks.get(block(start)..=block(end)).is_some_and(|b| b.iter().all(|b| b.high == 0))
    }
}

impl Marked<'_> {
    /// The string whose inside begins at `at`, if it ends in what is covered and its escapes are all of quotes and backslashes.
    #[inline(always)]
    pub fn string(&self, at: usize) -> Option<Closed> {
        let from = at.wrapping_sub(self.base);
        let mut number = from / BLOCK;
        let mut mask = u64::MAX << (from % BLOCK);
        let (mut backslashes, mut odd) = (0, 0);
        loop {
            let block = self.blocks.get(number)?;
            let quotes = block.quotes & mask;
            if quotes != 0 {
                let inside = mask & (quotes & quotes.wrapping_neg()).wrapping_sub(1);
                backslashes |= block.backslashes & inside;
                odd |= block.odd & inside;
                let close = self.base + number * BLOCK + quotes.trailing_zeros() as usize;
                return (odd == 0).then_some(Closed { close, escaped: backslashes != 0 });
            }
            backslashes |= block.backslashes & mask;
            odd |= block.odd & mask;
            mask = u64::MAX;
            number += 1;
        }
    }
}

/// Quotes, backslashes and other characters than ASCII in a block.
type Seen = (u64, u64, u64);

/// Puts the blocks of some bytes into `out`; `true` if any of the bytes is no ASCII.
fn find(data: &[u8], out: &mut Vec<Block>) -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has AVX2.
            return unsafe { find_avx2(data, out) };
        }
        find_by(data, out, seen_sse2)
    }
    #[cfg(not(target_arch = "x86_64"))]
    find_by(data, out, seen_plain)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn find_avx2(data: &[u8], out: &mut Vec<Block>) -> bool {
    use std::arch::x86_64::{_mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_set1_epi8};
    find_by(data, out, |block| {
        let (mut quotes, mut backslashes, mut high) = (0u64, 0u64, 0u64);
        for (i, half) in block.as_chunks::<32>().0.iter().enumerate() {
            // SAFETY: the caller has made sure of AVX2, and the unaligned load reads the half's 32 bytes.
            let (q, b, h) = unsafe {
                let v = _mm256_loadu_si256(half.as_ptr().cast());
                let is = |c: u8| _mm256_movemask_epi8(_mm256_cmpeq_epi8(v, _mm256_set1_epi8(c as i8))) as u32;
                (is(b'"'), is(b'\\'), _mm256_movemask_epi8(v) as u32)
            };
            quotes |= u64::from(q) << (32 * i);
            backslashes |= u64::from(b) << (32 * i);
            high |= u64::from(h) << (32 * i);
        }
        (quotes, backslashes, high)
    })
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn seen_sse2(block: &[u8; BLOCK]) -> Seen {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_set1_epi8};
    let (mut quotes, mut backslashes, mut high) = (0u64, 0u64, 0u64);
    for (i, part) in block.as_chunks::<16>().0.iter().enumerate() {
        // SAFETY: SSE2 is part of every x86-64, and the unaligned load reads the part's 16 bytes.
        let (q, b, h) = unsafe {
            let v = _mm_loadu_si128(part.as_ptr().cast());
            let is = |c: u8| _mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(c as i8))) as u16;
            (is(b'"'), is(b'\\'), _mm_movemask_epi8(v) as u16)
        };
        quotes |= u64::from(q) << (16 * i);
        backslashes |= u64::from(b) << (16 * i);
        high |= u64::from(h) << (16 * i);
    }
    (quotes, backslashes, high)
}

/// The same, byte by byte.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn seen_plain(block: &[u8; BLOCK]) -> Seen {
    let bits = |is: fn(u8) -> bool| block.iter().rev().fold(0, |bits, b| bits << 1 | u64::from(is(*b)));
    (bits(|b| b == b'"'), bits(|b| b == b'\\'), bits(|b| !b.is_ascii()))
}

#[inline(always)]
fn find_by(data: &[u8], out: &mut Vec<Block>, seen: impl Fn(&[u8; BLOCK]) -> Seen) -> bool {
    let (blocks, rest) = data.as_chunks::<BLOCK>();
    let (mut escaping, mut high) = (0, 0);
    // No iterator that is given a closure: that would be compiled without the processor's features that `seen` may use, and then call it.
    out.resize(blocks.len(), Block::default());
    for (to, block) in out.iter_mut().zip(blocks) {
        *to = resolve(seen(block), &mut escaping);
        high |= to.high;
    }
    if !rest.is_empty() {
        let mut block = [0u8; BLOCK];
        for (to, from) in block.iter_mut().zip(rest) {
            *to = *from;
        }
        let last = resolve(seen(&block), &mut escaping);
        high |= last.high;
        out.push(last);
    }
    high != 0
}

/// Which quotes are escaped. `escaping`: 1 if the byte behind the block is escaped by its last one.
///
/// Of a run of backslashes every second one escapes what follows. Subtracting a run's bits, moved by one, from the odd places carries through the
/// run, so that those left over are where escapes begin and where the last one ends (as simdjson does it).
#[inline(always)]
fn resolve((quotes, backslashes, high): Seen, escaping: &mut u64) -> Block {
    const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
    if backslashes == 0 {
        let escaped = std::mem::take(escaping);
        return Block { quotes: quotes & !escaped, backslashes, odd: escaped & !quotes, high };
    }
    let starts = backslashes & !*escaping;
    let behind = starts << 1;
    let codes = ((behind | ODD).wrapping_sub(starts)) ^ ODD;
    let escaped = codes ^ (backslashes | *escaping);
    *escaping = (codes & backslashes) >> 63;
    Block { quotes: quotes & !escaped, backslashes, odd: escaped & !(quotes | backslashes), high }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes of which many are quotes and backslashes.
    fn bytes(state: &mut u64, length: usize) -> Vec<u8> {
        let mut next = || {
            *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            *state >> 33
        };
        let kind = next() % 4;
        (0..length)
            .map(|_| match next() % 16 {
                0..=2 => b'"',
                3..=8 if kind > 0 => b'\\',
                9 if kind > 1 => 0xC3,
                _ => b'a' + (next() % 26) as u8,
            })
            .collect()
    }

    /// The blocks, by a loop over the bytes.
    fn slow(data: &[u8]) -> Vec<Block> {
        let mut out = vec![Block::default(); data.len().div_ceil(BLOCK)];
        let mut escaping = false;
        for (i, b) in data.iter().enumerate() {
            let (block, bit) = (&mut out[i / BLOCK], 1u64 << (i % BLOCK));
            let escaped = escaping;
            escaping = *b == b'\\' && !escaped;
            match b {
                b'"' if !escaped => block.quotes |= bit,
                b'\\' => block.backslashes |= bit,
                b'"' => {}
                _ if escaped => block.odd |= bit,
                _ => {}
            }
            if !b.is_ascii() {
                block.high |= bit;
            }
        }
        out
    }

    type Way = fn(&[u8], &mut Vec<Block>) -> bool;

    #[test]
    fn every_way_finds_what_the_plain_loop_finds() {
        let mut state = 7;
        for round in 0..4000 {
            let data = bytes(&mut state, round % 300);
            let wanted = slow(&data);
            let any_high = data.iter().any(|b| !b.is_ascii());
            let mut ways: Vec<Way> = vec![find, |d, out| find_by(d, out, seen_plain)];
            #[cfg(target_arch = "x86_64")]
            ways.push(|d, out| find_by(d, out, seen_sse2));
            for way in ways {
                let mut out = Vec::new();
                assert_eq!(way(&data, &mut out), any_high);
                // An escape that ends the data escapes the padding.
                for (at, (found, wanted)) in out.iter().zip(&wanted).enumerate() {
                    let inside = match data.len() - at * BLOCK {
                        n if n < BLOCK => (1u64 << n) - 1,
                        _ => u64::MAX,
                    };
                    let found = Block { odd: found.odd & inside, ..*found };
                    assert_eq!(found, *wanted, "{:?}", String::from_utf8_lossy(&data));
                }
            }
        }
    }

    #[test]
    fn strings_end_where_they_should() {
        let mut state = 3;
        for round in 0..2000 {
            let data = bytes(&mut state, 40 + round % 200);
            // From a place where nothing is escaped.
            let Some(start) = (1..data.len()).find(|i| data[i - 1] == b'a') else { continue };
            let mut marks = Marks::default();
            marks.cover(&data, start, data.len(), round % 2 == 0);
            let (mut at, mut odd, mut escaped) = (start, false, false);
            let close = loop {
                match data.get(at) {
                    None => break None,
                    Some(b'"') => break Some(at),
                    Some(b'\\') => {
                        escaped = true;
                        odd |= !matches!(data.get(at + 1), Some(b'"' | b'\\'));
                        at += 2;
                    }
                    Some(_) => at += 1,
                }
            };
            let wanted = close.filter(|_| !odd).map(|close| Closed { close, escaped });
            assert_eq!(marks.marked().string(start), wanted);
        }
    }

    #[test]
    fn what_is_covered_is_not_found_again_and_the_rest_is() {
        let line = format!("{{\"a\":\"{}é\"}}\n", "x".repeat(5000));
        let data = line.repeat(5).into_bytes();
        let mut marks = Marks::default();
        for i in 0..5 {
            let start = i * line.len();
            marks.cover(&data, start, start + line.len() - 1, true);
            let close = start + line.len() - 3;
            assert_eq!(marks.marked().string(start + 6), Some(Closed { close, escaped: false }));
            assert!(!marks.is_ascii(start, start + line.len() - 1));
            assert!(marks.is_ascii(start + BLOCK, start + 4000));
        }
        // Before what is covered.
        assert_eq!(marks.marked().string(6), None);
        marks.forget();
        assert_eq!(marks.marked().string(6), None);
    }
}
