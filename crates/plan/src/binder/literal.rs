//! Literals: their values and the types that Flink gives them.

use millstream_expr::Expr;
use millstream_sql::ast::{IntervalLiteral, Literal, TimeUnit};
use millstream_types::{DataType, Fault, Span, TypeKind, Value};

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;

/// The typed constant of a literal. `negative`: a minus stands before it.
///
/// # Errors
/// User: out of range, or not in the format.
pub(crate) fn bind_literal(literal: &Literal, negative: bool, span: Span) -> Result<Expr, Fault> {
    let (value, data_type) = match literal {
        Literal::Null => (Value::Null, TypeKind::Null.nullable()),
        Literal::Boolean(b) => (Value::Boolean(*b), TypeKind::Boolean.not_null()),
        Literal::Unknown => (Value::Null, DataType::boolean()),
        Literal::Integer(text) => integer(text, negative, span)?,
        Literal::Decimal(text) => decimal(text, negative, span)?,
        Literal::Double(text) => double(text, negative, span)?,
        Literal::String { value, .. } => {
            // Flink counts a literal's length as Java does: a character beyond U+FFFF is two.
            let length = value.encode_utf16().count().min(i32::MAX as usize) as u32;
            (Value::from(value.as_str()), TypeKind::Char(length).not_null())
        }
        Literal::Binary(bytes) => {
            let length = bytes.len().min(i32::MAX as usize) as u32;
            (Value::Bytes(bytes.as_slice().into()), TypeKind::Binary(length).not_null())
        }
        Literal::Date(text) => {
            let days = date(text, true).ok_or_else(|| bad("DATE", text, "yyyy-MM-dd", span))?;
            (Value::Int(days), TypeKind::Date.not_null())
        }
        Literal::Time(text) => {
            let (nanos, digits) = time(text.trim()).ok_or_else(|| bad("TIME", text, "HH:mm:ss", span))?;
            // A TIME has milliseconds at most.
            (Value::Int(nanos / 1_000_000), TypeKind::Time(digits.min(3)).not_null())
        }
        Literal::Timestamp(text) => {
            let (point, digits) = point(text, "TIMESTAMP", span)?;
            (point, TypeKind::timestamp(digits).not_null())
        }
        // Flink reads it in UTC, whatever the session's zone is.
        Literal::TimestampLtz(text) => {
            let (point, digits) = point(text, "TIMESTAMP WITH LOCAL TIME ZONE", span)?;
            (point, TypeKind::timestamp_ltz(digits).not_null())
        }
        Literal::Interval(interval) => bind_interval(interval, negative)?,
    };
    Ok(Expr::literal(value, data_type).at(span))
}

/// The value of a timestamp's text, in microseconds, or in nanoseconds if it has more than six digits; and its digits.
fn point(text: &str, kind: &str, span: Span) -> Result<(Value, u8), Fault> {
    let (days, nanos, digits) =
        timestamp(text).ok_or_else(|| bad(kind, text, "yyyy-MM-dd HH:mm:ss", span))?;
    let value = if TypeKind::timestamp(digits).counts_nanos() {
        days.checked_mul(DAY * 1_000_000).and_then(|d| d.checked_add(nanos))
    } else {
        days.checked_mul(DAY * 1000).and_then(|d| d.checked_add(nanos / 1000))
    };
    let value = value.ok_or_else(|| {
        Fault::user("literal-range", format!("{kind} literal '{text}' is out of range")).at(span)
    })?;
    Ok((Value::Int(value), digits))
}

fn bad(kind: &str, text: &str, format: &str, span: Span) -> Fault {
    Fault::user("literal-format", format!("Illegal {kind} literal '{text}': not in format '{format}'"))
        .at(span)
}

fn out_of_range(text: &str, span: Span) -> Fault {
    Fault::user("literal-range", format!("Numeric literal '{text}' out of range"))
        .at(span)
        .hint("write it as a string and cast it: CAST('...' AS DECIMAL(38, 0))")
}

fn integer(text: &str, negative: bool, span: Span) -> Result<(Value, DataType), Fault> {
    let value: i128 = text.parse().map_err(|_| out_of_range(text, span))?;
    let value = if negative { -value } else { value };
    let value = i64::try_from(value).map_err(|_| out_of_range(text, span))?;
    let kind = if i32::try_from(value).is_ok() { TypeKind::Int } else { TypeKind::BigInt };
    Ok((Value::Int(value), kind.not_null()))
}

