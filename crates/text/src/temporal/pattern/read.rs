//! Reading by a pattern: the parts one after the other, then their meaning together (`java.time.format.Parsed`, SMART).

use super::print::{View, text_of};
use super::{DatePattern, Field, Item, Minutes, Number, OffsetStyle, Sign, Style};
use crate::temporal::civil::{civil_from_days, days_from_civil, is_leap, month_length, weekday};
use crate::temporal::{DateTime, Zone, zone};

/// Why a text does not fit, in words.
pub type Reason = &'static str;

/// What a text said by a pattern.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parsed {
    /// Year, month, day, hour, minute, second and nanosecond, where the text had them.
    pub year: Option<i64>,
    /// Month, from 1.
    pub month: Option<i64>,
    /// Day of the month, from 1.
    pub day: Option<i64>,
    /// Hour of the day.
    pub hour: Option<i64>,
    /// Minute of the hour.
    pub minute: Option<i64>,
    /// Second of the minute.
    pub second: Option<i64>,
    /// Nanosecond of the second.
    pub nano: Option<i64>,
    /// The zone or offset.
    pub zone: Option<Zone>,
}

impl Parsed {
    /// The date and time, what is missing taken from 1970-01-01 00:00:00, as TO_TIMESTAMP does; `None` for a day that the month does not have
    /// (where year, month and day were all read, that is the month's last day already).
    pub fn date_time(&self) -> Option<DateTime> {
        let or = |v: Option<i64>, default| v.unwrap_or(default);
        let (year, month, day) = (or(self.year, 1970), or(self.month, 1), or(self.day, 1));
        let (hour, minute, second) = (or(self.hour, 0), or(self.minute, 0), or(self.second, 0));
        let valid = (-999_999_999..=999_999_999).contains(&year)
            && (1..=12).contains(&month)
            && (1..=month_length(year, month)).contains(&day)
            && (0..=23).contains(&hour)
            && (0..=59).contains(&minute)
            && (0..=59).contains(&second);
        valid.then(|| DateTime::of(year, month, day, hour, minute, second, or(self.nano, 0)))
    }
}

impl DatePattern {
    /// Reads a whole text.
    ///
    /// # Errors
    /// Why it does not fit.
    pub fn parse(&self, text: &str) -> Result<Parsed, Reason> {
        let mut values = Values::default();
        let at = read_all(&self.items, text, 0, &mut values)?;
        if at < text.len() {
            return Err("text is left behind what the pattern reads");
        }
        values.resolve()
    }
}

/// Numbers by field, as read.
#[derive(Clone, Default)]
struct Values {
    numbers: Vec<(Field, i64)>,
    zone: Option<Zone>,
}

