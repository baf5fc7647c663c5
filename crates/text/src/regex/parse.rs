//! Java 17's syntax of regular expressions → a tree. The reader moves through the pattern the way `java.util.regex.Pattern`
//! does, because its rules (white space in comments mode, what a dangling brace means, what a class holds) are those moves.

use super::classes;
use super::error::PatternError;
use super::tree::{Assert, Fold, Greed, Node, Set, Study};

/// Groups and classes inside each other.
const MAX_DEPTH: usize = 200;

#[derive(Debug, Clone, Copy, Default)]
struct Flags {
    ignore_case: bool,
    multiline: bool,
    dotall: bool,
    unix_lines: bool,
    unicode_case: bool,
    comments: bool,
    unicode_class: bool,
}

/// A parsed pattern.
pub(super) struct Parsed {
    pub node: Node,
    /// Number of capturing groups.
    pub groups: usize,
    /// Names and numbers of named groups, in order of appearance.
    pub names: Vec<(String, usize)>,
}

pub(super) struct Parser {
    /// Code points and two closing zeros, as in Java.
    text: Vec<u32>,
    /// Where each of them stands in the pattern as it was written, in bytes.
    origin: Vec<usize>,
    length: usize,
    cursor: usize,
    flags: Flags,
    groups: usize,
    names: Vec<(String, usize)>,
    depth: usize,
}

type Parse<T> = Result<T, PatternError>;

/// What an escape stands for.
enum Escaped {
    Char(u32),
    Set(Set),
    Node(Node),
}

const fn is_octal(c: u32) -> bool {
    c >= 0x30 && c <= 0x37
}

fn ascii(c: u32) -> Option<char> {
    char::from_u32(c).filter(char::is_ascii)
}

fn is_digit(c: u32) -> bool {
    ascii(c).is_some_and(|c| c.is_ascii_digit())
}

fn is_alpha(c: u32) -> bool {
    ascii(c).is_some_and(|c| c.is_ascii_alphabetic())
}

fn hex(c: u32) -> Option<u32> {
    ascii(c).and_then(|c| c.to_digit(16))
}

fn is_space(c: u32) -> bool {
    matches!(c, 9..=13 | 32)
}

pub(super) fn parse(java: &str) -> Parse<Parsed> {
    let mut parser = Parser::new(java);
    let node = parser.alternatives()?;
    if parser.cursor < parser.length {
        let closing = parser.peek() == u32::from(b')');
        return Err(parser.error(if closing {
            "Unmatched closing ')'"
        } else {
            "Unexpected internal error"
        }));
    }
    Ok(Parsed { node, groups: parser.groups, names: parser.names })
}

impl Parser {
    fn new(java: &str) -> Self {
        let raw: Vec<(usize, u32)> = java.char_indices().map(|(i, c)| (i, c as u32)).collect();
        let (mut text, mut origin) = (Vec::with_capacity(raw.len() + 2), Vec::with_capacity(raw.len() + 2));
        let mut push = |c: u32, at: usize| {
            text.push(c);
            origin.push(at);
        };
        // Quoting is taken out first: what is quoted becomes escaped.
        let (mut quoted, mut first) = (false, false);
        let mut i = 0;
        while let Some((at, c)) = raw.get(i).copied() {
            i += 1;
            let next = raw.get(i).map_or(0, |r| r.1);
            let was_first = std::mem::take(&mut first);
            if c == u32::from(b'\\') {
                if quoted {
                    if next == u32::from(b'E') {
                        i += 1;
                        quoted = false;
                    } else {
                        push(c, at);
                        push(c, at);
                    }
                } else if next == u32::from(b'Q') {
                    i += 1;
                    quoted = true;
                    first = true;
                } else {
                    push(c, at);
                    if let Some((at, c)) = raw.get(i).copied() {
                        push(c, at);
                        i += 1;
                    }
                }
            } else if quoted && is_digit(c) && was_first {
                // A number must not continue an escape that stands before the quote.
                for part in [u32::from(b'\\'), u32::from(b'x'), u32::from(b'3'), c] {
                    push(part, at);
                }
            } else {
                if quoted && c < 128 && !is_alpha(c) && !is_digit(c) {
                    push(u32::from(b'\\'), at);
                }
                push(c, at);
            }
        }
        let length = text.len();
        text.extend([0, 0]);
        origin.extend([java.len(), java.len()]);
        Self {
            text,
            origin,
            length,
            cursor: 0,
            flags: Flags::default(),
            groups: 0,
            names: Vec::new(),
            depth: 0,
        }
    }

    fn at(&self, i: usize) -> u32 {
        self.text.get(i).copied().unwrap_or(0)
    }

    /// An error at the character before the cursor, where Java reports it.
    fn error(&self, message: impl Into<String>) -> PatternError {
        let at = self.cursor.saturating_sub(1);
        PatternError::new(message, self.origin.get(at).copied().unwrap_or_default())
    }

    fn not_yet(&self, what: &str) -> PatternError {
        let at = self.cursor.saturating_sub(1);
        PatternError::not_yet(what, self.origin.get(at).copied().unwrap_or_default())
    }

