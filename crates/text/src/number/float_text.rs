//! FLOAT and DOUBLE as Java 17's `toString` writes them.
//!
//! Before JDK 19 Java did not always write the shortest text that reads back as the same number (`2.0E-3` is `0.002`,
//! but 2⁻⁴⁴ is `5.684341886080802E-14`, one digit more than needed), and Flink's answers show that. So the digits are
//! developed here as Java 17 does it: exact division of value and spacing as whole numbers, digit by digit, with its
//! stopping rules and its differences between small and large numbers.

use super::integer::{push_i64, push_padded};
use super::natural::Natural;

/// Appends a DOUBLE as `Double.toString`: `1.0`, `1.0E10`, `NaN`, `-Infinity`.
pub fn push_f64(out: &mut String, value: f64) {
    if special(out, value) || short(out, value.abs()) {
        return;
    }
    binary(value).digits(true).push(out);
}

/// Writes a number that a few decimal digits make, as most numbers of records are. A decimal of at most 15 digits is
/// the only one of so many that reads back as its number, so Java's digits are just these.
fn short(out: &mut String, value: f64) -> bool {
    const MOST: f64 = 1e15;
    if !(1e-3..1e7).contains(&value) {
        return false;
    }
    for (places, unit) in [(0, 1.0), (1, 1e1), (2, 1e2), (3, 1e3), (4, 1e4), (6, 1e6), (8, 1e8)] {
        let scaled = (value * unit).round();
        // Both are exact, so the quotient is rounded once.
        if scaled < MOST && scaled / unit == value {
            let unit = unit as u64;
            let scaled = scaled as u64;
            push_i64(out, (scaled / unit) as i64);
            out.push('.');
            let (mut rest, mut width) = (scaled % unit, places);
            while width > 1 && rest.is_multiple_of(10) {
                rest /= 10;
                width -= 1;
            }
            push_padded(out, rest, width.max(1));
            return true;
        }
    }
    false
}

/// The decimal digits of a positive finite number, d₁d₂… of 0.d₁d₂… × 10^exponent, that Java's Formatter rounds
/// further.
pub(crate) fn digits_to_round(value: f64) -> (String, i32) {
    let digits = binary(value).digits(false);
    (digits.text().to_string(), digits.exponent)
}

fn binary(value: f64) -> Binary {
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    let exponent = ((bits >> 52) & 0x7ff) as i32;
    if exponent == 0 {
        let shift = fraction.leading_zeros() as i32 - 11;
        Binary { fraction: fraction << shift, exponent: 1 - shift - 1023, significant: 53 - shift }
    } else {
        Binary { fraction: fraction | 1 << 52, exponent: exponent - 1023, significant: 53 }
    }
}

/// Appends a FLOAT as `Float.toString`.
pub fn push_f32(out: &mut String, value: f32) {
    if special(out, f64::from(value)) {
        return;
    }
    let bits = value.to_bits();
    let fraction = bits & ((1 << 23) - 1);
    let exponent = ((bits >> 23) & 0xff) as i32;
    let binary = if exponent == 0 {
        let shift = fraction.leading_zeros() as i32 - 8;
        Binary {
            fraction: u64::from(fraction << shift) << 29,
            exponent: 1 - shift - 127,
            significant: 24 - shift,
        }
    } else {
        Binary { fraction: u64::from(fraction | 1 << 23) << 29, exponent: exponent - 127, significant: 24 }
    };
    binary.digits(true).push(out);
}

/// Writes the sign, and the whole text of what has no digits of its own.
fn special(out: &mut String, value: f64) -> bool {
    if value.is_nan() {
        out.push_str("NaN");
        return true;
    }
    if value.is_sign_negative() {
        out.push('-');
    }
    if value == 0.0 {
        out.push_str("0.0");
    } else if value.is_infinite() {
        out.push_str("Infinity");
    }
    value == 0.0 || value.is_infinite()
}

/// Decimal digits of 0.d₁d₂… × 10^exponent.
struct Digits {
    digits: [u8; 24],
    count: usize,
    exponent: i32,
}

impl Digits {
    fn new(exponent: i32) -> Self {
        Digits { digits: [b'0'; 24], count: 0, exponent }
    }

    fn add(&mut self, digit: u32) {
        if let Some(slot) = self.digits.get_mut(self.count) {
            *slot = b'0' + (digit % 10) as u8;
            self.count += 1;
        }
    }

    /// Adds one to the last digit.
    fn round_up(&mut self) {
        for digit in self.digits.iter_mut().take(self.count).rev() {
            if *digit < b'9' {
                *digit += 1;
                return;
            }
            *digit = b'0';
        }
        // All nines: 1 and zeros, one place further.
        self.exponent += 1;
        if let Some(first) = self.digits.first_mut() {
            *first = b'1';
        }
    }

    fn last_is_odd(&self) -> bool {
        self.digits.get(self.count.wrapping_sub(1)).is_some_and(|d| d & 1 == 1)
    }

    fn text(&self) -> &str {
        std::str::from_utf8(self.digits.get(..self.count).unwrap_or_default()).unwrap_or_default()
    }

