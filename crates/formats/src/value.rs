//! Typed values from text, by the rules that Flink's text formats share.

use millstream_text::number::{self, NumberError};
use millstream_text::temporal::{
    self, DateTime, TimestampStandard, parse_json_date, parse_json_instant, parse_json_time,
    parse_json_timestamp,
};
use millstream_types::TypeKind;

/// A value is none of its type. Free to make: what it looked like is said only where it is reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bad;

/// A type without parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leaf {
    Null,
    Boolean,
    Integer {
        min: i64,
        max: i64,
        /// Whether a JSON number with a fraction is cut (INT, BIGINT) or refused (TINYINT, SMALLINT).
        cuts: bool,
    },
    Float,
    Double,
    Decimal {
        precision: u8,
        scale: u8,
    },
    Text,
    Bytes,
    Date,
    Time,
    /// With its precision.
    Timestamp(u8),
    /// TIMESTAMP_LTZ, with its precision.
    Instant(u8),
}

impl Leaf {
    /// The leaf of a type; `None` for types with parts and for those that no text format has.
    pub fn of(kind: &TypeKind) -> Option<Leaf> {
        let integer = |min, max, cuts| Leaf::Integer { min, max, cuts };
        Some(match kind {
            TypeKind::Null => Leaf::Null,
            TypeKind::Boolean => Leaf::Boolean,
            TypeKind::TinyInt => integer(i64::from(i8::MIN), i64::from(i8::MAX), false),
            TypeKind::SmallInt => integer(i64::from(i16::MIN), i64::from(i16::MAX), false),
            TypeKind::Int | TypeKind::IntervalYearMonth(..) => {
                integer(i64::from(i32::MIN), i64::from(i32::MAX), true)
            }
            TypeKind::BigInt | TypeKind::IntervalDayTime(..) => integer(i64::MIN, i64::MAX, true),
            TypeKind::Float => Leaf::Float,
            TypeKind::Double => Leaf::Double,
            TypeKind::Decimal { precision, scale } => Leaf::Decimal { precision: *precision, scale: *scale },
            TypeKind::Char(_) | TypeKind::VarChar(_) => Leaf::Text,
            TypeKind::Binary(_) | TypeKind::VarBinary(_) => Leaf::Bytes,
            TypeKind::Date => Leaf::Date,
            TypeKind::Time(_) => Leaf::Time,
            TypeKind::Timestamp(p, _) => Leaf::Timestamp(*p),
            TypeKind::TimestampLtz(p, _) => Leaf::Instant(*p),
            _ => return None,
        })
    }
}

/// What Java's `String.trim` leaves: characters up to the space are cut on both sides.
pub(crate) fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c <= ' ')
}

/// A number of Java's `Long.parseLong`: a sign and digits.
pub(crate) fn integer(text: &str, min: i64, max: i64) -> Result<i64, Bad> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(Bad);
    }
    let value: i64 = text.parse().map_err(|_| Bad)?;
    if (min..=max).contains(&value) { Ok(value) } else { Err(Bad) }
}

/// Java's `Boolean.parseBoolean`: `true` in any case, all else is FALSE.
pub(crate) fn boolean(text: &str) -> bool {
    text.eq_ignore_ascii_case("true")
}

/// A DECIMAL; one with too many digits is NULL, as in Flink's `DecimalData.fromBigDecimal`.
pub(crate) fn decimal(text: &str, precision: u8, scale: u8) -> Result<Option<i128>, Bad> {
    match number::parse_decimal(text, precision, scale) {
        Ok(v) => Ok(Some(v)),
        Err(NumberError::Overflow) => Ok(None),
        Err(_) => Err(Bad),
    }
}

/// A DOUBLE.
pub(crate) fn double(text: &str) -> Result<f64, Bad> {
    number::parse_f64(text).map_err(|_| Bad)
}

/// A FLOAT, as the DOUBLE that equals it.
pub(crate) fn float(text: &str) -> Result<f64, Bad> {
    number::parse_f32(text).map(f64::from).map_err(|_| Bad)
}

/// A DATE of `java.time`'s ISO format.
pub(crate) fn date(text: &str) -> Result<i64, Bad> {
    parse_json_date(text).map(i64::from).ok_or(Bad)
}

/// A DATE of `java.sql.Date.valueOf`: one-digit months and days, and days behind a month's end count on.
pub(crate) fn lenient_date(text: &str) -> Result<i64, Bad> {
    if text.contains(|c: char| c <= ' ') {
        return Err(Bad);
    }
    temporal::timestamp_value_of(text).map(|t| t.days).ok_or(Bad)
}

/// A TIME, `HH:mm:ss` with a fraction, in milliseconds.
pub(crate) fn time(text: &str) -> Result<i64, Bad> {
    // The formatter takes the end of a day for its beginning.
    if text == "24:00:00" {
        return Ok(0);
    }
    parse_json_time(text).map(i64::from).ok_or(Bad)
}

/// A TIMESTAMP, in the column's unit.
pub(crate) fn timestamp(text: &str, precision: u8, standard: TimestampStandard) -> Result<i64, Bad> {
    parse_json_timestamp(text, standard).and_then(|t: DateTime| t.to_column(precision)).ok_or(Bad)
}

