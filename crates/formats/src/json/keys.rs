//! Field names and the order in which they come, learned from the records: the next one is guessed and compared as a whole, quotes, colon and
//! spacing included.
//!
//! A guess is what came last behind the same names: records of several kinds come in turns, and their fields come and go. Where the guess is wrong,
//! the name's first bytes lead to the one that it can be, which is compared in the same way.

use std::collections::HashMap;

use super::scan::Scan;

/// How many names are remembered. Records with more (names made of data) are read without a guess for the others.
const MOST: usize = 2048;
/// A name that no column has.
const NO_COLUMN: u32 = u32::MAX;
/// No name.
const NONE: u16 = u16::MAX;
/// Places for guesses.
const GUESSES: usize = 4096;
/// Places for names by their first bytes.
const PLACES: usize = 2048;

/// The names.
#[derive(Debug)]
pub(super) struct Keys {
    list: Vec<Key>,
    by_name: HashMap<Box<[u8]>, usize>,
    /// What came last behind a path.
    guesses: Box<[u16; GUESSES]>,
    /// The name that was seen last of those whose first bytes lead to a place.
    places: Box<[u16]>,
}

/// What the next name is guessed from: the last names of a record, the latest counting most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Path(usize);

impl Path {
    /// With a further name.
    #[inline(always)]
    pub fn with(self, key: usize) -> Path {
        // After three more names the first one's bits are shifted out.
        Path(((self.0 << 4) ^ key.wrapping_add(1).wrapping_mul(0x9E5)) % GUESSES)
    }
}

/// A name. It is one line of a cache: events of many kinds have hundreds of them.
#[derive(Debug)]
#[repr(align(64))]
struct Key {
    /// From the opening quote to the value's first byte, as last seen: its first 32 bytes, zeros behind a shorter one.
    begin: [u8; 32],
    /// What is behind the first 32 bytes.
    rest: Box<[u8]>,
    /// Length of all of it.
    length: u32,
    column: u32,
    /// The record that it was found in last.
    stamp: u32,
}

/// A field as found: its key's position in the list (for the next guess), its column (beyond all if none has the name), and where its value begins.
#[derive(Debug, Clone, Copy)]
pub(super) struct Found {
    pub key: usize,
    pub column: usize,
    pub value: usize,
}

