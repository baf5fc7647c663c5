//! Rules decided row by row: each row's fields are made ready once, and each test is done at most once a row, whatever the number of rules that
//! ask for it.

use arrow::array::{ArrayRef, UInt32Array};
use millstream_types::Fault;

use super::atom::AtomId;
use super::compile::{Compiled, TermId};
use super::decision::Decision;
use super::parts::{at_place, place};
use super::values::{Source, Undecided, Values};
use crate::RuleInput;

/// A rule with the rows on which it may hold, and its terms.
#[derive(Debug)]
pub(super) struct Pairs {
    pub(super) rule: u32,
    pub(super) rows: Vec<u32>,
    pub(super) terms: Vec<TermId>,
}

/// What became of the rows of a rule: all terms that have a decision hold, or one of them could not be told.
#[derive(Debug, Default)]
pub(super) struct Decided {
    pub(super) hold: Vec<u32>,
    pub(super) undecided: Vec<u32>,
}

/// Decides rules.
#[derive(Debug, Default)]
pub(super) struct Decider {
    values: Values,
    /// By atom: twice the number of the row that it was tested on last, and whether it held.
    memo: Vec<u32>,
    row: u32,
    /// Pairs by row: where each row's begin, and positions in the list of rules.
    starts: Vec<u32>,
    order: Vec<u32>,
}

/// One row's fields and tests.
struct Row<'a> {
    compiled: &'a Compiled,
    sources: &'a [Source<'a>],
    values: &'a mut Values,
    memo: &'a mut [u32],
    stamp: u32,
    row: usize,
    position: usize,
}

impl Decider {
    /// Decides each rule on its rows.
    ///
    /// # Errors
    /// A column that cannot be built.
    pub(super) fn run(
        &mut self,
        compiled: &Compiled,
        pairs: &[Pairs],
        input: &mut dyn RuleInput,
    ) -> Result<Vec<Decided>, Fault> {
        let rows = input.rows();
        self.sort(pairs, rows);
        let built = self.build(compiled, pairs, rows, input)?;
        let width = built.len();
        let mut sources = vec![Source::Nowhere; width];
        for (column, source) in sources.iter_mut().enumerate() {
            *source = match (built.get(column), input.field(at_place(column, compiled.width))) {
                (Some(Some(array)), _) => Source::Built(array),
                (_, Some((slices, cut))) => Source::Slices(slices, cut),
                _ => Source::Nowhere,
            };
        }
        if self.memo.len() < compiled.atoms.len() || self.row > u32::MAX / 4 {
            self.memo.clear();
            self.memo.resize(compiled.atoms.len(), 0);
            self.row = 0;
        }
        let mut decided: Vec<Decided> = Vec::new();
        decided.resize_with(pairs.len(), Decided::default);
        let mut position = 0;
        for row in 0..rows {
            let of = |at: usize| self.starts.get(at).copied().unwrap_or(0) as usize;
            let (from, to) = (of(row), of(row + 1));
            if from == to {
                continue;
            }
            self.row += 1;
            self.values.next();
            let mut here = Row {
                compiled,
                sources: &sources,
                values: &mut self.values,
                memo: &mut self.memo,
                stamp: self.row,
                row,
                position,
            };
            position += 1;
            for at in self.order.get(from..to).unwrap_or(&[]) {
                let (Some(p), Some(d)) = (pairs.get(*at as usize), decided.get_mut(*at as usize)) else {
                    continue;
                };
                match here.all(&p.terms) {
                    Ok(true) => d.hold.push(row as u32),
                    Ok(false) => {}
                    Err(Undecided) => d.undecided.push(row as u32),
                }
            }
        }
        Ok(decided)
    }

