//! Constant folding, and simplifications that three-valued logic and the order of evaluation allow.
//!
//! A constant that fails is left as it is: it fails when a row reaches it, or never.

use millstream_types::{Fault, TypeKind, Value};

use crate::{EvalContext, Expr, ExprKind, Program, Rows, Volatility};

/// Longest text that folding makes: a plan must not grow by what a short text can ask for.
const MAX_BYTES: usize = 65_536;

/// Calls that are NULL if one argument is.
const STRICT: &[&str] = &["=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "||", "LIKE", "NEGATE"];

/// The expression with everything folded that is constant under the context. The type stays the same.
pub fn fold(mut expr: Expr, context: &EvalContext) -> Expr {
    for child in expr.children_mut() {
        let taken = std::mem::replace(child, Expr::boolean(true));
        *child = fold(taken, context);
    }
    let Expr { kind, data_type, span } = expr;
    let kind = match kind {
        ExprKind::And(terms) => chain(terms, true),
        ExprKind::Or(terms) => chain(terms, false),
        ExprKind::Not(input) => match input.kind {
            ExprKind::Not(inner) => inner.kind,
            kind => ExprKind::Not(Box::new(Expr { kind, ..*input })),
        },
        ExprKind::Case { branches, otherwise } => case(branches, otherwise),
        ExprKind::Call(call) => match trivial(&call.name, &call.args) {
            Some(value) if call.volatility == Volatility::Immutable => ExprKind::Literal(value),
            _ => ExprKind::Call(call),
        },
        other => other,
    };
    let expr = Expr { kind, data_type, span };
    match constant(&expr, context) {
        Ok(Some(value)) => Expr { kind: ExprKind::Literal(value), ..expr },
        // It fails when a row reaches it.
        Ok(None) | Err(_) => expr,
    }
}

/// AND or OR of folded terms. Terms behind one that decides are never reached; those before it may fail and stay.
fn chain(terms: Vec<Expr>, and: bool) -> ExprKind {
    let mut kept: Vec<Expr> = Vec::with_capacity(terms.len());
    for term in terms {
        match term.as_literal().and_then(Value::as_bool) {
            Some(value) if value == and => {}
            Some(_) => {
                kept.retain(Expr::fallible);
                kept.push(term);
                break;
            }
            None => kept.push(term),
        }
    }
    match kept.len() {
        0 => ExprKind::Literal(Value::Boolean(and)),
        1 => kept.remove(0).kind,
        _ if and => ExprKind::And(kept),
        _ => ExprKind::Or(kept),
    }
}

fn case(branches: Box<[(Expr, Expr)]>, otherwise: Box<Expr>) -> ExprKind {
    let mut kept = Vec::with_capacity(branches.len());
    for (condition, value) in branches {
        match condition.as_literal() {
            Some(Value::Boolean(true)) => {
                if kept.is_empty() {
                    return value.kind;
                }
                return ExprKind::Case { branches: kept.into(), otherwise: Box::new(value) };
            }
            Some(_) => {}
            None => kept.push((condition, value)),
        }
    }
    if kept.is_empty() { otherwise.kind } else { ExprKind::Case { branches: kept.into(), otherwise } }
}

/// What a call is without being evaluated: NULL for a NULL argument of a strict function, TRUE for `x = x` where x is never NULL.
fn trivial(name: &str, args: &[Expr]) -> Option<Value> {
    if args.iter().any(Expr::fallible) {
        return None;
    }
    if STRICT.contains(&name) && args.iter().any(|a| a.as_literal().is_some_and(Value::is_null)) {
        return Some(Value::Null);
    }
    match (name, args) {
        // Flink's planner takes this for granted, for NaN too.
        ("=" | "<=" | ">=", [a, b])
            if a == b && !a.data_type.nullable && a.volatility() == Volatility::Immutable =>
        {
            Some(Value::Boolean(true))
        }
        _ => None,
    }
}

/// The value of an expression whose inputs are literals.
fn constant(expr: &Expr, context: &EvalContext) -> Result<Option<Value>, Fault> {
    let foldable = match &expr.kind {
        ExprKind::Column(_) | ExprKind::Literal(_) => false,
        ExprKind::Call(call) => call.volatility == Volatility::Immutable,
        _ => true,
    };
    let opaque = matches!(expr.data_type.kind, TypeKind::Descriptor | TypeKind::Raw(_));
    if !foldable || opaque || !expr.children().iter().all(|c| c.as_literal().is_some()) {
        return Ok(None);
    }
    constant_value(expr, context)
}

/// The value of an expression that reads no column; `None`: what it is cannot stand in a plan, because it contradicts the type or is too long.
///
/// # Errors
/// What a row that reaches it would raise.
pub fn constant_value(expr: &Expr, context: &EvalContext) -> Result<Option<Value>, Fault> {
    let rows = Rows { columns: &[], rows: 1, watermarks: None };
    let arrays = Program::compile(std::slice::from_ref(expr))?.eval(&rows, context).map_err(|e| e.fault)?;
    let value = arrays.first().map(|a| Value::from_array(a.as_ref(), 0, &expr.data_type));
    Ok(value.filter(|v| match v {
        Value::Null => expr.data_type.nullable,
        Value::String(s) => s.len() <= MAX_BYTES,
        Value::Bytes(b) => b.len() <= MAX_BYTES,
        _ => true,
    }))
}

#[cfg(test)]
mod tests {
    use millstream_types::{DataType, Span};

    use super::*;
    use crate::CastMode;
    use crate::coerce::explicit_cast;
    use crate::functions::call_expr;
    use crate::testing::{context, eval_context, literal, text};

    fn call(name: &str, args: &[Expr]) -> Expr {
        call_expr(name, args, &[], Span::default(), &context()).unwrap()
    }

    fn folded(e: Expr) -> Expr {
        fold(e, &eval_context())
    }

    fn column() -> Expr {
        Expr::column(0, DataType::int())
    }

    fn fails() -> Expr {
        let cast = explicit_cast(text("x"), &DataType::int(), CastMode::Cast, &context()).unwrap();
        call("=", &[cast, literal(1)])
    }

    #[test]
    fn constants_become_literals() {
        let sum = call("+", &[literal(1), call("*", &[literal(2), literal(3)])]);
        assert_eq!(folded(sum).as_literal(), Some(&Value::Int(7)));
        let rand = call("RAND", &[]);
        assert_eq!(folded(rand.clone()), rand);
        let half = call("+", &[column(), call("+", &[literal(1), literal(1)])]);
        let ExprKind::Call(c) = folded(half).kind else { panic!() };
        assert_eq!(c.args[1].as_literal(), Some(&Value::Int(2)));
        assert_eq!(folded(fails()), fails(), "what fails is left to fail");
    }

    #[test]
    fn logic() {
        let c = call("=", &[column(), literal(1)]);
        let t = Expr::boolean(true);
        let f = Expr::boolean(false);
        assert_eq!(folded(Expr::and(vec![t.clone(), c.clone()])).kind, c.kind);
        assert_eq!(folded(Expr::and(vec![c.clone(), f.clone()])).as_literal(), Some(&Value::Boolean(false)));
        // What may fail before the FALSE stays, what comes behind it goes.
        let ExprKind::And(kept) = folded(Expr::and(vec![c.clone(), fails(), f, c.clone()])).kind else {
            panic!()
        };
        assert_eq!(kept.len(), 2);
        let not = |e: Expr| Expr::new(ExprKind::Not(Box::new(e)), DataType::boolean());
        assert_eq!(folded(not(not(c.clone()))).kind, c.kind);
        let null = Expr::literal(Value::Null, DataType::int());
        assert_eq!(folded(call("=", &[column(), null])).as_literal(), Some(&Value::Null));
        let nan = Expr::literal(Value::Float(f64::NAN), TypeKind::Double.not_null());
        assert_eq!(folded(call("=", &[nan.clone(), nan])).as_literal(), Some(&Value::Boolean(true)));
    }

    #[test]
    fn cases() {
        let case = |c: Expr| {
            Expr::new(
                ExprKind::Case {
                    branches: [(Expr::boolean(false), literal(1)), (c, column())].into(),
                    otherwise: Box::new(literal(3)),
                },
                DataType::int(),
            )
        };
        assert_eq!(folded(case(Expr::boolean(true))).kind, ExprKind::Column(0));
        assert_eq!(
            folded(case(Expr::literal(Value::Null, DataType::boolean()))).as_literal(),
            Some(&Value::Int(3))
        );
    }
}
