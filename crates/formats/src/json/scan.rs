//! Finding the end of a JSON token, checking it on the way: one pass, no allocation, no recursion. (`text::json` checks whole values; here the
//! places within them are wanted too.)
//!
//! The grammar is RFC 8259's with Flink's one liberty: unescaped control characters are allowed in strings (its readers turn Jackson's
//! `ALLOW_UNESCAPED_CONTROL_CHARS` on). UTF-8 is not checked here.

use super::marks::{Closed, Marked};

/// The deepest nesting that is read; Jackson's default limit.
pub(super) const MAX_DEPTH: usize = 1000;

/// What is wrong with a text, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Syntax {
    /// Offset in the chunk.
    pub at: u32,
    /// What was expected or found.
    pub what: What,
}

/// The ways in which a text is no JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum What {
    Value,
    Key,
    Colon,
    CommaOrBrace,
    CommaOrBracket,
    String,
    Escape,
    Number,
    Depth,
    End,
}

impl What {
    /// For a message: "line is no JSON object: … at byte n".
    pub fn text(self) -> &'static str {
        match self {
            What::Value => "a value is missing",
            What::Key => "a field name is missing",
            What::Colon => "':' is missing",
            What::CommaOrBrace => "',' or '}' is missing",
            What::CommaOrBracket => "',' or ']' is missing",
            What::String => "a string does not end",
            What::Escape => "an escape is none of JSON's",
            What::Number => "a number is malformed",
            What::Depth => "nesting is deeper than 1000",
            What::End => "the text ends too early",
        }
    }
}

/// Where a string's inside ends, and what is in it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text {
    /// Offset of the closing quote.
    pub close: usize,
    /// Whether it has escapes.
    pub escaped: bool,
    /// Whether it has `\u` escapes.
    pub unicode: bool,
}

/// A record's bytes: `data` up to `end`. What is behind `end` may be looked at (whole blocks are loaded) but never decides.
#[derive(Debug, Clone, Copy)]
pub(super) struct Scan<'a> {
    pub data: &'a [u8],
    pub end: usize,
    /// Where its quotes are, if that was found; only for a record that begins with a brace.
    marked: Marked<'a>,
}

type Scanned = Result<usize, Syntax>;

impl<'a> Scan<'a> {
    pub fn new(data: &'a [u8], end: usize) -> Self {
        Scan { data, end: end.min(data.len()), marked: Marked::default() }
    }

    /// The same, with what was found before.
    #[inline(always)]
    pub fn marked(data: &'a [u8], end: usize, marked: Marked<'a>) -> Self {
        Scan { data, end: end.min(data.len()), marked }
    }

    /// The same, as if nothing had been found before.
    pub fn unmarked(self) -> Self {
        Scan { marked: Marked::default(), ..self }
    }

    #[cold]
    pub fn wrong(&self, at: usize, what: What) -> Syntax {
        let what = if at >= self.end { What::End } else { what };
        Syntax { at: at.min(self.end) as u32, what }
    }

    /// The byte at an offset; 0, which begins no token, behind the end.
    #[inline(always)]
    pub fn byte(&self, at: usize) -> u8 {
        if at < self.end { self.data.get(at).copied().unwrap_or(0) } else { 0 }
    }

    /// The first offset from `at` that is no white space.
    #[inline(always)]
    pub fn space(&self, mut at: usize) -> usize {
        while matches!(self.byte(at), b' ' | b'\t' | b'\n' | b'\r') {
            at += 1;
        }
        at
    }

    /// The end of the string whose inside begins at `at`.
    #[inline(always)]
    pub fn string(&self, at: usize) -> Result<Text, Syntax> {
        match self.usual_string(at) {
            Some(found) => Ok(Text { close: found.close, escaped: found.escaped, unicode: false }),
            None => self.string_by_steps(at),
        }
    }

    /// [`Scan::string`], of one that has no escapes but those of quotes and backslashes, where quotes were found before.
    #[inline(always)]
    pub fn usual_string(&self, at: usize) -> Option<Closed> {
        self.marked.string(at).filter(|found| found.close < self.end)
    }