    /// Pairs by row.
    fn sort(&mut self, pairs: &[Pairs], rows: usize) {
        self.starts.clear();
        self.starts.resize(rows + 2, 0);
        let mut total = 0;
        for row in pairs.iter().flat_map(|p| &p.rows) {
            if let Some(n) = self.starts.get_mut(*row as usize + 2) {
                *n += 1;
                total += 1;
            }
        }
        let mut sum = 0;
        for n in &mut self.starts {
            sum += *n;
            *n = sum;
        }
        self.order.clear();
        self.order.resize(total, 0);
        for (at, p) in pairs.iter().enumerate() {
            for row in &p.rows {
                if let Some(next) = self.starts.get_mut(*row as usize + 1) {
                    if let Some(slot) = self.order.get_mut(*next as usize) {
                        *slot = at as u32;
                    }
                    *next += 1;
                }
            }
        }
    }

    /// The columns that were not cut, for the rows that are looked at; one slot for each column up to the highest that is asked for.
    fn build(
        &self,
        compiled: &Compiled,
        pairs: &[Pairs],
        rows: usize,
        input: &mut dyn RuleInput,
    ) -> Result<Vec<Option<ArrayRef>>, Fault> {
        let mut wanted: Vec<bool> = Vec::new();
        for t in pairs.iter().flat_map(|p| &p.terms) {
            let Some(term) = compiled.terms.get(*t).filter(|t| t.decision.is_some()) else { continue };
            for c in &term.tested {
                let c = &place(*c, compiled.width);
                if wanted.len() <= *c {
                    wanted.resize(*c + 1, false);
                }
                if let Some(w) = wanted.get_mut(*c) {
                    *w = true;
                }
            }
        }
        let mut subset: Option<UInt32Array> = None;
        let mut built = Vec::with_capacity(wanted.len());
        for (column, wanted) in wanted.into_iter().enumerate() {
            let column = at_place(column, compiled.width);
            if !wanted || input.field(column).is_some() {
                built.push(None);
                continue;
            }
            let subset = subset.get_or_insert_with(|| {
                let any =
                    self.starts.windows(2).take(rows).enumerate().filter(|(_, w)| w.first() != w.get(1));
                any.map(|(row, _)| row as u32).collect()
            });
            built.push(Some(input.column(column, Some(subset))?));
        }
        Ok(built)
    }
}

impl Row<'_> {
    /// Whether all terms that have a decision hold.
    fn all(&mut self, terms: &[TermId]) -> Result<bool, Undecided> {
        let compiled = self.compiled;
        for t in terms {
            if let Some(decision) = compiled.terms.get(*t).and_then(|t| t.decision.as_ref())
                && !self.holds(decision)?
            {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn holds(&mut self, decision: &Decision) -> Result<bool, Undecided> {
        match decision {
            Decision::Constant(value) => Ok(*value),
            Decision::Atom(atom) => self.atom(*atom),
            Decision::Matches(m) => {
                let place = place(m.column, self.compiled.width);
                let source = self.sources.get(place).copied().unwrap_or(Source::Nowhere);
                match self.values.text(place, source, self.row, self.position)? {
                    None => Ok(false),
                    // A pattern that gives up is told by the expression.
                    Some(text) => m.pattern.is_match(text).map_err(|_| Undecided),
                }
            }
            Decision::Not(inner) => self.holds(inner).map(|value| !value),
            Decision::All(parts) => {
                for part in parts {
                    if !self.holds(part)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
            Decision::Any(parts) => {
                for part in parts {
                    if self.holds(part)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    #[inline]
    fn atom(&mut self, id: AtomId) -> Result<bool, Undecided> {
        let known = self.memo.get(id as usize).copied().unwrap_or(0);
        if known >> 1 == self.stamp {
            return Ok(known & 1 != 0);
        }
        let Some(atom) = self.compiled.atoms.get(id) else { return Err(Undecided) };
        let place = place(atom.column, self.compiled.width);
        let source = self.sources.get(place).copied().unwrap_or(Source::Nowhere);
        let holds = self.values.holds(&atom.test, place, source, self.row, self.position)?;
        if let Some(m) = self.memo.get_mut(id as usize) {
            *m = self.stamp << 1 | u32::from(holds);
        }
        Ok(holds)
    }
}
