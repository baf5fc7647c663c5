//! What every matching text must contain, so that a rule can be skipped without running it.

use super::tree::Node;

/// A text that must be contained.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal {
    /// UTF-8; in lower case if `ignore_ascii_case`.
    pub bytes: Vec<u8>,
    /// ASCII letters match in either case.
    pub ignore_ascii_case: bool,
}

/// An AND of ORs: a matching text contains, for each set, at least one of its literals. Empty: nothing is known.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Literals {
    /// Each set is not empty, and no literal in it is.
    pub all: Vec<Vec<Literal>>,
}

/// Most texts that a part may stand for before it is cut.
const MOST: usize = 16;
/// Longest literal.
const LONGEST: usize = 64;

/// What is known of a part: the texts it stands for, if these are few, and what it must contain.
struct Known {
    exact: Option<Vec<Literal>>,
    all: Vec<Vec<Literal>>,
}

impl Known {
    fn exact(texts: Vec<Literal>) -> Self {
        Self { exact: Some(texts), all: Vec::new() }
    }

    fn nothing() -> Self {
        Self { exact: None, all: Vec::new() }
    }

    /// What it must contain, with the texts it stands for counted as such.
    fn required(self) -> Vec<Vec<Literal>> {
        let mut all = self.all;
        if let Some(texts) = self.exact {
            push(&mut all, texts);
        }
        all
    }
}

fn empty() -> Literal {
    Literal { bytes: Vec::new(), ignore_ascii_case: false }
}

fn push(all: &mut Vec<Vec<Literal>>, mut any: Vec<Literal>) {
    if !any.is_empty() && any.iter().all(|l| !l.bytes.is_empty()) {
        any.sort();
        any.dedup();
        if !all.contains(&any) {
            all.push(any);
        }
    }
}

/// How good a set is: its shortest literal, then few alternatives.
fn worth(any: &[Literal]) -> (usize, usize) {
    (any.iter().map(|l| l.bytes.len()).min().unwrap_or(0), usize::MAX - any.len())
}

pub(super) fn required(node: &Node) -> Literals {
    let mut all = known(node).required();
    // One of many single bytes (`\s`) is in every text.
    all.retain(|any| any.len() <= 2 || any.iter().all(|l| l.bytes.len() > 1));
    Literals { all }
}

fn joined(a: &Literal, b: &Literal) -> Literal {
    let mut both = a.clone();
    both.append(b);
    both
}

fn known(node: &Node) -> Known {
    match node {
        Node::Empty | Node::Assert(_) => Known::exact(vec![empty()]),
        Node::Char(c) => Known::exact(vec![of(*c, false)]),
        Node::Set(set) => match set.members(MOST) {
            Some(chars) if !chars.is_empty() => Known::exact(letters(&chars)),
            _ => Known::nothing(),
        },
        Node::Group { node, .. } | Node::Bare(node) | Node::Atomic(node) => known(node),
        Node::Look { behind: _, negated, node } => {
            let all = if *negated { Vec::new() } else { known(node).required() };
            Known { exact: Some(vec![empty()]), all }
        }
        Node::Backref { .. } => Known::nothing(),
        Node::Repeat { node, min, max, .. } => repeat(node, *min, *max),
        Node::Concat(parts) => concat(parts),
        Node::Alt(parts) => alternatives(parts),
    }
}

fn of(c: char, ignore_ascii_case: bool) -> Literal {
    Literal { bytes: c.to_string().into_bytes(), ignore_ascii_case }
}

/// One literal for each pair of an ASCII letter's cases, one for every other character.
fn letters(chars: &[char]) -> Vec<Literal> {
    let mut out = Vec::new();
    for c in chars {
        let both = c.is_ascii_alphabetic()
            && chars.contains(&c.to_ascii_lowercase())
            && chars.contains(&c.to_ascii_uppercase());
        if !both {
            out.push(of(*c, false));
        } else if c.is_ascii_lowercase() {
            out.push(of(*c, true));
        }
    }
    out
}

