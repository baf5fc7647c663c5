//! Conditions as lists of terms, and what may be moved.

use millstream_expr::{CastMode, Expr, ExprKind, Volatility};
use millstream_types::Value;

/// The terms of a condition, in order of evaluation.
pub(crate) fn terms(condition: Expr) -> Vec<Expr> {
    match condition.kind {
        ExprKind::And(terms) => terms.into_iter().flat_map(self::terms).collect(),
        ExprKind::Literal(Value::Boolean(true)) => Vec::new(),
        _ => vec![condition],
    }
}

/// Whether an expression gives the same value wherever it is evaluated.
pub(super) fn is_steady(expr: &Expr) -> bool {
    expr.volatility() == Volatility::Immutable
}

/// Whether some value of its columns makes an expression fail.
pub(super) fn is_fallible(expr: &Expr) -> bool {
    let mut fallible = false;
    expr.walk(&mut |e| match &e.kind {
        ExprKind::Call(c) => fallible |= c.fallible,
        ExprKind::Cast { input, mode } => {
            // Only conversions that parse or narrow fail; the ones that the binder adds widen.
            fallible |= matches!(mode, CastMode::Cast | CastMode::Assign)
                && !input.data_type.kind.same_as(&e.data_type.kind)
                && !e.data_type.kind.is_string();
            fallible |= *mode == CastMode::Implicit
                && input.data_type.kind.is_string()
                && !e.data_type.kind.is_string();
        }
        _ => {}
    });
    fallible
}

/// The same terms where they stand.
pub(super) fn term_refs(condition: &Expr) -> Vec<&Expr> {
    match &condition.kind {
        ExprKind::And(terms) => terms.iter().flat_map(term_refs).collect(),
        ExprKind::Literal(Value::Boolean(true)) => Vec::new(),
        _ => vec![condition],
    }
}

/// Which terms move down; the others stay. A term overtakes another one only if neither can fail: else an error would appear, or disappear.
pub(super) fn moves(terms: &[&Expr], movable: impl Fn(&Expr) -> bool) -> Vec<bool> {
    let (mut stays, mut certain) = (false, true);
    terms
        .iter()
        .map(|term| {
            let free = !stays || certain && !is_fallible(term);
            let moves = free && is_steady(term) && movable(term);
            if !moves {
                stays = true;
                certain = certain && !is_fallible(term);
            }
            moves
        })
        .collect()
}

/// Divides terms into those that move and those that stay, each in their order.
pub(super) fn split(terms: Vec<Expr>, moves: &[bool]) -> (Vec<Expr>, Vec<Expr>) {
    let (mut moving, mut staying) = (Vec::new(), Vec::new());
    for (term, moves) in terms.into_iter().zip(moves) {
        if *moves { &mut moving } else { &mut staying }.push(term);
    }
    (moving, staying)
}

/// How many parts an expression has.
pub(super) fn size(expr: &Expr) -> usize {
    let mut n = 0;
    expr.walk(&mut |_| n += 1);
    n
}