impl Values {
    fn set(&mut self, field: Field, value: i64) -> Result<(), Reason> {
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

    fn resolve(mut self) -> Result<Parsed, Reason> {
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

    /// A date by a week and the day of the week (the United States' weeks): of the month, or of a year counted in weeks.
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

/// Reads the items from a place on; the place behind them.
fn read_all(items: &[Item], text: &str, mut at: usize, values: &mut Values) -> Result<usize, Reason> {
    for item in items {
        at = match item {
            Item::Literal(literal) => {
                let rest = text.get(at..).unwrap_or("");
                if !rest.starts_with(literal.as_str()) {
                    return Err("a character of the pattern is missing");
                }
                at + literal.len()
            }
            Item::Number(number) => read_number(number, text.as_bytes(), at, values)?,
            Item::Fraction(width) => {
                let digits = text.as_bytes().get(at..at + width).ok_or("digits of a second are missing")?;
                if !digits.iter().all(u8::is_ascii_digit) {
                    return Err("digits of a second are missing");
                }
                let value = digits.iter().fold(0, |v, b| v * 10 + i64::from(b - b'0'));
                values.set(Field::Nano, value * 10i64.pow(9 - (*width).min(9) as u32))?;
                at + width
            }
            Item::Text(field, style) => read_text(*field, *style, text, at, values)?,
            Item::Optional(items) => {
                let mut tried = values.clone();
                match read_all(items, text, at, &mut tried) {
                    Ok(end) => {
                        *values = tried;
                        end
                    }
                    Err(_) => at,
                }
            }
            Item::Pad(width, item) => {
                let field = text.get(at..at + width).ok_or("the text is shorter than its padding")?;
                let start = at + field.len() - field.trim_start_matches(' ').len();
                let end = text.get(..at + width).unwrap_or("");
                let read = read_all(std::slice::from_ref(item), end, start, values)?;
                if read != at + width {
                    return Err("the text is shorter than its padding");
                }
                read
            }
            Item::Offset(style) => read_offset(style, text, at, values)?,
            Item::ZoneId => read_zone(text, at, values)?,
        };
    }
    Ok(at)
}

fn read_number(number: &Number, bytes: &[u8], at: usize, values: &mut Values) -> Result<usize, Reason> {
    const MISSING: Reason = "a number is missing";
    let mut start = at;
    let sign = bytes.get(at).copied().ok_or(MISSING)?;
    let signed = matches!(sign, b'+' | b'-');
    if signed {
        let allowed = match number.sign {
            Sign::Normal => sign == b'-',
            Sign::ExceedsPad => true,
            Sign::Never => false,
        };
        if !allowed {
            return Err(MISSING);
        }
        start += 1;
    }
    let available = |most: usize| {
        bytes.get(start..).unwrap_or_default().iter().take(most).take_while(|b| b.is_ascii_digit()).count()
    };
    let following = number.following.max(0) as usize;
    let mut count = available(number.most + following);
    if following > 0 {
        // Leave the digits of the numbers that follow at once.
        count = available(number.least.max(count.saturating_sub(following)));
    }
    if count < number.least || count > 18 {
        return Err(MISSING);
    }
    let digits = bytes.get(start..start + count).unwrap_or_default();
    let mut value = digits.iter().fold(0i64, |v, b| v * 10 + i64::from(b - b'0'));
    if signed && sign == b'-' {
        if value == 0 {
            return Err("there is no minus zero");
        }
        value = -value;
    } else if number.sign == Sign::ExceedsPad && signed != (count > number.least) {
        return Err("a number with more digits than its width, and only that, has a plus sign");
    }
    if number.reduced {
        value += 2000;
    }
    values.set(number.field, value)?;
    Ok(start + count)
}

fn read_text(
    field: Field,
    style: Style,
    text: &str,
    at: usize,
    values: &mut Values,
) -> Result<usize, Reason> {
    let range = match field {
        Field::Month => 1..=12,
        Field::Weekday => 1..=7,
        Field::Quarter => 1..=4,
        _ => 0..=1,
    };
    let rest = text.get(at..).unwrap_or("");
    let found = range
        .map(|n| (n, text_of(field, style, n)))
        .filter(|(_, name)| !name.is_empty() && rest.starts_with(name))
        .max_by_key(|(_, name)| name.len());
    let (number, name) = found.ok_or("a name is missing")?;
    values.set(field, number)?;
    Ok(at + name.len())
}

fn read_offset(style: &OffsetStyle, text: &str, at: usize, values: &mut Values) -> Result<usize, Reason> {
    const MISSING: Reason = "an offset from UTC is missing";
    let rest = text.get(at..).unwrap_or("");
    let Some(signed) = rest.strip_prefix(style.prefix).filter(|r| r.starts_with(['+', '-'])) else {
        if !rest.starts_with(style.zero) {
            return Err(MISSING);
        }
        values.zone = Some(Zone::of_offset(0));
        return Ok(at + style.zero.len());
    };
    if style.short {
        return read_short_offset(signed, values).map(|n| at + rest.len() - signed.len() + n);
    }
    let mut length = 1;
    let two =
        |from: usize| signed.as_bytes().get(from..from + 2).is_some_and(|b| b.iter().all(u8::is_ascii_digit));
    if !two(length) {
        return Err(MISSING);
    }
    length += 2;
    let parts = [style.minutes == Minutes::Always, false];
    for (i, needed) in parts.into_iter().enumerate() {
        if i == 1 && !style.seconds {
            break;
        }
        let colon = style.colon && signed.as_bytes().get(length) == Some(&b':');
        let from = length + usize::from(colon);
        if two(from) && colon == style.colon {
            length = from + 2;
        } else if needed {
            return Err(MISSING);
        } else {
            break;
        }
    }
    let seconds = signed.get(..length).and_then(zone::offset).ok_or(MISSING)?;
    values.zone = Some(Zone::of_offset(seconds));
    Ok(at + (rest.len() - signed.len()) + length)
}

/// `+8`, `+8:30`, `-08:30`: seconds follow the minutes in the same way.
fn read_short_offset(signed: &str, values: &mut Values) -> Result<usize, Reason> {
    let bytes = signed.as_bytes();
    let digit = |i: usize| bytes.get(i).filter(|b| b.is_ascii_digit()).map(|b| i32::from(b - b'0'));
    let mut hours = digit(1).ok_or("an offset from UTC is missing")?;
    let mut length = 2;
    if let Some(second) = digit(2) {
        hours = hours * 10 + second;
        length = 3;
    }
    let mut seconds = hours * 3600;
    for unit in [60, 1] {
        match (bytes.get(length), digit(length + 1), digit(length + 2)) {
            (Some(b':'), Some(a), Some(b)) => {
                seconds += (a * 10 + b) * unit;
                length += 3;
            }
            _ => break,
        }
    }
    if seconds > 18 * 3600 {
        return Err("an offset from UTC is larger than 18 hours");
    }
    values.zone = Some(Zone::of_offset(if bytes.first() == Some(&b'-') { -seconds } else { seconds }));
    Ok(length)
}

fn read_zone(text: &str, at: usize, values: &mut Values) -> Result<usize, Reason> {
    let rest = text.get(at..).unwrap_or("");
    let name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '+' | '-' | ':' | '.' | '~');
    let length = rest.find(|c| !name(c)).unwrap_or(rest.len());
    let zone = rest.get(..length).and_then(|id| Zone::of(id).ok()).ok_or("a zone is missing")?;
    values.zone = Some(zone);
    Ok(at + length)
}
