//! The times of syslog lines.

use millstream_text::temporal::{DateTime, Zone, civil_from_days, days_from_civil};

/// A time as a line has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    /// `None`: the line does not say it.
    pub year: Option<i64>,
    pub month: i64,
    pub day: i64,
    /// Seconds of the day.
    pub seconds: i64,
    pub nanos: i64,
    /// Seconds east of Greenwich, where the line says it.
    pub offset: Option<i64>,
}

/// Two digits, or one behind a space or alone.
fn number(bytes: &[u8], at: usize, most: usize) -> Option<(i64, usize)> {
    let mut end = at;
    let mut value = 0;
    while end - at < most && bytes.get(end).is_some_and(u8::is_ascii_digit) {
        value = value * 10 + i64::from(bytes.get(end).copied()? - b'0');
        end += 1;
    }
    (end > at).then_some((value, end))
}

/// Exactly so many digits.
fn digits(bytes: &[u8], at: usize, count: usize) -> Option<(i64, usize)> {
    number(bytes, at, count).filter(|(_, end)| end - at == count)
}

/// `hh:mm:ss` with a fraction: seconds, nanoseconds, the end.
fn clock(bytes: &[u8], at: usize) -> Option<(i64, i64, usize)> {
    let (hour, at) = digits(bytes, at, 2)?;
    let (minute, at) = digits(bytes, at.checked_add(1).filter(|_| bytes.get(at) == Some(&b':'))?, 2)?;
    let (second, mut at) = digits(bytes, at.checked_add(1).filter(|_| bytes.get(at) == Some(&b':'))?, 2)?;
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let mut nanos = 0;
    if matches!(bytes.get(at), Some(b'.' | b',')) && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
        at += 1;
        let mut unit = 100_000_000;
        while let Some(d) = bytes.get(at).filter(|b| b.is_ascii_digit()) {
            nanos += unit * i64::from(d - b'0');
            unit /= 10;
            at += 1;
        }
    }
    // A leap second is the next minute's first one.
    Some((hour * 3600 + minute * 60 + second, nanos, at))
}

/// BSD's `Mmm dd hh:mm:ss`, with a year before or behind the time of day, and a fraction; gives where it ends.
pub(super) fn bsd(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    const MONTHS: [&[u8; 3]; 12] =
        [b"jan", b"feb", b"mar", b"apr", b"may", b"jun", b"jul", b"aug", b"sep", b"oct", b"nov", b"dec"];
    let name = bytes.get(at..at + 3)?;
    let month = MONTHS.iter().position(|m| m.eq_ignore_ascii_case(name))? as i64 + 1;
    let mut at = at + 3;
    let space = |mut at: usize| {
        let from = at;
        while bytes.get(at) == Some(&b' ') {
            at += 1;
        }
        (at > from).then_some(at)
    };
    at = space(at)?;
    let (day, end) = number(bytes, at, 2)?;
    at = space(end)?;
    let mut year = None;
    if let Some((y, end)) = digits(bytes, at, 4)
        && let Some(next) = space(end)
    {
        (year, at) = (Some(y), next);
    }
    let (seconds, nanos, mut at) = clock(bytes, at)?;
    if year.is_none()
        && bytes.get(at) == Some(&b' ')
        && let Some((y, end)) = digits(bytes, at + 1, 4)
        && (1970..=2100).contains(&y)
        && bytes.get(end).is_none_or(|b| *b == b' ' || *b == b':')
    {
        (year, at) = (Some(y), end);
    }
    if !(1..=31).contains(&day) {
        return None;
    }
    Some((Stamp { year, month, day, seconds, nanos, offset: None }, at))
}

/// ISO 8601: `yyyy-mm-ddThh:mm:ss`, with a fraction and `Z` or `±hh:mm`; gives where it ends.
pub(super) fn iso(bytes: &[u8], at: usize) -> Option<(Stamp, usize)> {
    let dash = |at: usize| (bytes.get(at) == Some(&b'-')).then_some(at + 1);
    let (year, at) = digits(bytes, at, 4)?;
    let (month, at) = digits(bytes, dash(at)?, 2)?;
    let (day, at) = digits(bytes, dash(at)?, 2)?;
    if !matches!(bytes.get(at), Some(b'T' | b't' | b' ')) {
        return None;
    }
    let (seconds, nanos, mut at) = clock(bytes, at + 1)?;
    let mut offset = None;
    match bytes.get(at) {
        Some(b'Z' | b'z') => {
            offset = Some(0);
            at += 1;
        }
        Some(sign @ (b'+' | b'-')) => {
            let (hours, end) = digits(bytes, at + 1, 2)?;
            let colon = usize::from(bytes.get(end) == Some(&b':'));
            let (minutes, end) = digits(bytes, end + colon, 2)?;
            if hours > 23 || minutes > 59 {
                return None;
            }
            let seconds = hours * 3600 + minutes * 60;
            offset = Some(if *sign == b'-' { -seconds } else { seconds });
            at = end;
        }
        _ => {}
    }
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    Some((Stamp { year: Some(year), month, day, seconds, nanos, offset }, at))
}

/// A day of the calendar.
fn day(year: i64, month: i64, day: i64) -> Option<i64> {
    let days = days_from_civil(year, month, day);
    let (y, m, d) = civil_from_days(days);
    ((y, i64::from(m), i64::from(d)) == (year, month, day)).then_some(days)
}

impl Stamp {
    /// The wall clock's time. `today` is the clock's time in the session's zone; `year` the option.
    pub fn local(&self, year: Option<i64>, today: DateTime) -> Option<DateTime> {
        const DAY: i64 = 86_400;
        let at = |year: i64| {
            day(year, self.month, self.day)
                .map(|d| DateTime::from_seconds(d * DAY + self.seconds, self.nanos))
        };
        if let Some(year) = self.year.or(year) {
            return at(year);
        }
        let (now, _) = today.seconds();
        // The next year's first hours are there in the last of this one; 29 February is found within 8 years.
        let (this, ..) = civil_from_days((now + DAY).div_euclid(DAY));
        (0..=8).filter_map(|back| at(this - back)).find(|t| t.seconds().0 <= now + DAY)
    }

    /// The wall clock's time in the zone, and the instant.
    pub fn both(&self, year: Option<i64>, now: DateTime, zone: &Zone) -> Option<(DateTime, DateTime)> {
        let local = self.local(year, zone.to_local(now))?;
        match self.offset {
            Some(offset) => {
                let instant = local.plus_seconds(-offset);
                Some((zone.to_local(instant), instant))
            }
            None => Some((local, zone.to_instant(local))),
        }
    }
}
