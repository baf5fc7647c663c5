//! FLOAT and DOUBLE from text.

use super::NumberError;

/// Reads a DOUBLE as Java's `Double.parseDouble`: control characters and spaces around are cut; a sign, then `NaN`,
/// `Infinity`, a decimal or a hexadecimal number (`0x1.8p3`) with an optional `f`, `F`, `d` or `D` behind it.
///
/// # Errors
/// When it is empty or no such number. What is too large is infinite.
pub fn parse_f64(text: &str) -> Result<f64, NumberError> {
    match scan(text)? {
        Scanned::Value(v) => Ok(v),
        Scanned::Decimal(t) => t.parse().map_err(|_| NumberError::Invalid),
        Scanned::Hex(h) => h.round(&DOUBLE),
    }
}

/// Reads a FLOAT as Java's `Float.parseFloat`, by the rules of [`parse_f64`], rounded once.
///
/// # Errors
/// As [`parse_f64`].
pub fn parse_f32(text: &str) -> Result<f32, NumberError> {
    match scan(text)? {
        Scanned::Value(v) => Ok(v as f32),
        Scanned::Decimal(t) => t.parse().map_err(|_| NumberError::Invalid),
        Scanned::Hex(h) => h.round(&SINGLE).map(|v| v as f32),
    }
}

enum Scanned<'a> {
    Value(f64),
    /// A decimal number that Rust's parser, which rounds correctly as Java's does, accepts.
    Decimal(&'a str),
    Hex(Hex),
}

fn scan(text: &str) -> Result<Scanned<'_>, NumberError> {
    let text = text.trim_matches(|c: char| c <= ' ');
    if text.is_empty() {
        return Err(NumberError::Empty);
    }
    let (negative, body) = match text.as_bytes() {
        [b'-', ..] => (true, text.get(1..).unwrap_or("")),
        [b'+', ..] => (false, text.get(1..).unwrap_or("")),
        _ => (false, text),
    };
    let signed = |v: f64| if negative { -v } else { v };
    match body {
        "NaN" => return Ok(Scanned::Value(f64::NAN)),
        "Infinity" => return Ok(Scanned::Value(signed(f64::INFINITY))),
        _ => {}
    }
    if let Some(hex) = body.strip_prefix("0x").or_else(|| body.strip_prefix("0X")) {
        return hexadecimal(hex, negative).map(Scanned::Hex);
    }
    let suffix = |c: char| matches!(c, 'f' | 'F' | 'd' | 'D');
    let number = text.strip_suffix(suffix).unwrap_or(text);
    let body = body.strip_suffix(suffix).unwrap_or(body);
    // Rust also takes `inf`, `nan`; only digits, a point and an exponent may come, and digits come first.
    let begins = body.bytes().find(|b| *b != b'.').is_some_and(|b| b.is_ascii_digit());
    let plain = body.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'));
    if begins && plain { Ok(Scanned::Decimal(number)) } else { Err(NumberError::Invalid) }
}

struct Hex {
    negative: bool,
    /// The first 16 significant hexadecimal digits.
    mantissa: u64,
    /// Whether a digit other than 0 was dropped behind them.
    sticky: bool,
    /// The power of two the mantissa is to be multiplied with.
    exponent: i64,
}

fn hexadecimal(text: &str, negative: bool) -> Result<Hex, NumberError> {
    let at = text.find(['p', 'P']).ok_or(NumberError::Invalid)?;
    let (digits, power) = (text.get(..at).unwrap_or(""), text.get(at + 1..).unwrap_or(""));
    let power = power.strip_suffix(['f', 'F', 'd', 'D']).unwrap_or(power);
    let (sign, power) = match power.as_bytes() {
        [b'-', ..] => (-1, power.get(1..).unwrap_or("")),
        [b'+', ..] => (1, power.get(1..).unwrap_or("")),
        _ => (1, power),
    };
    if power.is_empty() || !power.bytes().all(|b| b.is_ascii_digit()) {
        return Err(NumberError::Invalid);
    }
    let power: i64 = power
        .bytes()
        .fold(0i64, |v, b| v.saturating_mul(10).saturating_add(i64::from(b - b'0')))
        .min(1 << 40);
    let mut hex = Hex { negative, mantissa: 0, sticky: false, exponent: sign * power };
    let (mut seen, mut fraction) = (false, false);
    for c in digits.chars() {
        if c == '.' && !fraction {
            fraction = true;
            continue;
        }
        let digit = u64::from(c.to_digit(16).ok_or(NumberError::Invalid)?);
        seen = true;
        if hex.mantissa >> 60 == 0 {
            hex.mantissa = hex.mantissa << 4 | digit;
            hex.exponent -= if fraction { 4 } else { 0 };
        } else {
            hex.sticky |= digit != 0;
            hex.exponent += if fraction { 0 } else { 4 };
        }
    }
    if seen { Ok(hex) } else { Err(NumberError::Invalid) }
}

/// A binary format: bits of its mantissa, the exponents of its smallest number and of the first that is too large.
struct Format {
    bits: i64,
    smallest: i64,
    overflow: i64,
}

const DOUBLE: Format = Format { bits: 53, smallest: -1074, overflow: 1024 };
const SINGLE: Format = Format { bits: 24, smallest: -149, overflow: 128 };

impl Hex {
    /// The nearest number of the format, ties to even; a FLOAT comes as the DOUBLE that equals it.
    fn round(&self, format: &Format) -> Result<f64, NumberError> {
        let sign = if self.negative { -1.0 } else { 1.0 };
        if self.mantissa == 0 {
            return Ok(sign * 0.0);
        }
        let zeros = self.mantissa.leading_zeros();
        let mantissa = self.mantissa << zeros;
        let exponent = self.exponent - i64::from(zeros);
        if exponent + 63 >= format.overflow {
            return Ok(sign * f64::INFINITY);
        }
        // The place of the last bit that is kept.
        let last = (exponent + 64 - format.bits).max(format.smallest);
        let shift = last - exponent;
        let (kept, rest, half) = match shift {
            0..=63 => (mantissa >> shift, mantissa & ((1 << shift) - 1), (1u64 << shift) >> 1),
            64 => (0, mantissa, 1 << 63),
            _ => return Ok(sign * 0.0),
        };
        let up = rest > half || (rest == half && (self.sticky || kept & 1 == 1));
        let kept = (kept + u64::from(up)) as f64;
        // Both factors and their product are exact.
        let value = kept * power_of_two(last);
        let bound = if format.overflow >= 1024 { f64::INFINITY } else { power_of_two(format.overflow) };
        Ok(sign * if value >= bound { f64::INFINITY } else { value })
    }
}

/// 2 to the power `n`, for `n` from -1074 to 1023.
fn power_of_two(n: i64) -> f64 {
    if n >= -1022 { f64::from_bits(((n + 1023) as u64) << 52) } else { f64::from_bits(1u64 << (n + 1074)) }
}