/// A TIMESTAMP_LTZ, in the column's unit.
pub(crate) fn instant(text: &str, precision: u8, standard: TimestampStandard) -> Result<i64, Bad> {
    parse_json_instant(text, standard).and_then(|t: DateTime| t.to_column(precision)).ok_or(Bad)
}

/// Base64 as Jackson's default variant reads it: padding is required, white space may stand before a group of four characters.
pub(crate) fn base64(text: &[u8], out: &mut Vec<u8>) -> Result<(), Bad> {
    let mut rest = text;
    loop {
        while let [b, tail @ ..] = rest {
            if *b > b' ' {
                break;
            }
            rest = tail;
        }
        let [a, b, c, d, tail @ ..] = rest else {
            return if rest.is_empty() { Ok(()) } else { Err(Bad) };
        };
        let (a, b) = (sextet(*a)?, sextet(*b)?);
        out.push((a << 2 | b >> 4) as u8);
        match (*c, *d) {
            (b'=', b'=') => {}
            (c, b'=') => out.push((b << 4 | sextet(c)? >> 2) as u8),
            (c, d) => {
                let (c, d) = (sextet(c)?, sextet(d)?);
                out.push((b << 4 | c >> 2) as u8);
                out.push((c << 6 | d) as u8);
            }
        }
        rest = tail;
    }
}

fn sextet(b: u8) -> Result<u32, Bad> {
    Ok(u32::from(match b {
        b'A'..=b'Z' => b - b'A',
        b'a'..=b'z' => b - b'a' + 26,
        b'0'..=b'9' => b - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return Err(Bad),
    }))
}

/// Appends a DECIMAL as Java's `BigDecimal.toString` writes it without the zeros at its end: `1E+2` for 100.00, `0` for 0.00.
pub(crate) fn push_stripped_decimal(out: &mut String, mut unscaled: i128, scale: u8) {
    if unscaled == 0 {
        out.push('0');
        return;
    }
    let mut scale = i64::from(scale);
    while unscaled % 10 == 0 {
        unscaled /= 10;
        scale -= 1;
    }
    let mut digits = String::with_capacity(40);
    number::push_i128(&mut digits, unscaled);
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(d) => ("-", d),
        None => ("", digits.as_str()),
    };
    let exponent = digits.len() as i64 - 1 - scale;
    if scale >= 0 && exponent >= -6 {
        return number::push_decimal(out, unscaled, scale as u8);
    }
    out.push_str(sign);
    let (first, rest) = digits.split_at(1);
    out.push_str(first);
    if !rest.is_empty() {
        out.push('.');
        out.push_str(rest);
    }
    if exponent != 0 {
        out.push('E');
        if exponent > 0 {
            out.push('+');
        }
        number::push_i64(out, exponent);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // What Flink 2.3's readers and writers answered.
    #[test]
    fn base64_as_jackson_reads_it() {
        let read = |t: &str| {
            let mut out = Vec::new();
            base64(t.as_bytes(), &mut out).map(|()| out)
        };
        assert_eq!(read("AQI="), Ok(vec![1, 2]));
        assert_eq!(read(""), Ok(vec![]));
        assert_eq!(read("AR=="), Ok(vec![1]));
        assert_eq!(read(" AQ== "), Ok(vec![1]));
        for bad in ["AQ", "AQ ==", "AQ==x", "A-_="] {
            assert_eq!(read(bad), Err(Bad), "{bad}");
        }
    }

    #[test]
    fn decimals_without_zeros_at_the_end() {
        for (unscaled, scale, text) in [
            (10_000, 2, "1E+2"),
            (120_000, 2, "1.2E+3"),
            (0, 9, "0"),
            (27, 9, "2.7E-8"),
            (1250, 2, "12.5"),
            (-1250, 2, "-12.5"),
            (-100, 2, "-1"),
            (10, 0, "1E+1"),
            (1, 6, "0.000001"),
            (1, 7, "1E-7"),
        ] {
            let mut out = String::new();
            push_stripped_decimal(&mut out, unscaled, scale);
            assert_eq!(out, text);
        }
    }

    #[test]
    fn times_and_dates() {
        assert_eq!(time("10:20:30.5"), Ok(37_230_500));
        assert_eq!(time("24:00:00"), Ok(0));
        assert_eq!(time("10:20"), Err(Bad));
        assert_eq!(lenient_date("2024-2-1"), Ok(19754));
        assert_eq!(lenient_date("2024-02-30"), Ok(19783));
        assert_eq!(lenient_date(" 2024-02-01"), Err(Bad));
        assert_eq!(date("2024-02-30"), Err(Bad));
        assert_eq!(timestamp("2024-02-30 00:00:00", 3, TimestampStandard::Sql), Ok(1_709_164_800_000_000));
    }

    #[test]
    fn integers_are_javas() {
        assert_eq!(integer("+5", -128, 127), Ok(5));
        assert_eq!(integer("-129", -128, 127), Err(Bad));
        for bad in ["", "+", "1.5", "1e3", "--1", "+-1", " 1"] {
            assert_eq!(integer(bad, i64::MIN, i64::MAX), Err(Bad), "{bad}");
        }
    }
}
