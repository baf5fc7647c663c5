//! Rules taken apart into terms that are evaluated once for all rules that share them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault};
use std::sync::OnceLock;

use millstream_expr::kernel::hash::QuickHasher;
use millstream_expr::{Expr, ExprKind, Predicate, Volatility};
use millstream_types::Fault;

use super::atom::{AtomId, Atoms, Case, Condition};
use super::condition::{Known, Patterns, Reading, Shows, can_fail};
use super::conjunct::{Conjunct, Conjuncts};
use super::decision::Decision;
use super::parts::Parts;
use super::subject::{order_subject, ordinal_subject};
use crate::Rule;

/// Number of a term in its [`Compiled`].
pub(super) type TermId = usize;

/// A conjunct of rules, or the whole condition of one that can fail behind its first conjunct.
#[derive(Debug)]
pub(super) struct Term {
    /// No other term ever has it, also none that takes this one's place.
    pub(super) serial: u64,
    conjunct: Conjunct,
    pub(super) known: Known,
    /// What it is TRUE by, if tests of fields tell.
    pub(super) decision: Option<Decision>,
    /// The atoms of both, ascending.
    atoms: Box<[AtomId]>,
    /// The columns that it reads.
    pub(super) columns: Vec<usize>,
    /// The columns, and parts of columns, that its decision tests.
    pub(super) tested: Box<[usize]>,
    /// How many rules it is a part of.
    pub(super) rules: u32,
    predicate: OnceLock<Box<Result<Predicate, Fault>>>,
}

impl Term {
    /// What stands where a term was.
    fn nothing() -> Self {
        let known = Known { condition: Condition::Never, exact: true };
        Term {
            serial: 0,
            conjunct: Conjunct::alone(Expr::boolean(false)),
            known,
            decision: None,
            atoms: Box::new([]),
            columns: Vec::new(),
            tested: Box::new([]),
            rules: 0,
            predicate: OnceLock::new(),
        }
    }

    /// The expression.
    pub(super) fn expr(&self) -> &Expr {
        self.conjunct.expr()
    }

    /// Compiled when it is first needed: most terms of quiet rules never are.
    ///
    /// # Errors
    /// As [`Predicate::compile`].
    pub(super) fn predicate(&self) -> Result<&Predicate, Fault> {
        let compiled = self.predicate.get_or_init(|| Box::new(Predicate::compile(self.expr())));
        (**compiled).as_ref().map_err(Clone::clone)
    }
}

/// A rule as a list of terms.
#[derive(Debug, Default)]
pub(super) struct RuleTerms {
    /// The caller's number for it; `None`: the place is free.
    pub(super) id: Option<usize>,
    /// `None`: it has no condition.
    pub(super) terms: Option<Vec<TermId>>,
    /// How many of its terms, from the first on, are decided by tests of fields; the cheapest first.
    pub(super) decided: usize,
    /// Whether its first term can fail (and no other one): it must see every row that the others would keep from it.
    pub(super) first_fails: bool,
}

/// Rules as lists of terms. They come and go: a place that is free is taken by the next one.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    pub(super) atoms: Atoms,
    pub(super) terms: Vec<Term>,
    pub(super) rules: Vec<RuleTerms>,
    places: HashMap<usize, u32>,
    free_rules: Vec<u32>,
    free_terms: Vec<TermId>,
    /// The last term's.
    serial: u64,
    /// Terms by the hash of their expression.
    known: HashMap<u64, Vec<TermId>, BuildHasherDefault<QuickHasher>>,
    patterns: Patterns,
    pub(super) parts: Parts,
    /// One more than the highest column that terms read.
    pub(super) width: usize,
}

/// Patterns that are remembered for rules to come.
const PATTERNS: usize = 4096;

