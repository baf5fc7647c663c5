//! What terms over one text column gave for its values, remembered where values repeat and evaluation is dear.
//!
//! Keys are exact values. A term is watched first; where a row costs enough, its values are remembered for a trial, and go on being remembered only
//! while that is measured to be cheaper than evaluating. Memory is bounded, for each term and in all.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;

use arrow::array::{Array, AsArray, StringArray};
use millstream_expr::kernel::hash::QuickHasher;
use millstream_expr::{EvalContext, EvalError, Volatility};
use millstream_types::Fault;

use super::compile::{Compiled, Term};
use super::rows::View;

/// Rows after which a term's cost is known.
const WATCHED: u64 = 2048;
/// A row that costs fewer nanoseconds is not worth a look into a table.
const DEAR: u64 = 60;
/// Rows of a trial: the first half fills the table, the second is measured.
const TRIAL: u64 = 4096;
/// Rows between two looks at whether it still pays.
const LOOK: u64 = 1 << 15;
/// Rows without a table before the first new trial; each trial that fails doubles it.
const REST: u64 = 1 << 18;
const LONGEST_REST: u64 = 1 << 26;
/// The share of the cost of plain evaluation that remembering may cost.
const PAYS: f64 = 0.8;
/// Bytes that a term, and that all terms may remember, with what a table takes besides its keys.
const MOST_OF_ONE: usize = 1 << 20;
const MOST: usize = 16 << 20;
const ENTRY: usize = 48;
/// Longer values are evaluated.
const LONGEST: usize = 1024;

type Hasher = BuildHasherDefault<QuickHasher>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Plain evaluation is measured.
    Watched,
    /// Values are remembered to see whether it pays.
    Trial,
    /// It pays.
    On,
    /// It does not; a new trial begins after so many rows.
    Off(u64),
}

/// The values of one term.
#[derive(Debug)]
struct Memo {
    state: State,
    known: HashMap<Box<str>, bool, Hasher>,
    bytes: usize,
    /// Rows in this state; those of them that were measured, and their nanoseconds.
    rows: u64,
    measured: u64,
    nanos: u64,
    /// Nanoseconds a row of plain evaluation.
    plain: f64,
    rest: u64,
    /// Rows whose answer was known.
    answered: u64,
}

/// The values of all terms.
#[derive(Debug, Default)]
pub(super) struct Memos {
    /// By the term's serial number; `None`: nothing is to be remembered of it.
    memos: HashMap<u64, Option<Box<Memo>>, Hasher>,
    bytes: usize,
}

/// Whether a term's value is that of one text.
fn of_one_text(term: &Term) -> bool {
    term.columns.len() == 1 && term.expr().volatility() == Volatility::Immutable && {
        let mut text = false;
        term.expr().walk(&mut |e| {
            text |= matches!(e.kind, millstream_expr::ExprKind::Column(_)) && e.data_type.kind.is_string();
        });
        text
    }
}

impl Memos {
    /// Rows of a term whose answer was known.
    pub(super) fn answered(&self, term: &Term) -> u64 {
        self.memos.get(&term.serial).and_then(Option::as_ref).map_or(0, |m| m.answered)
    }

    /// Forgets terms that are no more.
    pub(super) fn keep(&mut self, compiled: &Compiled) {
        if !self.memos.is_empty() {
            let there: HashSet<u64> = compiled.terms.iter().map(|t| t.serial).collect();
            self.memos.retain(|serial, _| there.contains(serial));
            self.bytes = self.memos.values().flatten().map(|m| m.bytes).sum();
        }
    }

    /// The rows among `among` (`None`: all) for which a term is TRUE.
    ///
    /// # Errors
    /// As [`View::hits`].
    pub(super) fn hits(
        &mut self,
        term: &Term,
        among: Option<&[u32]>,
        view: &mut View<'_>,
        context: &EvalContext,
    ) -> Result<Result<Vec<u32>, EvalError>, Fault> {
        let Memos { memos, bytes } = self;
        let memo = memos.entry(term.serial).or_insert_with(|| of_one_text(term).then(Box::default));
        let Some(memo) = memo else { return view.hits(term, among, context) };
        view.build(&term.columns)?;
        let rows = among.map_or_else(|| view.count(), <[u32]>::len) as u64;
        let start = context.clock.monotonic_nanos();
        let hits = match memo.state {
            State::Trial | State::On => {
                let taken = memo.bytes;
                let (hits, known) = memo.remembered(term, among, view, context, MOST - *bytes)?;
                *bytes = *bytes + memo.bytes - taken;
                memo.answered += known;
                hits
            }
            State::Watched | State::Off(_) => view.hits(term, among, context)?,
        };
        let held = memo.bytes;
        memo.took(rows, context.clock.monotonic_nanos().saturating_sub(start));
        *bytes -= held - memo.bytes;
        Ok(hits)
    }
}

impl Default for Memo {
    fn default() -> Self {
        Memo {
            state: State::Watched,
            known: HashMap::default(),
            bytes: 0,
            rows: 0,
            measured: 0,
            nanos: 0,
            plain: 0.0,
            rest: REST,
            answered: 0,
        }
    }
}

