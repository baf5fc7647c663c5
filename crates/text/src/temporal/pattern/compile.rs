//! From the letters to the items.

use millstream_types::Fault;

use super::{DatePattern, Field, Item, Minutes, Number, OffsetStyle, Sign, Style};

/// Optional parts nested deeper are refused, so that no text can exhaust the stack.
const DEEPEST: usize = 32;

impl DatePattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// User, for a letter that Java does not know, too many letters, a quote or bracket left open.
    pub fn compile(pattern: &str) -> Result<DatePattern, Fault> {
        let mut parser = Parser { stack: vec![Level::default()], pattern };
        let mut rest = pattern;
        let mut pad = None;
        while let Some(c) = rest.chars().next() {
            let mut behind = rest.get(c.len_utf8()..).unwrap_or("");
            match c {
                'a'..='z' | 'A'..='Z' => {
                    let count = rest.chars().take_while(|x| *x == c).count();
                    behind = rest.get(count..).unwrap_or("");
                    if c == 'p' {
                        if !behind.starts_with(|x: char| x.is_ascii_alphabetic()) {
                            return Err(parser.bad("the pad letter 'p' must stand before a letter"));
                        }
                        pad = Some(count);
                    } else {
                        parser.letter(c, count, pad.take())?;
                    }
                }
                '\'' => behind = parser.quoted(behind)?,
                '[' => parser.open()?,
                ']' => parser.close()?,
                '{' | '}' | '#' => return Err(parser.bad(&format!("the character '{c}' is reserved"))),
                other => parser.literal(&other.to_string()),
            }
            rest = behind;
        }
        while parser.stack.len() > 1 {
            parser.close()?;
        }
        Ok(DatePattern { items: parser.stack.pop().map(|l| l.items).unwrap_or_default() })
    }

    /// Compiles a pattern that texts are to be read by.
    ///
    /// # Errors
    /// As for [`DatePattern::compile`]; NotYet also for names of zones.
    pub fn compile_reading(pattern: &str) -> Result<DatePattern, Fault> {
        fn names_zone(items: &[Item]) -> bool {
            items.iter().any(|item| match item {
                Item::ZoneName | Item::DayPeriod(_) => true,
                Item::Optional(items) => names_zone(items),
                Item::Pad(_, item) => names_zone(std::slice::from_ref(item)),
                _ => false,
            })
        }
        let compiled = Self::compile(pattern)?;
        if names_zone(&compiled.items) {
            return Err(Fault::not_yet(
                "reading names of zones and parts of the day (the letters 'z', 'v' and 'B' of a date pattern)",
            ));
        }
        Ok(compiled)
    }
}

#[derive(Default)]
struct Level {
    items: Vec<Item>,
    /// The number whose width depends on the numbers that follow at once.
    open_number: Option<usize>,
}

struct Parser<'a> {
    stack: Vec<Level>,
    pattern: &'a str,
}

