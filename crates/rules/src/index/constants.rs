//! Constants of conditions.

use std::sync::Arc;

use millstream_expr::{EvalContext, Expr, ExprKind, Volatility, fold};
use millstream_types::{ManualClock, SeededRandom, TypeKind, Value};

/// The text of a constant, also below a cast between strings that keeps it.
pub(super) fn constant_text(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Literal(v) if expr.data_type.kind.is_string() => v.as_str(),
        ExprKind::Cast { input, .. } if expr.data_type.kind == TypeKind::STRING => constant_text(input),
        _ => None,
    }
}

/// A constant with its type.
pub(super) fn constant(expr: &Expr) -> Option<(Value, TypeKind)> {
    if let Some(value) = expr.as_literal() {
        return Some((value.clone(), expr.data_type.kind.clone()));
    }
    // What depends on the session's zone was folded by the planner.
    let in_zone = |kind: &TypeKind| matches!(kind, TypeKind::TimestampLtz(..));
    let mut zoned = false;
    expr.walk(&mut |e| zoned |= in_zone(&e.data_type.kind));
    if zoned || !expr.columns().is_empty() {
        return None;
    }
    let folded = folded(expr.clone());
    let kind = folded.data_type.kind.clone();
    folded.as_literal().map(|value| (value.clone(), kind))
}

/// A whole number that is constant.
pub(super) fn constant_int(expr: &Expr) -> Option<i64> {
    constant(expr).filter(|(_, kind)| kind.is_integer()).and_then(|(value, _)| value.as_int())
}

/// An expression with what is constant in it evaluated; for what does not depend on the session.
pub(super) fn folded(expr: Expr) -> Expr {
    if expr.volatility() != Volatility::Immutable {
        return expr;
    }
    let context = EvalContext {
        clock: Arc::new(ManualClock::new(0)),
        random: Arc::new(SeededRandom::new(0)),
        zone: "UTC".into(),
        query_start: 0,
        batch: false,
    };
    fold(expr, &context)
}
