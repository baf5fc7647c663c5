//! Which windows of a text may be in a table: a bit for each hash, several positions at once.

/// Bytes of a window.
pub(super) const WINDOW: usize = 4;
const FOLD: u32 = 0x2020_2020;

/// Four bytes as one number, letters of either case the same.
#[inline(always)]
pub(super) fn folded(window: &[u8]) -> u32 {
    match window {
        [a, b, c, d] => u32::from_le_bytes([*a, *b, *c, *d]) | FOLD,
        _ => 0,
    }
}

/// The window at a position; `None`: the text ends before.
#[inline(always)]
pub(super) fn window(text: &[u8], at: usize) -> Option<u32> {
    text.get(at..)?.first_chunk::<WINDOW>().map(|w| u32::from_le_bytes(*w) | FOLD)
}

/// A number of 32 bits, of which the upper ones are the best.
#[inline(always)]
pub(super) fn hash(gram: u32) -> u32 {
    gram.wrapping_mul(0x9E37_79B1)
}

/// Bytes from one looked-at position of a text to the next. Of each literal as many neighbouring windows are in the table, so that one of them
/// stands at such a position wherever the literal does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    One,
    Two,
    Four,
}

impl Step {
    /// The longest first.
    pub(super) const ALL: [Step; 3] = [Step::Four, Step::Two, Step::One];

    pub(super) fn bytes(self) -> usize {
        match self {
            Step::One => 1,
            Step::Two => 2,
            Step::Four => 4,
        }
    }
}

/// A bit for each hash of a window. The sizes are known when this is compiled, which spares a look at them for each byte.
#[derive(Debug)]
pub(super) enum Filter {
    Tiny(Box<[u64; 1 << 6]>),
    Small(Box<[u64; 1 << 8]>),
    Middle(Box<[u64; 1 << 10]>),
    Large(Box<[u64; 1 << 12]>),
}

impl Filter {
    /// The filter of so many windows.
    pub(super) fn new(windows: usize) -> Self {
        match windows {
            0..128 => Filter::Tiny(Box::new([0; _])),
            128..512 => Filter::Small(Box::new([0; _])),
            512..2048 => Filter::Middle(Box::new([0; _])),
            _ => Filter::Large(Box::new([0; _])),
        }
    }

    pub(super) fn insert(&mut self, gram: u32) {
        match self {
            Filter::Tiny(bits) => insert(bits, gram),
            Filter::Small(bits) => insert(bits, gram),
            Filter::Middle(bits) => insert(bits, gram),
            Filter::Large(bits) => insert(bits, gram),
        }
    }

    /// Puts the positions of windows that may be in the table into `hits`.
    #[inline]
    pub(super) fn positions(&self, step: Step, text: &[u8], hits: &mut Vec<u32>) {
        hits.clear();
        match self {
            Filter::Tiny(bits) => positions(bits, step, text, hits),
            Filter::Small(bits) => positions(bits, step, text, hits),
            Filter::Middle(bits) => positions(bits, step, text, hits),
            Filter::Large(bits) => positions(bits, step, text, hits),
        }
    }
}

fn insert<const N: usize>(bits: &mut [u64; N], gram: u32) {
    let at = place::<N>(gram);
    if let Some(word) = bits.get_mut(at >> 6) {
        *word |= 1 << (at & 63);
    }
}

#[inline(always)]
fn place<const N: usize>(gram: u32) -> usize {
    (hash(gram) >> (32 - 6 - N.trailing_zeros())) as usize
}

/// The lowest bit says whether the window may be there; the others say nothing.
#[inline(always)]
#[allow(clippy::indexing_slicing)] // a place is below 64 * N
fn bit<const N: usize>(bits: &[u64; N], gram: u32) -> u64 {
    let at = place::<N>(gram);
    bits[at >> 6] >> (at & 63)
}

fn positions<const N: usize>(bits: &[u64; N], step: Step, text: &[u8], hits: &mut Vec<u32>) {
    match step {
        Step::One => scan::<N, 1, 8>(bits, text, hits),
        Step::Two => scan::<N, 2, 8>(bits, text, hits),
        Step::Four => scan::<N, 4, 4>(bits, text, hits),
    }
}

/// Looks at each `STEP`-th position, `AT_ONCE` of them without asking in between whether there was something.
#[inline(always)]
fn scan<const N: usize, const STEP: usize, const AT_ONCE: usize>(
    bits: &[u64; N],
    text: &[u8],
    hits: &mut Vec<u32>,
) {
    let Some(last) = text.len().checked_sub(WINDOW) else { return };
    let last = last / STEP * STEP;
    let Some(most) = last.checked_sub(STEP * (AT_ONCE - 1)) else {
        for at in (0..=last).step_by(STEP) {
            if window(text, at).is_some_and(|w| bit(bits, w) & 1 != 0) {
                hits.push(at as u32);
            }
        }
        return;
    };
    let mut at = 0;
    while at <= last {
        // The last ones are looked at together with some that were before.
        let start = at.min(most);
        let Some(block) = text.get(start..start + STEP * (AT_ONCE - 1) + WINDOW) else { return };
        let mut any = 0;
        for i in 0..AT_ONCE {
            any |= bit(bits, window(block, i * STEP).unwrap_or(0));
        }
        if any & 1 != 0 {
            those(bits, block, start, STEP, at, hits);
        }
        at = start + STEP * AT_ONCE;
    }
}

/// Which positions of a block it was, from `from` on. Apart, so that the loop before keeps nothing for it.
#[cold]
#[inline(never)]
fn those<const N: usize>(
    bits: &[u64; N],
    block: &[u8],
    start: usize,
    step: usize,
    from: usize,
    hits: &mut Vec<u32>,
) {
    for (at, w) in block.windows(WINDOW).enumerate().step_by(step) {
        if start + at >= from && bit(bits, folded(w)) & 1 != 0 {
            hits.push((start + at) as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_window_at_a_step_is_seen_once() {
        let text: Vec<u8> = (0..90u8).map(|i| b'A' + i % 29).collect();
        for windows in [1, 200, 1000, 5000] {
            for length in 0..text.len() {
                let text = &text[..length];
                for step in Step::ALL {
                    let mut filter = Filter::new(windows);
                    text.windows(WINDOW).for_each(|w| filter.insert(folded(w)));
                    let mut hits = vec![7];
                    filter.positions(step, text, &mut hits);
                    let wanted: Vec<u32> = (0..(length + 1).saturating_sub(WINDOW))
                        .step_by(step.bytes())
                        .map(|at| at as u32)
                        .collect();
                    assert_eq!(hits, wanted, "{length} {step:?}");
                    let mut one = Filter::new(windows);
                    if let Some(at) = wanted.last() {
                        one.insert(window(text, *at as usize).unwrap());
                        one.positions(step, text, &mut hits);
                        assert!(hits.contains(at), "{length} {step:?}");
                    }
                }
            }
        }
    }
}
