//! From the numbers of a text to what they mean together (`java.time.format.Parsed`, SMART).

use super::Field;
use super::print::View;
use super::read::{Parsed, Reason};
use crate::temporal::civil::{civil_from_days, days_from_civil, is_leap, month_length, weekday};
use crate::temporal::{DateTime, Zone};

/// Numbers by field, as read.
#[derive(Clone, Default)]
pub(super) struct Values {
    numbers: Vec<(Field, i64)>,
    pub(super) zone: Option<Zone>,
}

impl Values {
    pub(super) fn set(&mut self, field: Field, value: i64) -> Result<(), Reason> {
        match self.numbers.iter().find(|(f, _)| *f == field) {
            Some((_, old)) if *old != value => Err("it says two things of one field"),
            Some(_) => Ok(()),
            None => {
                self.numbers.push((field, value));
                Ok(())
            }
        }
    }

    fn take(&mut self, field: Field) -> Option<i64> {
        let at = self.numbers.iter().position(|(f, _)| *f == field)?;
        Some(self.numbers.swap_remove(at).1)
    }

    fn remove(&mut self, fields: &[Field]) {
        self.numbers.retain(|(f, _)| !fields.contains(f));
    }

    fn get(&self, field: Field) -> Option<i64> {
        self.numbers.iter().find(|(f, _)| *f == field).map(|(_, v)| *v)
    }

    /// What the numbers mean together.
    pub(super) fn resolve(mut self) -> Result<Parsed, Reason> {
        let date = self.date()?;
        let time = self.time()?;
        // What was read besides must agree.
        if let Some(days) = date {
            self.agree(DateTime { days, nanos: 0 }, |field| !is_of_day(field))?;
        }
        if let Some((nanos, _)) = time {
            self.agree(DateTime { days: 0, nanos }, is_of_day)?;
        }
        let mut parsed = Parsed { zone: self.zone.take(), ..Parsed::default() };
        (parsed.year, parsed.month, parsed.day) =
            (self.get(Field::Year), self.get(Field::Month), self.get(Field::DayOfMonth));
        (parsed.hour, parsed.minute, parsed.second, parsed.nano) =
            (self.get(Field::Hour), self.get(Field::Minute), self.get(Field::Second), self.get(Field::Nano));
        let later = match time {
            None => 0,
            Some((nanos, later)) => {
                let (h, m, s, n) = DateTime { days: 0, nanos }.time();
                (parsed.hour, parsed.minute, parsed.second, parsed.nano) =
                    (Some(h), Some(m), Some(s), Some(n));
                later
            }
        };
        if let Some(days) = date {
            let (year, month, day) = civil_from_days(days + later);
            (parsed.year, parsed.month, parsed.day) =
                (Some(year), Some(i64::from(month)), Some(i64::from(day)));
        }
        Ok(parsed)
    }

    fn agree(&self, value: DateTime, of: impl Fn(Field) -> bool) -> Result<(), Reason> {
        let view = View::of(value);
        let differs = |(field, v): &(Field, i64)| of(*field) && view.number(*field) != *v;
        if self.numbers.iter().any(differs) { Err("two of its fields contradict each other") } else { Ok(()) }
    }

    /// The date, where the fields make one; those that made it are taken.
    fn date(&mut self) -> Result<Option<i64>, Reason> {
        self.year_of_era()?;
        let mut date = self.calendar_date()?;
        if let Some(day) = self.take(Field::LocalWeekday) {
            let iso = (checked(day, 1..=7)? + 5) % 7 + 1;
            self.take(Field::Weekday);
            self.numbers.push((Field::Weekday, iso));
        }
        if date.is_none() {
            date = self.week_date()?;
        }
        if let Some(day) = self.take(Field::JulianDay) {
            let days = checked(day, -365_243_219_162..=365_241_780_471)? - 40_587;
            if date.is_some_and(|d| d != days) {
                return Err("two of its fields contradict each other");
            }
            date = Some(days);
        }
        Ok(date)
    }

    fn year_of_era(&mut self) -> Result<(), Reason> {
        let Some(of_era) = self.take(Field::YearOfEra) else {
            return self.get(Field::Era).map_or(Ok(()), |e| checked(e, 0..=1).map(|_| ()));
        };
        checked(of_era, 1..=1_000_000_000)?;
        let year = match self.take(Field::Era) {
            Some(0) => 1 - of_era,
            None if self.get(Field::Year).is_some_and(|y| y <= 0) => 1 - of_era,
            _ => of_era,
        };
        self.set(Field::Year, year)
    }

    fn calendar_date(&mut self) -> Result<Option<i64>, Reason> {
        let Some(year) = self.get(Field::Year) else { return Ok(None) };
        if let (Some(month), Some(day)) = (self.get(Field::Month), self.get(Field::DayOfMonth)) {
            let year = checked(year, -999_999_999..=999_999_999)?;
            let month = checked(month, 1..=12)?;
            let day = checked(day, 1..=31)?.min(month_length(year, month));
            self.remove(&[Field::Year, Field::Month, Field::DayOfMonth]);
            return Ok(Some(days_from_civil(year, month, day)));
        }
        if let Some(day) = self.get(Field::DayOfYear) {
            let year = checked(year, -999_999_999..=999_999_999)?;
            let day = checked(day, 1..=366)?;
            if day == 366 && !is_leap(year) {
                return Err("the year has no day 366");
            }
            self.remove(&[Field::Year, Field::DayOfYear]);
            return Ok(Some(days_from_civil(year, 1, 1) + day - 1));
        }
        Ok(None)
    }

