//! DATE, TIME and timestamps as JSON's formats write them (`json.timestamp-format.standard`).
//!
//! Source: Flink's `TimeFormats`: `yyyy-MM-dd HH:mm:ss.s{0,9}` for SQL, `yyyy-MM-ddTHH:mm:ss.s{0,9}` for ISO-8601, a
//! `Z` behind either for TIMESTAMP_LTZ, which is in UTC.

use super::civil::{DateTime, civil_from_days, days_from_civil, month_length};
use crate::number::push_padded;

/// `json.timestamp-format.standard`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum TimestampStandard {
    /// `2020-02-29 13:14:15.678`
    #[default]
    Sql,
    /// `2020-02-29T13:14:15.678`
    Iso8601,
}

/// Reads a DATE, `2020-02-29`, to days since 1970-01-01.
pub fn parse_json_date(text: &str) -> Option<i32> {
    let mut bytes = text.as_bytes();
    let (year, month, day) = date(&mut bytes)?;
    (bytes.is_empty() && day <= month_length(year, month))
        .then(|| i32::try_from(days_from_civil(year, month, day)).ok())?
}

/// Reads a TIME, `13:14:15` with up to nine digits of a fraction, to milliseconds of the day.
pub fn parse_json_time(text: &str) -> Option<i32> {
    let mut bytes = text.as_bytes();
    let (day, nanos) = time(&mut bytes, false)?;
    (bytes.is_empty() && day == 0).then_some((nanos / 1_000_000) as i32)
}

/// Reads a TIMESTAMP.
pub fn parse_json_timestamp(text: &str, standard: TimestampStandard) -> Option<DateTime> {
    let mut bytes = text.as_bytes();
    let value = timestamp(&mut bytes, standard)?;
    bytes.is_empty().then_some(value)
}

/// Reads a TIMESTAMP_LTZ, which ends with a `Z`.
pub fn parse_json_instant(text: &str, standard: TimestampStandard) -> Option<DateTime> {
    parse_json_timestamp(text.strip_suffix('Z')?, standard)
}

fn timestamp(bytes: &mut &[u8], standard: TimestampStandard) -> Option<DateTime> {
    let (year, month, day) = date(bytes)?;
    let iso = standard == TimestampStandard::Iso8601;
    let (separator, rest) = bytes.split_first()?;
    if *separator != if iso { b'T' } else { b' ' } && !(iso && *separator == b't') {
        return None;
    }
    *bytes = rest;
    let (days, nanos) = time(bytes, iso)?;
    // The SQL format takes a day behind its month's end as the last one, ISO-8601 refuses it.
    let last = month_length(year, month);
    if iso && (day > last || days > 0) {
        return None;
    }
    Some(DateTime { days: days_from_civil(year, month, day.min(last)) + days, nanos })
}

fn date(bytes: &mut &[u8]) -> Option<(i64, i64, i64)> {
    let year = year(bytes)?;
    literal(bytes, b'-')?;
    let month = digits(bytes, 2)?;
    literal(bytes, b'-')?;
    let day = digits(bytes, 2)?;
    ((1..=12).contains(&month) && (1..=31).contains(&day)).then_some((year, month, day))
}

/// Four digits; more of them, up to ten, behind a sign.
fn year(bytes: &mut &[u8]) -> Option<i64> {
    let (sign, rest) = match *bytes {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        _ => return digits(bytes, 4),
    };
    let count = rest.iter().take(10).take_while(|b| b.is_ascii_digit()).count();
    *bytes = rest;
    let year = digits(bytes, count)?;
    let allowed = if sign < 0 { count >= 4 && year > 0 } else { count > 4 };
    (allowed && year <= 999_999_999).then_some(sign * year)
}

/// Days (1 for 24:00:00) and nanoseconds of the day.
fn time(bytes: &mut &[u8], seconds_optional: bool) -> Option<(i64, i64)> {
    let hour = digits(bytes, 2)?;
    literal(bytes, b':')?;
    let minute = digits(bytes, 2)?;
    let (mut second, mut nano) = (0, 0);
    if bytes.first() == Some(&b':') || !seconds_optional {
        literal(bytes, b':')?;
        second = digits(bytes, 2)?;
        if literal(bytes, b'.').is_some() {
            let mut unit = 100_000_000;
            while let [b @ b'0'..=b'9', rest @ ..] = *bytes
                && unit > 0
            {
                nano += i64::from(b - b'0') * unit;
                unit /= 10;
                *bytes = rest;
            }
        }
    }
    if hour == 24 && minute == 0 && second == 0 && nano == 0 {
        return Some((1, 0));
    }
    (hour < 24 && minute < 60 && second < 60)
        .then_some((0, (hour * 3600 + minute * 60 + second) * 1_000_000_000 + nano))
}

fn digits(bytes: &mut &[u8], count: usize) -> Option<i64> {
    let (head, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    head.iter().try_fold(0, |v, b| b.is_ascii_digit().then(|| v * 10 + i64::from(b - b'0')))
}

fn literal(bytes: &mut &[u8], wanted: u8) -> Option<()> {
    let (first, rest) = bytes.split_first()?;
    (*first == wanted).then(|| *bytes = rest)
}

/// Appends a DATE.
pub fn push_json_date(out: &mut String, days: i32) {
    let (year, month, day) = civil_from_days(i64::from(days));
    match year {
        0..=9999 => {}
        10_000.. => out.push('+'),
        _ => out.push('-'),
    }
    push_padded(out, year.unsigned_abs(), 4);
    out.push('-');
    push_padded(out, u64::from(month), 2);
    out.push('-');
    push_padded(out, u64::from(day), 2);
}

/// Appends a TIME of milliseconds of the day; a fraction only where there is one.
pub fn push_json_time(out: &mut String, millis: i32) {
    push_nanos(out, i64::from(millis).rem_euclid(86_400_000) * 1_000_000);
}

/// Appends a TIMESTAMP; a fraction only where there is one.
pub fn push_json_timestamp(out: &mut String, value: DateTime, standard: TimestampStandard) {
    push_json_date(out, value.days as i32);
    out.push(if standard == TimestampStandard::Sql { ' ' } else { 'T' });
    push_nanos(out, value.nanos);
}

/// Appends a TIMESTAMP_LTZ, in UTC.
pub fn push_json_instant(out: &mut String, value: DateTime, standard: TimestampStandard) {
    push_json_timestamp(out, value, standard);
    out.push('Z');
}

fn push_nanos(out: &mut String, nanos: i64) {
    let second = (nanos / 1_000_000_000) as u64;
    push_padded(out, second / 3600, 2);
    out.push(':');
    push_padded(out, second / 60 % 60, 2);
    out.push(':');
    push_padded(out, second % 60, 2);
    let fraction = nanos % 1_000_000_000;
    if fraction > 0 {
        let (mut digits, mut width) = (fraction, 9);
        while digits % 10 == 0 {
            digits /= 10;
            width -= 1;
        }
        out.push('.');
        push_padded(out, digits as u64, width);
    }
}
