//! A set of 32-bit integers and its portable form.
//!
//! Source: <https://github.com/RoaringBitmap/RoaringFormatSpec>. Read are all three kinds of containers (sorted values, bits, runs);
//! written are the first two.

use std::cmp::Ordering;
use std::fmt::Write as _;

use millstream_types::Fault;

/// A set of 32-bit integers, which count as unsigned.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bitmap {
    /// Ascending, each once.
    values: Vec<u32>,
}

const NO_RUNS: u32 = 12346;
const RUNS: u32 = 12347;
/// The most values that a container holds one by one; with more it holds bits.
const MOST_VALUES: usize = 4096;
/// Bytes of a container of bits.
const BITS: usize = 8192;
/// With fewer containers than this, a form with runs has no table of offsets.
const NO_OFFSETS: usize = 4;

impl Bitmap {
    /// The set of these integers.
    pub fn of(values: impl IntoIterator<Item = i32>) -> Self {
        let mut values: Vec<u32> = values.into_iter().map(|v| v as u32).collect();
        values.sort_unstable();
        values.dedup();
        Bitmap { values }
    }

    /// How many integers are in it.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The integers in unsigned order.
    pub fn iter(&self) -> impl Iterator<Item = i32> + '_ {
        self.values.iter().map(|v| *v as i32)
    }

    /// The integers in both.
    #[must_use]
    pub fn and(&self, other: &Bitmap) -> Bitmap {
        self.merged(other, [false, true, false])
    }

    /// The integers in either.
    #[must_use]
    pub fn or(&self, other: &Bitmap) -> Bitmap {
        self.merged(other, [true, true, true])
    }

    /// The integers in exactly one.
    #[must_use]
    pub fn xor(&self, other: &Bitmap) -> Bitmap {
        self.merged(other, [true, false, true])
    }

    /// The integers in the first only.
    #[must_use]
    pub fn and_not(&self, other: &Bitmap) -> Bitmap {
        self.merged(other, [true, false, false])
    }

    /// Which integers are kept: those only in the first, those in both, those only in the second.
    fn merged(&self, other: &Bitmap, keep: [bool; 3]) -> Bitmap {
        let [first, both, second] = keep;
        let mut values = Vec::new();
        let (mut a, mut b) = (self.values.iter().peekable(), other.values.iter().peekable());
        loop {
            let order = match (a.peek(), b.peek()) {
                (None, None) => return Bitmap { values },
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(x), Some(y)) => x.cmp(y),
            };
            let (value, kept) = match order {
                Ordering::Less => (a.next(), first),
                Ordering::Greater => (b.next(), second),
                Ordering::Equal => {
                    b.next();
                    (a.next(), both)
                }
            };
            if kept {
                values.extend(value);
            }
        }
    }

    /// The portable form.
    pub fn to_bytes(&self) -> Vec<u8> {
        let containers: Vec<&[u32]> = self.values.chunk_by(|a, b| a >> 16 == b >> 16).collect();
        let mut out = Vec::with_capacity(8 + containers.len() * 8 + self.values.len() * 2);
        out.extend(NO_RUNS.to_le_bytes());
        out.extend((containers.len() as u32).to_le_bytes());
        for c in &containers {
            let key = c.first().map_or(0, |v| (v >> 16) as u16);
            out.extend(key.to_le_bytes());
            out.extend((c.len().wrapping_sub(1) as u16).to_le_bytes());
        }
        let mut offset = 8 + containers.len() * 8;
        for c in &containers {
            out.extend((offset as u32).to_le_bytes());
            offset += if c.len() > MOST_VALUES { BITS } else { c.len() * 2 };
        }
        for c in &containers {
            if c.len() > MOST_VALUES {
                let mut bits = vec![0u8; BITS];
                for v in *c {
                    let low = (*v & 0xFFFF) as usize;
                    if let Some(byte) = bits.get_mut(low / 8) {
                        *byte |= 1 << (low % 8);
                    }
                }
                out.extend(bits);
            } else {
                out.extend(c.iter().flat_map(|v| (*v as u16).to_le_bytes()));
            }
        }
        out
    }

    /// Reads the portable form.
    ///
    /// # Errors
    /// User (`bad-bitmap`), when the bytes are not of that form.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Fault> {
        read(bytes).ok_or_else(|| {
            Fault::user("bad-bitmap", "the bytes are no bitmap in the portable Roaring format")
                .hint("BITMAP_TO_BYTES and the Roaring libraries' serialization give that format")
        })
    }

    /// Appends the integers, unsigned, as `{1,2,3}`.
    pub fn push_text(&self, out: &mut String) {
        out.push('{');
        for (n, v) in self.values.iter().enumerate() {
            if n > 0 {
                out.push(',');
            }
            // Writing to a String cannot fail.
            let _ = write!(out, "{v}");
        }
        out.push('}');
    }
}

/// Bytes that are read from the front.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn take(&mut self, n: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(n)?;
        self.0 = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }
}

fn read(bytes: &[u8]) -> Option<Bitmap> {
    let mut reader = Reader(bytes);
    let cookie = reader.u32()?;
    let (count, runs) = if cookie & 0xFFFF == RUNS {
        let count = (cookie >> 16) as usize + 1;
        (count, Some(reader.take(count.div_ceil(8))?))
    } else if cookie == NO_RUNS {
        (reader.u32()? as usize, None)
    } else {
        return None;
    };
    if count > 1 << 16 {
        return None;
    }
    let mut heads = Vec::with_capacity(count);
    for _ in 0..count {
        heads.push((reader.u16()?, usize::from(reader.u16()?) + 1));
    }
    if !heads.is_sorted_by(|a, b| a.0 < b.0) {
        return None;
    }
    if runs.is_none() || count >= NO_OFFSETS {
        reader.take(count * 4)?;
    }
    let mut values: Vec<u32> = Vec::new();
    for (n, (key, cardinality)) in heads.into_iter().enumerate() {
        let high = u32::from(key) << 16;
        let start = values.len();
        if runs.and_then(|r| r.get(n / 8)).is_some_and(|b| b >> (n % 8) & 1 == 1) {
            for _ in 0..reader.u16()? {
                let (first, more) = (u32::from(reader.u16()?), u32::from(reader.u16()?));
                if first + more > 0xFFFF {
                    return None;
                }
                values.extend((first..=first + more).map(|v| high | v));
            }
        } else if cardinality > MOST_VALUES {
            for (at, byte) in reader.take(BITS)?.iter().enumerate() {
                let set = (0..8).filter(|bit| byte >> bit & 1 == 1);
                values.extend(set.map(|bit| high | (at as u32 * 8 + bit)));
            }
        } else {
            for _ in 0..cardinality {
                values.push(high | u32::from(reader.u16()?));
            }
        }
        let container = values.get(start..)?;
        if container.len() != cardinality || !container.is_sorted_by(|a, b| a < b) {
            return None;
        }
    }
    Some(Bitmap { values })
}
