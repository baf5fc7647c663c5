//! The texts of one column: literals in them, and equality with constants.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use millstream_expr::kernel::hash::QuickHasher;

use super::atom::{Case, Place};
use super::filter::{WINDOW, hash, window};
use super::found::{Found, Slot};
use super::frequencies::Frequencies;
use super::grams::{Grams, Sought, is_plain};

/// Which literals are looked for in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    /// All: the text is ASCII, so that its cases are pairs.
    Ascii,
    /// Those that are compared with the text itself.
    Itself,
    /// Those that are compared with the text in lower (or upper) case, which this is.
    Cased(Case),
}

impl Pass {
    fn takes(self, case: Case) -> bool {
        match self {
            Pass::Ascii => true,
            Pass::Itself => matches!(case, Case::Exact | Case::Fold),
            Pass::Cased(of) => of == case,
        }
    }
}

/// How whole texts end: a bit for each hash of the last four bytes, letters of either case the same.
#[derive(Debug)]
struct Tails {
    bits: Box<[u64; 64]>,
    /// Whether one of them is shorter.
    short: bool,
}

impl Default for Tails {
    fn default() -> Self {
        Tails { bits: Box::new([0; 64]), short: false }
    }
}

impl Tails {
    fn of(text: &[u8]) -> Option<u32> {
        text.len().checked_sub(WINDOW).and_then(|at| window(text, at)).map(|tail| hash(tail) >> 20)
    }

    fn add(&mut self, literal: &[u8]) {
        let Some(tail) = Tails::of(literal) else {
            self.short = true;
            return;
        };
        if let Some(word) = self.bits.get_mut(tail as usize / 64) {
            *word |= 1 << (tail % 64);
        }
    }

    /// Whether a text (or what is its spelling with escapes) may be one of the whole texts.
    #[inline]
    fn may_be(&self, text: &[u8]) -> bool {
        let known = |tail: u32| self.bits.get(tail as usize / 64).is_some_and(|w| w >> (tail % 64) & 1 != 0);
        self.short || Tails::of(text).is_some_and(known)
    }
}

type ByText<T> = HashMap<Box<[u8]>, Vec<T>, BuildHasherDefault<QuickHasher>>;

/// The literals of one column.
#[derive(Debug)]
pub(super) struct Texts {
    /// In the table.
    long: Vec<Sought>,
    grams: Grams,
    /// Too short for it.
    short: Vec<Sought>,
    /// Whole texts, as they are.
    whole: ByText<Slot>,
    /// Whole texts in either case: by lower case.
    whole_folded: ByText<(Case, Slot)>,
    /// Bit `length % 64` of the whole texts.
    lengths: u64,
    tails: Tails,
    /// Whether a text with escapes in which nothing is suspected surely has none of the literals.
    plain: bool,
    lower: bool,
    upper: bool,
    scratch: Vec<u8>,
    key: Vec<u8>,
}

impl Texts {
    pub(super) fn new(sought: Vec<Sought>, frequencies: Option<&Frequencies>) -> Self {
        let cased = |case| sought.iter().any(|s| s.case == case);
        let (lower, upper) = (cased(Case::Lower), cased(Case::Upper));
        let mut texts = Texts {
            long: Vec::new(),
            grams: Grams::new(&[], None),
            short: Vec::new(),
            whole: ByText::default(),
            whole_folded: ByText::default(),
            lengths: 0,
            tails: Tails::default(),
            plain: true,
            lower,
            upper,
            scratch: Vec::new(),
            key: Vec::new(),
        };
        for s in sought {
            if s.place == Place::Whole {
                texts.lengths |= 1 << (s.literal.len() % 64);
                texts.tails.add(&s.literal);
                texts.plain &=
                    s.literal.len() >= WINDOW && s.literal.iter().rev().take(WINDOW).all(|b| is_plain(*b));
                if s.case == Case::Exact {
                    texts.whole.entry(s.literal).or_default().push(s.slot);
                } else {
                    texts.whole_folded.entry(s.literal).or_default().push((s.case, s.slot));
                }
            } else if s.literal.len() >= WINDOW {
                texts.long.push(s);
            } else {
                texts.plain &= s.literal.iter().all(|b| is_plain(*b));
                texts.short.push(s);
            }
        }
        texts.grams = Grams::new(&texts.long, frequencies);
        texts.plain &= texts.grams.plain;
        texts
    }

    /// Looks at a text with JSON's escapes.
    #[inline]
    pub(super) fn find_escaped(&mut self, raw: &[u8], row: u32, found: &mut Found) {
        // Outside ASCII a text may change when its case does.
        if self.plain && (!(self.lower || self.upper) || raw.is_ascii()) && !self.suspects(raw) {
            return;
        }
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        unescape(raw, &mut text);
        self.find(&text, row, found);
        self.scratch = text;
    }

    /// Whether a literal may be in a text with escapes: bytes that are spelled as themselves are in the raw bytes, too.
    #[inline]
    fn suspects(&mut self, raw: &[u8]) -> bool {
        self.lengths != 0 && self.tails.may_be(raw)
            || !self.grams.is_empty() && self.grams.suspects(raw)
            || self.short.iter().any(|s| s.is_in(raw))
    }

    /// Looks at a text.
    #[inline]
    pub(super) fn find(&mut self, text: &[u8], row: u32, found: &mut Found) {
        if !(self.lower || self.upper) {
            self.pass(Pass::Itself, text, row, found);
        } else if text.is_ascii() {
            self.pass(Pass::Ascii, text, row, found);
        } else {
            self.other_cases(text, row, found);
        }
    }

