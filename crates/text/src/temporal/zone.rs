//! Time zones, by the tz database that is compiled in, with Java's names and rules.

use std::sync::Arc;

use jiff::Timestamp;
use jiff::civil;
use jiff::tz::{AmbiguousOffset, TimeZone};
use millstream_types::Fault;

use super::civil::{DAY_SECONDS, DateTime, civil_from_days};

/// A time zone.
#[derive(Debug, Clone)]
pub struct Zone {
    id: Arc<str>,
    rules: Rules,
}

#[derive(Debug, Clone)]
enum Rules {
    /// Always the same seconds east of UTC.
    Fixed(i32),
    Region(TimeZone),
}

impl PartialEq for Zone {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl Eq for Zone {}

/// Which instant a local time stands for that a zone has twice, when clocks are set back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// The first one: java.time.
    Earlier,
    /// The second one: `java.util.Calendar` and so `SimpleDateFormat`.
    Later,
}

/// The short names that `java.util.TimeZone` knows beside the tz database's.
const SHORT: [(&str, &str); 25] = [
    ("ACT", "Australia/Darwin"),
    ("AET", "Australia/Sydney"),
    ("AGT", "America/Argentina/Buenos_Aires"),
    ("ART", "Africa/Cairo"),
    ("AST", "America/Anchorage"),
    ("BET", "America/Sao_Paulo"),
    ("BST", "Asia/Dhaka"),
    ("CAT", "Africa/Harare"),
    ("CNT", "America/St_Johns"),
    ("CST", "America/Chicago"),
    ("CTT", "Asia/Shanghai"),
    ("EAT", "Africa/Addis_Ababa"),
    ("ECT", "Europe/Paris"),
    ("IET", "America/Indiana/Indianapolis"),
    ("IST", "Asia/Kolkata"),
    ("JST", "Asia/Tokyo"),
    ("MIT", "Pacific/Apia"),
    ("NET", "Asia/Yerevan"),
    ("NST", "Pacific/Auckland"),
    ("PLT", "Asia/Karachi"),
    ("PNT", "America/Phoenix"),
    ("PRT", "America/Puerto_Rico"),
    ("PST", "America/Los_Angeles"),
    ("SST", "Pacific/Guadalcanal"),
    ("VST", "Asia/Ho_Chi_Minh"),
];

/// January and July 2030.
const MODERN: [i64; 2] = [1_893_456_000, 1_909_094_400];

/// Names of the tz database that Java's `ZoneId` leaves out, but `TimeZone` has.
const OFFSET_NAMES: [(&str, i32); 3] = [("EST", -5 * 3600), ("MST", -7 * 3600), ("HST", -10 * 3600)];

impl Zone {
    /// UTC.
    pub fn utc() -> Self {
        Zone { id: "UTC".into(), rules: Rules::Fixed(0) }
    }

    /// The zone of an id by `java.time.ZoneId.of`, as `table.local-time-zone` takes it: `America/Los_Angeles`, `UTC`,
    /// `+08:00`, `GMT+08:00`, `Z`.
    ///
    /// # Errors
    /// When there is no such zone.
    pub fn of(id: &str) -> Result<Zone, Fault> {
        let unknown = || {
            Fault::user(
                "unknown-time-zone",
                format!("there is no time zone '{}'", id.chars().take(60).collect::<String>()),
            )
            .hint(
                "write a name of the tz database ('America/Los_Angeles'), 'UTC', or an offset ('GMT+08:00')",
            )
        };
        if id == "Z" || id.starts_with(['+', '-']) {
            let seconds = offset(id).ok_or_else(unknown)?;
            return Ok(Zone::fixed(id_of_offset("", seconds), seconds));
        }
        for prefix in ["UTC", "GMT", "UT"] {
            match id.strip_prefix(prefix) {
                Some("") => return Ok(Zone::fixed(id.to_string(), 0)),
                Some(rest) if rest.starts_with(['+', '-']) => {
                    let seconds = offset(rest).ok_or_else(unknown)?;
                    return Ok(Zone::fixed(id_of_offset(prefix, seconds), seconds));
                }
                _ => {}
            }
        }
        if id.starts_with("SystemV/") {
            return Err(Fault::not_yet(format!("the time zone '{id}'")));
        }
        if OFFSET_NAMES.iter().any(|(name, _)| *name == id) {
            return Err(unknown());
        }
        Zone::region(id).ok_or_else(unknown)
    }