fn decimal(text: &str, negative: bool, span: Span) -> Result<(Value, DataType), Fault> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    if fraction.is_empty() {
        // `5.` has no fraction and is an integer.
        return integer(whole, negative, span);
    }
    let digits: String = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches('0');
    let scale = fraction.len();
    let precision = digits.len().max(scale).max(1);
    // `1.0` has two digits, `0.5` has one behind the point and none before it: DECIMAL(1, 1) for `.5`, (2, 1) for `0.5`.
    // Zeros in front count.
    let precision = precision.max(whole.len() + scale);
    if precision > 38 || scale > 38 {
        return Err(out_of_range(text, span));
    }
    let value: i128 =
        if digits.is_empty() { 0 } else { digits.parse().map_err(|_| out_of_range(text, span))? };
    let value = if negative { -value } else { value };
    // Calcite's validator wants the digits of any exact number to fit a BIGINT.
    if i64::try_from(value).is_err() {
        return Err(out_of_range(text, span));
    }
    let kind = TypeKind::Decimal { precision: precision as u8, scale: scale as u8 };
    Ok((Value::Decimal(value), kind.not_null()))
}

fn double(text: &str, negative: bool, span: Span) -> Result<(Value, DataType), Fault> {
    let value: f64 = text.parse().map_err(|_| out_of_range(text, span))?;
    if !value.is_finite() {
        return Err(out_of_range(text, span));
    }
    // Calcite keeps literals as decimals, which have no negative zero.
    Ok((Value::Float(if negative && value != 0.0 { -value } else { value }), TypeKind::Double.not_null()))
}

/// Days since 1970-01-01 of `y-M-d`. `julian`: the leap days that Java's calendar has until 1582 are read, too.
fn date(text: &str, julian: bool) -> Option<i64> {
    let mut parts = text.split('-');
    let year = number(parts.next()?.trim_start().trim_start_matches('0'), 4)?;
    let month = number(parts.next()?.trim_start(), 2)?;
    let day = number(parts.next()?.trim_start(), 2)?;
    // Java's calendar has no days between the Julian one's last and the Gregorian one's first.
    if (year, month) == (1582, 10) && (5..=14).contains(&day) {
        return None;
    }
    if parts.next().is_some()
        || year < 1
        || !(1..=12).contains(&month)
        || day < 1
        || day > days_of_month(year, month, julian)
    {
        return None;
    }
    Some(days_from_civil(year, month, day))
}

/// Nanoseconds of the day of `H:m:s[.f]`, and the number of fraction digits.
fn time(text: &str) -> Option<(i64, u8)> {
    let (clock, fraction) = text.split_once('.').map_or((text, ""), |(c, f)| (c, f));
    if !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    // What is finer than nanoseconds is cut off.
    let fraction = fraction.get(..9).unwrap_or(fraction);
    let mut parts = clock.split(':');
    let hour = number(parts.next()?, 2)?;
    let minute = number(parts.next()?, 2)?;
    let second = number(parts.next()?, 2)?;
    if parts.next().is_some() || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let nanos = if fraction.is_empty() {
        0
    } else {
        number(fraction, 9)? * 10i64.checked_pow(9 - fraction.len() as u32)?
    };
    Some(((hour * 3600 + minute * 60 + second) * 1_000_000_000 + nanos, fraction.len() as u8))
}

fn timestamp(text: &str) -> Option<(i64, i64, u8)> {
    let text = text.trim_start();
    let Some((d, t)) = text.split_once(' ') else { return Some((date(text, false)?, 0, 0)) };
    let (nanos, digits) = time(t.trim())?;
    Some((date(d, false)?, nanos, digits))
}

/// An unsigned number of at most `most` digits.
fn number(text: &str, most: usize) -> Option<i64> {
    let ok = !text.is_empty() && text.len() <= most && text.bytes().all(|b| b.is_ascii_digit());
    ok.then(|| text.parse().ok()).flatten()
}

fn days_of_month(year: i64, month: i64, julian: bool) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        // Until 1582 every fourth year is a leap year; its leap day is read as the first of March where the calendar of today has none.
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0 || julian && year < 1582) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar: years start in March, so that the leap day is the last one.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let (y, m) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let day_of_year = (153 * m + 2) / 5 + day - 1;
    365 * y + y.div_euclid(4) - y.div_euclid(100) + y.div_euclid(400) + day_of_year - 719_468
}

/// How many of a unit make the interval's base (months or milliseconds), and whether it counts months.
fn unit_size(unit: TimeUnit) -> Option<(i64, bool)> {
    Some(match unit {
        TimeUnit::Year => (12, true),
        TimeUnit::Quarter => (3, true),
        TimeUnit::Month => (1, true),
        TimeUnit::Week => (7 * DAY, false),
        TimeUnit::Day => (DAY, false),
        TimeUnit::Hour => (3_600_000, false),
        TimeUnit::Minute => (60_000, false),
        TimeUnit::Second => (1000, false),
        _ => return None,
    })
}

