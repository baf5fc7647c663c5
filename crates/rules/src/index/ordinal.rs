//! Numbers, dates, times and truth values as ordinals: whole numbers that keep their order, so that one table of ranges serves all types.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    DataType as Arrow, Date32Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type,
    Int64Type, Time32MillisecondType, TimeUnit, TimestampMicrosecondType, TimestampNanosecondType,
};
use millstream_text::number::{parse_decimal, parse_f32, parse_f64};
use millstream_text::temporal::{
    DateTime, TimestampStandard, parse_json_date, parse_json_instant, parse_json_time, parse_json_timestamp,
    push_json_timestamp,
};
use millstream_types::{TypeKind, Value};

use super::numbers;

/// How the values of a column are ordinals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Ordinal {
    /// The number itself.
    Whole,
    /// FALSE is 0, TRUE is 1.
    Boolean,
    /// The bits of a FLOAT's DOUBLE, or of a DOUBLE, turned so that they ascend.
    Float,
    Double,
    /// The digits without the point.
    Decimal {
        precision: u8,
        scale: u8,
    },
    /// Days.
    Date,
    /// Milliseconds.
    Time,
    /// Microseconds or, above a precision of 6, nanoseconds.
    Timestamp(u8),
    Instant(u8),
}

impl Ordinal {
    /// The ordinals of a type; `None`: it has none.
    pub(super) fn of(kind: &TypeKind) -> Option<Self> {
        Some(match kind {
            k if k.is_integer() => Ordinal::Whole,
            TypeKind::Boolean => Ordinal::Boolean,
            TypeKind::Float => Ordinal::Float,
            TypeKind::Double => Ordinal::Double,
            TypeKind::Decimal { precision, scale } => {
                Ordinal::Decimal { precision: *precision, scale: *scale }
            }
            TypeKind::Date => Ordinal::Date,
            TypeKind::Time(_) => Ordinal::Time,
            TypeKind::Timestamp(p, _) => Ordinal::Timestamp(*p),
            TypeKind::TimestampLtz(p, _) => Ordinal::Instant(*p),
            _ => return None,
        })
    }

