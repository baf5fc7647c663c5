//! DATE, TIME and TIMESTAMP as SQL's casts and literals read and write them.

use super::civil::{DateTime, civil_from_days, days_from_civil, month_length};
use crate::number::push_padded;

/// Reads a DATE as a CAST does: `2020-02-29`, `2020-2-9`, `2020-2`, `2020`; spaces around the numbers are cut, and so
/// is everything behind a space (`2020-02-29 10:00:00`). `None` when it is none, or not in the years 0 to 9999.
///
/// Source: Flink's `DateTimeUtils#parseDate`.
pub fn parse_date(text: &str) -> Option<i32> {
    let text = match text.find(' ') {
        Some(at) if at > 0 => text.get(..at)?,
        _ => text,
    };
    let mut parts = text.splitn(3, '-');
    let year = number(parts.next()?)?;
    let month = parts.next().map_or(Some(1), number)?;
    let day = parts.next().map_or(Some(1), number)?;
    checked_days(year, month, day)
}

fn checked_days(year: i64, month: i64, day: i64) -> Option<i32> {
    let valid = (0..=9999).contains(&year)
        && (1..=12).contains(&month)
        && (1..=month_length(year, month)).contains(&day);
    valid.then(|| days_from_civil(year, month, day) as i32)
}

/// A number of digits only, spaces around it cut.
fn number(text: &str) -> Option<i64> {
    let text = text.trim_matches(|c: char| c <= ' ');
    if text.is_empty() || text.len() > 10 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

/// Reads a TIME as a CAST does: `10`, `10:20`, `10:20:30`, `10:20:30.123`, to milliseconds of the day; the fraction
/// is rounded. `None` when it is none or out of range.
///
/// Source: Flink's `DateTimeUtils#parseTime`, with the ranges that Flink 2.3 checks.
pub fn parse_time(text: &str) -> Option<i32> {
    // An offset behind it is added, whatever day that leads to.
    let (text, offset) = match text.find('-').or_else(|| text.find('+')) {
        Some(at) => {
            let sign = if text.get(at..at + 1) == Some("-") { -1 } else { 1 };
            let (hours, minutes) = match text.get(at + 1..)?.split_once(':') {
                Some((hours, minutes)) => (number(hours)?, number(minutes)?),
                None => (number(text.get(at + 1..)?)?, 0),
            };
            if hours > 23 || minutes > 59 || text.get(..at)?.matches(':').count() != 2 {
                return None;
            }
            (text.get(..at)?, sign * (hours * 3_600_000 + minutes * 60_000))
        }
        None => (text, 0),
    };
    let mut parts = text.splitn(3, ':');
    let hour = number(parts.next()?)?;
    let minute = parts.next().map_or(Some(0), number)?;
    let (second, milli) = match parts.next() {
        None => (0, 0),
        Some(rest) => match rest.split_once('.') {
            None => (number(rest)?, 0),
            Some((second, fraction)) => (number(second)?, rounded_millis(fraction)?),
        },
    };
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some((hour * 3_600_000 + minute * 60_000 + second * 1000 + milli + offset) as i32)
}

fn rounded_millis(fraction: &str) -> Option<i64> {
    let digits = fraction.trim_matches(|c: char| c <= ' ').as_bytes();
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let at = |i: usize| digits.get(i).map_or(0, |b| i64::from(b - b'0'));
    Some(at(0) * 100 + at(1) * 10 + at(2) + i64::from(at(3) >= 5))
}

/// Reads a TIMESTAMP as a CAST and the one-argument TO_TIMESTAMP do: `2020-2-9`, `2020-02-29 13:14:15`, up to nine
/// digits of a fraction. A day behind a month's end is that month's last day, 24:00:00 is the next day.
///
/// # Errors
/// What is wrong, without the text.
///
/// Source: the default formatter of Flink's `DateTimeUtils`, `yyyy-[MM][M]-[dd][d][
/// [HH][H]:[mm][m]:[ss][s][.fraction]]`.
pub fn parse_timestamp(text: &str) -> Result<DateTime, &'static str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let (year, digits) = year(bytes, &mut at)?;
    if digits == 0 {
        return Err("it begins with no year of four digits");
    }
    expect(bytes, &mut at, b'-')?;
    let month = one_or_two(bytes, &mut at).unwrap_or(1);
    expect(bytes, &mut at, b'-')?;
    let day = one_or_two(bytes, &mut at).unwrap_or(1);
    let (mut hour, mut minute, mut second, mut nano) = (0, 0, 0, 0);
    if at < bytes.len() {
        expect(bytes, &mut at, b' ')?;
        hour = one_or_two(bytes, &mut at).unwrap_or(0);
        expect(bytes, &mut at, b':')?;
        minute = one_or_two(bytes, &mut at).unwrap_or(0);
        expect(bytes, &mut at, b':')?;
        second = one_or_two(bytes, &mut at).unwrap_or(0);
        if bytes.get(at) == Some(&b'.') {
            at += 1;
            nano = fraction(bytes, &mut at);
        }
        if at < bytes.len() {
            return Err("text is left behind the time");
        }
    }
    if !(1..=999_999_999).contains(&year) {
        return Err("the year is out of range");
    }
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return Err("the month or day is out of range");
    }
    let midnight = hour == 24 && minute == 0 && second == 0 && nano == 0;
    if (hour > 23 && !midnight) || minute > 59 || second > 59 {
        return Err("the time is out of range");
    }
    Ok(DateTime::of(year, month, day.min(month_length(year, month)), hour, minute, second, nano))
}