    #[cold]
    fn other_cases(&mut self, text: &[u8], row: u32, found: &mut Found) {
        self.pass(Pass::Itself, text, row, found);
        let known = String::from_utf8_lossy(text);
        if self.lower {
            self.pass(Pass::Cased(Case::Lower), known.to_lowercase().as_bytes(), row, found);
        }
        if self.upper {
            self.pass(Pass::Cased(Case::Upper), known.to_uppercase().as_bytes(), row, found);
        }
    }

    #[inline]
    fn pass(&mut self, pass: Pass, text: &[u8], row: u32, found: &mut Found) {
        if self.lengths >> (text.len() % 64) & 1 != 0 && self.tails.may_be(text) {
            self.wholes(pass, text, row, found);
        }
        if !self.grams.is_empty() {
            self.grams.find(&self.long, text, |s| {
                if pass.takes(s.case) {
                    found.emit(s.slot, row);
                }
            });
        }
        for s in &self.short {
            if pass.takes(s.case) && s.is_in(text) {
                found.emit(s.slot, row);
            }
        }
    }

    fn wholes(&mut self, pass: Pass, text: &[u8], row: u32, found: &mut Found) {
        if pass.takes(Case::Exact)
            && let Some(slots) = self.whole.get(text)
        {
            slots.iter().for_each(|s| found.emit(*s, row));
        }
        if self.whole_folded.is_empty() {
            return;
        }
        self.key.clear();
        self.key.extend(text.iter().map(u8::to_ascii_lowercase));
        if let Some(slots) = self.whole_folded.get(self.key.as_slice()) {
            for (case, slot) in slots {
                if pass.takes(*case) {
                    found.emit(*slot, row);
                }
            }
        }
    }
}

/// The text of a JSON string's inside, as the decoder builds it.
pub(super) fn unescape(raw: &[u8], out: &mut Vec<u8>) {
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (plain, escape) = rest.split_at(at);
        let simple = match escape.get(1) {
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(c @ (b'"' | b'\\' | b'/')) => *c,
            _ => {
                // Not what slices should hold: all of it again, the long way.
                out.clear();
                out.extend_from_slice(millstream_text::json::unescape(raw).as_bytes());
                return;
            }
        };
        out.extend_from_slice(plain);
        out.push(simple);
        rest = escape.get(2..).unwrap_or(&[]);
    }
    out.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random.
    struct Dice(u64);

    impl Dice {
        fn throw(&mut self, below: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) as usize % below
        }

        fn text(&mut self, shortest: usize, more: usize) -> Vec<u8> {
            let letters: &[u8] = if self.throw(2) == 0 { b"abcdeABC.: " } else { b"abC\\\"/\n\t" };
            (0..shortest + self.throw(more)).map(|_| letters[self.throw(letters.len())]).collect()
        }
    }

    fn escaped(text: &[u8], dice: &mut Dice) -> Vec<u8> {
        let mut out = Vec::new();
        for b in text {
            match b {
                b'\n' => out.extend(b"\\n"),
                b'\t' => out.extend(b"\\t"),
                b'/' if dice.throw(2) == 0 => out.push(b'/'),
                b'"' | b'\\' | b'/' => out.extend([b'\\', *b]),
                b => out.push(*b),
            }
        }
        out
    }

    #[test]
    fn literals_are_found_where_they_are() {
        let mut dice = Dice(7);
        let places = [Place::Anywhere, Place::Start, Place::End, Place::Whole];
        for round in 0..600 {
            // Of each kind of column: long literals only, short ones among them, one case, all cases, with and without a sample.
            let shortest = [1, 2, 4, 5, 7][round % 5];
            let cases = [[Case::Exact; 4], [Case::Fold, Case::Lower, Case::Upper, Case::Exact]][round % 2];
            let count = 1 + dice.throw(if round % 50 == 0 { 700 } else { 12 });
            let sought: Vec<Sought> = (0..count)
                .map(|slot| {
                    let (case, place) = (cases[dice.throw(4)], places[dice.throw(4)]);
                    let mut literal = dice.text(shortest, 9);
                    if case != Case::Exact {
                        literal.make_ascii_lowercase();
                    }
                    Sought { literal: literal.into(), place, case, slot: slot as Slot }
                })
                .collect();
            let texts: Vec<Vec<u8>> = (0..40)
                .map(|_| {
                    let mut text = dice.text(0, 24);
                    if dice.throw(3) > 0 {
                        let one = &sought[dice.throw(count)];
                        let end = if one.place == Place::Start { 0 } else { dice.throw(text.len() + 1) };
                        text.truncate(if one.place == Place::Whole { 0 } else { end });
                        text.extend_from_slice(&one.literal);
                        if matches!(one.place, Place::Anywhere | Place::Start) {
                            text.extend(dice.text(0, 9));
                        }
                    }
                    text
                })
                .collect();
            let mut frequencies = Frequencies::default();
            texts.iter().for_each(|t| frequencies.count(t));
            let sample = (round % 3 > 0).then_some(&frequencies);
            let mut index = Texts::new(sought.clone(), sample);
            for text in &texts {
                let wanted: Vec<Slot> = sought.iter().filter(|s| s.is_in(text)).map(|s| s.slot).collect();
                let raw = escaped(text, &mut dice);
                let (mut plain, mut found) = (Found::new(count), Found::new(count));
                index.find(text, 3, &mut plain);
                index.find_escaped(&raw, 3, &mut found);
                for found in [plain, found] {
                    let mut slots = found.touched().to_vec();
                    slots.sort_unstable();
                    assert_eq!(slots, wanted, "{:?}", String::from_utf8_lossy(&raw));
                }
            }
        }
    }
}
