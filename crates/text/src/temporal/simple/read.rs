//! Reading by a pattern: a prefix of the text is enough.

use millstream_types::Fault;

use super::resolve::Fields;
use super::{Item, SimplePattern};
use crate::temporal::Zone;
use crate::temporal::names::{HALVES, MONTHS, WEEKDAYS, cut};

/// Short names of zones that are read, and their seconds east of UTC.
const ZONES: [(&str, i64); 18] = [
    ("UTC", 0),
    ("GMT", 0),
    ("PST", -8 * 3600),
    ("PDT", -7 * 3600),
    ("MST", -7 * 3600),
    ("MDT", -6 * 3600),
    ("CST", -6 * 3600),
    ("CDT", -5 * 3600),
    ("EST", -5 * 3600),
    ("EDT", -4 * 3600),
    ("AKST", -9 * 3600),
    ("AKDT", -8 * 3600),
    ("HST", -10 * 3600),
    ("CET", 3600),
    ("CEST", 2 * 3600),
    ("EET", 2 * 3600),
    ("EEST", 3 * 3600),
    ("JST", 9 * 3600),
];

impl SimplePattern {
    /// Reads an instant in milliseconds from the beginning of a text, local times in a zone; `None` where the text
    /// does not fit. Numbers out of their range count on. `now` in milliseconds decides the century of a year of two
    /// digits: from 80 years before it.
    ///
    /// # Errors
    /// NotYet, for a zone's name that is not known here, and for weeks of a month.
    pub fn parse(&self, text: &str, zone: &Zone, now: i64) -> Result<Option<i64>, Fault> {
        let mut fields = Fields::new(now);
        let mut at = 0;
        for (i, item) in self.items.iter().enumerate() {
            let next = match item {
                Item::Literal(literal) => {
                    text.get(at..).unwrap_or("").starts_with(literal.as_str()).then_some(at + literal.len())
                }
                Item::Field(letter, count) => {
                    // Digits of numbers that stand side by side are told apart by their count.
                    let counted =
                        matches!(self.items.get(i + 1), Some(Item::Field(l, n)) if is_number(*l, *n));
                    field(text, at, *letter, *count, counted, zone, &mut fields)?
                }
            };
            match next {
                Some(next) => at = next,
                None => return Ok(None),
            }
        }
        Ok(Some(fields.millis(zone)))
    }
}

fn is_number(letter: u8, count: usize) -> bool {
    match letter {
        b'M' | b'L' => count <= 2,
        b'G' | b'E' | b'a' | b'z' | b'Z' | b'X' => false,
        _ => true,
    }
}

/// Reads one field; the place behind it.
fn field(
    text: &str,
    start: usize,
    letter: u8,
    count: usize,
    counted: bool,
    zone: &Zone,
    fields: &mut Fields,
) -> Result<Option<usize>, Fault> {
    let bytes = text.as_bytes();
    let blanks =
        bytes.get(start..).unwrap_or_default().iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
    let at = start + blanks;
    if at >= bytes.len() {
        return Ok(None);
    }
    if is_number(letter, count) {
        let end = if counted { start + count } else { bytes.len() };
        let Some(digits) = bytes.get(at..end.max(at)).filter(|_| end <= bytes.len()) else { return Ok(None) };
        let Some((value, length)) = integer(digits) else { return Ok(None) };
        if matches!(letter, b'W' | b'F') {
            return Err(Fault::not_yet("reading weeks of a month (letters W and F of a date pattern)"));
        }
        fields.set_number(
            letter,
            value,
            count <= 2 && length == 2 && digits.first().is_some_and(u8::is_ascii_digit),
        );
        return Ok(Some(at + length));
    }
    if matches!(letter, b'z' | b'Z' | b'X') {
        let found = zone_field(text.get(at..).unwrap_or(""), letter, count, zone)?;
        return Ok(found.map(|(seconds, length)| {
            fields.offset = Some(seconds);
            at + length
        }));
    }
    // Blanks before a name are not skipped.
    let rest = text.get(start..).unwrap_or("");
    Ok(match letter {
        b'M' | b'L' => name(rest, &MONTHS).map(|(i, n)| (b'M', i as i64 + 1, n)),
        b'E' => name(rest, &WEEKDAYS).map(|(i, n)| (b'u', i as i64 + 1, n)),
        b'a' => name(rest, &HALVES).map(|(i, n)| (b'a', i as i64, n)),
        _ => name(rest, &["BC", "AD"]).map(|(i, n)| (b'G', i as i64, n)),
    }
    .map(|(letter, value, length)| {
        fields.set_number(letter, value, false);
        start + length
    }))
}