    /// [`Scan::string`], one escape after the other, each of which is looked at.
    #[inline(never)]
    pub fn string_by_steps(&self, mut at: usize) -> Result<Text, Syntax> {
        let mut text = Text { close: at, escaped: false, unicode: false };
        while at < self.end {
            let mut bits = marks(self.data, at);
            let mut next = at + BLOCK;
            while bits != 0 {
                let here = at + bits.trailing_zeros() as usize;
                match self.byte(here) {
                    b'"' => {
                        text.close = here;
                        return Ok(text);
                    }
                    b'\\' => {
                        text.escaped = true;
                        match self.byte(here + 1) {
                            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                            b'u' if self.four_hex(here + 2) => text.unicode = true,
                            _ => return Err(self.wrong(here + 1, What::Escape)),
                        }
                        // Neither the backslash nor what it escapes is a mark any more.
                        let gone = 3u64 << (here - at);
                        bits &= !(gone as u32);
                        if here + 2 > next {
                            next = here + 2;
                        }
                    }
                    _ => return Err(self.wrong(here, What::String)),
                }
            }
            at = next;
        }
        Err(self.wrong(self.end, What::String))
    }

    fn four_hex(&self, at: usize) -> bool {
        (at..at + 4).all(|i| self.byte(i).is_ascii_hexdigit())
    }

    /// The end of the digits from `at`.
    #[inline(always)]
    pub fn digits(&self, mut at: usize) -> usize {
        while let Some(word) = self.data.get(at..).and_then(|d| d.first_chunk::<8>()) {
            let x = u64::from_le_bytes(*word) ^ 0x3030_3030_3030_3030;
            // A byte above 9 gets its high bit; carries only reach bytes behind the first such one.
            let other = (x.wrapping_add(0x7676_7676_7676_7676) | x) & 0x8080_8080_8080_8080;
            if other != 0 {
                return (at + (other.trailing_zeros() / 8) as usize).min(self.end);
            }
            at += 8;
            if at >= self.end {
                return self.end;
            }
        }
        while self.byte(at).is_ascii_digit() {
            at += 1;
        }
        at
    }

    /// The end of the number that begins at `at` with a digit or `-`, and whether it has neither fraction nor exponent.
    #[inline(always)]
    pub fn number(&self, at: usize) -> Result<(usize, bool), Syntax> {
        let first = at + usize::from(self.byte(at) == b'-');
        let end = self.digits(first);
        if end == first || (self.byte(first) == b'0' && end > first + 1) {
            return Err(self.wrong(first, What::Number));
        }
        match self.byte(end) {
            b'.' | b'e' | b'E' => Ok((self.fraction(end)?, false)),
            _ => Ok((end, true)),
        }
    }

    /// The end of a number from its point or exponent on.
    fn fraction(&self, mut at: usize) -> Scanned {
        if self.byte(at) == b'.' {
            let end = self.digits(at + 1);
            if end == at + 1 {
                return Err(self.wrong(end, What::Number));
            }
            at = end;
        }
        if matches!(self.byte(at), b'e' | b'E') {
            let first = at + 1 + usize::from(matches!(self.byte(at + 1), b'+' | b'-'));
            let end = self.digits(first);
            if end == first {
                return Err(self.wrong(end, What::Number));
            }
            at = end;
        }
        Ok(at)
    }

    /// The end of `null`, `true` or `false` at `at`.
    #[inline(always)]
    pub fn literal(&self, at: usize) -> Scanned {
        // Compared as numbers, not by a call: null is the most frequent value of sparse events.
        let four = |at: usize| self.data.get(at..).and_then(|d| d.first_chunk::<4>()).copied();
        let end = match self.byte(at) {
            b'n' if four(at) == Some(*b"null") => at + 4,
            b't' if four(at) == Some(*b"true") => at + 4,
            b'f' if four(at + 1) == Some(*b"alse") => at + 5,
            _ => return Err(self.wrong(at, What::Value)),
        };
        if end <= self.end { Ok(end) } else { Err(self.wrong(at, What::Value)) }
    }

