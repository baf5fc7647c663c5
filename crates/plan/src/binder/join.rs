//! Joins: conditions, USING and NATURAL, FOR SYSTEM_TIME AS OF.
//!
//! The binder only puts the whole condition on the join; which part is an equality, an interval of time or a window is decided by the
//! optimizer, when the conditions of WHERE have come down.

use std::sync::Arc;

use millstream_expr::Expr;
use millstream_sql::ast::{self, HintArg, JoinCondition, TableFactor};
use millstream_types::{Fault, Field, Schema, Span, TimeAttribute};

use super::Binder;
use super::expression::{Collected, ExprBinder, conjunction};
use super::from::apply_alias;
use super::scope::{Scope, ScopeColumn, suggest};
use crate::{JoinKind, JoinOp, NodeId, Op};

impl Binder<'_> {
    /// Adds a join of two bound sides.
    pub(super) fn add_join(
        &mut self,
        left: (NodeId, Scope),
        right: (NodeId, Scope),
        kind: JoinKind,
        condition: &JoinCondition,
        natural: bool,
        span: Span,
    ) -> Result<(NodeId, Scope), Fault> {
        self.add_join_with(left, right, kind, condition, natural, span, Vec::new())
    }

    /// The same with further conditions, over the left columns followed by the right ones.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn add_join_with(
        &mut self,
        left: (NodeId, Scope),
        right: (NodeId, Scope),
        kind: JoinKind,
        condition: &JoinCondition,
        natural: bool,
        span: Span,
        mut terms: Vec<Expr>,
    ) -> Result<(NodeId, Scope), Fault> {
        let width = self.schema(left.0).len();
        let (left, left_scope) = left;
        let (right, mut right_scope) = right;
        right_scope.map(&|e| e.map_columns(&|i| i + width));
        let names: Vec<ast::Ident> = match condition {
            JoinCondition::Using(names) => names.clone(),
            _ if natural => common_names(&left_scope, &right_scope, span),
            _ => Vec::new(),
        };
        let mut pairs: Vec<(Arc<str>, Expr, Expr)> = Vec::new();
        for name in &names {
            let find = |scope: &Scope, side: &str| -> Result<Expr, Fault> {
                scope.resolve(std::slice::from_ref(name))?.ok_or_else(|| {
                    let fault = Fault::user(
                        "unknown-column",
                        format!("column '{}' not found in the {side} side of the join", name.value),
                    )
                    .at(name.span);
                    let star = scope.star();
                    suggest(fault, &name.value, star.iter().map(|c| &*c.name))
                })
            };
            let (l, r) = (find(&left_scope, "left")?, find(&right_scope, "right")?);
            pairs.push((Arc::from(name.value.as_str()), l, r));
        }
        let mut scope = Scope { tables: left_scope.tables, merged: left_scope.merged };
        scope.tables.extend(right_scope.tables);
        scope.merged.extend(right_scope.merged);
        let empty = Scope::default();
        for (_, l, r) in &pairs {
            let mut found = Collected { clause: "USING", ..Collected::default() };
            let equal = ExprBinder { binder: self, scope: &empty, found: &mut found }.call(
                "=",
                vec![l.clone(), r.clone()],
                Vec::new(),
                span,
            )?;
            terms.push(equal);
        }
        if let JoinCondition::On(e) = condition {
            let mut found = Collected { clause: "ON", ..Collected::default() };
            let on = ExprBinder { binder: self, scope: &scope, found: &mut found }.condition(e)?;
            let always = matches!(on.as_literal(), Some(millstream_types::Value::Boolean(true)));
            if !always {
                terms.push(on);
            }
        }
        let condition = (!terms.is_empty()).then(|| conjunction(terms));
        let (left_null, right_null) = nulls_of(kind);
        scope.map(&|e| {
            let on_left = e.columns().iter().all(|c| *c < width);
            if (on_left && left_null) || (!on_left && right_null) {
                e.data_type.nullable = true;
            }
        });
        let schema = joined_schema(&self.schema(left), &self.schema(right), kind);
        let op = JoinOp {
            kind,
            equal: Vec::new(),
            null_safe: Vec::new(),
            condition,
            interval: None,
            window: false,
            time: None,
            right_time: None,
            hints: self.join_hints(),
        };
        let node = self.add(Op::Join(op), vec![left, right], schema, span);
        for (name, l, r) in pairs {
            let expr = match kind {
                JoinKind::Right => r,
                JoinKind::Full => {
                    let args = vec![nullable(l), nullable(r)];
                    let mut found = Collected { clause: "USING", ..Collected::default() };
                    ExprBinder { binder: self, scope: &empty, found: &mut found }.call(
                        "COALESCE",
                        args,
                        Vec::new(),
                        span,
                    )?
                }
                _ => l,
            };
            scope.merged.push(ScopeColumn { name, expr });
        }
        Ok((node, scope))
    }

    /// The hints of the SELECT, for its joins.
    pub(super) fn join_hints(&self) -> Vec<(String, Vec<(String, String)>)> {
        self.hints
            .iter()
            .map(|h| {
                let args = h
                    .args
                    .iter()
                    .map(|a| match a {
                        HintArg::Option(o) => (o.key.value.clone(), o.value.value.clone()),
                        HintArg::Name(n) => (n.texts().join("."), String::new()),
                        HintArg::Literal(t) => (t.value.clone(), String::new()),
                    })
                    .collect();
                (h.name.value.to_uppercase(), args)
            })
            .collect()
    }

    /// `JOIN table FOR SYSTEM_TIME AS OF time`.
    pub(super) fn join_temporal(
        &mut self,
        left: (NodeId, Scope),
        factor: &TableFactor,
        (name, hints, time): (&ast::ObjectName, &[ast::Hint], &ast::Expr),
        kind: ast::JoinKind,
        condition: &JoinCondition,
    ) -> Result<(NodeId, Scope), Fault> {
        let mut found = Collected { clause: "FOR SYSTEM_TIME AS OF", ..Collected::default() };
        let moment = ExprBinder { binder: self, scope: &left.1, found: &mut found }.bind(time)?;
        let outer_join = match kind {
            ast::JoinKind::Inner | ast::JoinKind::Cross => false,
            ast::JoinKind::Left => true,
            _ => {
                return Err(Fault::user(
                    "temporal-join",
                    "FOR SYSTEM_TIME AS OF is only possible in INNER and LEFT joins",
                )
                .at(factor.span)
                .hint("turn the join around, or make it a LEFT JOIN"));
            }
        };
        let (join, position) = match (
            moment.data_type.kind.time_attribute(),
            super::select::plain_column(&moment),
        ) {
            (TimeAttribute::Rowtime, Some(p)) => {
                (if outer_join { JoinKind::TemporalLeft } else { JoinKind::TemporalInner }, Some(p))
            }
            (TimeAttribute::Proctime, p) => {
                (if outer_join { JoinKind::LookupLeft } else { JoinKind::LookupInner }, p)
            }
            _ => {
                return Err(Fault::user(
                    "temporal-join",
                    format!(
                        "Temporal table join currently only supports 'FOR SYSTEM_TIME AS OF' left table's time attribute field, this is of type {}",
                        moment.data_type.kind
                    ),
                )
                .at(time.span)
                .hint("use the left table's column that has a watermark, or PROCTIME()"));
            }
        };
        let mut table = self.bind_table(name, hints)?;
        if let Some(alias) = &factor.alias {
            apply_alias(&mut table.scope, alias, 0)?;
        }
        let right = (table.node, Scope { tables: vec![table.scope], merged: Vec::new() });
        let (node, scope) = self.add_join(left, right, join, condition, false, factor.span)?;
        if let Some(Op::Join(j)) = self.plan.nodes.get_mut(node.0).map(|n| &mut n.op) {
            j.time = position;
        }
        Ok((node, scope))
    }
}

