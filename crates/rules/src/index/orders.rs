//! Ranges of texts, in the order of their bytes: `name >= 'a' AND name < 'b'`.
//!
//! Flink compares texts byte by byte. All bounds of a column stand in one sorted list; where a text stands among them is a number, and ranges of
//! texts are ranges of such numbers.

use super::atom::Case;
use super::found::{Found, Slot};
use super::numbers::Ranges;

/// A range of texts of one column: from `low` on, and below `high`.
#[derive(Debug, Clone)]
pub(super) struct Order {
    pub(super) low: Box<[u8]>,
    /// `None`: there is no end.
    pub(super) high: Option<Box<[u8]>>,
    /// [`Case::Exact`]: the text itself is compared; [`Case::Lower`], [`Case::Upper`]: the text in that case.
    pub(super) case: Case,
    pub(super) slot: Slot,
}

/// The ranges of the texts of one column.
#[derive(Debug)]
pub(super) struct Orders {
    exact: Option<Bounds>,
    lower: Option<Bounds>,
    upper: Option<Bounds>,
    key: Vec<u8>,
}

/// The ranges of texts in one case.
#[derive(Debug)]
struct Bounds {
    /// All ends, ascending.
    ends: Vec<Box<[u8]>>,
    /// Over the number of ends that are not above a text.
    ranges: Ranges<i64>,
    slots: Vec<Slot>,
}

/// The first text behind one.
pub(super) fn behind(text: &str) -> Box<[u8]> {
    let mut bytes = Vec::with_capacity(text.len() + 1);
    bytes.extend_from_slice(text.as_bytes());
    bytes.push(0);
    bytes.into()
}

/// The text in a case, where that is a matter of ASCII letters; `None`: it is not. Bytes that are no text are shown as another text.
pub(super) fn in_case<'a>(text: &'a [u8], case: Case, key: &'a mut Vec<u8>) -> Option<&'a [u8]> {
    let ascii = text.is_ascii();
    match case {
        Case::Exact => (ascii || std::str::from_utf8(text).is_ok()).then_some(text),
        Case::Fold => None,
        Case::Lower | Case::Upper => ascii.then(|| {
            key.clear();
            key.extend_from_slice(text);
            if case == Case::Lower {
                key.make_ascii_lowercase()
            } else {
                key.make_ascii_uppercase()
            }
            key.as_slice()
        }),
    }
}

/// Whether a text is in a range.
pub(super) fn within(text: &[u8], low: &[u8], high: Option<&[u8]>) -> bool {
    low <= text && high.is_none_or(|high| text < high)
}

impl Bounds {
    fn new(sought: &[Order], case: Case) -> Option<Self> {
        let sought: Vec<&Order> = sought.iter().filter(|o| o.case == case).collect();
        if sought.is_empty() {
            return None;
        }
        let mut ends: Vec<Box<[u8]>> =
            sought.iter().flat_map(|o| [Some(&o.low), o.high.as_ref()]).flatten().cloned().collect();
        ends.sort_unstable();
        ends.dedup();
        let at = |end: &[u8]| ends.partition_point(|e| **e < *end) as i64;
        let ranges: Vec<(i64, i64, Slot)> = sought
            .iter()
            .map(|o| (at(&o.low) + 1, o.high.as_ref().map_or(ends.len() as i64, |high| at(high)), o.slot))
            .collect();
        let ranges = Ranges::new(&ranges);
        Some(Bounds { ends, ranges, slots: sought.iter().map(|o| o.slot).collect() })
    }

    fn find(&self, text: &[u8], row: u32, found: &mut Found) {
        let at = self.ends.partition_point(|end| **end <= *text);
        self.ranges.find(at as i64, row, found);
    }
}

impl Orders {
    pub(super) fn new(sought: &[Order]) -> Self {
        let of = |case| Bounds::new(sought, case);
        Orders { exact: of(Case::Exact), lower: of(Case::Lower), upper: of(Case::Upper), key: Vec::new() }
    }

    /// Looks at a text.
    pub(super) fn find(&mut self, text: &[u8], row: u32, found: &mut Found) {
        let Orders { exact, lower, upper, key } = self;
        for (bounds, case) in [(exact, Case::Exact), (lower, Case::Lower), (upper, Case::Upper)] {
            let Some(bounds) = bounds else { continue };
            match in_case(text, case, key) {
                Some(text) => bounds.find(text, row, found),
                None => {
                    found.open = true;
                    bounds.slots.iter().for_each(|s| found.emit(*s, row));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_found_where_they_are_between() {
        let texts =
            ["", "\0", "A", "a", "a\0", "aa", "ab", "b", "b\0", "zz", "\u{e4}", "\u{fb01}", "\u{1f600}"];
        let mut sought = Vec::new();
        for low in texts {
            for high in texts.iter().map(Some).chain([None]) {
                for low in [low.as_bytes().into(), behind(low)] {
                    let high: Option<Box<[u8]>> = high.map(|h| h.as_bytes().into());
                    let empty = high.as_ref().is_some_and(|h| *h <= low);
                    if !empty {
                        sought.push(Order { low, high, case: Case::Exact, slot: sought.len() as Slot });
                    }
                }
            }
        }
        let mut orders = Orders::new(&sought);
        for text in texts {
            let mut found = Found::new(sought.len());
            orders.find(text.as_bytes(), 3, &mut found);
            for o in &sought {
                let wanted = within(text.as_bytes(), &o.low, o.high.as_deref());
                assert_eq!(found.rows(o.slot) == [3], wanted, "{text:?} in {o:?}");
            }
            assert!(!found.open);
        }
    }

    #[test]
    fn cases_are_a_matter_of_ascii() {
        let mut key = Vec::new();
        assert_eq!(in_case(b"aBc", Case::Upper, &mut key), Some(&b"ABC"[..]));
        assert_eq!(in_case(b"aBc", Case::Lower, &mut key), Some(&b"abc"[..]));
        assert_eq!(in_case("\u{c4}".as_bytes(), Case::Lower, &mut key), None);
        assert_eq!(in_case("\u{c4}".as_bytes(), Case::Exact, &mut key), Some("\u{c4}".as_bytes()));
        assert_eq!(in_case(b"\xff", Case::Exact, &mut key), None);
    }
}
