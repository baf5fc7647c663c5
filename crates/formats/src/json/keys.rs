//! Field names and the order in which they come, learned from the records: the next one is guessed and compared as a whole, quotes, colon and
//! spacing included.

use std::collections::HashMap;

use super::scan::Scan;

/// How many names are remembered. Records with more (names made of data) are read without a guess for the others.
const MOST: usize = 2048;
/// How many names that came behind another are remembered beside the last one.
const EARLIER: usize = 4;
/// A name that no column has.
pub(super) const NO_COLUMN: usize = usize::MAX;

/// The names.
#[derive(Debug)]
pub(super) struct Keys {
    list: Vec<Key>,
    by_name: HashMap<Box<[u8]>, usize>,
    first: usize,
}

#[derive(Debug)]
struct Key {
    /// From the opening quote to the value's first byte, as last seen.
    pattern: Pattern,
    column: usize,
    /// What came behind it last.
    next: usize,
    /// What came behind it before that, the latest first: records of several kinds come in turns.
    earlier: [usize; EARLIER],
}

impl Key {
    /// This key came behind it now.
    fn comes(&mut self, key: usize) {
        if self.next == key {
            return;
        }
        // All that came later than it did move back by one, into its place.
        let mut moved = std::mem::replace(&mut self.next, key);
        for place in &mut self.earlier {
            std::mem::swap(place, &mut moved);
            if moved == key {
                break;
            }
        }
    }
}

/// A field as found: its key's position in the list (for the next guess), its column, and where its value begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub key: usize,
    pub column: usize,
    pub value: usize,
}

impl Keys {
    /// Names of columns; further ones are learned.
    pub fn new<'a>(columns: impl Iterator<Item = &'a str>) -> Keys {
        let mut keys = Keys { list: Vec::new(), by_name: HashMap::new(), first: 0 };
        for (column, name) in columns.enumerate() {
            let at = keys.list.len();
            let pattern = Pattern::new(format!("\"{name}\":").as_bytes());
            keys.by_name.insert(name.as_bytes().into(), at);
            keys.list.push(Key { pattern, column, next: at + 1, earlier: [usize::MAX; EARLIER] });
        }
        keys
    }

    /// The column of a name.
    pub fn column(&self, name: &[u8]) -> Option<usize> {
        let key = self.list.get(*self.by_name.get(name)?)?;
        (key.column != NO_COLUMN).then_some(key.column)
    }

    /// The guess for a record's first field.
    pub fn first(&self) -> usize {
        self.first
    }

    /// The field that begins at `at` if it is the guessed one.
    #[inline(always)]
    pub fn guessed(&self, scan: Scan<'_>, at: usize, guess: usize) -> Option<Found> {
        let key = self.list.get(guess)?;
        key.pattern.matches(scan, at).then(|| Found {
            key: guess,
            column: key.column,
            value: at + key.pattern.bytes.len(),
        })
    }

    /// The guess behind a field.
    #[inline(always)]
    pub fn behind(&self, key: usize) -> usize {
        self.list.get(key).map_or(usize::MAX, |k| k.next)
    }

    /// The field that begins at `at` if it came behind the field `last` earlier; it is the next guess there.
    #[inline]
    pub fn earlier(&mut self, scan: Scan<'_>, at: usize, last: usize) -> Option<Found> {
        let earlier = self.list.get(last)?.earlier;
        let found = earlier.iter().find_map(|guess| self.guessed(scan, at, *guess))?;
        self.list.get_mut(last)?.comes(found.key);
        Some(found)
    }

    /// The field that begins at `at`, behind the field `last`; learned for the next time. `None` when it is no plain name: the record is for the full
    /// parser.
    #[cold]
    pub fn look_up(&mut self, scan: Scan<'_>, at: usize, last: Option<usize>) -> Option<Found> {
        let (text, value) = scan.key(at).ok()?;
        if text.escaped {
            return None;
        }
        let name = scan.data.get(at + 1..text.close)?;
        let written = scan.data.get(at..value)?;
        let key = match self.by_name.get(name) {
            Some(key) => *key,
            None if self.list.len() < MOST => {
                let key = self.list.len();
                self.by_name.insert(name.into(), key);
                let pattern = Pattern::new(written);
                let earlier = [usize::MAX; EARLIER];
                self.list.push(Key { pattern, column: NO_COLUMN, next: usize::MAX, earlier });
                key
            }
            None => return Some(Found { key: usize::MAX, column: NO_COLUMN, value }),
        };
        match last {
            None => self.first = key,
            Some(last) => {
                if let Some(k) = self.list.get_mut(last) {
                    k.comes(key);
                }
            }
        }
        let known = self.list.get_mut(key)?;
        if *known.pattern.bytes != *written && written.len() < 2 * name.len() + 64 {
            known.pattern = Pattern::new(written);
        }
        Some(Found { key, column: known.column, value })
    }
}

/// Bytes to compare with, the first 32 as two words under masks.
#[derive(Debug)]
struct Pattern {
    bytes: Box<[u8]>,
    words: [u128; 2],
    masks: [u128; 2],
}

impl Pattern {
    fn new(bytes: &[u8]) -> Pattern {
        let mut block = [0u8; 32];
        let mut mask = [0u8; 32];
        for ((to, m), from) in block.iter_mut().zip(&mut mask).zip(bytes) {
            (*to, *m) = (*from, 0xFF);
        }
        Pattern { bytes: bytes.into(), words: words(&block), masks: words(&mask) }
    }

    #[inline(always)]
    fn matches(&self, scan: Scan<'_>, at: usize) -> bool {
        let end = at + self.bytes.len();
        if end > scan.end {
            return false;
        }
        match scan.data.get(at..).and_then(|d| d.first_chunk::<32>()) {
            Some(block) if self.bytes.len() <= 32 => {
                let here = words(block);
                let [a, b] = here;
                let [c, d] = self.words;
                let [m, n] = self.masks;
                ((a ^ c) & m) | ((b ^ d) & n) == 0
            }
            _ => scan.data.get(at..end) == Some(&*self.bytes),
        }
    }
}

#[inline(always)]
fn words(block: &[u8; 32]) -> [u128; 2] {
    let mut both = [0u128; 2];
    for (word, half) in both.iter_mut().zip(block.as_chunks::<16>().0) {
        *word = u128::from_le_bytes(*half);
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_names_behind_another_are_remembered() {
        let mut keys = Keys::new(["n"].into_iter());
        let mut read = |name: &str| {
            let data = [format!("\"{name}\":1").as_bytes(), &[b' '; 64]].concat();
            let scan = Scan::new(&data, data.len());
            if keys.guessed(scan, 0, keys.behind(0)).is_some() {
                return "guessed";
            }
            if keys.earlier(scan, 0, 0).is_some() {
                return "earlier";
            }
            assert!(keys.look_up(scan, 0, Some(0)).is_some());
            "looked up"
        };
        assert_eq!(["a", "b", "c", "d", "e"].map(&mut read), ["looked up"; 5]);
        assert_eq!(["e", "a", "b", "a"].map(&mut read), ["guessed", "earlier", "earlier", "earlier"]);
        // The oldest is forgotten.
        assert_eq!(["f", "c"].map(&mut read), ["looked up", "looked up"]);
    }
}