    /// The zone of an id by `java.util.TimeZone.getTimeZone`, as CONVERT_TZ takes it: names of the tz database, old
    /// short names (`PST`), `GMT+8`; what is unknown is GMT.
    pub fn time_zone(id: &str) -> Zone {
        if let Some((_, seconds)) = OFFSET_NAMES.iter().find(|(name, _)| *name == id) {
            return Zone::fixed(id.to_string(), *seconds);
        }
        if let Some((_, name)) = SHORT.iter().find(|(short, _)| *short == id)
            && let Some(zone) = Zone::region(name)
        {
            return zone;
        }
        if let Some(zone) = Zone::region(id) {
            return zone;
        }
        match id.strip_prefix("GMT").and_then(custom_offset) {
            Some(seconds) => Zone::fixed(id_of_offset("GMT", seconds), seconds),
            None => Zone::fixed("GMT".to_string(), 0),
        }
    }

    /// A zone that is always the same seconds east of UTC.
    pub(crate) fn of_offset(seconds: i32) -> Zone {
        Zone::fixed(id_of_offset("", seconds), seconds)
    }

    fn fixed(id: String, seconds: i32) -> Zone {
        Zone { id: id.into(), rules: Rules::Fixed(seconds) }
    }

    fn region(id: &str) -> Option<Zone> {
        let zone = TimeZone::get(id).ok()?;
        // Java's names are told apart by case, and it has no zone for "unknown".
        if zone.is_unknown()
            || matches!(id, "Factory" | "ROC")
            || (zone.iana_name() != Some(id) && id != "UTC")
        {
            return None;
        }
        let rules = match zone.following(Timestamp::MIN).next() {
            None => Rules::Fixed(zone.to_offset(Timestamp::UNIX_EPOCH).seconds()),
            Some(_) => Rules::Region(zone),
        };
        Some(Zone { id: id.into(), rules })
    }

    /// Its id, as Java normalizes it.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The seconds east of UTC, if they are always the same.
    pub fn fixed_offset(&self) -> Option<i32> {
        match self.rules {
            Rules::Fixed(seconds) => Some(seconds),
            Rules::Region(_) => None,
        }
    }

    /// Seconds east of UTC at an instant in seconds.
    pub fn offset_at(&self, instant: i64) -> i32 {
        match &self.rules {
            Rules::Fixed(seconds) => *seconds,
            Rules::Region(zone) => zone.to_offset(timestamp(instant)).seconds(),
        }
    }

    /// Seconds east of UTC that a local time, in seconds since 1970-01-01 00:00:00, is meant with. A local time that
    /// clocks skip counts with the offset before, and so comes out later by what was skipped, as in Java.
    pub fn offset_of_local(&self, local: i64, overlap: Overlap) -> i32 {
        let zone = match &self.rules {
            Rules::Fixed(seconds) => return *seconds,
            Rules::Region(zone) => zone,
        };
        let Some(local_time) = civil_time(local) else { return self.offset_at(local) };
        match zone.to_ambiguous_timestamp(local_time).offset() {
            AmbiguousOffset::Unambiguous { offset } => offset.seconds(),
            AmbiguousOffset::Gap { before, .. } => before.seconds(),
            AmbiguousOffset::Fold { before, after } => match overlap {
                Overlap::Earlier => before.seconds(),
                Overlap::Later => after.seconds(),
            },
        }
    }

    /// Seconds east of UTC in the years to come, without summer time.
    pub(crate) fn standard_offset(&self) -> i32 {
        MODERN.into_iter().map(|t| self.offset_at(t)).min().unwrap_or(0)
    }