/// The units from the first to the last field of a qualifier, coarse to fine.
fn fields(from: TimeUnit, to: Option<TimeUnit>) -> Option<Vec<TimeUnit>> {
    use TimeUnit as U;
    let Some(to) = to else { return Some(vec![from]) };
    for order in [&[U::Year, U::Month][..], &[U::Day, U::Hour, U::Minute, U::Second][..]] {
        let (start, end) = (order.iter().position(|u| *u == from), order.iter().position(|u| *u == to));
        if let (Some(start), Some(end)) = (start, end)
            && start < end
        {
            return order.get(start..=end).map(<[U]>::to_vec);
        }
    }
    None
}

fn bind_interval(literal: &IntervalLiteral, negative: bool) -> Result<(Value, DataType), Fault> {
    let q = &literal.qualifier;
    let illegal = || {
        Fault::user("literal-format", format!("Illegal interval literal format '{}'", literal.text.value))
            .at(literal.text.span)
            .hint("write it as in INTERVAL '10' SECOND, INTERVAL '1 12:30' DAY TO MINUTE, INTERVAL '1-6' YEAR TO MONTH")
    };
    let units = fields(q.from, q.to).ok_or_else(illegal)?;
    let text = literal.text.value.trim();
    if text.get(1..).is_some_and(|rest| rest.starts_with(['-', '+']) && text.starts_with(['-', '+'])) {
        return Err(illegal());
    }
    let (text, minus) = match text.strip_prefix('-') {
        Some(rest) => (rest, true),
        None => (text.strip_prefix('+').unwrap_or(text), false),
    };
    let sign = if minus ^ literal.negative ^ negative { -1i64 } else { 1 };

    if q.precision.is_some_and(|p| p > 3)
        && !matches!(q.from, TimeUnit::Year | TimeUnit::Quarter | TimeUnit::Month)
    {
        let message =
            format!("an interval of days or less has at most 3 digits, not {}", q.precision.unwrap_or(0));
        return Err(Fault::user("unsupported", message)
            .at(literal.text.span)
            .hint("add two intervals, or multiply one: 1000 * INTERVAL '1' SECOND"));
    }
    if text.contains(" -") || text.contains("- ") {
        return Err(illegal());
    }
    // `d h:m:s.f` or `y-m`: one part a unit.
    let parts: Vec<&str> = text.split([' ', ':', '-']).filter(|p| !p.is_empty()).collect();
    if parts.len() != units.len() {
        return Err(illegal());
    }
    let mut total = 0i64;
    let mut months = false;
    for (index, (part, unit)) in parts.iter().zip(&units).enumerate() {
        let (size, counts_months) = unit_size(*unit).ok_or_else(illegal)?;
        months = counts_months;
        let (whole, fraction) = match part.split_once('.') {
            Some((w, f)) if *unit == TimeUnit::Second => (if w.is_empty() { "0" } else { w }, f),
            Some(_) => return Err(illegal()),
            None => (*part, ""),
        };
        let value = number(whole, 18).ok_or_else(illegal)?;
        if index == 0 {
            let allowed = q.precision.unwrap_or(2);
            if whole.trim_start_matches('0').len() > allowed as usize {
                let name = format!("{unit:?}").to_uppercase();
                return Err(Fault::user(
                    "interval-precision",
                    format!("Interval field value {value} exceeds precision of {name}({allowed}) field"),
                )
                .at(literal.text.span)
                .hint(format!(
                    "give the number of digits: INTERVAL '{}' {name}({})",
                    literal.text.value,
                    whole.trim_start_matches('0').len()
                )));
            }
        } else {
            let most = match unit {
                TimeUnit::Month => 11,
                TimeUnit::Hour => 23,
                _ => 59,
            };
            if value > most {
                return Err(illegal());
            }
        }
        total = value.checked_mul(size).and_then(|v| total.checked_add(v)).ok_or_else(illegal)?;
        if fraction.len() > q.fraction.unwrap_or(6) as usize {
            return Err(illegal());
        }
        if !fraction.is_empty() {
            let digits: String = fraction.chars().chain("000".chars()).take(3).collect();
            total += number(&digits, 3).ok_or_else(illegal)?;
        }
    }
    let kind = if months { TypeKind::interval_months() } else { TypeKind::interval_seconds() };
    Ok((Value::Int(sign * total), kind.not_null()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_count_from_the_epoch() {
        assert_eq!(date("1970-01-01", true), Some(0));
        assert_eq!(date("2020-02-29", true), Some(18321));
        assert_eq!(date("0001-01-01", true), Some(-719_162));
        assert_eq!(date("2021-02-29", true), None);
    }

    #[test]
    fn decimals_keep_their_digits() {
        let of = |t: &str| decimal(t, false, Span::default()).unwrap().1.to_string();
        assert_eq!(of("1.0"), "DECIMAL(2, 1) NOT NULL");
        assert_eq!(of(".5"), "DECIMAL(1, 1) NOT NULL");
        assert_eq!(of("0.5"), "DECIMAL(2, 1) NOT NULL");
        assert_eq!(of("1.50"), "DECIMAL(3, 2) NOT NULL");
    }
}