impl Parser<'_> {
    fn bad(&self, what: &str) -> Fault {
        let shown: String = self.pattern.chars().take(80).collect();
        Fault::user("bad-date-pattern", format!("the date pattern '{shown}' is wrong: {what}"))
            .hint("letters are those of Java's DateTimeFormatter ('yyyy-MM-dd HH:mm:ss.SSS'); put other words in quotes: ''T''")
    }

    fn add(&mut self, item: Item) {
        if let Some(level) = self.stack.last_mut() {
            level.open_number = None;
            level.items.push(item);
        }
    }

    fn literal(&mut self, text: &str) {
        if let Some(Level { items, open_number }) = self.stack.last_mut() {
            *open_number = None;
            if let Some(Item::Literal(last)) = items.last_mut() {
                last.push_str(text);
            } else {
                items.push(Item::Literal(text.to_string()));
            }
        }
    }

    /// Adds a quoted text; gives what stands behind it.
    fn quoted<'t>(&mut self, mut rest: &'t str) -> Result<&'t str, Fault> {
        let mut text = String::new();
        loop {
            let (part, behind) = rest.split_once('\'').ok_or_else(|| self.bad("a quote is left open"))?;
            text.push_str(part);
            match behind.strip_prefix('\'') {
                Some(more) => {
                    text.push('\'');
                    rest = more;
                }
                None => {
                    self.literal(if text.is_empty() { "'" } else { &text });
                    return Ok(behind);
                }
            }
        }
    }

    fn open(&mut self) -> Result<(), Fault> {
        if self.stack.len() > DEEPEST {
            return Err(self.bad("optional parts are nested too deep"));
        }
        if let Some(level) = self.stack.last_mut() {
            level.open_number = None;
        }
        self.stack.push(Level::default());
        Ok(())
    }

    fn close(&mut self) -> Result<(), Fault> {
        if self.stack.len() < 2 {
            return Err(self.bad("a ']' closes nothing"));
        }
        let items = self.stack.pop().map(|l| l.items).unwrap_or_default();
        if !items.is_empty() {
            self.add(Item::Optional(items));
        }
        Ok(())
    }

    /// Adds a number; one of fixed width that follows another takes its digits from it.
    fn number(&mut self, mut number: Number) {
        let Some(Level { items, open_number }) = self.stack.last_mut() else { return };
        let fixed = number.least == number.most && number.sign == Sign::Never;
        let position = items.len();
        if let Some(Item::Number(base)) = open_number.and_then(|i| items.get_mut(i)) {
            if fixed {
                base.following += number.most as i32;
                number.following = -1;
            } else {
                base.following = -1;
                *open_number = Some(position);
            }
        } else {
            *open_number = Some(position);
        }
        items.push(Item::Number(number));
    }

    /// A fraction: digits of fixed width, too.
    fn fraction(&mut self, width: usize) {
        let Some(Level { items, open_number }) = self.stack.last_mut() else { return };
        if let Some(Item::Number(base)) = open_number.and_then(|i| items.get_mut(i)) {
            base.following += width as i32;
        }
        items.push(Item::Fraction(width));
    }

    fn letter(&mut self, letter: char, count: usize, pad: Option<usize>) -> Result<(), Fault> {
        let too_many = |p: &Self| p.bad(&format!("too many letters '{letter}'"));
        let plain = |field, most_letters: usize| match count {
            1 => Some(variable(field)),
            n if n <= most_letters => Some(fixed(field, n)),
            _ => None,
        };
        let text = |field| match count {
            1..=3 => Some(Item::Text(field, Style::Short)),
            4 => Some(Item::Text(field, Style::Full)),
            5 => Some(Item::Text(field, Style::Narrow)),
            _ => None,
        };
        let of_number = |n: Option<Number>| n.map(Item::Number);
        let item = match letter {
            'G' => text(Field::Era),
            'u' | 'y' | 'Y' => {
                let field = match letter {
                    'u' => Field::Year,
                    'y' => Field::YearOfEra,
                    _ => Field::WeekYear,
                };
                match count {
                    2 => Some(Item::Number(Number { reduced: true, ..fixed(field, 2) })),
                    1 | 3 => Some(Item::Number(Number { least: count, ..variable(field) })),
                    4..=19 => {
                        Some(Item::Number(Number { least: count, sign: Sign::ExceedsPad, ..variable(field) }))
                    }
                    _ => None,
                }
            }
            'M' | 'L' if count <= 2 => of_number(plain(Field::Month, 2)),
            'M' | 'L' => text(Field::Month),
            'Q' | 'q' if count <= 2 => of_number(plain(Field::Quarter, 2)),
            'Q' | 'q' => text(Field::Quarter),
            'w' => (count <= 2).then_some(Item::Number(Number { least: count, ..fixed(Field::Week, 2) })),
            'W' => (count == 1).then_some(Item::Number(fixed(Field::WeekOfMonth, 1))),
            'D' => match count {
                2 | 3 => Some(Item::Number(Number {
                    least: count,
                    most: 3,
                    sign: Sign::Never,
                    ..variable(Field::DayOfYear)
                })),
                _ => of_number(plain(Field::DayOfYear, 1)),
            },
            'd' => of_number(plain(Field::DayOfMonth, 2)),
            'F' => of_number(plain(Field::WeekdayInMonth, 1)),
            'E' => text(Field::Weekday),
            'e' if count <= 2 => Some(Item::Number(fixed(Field::LocalWeekday, count))),
            'c' if count == 1 => Some(Item::Number(fixed(Field::LocalWeekday, 1))),
            'c' if count == 2 => return Err(self.bad("'cc' means nothing")),
            'e' | 'c' => text(Field::Weekday),
            'a' => (count == 1).then_some(Item::Text(Field::AmPm, Style::Short)),
            'H' => of_number(plain(Field::Hour, 2)),
            'k' => of_number(plain(Field::ClockHour, 2)),
            'K' => of_number(plain(Field::HourOfHalf, 2)),
            'h' => of_number(plain(Field::ClockHourOfHalf, 2)),
            'm' => of_number(plain(Field::Minute, 2)),
            's' => of_number(plain(Field::Second, 2)),
            'S' => (count <= 9).then_some(Item::Fraction(count)),
            'n' | 'N' | 'A' => {
                let field = match letter {
                    'n' => Field::Nano,
                    'N' => Field::NanoOfDay,
                    _ => Field::MilliOfDay,
                };
                let n = Number { least: count, most: 19, sign: Sign::Never, ..variable(field) };
                (count <= 19).then_some(Item::Number(n))
            }
            'g' => {
                (count <= 19).then_some(Item::Number(Number { least: count, ..variable(Field::JulianDay) }))
            }
            'V' => match count {
                2 => Some(Item::ZoneId),
                _ => return Err(self.bad("'V' must be written twice")),
            },
            'X' | 'x' | 'Z' => offset(letter, count).map(Item::Offset),
            'O' => match count {
                1 | 4 => Some(Item::Offset(OffsetStyle {
                    zero: "GMT",
                    prefix: "GMT",
                    colon: true,
                    minutes: if count == 4 { Minutes::Always } else { Minutes::IfNotZero },
                    seconds: true,
                    short: count == 1,
                })),
                _ => return Err(self.bad("'O' is written once or four times")),
            },
            'z' => (count <= 4).then_some(Item::ZoneName),
            'v' => match count {
                1 | 4 => Some(Item::ZoneName),
                _ => return Err(self.bad("'v' is written once or four times")),
            },
            'B' => match count {
                1 | 4 => Some(Item::DayPeriod(false)),
                5 => Some(Item::DayPeriod(true)),
                _ => return Err(self.bad("'B' is written once, four or five times")),
            },
            _ => return Err(self.bad(&format!("there is no letter '{letter}'"))),
        };
        match (item.ok_or_else(|| too_many(self))?, pad) {
            (item, Some(width)) => self.add(Item::Pad(width, Box::new(item))),
            (Item::Number(n), None) => self.number(n),
            (Item::Fraction(n), None) => self.fraction(n),
            (item, None) => self.add(item),
        }
        Ok(())
    }
}

