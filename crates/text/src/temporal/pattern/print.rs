//! Writing by a pattern.

use millstream_types::Fault;

use super::{DatePattern, Field, Item, Number, Sign, Style};
use crate::number::push_padded;
use crate::temporal::DateTime;
use crate::temporal::civil::{civil_from_days, day_of_year, us_week, weekday};
use crate::temporal::names::{ERAS, HALVES, MONTHS, QUARTERS, WEEKDAYS, cut, nth};

impl DatePattern {
    /// Appends a date and time.
    ///
    /// # Errors
    /// User, when the pattern asks for a zone (a TIMESTAMP has none), or a number does not fit its width.
    pub fn format(&self, out: &mut String, value: DateTime) -> Result<(), Fault> {
        print_all(&self.items, &View::of(value), out)
    }
}

pub(super) struct View {
    value: DateTime,
    year: i64,
    month: i64,
    day: i64,
}

impl View {
    pub(super) fn of(value: DateTime) -> Self {
        let (year, month, day) = civil_from_days(value.days);
        View { value, year, month: i64::from(month), day: i64::from(day) }
    }

    pub(super) fn number(&self, field: Field) -> i64 {
        let (hour, minute, second, nano) = self.value.time();
        match field {
            Field::Era => i64::from(self.year > 0),
            Field::Year => self.year,
            Field::YearOfEra => {
                if self.year > 0 {
                    self.year
                } else {
                    1 - self.year
                }
            }
            Field::WeekYear => us_week(self.value.days).0,
            Field::Quarter => (self.month + 2) / 3,
            Field::Month => self.month,
            Field::Week => i64::from(us_week(self.value.days).1),
            Field::WeekOfMonth => {
                let first = i64::from(weekday(self.value.days - self.day + 1) % 7);
                (self.day - 1 + first) / 7 + 1
            }
            Field::DayOfYear => i64::from(day_of_year(self.value.days)),
            Field::DayOfMonth => self.day,
            Field::WeekdayInMonth => (self.day - 1) % 7 + 1,
            Field::Weekday => i64::from(weekday(self.value.days)),
            Field::LocalWeekday => i64::from(weekday(self.value.days) % 7 + 1),
            Field::AmPm => hour / 12,
            Field::Hour => hour,
            Field::ClockHour => {
                if hour == 0 {
                    24
                } else {
                    hour
                }
            }
            Field::HourOfHalf => hour % 12,
            Field::ClockHourOfHalf => {
                if hour % 12 == 0 {
                    12
                } else {
                    hour % 12
                }
            }
            Field::Minute => minute,
            Field::Second => second,
            Field::Nano => nano,
            Field::MilliOfDay => self.value.nanos / 1_000_000,
            Field::NanoOfDay => self.value.nanos,
            Field::JulianDay => self.value.days + 40_587,
        }
    }
}

fn print_all(items: &[Item], view: &View, out: &mut String) -> Result<(), Fault> {
    for item in items {
        match item {
            Item::Literal(text) => out.push_str(text),
            Item::Number(number) => print_number(number, view, out)?,
            Item::Fraction(width) => {
                let nano = view.number(Field::Nano) / 10i64.pow(9 - (*width).min(9) as u32);
                push_padded(out, nano as u64, *width);
            }
            Item::Text(field, style) => out.push_str(text_of(*field, *style, view.number(*field))),
            Item::Optional(items) => {
                // What cannot be written is left out.
                let before = out.len();
                if print_all(items, view, out).is_err() {
                    out.truncate(before);
                }
            }
            Item::Pad(width, item) => {
                let mut text = String::new();
                print_all(std::slice::from_ref(item), view, &mut text)?;
                let length = text.chars().count();
                if length > *width {
                    return Err(Fault::user(
                        "bad-date-pattern",
                        format!("'{text}' is wider than {width} letters 'p'"),
                    ));
                }
                (length..*width).for_each(|_| out.push(' '));
                out.push_str(&text);
            }
            Item::DayPeriod(narrow) => {
                let minutes = view.number(Field::Hour) * 60 + view.number(Field::Minute);
                out.push_str(day_period(minutes, *narrow));
            }
            Item::Offset(_) | Item::ZoneId | Item::ZoneName => {
                return Err(Fault::user(
                    "bad-date-pattern",
                    "the date pattern asks for a zone, but the value has none",
                )
                .hint("leave the letters V, z, v, O, X, x, Z out of the pattern"));
            }
        }
    }
    Ok(())
}

/// The part of the day of American English (CLDR) at a minute of it.
fn day_period(minutes: i64, narrow: bool) -> &'static str {
    match (minutes, narrow) {
        (0, true) => "mi",
        (0, false) => "midnight",
        (720, true) => "n",
        (720, false) => "noon",
        (360..720, _) => "in the morning",
        (720..1080, _) => "in the afternoon",
        (1080..1260, _) => "in the evening",
        _ => "at night",
    }
}

fn print_number(number: &Number, view: &View, out: &mut String) -> Result<(), Fault> {
    let value = view.number(number.field);
    if number.reduced {
        push_padded(out, value.unsigned_abs() % 100, 2);
        return Ok(());
    }
    let size = value.unsigned_abs();
    let digits = size.checked_ilog10().map_or(1, |d| d as usize + 1);
    if digits > number.most || (value < 0 && number.sign == Sign::Never) {
        return Err(Fault::user(
            "bad-date-pattern",
            format!("{value} does not fit in its place of the date pattern"),
        ));
    }
    if value < 0 {
        out.push('-');
    } else if number.sign == Sign::ExceedsPad && digits > number.least {
        out.push('+');
    }
    push_padded(out, size, number.least);
    Ok(())
}

/// The name of a field's number.
pub(super) fn text_of(field: Field, style: Style, number: i64) -> &'static str {
    match (field, style) {
        (Field::Month, Style::Full) => nth(&MONTHS, number),
        (Field::Month, Style::Short) => cut(nth(&MONTHS, number), 3),
        (Field::Month, Style::Narrow) => cut(nth(&MONTHS, number), 1),
        (Field::Weekday, Style::Full) => nth(&WEEKDAYS, number),
        (Field::Weekday, Style::Short) => cut(nth(&WEEKDAYS, number), 3),
        (Field::Weekday, Style::Narrow) => cut(nth(&WEEKDAYS, number), 1),
        (Field::Quarter, Style::Full) => nth(&QUARTERS, number),
        (Field::Quarter, Style::Short) => nth(&["Q1", "Q2", "Q3", "Q4"], number),
        (Field::Quarter, Style::Narrow) => nth(&["1", "2", "3", "4"], number),
        (Field::AmPm, _) => nth(&HALVES, number + 1),
        (Field::Era, Style::Full) => ERAS.get(number as usize).map_or("", |e| e.1),
        (Field::Era, Style::Short) => ERAS.get(number as usize).map_or("", |e| e.0),
        (Field::Era, Style::Narrow) => nth(&["B", "A"], number + 1),
        _ => "",
    }
}
