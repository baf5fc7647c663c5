//! How many digits the result of decimal arithmetic has.

use millstream_types::TypeKind;

/// Most digits of a DECIMAL.
pub const MAX_PRECISION: u32 = 38;

/// Precision and scale of an exact number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digits {
    /// All digits.
    pub precision: u32,
    /// Digits behind the point.
    pub scale: u32,
}

impl Digits {
    /// The digits of an exact numeric type; integers have those of their range.
    pub fn of(kind: &TypeKind) -> Option<Digits> {
        let (precision, scale) = match kind {
            TypeKind::TinyInt => (3, 0),
            TypeKind::SmallInt => (5, 0),
            TypeKind::Int => (10, 0),
            TypeKind::BigInt => (19, 0),
            TypeKind::Decimal { precision, scale } => (u32::from(*precision), u32::from(*scale)),
            _ => return None,
        };
        Some(Digits { precision, scale })
    }

    /// The DECIMAL of these digits, at most 38.
    pub fn to_kind(self) -> TypeKind {
        let precision = self.precision.clamp(1, MAX_PRECISION);
        TypeKind::Decimal { precision: precision as u8, scale: self.scale.min(precision) as u8 }
    }

    fn whole(self) -> u32 {
        self.precision.saturating_sub(self.scale)
    }

    /// Too many digits: the fraction is cut, but to no fewer than 6 digits (`LogicalTypeMerging.adjustPrecisionScale`).
    fn adjusted(self) -> Digits {
        if self.precision <= MAX_PRECISION {
            return self;
        }
        let least = self.scale.min(6);
        Digits { precision: MAX_PRECISION, scale: MAX_PRECISION.saturating_sub(self.whole()).max(least) }
    }

    /// Of a sum or difference.
    pub fn plus(self, other: Digits) -> Digits {
        let scale = self.scale.max(other.scale);
        Digits { precision: self.whole().max(other.whole()) + scale + 1, scale }.adjusted()
    }

    /// Of a product.
    pub fn times(self, other: Digits) -> Digits {
        Digits { precision: self.precision + other.precision + 1, scale: self.scale + other.scale }.adjusted()
    }

    /// Of a quotient.
    pub fn over(self, other: Digits) -> Digits {
        let scale = (self.scale + other.precision + 1).max(6);
        Digits { precision: self.whole() + other.scale + scale, scale }.adjusted()
    }

    /// Of a remainder.
    pub fn modulo(self, other: Digits) -> Digits {
        let scale = self.scale.max(other.scale);
        Digits { precision: self.whole().min(other.whole()) + scale, scale }.adjusted()
    }

    /// Of the common type of two exact numbers.
    pub fn union(self, other: Digits) -> Digits {
        // Digits in front of the point go before those behind it.
        let whole = self.whole().max(other.whole()).min(MAX_PRECISION);
        let scale = self.scale.max(other.scale).min(MAX_PRECISION - whole);
        Digits { precision: whole + scale, scale }
    }

    /// After rounding to some digits behind (negative: before) the point.
    pub fn rounded(self, digits: i32) -> Digits {
        if digits >= self.scale as i32 {
            return self;
        }
        let scale = digits.max(0) as u32;
        Digits { precision: (1 + self.whole() + scale).min(MAX_PRECISION), scale }
    }
}