    /// The ordinal of a value as a slice spells it; `None`: that is not decided here.
    #[inline]
    pub(super) fn spelled(self, bytes: &[u8]) -> Option<i64> {
        if self == Ordinal::Whole {
            return numbers::parse(bytes);
        }
        let text = std::str::from_utf8(bytes).ok()?;
        match self {
            Ordinal::Whole => None,
            Ordinal::Boolean if text.eq_ignore_ascii_case("true") => Some(1),
            Ordinal::Boolean if text.eq_ignore_ascii_case("false") => Some(0),
            Ordinal::Boolean => None,
            _ if matches!(self, Ordinal::Float | Ordinal::Double | Ordinal::Decimal { .. }) => {
                // Java's other spellings (`1d`, hexadecimal digits, NaN) are left open.
                if !text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'-' | b'+' | b'e' | b'E')) {
                    return None;
                }
                match self {
                    Ordinal::Float => float(parse_f32(text).ok()?.into()),
                    Ordinal::Double => float(parse_f64(text).ok()?),
                    Ordinal::Decimal { precision, scale } => {
                        i64::try_from(parse_decimal(text, precision, scale).ok()?).ok()
                    }
                    _ => None,
                }
            }
            Ordinal::Date => parse_json_date(text).map(i64::from),
            Ordinal::Time => parse_json_time(text).map(i64::from),
            Ordinal::Timestamp(_) | Ordinal::Instant(_) if !is_usual(text) => None,
            Ordinal::Timestamp(p) => parse_json_timestamp(text, standard(text)).and_then(|t| t.to_column(p)),
            Ordinal::Instant(p) => parse_json_instant(text, standard(text)).and_then(|t| t.to_column(p)),
            Ordinal::Float | Ordinal::Double | Ordinal::Decimal { .. } => None,
        }
    }

    /// The ordinals of an array's values.
    pub(super) fn array(array: &ArrayRef) -> impl Fn(usize) -> Option<i64> {
        move |row| {
            Some(match array.data_type() {
                Arrow::Int8 => array.as_primitive::<Int8Type>().value(row).into(),
                Arrow::Int16 => array.as_primitive::<Int16Type>().value(row).into(),
                Arrow::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
                Arrow::Int64 => array.as_primitive::<Int64Type>().value(row),
                Arrow::Boolean => array.as_boolean().value(row).into(),
                Arrow::Float32 => return float(array.as_primitive::<Float32Type>().value(row).into()),
                Arrow::Float64 => return float(array.as_primitive::<Float64Type>().value(row)),
                Arrow::Decimal128(..) => {
                    return i64::try_from(array.as_primitive::<Decimal128Type>().value(row)).ok();
                }
                Arrow::Date32 => array.as_primitive::<Date32Type>().value(row).into(),
                Arrow::Time32(TimeUnit::Millisecond) => {
                    array.as_primitive::<Time32MillisecondType>().value(row).into()
                }
                Arrow::Timestamp(TimeUnit::Microsecond, _) => {
                    array.as_primitive::<TimestampMicrosecondType>().value(row)
                }
                Arrow::Timestamp(TimeUnit::Nanosecond, _) => {
                    array.as_primitive::<TimestampNanosecondType>().value(row)
                }
                _ => return None,
            })
        }
    }

    /// The ordinals of the values that are less (or greater) than a constant, perhaps equal: a closed range, empty where its ends are
    /// turned. `None`: the types do not meet exactly.
    pub(super) fn bounds(
        self,
        constant: &Value,
        of: &TypeKind,
        less: bool,
        or_equal: bool,
    ) -> Option<(i64, i64)> {
        if let Ordinal::Float | Ordinal::Double = self {
            let constant = match (constant, of) {
                (Value::Float(f), _) => *f,
                // Exact as a DOUBLE.
                (Value::Int(i), k) if k.is_integer() && i.unsigned_abs() < 1 << 53 => *i as f64,
                _ => return None,
            };
            let at = float(constant)?;
            return Some(match (less, or_equal) {
                (true, true) => (i64::MIN, at),
                (true, false) => (i64::MIN, at.checked_sub(1)?),
                (false, true) => (at, i64::MAX),
                (false, false) => (at.checked_add(1)?, i64::MAX),
            });
        }
        let (digits, scale) = self.decimal(constant, of)?;
        Some(bounds((digits, scale), less, or_equal))
    }

    /// A constant in the unit of the ordinals: digits and scale.
    fn decimal(self, constant: &Value, of: &TypeKind) -> Option<(i128, u32)> {
        let number = |constant: &Value| match (constant, of) {
            (Value::Int(i), k) if k.is_integer() => Some((i128::from(*i), 0)),
            (Value::Decimal(d), TypeKind::Decimal { scale, .. }) => Some((*d, u32::from(*scale))),
            _ => None,
        };
        match self {
            Ordinal::Whole => match constant {
                // The numbers below are DOUBLEs themselves.
                Value::Float(f) if f.abs() < (1u64 << 53) as f64 => {
                    // A half more or less is a number between the same whole ones.
                    let whole = f.floor();
                    let above = i128::from(whole < *f) * 5;
                    Some((whole as i128 * 10 + above, 1))
                }
                other => number(other),
            },
            Ordinal::Decimal { scale, .. } => {
                let (digits, of) = number(constant)?;
                Some((digits.checked_mul(10i128.checked_pow(u32::from(scale))?)?, of))
            }
            Ordinal::Boolean => constant.as_bool().map(|b| (i128::from(b), 0)),
            Ordinal::Date if *of == TypeKind::Date => Some((constant.as_int()?.into(), 0)),
            Ordinal::Time if matches!(of, TypeKind::Time(_)) => Some((constant.as_int()?.into(), 0)),
            Ordinal::Timestamp(p) if matches!(of, TypeKind::Timestamp(..)) => moment(constant, of, p),
            Ordinal::Instant(p) if matches!(of, TypeKind::TimestampLtz(..)) => moment(constant, of, p),
            _ => None,
        }
    }

    /// An ordinal for people.
    pub(super) fn show(self, ordinal: i64) -> String {
        let mut out = String::new();
        match self {
            Ordinal::Whole => return ordinal.to_string(),
            Ordinal::Boolean => return (if ordinal == 0 { "FALSE" } else { "TRUE" }).into(),
            Ordinal::Float | Ordinal::Double => return format!("{:e}", unfloat(ordinal)),
            Ordinal::Decimal { scale, .. } => {
                millstream_text::number::push_decimal(&mut out, ordinal.into(), scale);
            }
            Ordinal::Date => {
                push_json_timestamp(&mut out, DateTime { days: ordinal, nanos: 0 }, TimestampStandard::Sql);
                out.truncate(out.find(' ').unwrap_or(out.len()));
            }
            Ordinal::Time => {
                push_json_timestamp(&mut out, DateTime::from_millis(ordinal), TimestampStandard::Sql);
                out.drain(..out.find(' ').map_or(0, |at| at + 1));
            }
            Ordinal::Timestamp(p) | Ordinal::Instant(p) => {
                push_json_timestamp(&mut out, DateTime::from_column(ordinal, p), TimestampStandard::Sql);
            }
        }
        out
    }
}

/// Whether a text is a timestamp that every format reads alike: what they do with days 29 to 31 and the hour 24 differs.
fn is_usual(text: &str) -> bool {
    let part = |range| text.get(range).unwrap_or("99");
    part(8..10) <= "28" && part(11..13) < "24"
}