impl Memo {
    /// Rows that were evaluated in a state, and how long that took: perhaps it is time for another state.
    fn took(&mut self, rows: u64, nanos: u64) {
        // The first half of a trial fills the table.
        let filling = self.state == State::Trial && self.rows < TRIAL / 2;
        self.rows += rows;
        if !filling {
            self.measured += rows;
            self.nanos += nanos;
        }
        let per_row = self.nanos as f64 / self.measured.max(1) as f64;
        let pays = per_row < PAYS * self.plain;
        match self.state {
            State::Watched if self.measured >= WATCHED => {
                self.plain = per_row;
                self.enter(if per_row >= DEAR as f64 { State::Trial } else { State::Off(self.rest) });
            }
            State::Trial if self.measured >= TRIAL / 2 => {
                if !pays {
                    self.rest = (self.rest * 2).min(LONGEST_REST);
                }
                self.enter(if pays { State::On } else { State::Off(self.rest) });
            }
            State::On if self.measured >= LOOK => {
                self.enter(if pays { State::On } else { State::Off(self.rest) });
            }
            // What a row costs now is measured again before a trial.
            State::Off(rest) if self.rows >= rest => self.enter(State::Watched),
            _ => {}
        }
    }

    fn enter(&mut self, state: State) {
        if matches!(state, State::Off(_)) {
            self.forget();
        }
        (self.state, self.rows, self.measured, self.nanos) = (state, 0, 0, 0);
    }

    fn forget(&mut self) {
        self.known = HashMap::default();
        self.bytes = 0;
    }

    /// As [`View::hits`], evaluating only values that are not known; also the number of rows that were. `room`: bytes that may be taken more.
    #[allow(clippy::type_complexity)] // rows of a term, beside what they were answered by
    fn remembered(
        &mut self,
        term: &Term,
        among: Option<&[u32]>,
        view: &mut View<'_>,
        context: &EvalContext,
        room: usize,
    ) -> Result<(Result<Vec<u32>, EvalError>, u64), Fault> {
        let column = term.columns.first().copied().unwrap_or(0);
        let Some(values) = view.column(column).as_string_opt::<i32>().cloned() else {
            return Ok((view.hits(term, among, context)?, 0));
        };
        let all: Vec<u32>;
        let rows = match among {
            Some(rows) => rows,
            None => {
                all = view.rows();
                &all
            }
        };
        let mut hits: Vec<u32> = Vec::new();
        let mut unknown: Vec<u32> = Vec::new();
        for row in rows {
            match self.value(&values, view.position(*row)).map(|v| self.known.get(v)) {
                Some(Some(true)) => hits.push(*row),
                Some(Some(false)) => {}
                _ => unknown.push(*row),
            }
        }
        let known = (rows.len() - unknown.len()) as u64;
        if unknown.is_empty() {
            return Ok((Ok(hits), known));
        }
        // A value that is known gave no error, so the first error is among the others.
        let found = match view.hits(term, Some(&unknown), context)? {
            Ok(found) => found,
            Err(e) => return Ok((Err(e), known)),
        };
        let room = room.min(MOST_OF_ONE.saturating_sub(self.bytes));
        let mut taken = 0;
        let mut next = found.iter().copied().peekable();
        for row in &unknown {
            let hit = next.next_if_eq(row).is_some();
            let Some(value) = self.value(&values, view.position(*row)) else { continue };
            if taken + value.len() + ENTRY <= room && !self.known.contains_key(value) {
                taken += value.len() + ENTRY;
                self.known.insert(value.into(), hit);
            }
        }
        self.bytes += taken;
        if self.bytes + LONGEST + ENTRY > MOST_OF_ONE {
            // The values that come again will be known again soon.
            self.forget();
        }
        hits.extend(found);
        hits.sort_unstable();
        Ok((Ok(hits), known))
    }

    /// The value that is remembered of a row; `None`: NULL, or too long.
    fn value<'a>(&self, values: &'a StringArray, at: usize) -> Option<&'a str> {
        if at >= values.len() || values.is_null(at) {
            return None;
        }
        Some(values.value(at)).filter(|v| v.len() <= LONGEST)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_on_only_while_it_pays() {
        let mut memo = Memo::default();
        // 500 ns a row.
        memo.took(WATCHED, WATCHED * 500);
        assert_eq!(memo.state, State::Trial);
        memo.took(TRIAL / 2, TRIAL * 1000);
        memo.took(TRIAL / 2, TRIAL / 2 * 50);
        assert_eq!(memo.state, State::On);
        memo.took(LOOK, LOOK * 50);
        assert_eq!(memo.state, State::On);
        // The values no longer repeat.
        memo.took(LOOK, LOOK * 600);
        assert_eq!(memo.state, State::Off(REST));
        memo.took(REST, REST * 500);
        assert_eq!(memo.state, State::Watched);
        memo.took(WATCHED, WATCHED * 500);
        memo.took(TRIAL / 2, TRIAL * 600);
        memo.took(TRIAL / 2, TRIAL * 600);
        assert_eq!(memo.state, State::Off(2 * REST));
    }

    #[test]
    fn what_is_cheap_is_never_tried() {
        let mut memo = Memo::default();
        memo.took(WATCHED, WATCHED * (DEAR - 1));
        assert_eq!(memo.state, State::Off(REST));
        assert_eq!(memo.bytes, 0);
    }
}
