//! The backtracking engine: for what crate `regex` does not have. It keeps its own stack, counts its steps over the whole
//! search, and gives up at a limit, so that no pattern can hang a job.

use super::classes;
use super::program::{Inst, Program};
use super::tree::{Assert, Fold, Greed, contains};

/// Steps of one search. About a tenth of a second.
pub(super) const MAX_STEPS: u64 = 5_000_000;

/// The search went over its steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct GaveUp;

/// Where each group matched, the whole match first.
pub(super) type Groups = Vec<Option<(usize, usize)>>;

/// A position that no group and no loop is at.
const NOWHERE: usize = usize::MAX;

#[derive(Debug)]
enum Saved {
    Branch {
        pc: usize,
        at: usize,
    },
    /// A greedy run that can give back one character more, down to `least`.
    Run {
        pc: usize,
        least: usize,
        at: usize,
    },
    /// A lazy run that can take one character more.
    Lazy {
        pc: usize,
        at: usize,
        left: u32,
    },
    Group {
        slot: usize,
        was: (usize, usize),
    },
    Opened {
        slot: usize,
        was: usize,
    },
    Loop {
        slot: usize,
        was: (u32, usize),
    },
}

struct Engine<'a> {
    program: &'a Program,
    text: &'a str,
    from: usize,
    groups: Vec<(usize, usize)>,
    opened: Vec<usize>,
    loops: Vec<(u32, usize)>,
    stack: Vec<Saved>,
    steps: u64,
}

/// Finds the first match that starts at `from` or later (`search`) or exactly there and, with `whole`, ends at the end of the
/// text. Gives the ends of the match and of the groups; group 0 is the match.
pub(super) fn run(
    program: &Program,
    text: &str,
    from: usize,
    first: usize,
    whole: bool,
) -> Result<Option<Groups>, GaveUp> {
    let mut engine = Engine {
        program,
        text,
        from,
        groups: vec![(NOWHERE, NOWHERE); program.groups + 1],
        opened: vec![NOWHERE; program.groups + 1],
        loops: vec![(0, NOWHERE); program.loops],
        stack: Vec::new(),
        steps: 0,
    };
    let mut at = first;
    loop {
        let goal = whole.then_some(text.len());
        if let Some(end) = engine.matches(0, at, goal)? {
            let mut found: Groups = engine.groups.iter().map(|g| (g.0 != NOWHERE).then_some(*g)).collect();
            if let Some(slot) = found.first_mut() {
                *slot = Some((at, end));
            }
            return Ok(Some(found));
        }
        match engine.after(at) {
            Some((_, next)) if !whole => at = next,
            _ => return Ok(None),
        }
    }
}

