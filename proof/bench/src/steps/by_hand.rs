//! A loop by hand for each step, as somebody would write it who does only that step and trusts the rest.

use std::io::Read;
use std::ops::Range;

use arrow::array::{Int64Builder, StringBuilder};
use memchr::memmem::Finder;
use regex::bytes::Regex;

use crate::loads::Words;

/// The fields that the rules read, then those that only alerts hold.
const FIELDS: [&str; 12] = [
    "ts",
    "host",
    "user",
    "dst_port",
    "proc_path",
    "cmdline",
    "method",
    "url",
    "user_agent",
    "status",
    "bytes",
    "event_type",
];

/// The file in memory, cut as the loops need it.
pub struct ByHand {
    path: String,
    lines: Vec<Vec<u8>>,
    finders: Vec<Finder<'static>>,
    /// For each line where its fields are.
    fields: Vec<[Range<usize>; FIELDS.len()]>,
    /// What the rules look for, as one pattern.
    literals: Regex,
    rules: Vec<Regex>,
}

impl ByHand {
    /// Reads the file and prepares what no step is to pay for.
    pub fn new(path: &str, rules: u64) -> Result<Self, String> {
        let text = std::fs::read(path).map_err(|e| format!("{path}: {e}"))?;
        let lines: Vec<Vec<u8>> =
            text.split(|b| *b == b'\n').filter(|l| !l.is_empty()).map(<[u8]>::to_vec).collect();
        let finders =
            FIELDS.iter().map(|f| Finder::new(&format!("\"{f}\":")).into_owned()).collect::<Vec<_>>();
        let words = Words::new();
        let literals: Vec<String> = (0..rules).map(|i| regex::escape(words.of_rule(3 * i))).collect();
        let pattern = |p: &str| Regex::new(p).map_err(|e| e.to_string());
        let mut by_hand = ByHand {
            path: path.to_string(),
            lines,
            finders,
            fields: Vec::new(),
            literals: pattern(&literals.join("|"))?,
            rules: literals
                .iter()
                .map(|l| pattern(&format!(r"(?i)\b{l}(\.exe)?[\s/.-]")))
                .collect::<Result<_, _>>()?,
        };
        by_hand.fields = by_hand.lines.iter().map(|l| by_hand.fields_of(l)).collect();
        Ok(by_hand)
    }

    /// Blocks of a megabyte, and where lines end in them.
    pub fn read(&self) -> Result<usize, String> {
        let mut file = std::fs::File::open(&self.path).map_err(|e| e.to_string())?;
        let mut block = vec![0; 1 << 20];
        let mut ends: Vec<u32> = Vec::new();
        let mut lines = 0;
        loop {
            let count = file.read(&mut block).map_err(|e| e.to_string())?;
            if count == 0 {
                return Ok(lines);
            }
            ends.clear();
            ends.extend(memchr::memchr_iter(b'\n', block.get(..count).unwrap_or_default()).map(|e| e as u32));
            lines += ends.len();
        }
    }

    /// UTF-8, then a JSON parser that keeps nothing.
    pub fn validate(&self) -> usize {
        let good = |line: &&Vec<u8>| {
            std::str::from_utf8(line).is_ok_and(|l| serde_json::from_str::<serde::de::IgnoredAny>(l).is_ok())
        };
        self.lines.iter().filter(good).count()
    }

    /// Where each field's value begins and ends: its name is searched for, behind the field before it.
    pub fn cut(&self) -> usize {
        self.lines.iter().map(|l| self.fields_of(l).iter().map(|f| f.end).sum::<usize>()).sum()
    }

    fn fields_of(&self, line: &[u8]) -> [Range<usize>; FIELDS.len()] {
        let mut out = std::array::from_fn(|_| 0..0);
        let mut from = 0;
        for (slot, finder) in out.iter_mut().zip(&self.finders) {
            let tail = line.get(from..).unwrap_or_default();
            let (at, tail) = match finder.find(tail) {
                Some(at) => (from + at + finder.needle().len(), tail.get(at + finder.needle().len()..)),
                // Not in the order of the list.
                None => match finder.find(line) {
                    Some(at) => (at + finder.needle().len(), line.get(at + finder.needle().len()..)),
                    None => continue,
                },
            };
            let tail = tail.unwrap_or_default();
            *slot = match tail.first() {
                Some(b'"') => at + 1..at + text_end(tail),
                _ => at..at + memchr::memchr2(b',', b'}', tail).unwrap_or(tail.len()),
            };
            from = slot.end;
        }
        out
    }

