//! Java 17's syntax of regular expressions → a tree. The reader moves through the pattern the way `java.util.regex.Pattern`
//! does, because its rules (white space in comments mode, what a dangling brace means, what a class holds) are those moves.

use super::classes;
use super::error::PatternError;
use super::parse_escape::Escaped;
use super::tree::{Assert, Greed, Node, Set, Study};

/// Groups and classes inside each other.
const MAX_DEPTH: usize = 200;

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Flags {
    pub ignore_case: bool,
    multiline: bool,
    dotall: bool,
    pub unix_lines: bool,
    pub unicode_case: bool,
    comments: bool,
    pub unicode_class: bool,
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
    pub text: Vec<u32>,
    /// Where each of them stands in the pattern as it was written, in bytes.
    origin: Vec<usize>,
    pub length: usize,
    pub cursor: usize,
    pub flags: Flags,
    pub groups: usize,
    pub names: Vec<(String, usize)>,
    pub depth: usize,
}

pub(super) type Parse<T> = Result<T, PatternError>;

pub(super) const fn is_octal(c: u32) -> bool {
    c >= 0x30 && c <= 0x37
}

pub(super) fn ascii(c: u32) -> Option<char> {
    char::from_u32(c).filter(char::is_ascii)
}

pub(super) fn is_digit(c: u32) -> bool {
    ascii(c).is_some_and(|c| c.is_ascii_digit())
}

fn is_alpha(c: u32) -> bool {
    ascii(c).is_some_and(|c| c.is_ascii_alphabetic())
}

pub(super) fn hex(c: u32) -> Option<u32> {
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

    pub fn at(&self, i: usize) -> u32 {
        self.text.get(i).copied().unwrap_or(0)
    }

    /// An error at the character before the cursor, where Java reports it.
    pub fn error(&self, message: impl Into<String>) -> PatternError {
        let at = self.cursor.saturating_sub(1);
        PatternError::new(message, self.origin.get(at).copied().unwrap_or_default())
    }

    pub fn not_yet(&self, what: &str) -> PatternError {
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

    pub fn peek(&mut self) -> u32 {
        if self.flags.comments {
            self.skip_comments();
        }
        self.at(self.cursor)
    }

    pub fn next(&mut self) -> u32 {
        self.cursor += 1;
        self.peek()
    }

    pub fn read(&mut self) -> u32 {
        let mut c = self.at(self.cursor);
        if self.flags.comments && (is_space(c) || c == u32::from(b'#')) {
            self.skip_comments();
            c = self.at(self.cursor);
        }
        self.cursor += 1;
        c
    }

    pub fn read_escaped(&mut self) -> u32 {
        let c = self.at(self.cursor);
        self.cursor += 1;
        c
    }

    pub fn skip(&mut self) -> u32 {
        let c = self.at(self.cursor + 1);
        self.cursor += 2;
        c
    }

    pub fn unread(&mut self) {
        self.cursor = self.cursor.saturating_sub(1);
    }

    pub fn is(&mut self, c: u8) -> bool {
        self.peek() == u32::from(c)
    }

    pub fn enter(&mut self) -> Parse<()> {
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
        // Without flag `u` only ASCII letters have two cases.
        let cased = self.flags.unicode_case || ascii(c).is_some_and(|c| c.is_ascii_alphabetic());
        if self.flags.ignore_case && cased {
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

    pub fn group_name(&mut self, first: u32) -> Parse<String> {
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
}