fn standard(text: &str) -> TimestampStandard {
    if text.contains('T') { TimestampStandard::Iso8601 } else { TimestampStandard::Sql }
}

/// A timestamp in the unit of a precision.
fn moment(constant: &Value, of: &TypeKind, precision: u8) -> Option<(i128, u32)> {
    let count = i128::from(constant.as_int()?);
    Some(match (of.counts_nanos(), precision > 6) {
        (true, false) => (count, 3),
        (false, true) => (count * 1000, 0),
        _ => (count, 0),
    })
}

/// NaN has none: it is compared where the rule is evaluated.
fn float(value: f64) -> Option<i64> {
    if value.is_nan() {
        return None;
    }
    // -0 equals 0.
    let bits = (value + 0.0).to_bits() as i64;
    Some(bits ^ ((bits >> 63) as u64 >> 1) as i64)
}

fn unfloat(ordinal: i64) -> f64 {
    f64::from_bits((ordinal ^ ((ordinal >> 63) as u64 >> 1) as i64) as u64)
}

/// The whole numbers that are less (or greater) than a decimal, perhaps equal.
pub(super) fn bounds((digits, scale): (i128, u32), less: bool, or_equal: bool) -> (i64, i64) {
    let unit = 10i128.checked_pow(scale).unwrap_or(i128::MAX);
    let (floor, is_whole) = (digits.div_euclid(unit), digits.rem_euclid(unit) == 0);
    let clamp = |n: i128| i64::try_from(n).unwrap_or(if n < 0 { i64::MIN } else { i64::MAX });
    let beyond = |n: i128| i64::try_from(n).is_err();
    if less {
        let top = if is_whole && !or_equal { floor - 1 } else { floor };
        if beyond(top) && top < 0 { (1, 0) } else { (i64::MIN, clamp(top)) }
    } else {
        let bottom = if is_whole && or_equal { floor } else { floor + 1 };
        if beyond(bottom) && bottom > 0 { (1, 0) } else { (clamp(bottom), i64::MAX) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_ascend() {
        let values = [
            f64::NEG_INFINITY,
            -1e300,
            -2.0,
            -1.0,
            -f64::MIN_POSITIVE,
            0.0,
            f64::MIN_POSITIVE,
            0.5,
            1.0,
            1e300,
            f64::INFINITY,
        ];
        let ordinals: Vec<i64> = values.iter().map(|v| float(*v).unwrap()).collect();
        assert!(ordinals.is_sorted_by(|a, b| a < b), "{ordinals:?}");
        assert_eq!(float(-0.0), float(0.0));
        assert_eq!(float(f64::NAN), None);
        assert!(values.iter().zip(&ordinals).all(|(v, o)| unfloat(*o) == *v));
    }

    #[test]
    fn bounds_of_other_types() {
        let double = TypeKind::Double;
        // x < 2.5, x > -2.5, x >= 3.0 of whole numbers.
        let whole = |c: f64, less, or_equal| Ordinal::Whole.bounds(&Value::Float(c), &double, less, or_equal);
        assert_eq!(whole(2.5, true, false), Some((i64::MIN, 2)));
        assert_eq!(whole(-2.5, false, false), Some((-2, i64::MAX)));
        assert_eq!(whole(3.0, false, true), Some((3, i64::MAX)));
        assert_eq!(whole(1e17, true, true), None);
        let scale = Ordinal::Decimal { precision: 6, scale: 2 };
        let of = TypeKind::Decimal { precision: 4, scale: 3 };
        assert_eq!(scale.bounds(&Value::Decimal(1235), &of, true, false), Some((i64::MIN, 123)));
        assert_eq!(scale.bounds(&Value::Int(5), &TypeKind::Int, false, true), Some((500, i64::MAX)));
    }

    #[test]
    fn spellings() {
        assert_eq!(Ordinal::Date.spelled(b"1970-01-02"), Some(1));
        assert_eq!(Ordinal::Timestamp(3).spelled(b"1970-01-01 00:00:01.5"), Some(1_500_000));
        assert_eq!(Ordinal::Timestamp(9).spelled(b"1970-01-01T00:00:01"), Some(1_000_000_000));
        assert_eq!(Ordinal::Instant(3).spelled(b"1970-01-01 00:00:01Z"), Some(1_000_000));
        assert_eq!(Ordinal::Boolean.spelled(b"TRUE"), Some(1));
        assert_eq!(Ordinal::Boolean.spelled(b"yes"), None);
        assert_eq!(Ordinal::Double.spelled(b"1d"), None);
        assert_eq!(Ordinal::Decimal { precision: 6, scale: 2 }.spelled(b"12.5"), Some(1250));
    }
}
