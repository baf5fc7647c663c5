//! SQL patterns: [`LikePattern`] for LIKE, [`SimilarPattern`] for SIMILAR TO, as Flink (Calcite) means them.
//!
//! LIKE: `%` is any text, `_` is one code point that is not a line terminator (`\n`, `\r`, U+0085, U+2028, U+2029), because
//! Flink runs such patterns as a regular expression in which `_` is `.`. Case counts, and there is no escape character
//! unless one is named; what it escapes must be `%`, `_` or itself.

mod similar;

#[cfg(test)]
mod tests;

use std::fmt;
use std::sync::OnceLock;

use memchr::memmem::Finder;
use millstream_types::Fault;

pub use similar::SimilarPattern;

/// A pattern that Flink refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LikeError {
    /// What is wrong, in Flink's words.
    pub message: String,
}

impl LikeError {
    fn sequence(pattern: &str, at: usize) -> Self {
        Self { message: format!("Invalid escape sequence '{pattern}', {at}") }
    }
}

impl fmt::Display for LikeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for LikeError {}

impl From<LikeError> for Fault {
    fn from(e: LikeError) -> Self {
        Fault::user("bad-pattern", e.message)
            .hint("an escape character is one character and stands before '%', '_' or itself")
    }
}

/// The escape character of an ESCAPE clause: a text of exactly one character.
pub fn escape_char(text: &str) -> Result<char, LikeError> {
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        // Java counts UTF-16 units: what takes two is refused too.
        (Some(c), None) if c.len_utf16() == 1 => Ok(c),
        _ => Err(LikeError { message: format!("Invalid escape character '{text}'") }),
    }
}

/// What a pattern comes down to, with its literal texts, escapes resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// `%`: every text.
    All,
    /// No wildcard: equality.
    Exact(String),
    /// `abc%`.
    Prefix(String),
    /// `%abc`.
    Suffix(String),
    /// `%abc%`.
    Contains(String),
    /// Anything else. A matching text contains the parts, in this order, without overlap.
    General(Vec<String>),
}

/// A compiled LIKE pattern.
#[derive(Debug, Clone)]
pub struct LikePattern {
    shape: Shape,
    /// For `Contains`. Made when the first text comes: most patterns of thousands of rules never see one, for an index looks for them.
    finder: OnceLock<Box<Finder<'static>>>,
    /// For `General`: what stands between the `%`.
    segments: Vec<Segment>,
    open_start: bool,
    open_end: bool,
}

/// A part of a segment.
#[derive(Debug, Clone)]
enum Item {
    Text(Box<Finder<'static>>),
    /// So many `_`.
    Any(usize),
}

/// What stands between two `%`: texts and `_`.
#[derive(Debug, Clone, Default)]
struct Segment(Vec<Item>);

/// One character of a pattern.
enum Token {
    Char(char),
    One,
    Many,
}

fn tokens(pattern: &str, escape: Option<char>) -> Result<Vec<Token>, LikeError> {
    let mut out = Vec::with_capacity(pattern.len());
    let mut chars = pattern.chars().enumerate();
    while let Some((at, c)) = chars.next() {
        out.push(if Some(c) == escape {
            match chars.next() {
                Some((_, next)) if next == '%' || next == '_' || next == c => Token::Char(next),
                _ => return Err(LikeError::sequence(pattern, at)),
            }
        } else {
            match c {
                '%' => Token::Many,
                '_' => Token::One,
                c => Token::Char(c),
            }
        });
    }
    Ok(out)
}

impl LikePattern {
    /// Compiles a pattern. Fails if the escape character stands before anything but `%`, `_` or itself.
    pub fn compile(pattern: &str, escape: Option<char>) -> Result<Self, LikeError> {
        if let Some(shape) = escape.map_or_else(|| simple(pattern), |_| None) {
            let (finder, segments) = (OnceLock::new(), Vec::new());
            let (open_start, open_end) = (pattern.starts_with('%'), pattern.ends_with('%'));
            return Ok(Self { shape, finder, segments, open_start, open_end });
        }
        let tokens = tokens(pattern, escape)?;
        let open_start = matches!(tokens.first(), Some(Token::Many));
        let open_end = matches!(tokens.last(), Some(Token::Many));
        // Texts and wildcards between the `%`; a lone `%` gives no segment.
        let mut raw: Vec<Vec<Result<String, usize>>> = Vec::new();
        let mut fresh = true;
        for token in &tokens {
            if matches!(token, Token::Many) {
                fresh = true;
                continue;
            }
            if std::mem::take(&mut fresh) {
                raw.push(Vec::new());
            }
            let Some(segment) = raw.last_mut() else { continue };
            match (token, segment.last_mut()) {
                (Token::Char(c), Some(Ok(text))) => text.push(*c),
                (Token::Char(c), _) => segment.push(Ok(c.to_string())),
                (_, Some(Err(count))) => *count += 1,
                (_, _) => segment.push(Err(1)),
            }
        }
        let any = tokens.iter().any(|t| matches!(t, Token::Many));
        let shape = match (raw.as_slice(), any, open_start, open_end) {
            ([], true, ..) => Shape::All,
            ([], false, ..) => Shape::Exact(String::new()),
            ([one], _, start, end) => match (one.as_slice(), any, start, end) {
                ([Ok(text)], false, ..) => Shape::Exact(text.clone()),
                ([Ok(text)], _, false, true) => Shape::Prefix(text.clone()),
                ([Ok(text)], _, true, false) => Shape::Suffix(text.clone()),
                ([Ok(text)], _, true, true) => Shape::Contains(text.clone()),
                _ => Shape::General(literals(&raw)),
            },
            _ => Shape::General(literals(&raw)),
        };
        let segment = |items: Vec<Result<String, usize>>| {
            Segment(
                items
                    .into_iter()
                    .map(|i| match i {
                        Ok(text) => Item::Text(Box::new(Finder::new(text.as_bytes()).into_owned())),
                        Err(count) => Item::Any(count),
                    })
                    .collect(),
            )
        };
        let general = matches!(shape, Shape::General(_));
        let segments = if general { raw.into_iter().map(segment).collect() } else { Vec::new() };
        Ok(Self { shape, finder: OnceLock::new(), segments, open_start, open_end })
    }

