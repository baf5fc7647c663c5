//! Reading by a pattern: the parts of the text one after the other.

use super::print::text_of;
use super::resolve::Values;
use super::{DatePattern, Field, Item, Minutes, Number, OffsetStyle, Sign, Style};
use crate::temporal::civil::month_length;
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
    /// The date and time, what is missing taken from 1970-01-01 00:00:00, as TO_TIMESTAMP does; `None` for a day that
    /// the month does not have (where year, month and day were all read, that is the month's last day already).
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
            Item::ZoneName | Item::DayPeriod(_) => {
                return Err("names of zones and parts of the day are not read");
            }
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
