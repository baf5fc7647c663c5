//! A pattern as a tree, after Java's syntax and flags are resolved: what is left is sets of code points and structure.

use regex_syntax::hir::{ClassUnicode, ClassUnicodeRange};

/// A set of code points; `short` is a text in `regex` syntax that means the same and is shorter than the ranges.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Set {
    pub class: ClassUnicode,
    pub short: Option<String>,
}

impl Set {
    pub fn empty() -> Self {
        Self { class: ClassUnicode::empty(), short: None }
    }

    /// From inclusive ranges; surrogates, which no text holds, are left out.
    pub fn ranges(ranges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        let mut parts = Vec::new();
        for (from, to) in ranges {
            for (from, to) in [(from, to.min(0xD7FF)), (from.max(0xE000), to.min(0x10_FFFF))] {
                if let (true, Some(a), Some(b)) = (from <= to, char::from_u32(from), char::from_u32(to)) {
                    parts.push(ClassUnicodeRange::new(a, b));
                }
            }
        }
        Self { class: ClassUnicode::new(parts), short: None }
    }

    pub fn one(c: u32) -> Self {
        Self::ranges([(c, c)])
    }

    pub fn negated(mut self) -> Self {
        self.class.negate();
        self.short = self.short.and_then(|s| match s.strip_prefix("\\p{") {
            Some(rest) => Some(format!("\\P{{{rest}")),
            None => s.strip_prefix("\\P{").map(|rest| format!("\\p{{{rest}")),
        });
        self
    }

    pub fn or(mut self, other: &Set) -> Self {
        if self.class.ranges().is_empty() {
            return other.clone();
        }
        self.class.union(&other.class);
        self.short = None;
        self
    }

    pub fn and(mut self, other: &Set) -> Self {
        self.class.intersect(&other.class);
        self.short = None;
        self
    }

    pub fn contains(&self, c: char) -> bool {
        contains(&self.class, c)
    }

    /// The members, if there are at most `most`.
    pub fn members(&self, most: usize) -> Option<Vec<char>> {
        let mut out = Vec::new();
        for range in self.class.ranges() {
            if range.len() > most {
                return None;
            }
            out.extend(range.start()..=range.end());
            if out.len() > most {
                return None;
            }
        }
        Some(out)
    }
}

pub(super) fn contains(class: &ClassUnicode, c: char) -> bool {
    class
        .ranges()
        .binary_search_by(|r| {
            if r.end() < c {
                std::cmp::Ordering::Less
            } else if r.start() > c {
                std::cmp::Ordering::Greater
            } else {
                std::cmp::Ordering::Equal
            }
        })
        .is_ok()
}

/// How letters compare in a back-reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fold {
    Exact,
    Ascii,
    Unicode,
}

/// How eager a repetition is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Greed {
    Greedy,
    Lazy,
    Possessive,
}

/// A condition on a position. `unix`: only `\n` ends a line (flag `d`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assert {
    /// `\A`, and `^` without flag `m`.
    Start,
    /// `\z`.
    End,
    /// `\Z`, and `$` without flag `m`: the end, or before a last line terminator.
    LastEnd { unix: bool },
    /// `^` with flag `m`.
    LineStart { unix: bool },
    /// `$` with flag `m`.
    LineEnd { unix: bool },
    /// `\b` or `\B`; `unicode`: words are those of flag `U`.
    Word { negated: bool, unicode: bool },
    /// `\G`: where the search began.
    SearchStart,
}

/// A part of a pattern.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Empty,
    Char(char),
    Set(Set),
    Concat(Vec<Node>),
    Alt(Vec<Node>),
    Group {
        index: usize,
        node: Box<Node>,
    },
    /// A group that does not capture.
    Bare(Box<Node>),
    Repeat {
        node: Box<Node>,
        min: u32,
        max: Option<u32>,
        greed: Greed,
        question: bool,
    },
    Look {
        behind: Option<(i32, i32)>,
        negated: bool,
        node: Box<Node>,
    },
    Atomic(Box<Node>),
    Backref {
        group: usize,
        fold: Fold,
    },
    Assert(Assert),
}

/// What Java knows of a part when it decides whether a look-behind has "an obvious maximum length". It counts in 32 bits and
/// takes "no limit" for a number, so `(?<=a+)` passes and `(?<=(ab)+)` overflows; which patterns pass depends on that.
#[derive(Debug, Clone, Copy)]
pub(super) struct Study {
    pub min: i32,
    pub max: i32,
    pub bounded: bool,
    pub deterministic: bool,
    /// Lengths up to the last choice. Java counts anew after a choice and adds without looking for an overflow.
    before: (i32, i32),
}

impl Study {
    pub fn of(node: &Node) -> Self {
        let mut study = Self { min: 0, max: 0, bounded: true, deterministic: true, before: (0, 0) };
        study.add(node);
        study.min = study.min.wrapping_add(study.before.0);
        study.max = study.max.wrapping_add(study.before.1);
        study
    }

    /// A part that Java looks at on its own: what is counted anew after a choice in it ends with it.
    fn enclosed(&mut self, node: &Node) {
        let before = std::mem::take(&mut self.before);
        self.add(node);
        self.min = self.min.wrapping_add(self.before.0);
        self.max = self.max.wrapping_add(self.before.1);
        self.before = before;
    }

