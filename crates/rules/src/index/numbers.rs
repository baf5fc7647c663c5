//! Ranges that hold a value: of numbers and their like, of addresses.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash};

use millstream_expr::kernel::hash::QuickHasher;

use super::found::{Found, Slot};

/// The closed ranges of one column.
#[derive(Debug)]
pub(super) struct Ranges<K> {
    /// Those that hold one value.
    equal: HashMap<K, Vec<Slot>, BuildHasherDefault<QuickHasher>>,
    /// The others, by lower end.
    between: Vec<(K, K, Slot)>,
    /// The highest upper end of each of them and those before it.
    highest: Vec<K>,
}

impl<K: Copy + Ord + Hash> Ranges<K> {
    pub(super) fn new(ranges: &[(K, K, Slot)]) -> Self {
        let mut equal: HashMap<K, Vec<Slot>, _> = HashMap::default();
        let mut between = Vec::new();
        for (low, high, slot) in ranges {
            if low == high {
                equal.entry(*low).or_default().push(*slot);
            } else {
                between.push((*low, *high, *slot));
            }
        }
        between.sort_unstable();
        let highest = between
            .iter()
            .scan(None, |highest: &mut Option<K>, (_, high, _)| {
                *highest = Some(highest.map_or(*high, |h| h.max(*high)));
                *highest
            })
            .collect();
        Ranges { equal, between, highest }
    }

    #[inline]
    pub(super) fn find(&self, value: K, row: u32, found: &mut Found) {
        if !self.equal.is_empty()
            && let Some(slots) = self.equal.get(&value)
        {
            slots.iter().for_each(|s| found.emit(*s, row));
        }
        let begun = self.between.partition_point(|(low, ..)| *low <= value);
        let begun = self.between.get(..begun).unwrap_or_default().iter().zip(&self.highest);
        for ((_, high, slot), highest) in begun.rev() {
            if *highest < value {
                break;
            }
            if *high >= value {
                found.emit(*slot, row);
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
        let numbers = Ranges::new(&ranges);
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