    /// The end of the value at `at`.
    #[cfg(test)]
    pub fn value(&self, at: usize) -> Scanned {
        match self.byte(at) {
            b'"' => Ok(self.string(at + 1)?.close + 1),
            b'-' | b'0'..=b'9' => Ok(self.number(at)?.0),
            b'{' | b'[' => self.container(at),
            _ => self.literal(at),
        }
    }

    /// From a field name's opening quote: where its inside ends, and where the value begins.
    pub fn key(&self, at: usize) -> Result<(Text, usize), Syntax> {
        if self.byte(at) != b'"' {
            return Err(self.wrong(at, What::Key));
        }
        let text = self.string(at + 1)?;
        let colon = self.space(text.close + 1);
        if self.byte(colon) != b':' {
            return Err(self.wrong(colon, What::Colon));
        }
        Ok((text, self.space(colon + 1)))
    }

    /// The end of the object or array at `at`.
    pub fn container(&self, mut at: usize) -> Scanned {
        let mut stack = Stack::default();
        loop {
            // At a value.
            match self.byte(at) {
                open @ (b'{' | b'[') => {
                    let object = open == b'{';
                    if !stack.push(object) {
                        return Err(self.wrong(at, What::Depth));
                    }
                    at = self.space(at + 1);
                    let closing = if object { b'}' } else { b']' };
                    if self.byte(at) != closing {
                        if object {
                            at = self.key(at)?.1;
                        }
                        continue;
                    }
                    at += 1;
                    stack.pop();
                }
                b'"' => at = self.string(at + 1)?.close + 1,
                b'-' | b'0'..=b'9' => at = self.number(at)?.0,
                _ => at = self.literal(at)?,
            }
            // Behind a value.
            loop {
                let Some(object) = stack.top() else { return Ok(at) };
                at = self.space(at);
                match (self.byte(at), object) {
                    (b',', true) => {
                        at = self.key(self.space(at + 1))?.1;
                        break;
                    }
                    (b',', false) => {
                        at = self.space(at + 1);
                        break;
                    }
                    (b'}', true) | (b']', false) => {
                        stack.pop();
                        at += 1;
                    }
                    (_, true) => return Err(self.wrong(at, What::CommaOrBrace)),
                    (_, false) => return Err(self.wrong(at, What::CommaOrBracket)),
                }
            }
        }
    }
}

/// Which of the open containers are objects, a bit each.
#[derive(Default)]
struct Stack {
    bits: [u64; MAX_DEPTH.div_ceil(64)],
    depth: usize,
}

impl Stack {
    fn push(&mut self, object: bool) -> bool {
        // The record's own object is one level.
        if self.depth + 1 >= MAX_DEPTH {
            return false;
        }
        if let Some(word) = self.bits.get_mut(self.depth / 64) {
            let bit = 1u64 << (self.depth % 64);
            *word = if object { *word | bit } else { *word & !bit };
        }
        self.depth += 1;
        true
    }

