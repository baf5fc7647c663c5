//! The way from the catalog to the binder: expressions of columns and watermarks.

use millstream_expr::Expr;
use millstream_sql::ast;
use millstream_types::{Fault, Field};

use super::BindEnvironment;

/// Binds an expression over some columns: neither subqueries nor aggregates.
///
/// # Errors
/// User, at the place in the text.
pub(crate) fn bind_scalar(
    expr: &ast::Expr,
    columns: &[Field],
    environment: &BindEnvironment<'_>,
) -> Result<Expr, Fault> {
    let _ = (columns, environment);
    Err(Fault::not_yet("expressions in column declarations").at(expr.span))
}

/// Replaces input columns by expressions, where there is one.
pub(crate) fn substitute(expr: &mut Expr, with: &impl Fn(usize) -> Option<Expr>) {
    if let millstream_expr::ExprKind::Column(i) = expr.kind {
        if let Some(replacement) = with(i) {
            *expr = replacement;
        }
        return;
    }
    for child in expr.children_mut() {
        substitute(child, with);
    }
}
