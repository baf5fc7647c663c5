//! Writing by a pattern.

use millstream_types::Fault;

use super::{Item, SimplePattern, legacy_offset};
use crate::number::{push_i64, push_padded};
use crate::temporal::Zone;
use crate::temporal::civil::{DAY_SECONDS, hybrid_from_days, us_week, weekday};
use crate::temporal::names::{HALVES, MONTHS, WEEKDAYS, cut, nth};

impl SimplePattern {
    /// Appends an instant in milliseconds, shown in a zone.
    ///
    /// # Errors
    /// NotYet, when the zone's short name is asked for and the tz database has none, and for weeks before the year
    /// 1583.
    pub fn format(&self, out: &mut String, millis: i64, zone: &Zone) -> Result<(), Fault> {
        let instant = millis.div_euclid(1000);
        let offset = legacy_offset(zone, instant);
        let local = instant + offset;
        let (days, second) = (local.div_euclid(DAY_SECONDS), local.rem_euclid(DAY_SECONDS));
        let (year, month, day) = hybrid_from_days(days);
        let (month, day) = (i64::from(month), i64::from(day));
        let hour = second / 3600;
        let weeks = self.items.iter().any(|i| matches!(i, Item::Field(b'Y' | b'w' | b'W' | b'F', _)));
        if weeks && year < 1583 {
            return Err(Fault::not_yet(
                "weeks (letters Y, w, W and F of a date pattern) before the year 1583",
            ));
        }
        for item in &self.items {
            let (letter, count) = match item {
                Item::Literal(text) => {
                    out.push_str(text);
                    continue;
                }
                Item::Field(letter, count) => (*letter, *count),
            };
            let number = match letter {
                b'G' => {
                    out.push_str(if year > 0 { "AD" } else { "BC" });
                    continue;
                }
                b'y' | b'Y' => {
                    let year = if letter == b'Y' { us_week(days).0 } else { year };
                    let of_era = if year > 0 { year } else { 1 - year };
                    if count == 2 { of_era % 100 } else { of_era }
                }
                b'M' | b'L' if count >= 3 => {
                    let name = nth(&MONTHS, month);
                    out.push_str(if count >= 4 { name } else { cut(name, 3) });
                    continue;
                }
                b'M' | b'L' => month,
                b'd' => day,
                b'k' => {
                    if hour == 0 {
                        24
                    } else {
                        hour
                    }
                }
                b'H' => hour,
                b'm' => second / 60 % 60,
                b's' => second % 60,
                b'S' => millis.rem_euclid(1000),
                b'E' => {
                    let name = nth(&WEEKDAYS, i64::from(weekday(days)));
                    out.push_str(if count >= 4 { name } else { cut(name, 3) });
                    continue;
                }
                b'D' => days - crate::temporal::civil::days_from_hybrid(year, 1, 1) + 1,
                b'F' => (day - 1) / 7 + 1,
                b'w' => i64::from(us_week(days).1),
                b'W' => (day - 1 + i64::from(weekday(days - day + 1) % 7)) / 7 + 1,
                b'a' => {
                    out.push_str(nth(&HALVES, hour / 12 + 1));
                    continue;
                }
                b'h' => {
                    if hour % 12 == 0 {
                        12
                    } else {
                        hour % 12
                    }
                }
                b'K' => hour % 12,
                b'u' => i64::from(weekday(days)),
                b'z' => {
                    let name = zone.abbreviation(instant).ok_or_else(|| {
                        Fault::not_yet(format!(
                            "the short name of the zone '{}' in a date pattern",
                            zone.id()
                        ))
                    })?;
                    out.push_str(&name);
                    continue;
                }
                _ => {
                    push_offset(out, letter, count, offset);
                    continue;
                }
            };
            if number < 0 {
                push_i64(out, number);
            } else {
                push_padded(out, number as u64, count.min(20));
            }
        }
        Ok(())
    }
}

/// `Z`: +0800. `X`: Z, +08, +0800, +08:00.
fn push_offset(out: &mut String, letter: u8, count: usize, offset: i64) {
    if letter == b'X' && offset == 0 {
        out.push('Z');
        return;
    }
    let minutes = (offset / 60).unsigned_abs();
    out.push(if offset < 0 { '-' } else { '+' });
    push_padded(out, minutes / 60, 2);
    if letter == b'X' && count == 1 {
        return;
    }
    if letter == b'X' && count == 3 {
        out.push(':');
    }
    push_padded(out, minutes % 60, 2);
}
