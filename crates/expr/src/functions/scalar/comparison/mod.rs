//! Comparison: `=`, `<`, `IS DISTINCT FROM`, IN, and BETWEEN's lowering.

mod compare;
mod distinct;
mod in_list;
mod operands;
#[cfg(test)]
mod tests;

pub(super) use compare::equals_text;
pub use compare::{Comparison, compare};
pub(super) use operands::meet;

use std::sync::Arc;

use millstream_types::{Fault, Span, TypeKind};

use crate::{BindContext, BoundCall, Call, Example, Expr, ExprKind, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "=",
        "value ANY = other ANY -> BOOLEAN",
        "Whether two values are equal. NULL if one of them is NULL; text is compared with its trailing spaces, 'a' = 'a ' is FALSE.",
        &[Example::new("1 = 1.0", "TRUE"), Example::new("'a' = 'a '", "FALSE")],
        |c| bind(c, Comparison::Equal),
    ),
    Function::new(
        "<>",
        "value ANY <> other ANY -> BOOLEAN",
        "Whether two values differ. NULL if one of them is NULL.",
        &[Example::new("1 <> 2", "TRUE")],
        |c| bind(c, Comparison::NotEqual),
    )
    .aliases(&["!="]),
    Function::new(
        "<",
        "value COMPARABLE < other COMPARABLE -> BOOLEAN",
        "Whether a value is less than another one. Text is compared by its UTF-8 bytes.",
        &[Example::new("'10' < '9'", "TRUE")],
        |c| bind(c, Comparison::Less),
    ),
    Function::new(
        "<=",
        "value COMPARABLE <= other COMPARABLE -> BOOLEAN",
        "Whether a value is at most another one.",
        &[Example::new("1 <= 1", "TRUE")],
        |c| bind(c, Comparison::LessOrEqual),
    ),
    Function::new(
        ">",
        "value COMPARABLE > other COMPARABLE -> BOOLEAN",
        "Whether a value is greater than another one.",
        &[Example::new("2 > 10", "FALSE")],
        |c| bind(c, Comparison::Greater),
    ),
    Function::new(
        ">=",
        "value COMPARABLE >= other COMPARABLE -> BOOLEAN",
        "Whether a value is at least another one.",
        &[Example::new("1.10 >= 1.1", "TRUE")],
        |c| bind(c, Comparison::GreaterOrEqual),
    ),
    Function::new(
        "IS DISTINCT FROM",
        "value ANY IS DISTINCT FROM other ANY -> BOOLEAN",
        "Whether two values differ, where NULL equals NULL. Never NULL.",
        &[Example::new("1 IS DISTINCT FROM CAST(NULL AS INT)", "TRUE")],
        |c| distinct::bind(c, true),
    ),
    Function::new(
        "IS NOT DISTINCT FROM",
        "value ANY IS NOT DISTINCT FROM other ANY -> BOOLEAN",
        "Whether two values are equal, where NULL equals NULL. Never NULL.",
        &[Example::new("CAST(NULL AS INT) IS NOT DISTINCT FROM CAST(NULL AS INT)", "TRUE")],
        |c| distinct::bind(c, false),
    ),
    Function::new(
        "IN",
        "value ANY IN (item ANY, ...) -> BOOLEAN",
        "Whether a value equals one of the items. NULL if it equals none and one is NULL.",
        &[Example::new("1 IN (1, 2, 3)", "TRUE"), Example::new("4 IN (1, 2)", "FALSE")],
        in_list::bind,
    ),
];

fn bind(call: &Call<'_>, op: Comparison) -> Result<BoundCall, Fault> {
    let (a, b) = operands::pair(call, op)?;
    let nullable = a.data_type.nullable || b.data_type.nullable;
    let kernel = Arc::new(compare::CompareKernel(op));
    Ok(BoundCall::new(TypeKind::Boolean.nullable().with_nullable(nullable), vec![a, b], kernel))
}

/// `value BETWEEN low AND high`, lowered to comparisons: with SYMMETRIC, the bounds may come in either order.
///
/// # Errors
/// User, when the types cannot be compared.
pub fn between(
    value: &Expr,
    low: &Expr,
    high: &Expr,
    symmetric: bool,
    span: Span,
    context: &BindContext,
) -> Result<Expr, Fault> {
    let within = |low: &Expr, high: &Expr| -> Result<Expr, Fault> {
        let call = |name, bound: &Expr| {
            crate::functions::call_expr(name, &[value.clone(), bound.clone()], &[], span, context)
        };
        Ok(Expr::and(vec![call(">=", low)?, call("<=", high)?]).at(span))
    };
    let straight = within(low, high)?;
    if !symmetric {
        return Ok(straight);
    }
    let turned = within(high, low)?;
    let data_type = straight.data_type.clone();
    Ok(Expr::new(ExprKind::Or(vec![straight, turned]), data_type).at(span))
}
