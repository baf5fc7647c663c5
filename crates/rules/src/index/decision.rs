//! Conditions that atoms decide: TRUE exactly where a formula over tests of fields holds.
//!
//! A rule that is decided is never evaluated as an expression: on its candidate rows the formula is, test by test, on the fields' bytes.
//! What SQL's three values are is settled on the way: "is TRUE" and "is FALSE" of an expression are two formulas, and NOT changes one into the other.

use millstream_expr::{CallExpr, Expr, ExprKind, Volatility};
use millstream_text::regex::Pattern;
use millstream_types::Value;

use super::atom::{Atom, AtomId, Atoms, Case, Condition, Place, Test};
use super::condition::{Reading, Shows, can_fail};
use super::constants::constant;
use super::ordinal::Ordinal;
use super::subject::ordinal_subject;

/// A formula over tests of fields.
#[derive(Debug, Clone)]
pub(super) enum Decision {
    Constant(bool),
    Atom(AtomId),
    /// A pattern is found in a column's text; never where the column is NULL.
    Matches(Box<Match>),
    Not(Box<Decision>),
    All(Box<[Decision]>),
    Any(Box<[Decision]>),
}

/// A pattern that is looked for in a column.
#[derive(Debug, Clone)]
pub(super) struct Match {
    pub(super) column: usize,
    pub(super) pattern: Pattern,
}

/// What is asked of an expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    True,
    False,
}

impl Asked {
    fn other(self) -> Self {
        match self {
            Asked::True => Asked::False,
            Asked::False => Asked::True,
        }
    }
}

impl Decision {
    fn of(condition: &Condition) -> Decision {
        let list = |parts: &[Condition]| parts.iter().map(Decision::of).collect();
        match condition {
            Condition::Always => Decision::Constant(true),
            Condition::Never => Decision::Constant(false),
            Condition::Atom(a) => Decision::Atom(*a),
            Condition::All(parts) => Decision::All(list(parts)),
            Condition::Any(parts) => Decision::Any(list(parts)),
        }
    }

    fn negated(self) -> Decision {
        match self {
            Decision::Constant(value) => Decision::Constant(!value),
            Decision::Not(inner) => *inner,
            other => Decision::Not(Box::new(other)),
        }
    }

    /// About how much work it is, in comparisons.
    pub(super) fn cost(&self, atoms: &Atoms) -> u64 {
        match self {
            Decision::Constant(_) => 0,
            Decision::Atom(a) => match atoms.get(*a).map(|a| &a.test) {
                Some(Test::Text { place: Place::Anywhere, .. }) => 6,
                Some(Test::Text { .. }) => 2,
                _ => 1,
            },
            Decision::Matches(_) => 60,
            Decision::Not(inner) => inner.cost(atoms),
            Decision::All(parts) | Decision::Any(parts) => parts.iter().map(|p| p.cost(atoms)).sum(),
        }
    }

    /// Puts the cheap parts first: nothing here can fail, so the order is free.
    fn cheap_first(&mut self, atoms: &Atoms) {
        match self {
            Decision::All(parts) | Decision::Any(parts) => {
                parts.iter_mut().for_each(|p| p.cheap_first(atoms));
                parts.sort_by_cached_key(|p| p.cost(atoms));
            }
            Decision::Not(inner) => inner.cheap_first(atoms),
            _ => {}
        }
    }
}

impl Decision {
    /// Calls `visit` with each atom.
    pub(super) fn atoms(&self, visit: &mut impl FnMut(AtomId)) {
        match self {
            Decision::Constant(_) | Decision::Matches(_) => {}
            Decision::Atom(a) => visit(*a),
            Decision::Not(inner) => inner.atoms(visit),
            Decision::All(parts) | Decision::Any(parts) => parts.iter().for_each(|p| p.atoms(visit)),
        }
    }
}

impl Decision {
    /// Calls `visit` with the column of each test.
    pub(super) fn columns(&self, atoms: &Atoms, visit: &mut impl FnMut(usize)) {
        match self {
            Decision::Constant(_) => {}
            Decision::Atom(a) => atoms.get(*a).into_iter().for_each(|a| visit(a.column)),
            Decision::Matches(m) => visit(m.column),
            Decision::Not(inner) => inner.columns(atoms, visit),
            Decision::All(parts) | Decision::Any(parts) => {
                parts.iter().for_each(|p| p.columns(atoms, visit));
            }
        }
    }
}