fn variable(field: Field) -> Number {
    Number { field, least: 1, most: 19, sign: Sign::Normal, following: 0, reduced: false }
}

fn fixed(field: Field, width: usize) -> Number {
    Number { field, least: width, most: width, sign: Sign::Never, following: 0, reduced: false }
}

fn offset(letter: char, count: usize) -> Option<OffsetStyle> {
    let (colon, minutes, seconds) = match count {
        1 => (false, Minutes::IfNotZero, false),
        2 => (false, Minutes::Always, false),
        3 => (true, Minutes::Always, false),
        4 => (false, Minutes::Always, true),
        5 => (true, Minutes::Always, true),
        _ => return None,
    };
    Some(match (letter, count) {
        ('X', _) => OffsetStyle { zero: "Z", prefix: "", colon, minutes, seconds, short: false },
        ('x', 1) => OffsetStyle { zero: "+00", prefix: "", colon, minutes, seconds, short: false },
        ('x', 3 | 5) => OffsetStyle { zero: "+00:00", prefix: "", colon, minutes, seconds, short: false },
        ('x', _) => OffsetStyle { zero: "+0000", prefix: "", colon, minutes, seconds, short: false },
        (_, 1..=3) => OffsetStyle {
            zero: "+0000",
            prefix: "",
            colon: false,
            minutes: Minutes::Always,
            seconds: false,
            short: false,
        },
        (_, 4) => OffsetStyle {
            zero: "GMT",
            prefix: "GMT",
            colon: true,
            minutes: Minutes::Always,
            seconds: true,
            short: false,
        },
        _ => OffsetStyle {
            zero: "Z",
            prefix: "",
            colon: true,
            minutes: Minutes::Always,
            seconds: true,
            short: false,
        },
    })
}
