//! Whole numbers in ranges: which of some ranges hold a number.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use millstream_expr::kernel::hash::QuickHasher;

use super::found::{Found, Slot};

/// Ranges with many neighbours are looked through in blocks of so many.
const BLOCK: usize = 64;

/// The ranges of one column.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    equal: HashMap<i64, Vec<Slot>, BuildHasherDefault<QuickHasher>>,
    /// Open above, by lower end.
    from: Vec<(i64, Slot)>,
    /// Open below, by upper end, descending.
    to: Vec<(i64, Slot)>,
    /// Closed on both sides, by lower end.
    between: Vec<(i64, i64, Slot)>,
    /// The highest upper end of each block of `between`.
    highest: Vec<i64>,
}

impl Numbers {
    pub(super) fn new(ranges: &[(i64, i64, Slot)]) -> Self {
        let mut numbers = Numbers::default();
        for (low, high, slot) in ranges {
            match (*low, *high) {
                (a, b) if a == b => numbers.equal.entry(a).or_default().push(*slot),
                (low, i64::MAX) => numbers.from.push((low, *slot)),
                (i64::MIN, high) => numbers.to.push((high, *slot)),
                (low, high) => numbers.between.push((low, high, *slot)),
            }
        }
        numbers.from.sort_unstable();
        numbers.to.sort_unstable_by(|a, b| b.cmp(a));
        numbers.between.sort_unstable();
        numbers.highest =
            numbers.between.chunks(BLOCK).map(|b| b.iter().map(|r| r.1).max().unwrap_or(i64::MIN)).collect();
        numbers
    }

    pub(super) fn is_empty(&self) -> bool {
        self.equal.is_empty() && self.from.is_empty() && self.to.is_empty() && self.between.is_empty()
    }

    #[inline]
    pub(super) fn find(&self, value: i64, row: u32, found: &mut Found) {
        if !self.equal.is_empty()
            && let Some(slots) = self.equal.get(&value)
        {
            slots.iter().for_each(|s| found.emit(*s, row));
        }
        for (_, slot) in self.from.iter().take_while(|(low, _)| *low <= value) {
            found.emit(*slot, row);
        }
        for (_, slot) in self.to.iter().take_while(|(high, _)| *high >= value) {
            found.emit(*slot, row);
        }
        for (block, highest) in self.between.chunks(BLOCK).zip(&self.highest) {
            if block.first().is_some_and(|r| r.0 > value) {
                break;
            }
            if *highest >= value {
                for (_, _, slot) in block.iter().take_while(|r| r.0 <= value).filter(|r| r.1 >= value) {
                    found.emit(*slot, row);
                }
            }
        }
    }
}

/// A whole number as slices spell it; `None`: it is something else.
#[inline]
pub(super) fn parse(bytes: &[u8]) -> Option<i64> {
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    if digits.is_empty() || digits.len() > 19 {
        return None;
    }
    let mut value: u64 = 0;
    for b in digits {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        // 19 digits fit.
        value = value * 10 + u64::from(digit);
    }
    if negative { 0i64.checked_sub_unsigned(value) } else { i64::try_from(value).ok() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_what_they_should() {
        let ranges: Vec<(i64, i64, Slot)> = vec![
            (5, 5, 0),
            (3, i64::MAX, 1),
            (i64::MIN, 7, 2),
            (4, 6, 3),
            (-10, 100, 4),
            (i64::MIN, i64::MAX, 5),
            (i64::MAX, i64::MAX, 6),
        ];
        let numbers = Numbers::new(&ranges);
        for value in [i64::MIN, -11, -10, 0, 3, 4, 5, 6, 7, 8, 100, 101, i64::MAX] {
            let mut found = Found::new(ranges.len());
            numbers.find(value, 9, &mut found);
            for (low, high, slot) in &ranges {
                let wanted = *low <= value && value <= *high;
                assert_eq!(found.rows(*slot) == [9], wanted, "{value} in {low}..={high}");
            }
        }
    }

    #[test]
    fn digits() {
        for (text, wanted) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("-17", Some(-17)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("99999999999999999999", None),
            ("", None),
            ("-", None),
            ("1.5", None),
            ("+1", None),
        ] {
            assert_eq!(parse(text.as_bytes()), wanted, "{text}");
        }
    }
}