    fn skip_comments(&mut self) {
        loop {
            while is_space(self.at(self.cursor)) {
                self.cursor += 1;
            }
            if self.at(self.cursor) != u32::from(b'#') {
                return;
            }
            while self.cursor < self.length && !self.is_line_end(self.at(self.cursor)) {
                self.cursor += 1;
            }
        }
    }

    fn is_line_end(&self, c: u32) -> bool {
        c == 0x0A || (!self.flags.unix_lines && matches!(c, 0x0D | 0x85 | 0x2028 | 0x2029))
    }

    fn peek(&mut self) -> u32 {
        if self.flags.comments {
            self.skip_comments();
        }
        self.at(self.cursor)
    }

    fn next(&mut self) -> u32 {
        self.cursor += 1;
        self.peek()
    }

    fn read(&mut self) -> u32 {
        let mut c = self.at(self.cursor);
        if self.flags.comments && (is_space(c) || c == u32::from(b'#')) {
            self.skip_comments();
            c = self.at(self.cursor);
        }
        self.cursor += 1;
        c
    }

    fn read_escaped(&mut self) -> u32 {
        let c = self.at(self.cursor);
        self.cursor += 1;
        c
    }

    fn skip(&mut self) -> u32 {
        let c = self.at(self.cursor + 1);
        self.cursor += 2;
        c
    }

    fn unread(&mut self) {
        self.cursor = self.cursor.saturating_sub(1);
    }

    fn is(&mut self, c: u8) -> bool {
        self.peek() == u32::from(c)
    }

