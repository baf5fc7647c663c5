//! VALUES.

use std::sync::Arc;

use millstream_expr::coerce::common_type;
use millstream_expr::{Expr, ExprKind};
use millstream_sql::ast::ValuesRow;
use millstream_types::{DataType, Fault, Field, Schema, Span, TypeKind, Value};

use super::Binder;
use super::expression::{Collected, ExprBinder, converted};
use super::scope::Scope;
use crate::{NodeId, Op};

impl Binder<'_> {
    /// Binds the rows; constants become rows at once, other expressions projections of one row.
    pub(super) fn bind_values(&mut self, rows: &[ValuesRow], span: Span) -> Result<NodeId, Fault> {
        let scope = Scope::default();
        let mut bound: Vec<Vec<Expr>> = Vec::with_capacity(rows.len());
        for row in rows {
            let mut items = Vec::with_capacity(row.items.len());
            for item in &row.items {
                let mut found = Collected { clause: "VALUES", ..Collected::default() };
                let expr = ExprBinder { binder: self, scope: &scope, found: &mut found }.bind(item)?;
                if expr.data_type.kind == TypeKind::Null {
                    return Err(Fault::user("illegal-null", "Illegal use of 'NULL'")
                        .at(item.span)
                        .hint("give the NULL a type: CAST(NULL AS INT)"));
                }
                items.push(expr);
            }
            if let Some(first) = bound.first()
                && first.len() != items.len()
            {
                return Err(Fault::user(
                    "values-width",
                    format!(
                        "Values passed to VALUES operator must have compatible types: {} and {} columns",
                        first.len(),
                        items.len()
                    ),
                )
                .at(row.span)
                .hint("give every row the same number of values"));
            }
            bound.push(items);
        }
        let width = bound.first().map_or(0, Vec::len);
        let mut types: Vec<DataType> = Vec::with_capacity(width);
        for column in 0..width {
            let all: Vec<DataType> =
                bound.iter().filter_map(|r| r.get(column)).map(|e| e.data_type.plain()).collect();
            let common = common_type(&all).ok_or_else(|| {
                Fault::user(
                    "values-types",
                    format!(
                        "Values passed to VALUES operator must have compatible types (column {})",
                        column + 1
                    ),
                )
                .at(rows.first().map_or(span, |r| r.span))
                .hint("cast the values of the column to one type")
            })?;
            types.push(common);
        }
        for row in &mut bound {
            for (item, data_type) in row.iter_mut().zip(&types) {
                let place = item.span;
                *item = constant(converted(item.clone(), data_type), data_type);
                item.span = item.span.or(place);
            }
        }
        let fields = types.iter().enumerate().map(|(i, t)| Field::new(format!("EXPR${i}"), t.clone()));
        let schema = Schema::new(fields.collect());
        let literal = |row: &Vec<Expr>| row.iter().all(|e| e.as_literal().is_some());
        if bound.iter().all(literal) {
            let values = bound
                .into_iter()
                .map(|r| r.into_iter().map(|e| e.as_literal().cloned().unwrap_or(Value::Null)).collect())
                .collect();
            return Ok(self.add(Op::Values(values), Vec::new(), schema, span));
        }
        let mut branches = Vec::with_capacity(bound.len());
        for row in bound {
            let one = self.add(Op::Values(vec![Vec::new()]), Vec::new(), Schema::default(), span);
            let items = schema
                .fields
                .iter()
                .zip(row)
                .map(|(f, mut e)| {
                    e.data_type.nullable |= f.data_type.nullable;
                    (f.name.clone(), e)
                })
                .collect::<Vec<(Arc<str>, Expr)>>();
            branches.push(self.project(one, items, span));
        }
        if let [only] = branches.as_slice() {
            return Ok(*only);
        }
        Ok(self.add(Op::Union, branches, schema, span))
    }
}

/// A cast of a literal between types that differ only in size as the literal of the wider type.
fn constant(expr: Expr, to: &DataType) -> Expr {
    let ExprKind::Cast { input, .. } = &expr.kind else { return expr };
    let Some(value) = input.as_literal() else { return expr };
    let (from, to) = (&input.data_type.kind, &to.kind);
    let power = |n: u8| 10i128.checked_pow(u32::from(n));
    let converted = match (value, from, to) {
        (Value::Null, _, _) => Some(Value::Null),
        (Value::String(_), f, TypeKind::VarChar(_)) if f.is_string() => Some(value.clone()),
        (Value::Bytes(_), f, TypeKind::VarBinary(_)) if f.is_binary() => Some(value.clone()),
        (Value::Int(_), f, t) if f.is_integer() && t.is_integer() => Some(value.clone()),
        (Value::Int(i), f, TypeKind::Decimal { scale, .. }) if f.is_integer() => {
            power(*scale).and_then(|p| i128::from(*i).checked_mul(p)).map(Value::Decimal)
        }
        (Value::Decimal(d), TypeKind::Decimal { scale: s, .. }, TypeKind::Decimal { scale: t, .. })
            if t >= s =>
        {
            power(t - s).and_then(|p| d.checked_mul(p)).map(Value::Decimal)
        }
        (Value::Int(i), f, TypeKind::Double) if f.is_integer() => Some(Value::Float(*i as f64)),
        _ => None,
    };
    match converted {
        Some(value) => Expr { kind: ExprKind::Literal(value), data_type: expr.data_type, span: expr.span },
        None => expr,
    }
}
