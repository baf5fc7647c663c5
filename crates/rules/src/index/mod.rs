//! One index for all rules of a source.
//!
//! A rule is taken apart into terms; each term gives a necessary condition over atoms (tests of one field: a literal, equality, a range, NULL).
//! Of each rule the atoms that are rarest on the stream ensure it: they are its anchors. A chunk is searched for the anchors of all rules at
//! once; a rule is evaluated only on the rows where one of its anchors was found, and there only what its anchors do not decide already.
//! A rule without anchors in a chunk costs nothing.

mod anchors;
mod atom;
mod choice;
mod compile;
mod condition;
mod conjunct;
mod constants;
mod decide;
mod decision;
mod filter;
mod found;
mod frequencies;
mod gate;
mod grams;
mod leaf;
mod matcher;
mod memo;
mod nested;
mod numbers;
mod orders;
mod ordinal;
mod parts;
mod rows;
mod subject;
mod texts;
mod values;
mod verify;
mod walks;

use std::collections::{BTreeMap, BTreeSet};

use millstream_expr::EvalContext;
use millstream_types::Fault;

use crate::{Outcome, Rule, RuleInput, RuleReport, RuleSet};
use anchors::{Anchors, Covers, Plan};
use atom::{Atom, AtomId, Test};
use compile::Compiled;
use found::Slot;
use frequencies::Frequencies;
use gate::Gate;
use matcher::{Matcher, count_windows};
use verify::Verify;
use walks::{Seen, Walks};

/// Rows of a chunk from which rarity is measured.
const SAMPLE: usize = 4096;
/// A sample of fewer rows is replaced by a better one as soon as there is one.
const GOOD_SAMPLE: usize = 256;
/// Chunks between looks at whether the anchors are as rare as they were.
const LOOK: u32 = 32;

/// Rules behind an index.
#[derive(Debug, Default)]
pub struct IndexedRules {
    compiled: Compiled,
    anchors: Anchors,
    matcher: Matcher,
    /// The columns whose parts are searched.
    walks: Walks,
    /// How often windows of texts were seen in the sample, by column.
    frequencies: BTreeMap<usize, Frequencies>,
    verify: Verify,
    generation: u64,
    /// Rows of the sample that the anchors were chosen by.
    sampled: usize,
    /// Chunks until the next look, and how many there were between the last two.
    until_look: u32,
    look: u32,
    /// Rows, and pairs of rule and candidate row, since the last look.
    rows: u64,
    pairs: u64,
}

impl IndexedRules {
    /// Builds the index.
    ///
    /// # Errors
    /// When a predicate cannot be compiled.
    pub fn new(rules: &[Rule]) -> Result<Self, Fault> {
        let mut index = IndexedRules { until_look: LOOK, look: LOOK, ..IndexedRules::default() };
        index.add(rules)?;
        Ok(index)
    }

    /// Chooses anchors by how often atoms hold in a chunk.
    fn measure(&mut self, input: &mut dyn RuleInput, context: &EvalContext) -> Result<(), Fault> {
        let sample = input.rows().min(SAMPLE);
        let asked = self.parts_asked();
        self.walks.aim(&self.compiled.parts, &asked, &asked);
        self.walks.look(&self.compiled.parts, input, sample, context)?;
        let mut wanted: Vec<AtomId> = Vec::new();
        for term in &self.compiled.terms {
            term.known.condition.atoms(&mut |a| wanted.push(a));
        }
        wanted.sort_unstable();
        wanted.dedup();
        let Compiled { atoms, parts, .. } = &mut self.compiled;
        let mut seen = Seen { input, parts, walks: &self.walks, context };
        let mut columns = BTreeSet::new();
        self.frequencies.clear();
        for Atom { column, test } in wanted.iter().filter_map(|a| atoms.get(*a)) {
            if columns.insert(*column)
                && matches!(test, Test::Text { .. })
                && !self.frequencies.contains_key(column)
            {
                let into = self.frequencies.entry(*column).or_default();
                count_windows(&mut seen, *column, sample, into)?;
            }
        }
        let columns: Vec<usize> = columns.into_iter().collect();
        let slots = wanted.iter().enumerate().map(|(slot, a)| (slot as Slot, *a));
        let mut all = Matcher::default();
        all.search(atoms, slots, &columns, wanted.len(), &self.frequencies);
        all.run(&mut seen, sample)?;
        // A few rows' worth of what is thought beforehand.
        const PRIOR_ROWS: f64 = 8.0;
        for (slot, a) in wanted.iter().enumerate() {
            let prior = atoms.get(*a).map_or(1.0, Atom::prior);
            let rows = all.found.rows(slot as Slot).len() as f64;
            atoms.measured(*a, (rows + prior * PRIOR_ROWS) / (sample as f64 + PRIOR_ROWS));
        }
        drop(all);
        self.anchors.clear(&mut self.compiled);
        self.anchors = Anchors::choose(&mut self.compiled);
        self.matcher = Matcher::default();
        self.sampled = sample;
        self.refresh(columns);
        self.generation += 1;
        Ok(())
    }

