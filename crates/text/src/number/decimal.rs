//! DECIMAL as text, and its scaling. A value is its digits without the point; the scale is the type's.

use super::NumberError;
use super::float::parse_f64;
use super::float_text::push_f64;
use super::integer::{push_i128, push_u128};

/// The most digits a DECIMAL has.
pub const MAX_PRECISION: u8 = 38;

#[allow(clippy::indexing_slicing)] // constant: the compiler checks the bounds
const POWERS: [i128; 39] = {
    let mut powers = [1i128; 39];
    let mut i = 1;
    while i < 39 {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// 10 to the power `n`, for `n` up to 38.
pub fn power_of_ten(n: u32) -> Option<i128> {
    POWERS.get(n as usize).copied()
}

/// Whether the digits of a value are at most `precision`.
pub fn fits(unscaled: i128, precision: u8) -> bool {
    match power_of_ten(u32::from(precision)) {
        Some(bound) => unscaled.unsigned_abs() < bound.unsigned_abs(),
        None => true,
    }
}

/// Brings a value from one scale to another, HALF_UP, as Flink's casts do; `None` when it has more than `precision`
/// digits then.
pub fn rescale(unscaled: i128, from_scale: u8, precision: u8, scale: u8) -> Option<i128> {
    let value = if scale >= from_scale {
        unscaled.checked_mul(power_of_ten(u32::from(scale - from_scale))?)?
    } else {
        match power_of_ten(u32::from(from_scale - scale)) {
            Some(divisor) => divide_half_up(unscaled, divisor),
            None => 0,
        }
    };
    fits(value, precision).then_some(value)
}

fn divide_half_up(value: i128, divisor: i128) -> i128 {
    let quotient = value / divisor;
    let rest = (value % divisor).unsigned_abs();
    if rest * 2 >= divisor.unsigned_abs() { quotient + value.signum() } else { quotient }
}

/// Reads a DECIMAL(precision, scale): an optional sign, digits with an optional point, an optional exponent, spaces
/// around; more digits than the scale has are rounded HALF_UP.
///
/// Source: Flink's `BinaryStringDataUtil#toDecimal`.
///
/// # Errors
/// When it is empty, is no number, or has more integer digits than the type.
pub fn parse_decimal(text: &str, precision: u8, scale: u8) -> Result<i128, NumberError> {
    let bytes = text.trim_matches(|c: char| c <= ' ').as_bytes();
    // Java's mark of a literal's type may stand behind it.
    let bytes = match bytes {
        [rest @ .., b'd' | b'D' | b'f' | b'F' | b'l' | b'L'] => rest,
        _ => bytes,
    };
    let (negative, rest) = match bytes {
        [] => return Err(NumberError::Empty),
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, bytes),
    };
    let is_exponent = |b: &u8| matches!(b, b'e' | b'E');
    let (mantissa, exponent) = match rest.iter().position(is_exponent) {
        Some(at) => (rest.get(..at).unwrap_or_default(), exponent(rest.get(at + 1..).unwrap_or_default())?),
        None => (rest, 0),
    };
    let (whole, fraction) = match mantissa.iter().position(|b| *b == b'.') {
        Some(at) => (mantissa.get(..at).unwrap_or_default(), mantissa.get(at + 1..).unwrap_or_default()),
        None => (mantissa, &[][..]),
    };
    if whole.len() + fraction.len() == 0 || !whole.iter().chain(fraction).all(u8::is_ascii_digit) {
        return Err(NumberError::Invalid);
    }
    let value = digits_at(whole, fraction, exponent, scale).ok_or(NumberError::Overflow)?;
    if !fits(value, precision) {
        return Err(NumberError::Overflow);
    }
    Ok(if negative { -value } else { value })
}

/// The digits up to `scale` places behind the point, the rest rounded; `None` when they do not fit in 38 digits.
fn digits_at(whole: &[u8], fraction: &[u8], exponent: i64, scale: u8) -> Option<i128> {
    // How many of the digits count: those up to the place `scale` behind the shifted point.
    let keep = whole.len() as i64 + exponent + i64::from(scale);
    let mut digits = whole.iter().chain(fraction);
    let mut value: i128 = 0;
    let mut taken: i64 = 0;
    while taken < keep {
        match digits.next() {
            Some(b) => value = value.checked_mul(10)?.checked_add(i128::from(b - b'0'))?,
            // Zeros behind the last digit.
            None if value == 0 => return Some(0),
            None => return value.checked_mul(power_of_ten(u32::try_from(keep - taken).ok()?)?),
        }
        taken += 1;
    }
    // `keep < 0`: the first digit stands below the rounding place.
    let round_up = keep >= 0 && digits.next().is_some_and(|b| *b >= b'5');
    value.checked_add(i128::from(round_up))
}

fn exponent(bytes: &[u8]) -> Result<i64, NumberError> {
    let (negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, bytes),
    };
    // Java's BigDecimal takes at most ten digits.
    if digits.is_empty() || digits.len() > 10 || !digits.iter().all(u8::is_ascii_digit) {
        return Err(NumberError::Invalid);
    }
    let value = digits.iter().fold(0i64, |v, b| v * 10 + i64::from(b - b'0'));
    Ok(if negative { -value } else { value })
}

