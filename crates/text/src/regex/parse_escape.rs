//! What stands behind a backslash.

use super::classes;
use super::parse::{Parse, Parser, ascii, hex, is_digit, is_octal};
use super::tree::{Assert, Fold, Greed, Node, Set};

/// What an escape stands for.
pub(super) enum Escaped {
    Char(u32),
    Set(Set),
    Node(Node),
}

impl Parser {
    /// An escape; the cursor is on the backslash.
    pub fn escape(&mut self, in_class: bool, in_range: bool) -> Parse<Escaped> {
        let unicode = self.flags.unicode_class;
        let c = self.skip();
        let node = |a| Ok(Escaped::Node(Node::Assert(a)));
        let letter = ascii(c);
        Ok(match letter {
            Some('0') => Escaped::Char(self.octal()?),
            Some('1'..='9') if !in_class => Escaped::Node(self.reference(c - u32::from(b'0'))),
            Some('A') if !in_class => return node(Assert::Start),
            Some('B') if !in_class => return node(Assert::Word { negated: true, unicode }),
            Some('G') if !in_class => return node(Assert::SearchStart),
            Some('Z') if !in_class => return node(Assert::LastEnd { unix: self.flags.unix_lines }),
            Some('z') if !in_class => return node(Assert::End),
            Some('b') if !in_class => {
                if self.is(b'{') && self.at(self.cursor + 1) == u32::from(b'g') {
                    if self.at(self.cursor + 2) == u32::from(b'}') {
                        return Err(self.not_yet("\\b{g}, a boundary of grapheme clusters"));
                    }
                    return Err(self.error("Illegal/unsupported escape sequence"));
                }
                return node(Assert::Word { negated: false, unicode });
            }
            Some('R') if !in_class => Escaped::Node(line_break()),
            Some('X') if !in_class => Escaped::Node(grapheme()),
            Some('k') if !in_class => {
                if self.read() != u32::from(b'<') {
                    return Err(self.error("\\k is not followed by '<' for named capturing group"));
                }
                let first = self.read();
                let name = self.group_name(first)?;
                let Some(group) = self.names.iter().find(|(n, _)| *n == name).map(|(_, i)| *i) else {
                    return Err(self.error(format!("named capturing group <{name}> does not exist")));
                };
                Escaped::Node(Node::Backref { group, fold: self.fold() })
            }
            Some('d') => Escaped::Set(classes::digit(unicode)),
            Some('D') => Escaped::Set(classes::digit(unicode).negated()),
            Some('h') => Escaped::Set(classes::horizontal()),
            Some('H') => Escaped::Set(classes::horizontal().negated()),
            Some('s') => Escaped::Set(classes::space(unicode)),
            Some('S') => Escaped::Set(classes::space(unicode).negated()),
            Some('v') if in_range => Escaped::Char(0x0B),
            Some('v') => Escaped::Set(classes::vertical()),
            Some('V') => Escaped::Set(classes::vertical().negated()),
            Some('w') => Escaped::Set(classes::word(unicode)),
            Some('W') => Escaped::Set(word_negated(unicode)),
            Some('N') => return Err(self.not_yet("characters by name (\\N{…})")),
            Some('a') => Escaped::Char(7),
            Some('c') => {
                if self.cursor >= self.length {
                    return Err(self.error("Illegal control escape sequence"));
                }
                Escaped::Char(self.read() ^ 64)
            }
            Some('e') => Escaped::Char(0x1B),
            Some('f') => Escaped::Char(0x0C),
            Some('n') => Escaped::Char(0x0A),
            Some('r') => Escaped::Char(0x0D),
            Some('t') => Escaped::Char(9),
            Some('u') => Escaped::Char(self.utf16()?),
            Some('x') => Escaped::Char(self.hexadecimal()?),
            Some(c) if c.is_ascii_alphanumeric() => {
                return Err(self.error("Illegal/unsupported escape sequence"));
            }
            // A backslash at the end.
            Some('\0') if self.cursor > self.length => {
                self.cursor = self.length;
                let message = if in_class { "Unclosed character class" } else { "Unexpected internal error" };
                return Err(self.error(message));
            }
            _ => Escaped::Char(c),
        })
    }

    fn fold(&self) -> Fold {
        match (self.flags.ignore_case, self.flags.unicode_case) {
            (false, _) => Fold::Exact,
            (true, false) => Fold::Ascii,
            (true, true) => Fold::Unicode,
        }
    }

    /// `\1`, `\12` …: as many digits as make a group that exists so far.
    fn reference(&mut self, first: u32) -> Node {
        let mut group = first as usize;
        loop {
            let c = self.peek();
            if !is_digit(c) {
                break;
            }
            let longer = group * 10 + (c - u32::from(b'0')) as usize;
            if longer > self.groups {
                break;
            }
            group = longer;
            self.read();
        }
        Node::Backref { group, fold: self.fold() }
    }

    fn octal(&mut self) -> Parse<u32> {
        let value = |c: u32| c - u32::from(b'0');
        let n = self.read();
        if !is_octal(n) {
            return Err(self.error("Illegal octal escape sequence"));
        }
        let m = self.read();
        if !is_octal(m) {
            self.unread();
            return Ok(value(n));
        }
        let o = self.read();
        if is_octal(o) && value(n) <= 3 {
            return Ok(value(n) * 64 + value(m) * 8 + value(o));
        }
        self.unread();
        Ok(value(n) * 8 + value(m))
    }

