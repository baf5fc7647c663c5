//! Character classes: unions, ranges, `&&`.

use super::classes;
use super::parse::{Parse, Parser, ascii};
use super::parse_escape::Escaped;
use super::tree::Set;

impl Parser {
    /// A class; the cursor is on the bracket (or, with `consume` off, on the second `&`: the rest of the outer class).
    pub fn class(&mut self, consume: bool) -> Parse<Set> {
        self.enter()?;
        let mut all: Option<Set> = None;
        let mut c = self.next();
        let negated = c == u32::from(b'^') && self.at(self.cursor.wrapping_sub(1)) == u32::from(b'[');
        if negated {
            c = self.next();
        }
        let or = |all: Option<Set>, set: &Set| match all {
            Some(a) => Some(a.or(set)),
            None => Some(set.clone()),
        };
        loop {
            match ascii(c) {
                Some('[') => {
                    let inner = self.class(true)?;
                    all = or(all, &inner);
                    c = self.peek();
                    continue;
                }
                Some('&') => {
                    if self.next() == u32::from(b'&') {
                        c = self.next();
                        let mut right: Option<Set> = None;
                        while c != u32::from(b']') && c != u32::from(b'&') {
                            let part = if c == u32::from(b'[') {
                                self.class(true)?
                            } else {
                                self.unread();
                                self.class(false)?
                            };
                            right = or(right, &part);
                            c = self.peek();
                        }
                        all = Some(match (all, right) {
                            (None, None) => return Err(self.error("Bad class syntax")),
                            (None, Some(set)) | (Some(set), None) => set,
                            (Some(a), Some(b)) => a.and(&b),
                        });
                        continue;
                    }
                    self.unread();
                }
                Some('\0') if self.cursor >= self.length => {
                    return Err(self.error("Unclosed character class"));
                }
                Some(']') => {
                    if let Some(set) = all.take() {
                        if consume {
                            self.next();
                        }
                        self.depth -= 1;
                        return Ok(if negated { set.negated() } else { set });
                    }
                }
                _ => {}
            }
            let part = self.class_part()?;
            all = or(all, &part);
            c = self.peek();
        }
    }

    /// A character, a range, an escape or a property in a class.
    fn class_part(&mut self) -> Parse<Set> {
        let mut c = self.peek();
        if c == u32::from(b'\\') {
            let letter = self.at(self.cursor + 1);
            if matches!(ascii(letter), Some('p' | 'P')) {
                return self.family();
            }
            let in_range = self.at(self.cursor + 2) == u32::from(b'-');
            match self.escape(true, in_range)? {
                Escaped::Char(x) => c = x,
                Escaped::Set(set) => return Ok(set),
                Escaped::Node(_) => return Err(self.error("Illegal/unsupported escape sequence")),
            }
        } else {
            self.next();
        }
        let (ignore, unicode) = (self.flags.ignore_case, self.flags.unicode_case);
        if self.is(b'-') {
            let end = self.at(self.cursor + 1);
            if end != u32::from(b'[') && end != u32::from(b']') {
                self.next();
                let mut to = self.peek();
                if to == u32::from(b'\\') {
                    match self.escape(true, true)? {
                        Escaped::Char(x) => to = x,
                        _ => return Err(self.error("Illegal character range")),
                    }
                } else {
                    self.next();
                }
                if to < c {
                    return Err(self.error("Illegal character range"));
                }
                return Ok(classes::range(c, to, ignore, unicode));
            }
        }
        Ok(classes::single(c, ignore, unicode))
    }
}