/// An integer, and how long it is.
fn integer(bytes: &[u8]) -> Option<(i64, usize)> {
    let (negative, digits) = match bytes {
        [b'-', rest @ ..] => (true, rest),
        _ => (false, bytes),
    };
    let count = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    if count == 0 {
        return None;
    }
    let value =
        digits.iter().take(count).fold(0i64, |v, b| v.saturating_mul(10).saturating_add(i64::from(b - b'0')));
    // As Java's Number.intValue of a long.
    let value = i64::from(value as i32);
    Some((if negative { -value } else { value }, count + usize::from(negative)))
}

/// The longest name, in full or of three letters, that the text begins with in any case; its place in the table and
/// its length.
fn name(text: &str, table: &[&'static str]) -> Option<(usize, usize)> {
    let begins = |n: &str| text.get(..n.len()).is_some_and(|t| t.eq_ignore_ascii_case(n));
    table
        .iter()
        .enumerate()
        .flat_map(|(i, full)| [(i, *full), (i, cut(full, 3))])
        .filter(|(_, n)| begins(n))
        .max_by_key(|(_, n)| n.len())
        .map(|(i, n)| (i, n.len()))
}

/// A zone or an offset: seconds east of UTC, and how long it is.
fn zone_field(text: &str, letter: u8, count: usize, zone: &Zone) -> Result<Option<(i64, usize)>, Fault> {
    let bytes = text.as_bytes();
    let sign = |b: Option<&u8>| match b {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => 0,
    };
    if letter == b'X' {
        if bytes.first() == Some(&b'Z') {
            return Ok(Some((0, 1)));
        }
        return Ok(match sign(bytes.first()) {
            0 => None,
            s => numeric(bytes.get(1..).unwrap_or_default(), count, count == 3).map(|(v, n)| (s * v, n + 1)),
        });
    }
    match sign(bytes.first()) {
        0 => {}
        s => return Ok(numeric(bytes.get(1..).unwrap_or_default(), 0, false).map(|(v, n)| (s * v, n + 1))),
    }
    if text.get(..3).is_some_and(|t| t.eq_ignore_ascii_case("GMT")) {
        return Ok(match sign(bytes.get(3)) {
            0 => Some((0, 3)),
            s => numeric(bytes.get(4..).unwrap_or_default(), 0, true).map(|(v, n)| (s * v, n + 4)),
        });
    }
    let letters = bytes.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let word = text.get(..letters).unwrap_or("");
    // The zone's own names come first: CST is China's there.
    for instant in [1_577_836_800, 1_593_561_600] {
        if zone.abbreviation(instant).is_some_and(|n| n.eq_ignore_ascii_case(word)) {
            return Ok(Some((i64::from(zone.offset_at(instant)), letters)));
        }
    }
    match ZONES.iter().find(|(n, _)| n.eq_ignore_ascii_case(word)) {
        Some((_, seconds)) => Ok(Some((*seconds, letters))),
        // Too short for a name of a zone.
        None if letters < 3 => Ok(None),
        None => Err(Fault::not_yet(format!(
            "the zone name '{}' read by a date pattern",
            word.chars().take(40).collect::<String>()
        ))),
    }
}

/// Hours and minutes behind a sign: `hh` (count 1), `hhmm`, with a colon `hh:mm`; with count 0 one digit of the hour
/// is enough before a colon.
fn numeric(bytes: &[u8], count: usize, colon: bool) -> Option<(i64, usize)> {
    let digit = |i: usize| bytes.get(i).filter(|b| b.is_ascii_digit()).map(|b| i64::from(b - b'0'));
    let mut hours = digit(0)?;
    let mut at = 1;
    match digit(1) {
        Some(second) => {
            hours = hours * 10 + second;
            at = 2;
        }
        // One digit is enough only in GMT+h.
        None if count > 0 || !colon => return None,
        None => {}
    }
    if hours > 23 {
        return None;
    }
    let mut minutes = 0;
    if count != 1 {
        if colon {
            if bytes.get(at) != Some(&b':') {
                return None;
            }
            at += 1;
        }
        minutes = digit(at)? * 10 + digit(at + 1)?;
        at += 2;
        if minutes > 59 {
            return None;
        }
    }
    Some((hours * 3600 + minutes * 60, at))
}