    fn pop(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    fn top(&self) -> Option<bool> {
        let last = self.depth.checked_sub(1)?;
        Some(self.bits.get(last / 64)? >> (last % 64) & 1 == 1)
    }
}

/// Bytes that [`marks`] looks at.
const BLOCK: usize = 32;

/// A bit for each of the 32 bytes from `at` that is a quote or a backslash. Behind the data there are none.
#[inline(always)]
fn marks(data: &[u8], at: usize) -> u32 {
    let rest = data.get(at..).unwrap_or_default();
    match rest.first_chunk::<BLOCK>() {
        Some(block) => marks_of(block),
        None => marks_of_tail(rest),
    }
}

#[cold]
fn marks_of_tail(rest: &[u8]) -> u32 {
    let mut block = [0u8; BLOCK];
    for (to, from) in block.iter_mut().zip(rest) {
        *to = *from;
    }
    marks_of(&block)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn marks_of(block: &[u8; BLOCK]) -> u32 {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
    };
    // SAFETY: SSE2 is part of every x86-64, and the two unaligned loads read the block's 32 bytes and no more.
    unsafe {
        let (quote, backslash) = (_mm_set1_epi8(b'"' as i8), _mm_set1_epi8(b'\\' as i8));
        let from = block.as_ptr();
        let low = _mm_loadu_si128(from.cast());
        let high = _mm_loadu_si128(from.add(16).cast());
        let low = _mm_or_si128(_mm_cmpeq_epi8(low, quote), _mm_cmpeq_epi8(low, backslash));
        let high = _mm_or_si128(_mm_cmpeq_epi8(high, quote), _mm_cmpeq_epi8(high, backslash));
        (_mm_movemask_epi8(low) as u32) | (_mm_movemask_epi8(high) as u32) << 16
    }
}

#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn marks_of(block: &[u8; BLOCK]) -> u32 {
    plain_marks(block)
}

/// [`marks_of`], byte by byte.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn plain_marks(block: &[u8; BLOCK]) -> u32 {
    block.iter().rev().fold(0, |bits, b| bits << 1 | u32::from(matches!(b, b'"' | b'\\')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_those_of_the_plain_loop() {
        let mut state = 7u64;
        for _ in 0..2000 {
            let mut block = [0u8; BLOCK];
            for b in &mut block {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                *b = match state >> 60 {
                    0..=3 => b'"',
                    4..=7 => b'\\',
                    _ => (state >> 33) as u8,
                };
            }
            assert_eq!(marks_of(&block), plain_marks(&block));
            for n in 0..BLOCK {
                assert_eq!(marks(&block[..n], 0), plain_marks(&block) & ((1u64 << n) - 1) as u32);
            }
        }
    }

    #[test]
    fn a_string_ends_at_the_first_quote_that_is_not_escaped() {
        for pad in 0..70 {
            for slashes in 0..6 {
                let inside = format!("{}{}", "x".repeat(pad), "\\\\".repeat(slashes));
                let text = format!("{inside}\" \"");
                let scan = Scan::new(text.as_bytes(), text.len());
                assert_eq!(scan.string(0).unwrap().close, inside.len());
                let text = format!("{inside}\\\"\" \"");
                let scan = Scan::new(text.as_bytes(), text.len());
                assert_eq!(scan.string(0).unwrap().close, inside.len() + 2);
                // The closing quote is behind the record's end.
                let scan = Scan::new(text.as_bytes(), inside.len() + 2);
                assert_eq!(scan.string(0).unwrap_err().what, What::End);
            }
        }
    }

    #[test]
    fn values_end_where_they_should() {
        for (text, end) in [
            ("12,", Some(2)),
            ("-0.5e+10 ", Some(8)),
            ("1234567890123456789012", Some(22)),
            ("01", None),
            ("1.", None),
            ("-", None),
            ("1e", None),
            ("nul", None),
            ("true", Some(4)),
            ("{\"a\":[1,{}, []]} x", Some(16)),
            ("[1,]", None),
            ("{\"a\" 1}", None),
            ("{,}", None),
            ("[1 2]", None),
            ("\"a\\x\"", None),
            ("\"\\u12G4\"", None),
            ("\"\\u12a4\"", Some(8)),
        ] {
            let scan = Scan::new(text.as_bytes(), text.len());
            assert_eq!(scan.value(0).ok(), end, "{text}");
        }
    }

    #[test]
    fn nesting_has_a_limit() {
        let deep = |n: usize| format!("{}{}", "[".repeat(n), "]".repeat(n));
        let text = deep(999);
        assert_eq!(Scan::new(text.as_bytes(), text.len()).value(0), Ok(1998));
        let text = deep(1_000_000);
        assert_eq!(Scan::new(text.as_bytes(), text.len()).value(0).unwrap_err().what, What::Depth);
    }
}
