//! The proleptic Gregorian calendar, and the Julian one that Java's old formats use before 15 October 1582.

/// Seconds of a day.
pub(crate) const DAY_SECONDS: i64 = 86_400;
const DAY_NANOS: i64 = 86_400_000_000_000;

/// The day, counted from 1970-01-01, of a date. Month and day may be out of range: they count on from the month
/// before.
pub fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = year + (month - 1).div_euclid(12);
    let month = (month - 1).rem_euclid(12) + 1;
    // Years begin in March, so that the leap day is the last one.
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let of_era = shifted.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year + day - 1 - 719_468
}

/// Year, month and day of a day counted from 1970-01-01.
pub fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 400 + i64::from(month <= 2), month as u32, day as u32)
}

/// The first day of the Gregorian calendar, 1582-10-15.
const CUTOVER: i64 = -141_427;

/// As [`civil_from_days`], but in the Julian calendar before 1582-10-15, as `java.util.GregorianCalendar`.
pub(crate) fn hybrid_from_days(days: i64) -> (i64, u32, u32) {
    if days >= CUTOVER {
        return civil_from_days(days);
    }
    // Days since 1 March of the Julian year 0.
    let shifted = days + 719_470;
    let era = shifted.div_euclid(1461);
    let of_era = shifted.rem_euclid(1461);
    let year = (of_era - of_era / 1460) / 365;
    let of_year = of_era - 365 * year;
    let month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + era * 4 + i64::from(month <= 2), month as u32, day as u32)
}

/// As [`days_from_civil`], but in the Julian calendar where the year is before 1582 or the day before 1582-10-15. (5
/// to 14 October 1582 do not exist; Java counts them on from the Julian 4th.)
pub(crate) fn days_from_hybrid(year: i64, month: i64, day: i64) -> i64 {
    let gregorian = days_from_civil(year, month, day);
    if year >= 1582 && gregorian >= CUTOVER {
        return gregorian;
    }
    let year = year + (month - 1).div_euclid(12);
    let month = (month - 1).rem_euclid(12) + 1;
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(4);
    let of_era = shifted.rem_euclid(4);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5;
    era * 1461 + of_era * 365 + of_year + day - 1 - 719_470
}

/// Whether a year of the Gregorian calendar has a 29 February.
pub(crate) fn is_leap(year: i64) -> bool {
    year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0)
}

/// Days of a month (1 to 12).
pub(crate) fn month_length(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Day of the week: 1 is Monday, 7 is Sunday.
pub fn weekday(days: i64) -> u32 {
    ((days + 3).rem_euclid(7) + 1) as u32
}

/// Day of the year, from 1.
pub fn day_of_year(days: i64) -> u32 {
    let (year, ..) = civil_from_days(days);
    (days - days_from_civil(year, 1, 1) + 1) as u32
}

/// ISO 8601 week, and the year it belongs to.
pub fn iso_week(days: i64) -> (i64, u32) {
    // The week belongs to the year of its Thursday.
    let thursday = days + 4 - i64::from(weekday(days));
    let (year, ..) = civil_from_days(thursday);
    (year, ((thursday - days_from_civil(year, 1, 1)) / 7 + 1) as u32)
}

/// Week of the year and its year where weeks begin on Sunday and the first one holds 1 January: the United States'
/// rule, which is that of the locale Flink runs in.
pub(crate) fn us_week(days: i64) -> (i64, u32) {
    let sunday = days - i64::from(weekday(days) % 7);
    let (year, ..) = civil_from_days(sunday + 6);
    let first = days_from_civil(year, 1, 1);
    let first_sunday = first - i64::from(weekday(first) % 7);
    (year, ((days - first_sunday) / 7 + 1) as u32)
}

/// A date and time without a zone: a day counted from 1970-01-01 and nanoseconds of the day.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DateTime {
    /// Days since 1970-01-01.
    pub days: i64,
    /// Nanoseconds since midnight, below 24 hours.
    pub nanos: i64,
}