    /// The local time of an instant.
    pub fn to_local(&self, instant: DateTime) -> DateTime {
        instant.plus_seconds(i64::from(self.offset_at(instant.seconds().0)))
    }

    /// The instant of a local time, by java.time's rules.
    pub fn to_instant(&self, local: DateTime) -> DateTime {
        local.plus_seconds(-i64::from(self.offset_of_local(local.seconds().0, Overlap::Earlier)))
    }

    /// The short name at an instant (`PST`, `CET`), where the tz database has one made of letters.
    pub(crate) fn abbreviation(&self, instant: i64) -> Option<String> {
        match &self.rules {
            Rules::Fixed(0) => Some(if &*self.id == "UTC" { "UTC".into() } else { "GMT".into() }),
            Rules::Fixed(seconds) => Some(id_of_offset("GMT", *seconds)),
            Rules::Region(zone) => {
                // Java names today's standard and summer time, whatever they were called then.
                let dst = zone.to_offset_info(timestamp(instant)).dst();
                let today = MODERN.into_iter().find(|t| zone.to_offset_info(timestamp(*t)).dst() == dst);
                let info = zone.to_offset_info(timestamp(today.unwrap_or(instant)));
                let name = info.abbreviation();
                name.bytes().all(|b| b.is_ascii_alphabetic()).then(|| name.to_string())
            }
        }
    }

    /// A view for many conversions in a row.
    pub fn cursor(&self) -> ZoneCursor<'_> {
        ZoneCursor { zone: self, from: 1, until: 0, offset: 0 }
    }
}

/// A zone that remembers the offset around the last instant asked for: rows come nearly in time order, and the next
/// one mostly has the same.
#[derive(Debug)]
pub struct ZoneCursor<'a> {
    zone: &'a Zone,
    /// `from..until` in seconds has `offset`; empty at first.
    from: i64,
    until: i64,
    offset: i32,
}

impl ZoneCursor<'_> {
    /// As [`Zone::offset_at`].
    pub fn offset_at(&mut self, instant: i64) -> i32 {
        if (self.from..self.until).contains(&instant) {
            return self.offset;
        }
        self.offset = self.zone.offset_at(instant);
        (self.from, self.until) = match &self.zone.rules {
            Rules::Fixed(_) => (i64::MIN, i64::MAX),
            Rules::Region(zone) => {
                let at = timestamp(instant);
                let next = timestamp(instant.saturating_add(1));
                let from = zone.preceding(next).next().map_or(i64::MIN, |t| t.timestamp().as_second());
                let until = zone.following(at).next().map_or(i64::MAX, |t| t.timestamp().as_second());
                (from, until)
            }
        };
        self.offset
    }

    /// As [`Zone::offset_of_local`].
    pub fn offset_of_local(&mut self, local: i64, overlap: Overlap) -> i32 {
        // More than a day from either change no local time is skipped or doubled.
        let sure = self.from.saturating_add(2 * DAY_SECONDS)..self.until.saturating_sub(2 * DAY_SECONDS);
        if sure.contains(&local) {
            return self.offset;
        }
        let offset = self.zone.offset_of_local(local, overlap);
        self.offset_at(local.saturating_sub(i64::from(offset)));
        offset
    }

    /// As [`Zone::to_local`].
    pub fn to_local(&mut self, instant: DateTime) -> DateTime {
        instant.plus_seconds(i64::from(self.offset_at(instant.seconds().0)))
    }

    /// As [`Zone::to_instant`].
    pub fn to_instant(&mut self, local: DateTime) -> DateTime {
        local.plus_seconds(-i64::from(self.offset_of_local(local.seconds().0, Overlap::Earlier)))
    }
}

/// Seconds of 400 years, after which weekdays and leap years come again, and so the rules of zones.
const CYCLE: i64 = 146_097 * DAY_SECONDS;

/// A time in seconds, in the years that the tz library counts (-9999 to 9999): later ones are moved back by whole
/// cycles.
fn bounded(seconds: i64) -> i64 {
    let last = Timestamp::MAX.as_second() - 2 * DAY_SECONDS;
    let cycles = if seconds > last { (seconds - last).div_euclid(CYCLE) + 1 } else { 0 };
    seconds - cycles * CYCLE
}