    fn field(&self, line: usize, field: usize) -> &[u8] {
        let range = self.fields.get(line).and_then(|f| f.get(field)).cloned().unwrap_or_default();
        self.lines.get(line).and_then(|l| l.get(range)).unwrap_or_default()
    }

    /// The timestamp of each line as milliseconds.
    pub fn rowtimes(&self) -> usize {
        let mut times = Int64Builder::with_capacity(self.lines.len());
        for line in 0..self.lines.len() {
            times.append_value(millis(self.field(line, 0)));
        }
        times.finish().values().len()
    }

    /// All literals at once, in the four texts that rules look into.
    pub fn index(&self) -> usize {
        let texts = [2, 4, 5, 7];
        let hits =
            |line: usize| texts.iter().filter(|f| self.literals.is_match(self.field(line, **f))).count();
        (0..self.lines.len()).map(hits).sum()
    }

    /// A regular expression for each pair of a rule and a line.
    pub fn verify(&self, rules: &[usize]) -> usize {
        let count = self.lines.len().max(1);
        rules
            .iter()
            .enumerate()
            .filter(|(i, rule)| {
                let text = self.field((i * 7919) % count, 5);
                self.rules.get(**rule).is_some_and(|r| r.is_match(text))
            })
            .count()
    }

    /// Arrays of the alert's columns, escapes taken out.
    pub fn build(&self, survivors: &[Vec<u32>]) -> usize {
        let mut values = 0;
        let mut first = 0;
        let mut plain = Vec::new();
        for rows in survivors {
            let mut times = Int64Builder::with_capacity(rows.len());
            rows.iter().for_each(|r| times.append_value(millis(self.field(first + *r as usize, 0))));
            values += times.finish().values().len();
            for field in [1, 2, 5, 7] {
                let mut texts = StringBuilder::with_capacity(rows.len(), rows.len() * 32);
                for row in rows {
                    let mut text = self.field(first + *row as usize, field);
                    if memchr::memchr(b'\\', text).is_some() {
                        plain.clear();
                        let mut bytes = text.iter();
                        while let Some(b) = bytes.next() {
                            plain.extend(if *b == b'\\' { bytes.next() } else { Some(b) });
                        }
                        text = &plain;
                    }
                    texts.append_value(std::str::from_utf8(text).unwrap_or_default());
                }
                values += texts.finish().value_data().len();
            }
            // Chunks are of unequal length; which rows exactly is no matter here.
            first += rows.last().map_or(0, |r| *r as usize);
        }
        values
    }
}

/// The position of the quote that ends a text, which begins with one.
fn text_end(text: &[u8]) -> usize {
    let mut from = 1;
    while let Some(at) = memchr::memchr(b'"', text.get(from..).unwrap_or_default()) {
        let quote = from + at;
        let slashes = text.get(..quote).unwrap_or_default().iter().rev().take_while(|b| **b == b'\\').count();
        if slashes % 2 == 0 {
            return quote;
        }
        from = quote + 1;
    }
    text.len()
}

/// `2024-05-01 12:34:56.789` as milliseconds since 1970.
fn millis(text: &[u8]) -> i64 {
    let number = |range: Range<usize>| {
        let digits = text.get(range).unwrap_or_default();
        digits.iter().fold(0i64, |n, d| n * 10 + i64::from(d.wrapping_sub(b'0')))
    };
    let (year, month, day) = (number(0..4), number(5..7), number(8..10));
    // Days from the civil calendar, March first.
    let year = if month <= 2 { year - 1 } else { year };
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = 365 * year + year / 4 - year / 100 + year / 400 + of_year - 719_468;
    (days * 86_400 + number(11..13) * 3600 + number(14..16) * 60 + number(17..19)) * 1000 + number(20..23)
}
