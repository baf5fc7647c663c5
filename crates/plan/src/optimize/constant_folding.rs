//! Expressions of constants are computed once. What would fail stays as it is: it fails only if a row asks for it.

use std::sync::Arc;

use millstream_expr::{EvalContext, Expr, ExprKind, Volatility, constant_value};
use millstream_types::{MAX_LENGTH, ManualClock, SeededRandom, TypeKind, Value};

use crate::{JobPlan, Op, ProjectItem};

/// Texts up to this length are taken over without being evaluated: far below what [`constant_value`] lets stand in a plan.
const LONGEST_TEXT: usize = 1024;

/// Folds the expressions of every node.
pub(super) fn fold_constants(plan: &mut JobPlan) {
    // Nothing that is folded asks for time or randomness: the context only has to be there.
    let context = EvalContext {
        clock: Arc::new(ManualClock::new(0)),
        random: Arc::new(SeededRandom::new(0)),
        zone: plan.settings.zone.clone(),
        query_start: 0,
        batch: plan.settings.batch,
    };
    for node in &mut plan.nodes {
        if !matches!(node.op, Op::Sink(_)) {
            node.op.each_expression_mut(|expr| {
                fold(expr, &context);
            });
        }
    }
    literal_rows(plan);
}

/// Folds an expression from the leaves up; says whether it is constant.
fn fold(expr: &mut Expr, context: &EvalContext) -> bool {
    match &expr.kind {
        ExprKind::Literal(_) => return true,
        ExprKind::Column(_) => return false,
        _ => {}
    }
    let mut constant = true;
    expr.each_child_mut(|child| constant &= fold(child, context));
    let steady = match &expr.kind {
        ExprKind::Call(call) => call.volatility == Volatility::Immutable && !call.args.is_empty(),
        _ => true,
    };
    if !(constant && steady) {
        // A call that is not steady must not be folded into what is around it, either.
        return constant && steady;
    }
    // Constructors of arrays, maps and rows stay: their parts are folded, and that is what kernels look at.
    if matches!(&expr.kind, ExprKind::Call(c) if matches!(&*c.name, "ARRAY" | "MAP" | "ROW" | "MULTISET")) {
        return true;
    }
    // A text that becomes one of any length stays as it is; so does the name of a rule in thousands of them.
    if let ExprKind::Cast { input, .. } = &mut expr.kind
        && expr.data_type.kind == TypeKind::VarChar(MAX_LENGTH)
        && input.data_type.kind.is_string()
        && let ExprKind::Literal(value @ Value::String(_)) = &mut input.kind
        && matches!(value, Value::String(s) if s.len() <= LONGEST_TEXT)
    {
        let value = std::mem::replace(value, Value::Null);
        expr.kind = ExprKind::Literal(value);
        return true;
    }
    // What fails is left to the row that reaches it.
    match constant_value(expr, context) {
        Ok(Some(value)) => {
            expr.kind = ExprKind::Literal(value);
            true
        }
        Ok(None) | Err(_) => false,
    }
}

/// A projection of literals over constant rows is constant rows.
fn literal_rows(plan: &mut JobPlan) {
    for i in 0..plan.nodes.len() {
        let Some(node) = plan.nodes.get(i) else { continue };
        let (Op::Project(items), Some(input)) = (&node.op, node.inputs.first()) else { continue };
        let Some(Op::Values(rows)) = plan.nodes.get(input.0).map(|n| &n.op) else { continue };
        let projected: Option<Vec<Vec<Value>>> = rows.iter().map(|row| project(items, row)).collect();
        if let (Some(rows), Some(n)) = (projected, plan.nodes.get_mut(i)) {
            n.op = Op::Values(rows);
            n.inputs.clear();
        }
    }
}

fn project(items: &[ProjectItem], row: &[Value]) -> Option<Vec<Value>> {
    items
        .iter()
        .map(|item| match &item.expr.kind {
            ExprKind::Literal(v) => Some(v.clone()),
            ExprKind::Column(c) => row.get(*c).cloned(),
            _ => None,
        })
        .collect()
}
