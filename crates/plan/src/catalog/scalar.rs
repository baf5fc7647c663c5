//! The way from the catalog to the binder: expressions of columns and watermarks.

use millstream_expr::Expr;

pub(crate) use crate::binder::bind_expression as bind_scalar;

/// Replaces input columns by expressions, where there is one.
pub(crate) fn substitute(expr: &mut Expr, with: &impl Fn(usize) -> Option<Expr>) {
    if let millstream_expr::ExprKind::Column(i) = expr.kind {
        if let Some(replacement) = with(i) {
            *expr = replacement;
        }
        return;
    }
    expr.each_child_mut(|child| substitute(child, with));
}