/// A year of four digits, or of more behind a plus sign.
fn year(bytes: &[u8], at: &mut usize) -> Result<(i64, usize), &'static str> {
    let signed = bytes.first() == Some(&b'+');
    let digits = bytes.get(usize::from(signed)..).unwrap_or_default();
    let count = digits.iter().take(10).take_while(|b| b.is_ascii_digit()).count();
    if (signed && !(5..=9).contains(&count)) || (!signed && count != 4) {
        return Err("it begins with no year of four digits");
    }
    *at = usize::from(signed) + count;
    Ok((digits.iter().take(count).fold(0, |v, b| v * 10 + i64::from(b - b'0')), count))
}

fn expect(bytes: &[u8], at: &mut usize, wanted: u8) -> Result<(), &'static str> {
    if bytes.get(*at) == Some(&wanted) {
        *at += 1;
        return Ok(());
    }
    Err(match wanted {
        b'-' => "a '-' is missing",
        b' ' => "text is left behind the date",
        _ => "a ':' is missing",
    })
}

/// What `[MM][M]` reads: two digits or one; behind two digits, further ones that say the same number again; nothing
/// at all.
fn one_or_two(bytes: &[u8], at: &mut usize) -> Option<i64> {
    let digits = |from: usize, most: usize| {
        bytes.get(from..).unwrap_or_default().iter().take(most).take_while(|b| b.is_ascii_digit())
    };
    let value = |from, most| digits(from, most).fold(0i64, |v, b| v * 10 + i64::from(b - b'0'));
    let count = digits(*at, 2).count();
    let first = (count > 0).then(|| value(*at, 2))?;
    *at += count;
    let again = digits(*at, 18).count();
    if count == 2 && again > 0 && value(*at, 18) == first {
        *at += again;
    }
    Some(first)
}

/// Up to nine digits as nanoseconds.
fn fraction(bytes: &[u8], at: &mut usize) -> i64 {
    let (mut value, mut unit) = (0, 100_000_000);
    while let Some(b) = bytes.get(*at).filter(|b| b.is_ascii_digit() && unit > 0) {
        value += i64::from(b - b'0') * unit;
        unit /= 10;
        *at += 1;
    }
    value
}

