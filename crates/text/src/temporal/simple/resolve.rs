//! From the fields that were read to an instant, as a lenient `java.util.GregorianCalendar`: the fields read last
//! decide.

use super::legacy_offset_of_local;
use crate::temporal::Zone;
use crate::temporal::civil::{DAY_SECONDS, DateTime, civil_from_days, days_from_hybrid, weekday};

/// A value and when it was read.
type Stamped = Option<(i64, u32)>;

/// What was read.
pub(super) struct Fields {
    era: Option<i64>,
    year: Stamped,
    week_year: Stamped,
    month: Stamped,
    day: Stamped,
    day_of_year: Stamped,
    week: Stamped,
    /// 1 is Monday, 7 is Sunday; what is out of that range is as it was read.
    weekday: Stamped,
    half: Stamped,
    hour_of_half: Stamped,
    hour: Stamped,
    minute: i64,
    second: i64,
    milli: i64,
    /// Seconds east of UTC.
    pub(super) offset: Option<i64>,
    /// The first instant, in local seconds, that a year of two digits may mean.
    century: DateTime,
    /// Whether the year is the one that the century begins in.
    ambiguous: bool,
    stamp: u32,
}

impl Fields {
    pub(super) fn new(now: i64) -> Self {
        let now = DateTime::from_millis(now);
        let (year, month, day) = civil_from_days(now.days);
        let century = DateTime {
            nanos: now.nanos,
            ..DateTime::of(year - 80, i64::from(month), i64::from(day), 0, 0, 0, 0)
        };
        Fields {
            era: None,
            year: None,
            week_year: None,
            month: None,
            day: None,
            day_of_year: None,
            week: None,
            weekday: None,
            half: None,
            hour_of_half: None,
            hour: None,
            minute: 0,
            second: 0,
            milli: 0,
            offset: None,
            century,
            ambiguous: false,
            stamp: 0,
        }
    }

    /// Sets a field by its letter; `short`: it is a year of exactly two digits.
    pub(super) fn set_number(&mut self, letter: u8, value: i64, short: bool) {
        self.stamp += 1;
        let stamp = self.stamp;
        match letter {
            b'G' => self.era = Some(value),
            b'y' | b'Y' => {
                let mut year = value;
                if short {
                    let (first, ..) = civil_from_days(self.century.days);
                    let turn = first % 100;
                    self.ambiguous = value == turn;
                    year += first / 100 * 100 + if value < turn { 100 } else { 0 };
                }
                *(if letter == b'y' { &mut self.year } else { &mut self.week_year }) = Some((year, stamp));
            }
            b'M' | b'L' => self.month = Some((value, stamp)),
            b'd' => self.day = Some((value, stamp)),
            b'D' => self.day_of_year = Some((value, stamp)),
            b'w' => self.week = Some((value, stamp)),
            b'u' => self.weekday = Some((value, stamp)),
            b'a' => self.half = Some((value, stamp)),
            b'h' => self.hour_of_half = Some((if value == 12 { 0 } else { value }, stamp)),
            b'K' => self.hour_of_half = Some((value, stamp)),
            b'k' => self.hour = Some((if value == 24 { 0 } else { value }, stamp)),
            b'H' => self.hour = Some((value, stamp)),
            b'm' => self.minute = value,
            b's' => self.second = value,
            b'S' => self.milli = value,
            _ => {}
        }
    }

    /// The instant in milliseconds.
    pub(super) fn millis(&self, zone: &Zone) -> i64 {
        let seconds = self.hours() * 3600 + self.minute * 60 + self.second + self.milli.div_euclid(1000);
        let milli = self.milli.rem_euclid(1000);
        // Far beyond the years of any calendar Java wraps around.
        let of_year = |shift| self.days(shift).wrapping_mul(DAY_SECONDS).wrapping_add(seconds);
        let instant = |local: i64| {
            local.wrapping_sub(self.offset.unwrap_or_else(|| legacy_offset_of_local(zone, local)))
        };
        let mut result = instant(of_year(0));
        if self.ambiguous && result < self.century.seconds().0 {
            result = instant(of_year(100));
        }
        result.wrapping_mul(1000).wrapping_add(milli)
    }

    fn hours(&self) -> i64 {
        let stamp = |s: Stamped| s.map_or(0, |(_, n)| n);
        let of_half = match (self.hour_of_half, self.half) {
            (Some(_), Some(_)) => stamp(self.hour_of_half).max(stamp(self.half)),
            _ => 0,
        };
        match self.hour {
            Some((hour, n)) if n >= of_half => hour,
            _ => self.hour_of_half.map_or(0, |(h, _)| h) + self.half.map_or(0, |(h, _)| h * 12),
        }
    }

    /// The day, counted from 1970-01-01, in a year so much later.
    fn days(&self, later: i64) -> i64 {
        let stamp = |s: Stamped| s.map_or(0, |(_, n)| n);
        if let Some((year, n)) = self.week_year
            && n > stamp(self.year)
        {
            let week = self.week.map_or(1, |(w, _)| w);
            let (more, day) = match self.weekday {
                // The first day of the week, Sunday.
                None => (0, 7),
                Some((day, _)) => ((day - 1).div_euclid(7), (day - 1).rem_euclid(7) + 1),
            };
            return week_day(year + later, week + more, day);
        }
        let mut year = self.year.map_or(1970, |(y, _)| y) + later;
        if self.era == Some(0) {
            year = 1 - year;
        }
        // Day of the month, day of the year, or week with day of the week: the complete one that was read last; else
        // what there is.
        let complete_week = match (self.week, self.weekday) {
            (Some((_, a)), Some((_, b))) => a.max(b),
            _ => 0,
        };
        let best = stamp(self.day).max(stamp(self.day_of_year)).max(complete_week);
        let month = self.month.map_or(1, |(m, _)| m);
        if best > 0 && best == stamp(self.day) {
            return days_from_hybrid(year, month, self.day.map_or(1, |(d, _)| d));
        }
        if best > 0 && best == stamp(self.day_of_year) {
            return days_from_hybrid(year, 1, self.day_of_year.map_or(1, |(d, _)| d));
        }
        if let Some((week, _)) = self.week {
            return week_day(year, week, self.weekday.map_or(7, day_of_week));
        }
        let first = days_from_hybrid(year, month, 1);
        // A day of the week alone is its first one of the month.
        first + self.weekday.map_or(0, |d| (day_of_week(d) - i64::from(weekday(first))).rem_euclid(7))
    }
}

/// A day of the week, 1 is Monday. A number out of range counts as `Calendar` counts, where 1 is Sunday.
fn day_of_week((day, _): (i64, u32)) -> i64 {
    if (1..=7).contains(&day) { day } else { day - 1 }
}

/// A day by the United States' weeks; `day` 1 is Monday, weeks begin on Sunday.
fn week_day(year: i64, week: i64, day: i64) -> i64 {
    let first = days_from_hybrid(year, 1, 1);
    first - i64::from(weekday(first) % 7) + (week - 1) * 7 + day.rem_euclid(7)
}
