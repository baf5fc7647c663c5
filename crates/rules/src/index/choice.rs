//! Tests of a value that is chosen by CASE, IF or COALESCE: a choice of tests.

use millstream_expr::{Expr, ExprKind};

use super::atom::Condition;
use super::condition::{Known, Reading, Shows, is_strict};
use super::constants::folded;

/// Deeper functions of a choice are not looked through.
const DEEPEST: usize = 8;

/// A test with each of the values that it may be of.
enum Choice {
    /// The first value whose condition is TRUE; the last one where none is.
    Case(Vec<(Expr, Expr)>, Expr),
    /// Values, of which the first that is not NULL is tested, each with its test; whether the test is NULL for NULL.
    Coalesce(Vec<(Expr, Expr)>, bool),
}

impl Reading<'_> {
    /// What is known of a test whose value is chosen; `None`: it is not.
    pub(super) fn choices(&mut self, expr: &Expr, negated: bool, shows: Shows) -> Option<Known> {
        match choice(expr)? {
            Choice::Case(branches, otherwise) => {
                let branches: Vec<(&Expr, &Expr)> = branches.iter().map(|(c, v)| (c, v)).collect();
                Some(self.case(&branches, &otherwise, negated, shows))
            }
            Choice::Coalesce(tests, strict) => {
                let mut parts: Vec<Known> = Vec::with_capacity(tests.len());
                let mut nulls: Vec<Condition> = Vec::new();
                for (value, test) in &tests {
                    let known = self.read(test, negated, shows);
                    let condition = Condition::all(nulls.iter().cloned().chain([known.condition]).collect());
                    parts.push(Known { condition, ..known });
                    nulls.push(self.null(value));
                }
                // TRUE where the first one is; of the others nothing is asked beyond the first one's NULLs.
                let others = parts.iter().skip(1).all(|k| k.condition == Condition::Never);
                let exact = strict && others && parts.first().is_some_and(|k| k.exact);
                let condition = Condition::any(parts.into_iter().map(|k| k.condition).collect());
                Some(Known { condition, exact })
            }
        }
    }
}

/// The argument that is not constant, if there is one only.
fn varying(args: &[Expr]) -> Option<usize> {
    let mut positions = (0..args.len()).filter(|i| args.get(*i).is_some_and(|a| !a.columns().is_empty()));
    let first = positions.next()?;
    positions.next().is_none().then_some(first)
}

fn choice(test: &Expr) -> Option<Choice> {
    // The way to the choice.
    let mut way = Vec::new();
    let mut at = test;
    let mut strict = true;
    loop {
        let next = match &at.kind {
            ExprKind::Case { .. } if !way.is_empty() => break,
            ExprKind::Call(call) if matches!(&*call.name, "IF" | "COALESCE" | "IFNULL" | "NVL") => break,
            ExprKind::Call(call) => {
                let position = varying(&call.args)?;
                way.push(position);
                strict &= is_strict(call);
                call.args.get(position)?
            }
            ExprKind::Cast { input, .. } => {
                way.push(0);
                input
            }
            _ => return None,
        };
        if way.len() > DEEPEST {
            return None;
        }
        at = next;
    }
    if way.is_empty() {
        return None;
    }
    let with = |value: &Expr| {
        let mut whole = test.clone();
        let mut place = &mut whole;
        for position in &way {
            place = place.children_mut().into_iter().nth(*position)?;
        }
        *place = Expr { data_type: place.data_type.clone(), ..value.clone() };
        Some(if whole.columns().is_empty() { folded(whole) } else { whole })
    };
    match &at.kind {
        ExprKind::Case { branches, otherwise } => {
            let branches: Option<Vec<_>> =
                branches.iter().map(|(c, v)| Some((c.clone(), with(v)?))).collect();
            Some(Choice::Case(branches?, with(otherwise)?))
        }
        ExprKind::Call(call) => match (&*call.name, call.args.as_slice()) {
            ("IF", [condition, value, otherwise]) => {
                Some(Choice::Case(vec![(condition.clone(), with(value)?)], with(otherwise)?))
            }
            (_, args) => {
                let tests = args.iter().map(|a| Some((a.clone(), with(a)?)));
                Some(Choice::Coalesce(tests.collect::<Option<_>>()?, strict))
            }
        },
        _ => None,
    }
}
