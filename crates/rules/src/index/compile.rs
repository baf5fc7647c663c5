//! Rules taken apart into terms that are evaluated once for all rules that share them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use millstream_expr::{Expr, ExprKind, Predicate, Volatility};
use millstream_types::Fault;

use super::atom::{Atoms, Condition};
use super::condition::{Known, Patterns, Reading, Shows, can_fail};
use super::subject::ordinal_subject;
use crate::Rule;

/// Number of a term in its [`Compiled`].
pub(super) type TermId = usize;

/// A conjunct of rules, or the whole condition of one that can fail behind its first conjunct.
#[derive(Debug)]
pub(super) struct Term {
    pub(super) expr: Expr,
    pub(super) known: Known,
    /// The columns that it reads.
    pub(super) columns: Vec<usize>,
    /// How many rules it is a part of.
    pub(super) rules: u32,
    predicate: OnceLock<Result<Predicate, Fault>>,
}

impl Term {
    /// Compiled when it is first needed: most terms of quiet rules never are.
    ///
    /// # Errors
    /// As [`Predicate::compile`].
    pub(super) fn predicate(&self) -> Result<&Predicate, Fault> {
        self.predicate.get_or_init(|| Predicate::compile(&self.expr)).as_ref().map_err(Clone::clone)
    }
}

/// Rules as lists of terms.
#[derive(Debug, Default)]
pub(super) struct Compiled {
    pub(super) atoms: Atoms,
    pub(super) terms: Vec<Term>,
    /// The terms of each rule; `None`: it has no condition.
    pub(super) rules: Vec<Option<Vec<TermId>>>,
    /// For each rule whether its first term can fail (and no other one): it must see every row that the others would keep from it.
    pub(super) first_fails: Vec<bool>,
}

impl Compiled {
    /// Takes rules apart.
    ///
    /// # Errors
    /// As [`Predicate::compile`], for conditions that are nested too deeply.
    pub(super) fn new(rules: &[Rule]) -> Result<Self, Fault> {
        let mut compiled = Compiled::default();
        let mut known: HashMap<Expr, TermId> = HashMap::new();
        let mut patterns = Patterns::new();
        for rule in rules {
            let Some(predicate) = &rule.predicate else {
                compiled.rules.push(None);
                compiled.first_fails.push(false);
                continue;
            };
            let volatile = predicate.volatility() == Volatility::PerRow;
            let mut parts = Vec::new();
            conjuncts(predicate, &mut parts);
            // A term that fails stops the rule where the terms before it let it: only at the front it can stand by itself.
            let first_fails = parts.first().is_some_and(|p| can_fail(p));
            if volatile || parts.iter().skip(1).any(|p| can_fail(p)) {
                parts = vec![predicate];
            }
            compiled.first_fails.push(first_fails);
            let parts = together(parts);
            let mut terms = Vec::with_capacity(parts.len());
            for part in parts {
                let part = &*part;
                let shared = if volatile { None } else { known.get(part).copied() };
                let id = match shared {
                    Some(id) => id,
                    None => {
                        let id = compiled.add(part, &mut patterns)?;
                        if !volatile {
                            known.insert(part.clone(), id);
                        }
                        id
                    }
                };
                if !terms.contains(&id) {
                    terms.push(id);
                    if let Some(term) = compiled.terms.get_mut(id) {
                        term.rules += 1;
                    }
                }
            }
            compiled.rules.push(Some(terms));
        }
        Ok(compiled)
    }

    fn add(&mut self, expr: &Expr, patterns: &mut Patterns) -> Result<TermId, Fault> {
        let known = Reading { atoms: &mut self.atoms, patterns }.of(expr, Shows::NotTrue);
        let term =
            Term { expr: expr.clone(), known, columns: expr.columns(), rules: 0, predicate: OnceLock::new() };
        if depth(expr) > SHALLOW {
            // Whether it is too deep for evaluation is said now.
            term.predicate()?;
        }
        self.terms.push(term);
        Ok(self.terms.len() - 1)
    }

    /// The terms of a rule whose conditions may skip rows: nothing may before a term that can fail has seen them.
    pub(super) fn searched(&self, rule: usize) -> &[TermId] {
        let terms = self.rules.get(rule).and_then(Option::as_deref).unwrap_or_default();
        let counted = if self.first_fails.get(rule) == Some(&true) { 1 } else { terms.len() };
        terms.get(..counted).unwrap_or(terms)
    }

    /// Whether a rule is never TRUE and never fails.
    pub(super) fn is_never(&self, rule: usize) -> bool {
        let mut known = self.searched(rule).iter().filter_map(|t| self.terms.get(*t));
        known.any(|t| t.known.condition == Condition::Never)
    }
}

/// Terms that are no deeper than this surely compile.
const SHALLOW: usize = 100;

fn depth(expr: &Expr) -> usize {
    1 + expr.children().into_iter().map(depth).max().unwrap_or(0)
}

/// Comparisons of one column become one term, so that the range that they are is looked for: `x >= 1 AND x < 5`. What can fail is none of them.
fn together(parts: Vec<&Expr>) -> Vec<Cow<'_, Expr>> {
    let compared = |e: &Expr| match &e.kind {
        ExprKind::Call(call) if matches!(&*call.name, "<" | "<=" | ">" | ">=") && !can_fail(e) => {
            let [a, b] = call.args.as_slice() else { return None };
            match (ordinal_subject(a), ordinal_subject(b)) {
                (Some((column, _)), None) | (None, Some((column, _))) => Some(column),
                _ => None,
            }
        }
        _ => None,
    };
    let columns: Vec<Option<usize>> = parts.iter().map(|p| compared(p)).collect();
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

fn conjuncts<'a>(expr: &'a Expr, out: &mut Vec<&'a Expr>) {
    match &expr.kind {
        ExprKind::And(terms) => terms.iter().for_each(|t| conjuncts(t, out)),
        _ => out.push(expr),
    }
}
