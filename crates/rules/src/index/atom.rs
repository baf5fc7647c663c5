//! Tests of one column that the index answers from a field's bytes, and conditions made of them.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault};
use std::net::IpAddr;

use millstream_expr::kernel::hash::QuickHasher;

use super::ordinal::Ordinal;
use super::parts::number;

/// Number of an atom in its [`Atoms`].
pub(super) type AtomId = u32;

/// Where a literal must stand in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Anywhere,
    Start,
    End,
    Whole,
}

/// What of the column a literal is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Case {
    /// The text as it is.
    Exact,
    /// The text as it is, ASCII letters in either case. The literal is in lower case.
    Fold,
    /// The text in lower case. The literal is in lower case, and ASCII.
    Lower,
    /// The text in upper case, ASCII letters in either case. The literal is in lower case, and ASCII.
    Upper,
}

/// A test of a value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Test {
    /// A text with a literal; TRUE never for NULL.
    Text { literal: Box<[u8]>, place: Place, case: Case },
    /// A value whose ordinal is in a closed range.
    Range { low: i64, high: i64, of: Ordinal },
    /// A text from `low` on and below `high` (`None`: no end), in the order of bytes; of the text itself, or in lower or upper case.
    Order { low: Box<[u8]>, high: Option<Box<[u8]>>, case: Case },
    /// An IP address in a closed range of one family.
    Address { low: IpAddr, high: IpAddr },
    /// A value with parts, as JSON spells it, that has a literal somewhere, or a backslash: that may hide it.
    Raw { literal: Box<[u8]>, case: Case },
    /// Not NULL.
    Present,
    /// NULL.
    Missing,
}

/// A test of a column.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Atom {
    pub(super) column: usize,
    pub(super) test: Test,
}

impl Atom {
    /// A guess of how many rows pass, before any was seen.
    pub(super) fn prior(&self) -> f64 {
        match &self.test {
            // A place is asked of the same literal, too.
            Test::Text { literal, place: Place::Start | Place::End, case } => {
                let anywhere = Test::Text { literal: literal.clone(), place: Place::Anywhere, case: *case };
                Atom { column: self.column, test: anywhere }.prior() / 2.0
            }
            Test::Text { literal, place: Place::Whole, .. } => 0.02 / literal.len().max(1) as f64,
            Test::Text { literal, .. } | Test::Raw { literal, .. } => match literal.len() {
                0 => 0.9,
                1 if literal.iter().all(|b| b.is_ascii_punctuation()) => 0.4,
                1 => 0.9,
                2 => 0.5,
                3 => 0.1,
                n => 0.02 / ((n - 3) * (n - 3)) as f64,
            },
            Test::Range { of: Ordinal::Boolean, .. } => 0.5,
            Test::Range { low, high, .. } if low == high => 0.05,
            Test::Range { .. } => 0.5,
            Test::Order { low, high: Some(_), .. } if !low.is_empty() => 0.2,
            Test::Order { .. } => 0.5,
            Test::Address { low, high } if low == high => 0.001,
            Test::Address { .. } => 0.05,
            // A part may not be there.
            Test::Present if number(self.column).is_some() => 0.5,
            Test::Present => 0.9,
            Test::Missing => 0.3,
        }
    }
}

/// What a condition over atoms tells of a row: if it does not hold, the row is no hit (and raises no error).
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Condition {
    /// Nothing is known: the row may be a hit.
    Always,
    /// The row is never a hit.
    Never,
    Atom(AtomId),
    All(Vec<Condition>),
    Any(Vec<Condition>),
}

impl Condition {
    /// All of these.
    pub(super) fn all(parts: Vec<Condition>) -> Condition {
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Condition::Always => {}
                Condition::Never => return Condition::Never,
                Condition::All(inner) => kept.extend(inner),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Condition::Always,
            1 => kept.remove(0),
            _ => Condition::All(kept),
        }
    }

    /// Calls `visit` with each atom.
    pub(super) fn atoms(&self, visit: &mut impl FnMut(AtomId)) {
        match self {
            Condition::Always | Condition::Never => {}
            Condition::Atom(a) => visit(*a),
            Condition::All(parts) | Condition::Any(parts) => parts.iter().for_each(|p| p.atoms(visit)),
        }
    }

    /// Any of these.
    pub(super) fn any(parts: Vec<Condition>) -> Condition {
        let mut kept = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Condition::Never => {}
                Condition::Always => return Condition::Always,
                Condition::Any(inner) => kept.extend(inner),
                other => kept.push(other),
            }
        }
        match kept.len() {
            0 => Condition::Never,
            1 => kept.remove(0),
            _ => Condition::Any(kept),
        }
    }
}

/// Atoms that ensure a condition: if it holds, one of them does.
#[derive(Debug, Clone)]
pub(super) struct Cover {
    /// Ascending, each once.
    pub(super) atoms: Vec<AtomId>,
    /// The share of rows on which one of them holds, as far as is known.
    pub(super) rate: f64,
    /// Whether the condition holds whenever one of them does.
    pub(super) lossless: bool,
}