/// Appends a DECIMAL without exponent (`BigDecimal.toPlainString`): `1.50`.
pub fn push_decimal(out: &mut String, unscaled: i128, scale: u8) {
    if scale == 0 {
        return push_i128(out, unscaled);
    }
    if unscaled < 0 {
        out.push('-');
    }
    let (magnitude, scale) = (unscaled.unsigned_abs(), u32::from(scale));
    let divisor = power_of_ten(scale).map_or(u128::MAX, i128::unsigned_abs);
    push_u128(out, magnitude / divisor);
    out.push('.');
    let rest = magnitude % divisor;
    let mut digits = String::with_capacity(40);
    push_u128(&mut digits, rest);
    for _ in digits.len()..scale as usize {
        out.push('0');
    }
    out.push_str(&digits);
}

/// Appends a DECIMAL as Java's `BigDecimal.toString` does: with an exponent when the value is below 10⁻⁶.
pub fn push_decimal_scientific(out: &mut String, unscaled: i128, scale: u8) {
    let mut digits = String::with_capacity(40);
    push_u128(&mut digits, unscaled.unsigned_abs());
    let adjusted = digits.len() as i64 - 1 - i64::from(scale);
    if adjusted >= -6 {
        return push_decimal(out, unscaled, scale);
    }
    if unscaled < 0 {
        out.push('-');
    }
    let (first, rest) = digits.split_at(1);
    out.push_str(first);
    if !rest.is_empty() {
        out.push('.');
        out.push_str(rest);
    }
    out.push('E');
    super::push_i64(out, adjusted);
}

/// The nearest DOUBLE.
pub fn decimal_to_f64(unscaled: i128, scale: u8) -> f64 {
    const EXACT: u128 = 1 << 53;
    if scale == 0 {
        return unscaled as f64;
    }
    if unscaled.unsigned_abs() <= EXACT && scale <= 22 {
        // Both are exact, so the quotient is rounded once.
        return unscaled as f64 / power_of_ten(u32::from(scale)).unwrap_or(1) as f64;
    }
    let mut text = String::with_capacity(48);
    push_decimal(&mut text, unscaled, scale);
    parse_f64(&text).unwrap_or(f64::NAN)
}

/// The DECIMAL of a DOUBLE: its shortest text (as Java writes it), rounded HALF_UP. `None` for NaN, infinities and
/// what does not fit.
pub fn decimal_from_f64(value: f64, precision: u8, scale: u8) -> Option<i128> {
    if !value.is_finite() {
        return None;
    }
    let mut text = String::with_capacity(32);
    push_f64(&mut text, value);
    parse_decimal(&text, precision, scale).ok()
}

/// The BIGINT of a DECIMAL: the fraction is dropped, what does not fit wraps (Java's `BigDecimal.longValue`).
pub fn decimal_to_i64(unscaled: i128, scale: u8) -> i64 {
    (unscaled / power_of_ten(u32::from(scale)).unwrap_or(i128::MAX)) as i64
}