/// Reads what `java.sql.Timestamp.valueOf` and `java.sql.Date.valueOf` take: `2020-2-9 5:20:10.5` or `2020-2-9`,
/// hours, minutes and seconds beyond their range counting on. TO_TIMESTAMP falls back to it when its format does not
/// fit.
pub fn timestamp_value_of(text: &str) -> Option<DateTime> {
    let text = text.trim_matches(|c: char| c <= ' ');
    let (date, time) = match text.split_once(' ') {
        Some((date, time)) => (date, Some(time)),
        None => (text, None),
    };
    let mut parts = date.splitn(3, '-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if year.len() != 4 || !(1..=2).contains(&month.len()) || !(1..=2).contains(&day.len()) {
        return None;
    }
    let int = |t: &str| t.parse::<i32>().ok().map(i64::from);
    let (year, month, day) = (int(year)?, int(month)?, int(day)?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    let Some(time) = time else { return Some(DateTime::of(year, month, day, 0, 0, 0, 0)) };
    let mut parts = time.splitn(3, ':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
    let (second, nano) = match second.split_once('.') {
        None => (second, 0),
        Some((second, fraction)) => {
            if fraction.is_empty() || fraction.len() > 9 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
                return None;
            }
            (second, fraction.parse::<i64>().ok()? * 10i64.pow(9 - fraction.len() as u32))
        }
    };
    Some(DateTime::of(year, month, day, int(hour)?, int(minute)?, int(second)?, nano))
}

/// Reads the text of a DATE literal: `yyyy-MM-dd`, one digit of month and day allowed.
pub fn parse_date_literal(text: &str) -> Option<i32> {
    let mut parts = text.splitn(3, '-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let digits = |t: &str, most: usize| t.len() <= most && t.bytes().all(|b| b.is_ascii_digit());
    if !digits(year, 4) || !digits(month, 2) || !digits(day, 2) {
        return None;
    }
    checked_days(number(year)?, number(month)?, number(day)?)
}

/// Reads the text of a TIME literal, `HH:mm:ss` with an optional fraction, to milliseconds of the day and the digits
/// of the fraction, which are the literal's precision.
pub fn parse_time_literal(text: &str) -> Option<(i32, u8)> {
    let (nanos, precision) = literal_time(text)?;
    Some(((nanos / 1_000_000) as i32, precision))
}

/// Reads the text of a TIMESTAMP literal, `yyyy-MM-dd HH:mm:ss` with an optional fraction; with the digits of the
/// fraction, which are the literal's precision.
pub fn parse_timestamp_literal(text: &str) -> Option<(DateTime, u8)> {
    let (date, time) = text.split_once(' ')?;
    let (nanos, precision) = literal_time(time)?;
    Some((DateTime { days: i64::from(parse_date_literal(date)?), nanos }, precision))
}

fn literal_time(text: &str) -> Option<(i64, u8)> {
    let mut parts = text.splitn(3, ':');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
    let (second, fraction) = second.split_once('.').unwrap_or((second, ""));
    let part = |t: &str, limit: i64| {
        let plain = (1..=2).contains(&t.len()) && t.bytes().all(|b| b.is_ascii_digit());
        t.parse().ok().filter(|v: &i64| plain && *v < limit)
    };
    let (hour, minute, second) = (part(hour, 24)?, part(minute, 60)?, part(second, 60)?);
    if !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let precision = fraction.len().min(9);
    let nano = super::sql::fraction(fraction.as_bytes(), &mut 0);
    Some(((hour * 3600 + minute * 60 + second) * 1_000_000_000 + nano, precision as u8))
}

/// Appends a DATE, `2020-02-29`.
pub fn push_date(out: &mut String, days: i32) {
    push_year_month_day(out, i64::from(days));
}

fn push_year_month_day(out: &mut String, days: i64) {
    let (year, month, day) = civil_from_days(days);
    push_year(out, year);
    out.push('-');
    push_padded(out, u64::from(month), 2);
    out.push('-');
    push_padded(out, u64::from(day), 2);
}

/// Four digits; what is beyond the years 0 to 9999 is shown whole, not cut to its last digits as Flink does.
fn push_year(out: &mut String, year: i64) {
    if year < 0 {
        out.push('-');
    }
    push_padded(out, year.unsigned_abs(), 4);
}

/// Appends a TIME(precision) of milliseconds of the day: as many digits as the precision, but none behind the last
/// one that is not 0, and at least one (`13:15:00.0`), as Flink does.
pub fn push_time(out: &mut String, millis: i32, precision: u8) {
    let millis = i64::from(millis).rem_euclid(86_400_000) as u64;
    push_clock(out, millis / 1000);
    let mut rest = millis % 1000;
    for place in 0..precision {
        if place == 0 {
            out.push('.');
        }
        out.push(char::from(b'0' + (rest / 100) as u8));
        rest = rest % 100 * 10;
        if rest == 0 {
            break;
        }
    }
}

fn push_clock(out: &mut String, second_of_day: u64) {
    push_padded(out, second_of_day / 3600, 2);
    out.push(':');
    push_padded(out, second_of_day / 60 % 60, 2);
    out.push(':');
    push_padded(out, second_of_day % 60, 2);
}

/// Appends a TIMESTAMP(precision), `2020-02-29 13:14:15.678`: exactly the precision's digits.
pub fn push_timestamp(out: &mut String, value: DateTime, precision: u8) {
    push_year_month_day(out, value.days);
    out.push(' ');
    push_clock(out, (value.nanos / 1_000_000_000) as u64);
    if precision > 0 {
        let precision = u32::from(precision.min(9));
        out.push('.');
        let digits = value.nanos % 1_000_000_000 / 10i64.pow(9 - precision);
        push_padded(out, digits as u64, precision as usize);
    }
}