    fn push(&self, out: &mut String) {
        let text = self.text();
        let exponent = self.exponent;
        if (1..8).contains(&exponent) {
            let whole = (exponent as usize).min(self.count);
            let (before, behind) = text.split_at_checked(whole).unwrap_or((text, ""));
            out.push_str(before);
            (self.count..exponent as usize).for_each(|_| out.push('0'));
            out.push('.');
            out.push_str(if behind.is_empty() { "0" } else { behind });
        } else if (-2..=0).contains(&exponent) {
            out.push_str("0.");
            (exponent..0).for_each(|_| out.push('0'));
            out.push_str(text);
        } else {
            let (first, behind) = text.split_at_checked(1).unwrap_or((text, ""));
            out.push_str(first);
            out.push('.');
            out.push_str(if behind.is_empty() { "0" } else { behind });
            out.push('E');
            push_i64(out, i64::from(exponent) - 1);
        }
    }
}

/// A positive number: `fraction` × 2^(exponent − 52), bit 52 set; `significant` of its bits count.
struct Binary {
    fraction: u64,
    exponent: i32,
    significant: i32,
}

/// Numerator, denominator and spacing as powers: value = fraction × 2^b2 × 5^b5 / (2^s2 × 5^s5), half a spacing =
/// 2^m2 × 5^b5.
struct Scaled {
    fraction: u64,
    b2: u32,
    b5: u32,
    s2: u32,
    s5: u32,
    m2: u32,
    compatible: bool,
}

/// Bits of 5^n.
fn bits_of_five(n: u32) -> u32 {
    const BITS: [u32; 27] = [
        0, 3, 5, 7, 10, 12, 14, 17, 19, 21, 24, 26, 28, 31, 33, 35, 38, 40, 42, 45, 47, 49, 52, 54, 56, 59,
        61,
    ];
    BITS.get(n as usize).copied().unwrap_or(n * 3)
}

impl Binary {
    /// The digits; `compatible`: as `toString` wants them.
    fn digits(&self, compatible: bool) -> Digits {
        let tail = self.fraction.trailing_zeros() as i32;
        let fraction_bits = 53 - tail;
        // Bits behind the point.
        let tiny = (fraction_bits - self.exponent - 1).max(0);
        if (-21..=62).contains(&self.exponent) && tiny == 0 {
            return self.whole();
        }
        let estimate = self.estimate();
        let b5 = (-estimate).max(0);
        let s5 = estimate.max(0);
        let mut b2 = b5 + tiny + self.exponent;
        let mut s2 = s5 + tiny;
        let mut m2 = b2 - self.significant;
        b2 -= fraction_bits - 1;
        let common = b2.min(s2);
        b2 -= common;
        s2 -= common;
        m2 -= common;
        if fraction_bits == 1 {
            // The number below a power of two is only half as far away.
            m2 -= 1;
        }
        if m2 < 0 {
            b2 -= m2;
            s2 -= m2;
            m2 = 0;
        }
        let scaled = Scaled {
            fraction: self.fraction >> tail,
            b2: b2 as u32,
            b5: b5 as u32,
            s2: s2 as u32,
            s5: s5 as u32,
            m2: m2 as u32,
            compatible,
        };
        let numerator_bits = fraction_bits as u32 + scaled.b2 + bits_of_five(scaled.b5);
        let denominator_bits = scaled.s2 + 1 + bits_of_five(scaled.s5 + 1);
        let bits = numerator_bits.max(denominator_bits);
        match bits {
            0..32 => scaled.with_i32(estimate),
            32..64 => scaled.with_i64(estimate),
            // Spare bits for the factor ten and for the doubling of the last comparison.
            64..120 => scaled.with_u128(estimate),
            _ => scaled.with_big(estimate),
        }
    }

    /// A whole number of at most 63 bits: its digits, of which those below the spacing are rounded away.
    fn whole(&self) -> Digits {
        // The digits of 2^v that say nothing: floor(log10(2^v)).
        let spare = self.exponent - self.significant - 1;
        let insignificant = if spare > 1 { (2f64.powi(spare)).log10() as u32 } else { 0 };
        let mut value = if self.exponent >= 52 {
            self.fraction << (self.exponent - 52)
        } else {
            self.fraction >> (52 - self.exponent)
        };
        let mut places = 0;
        if self.exponent > self.significant && insignificant > 0 {
            let power = 10u64.pow(insignificant);
            let rest = value % power;
            value = value / power + u64::from(rest >= power / 2);
            places = insignificant as i32;
        }
        let mut text = String::with_capacity(20);
        push_i64(&mut text, value as i64);
        let mut digits = Digits::new(places + text.len() as i32);
        text.trim_end_matches('0').bytes().for_each(|b| digits.add(u32::from(b - b'0')));
        digits
    }

    /// An estimate of the decimal exponent, which may be one too high.
    #[allow(clippy::approx_constant)] // Java's own constants, not the better ones
    fn estimate(&self) -> i32 {
        let mantissa = f64::from_bits((1023 << 52) | (self.fraction & ((1 << 52) - 1)));
        let d = (mantissa - 1.5) * 0.289_529_654
            + 0.176_091_259
            + f64::from(self.exponent) * 0.301_029_995_663_981;
        d.floor() as i32
    }
}