    /// What the pattern comes down to.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Whether a text matches as a whole.
    pub fn matches(&self, text: &str) -> bool {
        let bytes = text.as_bytes();
        match &self.shape {
            Shape::All => true,
            Shape::Exact(s) => s == text,
            Shape::Prefix(s) => bytes.starts_with(s.as_bytes()),
            Shape::Suffix(s) => bytes.ends_with(s.as_bytes()),
            Shape::Contains(s) => {
                let finder = self.finder.get_or_init(|| Box::new(Finder::new(s.as_bytes()).into_owned()));
                finder.find(bytes).is_some()
            }
            Shape::General(_) => self.general(text),
        }
    }

    /// Segments have a fixed number of characters, so the first place for each one leaves most to the rest.
    fn general(&self, text: &str) -> bool {
        let mut segments = self.segments.as_slice();
        let (mut from, mut to) = (0, text.len());
        if !self.open_start {
            let Some((first, rest)) = segments.split_first() else { return false };
            match first.end_at(text, 0) {
                Some(end) => from = end,
                None => return false,
            }
            segments = rest;
            if segments.is_empty() && !self.open_end {
                return from == to;
            }
        }
        if !self.open_end {
            let Some((last, rest)) = segments.split_last() else { return false };
            match last.start_before(text, to) {
                Some(start) if start >= from => to = start,
                _ => return false,
            }
            segments = rest;
        }
        let Some(middle) = text.get(..to) else { return false };
        for segment in segments {
            match segment.find(middle, from) {
                Some(end) => from = end,
                None => return false,
            }
        }
        true
    }
}

/// The shape of a pattern whose only wildcards are at its ends, which nearly all patterns are; without an escape character.
fn simple(pattern: &str) -> Option<Shape> {
    let first = pattern.strip_prefix('%');
    let text = first.unwrap_or(pattern);
    let last = text.strip_suffix('%');
    let text = last.unwrap_or(text);
    if text.is_empty() || text.bytes().any(|b| matches!(b, b'%' | b'_')) {
        return None;
    }
    let text = text.to_string();
    Some(match (first, last) {
        (None, None) => Shape::Exact(text),
        (None, Some(_)) => Shape::Prefix(text),
        (Some(_), None) => Shape::Suffix(text),
        (Some(_), Some(_)) => Shape::Contains(text),
    })
}

fn literals(segments: &[Vec<Result<String, usize>>]) -> Vec<String> {
    segments.iter().flatten().filter_map(|i| i.as_ref().ok()).cloned().collect()
}

/// Whether `_` takes a character.
fn ordinary(c: char) -> bool {
    !matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

impl Segment {
    /// Where the segment ends if it starts at a byte.
    fn end_at(&self, text: &str, start: usize) -> Option<usize> {
        let mut rest = text.get(start..)?;
        for item in &self.0 {
            match item {
                Item::Text(t) => {
                    rest.as_bytes().starts_with(t.needle()).then_some(())?;
                    rest = rest.get(t.needle().len()..)?;
                }
                Item::Any(count) => {
                    let mut chars = rest.chars();
                    for _ in 0..*count {
                        chars.next().filter(|c| ordinary(*c))?;
                    }
                    rest = chars.as_str();
                }
            }
        }
        Some(text.len() - rest.len())
    }

    /// Where the segment starts if it ends at a byte.
    fn start_before(&self, text: &str, end: usize) -> Option<usize> {
        let mut rest = text.get(..end)?;
        for item in self.0.iter().rev() {
            match item {
                Item::Text(t) => {
                    rest.as_bytes().ends_with(t.needle()).then_some(())?;
                    rest = rest.get(..rest.len() - t.needle().len())?;
                }
                Item::Any(count) => {
                    let mut chars = rest.chars();
                    for _ in 0..*count {
                        chars.next_back().filter(|c| ordinary(*c))?;
                    }
                    rest = chars.as_str();
                }
            }
        }
        Some(rest.len())
    }

    /// Where the first occurrence at `from` or later ends.
    fn find(&self, text: &str, from: usize) -> Option<usize> {
        match self.0.as_slice() {
            [Item::Text(t)] => Some(from + t.find(text.as_bytes().get(from..)?)? + t.needle().len()),
            [Item::Text(t), ..] => {
                let mut from = from;
                loop {
                    let start = from + t.find(text.as_bytes().get(from..)?)?;
                    if let Some(end) = self.end_at(text, start) {
                        return Some(end);
                    }
                    from = start + text.get(start..)?.chars().next()?.len_utf8();
                }
            }
            _ => {
                let mut start = from;
                loop {
                    if let Some(end) = self.end_at(text, start) {
                        return Some(end);
                    }
                    start += text.get(start..)?.chars().next()?.len_utf8();
                }
            }
        }
    }
}