    fn choice(&mut self, min: i32, max: i32) {
        let before = (self.before.0.wrapping_add(self.min), self.before.1.wrapping_add(self.max));
        self.before = (before.0.wrapping_add(min), before.1.wrapping_add(max));
        (self.min, self.max) = (0, 0);
        self.deterministic = false;
    }

    fn add(&mut self, node: &Node) {
        match node {
            Node::Empty | Node::Assert(_) | Node::Look { .. } => {}
            Node::Char(_) | Node::Set(_) => {
                self.min = self.min.wrapping_add(1);
                self.max = self.max.wrapping_add(1);
            }
            Node::Concat(parts) => parts.iter().for_each(|p| self.add(p)),
            Node::Alt(parts) => {
                let (mut min, mut max) = (i32::MAX, -1);
                for s in parts.iter().map(Study::of) {
                    min = min.min(s.min);
                    max = max.max(s.max);
                    self.bounded &= s.bounded;
                }
                self.choice(min, max);
            }
            Node::Group { node, .. } | Node::Bare(node) => self.add(node),
            Node::Atomic(node) => self.enclosed(node),
            Node::Backref { .. } => self.bounded = false,
            Node::Repeat { node, question: true, greed, .. }
                if *greed != Greed::Possessive && matches!(**node, Node::Group { .. } | Node::Bare(_)) =>
            {
                let body = Study::of(node);
                self.bounded &= body.bounded;
                self.choice(0, body.max.max(0));
            }
            Node::Repeat { node, question: true, .. } => {
                let min = self.min;
                self.enclosed(node);
                self.min = min;
                self.deterministic = false;
            }
            Node::Repeat { node, min, max, greed, .. } => self.repeat(node, *min, *max, *greed),
        }
    }

    fn repeat(&mut self, node: &Node, min: u32, max: Option<u32>, greed: Greed) {
        let (min, most) = (min as i32, max.map_or(i32::MAX, |m| m as i32));
        if max.is_none() && greed == Greed::Greedy && matches!(node, Node::Char(_) | Node::Set(_)) {
            self.min = self.min.wrapping_add(min);
            self.max = self.max.wrapping_add(i32::MAX);
            self.deterministic = false;
            return;
        }
        let body = Study::of(node);
        let group = matches!(node, Node::Group { .. } | Node::Bare(_));
        if group && !body.deterministic && greed != Greed::Possessive {
            // A loop, whose length Java does not look for.
            self.bounded = false;
            self.deterministic = false;
            return;
        }
        let least = body.min.wrapping_mul(min).wrapping_add(self.min);
        self.min = if least < self.min { 0x0FFF_FFFF } else { least };
        let longest = body.max.wrapping_mul(most).wrapping_add(self.max);
        self.bounded &= body.bounded && longest >= self.max;
        self.max = longest;
        self.deterministic &= body.deterministic && min == most;
    }
}

/// Bytes that the linear engine takes for a character, and for a set of them, at most: the largest sets of Unicode stay below.
const CHARACTER: usize = 1 << 10;
const SET: usize = 100 << 10;

impl Node {
    /// About how many bytes the linear engine's program takes at most, repetitions written out.
    pub fn weight(&self) -> usize {
        match self {
            Node::Empty | Node::Assert(_) | Node::Char(_) | Node::Backref { .. } => CHARACTER,
            Node::Set(set) if set.class.ranges().iter().all(|r| r.end() < '\u{80}') => CHARACTER,
            Node::Set(_) => SET,
            Node::Concat(parts) | Node::Alt(parts) => {
                parts.iter().fold(CHARACTER, |sum, p| sum.saturating_add(p.weight()))
            }
            Node::Group { node, .. } | Node::Bare(node) | Node::Atomic(node) | Node::Look { node, .. } => {
                node.weight().saturating_add(CHARACTER)
            }
            Node::Repeat { node, min, max, .. } => {
                let rounds = max.unwrap_or(min.saturating_add(1)) as usize;
                node.weight().saturating_add(CHARACTER).saturating_mul(rounds.max(1))
            }
        }
    }

    /// Whether the part can match without taking a character (may say yes too often).
    pub fn can_be_empty(&self) -> bool {
        match self {
            Node::Empty | Node::Assert(_) | Node::Look { .. } | Node::Backref { .. } => true,
            Node::Char(_) | Node::Set(_) => false,
            Node::Concat(parts) => parts.iter().all(Node::can_be_empty),
            Node::Alt(parts) => parts.iter().any(Node::can_be_empty),
            Node::Group { node, .. } | Node::Bare(node) | Node::Atomic(node) => node.can_be_empty(),
            Node::Repeat { node, min, .. } => *min == 0 || node.can_be_empty(),
        }
    }

    /// Whether a repetition of more than one round has a body that can be empty. Engines agree on what such a pattern
    /// matches, but not always on where it ends and what its groups hold.
    pub fn repeats_empty(&self) -> bool {
        match self {
            Node::Empty | Node::Char(_) | Node::Set(_) | Node::Assert(_) | Node::Backref { .. } => false,
            Node::Concat(parts) | Node::Alt(parts) => parts.iter().any(Node::repeats_empty),
            Node::Group { node, .. } | Node::Bare(node) | Node::Atomic(node) | Node::Look { node, .. } => {
                node.repeats_empty()
            }
            Node::Repeat { node, max, .. } => {
                (node.can_be_empty() && max.is_none_or(|m| m > 1)) || node.repeats_empty()
            }
        }
    }
}
