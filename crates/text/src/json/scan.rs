//! Going over JSON text without building anything.

use super::{JsonError, MAX_DEPTH, MAX_DIGITS};

/// Checks that a text begins with a JSON value (see the module's text for what may follow it) in UTF-8. Nothing is built; on
/// lines of ASCII every byte is looked at about once.
pub fn validate(text: &[u8]) -> Result<(), JsonError> {
    validate_prefix(text).map(|_| ())
}

/// As [`validate`]; gives where the value ends.
pub fn validate_prefix(text: &[u8]) -> Result<usize, JsonError> {
    let start = if text.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
    let mut scan = Scan { text, at: start, seen: 0 };
    let end = scan.value(0);
    if scan.seen & HIGH != 0 {
        // Bytes above ASCII were seen; they count only up to where the value, or the reading of it, ended.
        let to = match &end {
            Ok(end) => *end,
            Err(e) => e.at.min(text.len()),
        };
        if let Err(e) = std::str::from_utf8(text.get(start..to).unwrap_or_default()) {
            return Err(JsonError { at: start + e.valid_up_to(), what: "bytes that are not UTF-8" });
        }
    }
    end
}

/// A reader that only moves on.
pub(super) struct Scan<'a> {
    pub text: &'a [u8],
    pub at: usize,
    /// All bytes of strings, or-ed together: bit 7 tells of bytes above ASCII.
    pub seen: u64,
}

/// Which containers are open, one bit each: set for objects.
struct Open {
    bits: [u64; MAX_DEPTH.div_ceil(64)],
    depth: usize,
    /// The deepest that it may be.
    most: usize,
}

impl Open {
    fn push(&mut self, object: bool, at: usize) -> Result<(), JsonError> {
        let bit = 1u64 << (self.depth % 64);
        match self.bits.get_mut(self.depth / 64) {
            Some(word) if self.depth < self.most => {
                *word = if object { *word | bit } else { *word & !bit };
                self.depth += 1;
                Ok(())
            }
            _ => Err(JsonError { at, what: TOO_DEEP }),
        }
    }

    /// Whether the innermost container is an object; there is one.
    fn in_object(&self) -> bool {
        let depth = self.depth.wrapping_sub(1);
        self.bits.get(depth / 64).is_some_and(|w| w & (1 << (depth % 64)) != 0)
    }
}

pub(super) const TOO_DEEP: &str = "nesting deeper than 1000 levels";