fn nullable(mut expr: Expr) -> Expr {
    expr.data_type.nullable = true;
    expr
}

/// Which sides of a join can be padded with NULLs.
pub(crate) fn nulls_of(kind: JoinKind) -> (bool, bool) {
    match kind {
        JoinKind::Left | JoinKind::TemporalLeft | JoinKind::LookupLeft => (false, true),
        JoinKind::Right => (true, false),
        JoinKind::Full => (true, true),
        _ => (false, false),
    }
}

/// The columns of a join.
pub(crate) fn joined_schema(left: &Schema, right: &Schema, kind: JoinKind) -> Schema {
    let (left_null, right_null) = nulls_of(kind);
    let side = |schema: &Schema, null: bool| -> Vec<Field> {
        schema
            .fields
            .iter()
            .map(|f| {
                Field::new(f.name.clone(), f.data_type.clone().with_nullable(f.data_type.nullable || null))
            })
            .collect()
    };
    let mut fields = side(left, left_null);
    if !matches!(kind, JoinKind::Semi | JoinKind::Anti) {
        fields.extend(side(right, right_null));
    }
    Schema::new(fields)
}

/// The names that both sides have, in the left side's order.
fn common_names(left: &Scope, right: &Scope, span: Span) -> Vec<ast::Ident> {
    let right = right.star();
    left.star()
        .iter()
        .filter(|c| right.iter().any(|r| r.name == c.name))
        .map(|c| ast::Ident { value: c.name.to_string(), quoted: false, span })
        .collect()
}