impl Compiled {
    /// Takes a rule apart, and gives its place.
    ///
    /// # Errors
    /// As [`Predicate::compile`], for conditions that are nested too deeply. Nothing is changed then.
    pub(super) fn add(&mut self, rule: &Rule) -> Result<u32, Fault> {
        let mut compiled = RuleTerms { id: Some(rule.id), ..RuleTerms::default() };
        if let Some(predicate) = &rule.predicate {
            let volatile = predicate.volatility() == Volatility::PerRow;
            let mut parts: Vec<&Expr> = Conjuncts::of(predicate).collect();
            // A term that fails stops the rule where the terms before it let it: only at the front it can stand by itself.
            compiled.first_fails = parts.first().is_some_and(|p| can_fail(p));
            if volatile || parts.iter().skip(1).any(|p| can_fail(p)) {
                parts = vec![predicate];
            }
            let mut terms = Vec::with_capacity(parts.len());
            for part in Conjunct::of(predicate, together(parts, &mut self.parts)) {
                let id = match self.term(part, volatile) {
                    Ok(id) => id,
                    Err(fault) => {
                        terms.iter().for_each(|t| self.release(*t));
                        return Err(fault);
                    }
                };
                if !terms.contains(&id) {
                    terms.push(id);
                    if let Some(term) = self.terms.get_mut(id) {
                        term.rules += 1;
                    }
                }
            }
            if !compiled.first_fails && !volatile {
                compiled.decided = self.decided_first(&mut terms);
            }
            compiled.terms = Some(terms);
        }
        let place = match self.free_rules.pop() {
            Some(place) => {
                if let Some(slot) = self.rules.get_mut(place as usize) {
                    *slot = compiled;
                }
                place
            }
            None => {
                self.rules.push(compiled);
                (self.rules.len() - 1) as u32
            }
        };
        self.places.insert(rule.id, place);
        if self.patterns.len() > PATTERNS {
            self.patterns.clear();
        }
        Ok(place)
    }

    /// Takes a rule away, and gives its place.
    pub(super) fn remove(&mut self, id: usize) -> Option<u32> {
        let place = self.places.remove(&id)?;
        let rule = std::mem::take(self.rules.get_mut(place as usize)?);
        rule.terms.unwrap_or_default().into_iter().for_each(|t| self.release(t));
        self.free_rules.push(place);
        Some(place)
    }

    /// A term is part of one rule less.
    fn release(&mut self, id: TermId) {
        let Some(term) = self.terms.get_mut(id) else { return };
        term.rules = term.rules.saturating_sub(1);
        if term.rules > 0 {
            return;
        }
        let gone = std::mem::replace(term, Term::nothing());
        if let Some(same) = self.known.get_mut(&hash(gone.expr())) {
            same.retain(|t| *t != id);
        }
        gone.atoms.iter().for_each(|a| self.atoms.release(*a));
        self.free_terms.push(id);
    }

    /// The term of an expression.
    fn term(&mut self, conjunct: Conjunct, volatile: bool) -> Result<TermId, Fault> {
        let expr = conjunct.expr();
        let hash = hash(expr);
        if !volatile {
            let same = self.known.get(&hash).into_iter().flatten();
            let mut same = same.filter(|t| self.terms.get(**t).is_some_and(|t| t.expr() == expr));
            if let Some(id) = same.next() {
                return Ok(*id);
            }
        }
        let mut reading =
            Reading { atoms: &mut self.atoms, patterns: &mut self.patterns, parts: &mut self.parts };
        let known = reading.of(expr, Shows::NotTrue);
        let decision = reading.decide(expr);
        let mut atoms = Vec::new();
        known.condition.atoms(&mut |a| atoms.push(a));
        if let Some(decision) = &decision {
            decision.atoms(&mut |a| atoms.push(a));
        }
        atoms.sort_unstable();
        atoms.dedup();
        let mut tested = Vec::new();
        if let Some(decision) = &decision {
            decision.columns(&self.atoms, &mut |c| tested.push(c));
        }
        tested.sort_unstable();
        tested.dedup();
        self.serial += 1;
        let term = Term {
            serial: self.serial,
            columns: expr.columns(),
            conjunct: conjunct.clone(),
            known,
            decision,
            atoms: atoms.into(),
            tested: tested.into(),
            rules: 0,
            predicate: OnceLock::new(),
        };
        // Whether it is too deep for evaluation is said now.
        if depth(expr) > SHALLOW
            && let Err(fault) = term.predicate()
        {
            self.atoms.settle();
            return Err(fault);
        }
        self.width = self.width.max(term.columns.iter().max().map_or(0, |m| m + 1));
        term.atoms.iter().for_each(|a| self.atoms.keep(*a));
        self.atoms.settle();
        let id = match self.free_terms.pop() {
            Some(id) => {
                if let Some(slot) = self.terms.get_mut(id) {
                    *slot = term;
                }
                id
            }
            None => {
                self.terms.push(term);
                self.terms.len() - 1
            }
        };
        if !volatile {
            self.known.entry(hash).or_default().push(id);
        }
        Ok(id)
    }