impl Cover {
    /// The rarest atoms that ensure a condition; `None`: there are none.
    pub(super) fn of(condition: &Condition, rate: &impl Fn(AtomId) -> f64) -> Option<Cover> {
        match condition {
            Condition::Always => None,
            Condition::Never => Some(Cover { atoms: Vec::new(), rate: 0.0, lossless: true }),
            Condition::Atom(a) => Some(Cover { atoms: vec![*a], rate: rate(*a), lossless: true }),
            Condition::All(parts) => {
                let best =
                    parts.iter().filter_map(|p| Cover::of(p, rate)).min_by(|a, b| a.rate.total_cmp(&b.rate));
                best.map(|c| Cover { lossless: false, ..c })
            }
            Condition::Any(parts) => {
                let mut whole = Cover { atoms: Vec::new(), rate: 0.0, lossless: true };
                for part in parts {
                    let cover = Cover::of(part, rate)?;
                    whole.atoms.extend(cover.atoms);
                    whole.lossless &= cover.lossless;
                }
                whole.atoms.sort_unstable();
                whole.atoms.dedup();
                whole.rate = whole.atoms.iter().map(|a| rate(*a)).sum();
                Some(whole)
            }
        }
    }
}

/// The distinct atoms of some rules, and how often each is used. An atom that nobody uses any more gives its number to another.
#[derive(Debug, Default)]
pub(super) struct Atoms {
    list: Vec<Atom>,
    /// By hash, so that no atom is held twice.
    known: HashMap<u64, AtomId, BuildHasherDefault<QuickHasher>>,
    /// Those whose hash another one had already.
    clashing: Vec<AtomId>,
    uses: Vec<u32>,
    /// The share of rows on which each holds: measured, or thought beforehand.
    rates: Vec<f64>,
    free: Vec<AtomId>,
    /// Numbers given since the last [`Atoms::settle`].
    fresh: Vec<AtomId>,
}

impl Atoms {
    /// The number of an atom.
    pub(super) fn intern(&mut self, atom: Atom) -> AtomId {
        let hash = hash(&atom);
        let first = self.known.get(&hash).copied();
        let same =
            first.into_iter().flat_map(|first| std::iter::once(first).chain(self.clashing.iter().copied()));
        if let Some(id) = same.into_iter().find(|id| self.get(*id) == Some(&atom)) {
            return id;
        }
        let prior = atom.prior();
        let id = match self.free.pop() {
            Some(id) => {
                if let Some(slot) = self.list.get_mut(id as usize) {
                    *slot = atom;
                }
                id
            }
            None => {
                self.list.push(atom);
                self.uses.push(0);
                self.rates.push(0.0);
                (self.list.len() - 1) as AtomId
            }
        };
        self.measured(id, prior);
        self.fresh.push(id);
        match first {
            None => drop(self.known.insert(hash, id)),
            Some(_) => self.clashing.push(id),
        }
        id
    }

    /// One more that uses it.
    pub(super) fn keep(&mut self, id: AtomId) {
        if let Some(n) = self.uses.get_mut(id as usize) {
            *n += 1;
        }
    }

    /// One less.
    pub(super) fn release(&mut self, id: AtomId) {
        let Some(n) = self.uses.get_mut(id as usize) else { return };
        *n = n.saturating_sub(1);
        if *n == 0 {
            self.forget(id);
        }
    }

    /// Forgets what got a number and is used by nobody.
    pub(super) fn settle(&mut self) {
        for id in std::mem::take(&mut self.fresh) {
            if self.uses.get(id as usize) == Some(&0) {
                self.forget(id);
            }
        }
    }

    fn forget(&mut self, id: AtomId) {
        let Some(hash) = self.get(id).map(hash) else { return };
        if let Some(at) = self.clashing.iter().position(|c| *c == id) {
            self.clashing.remove(at);
        } else if self.known.get(&hash) == Some(&id) {
            self.known.remove(&hash);
            // Another one of this hash takes its place.
            if let Some(at) = self.clashing.iter().position(|c| self.get(*c).map(self::hash) == Some(hash)) {
                self.known.insert(hash, self.clashing.remove(at));
            }
        } else {
            return;
        }
        self.free.push(id);
    }

    pub(super) fn get(&self, id: AtomId) -> Option<&Atom> {
        self.list.get(id as usize)
    }

    /// One more than the highest number.
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// The share of rows on which an atom holds, as far as is known.
    pub(super) fn rate(&self, id: AtomId) -> f64 {
        self.rates.get(id as usize).copied().unwrap_or(1.0)
    }

    /// The share of rows on which an atom holds.
    pub(super) fn measured(&mut self, id: AtomId, rate: f64) {
        if let Some(r) = self.rates.get_mut(id as usize) {
            *r = rate;
        }
    }
}

fn hash(atom: &Atom) -> u64 {
    BuildHasherDefault::<QuickHasher>::default().hash_one(atom)
}