impl Engine<'_> {
    /// The character at a position and where the next one is.
    fn after(&self, at: usize) -> Option<(char, usize)> {
        let bytes = self.text.as_bytes();
        let first = *bytes.get(at)?;
        if first < 0x80 {
            return Some((first as char, at + 1));
        }
        let c = self.text.get(at..)?.chars().next()?;
        Some((c, at + c.len_utf8()))
    }

    /// The character before a position and where it is.
    fn before(&self, at: usize) -> Option<(char, usize)> {
        let c = self.text.get(..at)?.chars().next_back()?;
        Some((c, at - c.len_utf8()))
    }

    fn step(&mut self) -> Result<(), GaveUp> {
        self.steps += 1;
        if self.steps > MAX_STEPS { Err(GaveUp) } else { Ok(()) }
    }

    /// Runs from an instruction to its `End`; gives where that was. `goal`: only an end there counts.
    fn matches(&mut self, pc: usize, at: usize, goal: Option<usize>) -> Result<Option<usize>, GaveUp> {
        let base = self.stack.len();
        let (mut pc, mut at) = (pc, at);
        let program = self.program;
        loop {
            self.step()?;
            let next = match program.insts.get(pc) {
                None => None,
                Some(Inst::End) => {
                    if goal.is_none_or(|g| g == at) {
                        self.keep(base);
                        return Ok(Some(at));
                    }
                    None
                }
                Some(Inst::Char(c)) => self.after(at).filter(|(x, _)| x == c).map(|(_, n)| (pc + 1, n)),
                Some(Inst::Set(set)) => {
                    self.after(at).filter(|(x, _)| contains(set, *x)).map(|(_, n)| (pc + 1, n))
                }
                Some(Inst::Split(first, second)) => {
                    self.stack.push(Saved::Branch { pc: *second, at });
                    Some((*first, at))
                }
                Some(Inst::Jump(to)) => Some((*to, at)),
                Some(Inst::Open(group)) => {
                    if let Some(slot) = self.opened.get_mut(*group) {
                        self.stack.push(Saved::Opened { slot: *group, was: *slot });
                        *slot = at;
                    }
                    Some((pc + 1, at))
                }
                Some(Inst::Close(group)) => {
                    let start = self.opened.get(*group).copied().unwrap_or(at);
                    if let Some(slot) = self.groups.get_mut(*group) {
                        self.stack.push(Saved::Group { slot: *group, was: *slot });
                        *slot = (start, at);
                    }
                    Some((pc + 1, at))
                }
                Some(Inst::Assert(assert)) => self.holds(*assert, at).then_some((pc + 1, at)),
                Some(Inst::Backref { group, fold }) => self.same(*group, *fold, at)?.map(|end| (pc + 1, end)),
                Some(Inst::Run { set, min, max, greed }) => {
                    let mut end = at;
                    let mut least = at;
                    let mut taken = 0;
                    let wanted = if *greed == Greed::Lazy { *min } else { *max };
                    while taken < wanted {
                        match self.after(end).filter(|(c, _)| contains(set, *c)) {
                            Some((_, next)) => end = next,
                            None => break,
                        }
                        self.step()?;
                        taken += 1;
                        if taken == *min {
                            least = end;
                        }
                    }
                    if taken < *min {
                        None
                    } else {
                        match greed {
                            Greed::Greedy if end > least => {
                                self.stack.push(Saved::Run { pc: pc + 1, least, at: end });
                            }
                            Greed::Lazy if taken < *max => {
                                self.stack.push(Saved::Lazy { pc, at: end, left: max - taken });
                            }
                            _ => {}
                        }
                        Some((pc + 1, end))
                    }
                }
                Some(Inst::LoopStart(slot)) => {
                    self.set_loop(*slot, (0, NOWHERE));
                    Some((pc + 1, at))
                }
                Some(Inst::Loop { slot, min, max, lazy, body, exit }) => {
                    let (count, began) = self.loops.get(*slot).copied().unwrap_or((0, NOWHERE));
                    if began == at || count >= *max {
                        // A round that took nothing ends the loop: further ones would take nothing either.
                        Some((*exit, at))
                    } else if count < *min {
                        self.set_loop(*slot, (count + 1, at));
                        Some((*body, at))
                    } else if *lazy {
                        // The round is counted when it is tried: see `retry`.
                        self.stack.push(Saved::Branch { pc, at: at | LAZY });
                        Some((*exit, at))
                    } else {
                        self.stack.push(Saved::Branch { pc: *exit, at });
                        self.set_loop(*slot, (count + 1, at));
                        Some((*body, at))
                    }
                }
                Some(Inst::Look { behind, negated, then }) => {
                    let found = match behind {
                        None => self.sub(pc + 1, at, None)?.is_some(),
                        Some((min, max)) => self.behind(pc + 1, at, *min, *max)?,
                    };
                    if found && *negated {
                        // What it captured does not count: it is undone with the branch that fails here.
                        None
                    } else {
                        (found != *negated).then_some((*then, at))
                    }
                }
                Some(Inst::Atomic { then }) => self.sub(pc + 1, at, None)?.map(|end| (*then, end)),
            };
            match next {
                Some((p, a)) => (pc, at) = (p, a),
                None => match self.retry(base) {
                    Some((p, a)) => (pc, at) = (p, a),
                    None => return Ok(None),
                },
            }
        }
    }

    /// A part on its own. Look-around and atomic groups nest no deeper than the parser allows.
    fn sub(&mut self, pc: usize, at: usize, goal: Option<usize>) -> Result<Option<usize>, GaveUp> {
        self.matches(pc, at, goal)
    }

    fn behind(&mut self, pc: usize, at: usize, min: i32, max: i32) -> Result<bool, GaveUp> {
        // A greatest length that overflowed: Java subtracts it from the position, and with another overflow that is no limit.
        let max = if max >= 0 {
            max
        } else {
            let least = (i64::from(max) - i64::from(i32::MIN)) as usize;
            let before = self.text.get(..at).unwrap_or_default();
            if before.chars().take(least).count() < least {
                return Ok(false);
            }
            i32::MAX
        };
        let mut start = at;
        let mut back = 0;
        loop {
            if back >= min && self.sub(pc, start, Some(at))?.is_some() {
                return Ok(true);
            }
            match self.before(start) {
                Some((_, p)) if back < max => {
                    start = p;
                    back += 1;
                }
                _ => return Ok(false),
            }
        }
    }

    /// Forgets the branches above `base` and keeps what undoes captures, for whoever fails later.
    fn keep(&mut self, base: usize) {
        let mut to = base;
        for i in base..self.stack.len() {
            let undo = matches!(
                self.stack.get(i),
                Some(Saved::Group { .. } | Saved::Opened { .. } | Saved::Loop { .. })
            );
            if undo {
                self.stack.swap(to, i);
                to += 1;
            }
        }
        self.stack.truncate(to);
    }

    fn set_loop(&mut self, slot: usize, now: (u32, usize)) {
        if let Some(state) = self.loops.get_mut(slot) {
            self.stack.push(Saved::Loop { slot, was: *state });
            *state = now;
        }
    }

    /// Goes back to the last open branch above `base`.
    fn retry(&mut self, base: usize) -> Option<(usize, usize)> {
        while self.stack.len() > base {
            match self.stack.pop()? {
                Saved::Branch { pc, at } if at & LAZY != 0 => {
                    let at = at & !LAZY;
                    if let Some(Inst::Loop { slot, body, .. }) = self.program.insts.get(pc) {
                        let count = self.loops.get(*slot).map_or(0, |l| l.0);
                        self.set_loop(*slot, (count + 1, at));
                        return Some((*body, at));
                    }
                }
                Saved::Branch { pc, at } => return Some((pc, at)),
                Saved::Run { pc, least, at } => {
                    let (_, at) = self.before(at)?;
                    if at > least {
                        self.stack.push(Saved::Run { pc, least, at });
                    }
                    return Some((pc, at));
                }
                Saved::Lazy { pc, at, left } => {
                    let Some(Inst::Run { set, .. }) = self.program.insts.get(pc) else { continue };
                    if let Some((_, at)) = self.after(at).filter(|(c, _)| contains(set, *c)) {
                        if left > 1 {
                            self.stack.push(Saved::Lazy { pc, at, left: left - 1 });
                        }
                        return Some((pc + 1, at));
                    }
                }
                Saved::Group { slot, was } => {
                    if let Some(s) = self.groups.get_mut(slot) {
                        *s = was;
                    }
                }
                Saved::Opened { slot, was } => {
                    if let Some(s) = self.opened.get_mut(slot) {
                        *s = was;
                    }
                }
                Saved::Loop { slot, was } => {
                    if let Some(s) = self.loops.get_mut(slot) {
                        *s = was;
                    }
                }
            }
        }
        None
    }

    /// Where a back-reference ends if it matches here.
    fn same(&mut self, group: usize, fold: Fold, at: usize) -> Result<Option<usize>, GaveUp> {
        // A group that does not exist, or took no part, matches nothing.
        let Some(&(start, end)) = self.groups.get(group).filter(|g| g.0 != NOWHERE && group > 0) else {
            return Ok(None);
        };
        let (mut i, mut j) = (start, at);
        while i < end {
            self.step()?;
            let (Some((a, n)), Some((b, m))) = (self.after(i), self.after(j)) else { return Ok(None) };
            let equal = a == b
                || match fold {
                    Fold::Exact => false,
                    Fold::Ascii => a.eq_ignore_ascii_case(&b),
                    Fold::Unicode => classes::fold(a) == classes::fold(b),
                };
            if !equal {
                return Ok(None);
            }
            (i, j) = (n, m);
        }
        Ok(Some(j))
    }

    fn holds(&self, assert: Assert, at: usize) -> bool {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        match assert {
            Assert::Start => at == 0,
            Assert::End => rest.is_empty(),
            Assert::SearchStart => at == self.from,
            Assert::LastEnd { unix: true } => matches!(rest, [] | [b'\n']),
            Assert::LastEnd { unix: false } => match rest {
                [] | [b'\r'] | [b'\r', b'\n'] | [0xC2, 0x85] | [0xE2, 0x80, 0xA8 | 0xA9] => true,
                [b'\n'] => before.last() != Some(&b'\r'),
                _ => false,
            },
            Assert::LineStart { unix } => {
                !rest.is_empty()
                    && match before {
                        [] | [.., b'\n'] => true,
                        _ if unix => false,
                        [.., b'\r'] => rest.first() != Some(&b'\n'),
                        [.., 0xC2, 0x85] | [.., 0xE2, 0x80, 0xA8 | 0xA9] => true,
                        _ => false,
                    }
            }
            Assert::LineEnd { unix: true } => matches!(rest, [] | [b'\n', ..]),
            Assert::LineEnd { unix: false } => match rest {
                [] | [b'\r', ..] | [0xC2, 0x85, ..] | [0xE2, 0x80, 0xA8 | 0xA9, ..] => true,
                [b'\n', ..] => before.last() != Some(&b'\r'),
                _ => false,
            },
            Assert::Word { negated, unicode } => {
                let left = self.before(at).is_some_and(|(c, p)| self.in_word(c, p, unicode));
                let right = self.after(at).is_some_and(|(c, _)| self.in_word(c, at, unicode));
                (left != right) != negated
            }
        }
    }

    /// Whether the character at a position is a part of a word: by itself, or as a mark on a letter.
    fn in_word(&self, c: char, at: usize, unicode: bool) -> bool {
        if c.is_ascii() {
            return c.is_ascii_alphanumeric() || c == '_';
        }
        if if unicode { classes::unicode_word().contains(c) } else { classes::boundary_word().contains(c) } {
            return true;
        }
        if !classes::marks().contains(c) {
            return false;
        }
        let mut at = at;
        while let Some((c, p)) = self.before(at) {
            if c != '_' && classes::boundary_word().contains(c) {
                return true;
            }
            if !classes::marks().contains(c) {
                return false;
            }
            at = p;
        }
        false
    }
}

/// Marks a saved branch as the next round of a lazy loop. No text is that long.
const LAZY: usize = 1 << (usize::BITS - 1);
