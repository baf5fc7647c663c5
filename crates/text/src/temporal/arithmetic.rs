//! Fields of dates and times, rounding to units, and months.
//!
//! Source: Flink's `DateTimeUtils` and Calcite's, with their peculiarities before 1970, where division rounds towards
//! zero.

use super::civil::{
    civil_from_days, day_of_year, days_from_civil, hybrid_from_days, iso_week, month_length, weekday,
};
use super::{DateTime, TimeUnit};

const DAY_MILLIS: i64 = 86_400_000;

/// EXTRACT of a unit from a DATE (days since 1970-01-01). Units of the time of day answer what Flink answers, which
/// means nothing. `None` for MICROSECOND and NANOSECOND, which Flink refuses on a DATE.
pub fn extract_from_date(unit: TimeUnit, days: i64) -> Option<i64> {
    let (year, month, day) = civil_from_days(days);
    Some(match unit {
        TimeUnit::Millennium => (year.abs() + 999) / 1000 * year.signum(),
        TimeUnit::Century => (year.abs() + 99) / 100 * year.signum(),
        TimeUnit::Decade => year / 10,
        TimeUnit::Year => year,
        TimeUnit::IsoYear => iso_week(days).0,
        TimeUnit::Quarter => i64::from(month.div_ceil(3)),
        TimeUnit::Month => i64::from(month),
        TimeUnit::Week => i64::from(iso_week(days).1),
        TimeUnit::Day => i64::from(day),
        TimeUnit::Dow => i64::from(weekday(days) % 7 + 1),
        TimeUnit::IsoDow => i64::from(weekday(days)),
        TimeUnit::Doy => i64::from(day_of_year(days)),
        TimeUnit::Epoch => days * 86_400,
        // Calcite divides the day's number, not a time: nothing anybody could want, but what Flink answers.
        TimeUnit::Hour => days % DAY_MILLIS / 3_600_000,
        TimeUnit::Minute => days % 3_600_000 / 60_000,
        TimeUnit::Second => days % 60_000 / 1000,
        TimeUnit::Millisecond => days % 1000,
        TimeUnit::Microsecond | TimeUnit::Nanosecond => return None,
    })
}

/// EXTRACT of a unit from a TIMESTAMP, or from a TIMESTAMP_LTZ moved to its zone. Before 1970 division rounds towards
/// zero, as in Flink: the SECOND of `1969-12-31 23:59:58.5` is -1.
pub fn extract(unit: TimeUnit, value: DateTime) -> i64 {
    let millis = value.millis();
    let nano_of_milli = value.nanos % 1_000_000;
    match unit {
        TimeUnit::Hour => millis % DAY_MILLIS / 3_600_000,
        TimeUnit::Minute => millis % 3_600_000 / 60_000,
        TimeUnit::Second => millis % 60_000 / 1000,
        TimeUnit::Millisecond => millis % 1000,
        TimeUnit::Microsecond => millis % 1000 * 1000 + nano_of_milli / 1000,
        TimeUnit::Nanosecond => millis % 1000 * 1_000_000 + nano_of_milli,
        TimeUnit::Epoch => millis / 1000,
        date => extract_from_date(date, millis / DAY_MILLIS).unwrap_or(0),
    }
}

/// FLOOR of a DATE to a unit: weeks begin on Sunday, centuries in the year 1. Units below a day leave it as it is.
pub fn floor_date(unit: TimeUnit, days: i64) -> i64 {
    round_date(unit, days, true)
}

/// CEIL of a DATE to a unit. Beware: of DAY it is the next day, and of MILLENNIUM, CENTURY and DECADE always the next
/// one, as in Flink.
pub fn ceil_date(unit: TimeUnit, days: i64) -> i64 {
    round_date(unit, days, false)
}

