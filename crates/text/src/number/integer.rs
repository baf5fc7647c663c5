//! Integers as text.

use super::NumberError;
use super::digits::PAIRS;

/// Reads a BIGINT. Spaces around it are cut, digits behind a point are checked and dropped (`1.9` is 1).
///
/// Source: Flink's `BinaryStringDataUtil#toLong` behind the cast from CHAR and VARCHAR.
///
/// # Errors
/// When it is empty, holds another character, or is out of range.
pub fn parse_i64(text: &str) -> Result<i64, NumberError> {
    let bytes = text.trim_matches(' ').as_bytes();
    let (negative, mut rest) = match bytes {
        [] => return Err(NumberError::Empty),
        [b'-' | b'+'] => return Err(NumberError::Invalid),
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, bytes),
    };
    // Built on the negative side, which reaches one further.
    let mut value: i64 = 0;
    let mut overflow = false;
    while let [first, tail @ ..] = rest {
        rest = tail;
        match first {
            b'0'..=b'9' => match value.checked_mul(10).and_then(|v| v.checked_sub(i64::from(first - b'0'))) {
                Some(v) => value = v,
                None => {
                    overflow = true;
                    break;
                }
            },
            b'.' => {
                if rest.iter().all(u8::is_ascii_digit) {
                    break;
                }
                return Err(NumberError::Invalid);
            }
            _ => return Err(NumberError::Invalid),
        }
    }
    if overflow {
        return Err(NumberError::Overflow);
    }
    if negative { Ok(value) } else { value.checked_neg().ok_or(NumberError::Overflow) }
}

/// Reads an INT, by the rules of [`parse_i64`].
///
/// # Errors
/// As [`parse_i64`].
pub fn parse_i32(text: &str) -> Result<i32, NumberError> {
    i32::try_from(parse_i64(text)?).map_err(|_| NumberError::Overflow)
}

/// Reads a SMALLINT, by the rules of [`parse_i64`].
///
/// # Errors
/// As [`parse_i64`].
pub fn parse_i16(text: &str) -> Result<i16, NumberError> {
    i16::try_from(parse_i64(text)?).map_err(|_| NumberError::Overflow)
}

/// Reads a TINYINT, by the rules of [`parse_i64`].
///
/// # Errors
/// As [`parse_i64`].
pub fn parse_i8(text: &str) -> Result<i8, NumberError> {
    i8::try_from(parse_i64(text)?).map_err(|_| NumberError::Overflow)
}

/// Appends an integer in decimal.
pub fn push_i64(out: &mut String, value: i64) {
    if value < 0 {
        out.push('-');
    }
    push_u64(out, value.unsigned_abs());
}

/// Appends a 128-bit integer in decimal.
pub fn push_i128(out: &mut String, value: i128) {
    if let Ok(small) = i64::try_from(value) {
        return push_i64(out, small);
    }
    if value < 0 {
        out.push('-');
    }
    push_u128(out, value.unsigned_abs());
}

/// Appends a 128-bit unsigned integer in decimal: at most three blocks of 19 digits.
pub(crate) fn push_u128(out: &mut String, value: u128) {
    const BLOCK: u128 = 10_000_000_000_000_000_000;
    if let Ok(small) = u64::try_from(value) {
        return push_u64(out, small);
    }
    let (high, low) = (value / BLOCK, value % BLOCK);
    push_u128(out, high);
    push_padded(out, low as u64, 19);
}

/// Appends an unsigned integer, padded with zeros to at least `width` digits (at most 20).
pub fn push_padded(out: &mut String, value: u64, width: usize) {
    let (buffer, start) = digits_of(value);
    let from = start.min(20 - width.min(20));
    out.push_str(ascii(buffer.get(from..).unwrap_or_default()));
}

fn push_u64(out: &mut String, value: u64) {
    let (buffer, start) = digits_of(value);
    out.push_str(ascii(buffer.get(start..).unwrap_or_default()));
}

fn ascii(digits: &[u8]) -> &str {
    std::str::from_utf8(digits).unwrap_or_default()
}

/// The digits, right-aligned in 20 zeros, and where they begin (at least one digit).
#[allow(clippy::indexing_slicing)] // a u64 has at most 20 digits, and a pair's number is below 100
fn digits_of(mut value: u64) -> ([u8; 20], usize) {
    let mut buffer = [b'0'; 20];
    let mut at = 20;
    while value >= 100 {
        let pair = (value % 100) as usize * 2;
        value /= 100;
        at -= 2;
        buffer[at] = PAIRS[pair];
        buffer[at + 1] = PAIRS[pair + 1];
    }
    if value >= 10 {
        at -= 2;
        let pair = value as usize * 2;
        buffer[at] = PAIRS[pair];
        buffer[at + 1] = PAIRS[pair + 1];
    } else {
        at -= 1;
        buffer[at] = b'0' + value as u8;
    }
    (buffer, at)
}