    /// The place of a rule.
    pub(super) fn place(&self, id: usize) -> Option<u32> {
        self.places.get(&id).copied()
    }

    /// The places of the rules there are.
    pub(super) fn live(&self) -> impl Iterator<Item = (u32, &RuleTerms)> {
        self.rules.iter().enumerate().filter(|(_, r)| r.id.is_some()).map(|(i, r)| (i as u32, r))
    }

    /// The terms of the rule at a place; `None`: it has no condition.
    pub(super) fn terms_of(&self, place: u32) -> Option<&[TermId]> {
        self.rules.get(place as usize)?.terms.as_deref()
    }

    /// Puts the terms that tests of fields decide to the front, and gives their number. None of a rule's terms can fail here.
    fn decided_first(&self, terms: &mut [TermId]) -> usize {
        let cost = |t: &TermId| {
            let decision = self.terms.get(*t).and_then(|t| t.decision.as_ref());
            decision.map_or(u64::MAX, |d| d.cost(&self.atoms))
        };
        terms.sort_by_cached_key(cost);
        terms.iter().take_while(|t| cost(t) < u64::MAX).count()
    }

    /// The terms of a rule whose conditions may skip rows: nothing may before a term that can fail has seen them.
    pub(super) fn searched(&self, rule: u32) -> &[TermId] {
        let Some(rule) = self.rules.get(rule as usize) else { return &[] };
        let terms = rule.terms.as_deref().unwrap_or_default();
        let counted = if rule.first_fails { 1 } else { terms.len() };
        terms.get(..counted).unwrap_or(terms)
    }

    /// Whether a rule is never TRUE and never fails.
    pub(super) fn is_never(&self, rule: u32) -> bool {
        let mut known = self.searched(rule).iter().filter_map(|t| self.terms.get(*t));
        known.any(|t| t.known.condition == Condition::Never)
    }
}

fn hash(expr: &Expr) -> u64 {
    BuildHasherDefault::<QuickHasher>::default().hash_one(expr)
}

/// Terms that are no deeper than this surely compile.
const SHALLOW: usize = 100;

fn depth(expr: &Expr) -> usize {
    1 + expr.children().into_iter().map(depth).max().unwrap_or(0)
}

/// Comparisons of one column become one term, so that the range that they are is looked for: `x >= 1 AND x < 5`. What can fail is none of them.
fn together<'e>(parts: Vec<&'e Expr>, known: &mut Parts) -> Vec<Cow<'e, Expr>> {
    let mut compared = |e: &Expr| match &e.kind {
        ExprKind::Call(call) if matches!(&*call.name, "<" | "<=" | ">" | ">=") && !can_fail(e) => {
            let [a, b] = call.args.as_slice() else { return None };
            let mut subject = |e: &Expr| match ordinal_subject(e, known) {
                Some((column, _)) => Some((column, Case::Exact)),
                None => order_subject(e, known),
            };
            match (subject(a), subject(b)) {
                (Some(one), None) | (None, Some(one)) => Some(one),
                _ => None,
            }
        }
        _ => None,
    };
    let columns: Vec<Option<(usize, Case)>> = parts.iter().map(|p| compared(p)).collect();
    let mut out = Vec::with_capacity(parts.len());
    for (i, part) in parts.iter().enumerate() {
        let Some(column) = columns.get(i).copied().flatten() else {
            out.push(Cow::Borrowed(*part));
            continue;
        };
        let of_column = |from: usize| {
            let same = columns.iter().enumerate().skip(from).filter(|(_, c)| **c == Some(column));
            same.filter_map(|(at, _)| parts.get(at).map(|p| (at, *p))).collect::<Vec<_>>()
        };
        match of_column(0).as_slice() {
            [] | [_] => out.push(Cow::Borrowed(*part)),
            // Where the first of them stands.
            [(first, _), ..] if *first == i => {
                out.push(Cow::Owned(Expr::and(of_column(i).into_iter().map(|(_, p)| p.clone()).collect())));
            }
            _ => {}
        }
    }
    out
}