fn round_date(unit: TimeUnit, days: i64, floor: bool) -> i64 {
    // Before October 1582 the algorithm that Flink uses reads the day in the Julian calendar.
    let (mut year, month, day) = hybrid_from_days(days);
    let (mut month, day) = (i64::from(month), i64::from(day));
    match unit {
        TimeUnit::Millennium => {
            days_from_civil(1000 * ((year + 999) / 1000) + if floor { -999 } else { 1 }, 1, 1)
        }
        TimeUnit::Century => days_from_civil(100 * ((year + 99) / 100) + if floor { -99 } else { 1 }, 1, 1),
        TimeUnit::Decade => days_from_civil(10 * (year / 10 + i64::from(!floor)), 1, 1),
        TimeUnit::Year | TimeUnit::IsoYear => {
            year += i64::from(!floor && (month > 1 || day > 1));
            days_from_civil(year, 1, 1)
        }
        TimeUnit::Quarter => {
            let quarter = (month + 2) / 3 + i64::from(!floor && (month > 1 || day > 1));
            days_from_civil(year, quarter * 3 - 2, 1)
        }
        TimeUnit::Month => {
            month += i64::from(!floor && day > 1);
            days_from_civil(year, month, 1)
        }
        TimeUnit::Week => {
            let since_sunday = i64::from(weekday(days) % 7);
            let offset = if !floor && since_sunday > 0 { since_sunday - 7 } else { since_sunday };
            days_from_civil(year, month, day) - offset
        }
        TimeUnit::Day => days_from_civil(year, month, day) + i64::from(!floor),
        _ => days,
    }
}

/// FLOOR of a local time in milliseconds since 1970-01-01 00:00:00 (a TIMESTAMP_LTZ is moved to its zone and back by
/// the caller).
pub fn floor_millis(unit: TimeUnit, millis: i64) -> i64 {
    match unit {
        TimeUnit::Week => floor_date(unit, millis / DAY_MILLIS).saturating_mul(DAY_MILLIS),
        _ => match unit.millis() {
            Some(step) => millis.saturating_sub(millis.rem_euclid(step)),
            None => floor_date(unit, millis / DAY_MILLIS).saturating_mul(DAY_MILLIS),
        },
    }
}

/// CEIL of a local time in milliseconds since 1970-01-01 00:00:00.
pub fn ceil_millis(unit: TimeUnit, millis: i64) -> i64 {
    match unit {
        TimeUnit::Week => ceil_date(unit, millis / DAY_MILLIS).saturating_mul(DAY_MILLIS),
        _ => match unit.millis() {
            Some(step) => {
                let over = millis.rem_euclid(step);
                if over == 0 { millis } else { millis.saturating_add(step - over) }
            }
            None => ceil_date(unit, millis / DAY_MILLIS).saturating_mul(DAY_MILLIS),
        },
    }
}

/// The DATE of a TIMESTAMP in milliseconds, as CAST and TIMESTAMPDIFF compute it: rounded towards zero, and one less
/// when that is below zero.
pub fn timestamp_to_date(millis: i64) -> i32 {
    let days = millis / DAY_MILLIS;
    (if days < 0 { days - 1 } else { days }) as i32
}

/// The TIME of a TIMESTAMP in milliseconds, as CAST computes it: negative before 1970.
pub fn timestamp_to_time(millis: i64) -> i32 {
    (millis % DAY_MILLIS) as i32
}

/// Adds months to a DATE; a day that the month does not have becomes its last one.
pub fn add_months_to_date(days: i64, months: i64) -> i64 {
    let (year, month, day) = civil_from_days(days);
    let total = year * 12 + i64::from(month) - 1 + months;
    let (year, month) = (total.div_euclid(12), total.rem_euclid(12) + 1);
    days_from_civil(year, month, i64::from(day).min(month_length(year, month)))
}

/// Adds months to a date and time.
pub fn add_months(value: DateTime, months: i64) -> DateTime {
    DateTime { days: add_months_to_date(value.days, months), nanos: value.nanos }
}

/// Whole months from `from` to `to` (days), negative when `to` is earlier.
pub fn months_between_dates(to: i64, from: i64) -> i64 {
    if to < from {
        return -months_between_dates(from, to);
    }
    let (y0, m0, _) = civil_from_days(to);
    let (y1, m1, _) = civil_from_days(from);
    let months = (y0 - y1) * 12 + i64::from(m0) - i64::from(m1);
    // A month is whole as soon as adding it does not pass the end.
    if add_months_to_date(from, months) > to { months - 1 } else { months }
}

/// Whole months from `from` to `to` in milliseconds since 1970-01-01 00:00:00, by Flink's rule: a month that ends on
/// the same day counts only when its time of day is reached.
pub fn months_between(to: i64, from: i64) -> i64 {
    let (d0, t0) = (to.div_euclid(DAY_MILLIS), to.rem_euclid(DAY_MILLIS));
    let (d1, t1) = (from.div_euclid(DAY_MILLIS), from.rem_euclid(DAY_MILLIS));
    let months = months_between_dates(d0, d1);
    if add_months_to_date(d1, months) == d0 && t0 < t1 { months - 1 } else { months }
}
