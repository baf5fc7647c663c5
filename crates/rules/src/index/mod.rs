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
mod constants;
mod found;
mod grams;
mod leaf;
mod matcher;
mod nested;
mod numbers;
mod ordinal;
mod rows;
mod subject;
mod texts;
mod verify;

use std::collections::BTreeMap;

use millstream_expr::EvalContext;
use millstream_types::Fault;

use crate::{Outcome, Rule, RuleInput, RuleReport, RuleSet};
use anchors::{Anchors, Plan};
use atom::{Atom, AtomId, Test};
use compile::Compiled;
use matcher::{Matcher, count_windows};
use verify::Verify;

/// Rows of a chunk from which rarity is measured.
const SAMPLE: usize = 4096;
/// A sample of fewer rows is replaced by a better one as soon as there is one.
const GOOD_SAMPLE: usize = 1000;
/// Chunks between looks at whether the anchors are as rare as they were.
const LOOK: u32 = 32;

/// Rules behind an index.
#[derive(Debug)]
pub struct IndexedRules {
    /// The rules, ascending by id: position i of `compiled` is rule i.
    rules: Vec<Rule>,
    compiled: Compiled,
    anchors: Anchors,
    matcher: Matcher,
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
        let compiled = Compiled::new(rules)?;
        let anchors = Anchors::choose(&compiled, &|a| compiled.atoms.get(a).map_or(1.0, Atom::prior));
        let matcher = Matcher::new(&compiled.atoms, &anchors.atoms, &BTreeMap::new());
        let verify = Verify::new(&compiled);
        Ok(IndexedRules {
            rules: rules.to_vec(),
            compiled,
            anchors,
            matcher,
            verify,
            generation: 0,
            sampled: 0,
            until_look: LOOK,
            look: LOOK,
            rows: 0,
            pairs: 0,
        })
    }

    /// Another index over these rules. What is asked for may change, so the generation moves on.
    fn replace(&mut self, rules: Vec<Rule>) -> Result<(), Fault> {
        let generation = self.generation + 1;
        *self = IndexedRules { generation, ..IndexedRules::new(&rules)? };
        Ok(())
    }

    /// Chooses anchors by how often atoms hold in a chunk.
    fn measure(&mut self, input: &mut dyn RuleInput) -> Result<(), Fault> {
        let sample = input.rows().min(SAMPLE);
        let atoms = &self.compiled.atoms;
        let mut frequencies = BTreeMap::new();
        for id in 0..atoms.len() as AtomId {
            if let Some(Atom { column, test: Test::Text { .. } }) = atoms.get(id)
                && !frequencies.contains_key(column)
            {
                let into = frequencies.entry(*column).or_default();
                count_windows(input, *column, sample, into)?;
            }
        }
        let mut all = Matcher::new(atoms, &(0..atoms.len() as AtomId).collect::<Vec<_>>(), &frequencies);
        all.run(input, sample)?;
        // A few rows' worth of what is thought beforehand.
        const PRIOR_ROWS: f64 = 8.0;
        let rate = |a: AtomId| {
            let prior = atoms.get(a).map_or(1.0, Atom::prior);
            (all.found.rows(a).len() as f64 + prior * PRIOR_ROWS) / (sample as f64 + PRIOR_ROWS)
        };
        self.anchors = Anchors::choose(&self.compiled, &rate);
        self.matcher = Matcher::new(atoms, &self.anchors.atoms, &frequencies);
        self.sampled = sample;
        self.generation += 1;
        Ok(())
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
        let all = self.rules.iter().chain(rules).cloned().collect();
        self.replace(all)
    }

    fn remove(&mut self, ids: &[usize]) -> Result<(), Fault> {
        let left = self.rules.iter().filter(|r| ids.binary_search(&r.id).is_err()).cloned().collect();
        self.replace(left)
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
            self.measure(input)?;
        }
        self.matcher.run(input, rows)?;
        self.rows += rows as u64;
        let before = self.verify.wide;
        self.pairs +=
            self.verify.run(&self.compiled, &self.anchors, &self.matcher.found, input, context, outcomes)?;
        if before != self.verify.wide {
            self.generation += 1;
        }
        for (rule, _) in outcomes {
            *rule = self.rules.get(*rule).map_or(*rule, |r| r.id);
        }
        Ok(())
    }

    fn slice_columns(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = Vec::new();
        if self.sampled < GOOD_SAMPLE {
            columns.extend(
                (0..self.compiled.atoms.len())
                    .filter_map(|a| self.compiled.atoms.get(a as AtomId).map(|atom| atom.column)),
            );
        }
        columns.extend(self.matcher.columns());
        for (rule, plan) in self.compiled.rules.iter().zip(&self.anchors.plans) {
            let whole = matches!(plan, Plan::Plain);
            if let Some(terms) = rule
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
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    fn generation(&self) -> u64 {
        self.generation
    }

    fn report(&self) -> Vec<RuleReport> {
        let mut reports = self.verify.report(&self.compiled, &self.anchors);
        for report in &mut reports {
            report.rule = self.rules.get(report.rule).map_or(report.rule, |r| r.id);
        }
        reports
    }
}
