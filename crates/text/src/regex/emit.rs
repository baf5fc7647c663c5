//! The tree in the syntax of crate `regex`: exactly, as far as that can be, or loosened to a screen that every matching
//! text passes.

use super::tree::{Assert, Greed, Node, Set};

/// What a text must be like for the emitted program to answer as Java does; other texts go to the backtracking engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Needs {
    /// `\b`: Java's words and `regex`'s are the same in ASCII only.
    pub ascii: bool,
    /// `$`: nothing to stop before at the end.
    pub no_last_terminator: bool,
    /// Flag `m`: one line, and not an empty one.
    pub one_line: bool,
}

impl Needs {
    pub fn any(self) -> bool {
        self != Self::default()
    }

    pub fn met(self, text: &str) -> bool {
        let bytes = text.as_bytes();
        (!self.ascii || text.is_ascii())
            && (!self.no_last_terminator || !ends_in_terminator(bytes))
            && (!self.one_line || (!bytes.is_empty() && !has_terminator(text)))
    }
}

fn ends_in_terminator(text: &[u8]) -> bool {
    matches!(text, [.., b'\n' | b'\r'] | [.., 0xC2, 0x85] | [.., 0xE2, 0x80, 0xA8 | 0xA9])
}

fn has_terminator(text: &str) -> bool {
    memchr::memchr2(b'\n', b'\r', text.as_bytes()).is_some()
        || (!text.is_ascii() && text.contains(['\u{85}', '\u{2028}', '\u{2029}']))
}

/// The exact program and the texts it holds for; `None` if `regex` has no such thing (look-around, back-references,
/// possessive quantifiers, atomic groups, `\G`).
pub(super) fn exact(node: &Node) -> Option<(String, Needs)> {
    let mut emit = Emit { out: String::new(), needs: Needs::default(), loose: false, plain: true };
    emit.node(node);
    emit.plain.then_some((emit.out, emit.needs))
}

/// A program that finds a match, starting no later, in every text in which the pattern does.
pub(super) fn screen(node: &Node) -> String {
    let mut emit = Emit { out: String::new(), needs: Needs::default(), loose: true, plain: true };
    emit.node(node);
    emit.out
}

struct Emit {
    out: String,
    needs: Needs,
    loose: bool,
    plain: bool,
}

impl Emit {
    fn node(&mut self, node: &Node) {
        match node {
            Node::Empty => self.out.push_str("(?:)"),
            Node::Char(c) => self.char(*c),
            Node::Set(set) => self.set(set),
            Node::Concat(parts) => parts.iter().for_each(|p| match p {
                Node::Alt(_) => self.wrapped(p),
                _ => self.node(p),
            }),
            Node::Alt(parts) => {
                for (i, part) in parts.iter().enumerate() {
                    if i > 0 {
                        self.out.push('|');
                    }
                    self.node(part);
                }
            }
            Node::Bare(node) => self.wrapped(node),
            Node::Group { node, .. } if self.loose => self.wrapped(node),
            Node::Group { node, .. } => {
                self.out.push('(');
                self.node(node);
                self.out.push(')');
            }
            Node::Repeat { node, min, max, greed, .. } => {
                self.plain &= *greed != Greed::Possessive;
                self.wrapped(node);
                match (min, max) {
                    (0, None) => self.out.push('*'),
                    (1, None) => self.out.push('+'),
                    (0, Some(1)) => self.out.push('?'),
                    (min, None) => self.out.push_str(&format!("{{{min},}}")),
                    (min, Some(max)) => self.out.push_str(&format!("{{{min},{max}}}")),
                }
                if *greed == Greed::Lazy {
                    self.out.push('?');
                }
            }
            Node::Look { .. } => {
                self.plain = false;
                self.out.push_str("(?:)");
            }
            Node::Atomic(node) => {
                self.plain = false;
                self.wrapped(node);
            }
            Node::Backref { .. } => {
                self.plain = false;
                self.out.push_str("(?s:.)*");
            }
            Node::Assert(assert) => self.assert(*assert),
        }
    }

    fn wrapped(&mut self, node: &Node) {
        match node {
            Node::Char(_) | Node::Set(_) | Node::Group { .. } => self.node(node),
            _ => {
                self.out.push_str("(?:");
                self.node(node);
                self.out.push(')');
            }
        }
    }

    fn assert(&mut self, assert: Assert) {
        let text = match assert {
            Assert::Start => "\\A",
            Assert::SearchStart => {
                self.plain = false;
                "(?:)"
            }
            _ if self.loose => "(?:)",
            Assert::End => "\\z",
            Assert::LastEnd { .. } => {
                self.needs.no_last_terminator = true;
                "\\z"
            }
            Assert::LineStart { .. } => {
                self.needs.one_line = true;
                "\\A"
            }
            Assert::LineEnd { .. } => {
                self.needs.one_line = true;
                "\\z"
            }
            Assert::Word { negated, unicode } => {
                self.needs.ascii |= !unicode;
                if negated { "\\B" } else { "\\b" }
            }
        };
        // A quantifier may follow.
        self.out.push_str(&format!("(?:{text})"));
    }

    fn char(&mut self, c: char) {
        if c.is_ascii_alphanumeric() || (!c.is_ascii() && !c.is_whitespace()) {
            self.out.push(c);
        } else {
            self.out.push_str(&format!("\\x{{{:X}}}", c as u32));
        }
    }

    fn set(&mut self, set: &Set) {
        if let Some(short) = &set.short {
            self.out.push_str(short);
            return;
        }
        self.out.push('[');
        if set.class.ranges().is_empty() {
            // Nothing: the empty class.
            self.out.push_str("^\\x{0}-\\x{10FFFF}");
        }
        for range in set.class.ranges() {
            self.char(range.start());
            if range.start() != range.end() {
                self.out.push('-');
                self.char(range.end());
            }
        }
        self.out.push(']');
    }
}
