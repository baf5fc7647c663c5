//! Ranges of numbers, each with a row: where they overlap, the smallest one counts.

use std::cmp::Reverse;
use std::collections::BTreeSet;

/// Stands for no row.
const NONE: u32 = u32::MAX;

/// Disjoint pieces in ascending order, each up to the next one's start.
#[derive(Debug)]
pub(super) struct Ranges<T> {
    starts: Vec<T>,
    rows: Vec<u32>,
}

impl<T: Copy + Ord + Into<u128> + TryFrom<u128>> Ranges<T> {
    /// From ranges (first and last address, row). Of equal ranges the later one counts.
    pub fn new(ranges: &[(T, T, u32)]) -> Self {
        // Where ranges begin and, one behind their last address, end.
        let mut events: Vec<(u128, bool, usize)> = Vec::with_capacity(ranges.len() * 2);
        for (i, (first, last, _)) in ranges.iter().enumerate() {
            events.push(((*first).into(), true, i));
            // The end of the last range of all is behind every address.
            if let Some(behind) = (*last).into().checked_add(1) {
                events.push((behind, false, i));
            }
        }
        events.sort_unstable();
        let mut pieces = Ranges { starts: Vec::new(), rows: Vec::new() };
        // Ranges that hold the place, the one that counts first.
        let mut open: BTreeSet<(u128, Reverse<usize>)> = BTreeSet::new();
        let mut events = events.into_iter().peekable();
        while let Some((place, begins, i)) = events.next() {
            if let Some((first, last, _)) = ranges.get(i) {
                let key = ((*last).into() - (*first).into(), Reverse(i));
                if begins {
                    open.insert(key);
                } else {
                    open.remove(&key);
                }
            }
            if events.peek().is_some_and(|(next, ..)| *next == place) {
                continue;
            }
            let row = open.first().and_then(|(_, Reverse(i))| ranges.get(*i)).map_or(NONE, |r| r.2);
            // A place behind the last address of the kind is none.
            if let Ok(start) = T::try_from(place)
                && pieces.rows.last().copied().unwrap_or(NONE) != row
            {
                pieces.starts.push(start);
                pieces.rows.push(row);
            }
        }
        pieces.starts.shrink_to_fit();
        pieces.rows.shrink_to_fit();
        pieces
    }

    /// The row of an address.
    pub fn row(&self, address: T) -> Option<usize> {
        let behind = self.starts.partition_point(|start| *start <= address);
        let row = *self.rows.get(behind.checked_sub(1)?)?;
        (row != NONE).then_some(row as usize)
    }
}