impl DateTime {
    /// From its fields, which may be out of range: they count on.
    pub fn of(year: i64, month: i64, day: i64, hour: i64, minute: i64, second: i64, nano: i64) -> Self {
        let seconds = hour * 3600 + minute * 60 + second;
        let days = days_from_civil(year, month, day);
        Self::from_seconds(
            days * DAY_SECONDS + seconds + nano.div_euclid(1_000_000_000),
            nano.rem_euclid(1_000_000_000),
        )
    }

    /// From seconds since 1970-01-01 00:00:00 and nanoseconds of the second.
    pub fn from_seconds(seconds: i64, nano: i64) -> Self {
        DateTime {
            days: seconds.div_euclid(DAY_SECONDS),
            nanos: seconds.rem_euclid(DAY_SECONDS) * 1_000_000_000 + nano,
        }
    }

    /// From milliseconds since 1970-01-01 00:00:00.
    pub fn from_millis(millis: i64) -> Self {
        DateTime { days: millis.div_euclid(86_400_000), nanos: millis.rem_euclid(86_400_000) * 1_000_000 }
    }

    /// From microseconds since 1970-01-01 00:00:00.
    pub fn from_micros(micros: i64) -> Self {
        DateTime { days: micros.div_euclid(86_400_000_000), nanos: micros.rem_euclid(86_400_000_000) * 1000 }
    }

    /// From nanoseconds since 1970-01-01 00:00:00.
    pub fn from_nanos(nanos: i64) -> Self {
        DateTime { days: nanos.div_euclid(DAY_NANOS), nanos: nanos.rem_euclid(DAY_NANOS) }
    }

    /// From what a column of TIMESTAMP(precision) holds.
    pub fn from_column(value: i64, precision: u8) -> Self {
        if precision > 6 { Self::from_nanos(value) } else { Self::from_micros(value) }
    }

    /// Seconds since 1970-01-01 00:00:00, and nanoseconds of the second.
    pub fn seconds(self) -> (i64, i64) {
        (self.days * DAY_SECONDS + self.nanos / 1_000_000_000, self.nanos % 1_000_000_000)
    }

    /// Milliseconds since 1970-01-01 00:00:00.
    pub fn millis(self) -> i64 {
        self.days.saturating_mul(86_400_000).saturating_add(self.nanos / 1_000_000)
    }

    /// Microseconds since 1970-01-01 00:00:00; `None` beyond the year 294247.
    pub fn micros(self) -> Option<i64> {
        self.days.checked_mul(86_400_000_000)?.checked_add(self.nanos / 1000)
    }

    /// Nanoseconds since 1970-01-01 00:00:00; `None` outside the years 1677 to 2262.
    pub fn nanos_since_epoch(self) -> Option<i64> {
        i64::try_from(i128::from(self.days) * i128::from(DAY_NANOS) + i128::from(self.nanos)).ok()
    }

    /// What a column of TIMESTAMP(precision) holds, the digits behind the precision cut; `None` when it is out of the
    /// column's range.
    pub fn to_column(self, precision: u8) -> Option<i64> {
        let cut = self.truncated(precision);
        if precision > 6 { cut.nanos_since_epoch() } else { cut.micros() }
    }

    /// Without the digits behind a precision (0 to 9).
    #[must_use]
    pub fn truncated(self, precision: u8) -> Self {
        let unit = 10i64.pow(9 - u32::from(precision.min(9)));
        DateTime { days: self.days, nanos: self.nanos - self.nanos % unit }
    }

    /// Moved by seconds: from an instant to a zone's local time.
    #[must_use]
    pub fn plus_seconds(self, seconds: i64) -> Self {
        let (all, nano) = self.seconds();
        Self::from_seconds(all.saturating_add(seconds), nano)
    }

    /// Hour, minute, second and nanosecond.
    pub fn time(self) -> (i64, i64, i64, i64) {
        let seconds = self.nanos / 1_000_000_000;
        (seconds / 3600, seconds / 60 % 60, seconds % 60, self.nanos % 1_000_000_000)
    }
}