/// When to stop: the rest is below half a spacing (`low`), or so near the next digit (`high`).
struct Stop {
    low: bool,
    high: bool,
}

/// Java writes at least two digits before an exponent.
fn wants_two(exponent: i32) -> bool {
    !(-3..8).contains(&exponent)
}

fn finish(mut digits: Digits, exponent: i32, stop: &Stop, difference: std::cmp::Ordering) -> Digits {
    digits.exponent = exponent + 1;
    let up = match difference {
        _ if stop.high && !stop.low => true,
        std::cmp::Ordering::Equal => stop.high && digits.last_is_odd(),
        std::cmp::Ordering::Greater => stop.high,
        std::cmp::Ordering::Less => false,
    };
    if up {
        digits.round_up();
    }
    digits
}

/// The digit loop over machine integers that wrap as Java's do.
macro_rules! small_loop {
    ($name:ident, $t:ty) => {
        fn $name(&self, estimate: i32) -> Digits {
            let five = |n: u32| (5 as $t).wrapping_pow(n);
            let mut b = (self.fraction as $t).wrapping_mul(five(self.b5)).wrapping_shl(self.b2);
            let s = five(self.s5).wrapping_shl(self.s2).max(1);
            let mut m = five(self.b5).wrapping_shl(self.m2);
            let tens = s.wrapping_mul(10);
            let mut exponent = estimate;
            let mut digits = Digits::new(0);
            let mut q = b / s;
            b = (b % s).wrapping_mul(10);
            m = m.wrapping_mul(10);
            let mut stop = Stop { low: b < m, high: b.wrapping_add(m) > tens };
            if q == 0 && !stop.high {
                exponent -= 1;
            } else {
                digits.add(q as u32);
            }
            if !self.compatible || wants_two(exponent) {
                stop = Stop { low: false, high: false };
            }
            while !stop.low && !stop.high && digits.count < 20 {
                q = b / s;
                b = (b % s).wrapping_mul(10);
                m = m.wrapping_mul(10);
                // A spacing that overflowed is larger than everything.
                stop = if m > 0 {
                    Stop { low: b < m, high: b.wrapping_add(m) > tens }
                } else {
                    Stop { low: true, high: true }
                };
                digits.add(q as u32);
            }
            finish(digits, exponent, &stop, b.wrapping_shl(1).wrapping_sub(tens).cmp(&0))
        }
    };
}

impl Scaled {
    small_loop!(with_i32, i32);
    small_loop!(with_i64, i64);

    /// The loop of [`Scaled::with_big`] for numbers that fit in 128 bits.
    fn with_u128(&self, estimate: i32) -> Digits {
        let mut b = (u128::from(self.fraction) * 5u128.pow(self.b5)) << self.b2;
        let s = 5u128.pow(self.s5) << self.s2;
        let mut m = 5u128.pow(self.b5) << self.m2;
        let tens = s * 10;
        let mut exponent = estimate;
        let mut digits = Digits::new(0);
        let mut step = |b: &mut u128| {
            let q = *b / s;
            *b = (*b % s) * 10;
            m *= 10;
            (q as u32, Stop { low: *b < m, high: *b + m >= tens })
        };
        let (q, mut stop) = step(&mut b);
        if q == 0 && !stop.high {
            exponent -= 1;
        } else {
            digits.add(q);
        }
        if !self.compatible || wants_two(exponent) {
            stop = Stop { low: false, high: false };
        }
        while !stop.low && !stop.high && digits.count < 20 {
            let q;
            (q, stop) = step(&mut b);
            digits.add(q);
        }
        finish(digits, exponent, &stop, (b * 2).cmp(&tens))
    }

    fn with_big(&self, estimate: i32) -> Digits {
        let mut b = Natural::from(self.fraction).times_five(self.b5).shifted(self.b2);
        let s = Natural::from(1).times_five(self.s5).shifted(self.s2);
        let mut m = Natural::from(1).times_five(self.b5).shifted(self.m2);
        let tens = s.clone().times(10);
        let mut exponent = estimate;
        let mut digits = Digits::new(0);
        let mut step = |b: &mut Natural| {
            let mut q = 0;
            while (*b).cmp(&s).is_ge() {
                b.subtract(&s);
                q += 1;
            }
            *b = std::mem::take(b).times(10);
            m = std::mem::take(&mut m).times(10);
            (q, Stop { low: (*b).cmp(&m).is_lt(), high: b.clone().plus(&m).cmp(&tens).is_ge() })
        };
        let (q, mut stop) = step(&mut b);
        if q == 0 && !stop.high {
            exponent -= 1;
        } else {
            digits.add(q);
        }
        if !self.compatible || wants_two(exponent) {
            stop = Stop { low: false, high: false };
        }
        while !stop.low && !stop.high && digits.count < 20 {
            let q;
            (q, stop) = step(&mut b);
            digits.add(q);
        }
        let difference = b.times(2).cmp(&tens);
        finish(digits, exponent, &stop, difference)
    }
}