impl Keys {
    /// Names of columns; further ones are learned.
    pub fn new<'a>(columns: impl Iterator<Item = &'a str>) -> Keys {
        let mut keys = Keys {
            list: Vec::new(),
            by_name: HashMap::new(),
            guesses: Box::new([NONE; GUESSES]),
            places: vec![NONE; PLACES].into(),
        };
        for (column, name) in columns.enumerate() {
            let at = keys.list.len();
            keys.by_name.insert(name.as_bytes().into(), at);
            keys.list.push(Key::new(format!("\"{name}\":").as_bytes(), column as u32));
        }
        keys
    }

    /// The column of a name.
    pub fn column(&self, name: &[u8]) -> Option<usize> {
        let key = self.list.get(*self.by_name.get(name)?)?;
        (key.column != NO_COLUMN).then_some(key.column as usize)
    }

    /// Notes that a field was found in record `stamp`. `true`: it was found in it before. (The stamps come again after so many records that this may
    /// be wrong once: then the record goes the other way, to the same answer.)
    #[inline(always)]
    pub fn repeated(&mut self, key: usize, stamp: u32) -> bool {
        self.list.get_mut(key).is_some_and(|k| std::mem::replace(&mut k.stamp, stamp) == stamp)
    }

    #[inline(always)]
    fn at(&self, scan: Scan<'_>, at: usize, number: usize) -> Option<Found> {
        let key = self.list.get(number)?;
        key.matches(scan, at).then(|| Found {
            key: number,
            column: key.column as usize,
            value: at + key.length as usize,
        })
    }

    /// The field that begins at `at` if it is what came last behind the same names.
    #[inline(always)]
    pub fn guessed(&self, scan: Scan<'_>, at: usize, path: Path) -> Option<Found> {
        self.at(scan, at, usize::from(*self.guesses.get(path.0 % GUESSES)?))
    }

    /// The field that begins at `at` by its name's first bytes; it is the next guess there.
    #[inline]
    pub fn known(&mut self, scan: Scan<'_>, at: usize, path: Path) -> Option<Found> {
        let number = *self.places.get(place_of(scan, at)?)?;
        let found = self.at(scan, at, usize::from(number))?;
        if let Some(guess) = self.guesses.get_mut(path.0) {
            *guess = number;
        }
        Some(found)
    }

    /// The field that begins at `at`, behind the names of `path`; learned for the next time. `None` when it is no plain name: the record is for
    /// the full parser.
    #[cold]
    pub fn look_up(&mut self, scan: Scan<'_>, at: usize, path: Path) -> Option<Found> {
        let (text, value) = scan.key(at).ok()?;
        if text.escaped {
            return None;
        }
        let name = scan.data.get(at + 1..text.close)?;
        let written = scan.data.get(at..value)?;
        let number = match self.by_name.get(name) {
            Some(key) => *key,
            None if self.list.len() < MOST => {
                let number = self.list.len();
                self.by_name.insert(name.into(), number);
                self.list.push(Key::new(written, NO_COLUMN));
                number
            }
            None => return Some(Found { key: usize::MAX, column: NO_COLUMN as usize, value }),
        };
        let here = u16::try_from(number).unwrap_or(NONE);
        if let Some(guess) = self.guesses.get_mut(path.0) {
            *guess = here;
        }
        if let Some(place) = place_of(scan, at).and_then(|p| self.places.get_mut(p)) {
            *place = here;
        }
        let known = self.list.get_mut(number)?;
        let column = known.column;
        if !known.matches(scan, at) && written.len() < 2 * name.len() + 64 {
            *known = Key { stamp: known.stamp, ..Key::new(written, column) };
        }
        Some(Found { key: number, column: column as usize, value })
    }
}