    /// Brings the search up to the anchors there are now, which changed in these columns.
    fn refresh(&mut self, mut columns: Vec<usize>) {
        if self.sampled == 0 {
            // Everything is chosen anew before the first chunk.
            return;
        }
        columns.sort_unstable();
        columns.dedup();
        let (atoms, slots) = (&self.compiled.atoms, self.anchors.atoms.len());
        self.matcher.search(atoms, self.anchors.searched(), &columns, slots, &self.frequencies);
        self.matcher.gate = Gate::new(&self.compiled, &self.anchors);
        let asked = self.parts_asked();
        if asked.is_empty() {
            return;
        }
        let gate = self.matcher.gate.iter().map(|g| g.column);
        let searched: Vec<usize> =
            self.matcher.columns().chain(gate).filter(|c| parts::number(*c).is_some()).collect();
        self.walks.aim(&self.compiled.parts, &searched, &asked);
    }

    /// The parts of columns that rules ask for, ascending.
    fn parts_asked(&self) -> Vec<usize> {
        if self.compiled.parts.len() == 0 {
            return Vec::new();
        }
        let mut asked: Vec<usize> = Vec::new();
        for term in &self.compiled.terms {
            asked.extend(term.tested.iter().copied());
            term.known.condition.atoms(&mut |a| asked.extend(self.compiled.atoms.get(a).map(|a| a.column)));
        }
        asked.retain(|c| parts::number(*c).is_some());
        asked.sort_unstable();
        asked.dedup();
        asked
    }

    /// Whether the anchors have become so common that they should be chosen anew.
    fn has_drifted(&mut self, rows: usize) -> bool {
        if self.sampled == 0 || self.sampled < GOOD_SAMPLE && rows >= 4 * self.sampled {
            return true;
        }
        self.until_look = self.until_look.saturating_sub(1);
        if self.until_look > 0 {
            return false;
        }
        let (rows, pairs) = (std::mem::take(&mut self.rows), std::mem::take(&mut self.pairs));
        let drifted = pairs as f64 > rows as f64 * (2.0 * self.anchors.expected + 0.1);
        // What does not become better by choosing anew is looked at less and less often.
        self.look = if drifted { (self.look * 2).min(1 << 20) } else { LOOK.max(self.look / 2) };
        self.until_look = self.look;
        drifted
    }
}

impl RuleSet for IndexedRules {
    fn add(&mut self, rules: &[Rule]) -> Result<(), Fault> {
        let mut places = Vec::with_capacity(rules.len());
        for (at, rule) in rules.iter().enumerate() {
            match self.compiled.add(rule) {
                Ok(place) => places.push(place),
                Err(fault) => {
                    for rule in rules.iter().take(at) {
                        self.compiled.remove(rule.id);
                    }
                    return Err(fault);
                }
            }
        }
        self.verify.grow(&self.compiled);
        let mut columns = Vec::new();
        let mut covers = Covers::new();
        for place in places {
            columns.extend(self.anchors.add(&mut self.compiled, place, &mut covers));
            self.verify.begin(&self.compiled, place);
        }
        self.refresh(columns);
        self.generation += 1;
        Ok(())
    }

    fn remove(&mut self, ids: &[usize]) -> Result<(), Fault> {
        let mut columns = Vec::new();
        for id in ids {
            let Some(place) = self.compiled.place(*id) else { continue };
            columns.extend(self.anchors.remove(&mut self.compiled, place));
            self.compiled.remove(*id);
        }
        self.refresh(columns);
        self.generation += 1;
        Ok(())
    }

    fn evaluate(
        &mut self,
        input: &mut dyn RuleInput,
        context: &EvalContext,
        outcomes: &mut Vec<(usize, Outcome)>,
    ) -> Result<(), Fault> {
        outcomes.clear();
        let rows = input.rows();
        if rows == 0 {
            return Ok(());
        }
        if self.compiled.atoms.len() > 0 && self.has_drifted(rows) {
            self.measure(input, context)?;
        }
        self.walks.look(&self.compiled.parts, input, rows, context)?;
        let mut seen = Seen { input, parts: &self.compiled.parts, walks: &self.walks, context };
        self.matcher.run(&mut seen, rows)?;
        self.rows += rows as u64;
        let before = self.verify.wide;
        self.pairs += self.verify.run(
            &self.compiled,
            &self.anchors,
            &self.matcher.found,
            &mut seen,
            context,
            outcomes,
        )?;
        if before != self.verify.wide {
            self.generation += 1;
        }
        for (rule, _) in outcomes.iter_mut() {
            *rule = self.compiled.rules.get(*rule).and_then(|r| r.id).unwrap_or(*rule);
        }
        outcomes.sort_unstable_by_key(|(rule, _)| *rule);
        Ok(())
    }

    fn slice_columns(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = Vec::new();
        if self.sampled < GOOD_SAMPLE {
            for term in &self.compiled.terms {
                term.known
                    .condition
                    .atoms(&mut |a| columns.extend(self.compiled.atoms.get(a).map(|a| a.column)));
            }
        }
        columns.extend(self.matcher.columns());
        columns.extend(self.matcher.gate.as_ref().map(|g| g.column));
        for (rule, plan) in self.compiled.rules.iter().zip(&self.anchors.plans) {
            let whole = matches!(plan, Plan::Plain);
            if let Some(terms) = &rule.terms
                && (whole || self.verify.wide && matches!(plan, Plan::Anchored { .. }))
            {
                columns.extend(
                    terms
                        .iter()
                        .filter_map(|t| self.compiled.terms.get(*t))
                        .flat_map(|t| t.columns.iter().copied()),
                );
            }
        }
        columns.iter_mut().for_each(|c| *c = self.compiled.parts.base(*c));
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn report(&self) -> Vec<RuleReport> {
        self.verify.report(&self.compiled, &self.anchors)
    }
}