impl Scan<'_> {
    pub fn error<T>(&self, what: &'static str) -> Result<T, JsonError> {
        Err(JsonError { at: self.at.min(self.text.len()), what })
    }

    #[inline(always)]
    pub fn peek(&self) -> u8 {
        // No JSON token has a zero byte, so it can stand for the end.
        self.text.get(self.at).copied().unwrap_or(0)
    }

    /// Moves over white space; gives the byte there.
    #[inline(always)]
    pub fn token(&mut self) -> u8 {
        let b = self.peek();
        if b > b' ' {
            return b;
        }
        self.spaces()
    }

    fn spaces(&mut self) -> u8 {
        loop {
            let b = self.peek();
            if !matches!(b, b' ' | b'\t' | b'\n' | b'\r') {
                return b;
            }
            self.at += 1;
        }
    }

    /// A whole value within `around` containers; gives where it ends.
    pub fn value(&mut self, around: usize) -> Result<usize, JsonError> {
        let mut open =
            Open { bits: [0; MAX_DEPTH.div_ceil(64)], depth: 0, most: MAX_DEPTH.saturating_sub(around) };
        // Whether the innermost container is an object.
        let mut object = false;
        loop {
            // A value begins here.
            match self.token() {
                b'"' => self.string()?,
                b'{' => {
                    open.push(true, self.at)?;
                    self.at += 1;
                    match self.token() {
                        b'"' => {
                            object = true;
                            self.key()?;
                            continue;
                        }
                        b'}' => {
                            self.at += 1;
                            open.depth -= 1;
                        }
                        _ => return self.unexpected("expected a field name or '}'"),
                    }
                }
                b'[' => {
                    open.push(false, self.at)?;
                    self.at += 1;
                    if self.token() != b']' {
                        object = false;
                        continue;
                    }
                    self.at += 1;
                    open.depth -= 1;
                }
                b'-' | b'0'..=b'9' => self.number(open.depth + around == 0)?,
                b't' => self.word(b"true", open.depth + around == 0)?,
                b'f' => self.word(b"false", open.depth + around == 0)?,
                b'n' => self.word(b"null", open.depth + around == 0)?,
                _ => return self.unexpected("expected a value"),
            }
            // A value has ended: what is around it goes on or ends too.
            loop {
                if open.depth == 0 {
                    return Ok(self.at);
                }
                match self.token() {
                    b',' => {
                        self.at += 1;
                        if object {
                            if self.token() != b'"' {
                                return self.unexpected("expected a field name");
                            }
                            self.key()?;
                        }
                        break;
                    }
                    b'}' if object => {}
                    b']' if !object => {}
                    _ if object => return self.unexpected("expected ',' or '}'"),
                    _ => return self.unexpected("expected ',' or ']'"),
                }
                self.at += 1;
                open.depth -= 1;
                object = open.in_object();
            }
        }
    }

    pub fn unexpected<T>(&self, what: &'static str) -> Result<T, JsonError> {
        if self.at >= self.text.len() { self.error("the text ends too early") } else { self.error(what) }
    }

    /// A field name and its colon.
    #[inline(always)]
    pub fn key(&mut self) -> Result<(), JsonError> {
        self.string()?;
        if self.token() != b':' {
            return self.unexpected("expected ':'");
        }
        self.at += 1;
        Ok(())
    }

    /// A string; the reader is on its quote.
    #[inline(always)]
    pub fn string(&mut self) -> Result<(), JsonError> {
        let mut at = self.at + 1;
        loop {
            let Some((block, _)) = self.text.get(at..).and_then(|rest| rest.split_first_chunk::<8>()) else {
                self.at = at;
                return self.string_end();
            };
            let block = u64::from_le_bytes(*block);
            let special = special(block);
            self.seen |= block;
            if special == 0 {
                at += 8;
                continue;
            }
            at += (special.trailing_zeros() / 8) as usize;
            match self.text.get(at..).unwrap_or_default() {
                [b'"', ..] => {
                    self.at = at + 1;
                    return Ok(());
                }
                [b'\\', b'\\' | b'"' | b'/' | b'n' | b't' | b'r', ..] => {
                    at += 2;
                    continue;
                }
                _ => {}
            }
            self.at = at;
            self.escape()?;
            at = self.at;
        }
    }

    /// The rest of a string in the last bytes of the text.
    fn string_end(&mut self) -> Result<(), JsonError> {
        loop {
            match self.text.get(self.at) {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\' | 0..=0x1F) => self.escape()?,
                Some(b) => {
                    self.seen |= u64::from(*b);
                    self.at += 1;
                }
                None => return self.error("the text ends within a string"),
            }
        }
    }

    /// An escape, or a control character where there may be none.
    #[cold]
    fn escape(&mut self) -> Result<(), JsonError> {
        if self.peek() != b'\\' {
            return self.error("a control character within a string");
        }
        match self.text.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let digits = self.text.get(self.at + 2..self.at + 6).unwrap_or_default();
                if digits.len() < 4 || !digits.iter().all(u8::is_ascii_hexdigit) {
                    return self.error("'\\u' without four hexadecimal digits");
                }
                self.at += 6;
            }
            Some(_) => return self.error("an escape that JSON does not have"),
            None => {
                self.at += 1;
                return self.error("the text ends within a string");
            }
        }
        Ok(())
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        self.at - from
    }

    /// A number. `root`: white space must follow.
    #[inline]
    pub fn number(&mut self, root: bool) -> Result<(), JsonError> {
        if self.peek() == b'-' {
            self.at += 1;
        }
        let first = self.peek();
        let mut count = self.digits();
        if count == 0 {
            return self.unexpected("expected a digit");
        }
        if first == b'0' && count > 1 {
            self.at -= count;
            return self.error("a number with a leading zero");
        }
        if self.peek() == b'.' {
            self.at += 1;
            match self.digits() {
                0 => return self.unexpected("expected a digit after the decimal point"),
                n => count += n,
            }
        }
        if matches!(self.peek(), b'e' | b'E') {
            self.at += 1;
            if matches!(self.peek(), b'+' | b'-') {
                self.at += 1;
            }
            match self.digits() {
                0 => return self.unexpected("expected a digit in the exponent"),
                n => count += n,
            }
        }
        if count > MAX_DIGITS {
            return self.error("a number of more than 1000 digits");
        }
        if root && self.at < self.text.len() && !matches!(self.peek(), b' ' | b'\t' | b'\n' | b'\r') {
            return self.error("expected white space after the number");
        }
        Ok(())
    }

    /// `true`, `false` or `null`. `root`: the word must end (elsewhere what follows is checked anyway).
    #[inline]
    pub fn word<const N: usize>(&mut self, word: &[u8; N], root: bool) -> Result<(), JsonError> {
        if self.text.get(self.at..).and_then(|rest| rest.first_chunk::<N>()) != Some(word) {
            return self.error("expected a value");
        }
        self.at += N;
        if root && matches!(self.peek(), b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | 0x80..) {
            return self.error("expected the word to end");
        }
        Ok(())
    }
}

const LOW: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Which of eight bytes end the plain part of a string (quote, backslash, control character): the lowest bit set is in the first of
/// them. What is set above it may be wrong, since a match borrows from the byte after it.
#[inline(always)]
fn special(block: u64) -> u64 {
    // A quote with its second bit turned is just above the control characters.
    let low = (block ^ (LOW * 0x02)).wrapping_sub(LOW * 0x21);
    let back = (block ^ (LOW * b'\\' as u64)).wrapping_sub(LOW);
    (low | back) & !block & HIGH
}
