//! Seeded random values.

use millstream_types::{TypeKind, Value};

/// A generator: xorshift, so that a seed gives the same values everywhere.
pub struct Samples(u64);

impl Samples {
    pub fn new(seed: u64) -> Self {
        Samples(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number of a range, bounds included.
    pub fn within(&mut self, low: i64, high: i64) -> i64 {
        let span = (i128::from(high) - i128::from(low) + 1) as u128;
        (i128::from(low) + (u128::from(self.next()) % span) as i128) as i64
    }

    /// A text of at most so many characters of a set.
    pub fn one_of_set(&mut self, set: &str, most: i64) -> String {
        let set: Vec<char> = set.chars().collect();
        (0..self.within(0, most)).map(|_| set[self.next() as usize % set.len()]).collect()
    }

    /// A text of characters of all planes, quotes and signs among them.
    pub fn text(&mut self, most: i64) -> String {
        (0..self.within(0, most))
            .map(|_| match self.next() % 4 {
                0 => char::from(self.within(32, 126) as u8),
                1 => ['"', '\\', '/', '%', '+', '\n', '\t', 'é', '日', '😀'][self.next() as usize % 10],
                _ => char::from_u32(self.within(32, 0x1_ffff) as u32).unwrap_or('x'),
            })
            .collect()
    }

    fn bits(&mut self, bits: u32) -> i64 {
        // Of all sizes: small numbers as often as large ones.
        let size = self.within(0, i64::from(bits)) as u32;
        (self.next() as i64).checked_shr(64 - size).unwrap_or(0)
    }

    /// A value of a type that its text can hold.
    pub fn value(&mut self, kind: &TypeKind) -> Value {
        match kind {
            TypeKind::Boolean => Value::Boolean(self.next().is_multiple_of(2)),
            TypeKind::TinyInt => self.bits(8).into(),
            TypeKind::SmallInt => self.bits(16).into(),
            TypeKind::Int => self.bits(32).into(),
            TypeKind::BigInt => self.bits(64).into(),
            TypeKind::Float => {
                let f = f32::from_bits(self.next() as u32);
                Value::Float(f64::from(if f.is_finite() { f } else { 0.5 }))
            }
            TypeKind::Double => {
                let f = f64::from_bits(self.next());
                Value::Float(if f.is_finite() { f } else { 0.5 })
            }
            TypeKind::Decimal { precision, .. } => {
                let digits = self.within(1, i64::from(*precision)) as u32;
                let wide = (u128::from(self.next()) << 64 | u128::from(self.next())) % 10u128.pow(digits);
                Value::Decimal(if self.next().is_multiple_of(2) { wide as i128 } else { -(wide as i128) })
            }
            // Years 1 to 9999.
            TypeKind::Date => self.within(-719_162, 2_932_896).into(),
            TypeKind::Time(_) => (self.within(0, 86_399) * 1000).into(),
            TypeKind::Timestamp(p, _) | TypeKind::TimestampLtz(p, _) => {
                if kind.counts_nanos() {
                    // 1700 to 2250, whole nanoseconds.
                    return self.within(-8_520_336_000_000_000_000, 8_835_955_200_000_000_000).into();
                }
                let unit = 10i64.pow(6 - u32::from(*p));
                (self.within(-62_135_596_800, 253_402_300_799) * 1_000_000
                    + self.within(0, 999_999) / unit * unit)
                    .into()
            }
            other => panic!("no samples of {other}"),
        }
    }
}