/// The instant, held within the years that the tz library counts.
fn timestamp(instant: i64) -> Timestamp {
    let bounded = bounded(instant).max(Timestamp::MIN.as_second() + 1);
    Timestamp::from_second(bounded).unwrap_or(Timestamp::UNIX_EPOCH)
}

fn civil_time(local: i64) -> Option<civil::DateTime> {
    let local = bounded(local);
    let (year, month, day) = civil_from_days(local.div_euclid(DAY_SECONDS));
    let second = local.rem_euclid(DAY_SECONDS);
    civil::DateTime::new(
        i16::try_from(year).ok()?,
        month as i8,
        day as i8,
        (second / 3600) as i8,
        (second / 60 % 60) as i8,
        (second % 60) as i8,
        0,
    )
    .ok()
}

/// `java.time.ZoneOffset.of`: Z, ±h, ±hh, ±hh:mm, ±hhmm, ±hh:mm:ss, ±hhmmss, at most 18 hours.
pub(crate) fn offset(id: &str) -> Option<i32> {
    if id == "Z" {
        return Some(0);
    }
    let (sign, rest) = match id.as_bytes() {
        [b'-', rest @ ..] => (-1, rest),
        [b'+', rest @ ..] => (1, rest),
        _ => return None,
    };
    let two = |a: &u8, b: &u8| {
        (a.is_ascii_digit() && b.is_ascii_digit()).then(|| i32::from(a - b'0') * 10 + i32::from(b - b'0'))
    };
    let (h, m, s) = match rest {
        [b] => (two(&b'0', b)?, 0, 0),
        [a, b] => (two(a, b)?, 0, 0),
        [a, b, c, d] | [a, b, b':', c, d] => (two(a, b)?, two(c, d)?, 0),
        [a, b, c, d, e, f] | [a, b, b':', c, d, b':', e, f] => (two(a, b)?, two(c, d)?, two(e, f)?),
        _ => return None,
    };
    let seconds = h * 3600 + m * 60 + s;
    (m < 60 && s < 60 && seconds <= 18 * 3600).then_some(sign * seconds)
}

/// What may stand behind GMT in a `java.util.TimeZone` id: ±h, ±hh, ±h:mm, ±hh:mm, ±hmm, ±hhmm.
fn custom_offset(text: &str) -> Option<i32> {
    let (sign, rest) = match text.as_bytes() {
        [b'-', ..] => (-1, text.get(1..)?),
        [b'+', ..] => (1, text.get(1..)?),
        _ => return None,
    };
    let number = |t: &str, lengths: std::ops::RangeInclusive<usize>| {
        let plain = lengths.contains(&t.len()) && t.bytes().all(|b| b.is_ascii_digit());
        if plain { t.parse::<i32>().ok() } else { None }
    };
    let (hour, minute) = match rest.split_once(':') {
        Some((h, m)) => (number(h, 1..=2)?, number(m, 2..=2)?),
        None => match number(rest, 1..=4)? {
            n if rest.len() <= 2 => (n, 0),
            n => (n / 100, n % 100),
        },
    };
    (hour <= 23 && minute <= 59).then_some(sign * (hour * 3600 + minute * 60))
}

/// An offset as Java writes it behind a prefix: `+08:00`, with seconds where there are any; nothing (or Z) for 0.
pub(crate) fn id_of_offset(prefix: &str, seconds: i32) -> String {
    let size = seconds.unsigned_abs();
    if size == 0 {
        return if prefix.is_empty() { "Z".to_string() } else { prefix.to_string() };
    }
    let sign = if seconds < 0 { '-' } else { '+' };
    let (h, m, s) = (size / 3600, size / 60 % 60, size % 60);
    if s == 0 {
        format!("{prefix}{sign}{h:02}:{m:02}")
    } else {
        format!("{prefix}{sign}{h:02}:{m:02}:{s:02}")
    }
}