    fn hexadecimal(&mut self) -> Parse<u32> {
        let n = self.read();
        if let Some(high) = hex(n) {
            let m = self.read();
            if let Some(low) = hex(m) {
                return Ok(high * 16 + low);
            }
        } else if n == u32::from(b'{') && hex(self.peek()).is_some() {
            let mut c = 0;
            loop {
                let n = self.read();
                match hex(n) {
                    Some(digit) => {
                        c = c * 16 + digit;
                        if c > 0x10_FFFF {
                            return Err(self.error("Hexadecimal codepoint is too big"));
                        }
                    }
                    None if n == u32::from(b'}') => return Ok(c),
                    None => return Err(self.error("Unclosed hexadecimal escape sequence")),
                }
            }
        }
        Err(self.error("Illegal hexadecimal escape sequence"))
    }

    fn four(&mut self) -> Parse<u32> {
        let mut n = 0;
        for _ in 0..4 {
            let c = self.read();
            n = n * 16 + hex(c).ok_or_else(|| self.error("Illegal Unicode escape sequence"))?;
        }
        Ok(n)
    }

    fn utf16(&mut self) -> Parse<u32> {
        let high = self.four()?;
        if (0xD800..0xDC00).contains(&high) {
            let back = self.cursor;
            if self.read_escaped() == u32::from(b'\\') && self.read_escaped() == u32::from(b'u') {
                let low = self.four()?;
                if (0xDC00..0xE000).contains(&low) {
                    return Ok(0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00));
                }
            }
            self.cursor = back;
        }
        Ok(high)
    }

    /// `\p…` or `\P…`; the cursor is on the backslash.
    pub fn family(&mut self) -> Parse<Set> {
        self.cursor += 1;
        let negated = self.at(self.cursor) == u32::from(b'P');
        let name: String = if self.next() == u32::from(b'{') {
            self.cursor += 1;
            let from = self.cursor;
            let to = (from..self.length).find(|i| self.at(*i) == u32::from(b'}'));
            let Some(to) = to else {
                self.cursor = self.length;
                return Err(self.error("Unclosed character family"));
            };
            self.cursor = to + 1;
            if to == from {
                return Err(self.error("Empty character family"));
            }
            (from..to).filter_map(|i| char::from_u32(self.at(i))).collect()
        } else {
            let c = self.at(self.cursor);
            self.cursor += 1;
            char::from_u32(c).into_iter().collect()
        };
        let set = classes::property(&name, self.flags.ignore_case, self.flags.unicode_class);
        let Some(set) = set else {
            return Err(self.error(match name.split_once('=') {
                Some((k, v)) => {
                    format!("Unknown Unicode property {{name=<{}>, value=<{v}>}}", k.to_lowercase())
                }
                None => format!("Unknown character property name {{{name}}}"),
            }));
        };
        Ok(if negated { set.negated() } else { set })
    }
}

fn word_negated(unicode: bool) -> Set {
    let mut set = classes::word(unicode).negated();
    if unicode {
        set.short = Some("\\W".to_string());
    }
    set
}

/// `\R`.
fn line_break() -> Node {
    let pair = Node::Concat(vec![Node::Char('\r'), Node::Char('\n')]);
    Node::Alt(vec![pair, Node::Set(classes::vertical())])
}

/// `\X`: an extended grapheme cluster (Unicode annex 29).
fn grapheme() -> Node {
    let set = |name: &str| {
        classes::syntax(&format!("\\p{{gcb={name}}}"))
            .or_else(|| classes::syntax(name))
            .unwrap_or_else(Set::empty)
    };
    let some = |set: Set, min, max| Node::Repeat {
        node: Box::new(Node::Set(set)),
        min,
        max,
        greed: Greed::Greedy,
        question: false,
    };
    let control = set("Control").or(&set("CR")).or(&set("LF"));
    let extend = set("Extend").or(&set("ZWJ"));
    let picture = classes::syntax("\\p{Extended_Pictographic}").unwrap_or_else(Set::empty);
    let hangul = Node::Concat(vec![
        some(set("L"), 0, None),
        Node::Alt(vec![
            Node::Concat(vec![some(set("V"), 1, None), some(set("T"), 0, None)]),
            Node::Concat(vec![Node::Set(set("LV")), some(set("V"), 0, None), some(set("T"), 0, None)]),
            Node::Concat(vec![Node::Set(set("LVT")), some(set("T"), 0, None)]),
        ]),
    ]);
    let joined =
        Node::Concat(vec![some(set("Extend"), 0, None), Node::Set(set("ZWJ")), Node::Set(picture.clone())]);
    let emoji = Node::Concat(vec![
        Node::Set(picture),
        Node::Repeat { node: Box::new(joined), min: 0, max: None, greed: Greed::Greedy, question: false },
    ]);
    let core = Node::Alt(vec![
        hangul,
        some(set("L"), 1, None),
        some(set("T"), 1, None),
        some(set("Regional_Indicator"), 2, Some(2)),
        emoji,
        Node::Set(control.clone().negated()),
    ]);
    let cluster = Node::Concat(vec![
        some(set("Prepend"), 0, None),
        core,
        some(extend.clone().or(&set("SpacingMark")), 0, None),
    ]);
    Node::Atomic(Box::new(Node::Alt(vec![
        Node::Concat(vec![Node::Char('\r'), Node::Char('\n')]),
        cluster,
        some(set("Prepend"), 1, None),
        Node::Set(control),
    ])))
}