impl Reading<'_> {
    /// The formula that holds exactly where an expression is TRUE; `None`: none is known, or the expression can fail.
    pub(super) fn decide(&mut self, expr: &Expr) -> Option<Decision> {
        if expr.volatility() == Volatility::PerRow || can_fail(expr) {
            return None;
        }
        let mut decision = self.asked(expr, Asked::True)?;
        decision.cheap_first(self.atoms);
        Some(decision)
    }

    fn asked(&mut self, expr: &Expr, asked: Asked) -> Option<Decision> {
        match (&expr.kind, asked) {
            (ExprKind::Not(inner), _) => self.asked(inner, asked.other()),
            (ExprKind::And(terms), Asked::True) | (ExprKind::Or(terms), Asked::False) => {
                Some(Decision::All(self.list(terms, asked)?))
            }
            (ExprKind::And(terms), Asked::False) | (ExprKind::Or(terms), Asked::True) => {
                Some(Decision::Any(self.list(terms, asked)?))
            }
            (ExprKind::Literal(value), _) => {
                Some(Decision::Constant(value.as_bool() == Some(asked == Asked::True)))
            }
            (ExprKind::Column(column), _) => {
                let truth = i64::from(asked == Asked::True);
                let test = Test::Range { low: truth, high: truth, of: Ordinal::Boolean };
                Some(Decision::Atom(self.atoms.intern(Atom { column: *column, test })))
            }
            (ExprKind::Call(call), _) => self.tested(call, asked),
            _ => None,
        }
    }

    fn list(&mut self, terms: &[Expr], asked: Asked) -> Option<Box<[Decision]>> {
        terms.iter().map(|t| self.asked(t, asked)).collect()
    }

    fn tested(&mut self, call: &CallExpr, asked: Asked) -> Option<Decision> {
        // Never NULL: FALSE is what is not TRUE.
        let total = |d: Decision| if asked == Asked::True { d } else { d.negated() };
        match (&*call.name, call.args.as_slice()) {
            (_, [inner]) if call.kernel.is_short_form() => self.asked(inner, asked),
            ("IS TRUE", [inner]) => self.asked(inner, Asked::True).map(total),
            ("IS NOT TRUE", [inner]) => self.asked(inner, Asked::True).map(Decision::negated).map(total),
            ("IS FALSE", [inner]) => self.asked(inner, Asked::False).map(total),
            ("IS NOT FALSE", [inner]) => self.asked(inner, Asked::False).map(Decision::negated).map(total),
            ("COALESCE" | "IFNULL" | "NVL", [inner, default])
                if default.as_literal() == Some(&Value::Boolean(false)) =>
            {
                self.asked(inner, Asked::True).map(total)
            }
            ("IS NULL" | "IS NOT NULL", [_]) => self.exact(call, false).map(total),
            ("REGEXP", [text, pattern]) => {
                let subject = self.subject(text).filter(|s| s.is_whole() && s.case == Case::Exact)?;
                let pattern = self.pattern(pattern).filter(|p| !p.as_str().is_empty())?;
                let matches = Decision::Matches(Box::new(Match { column: subject.column, pattern }));
                Some(self.strict_decision(subject.column, matches, asked))
            }
            // What a condition says of `<>` is said of the equality behind it.
            ("<>", [a, b]) => {
                let column = self.subject_column(a, b).filter(|_| !has_nulls(&call.args))?;
                let equal = self.exact(call, true)?;
                Some(self.strict_decision(column, equal, asked.other()))
            }
            (_, args) => {
                let holds = self.exact(call, false)?;
                if asked == Asked::True {
                    return Some(holds);
                }
                let known = matches!(
                    &*call.name,
                    "=" | "<" | "<=" | ">" | ">=" | "LIKE" | "STARTSWITH" | "ENDSWITH" | "IN"
                );
                // `x IN (1, NULL)` is never FALSE.
                let [a, b, ..] = args else { return None };
                let column = self.subject_column(a, b).filter(|_| known && !has_nulls(args))?;
                Some(self.strict_decision(column, holds, Asked::False))
            }
        }
    }

    /// The condition of a call, or (`negated`) of its negation, if it is more than necessary.
    fn exact(&mut self, call: &CallExpr, negated: bool) -> Option<Decision> {
        let known = self.leaf(call, negated, Shows::NotTrue);
        known.exact.then(|| Decision::of(&known.condition))
    }

    /// Of a test that is NULL exactly where a column is.
    fn strict_decision(&mut self, column: usize, holds: Decision, asked: Asked) -> Decision {
        if asked == Asked::True {
            return holds;
        }
        let present = self.atoms.intern(Atom { column, test: Test::Present });
        Decision::All(Box::new([Decision::Atom(present), holds.negated()]))
    }

    /// The column that a test of two sides is NULL with; `None`: not known.
    fn subject_column(&mut self, a: &Expr, b: &Expr) -> Option<usize> {
        [a, b].into_iter().find_map(|side| match self.subject(side) {
            Some(subject) => subject.is_whole().then_some(subject.column),
            None => ordinal_subject(side, self.parts).map(|(column, _)| column),
        })
    }
}

/// Whether a NULL stands among the arguments.
fn has_nulls(args: &[Expr]) -> bool {
    args.iter().any(|a| constant(a).is_some_and(|(value, _)| value.is_null()))
}
