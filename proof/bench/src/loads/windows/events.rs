//! Events for the rules: most of them ordinary, one in a hundred made for a rule.

use std::io::{self, Write};

use super::classes::{CHANNELS, COLUMNS, key_kind, key_name};
use super::literals::{Form, ordinary};
use super::rules::{Group, Predicate, Rule, RuleSet};
use crate::loads::generate::{Rng, timestamp};

/// An event as the rules see it.
pub struct Hit<'a> {
    /// The event number.
    pub number: u32,
    /// Its texts in lower case, by column.
    pub texts: &'a [Option<String>],
}

/// Makes events.
pub struct Events<'a> {
    set: &'a RuleSet,
    rng: Rng,
    made: u64,
    texts: Vec<Option<String>>,
    lower: Vec<Option<String>>,
    names: Vec<String>,
}

impl<'a> Events<'a> {
    /// Events for these rules.
    pub fn new(set: &'a RuleSet) -> Self {
        let names = (0..super::classes::KEYS).map(key_name).collect();
        Events { set, rng: Rng::new(1102), made: 0, texts: Vec::new(), lower: Vec::new(), names }
    }

    /// Appends the next event as a line of JSON.
    pub fn write(&mut self, out: &mut (impl Write + ?Sized)) -> io::Result<Hit<'_>> {
        let planted = if self.rng.next() % 1000 < 10 {
            let at = (self.rng.next() % self.set.rules.len() as u64) as usize;
            self.set.rules.get(at)
        } else {
            None
        };
        let class = match planted {
            Some(rule) => self.set.classes.get(rule.class),
            None => {
                let total: u32 = self.set.classes.iter().map(|c| c.events).sum();
                let mut r = (self.rng.next() % u64::from(total)) as u32;
                self.set.classes.iter().find(|c| {
                    let here = r < c.events;
                    r = r.saturating_sub(c.events);
                    here
                })
            }
        };
        let Some(class) = class else { return Err(io::Error::other("no kind of events")) };
        self.texts.clear();
        self.texts.resize(self.names.len(), None);
        for key in class.keys.iter().skip(2) {
            let text = ordinary(&self.set.words, key_kind(*key), &mut self.rng);
            if let Some(slot) = self.texts.get_mut(*key) {
                *slot = Some(text);
            }
        }
        if let Some(slot) = self.texts.get_mut(1) {
            *slot = CHANNELS.get(class.channel).map(|c| (*c).to_string());
        }
        if let Some(rule) = planted {
            self.plant(rule);
        }
        let texts = &self.texts;
        let text = |key: usize| texts.get(key).and_then(Option::as_deref);
        write!(
            out,
            "{{\"TimeCreated\":\"{}\",\"EventID\":{},\"EventRecordID\":{},\"Computer\":\"host-{:04}.corp.example\"",
            timestamp(self.made as i64 * 3),
            class.number,
            1_000_000 + self.made,
            self.rng.next() % 5000
        )?;
        self.made += 1;
        // Now and then another order, and a field that is absent.
        let skip = if self.rng.next().is_multiple_of(8) {
            1 + (self.rng.next() % class.keys.len() as u64) as usize
        } else {
            0
        };
        for (i, key) in class.keys.iter().enumerate().skip(1) {
            let absent = skip != 0 && i == skip && planted.is_none();
            match text(*key) {
                Some(t) if !absent => {
                    write!(out, ",\"{}\":\"", self.names.get(*key).map_or("", String::as_str))?;
                    escaped(t, out)?;
                    out.write_all(b"\"")?;
                }
                _ if absent => {}
                _ => write!(out, ",\"{}\":null", self.names.get(*key).map_or("", String::as_str))?,
            }
        }
        out.write_all(b"}\n")?;
        let gone = if planted.is_none() { class.keys.get(skip).copied().filter(|_| skip != 0) } else { None };
        self.lower.clear();
        self.lower.extend(
            self.texts
                .iter()
                .take(COLUMNS)
                .enumerate()
                .map(|(key, t)| t.as_ref().filter(|_| Some(key) != gone).map(|t| t.to_lowercase())),
        );
        Ok(Hit { number: class.number, texts: &self.lower })
    }

    /// Puts in what a rule looks for.
    fn plant(&mut self, rule: &Rule) {
        for group in &rule.groups {
            let Some(first) = group.predicates.first() else { continue };
            let text = self.planted(group);
            if let Some(slot) = self.texts.get_mut(first.column) {
                *slot = Some(text);
            }
        }
    }

    fn planted(&mut self, group: &Group) -> String {
        let rng = &mut self.rng;
        if group.all {
            return group.predicates.iter().map(|p| p.literal.as_str()).collect::<Vec<_>>().join(" x ");
        }
        let at = (rng.next() % group.predicates.len().max(1) as u64) as usize;
        let Some(Predicate { column, form, literal, .. }) = group.predicates.get(at) else {
            return String::new();
        };
        let literal = match rng.next() % 3 {
            0 if *form != Form::Matches => literal.to_uppercase(),
            _ => literal.clone(),
        };
        let around = ordinary(&self.set.words, key_kind(*column), rng);
        match form {
            Form::Equals => literal,
            Form::Starts => format!("{literal}{}", self.set.words.of_events(rng)),
            Form::Ends => format!("C:\\{}{literal}", self.set.words.of_events(rng)),
            Form::Contains => format!("{around}{literal} {}", self.set.words.of_events(rng)),
            Form::Matches => format!("{around} {}", example(&literal)),
        }
    }
}

/// A text that a pattern of these rules matches.
fn example(pattern: &str) -> String {
    let pattern = pattern.trim_start_matches("(?i)");
    let word = |s: &str| s.chars().take_while(char::is_ascii_alphabetic).collect::<String>();
    if let Some(rest) = pattern.strip_prefix(r"\b") {
        let second = rest.split(".*").nth(1).map(word).unwrap_or_default();
        format!("{}.exe -x {second}aGVsbG8=", word(rest))
    } else if let Some(rest) = pattern.strip_prefix('(') {
        format!("{}('now')", word(rest))
    } else {
        let second = pattern.rsplit_once('-').map(|(_, s)| word(s)).unwrap_or_default();
        format!("{}123 -{second}", word(pattern))
    }
}

fn escaped(text: &str, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\\', '\n']) {
        let (plain, from) = rest.split_at(at);
        out.write_all(plain.as_bytes())?;
        out.write_all(match from.as_bytes().first() {
            Some(b'\n') => b"\\n",
            Some(b'"') => b"\\\"",
            _ => b"\\\\",
        })?;
        rest = from.get(1..).unwrap_or("");
    }
    out.write_all(rest.as_bytes())
}
