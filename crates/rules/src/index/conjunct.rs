//! Conjuncts of rules' conditions, which lie within them.

use std::borrow::Cow;
use std::sync::Arc;

use millstream_expr::{Expr, ExprKind};

/// A conjunct of a condition, without a copy of it: the conditions of thousands of rules are large, and whoever gave them keeps them anyway.
#[derive(Debug, Clone)]
pub(super) struct Conjunct {
    whole: Arc<Expr>,
    /// Its position among the conjuncts of `whole`; `None`: all of it.
    at: Option<u32>,
}

impl Conjunct {
    /// An expression that lies in no other.
    pub(super) fn alone(expr: Expr) -> Self {
        Conjunct { whole: Arc::new(expr), at: None }
    }

    /// The conjuncts that some expressions are. The borrowed ones are `whole` itself, or lie in it in their order.
    pub(super) fn of<'a>(
        whole: &'a Arc<Expr>,
        parts: Vec<Cow<'a, Expr>>,
    ) -> impl Iterator<Item = Conjunct> + 'a {
        let mut all = Conjuncts::of(whole).enumerate();
        parts.into_iter().map(move |part| match part {
            Cow::Owned(expr) => Conjunct::alone(expr),
            Cow::Borrowed(expr) if std::ptr::eq(expr, &**whole) => {
                Conjunct { whole: whole.clone(), at: None }
            }
            Cow::Borrowed(expr) => match all.find(|(_, c)| std::ptr::eq(*c, expr)) {
                Some((at, _)) if u32::try_from(at).is_ok() => {
                    Conjunct { whole: whole.clone(), at: Some(at as u32) }
                }
                _ => Conjunct::alone(expr.clone()),
            },
        })
    }

    /// The expression.
    pub(super) fn expr(&self) -> &Expr {
        let part = self.at.and_then(|at| Conjuncts::of(&self.whole).nth(at as usize));
        part.unwrap_or(&self.whole)
    }
}

/// The conjuncts of an expression, those of conjuncts among them.
pub(super) struct Conjuncts<'a> {
    /// What is still to be looked at, the next last.
    open: Vec<&'a [Expr]>,
}

impl<'a> Conjuncts<'a> {
    pub(super) fn of(expr: &'a Expr) -> Self {
        Conjuncts { open: vec![std::slice::from_ref(expr)] }
    }
}

impl<'a> Iterator for Conjuncts<'a> {
    type Item = &'a Expr;

    fn next(&mut self) -> Option<&'a Expr> {
        loop {
            let level = self.open.last_mut()?;
            let Some((first, rest)) = level.split_first() else {
                self.open.pop();
                continue;
            };
            *level = rest;
            match &first.kind {
                ExprKind::And(terms) => self.open.push(terms),
                _ => return Some(first),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use millstream_types::DataType;

    use super::*;

    #[test]
    fn conjuncts_are_found_again() {
        let column = |i| Expr::column(i, DataType::boolean());
        let and = |terms| Expr::new(ExprKind::And(terms), DataType::boolean());
        let whole = Arc::new(and(vec![column(0), and(vec![column(1), and(vec![]), column(2)]), column(3)]));
        let all: Vec<&Expr> = Conjuncts::of(&whole).collect();
        assert_eq!(all, [&column(0), &column(1), &column(2), &column(3)]);
        let some = vec![Cow::Borrowed(all[1]), Cow::Owned(column(9)), Cow::Borrowed(all[3])];
        let found: Vec<Expr> = Conjunct::of(&whole, some).map(|c| c.expr().clone()).collect();
        assert_eq!(found, [column(1), column(9), column(3)]);
        let itself = Conjunct::of(&whole, vec![Cow::Borrowed(&*whole)]).map(|c| c.expr().clone());
        assert_eq!(itself.collect::<Vec<_>>(), [(*whole).clone()]);
    }
}