    /// A date by a week and the day of the week (the United States' weeks): of the month, or of a year counted in
    /// weeks.
    fn week_date(&mut self) -> Result<Option<i64>, Reason> {
        let Some(day) = self.get(Field::Weekday) else { return Ok(None) };
        let since_sunday = checked(day, 1..=7)? % 7;
        if let Some(year) = self.get(Field::Year) {
            let (Some(month), Some(week)) = (self.get(Field::Month), self.get(Field::WeekOfMonth)) else {
                return Ok(None);
            };
            let year = checked(year, -999_999_999..=999_999_999)?;
            let (month, week) = (checked(month, 1..=12)?, checked(week, 0..=6)?);
            let first = days_from_civil(year, month, 1);
            self.remove(&[Field::Year, Field::Month, Field::WeekOfMonth, Field::Weekday]);
            return Ok(Some(first - i64::from(weekday(first) % 7) + (week - 1) * 7 + since_sunday));
        }
        let (Some(year), Some(week)) = (self.get(Field::WeekYear), self.get(Field::Week)) else {
            return Ok(None);
        };
        let (year, week) = (checked(year, -999_999_999..=999_999_999)?, checked(week, 1..=53)?);
        let first_sunday = |year| {
            let first = days_from_civil(year, 1, 1);
            first - i64::from(weekday(first) % 7)
        };
        // A week that the year does not have is its last one.
        let week = week.min((first_sunday(year + 1) - first_sunday(year)) / 7);
        self.remove(&[Field::WeekYear, Field::Week, Field::Weekday]);
        Ok(Some(first_sunday(year) + (week - 1) * 7 + since_sunday))
    }

    /// Nanoseconds of the day and days to add (1 for 24:00:00), where the fields make a time.
    fn time(&mut self) -> Result<Option<(i64, i64)>, Reason> {
        for (clock, hour, most) in
            [(Field::ClockHour, Field::Hour, 24), (Field::ClockHourOfHalf, Field::HourOfHalf, 12)]
        {
            if let Some(v) = self.take(clock) {
                self.set(hour, checked(v, 0..=most)? % most)?;
            }
        }
        if let (Some(half), Some(hour)) = (self.get(Field::AmPm), self.get(Field::HourOfHalf)) {
            self.remove(&[Field::AmPm, Field::HourOfHalf]);
            self.set(Field::Hour, checked(half, 0..=1)? * 12 + checked(hour, 0..=11)?)?;
        }
        let nanos = self.take(Field::NanoOfDay).map(|n| checked(n, 0..=86_399_999_999_999)).transpose()?;
        let millis = self.take(Field::MilliOfDay).map(|m| checked(m, 0..=86_399_999)).transpose()?;
        for (nanos, whole) in [(nanos, true), (millis.map(|m| m * 1_000_000), false)] {
            let Some(nanos) = nanos else { continue };
            let (h, m, s, mut n) = DateTime { days: 0, nanos }.time();
            if !whole {
                // Milliseconds leave the digits behind them to the nanoseconds.
                n += self.get(Field::Nano).map_or(0, |n| n % 1_000_000);
            }
            for (field, v) in [(Field::Hour, h), (Field::Minute, m), (Field::Second, s), (Field::Nano, n)] {
                self.set(field, v)?;
            }
        }
        let (minute, second, nano) =
            (self.get(Field::Minute), self.get(Field::Second), self.get(Field::Nano));
        nano.map(|n| checked(n, 0..=999_999_999)).transpose()?;
        if let Some(hour) = self.get(Field::Hour) {
            let gap = (minute.is_none() && (second.is_some() || nano.is_some()))
                || (second.is_none() && nano.is_some());
            if gap {
                return Ok(None);
            }
            let minute = checked(minute.unwrap_or(0), 0..=59)?;
            let (second, nano) = (second.unwrap_or(0), nano.unwrap_or(0));
            self.remove(&[Field::Hour, Field::Minute, Field::Second, Field::Nano]);
            if hour == 24 && minute == 0 && second == 0 && nano == 0 {
                return Ok(Some((0, 1)));
            }
            let (hour, second) = (checked(hour, 0..=23)?, checked(second, 0..=59)?);
            return Ok(Some(((hour * 3600 + minute * 60 + second) * 1_000_000_000 + nano, 0)));
        }
        if minute.or(second).or(nano).is_none()
            && let Some(half) = self.take(Field::AmPm)
        {
            // Half a day alone is its middle.
            return Ok(Some(((checked(half, 0..=1)? * 12 + 6) * 3_600_000_000_000, 0)));
        }
        for (field, most) in
            [(Field::Minute, 59), (Field::Second, 59), (Field::AmPm, 1), (Field::HourOfHalf, 11)]
        {
            self.get(field).map(|v| checked(v, 0..=most)).transpose()?;
        }
        Ok(None)
    }
}

/// Whether a field is one of the time of day.
fn is_of_day(field: Field) -> bool {
    use Field as F;
    matches!(field, F::AmPm | F::Hour | F::HourOfHalf | F::Minute | F::Second | F::Nano)
}

fn checked(value: i64, range: std::ops::RangeInclusive<i64>) -> Result<i64, Reason> {
    if range.contains(&value) { Ok(value) } else { Err("a field is out of its range") }
}