/// The place of the name whose opening quote is at `at`, by its first 16 bytes. `None`: too close to the data's end.
#[inline(always)]
fn place_of(scan: Scan<'_>, at: usize) -> Option<usize> {
    const LOW: u128 = u128::MAX / 255;
    let word = u128::from_le_bytes(*scan.data.get(at + 1..)?.first_chunk::<16>()?);
    // The lowest bit that is left is that of the first quote; those above may be of others.
    let other = word ^ (LOW * b'"' as u128);
    let quote = (other.wrapping_sub(LOW) & !other & (LOW << 7)).trailing_zeros();
    let name = if quote < 128 { word & ((1 << (quote & !7)) - 1) } else { word };
    let mixed = (name as u64 ^ ((name >> 64) as u64).rotate_left(29)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    Some((mixed >> 40) as usize % PLACES)
}

impl Key {
    fn new(pattern: &[u8], column: u32) -> Key {
        let mut block = [0u8; 32];
        for (to, from) in block.iter_mut().zip(pattern) {
            *to = *from;
        }
        Key {
            begin: block,
            rest: pattern.get(32..).unwrap_or_default().into(),
            length: pattern.len() as u32,
            column,
            stamp: u32::MAX,
        }
    }

    #[inline(always)]
    fn matches(&self, scan: Scan<'_>, at: usize) -> bool {
        let length = self.length as usize;
        let end = at + length;
        if end > scan.end {
            return false;
        }
        let Some(block) = scan.data.get(at..).and_then(|d| d.first_chunk::<32>()) else {
            // Close to the data's end.
            return length <= 32 && scan.data.get(at..end) == self.begin.get(..length);
        };
        // Of a shorter name the bits behind it count as equal.
        let behind = if length < 32 { u32::MAX << length } else { 0 };
        alike(block, &self.begin) | behind == u32::MAX
            && (length <= 32 || scan.data.get(at + 32..end) == Some(&*self.rest))
    }
}

/// A bit for each byte that is the same in both blocks, the first one's the lowest.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn alike(a: &[u8; 32], b: &[u8; 32]) -> u32 {
    use std::arch::x86_64::{_mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8};
    // SAFETY: SSE2 is part of every x86-64, and the unaligned loads read the two halves of 32 bytes each.
    unsafe {
        let (a, b) = (a.as_ptr(), b.as_ptr());
        let half = |at: usize| {
            let (a, b) = (_mm_loadu_si128(a.add(at).cast()), _mm_loadu_si128(b.add(at).cast()));
            _mm_movemask_epi8(_mm_cmpeq_epi8(a, b)) as u32
        };
        half(0) | half(16) << 16
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn alike(a: &[u8; 32], b: &[u8; 32]) -> u32 {
    alike_plain(a, b)
}

/// The same, byte by byte.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn alike_plain(a: &[u8; 32], b: &[u8; 32]) -> u32 {
    a.iter().zip(b).rev().fold(0, |bits, (a, b)| bits << 1 | u32::from(a == b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_behind_the_same_names_is_guessed_and_others_are_known() {
        let mut keys = Keys::new(["n"].into_iter());
        let mut read = |path: Path, name: &str| {
            let data = [format!("\"{name}\":1").as_bytes(), &[b' '; 64]].concat();
            let scan = Scan::new(&data, data.len());
            let (way, found) = match keys.guessed(scan, 0, path) {
                Some(found) => ("guessed", found),
                None => match keys.known(scan, 0, path) {
                    Some(found) => ("known", found),
                    None => ("looked up", keys.look_up(scan, 0, path).unwrap()),
                },
            };
            assert_eq!(found.value, name.len() + 3);
            assert_eq!(found.column == 0, name == "n");
            (way, path.with(found.key))
        };
        let mut record = |names: &[&str]| {
            let mut path = Path::default();
            let mut ways = Vec::new();
            for name in names {
                let (way, next) = read(path, name);
                path = next;
                ways.push(way);
            }
            ways
        };
        assert_eq!(record(&["n", "a", "b"]), ["looked up"; 3]);
        assert_eq!(record(&["n", "a", "b"]), ["guessed"; 3]);
        assert_eq!(record(&["n", "c", "b"]), ["guessed", "looked up", "known"]);
        assert_eq!(record(&["n", "a", "b"]), ["guessed", "known", "guessed"]);
        assert_eq!(record(&["n", "c", "b"]), ["guessed", "known", "guessed"]);
        // Of any length, also where the first bytes are the same.
        for length in [13, 14, 15, 16, 17, 28, 29, 30, 31, 40, 200] {
            let (x, y) = ("x".repeat(length), format!("{}y", "x".repeat(length - 1)));
            assert_eq!(record(&[&x, &y]), ["looked up"; 2], "{length}");
            assert_eq!(record(&[&x, &y]), ["guessed"; 2].map(|w| if length > 16 { w } else { "guessed" }));
        }
    }

    #[test]
    fn bytes_are_alike_as_the_plain_loop_finds_them() {
        let mut state = 5u64;
        for _ in 0..2000 {
            let mut next = || {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                (state >> 33) as u8
            };
            let a: [u8; 32] = std::array::from_fn(|_| b'a' + next() % 3);
            let b: [u8; 32] = std::array::from_fn(|_| b'a' + next() % 3);
            assert_eq!(alike(&a, &b), alike_plain(&a, &b));
            assert_eq!(alike(&a, &a), u32::MAX);
        }
    }

    #[test]
    fn a_name_at_the_end_of_the_data_is_found() {
        let mut keys = Keys::new(["name", "a name that is longer than a block of bytes"].into_iter());
        for name in ["name", "a name that is longer than a block of bytes", "other"] {
            let data = format!("\"{name}\":1");
            let scan = Scan::new(data.as_bytes(), data.len());
            let found = keys.look_up(scan, 0, Path::default()).unwrap();
            assert_eq!(found.value, name.len() + 3);
            // Where there is room for a whole block, as well.
            let padded = [data.as_bytes(), &[b' '; 64]].concat();
            let scan = Scan::new(&padded, data.len());
            assert_eq!(keys.guessed(scan, 0, Path::default()).map(|f| f.key), Some(found.key));
            assert!(keys.guessed(Scan::new(&padded, 4), 0, Path::default()).is_none());
        }
    }
}