fn repeat(node: &Node, min: u32, max: Option<u32>) -> Known {
    if min == 0 {
        // At most one text: that text, or nothing.
        return match (max, known(node)) {
            (Some(1), Known { exact: Some(mut texts), .. }) if texts.len() < 4 => {
                texts.push(empty());
                Known::exact(texts)
            }
            _ => Known::nothing(),
        };
    }
    let inner = known(node);
    if let (true, Some([one])) = (max == Some(min) && min <= 8, inner.exact.as_deref()) {
        let text = (1..min).fold(one.clone(), |a, _| joined(&a, one));
        if text.bytes.len() <= LONGEST {
            return Known { exact: Some(vec![text]), all: inner.all };
        }
    }
    Known { exact: None, all: inner.required() }
}

fn concat(parts: &[Node]) -> Known {
    let mut all: Vec<Vec<Literal>> = Vec::new();
    let mut run = vec![empty()];
    let mut whole = true;
    for part in parts {
        // Patterns are mostly plain letters: each goes behind every text that there is so far.
        if let Node::Char(c) = part
            && run.iter().all(|l| l.bytes.len() + c.len_utf8() <= LONGEST)
        {
            for text in &mut run {
                text.push(*c);
            }
            continue;
        }
        let Known { exact, all: more } = known(part);
        for any in more {
            push(&mut all, any);
        }
        match exact {
            Some(texts) => {
                let longest = |v: &[Literal]| v.iter().map(|l| l.bytes.len()).max().unwrap_or(0);
                let fits = run.len() * texts.len() <= MOST && longest(&run) + longest(&texts) <= LONGEST;
                if let (true, [one]) = (fits, texts.as_slice()) {
                    run.iter_mut().for_each(|text| text.append(one));
                } else if fits {
                    run = run.iter().flat_map(|a| texts.iter().map(move |b| joined(a, b))).collect();
                } else {
                    whole = false;
                    push(&mut all, std::mem::replace(&mut run, texts));
                }
            }
            None => {
                whole = false;
                push(&mut all, std::mem::replace(&mut run, vec![empty()]));
            }
        }
    }
    if whole {
        return Known { exact: Some(run), all };
    }
    push(&mut all, run);
    Known { exact: None, all }
}

fn alternatives(parts: &[Node]) -> Known {
    let branches: Vec<Known> = parts.iter().map(known).collect();
    let few: usize = branches.iter().map(|b| b.exact.as_ref().map_or(MOST + 1, Vec::len)).sum();
    if few <= MOST {
        // What a branch demands beyond its text (a look-ahead) is not demanded by the others.
        return Known::exact(branches.into_iter().filter_map(|b| b.exact).flatten().collect());
    }
    let mut any = Vec::new();
    for branch in branches {
        let best = branch.required().into_iter().max_by_key(|a| worth(a));
        match best {
            Some(texts) => any.extend(texts),
            None => return Known::nothing(),
        }
    }
    let mut all = Vec::new();
    if any.len() <= 4 * MOST {
        push(&mut all, any);
    }
    Known { exact: None, all }
}

impl Literal {
    /// Adds a character that is compared exactly where the text is.
    fn push(&mut self, c: char) {
        let c = if self.ignore_ascii_case { c.to_ascii_lowercase() } else { c };
        self.bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
    }

    /// Adds another text.
    fn append(&mut self, other: &Literal) {
        self.bytes.extend_from_slice(&other.bytes);
        // A text that is compared loosely in one place is compared loosely as a whole: that only lets more through.
        self.ignore_ascii_case |= other.ignore_ascii_case;
        if self.ignore_ascii_case {
            self.bytes.make_ascii_lowercase();
        }
    }

    /// Whether a text contains it (for tests and for texts that no index has seen).
    pub fn is_in(&self, text: &[u8]) -> bool {
        if !self.ignore_ascii_case {
            return memchr::memmem::find(text, &self.bytes).is_some();
        }
        self.bytes.is_empty() || text.windows(self.bytes.len()).any(|w| w.eq_ignore_ascii_case(&self.bytes))
    }
}

impl Literals {
    /// Whether a text can match as far as the literals tell.
    pub fn admit(&self, text: &[u8]) -> bool {
        self.all.iter().all(|any| any.iter().any(|l| l.is_in(text)))
    }
}
