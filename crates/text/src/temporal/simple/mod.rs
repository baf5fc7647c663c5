//! Patterns of `java.text.SimpleDateFormat`, as FROM_UNIXTIME, UNIX_TIMESTAMP, TO_DATE, CONVERT_TZ and DATE_FORMAT of
//! a STRING take them: lenient, in the calendar that is Julian before 15 October 1582, to milliseconds.

mod print;
mod read;
mod resolve;

use millstream_types::Fault;

use super::{Overlap, Zone};

/// A compiled pattern of `SimpleDateFormat` (locale en-US).
#[derive(Debug, Clone)]
pub struct SimplePattern {
    items: Vec<Item>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    Literal(String),
    /// A letter and how often it stands there.
    Field(u8, usize),
}

const LETTERS: &str = "GyMdkHmsSEDFwWahKzZYuXL";

impl SimplePattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// User, for a letter that Java does not know or a quote left open; NotYet for full names of zones.
    pub fn compile(pattern: &str) -> Result<SimplePattern, Fault> {
        let bad = |what: String| {
            let shown: String = pattern.chars().take(80).collect();
            Fault::user("bad-date-pattern", format!("the date pattern '{shown}' is wrong: {what}"))
                .hint("letters are those of Java's SimpleDateFormat ('yyyy-MM-dd HH:mm:ss'); put other words in quotes: ''T''")
        };
        let mut items: Vec<Item> = Vec::new();
        let mut literal = String::new();
        let mut rest = pattern;
        while let Some(c) = rest.chars().next() {
            if c == '\'' {
                let behind = rest.get(1..).unwrap_or("");
                if let Some(after) = behind.strip_prefix('\'') {
                    literal.push('\'');
                    rest = after;
                    continue;
                }
                rest = quoted(behind, &mut literal).ok_or_else(|| bad("a quote is left open".into()))?;
            } else if c.is_ascii_alphabetic() {
                let count = rest.chars().take_while(|x| *x == c).count();
                if !LETTERS.contains(c) {
                    return Err(bad(format!("there is no letter '{c}'")));
                }
                if c == 'X' && count > 3 {
                    return Err(bad("'X' is written one to three times".into()));
                }
                if c == 'z' && count > 3 {
                    return Err(Fault::not_yet("full names of zones ('zzzz') in a date pattern"));
                }
                if !literal.is_empty() {
                    items.push(Item::Literal(std::mem::take(&mut literal)));
                }
                items.push(Item::Field(c as u8, count));
                rest = rest.get(count..).unwrap_or("");
            } else {
                literal.push(c);
                rest = rest.get(c.len_utf8()..).unwrap_or("");
            }
        }
        if !literal.is_empty() {
            items.push(Item::Literal(literal));
        }
        Ok(SimplePattern { items })
    }

    /// Whether it has a year of one or two letters: what two digits mean there when a text is read depends on when that is.
    pub fn has_short_year(&self) -> bool {
        self.items.iter().any(|i| matches!(i, Item::Field(b'y' | b'Y', 1 | 2)))
    }
}

/// Reads up to the closing quote; gives what stands behind it.
fn quoted<'t>(mut rest: &'t str, literal: &mut String) -> Option<&'t str> {
    loop {
        let (part, behind) = rest.split_once('\'')?;
        literal.push_str(part);
        match behind.strip_prefix('\'') {
            Some(more) => {
                literal.push('\'');
                rest = more;
            }
            None => return Some(behind),
        }
    }
}

/// 1900-01-01T00:00:00Z. Before it `java.util.TimeZone` knows only today's standard time.
const FIRST_RULE: i64 = -2_208_988_800;

/// Seconds east of UTC by `java.util.TimeZone`.
fn legacy_offset(zone: &Zone, instant: i64) -> i64 {
    i64::from(if instant < FIRST_RULE { zone.standard_offset() } else { zone.offset_at(instant) })
}

/// Seconds east of UTC of a local time by `java.util.Calendar`.
fn legacy_offset_of_local(zone: &Zone, local: i64) -> i64 {
    let standard = i64::from(zone.standard_offset());
    if local - standard < FIRST_RULE {
        standard
    } else {
        i64::from(zone.offset_of_local(local, Overlap::Later))
    }
}
