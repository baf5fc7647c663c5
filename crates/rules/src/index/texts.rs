//! The texts of one column: literals in them, and equality with constants.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use millstream_expr::kernel::hash::QuickHasher;

use super::atom::{Case, Place};
use super::found::{Found, Slot};
use super::grams::{Frequencies, Grams, Sought, WINDOW};

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
            lower,
            upper,
            scratch: Vec::new(),
            key: Vec::new(),
        };
        for s in sought {
            if s.place == Place::Whole {
                texts.lengths |= 1 << (s.literal.len() % 64);
                if s.case == Case::Exact {
                    texts.whole.entry(s.literal).or_default().push(s.slot);
                } else {
                    texts.whole_folded.entry(s.literal).or_default().push((s.case, s.slot));
                }
            } else if s.literal.len() >= WINDOW {
                texts.long.push(s);
            } else {
                texts.short.push(s);
            }
        }
        texts.grams = Grams::new(&texts.long, frequencies);
        texts
    }

    /// Looks at a text with JSON's escapes.
    #[inline]
    pub(super) fn find_escaped(&mut self, raw: &[u8], row: u32, found: &mut Found) {
        let only_long = self.short.is_empty() && self.whole.is_empty() && self.whole_folded.is_empty();
        // A window that is spelled as itself is in the raw bytes, too. Outside ASCII a text may change when its case does.
        if only_long
            && self.grams.plain
            && !self.grams.suspects(raw)
            && (!(self.lower || self.upper) || raw.is_ascii())
        {
            return;
        }
        let mut text = std::mem::take(&mut self.scratch);
        text.clear();
        unescape(raw, &mut text);
        self.find(&text, row, found);
        self.scratch = text;
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
        if self.lengths >> (text.len() % 64) & 1 != 0 {
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