    fn enter(&mut self) -> Parse<()> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error(format!("groups and classes are nested deeper than {MAX_DEPTH}")));
        }
        Ok(())
    }

    fn alternatives(&mut self) -> Parse<Node> {
        let mut branches = vec![self.sequence()?];
        while self.is(b'|') {
            self.next();
            branches.push(self.sequence()?);
        }
        Ok(match branches.len() {
            1 => branches.pop().unwrap_or(Node::Empty),
            _ => Node::Alt(branches),
        })
    }

    fn sequence(&mut self) -> Parse<Node> {
        let mut parts = Vec::new();
        loop {
            let c = self.peek();
            let atom = match ascii(c) {
                Some('\0') if self.cursor >= self.length => break,
                Some('|' | ')') => break,
                Some('(') => {
                    if let Some(node) = self.group()? {
                        parts.push(node);
                    }
                    continue;
                }
                Some('[') => Node::Set(self.class(true)?),
                Some('^') => {
                    self.next();
                    Node::Assert(if self.flags.multiline {
                        Assert::LineStart { unix: self.flags.unix_lines }
                    } else {
                        Assert::Start
                    })
                }
                Some('$') => {
                    self.next();
                    let unix = self.flags.unix_lines;
                    Node::Assert(if self.flags.multiline {
                        Assert::LineEnd { unix }
                    } else {
                        Assert::LastEnd { unix }
                    })
                }
                Some('.') => {
                    self.next();
                    Node::Set(classes::dot(self.flags.dotall, self.flags.unix_lines))
                }
                Some('\\') if matches!(ascii(self.at(self.cursor + 1)), Some('p' | 'P')) => {
                    Node::Set(self.family()?)
                }
                Some('\\') => match self.escape(false, false)? {
                    Escaped::Char(c) => self.literal(c),
                    Escaped::Set(set) => Node::Set(set),
                    Escaped::Node(node) => node,
                },
                Some(meta @ ('?' | '*' | '+')) => {
                    self.next();
                    return Err(self.error(format!("Dangling meta character '{meta}'")));
                }
                // A brace with nothing to repeat repeats an empty text.
                Some('{') => Node::Empty,
                _ => {
                    self.next();
                    self.literal(c)
                }
            };
            parts.push(self.closure(atom)?);
        }
        Ok(match parts.len() {
            0 => Node::Empty,
            1 => parts.pop().unwrap_or(Node::Empty),
            _ => Node::Concat(parts),
        })
    }

    fn literal(&self, c: u32) -> Node {
        if self.flags.ignore_case {
            let set = classes::single(c, true, self.flags.unicode_case);
            return match set.members(1).as_deref() {
                Some([c]) => Node::Char(*c),
                _ => Node::Set(set),
            };
        }
        // Half of a surrogate pair is in no text.
        char::from_u32(c).map_or_else(|| Node::Set(Set::empty()), Node::Char)
    }

    fn closure(&mut self, atom: Node) -> Parse<Node> {
        let (min, max, question) = match ascii(self.peek()) {
            Some('?') => (0, Some(1), true),
            Some('*') => (0, None, false),
            Some('+') => (1, None, false),
            Some('{') => {
                if !is_digit(self.at(self.cursor + 1)) {
                    return Err(self.error("Illegal repetition"));
                }
                self.cursor += 1;
                let mut c = self.read();
                let mut min = 0u32;
                while is_digit(c) {
                    min = self.count(min, c)?;
                    c = self.read();
                }
                let mut max = Some(min);
                if c == u32::from(b',') {
                    c = self.read();
                    max = None;
                    if c != u32::from(b'}') {
                        let mut most = 0u32;
                        while is_digit(c) {
                            most = self.count(most, c)?;
                            c = self.read();
                        }
                        max = Some(most);
                    }
                }
                if c != u32::from(b'}') {
                    return Err(self.error("Unclosed counted closure"));
                }
                if max.is_some_and(|m| m < min) {
                    return Err(self.error("Illegal repetition range"));
                }
                self.unread();
                (min, max, false)
            }
            _ => return Ok(atom),
        };
        let greed = match ascii(self.next()) {
            Some('?') => {
                self.next();
                Greed::Lazy
            }
            Some('+') => {
                self.next();
                Greed::Possessive
            }
            _ => Greed::Greedy,
        };
        Ok(Node::Repeat { node: Box::new(atom), min, max, greed, question })
    }

    fn count(&self, so_far: u32, digit: u32) -> Parse<u32> {
        so_far
            .checked_mul(10)
            .and_then(|n| n.checked_add(digit - u32::from(b'0')))
            .filter(|n| *n <= i32::MAX as u32)
            .ok_or_else(|| self.error("Illegal repetition range"))
    }

    /// A group with its quantifier; `None` for flags alone.
    fn group(&mut self) -> Parse<Option<Node>> {
        self.enter()?;
        let save = self.flags;
        let node = if self.next() == u32::from(b'?') {
            match ascii(self.skip()) {
                Some(':') => Node::Bare(Box::new(self.alternatives()?)),
                Some('=') => {
                    Node::Look { behind: None, negated: false, node: Box::new(self.alternatives()?) }
                }
                Some('!') => Node::Look { behind: None, negated: true, node: Box::new(self.alternatives()?) },
                Some('>') => Node::Atomic(Box::new(self.alternatives()?)),
                Some('<') => {
                    let c = self.read();
                    match ascii(c) {
                        Some(sign @ ('=' | '!')) => {
                            let body = self.alternatives()?;
                            let study = Study::of(&body);
                            if !study.bounded {
                                return Err(
                                    self.error("Look-behind group does not have an obvious maximum length")
                                );
                            }
                            let behind = Some((study.min, study.max));
                            Node::Look { behind, negated: sign == '!', node: Box::new(body) }
                        }
                        _ => {
                            let name = self.group_name(c)?;
                            if self.names.iter().any(|(n, _)| *n == name) {
                                let message = format!("Named capturing group <{name}> is already defined");
                                return Err(self.error(message));
                            }
                            self.groups += 1;
                            let index = self.groups;
                            self.names.push((name, index));
                            Node::Group { index, node: Box::new(self.alternatives()?) }
                        }
                    }
                }
                Some('$' | '@') => return Err(self.error("Unknown group type")),
                _ => {
                    self.unread();
                    self.add_flags()?;
                    match ascii(self.read()) {
                        Some(')') => {
                            self.depth -= 1;
                            return Ok(None);
                        }
                        Some(':') => Node::Bare(Box::new(self.alternatives()?)),
                        _ => return Err(self.error("Unknown inline modifier")),
                    }
                }
            }
        } else {
            self.groups += 1;
            let index = self.groups;
            Node::Group { index, node: Box::new(self.alternatives()?) }
        };
        if self.read() != u32::from(b')') {
            return Err(self.error("Unclosed group"));
        }
        self.flags = save;
        self.depth -= 1;
        self.closure(node).map(Some)
    }

    fn group_name(&mut self, first: u32) -> Parse<String> {
        if !is_alpha(first) {
            return Err(self.error("capturing group name does not start with a Latin letter"));
        }
        let mut name = String::new();
        let mut c = first;
        while is_alpha(c) || is_digit(c) {
            name.extend(char::from_u32(c));
            c = self.read();
        }
        if c != u32::from(b'>') {
            return Err(self.error("named capturing group is missing trailing '>'"));
        }
        Ok(name)
    }

    fn add_flags(&mut self) -> Parse<()> {
        let mut on = true;
        loop {
            let flags = &mut self.flags;
            match ascii(self.text.get(self.cursor).copied().unwrap_or(0)) {
                Some('i') => flags.ignore_case = on,
                Some('m') => flags.multiline = on,
                Some('s') => flags.dotall = on,
                Some('d') => flags.unix_lines = on,
                Some('u') => flags.unicode_case = on,
                Some('x') => flags.comments = on,
                Some('U') => {
                    flags.unicode_class = on;
                    flags.unicode_case = on;
                }
                Some('c') => return Err(self.not_yet("canonical equivalence (flag c)")),
                Some('-') if on => on = false,
                _ if self.flags.comments && {
                    let before = self.cursor;
                    self.skip_comments();
                    self.cursor != before
                } =>
                {
                    continue;
                }
                _ => return Ok(()),
            }
            self.cursor += 1;
        }
    }

    /// An escape; the cursor is on the backslash.
    fn escape(&mut self, in_class: bool, in_range: bool) -> Parse<Escaped> {
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
    fn family(&mut self) -> Parse<Set> {
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

    /// A class; the cursor is on the bracket (or, with `consume` off, on the second `&`: the rest of the outer class).
    fn class(&mut self, consume: bool) -> Parse<Set> {
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
