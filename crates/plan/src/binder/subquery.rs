//! WHERE and subqueries in it: IN and EXISTS become semi and anti joins, scalar subqueries left joins with at most one row.

use std::sync::Arc;

use millstream_expr::{Expr, ExprKind};
use millstream_sql::ast;
use millstream_types::{DataType, Fault, Field, Schema, Span, TypeKind, Value};

use super::expression::{Collected, ExprBinder, compare_name, conjunction, disjunction};
use super::group::replace_columns;
use super::join::joined_schema;
use super::query::column;
use super::scope::Scope;
use super::{Binder, OUTER, SUBQUERY};
use crate::{AggregateCall, AggregateOp, JoinKind, JoinOp, NodeId, Op};

/// A scalar subquery that is not joined yet.
#[derive(Debug, Clone)]
pub(crate) struct PendingSubquery {
    /// Its rows: the value, then what its conditions need.
    pub node: NodeId,
    /// Conditions over the enclosing query's columns ([`OUTER`]) and the node's.
    pub conditions: Vec<Expr>,
    /// Whether it looks at the enclosing query.
    pub correlated: bool,
    /// Whether a group without rows counts 0 rather than NULL.
    pub counts: bool,
    /// Type of the value.
    pub data_type: DataType,
    /// Its place.
    pub span: Span,
}

/// A term of WHERE that is a join.
enum JoinTerm<'e> {
    Exists {
        query: &'e ast::Query,
        negated: bool,
        span: Span,
    },
    In {
        expr: &'e ast::Expr,
        query: &'e ast::Query,
        negated: bool,
        span: Span,
    },
    /// `expr op ANY (query)` as a semi join, `expr op ALL (query)` as an anti join with what contradicts it.
    Quantified {
        expr: &'e ast::Expr,
        op: ast::CompareOp,
        all: bool,
        query: &'e ast::Query,
        span: Span,
    },
}

impl Binder<'_> {
    /// Binds WHERE: its plain terms first, in their order, then the joins.
    pub(super) fn bind_where(
        &mut self,
        mut node: NodeId,
        scope: &Scope,
        filter: &ast::Expr,
    ) -> Result<NodeId, Fault> {
        let mut terms = Vec::new();
        flatten(filter, &mut terms);
        let mut found = Collected { clause: "WHERE", subqueries_allowed: true, ..Collected::default() };
        let mut plain = Vec::new();
        let mut joins = Vec::new();
        for term in terms {
            match join_term(term, false) {
                Some(join) => joins.push(join),
                None => {
                    plain.push(ExprBinder { binder: self, scope, found: &mut found }.condition(term)?);
                }
            }
        }
        let plain = match conjunction(plain) {
            Expr { kind: ExprKind::And(terms), .. } => terms,
            Expr { kind: ExprKind::Literal(Value::Boolean(true)), .. } => Vec::new(),
            one => vec![one],
        };
        let mut plain = plain;
        let mut positions = Vec::new();
        for subquery in std::mem::take(&mut found.subqueries) {
            let (joined, value) = self.join_scalar_subquery(node, subquery)?;
            node = joined;
            positions.push(value);
        }
        for e in &mut plain {
            replace_columns(e, &|i| i.checked_sub(SUBQUERY).and_then(|n| positions.get(n).cloned()));
        }
        node = self.filter(node, plain, filter.span);
        for join in joins {
            node = self.join_subquery(node, scope, join)?;
        }
        Ok(node)
    }

    /// A subquery of the enclosing scope, without the enclosing columns in it.
    fn bind_inner(
        &mut self,
        query: &ast::Query,
        scope: &Scope,
        span: Span,
    ) -> Result<super::decorrelate::Decorrelated, Fault> {
        self.outers.push(scope.clone());
        let bound = self.bind_query(query, false);
        self.outers.pop();
        self.decorrelate(bound?, span)
    }

    /// IN or EXISTS as a semi or anti join.
    fn join_subquery(&mut self, left: NodeId, scope: &Scope, term: JoinTerm<'_>) -> Result<NodeId, Fault> {
        let width = self.schema(left).len();
        let (query, negated, span) = match &term {
            JoinTerm::Exists { query, negated, span } | JoinTerm::In { query, negated, span, .. } => {
                (*query, *negated, *span)
            }
            JoinTerm::Quantified { query, all, span, .. } => (*query, *all, *span),
        };
        let mut operands = Vec::new();
        if let JoinTerm::In { expr, .. } | JoinTerm::Quantified { expr, .. } = &term {
            let mut found = Collected { clause: "WHERE", ..Collected::default() };
            let items: Vec<&ast::Expr> = match &expr.kind {
                ast::ExprKind::Row { items, .. } => items.iter().collect(),
                _ => vec![*expr],
            };
            for item in items {
                operands.push(ExprBinder { binder: self, scope, found: &mut found }.bind(item)?);
            }
        }
        let inner = self.bind_inner(query, scope, span)?;
        let right = self.schema(inner.node);
        if !operands.is_empty() && operands.len() != inner.width {
            return Err(Fault::user(
                "column-count",
                format!("IN compares {} values with {} columns of the subquery", operands.len(), inner.width),
            )
            .at(span)
            .hint("select as many columns as there are values before IN"));
        }
        let empty = Scope::default();
        let mut terms = Vec::new();
        for (i, operand) in operands.into_iter().enumerate() {
            let field = right.field(i).cloned().unwrap_or_else(|| Field::new("", DataType::string()));
            let other = Expr::column(i + width, field.data_type);
            let nullable = operand.data_type.nullable || other.data_type.nullable;
            let mut found = Collected { clause: "IN", ..Collected::default() };
            let mut binder = ExprBinder { binder: self, scope: &empty, found: &mut found };
            if let JoinTerm::Quantified { op, all, .. } = &term {
                let compared = binder.call(compare_name(*op), vec![operand, other], Vec::new(), span)?;
                terms.push(match all {
                    true => binder.call("IS NOT TRUE", vec![compared], Vec::new(), span)?,
                    false => compared,
                });
                continue;
            }
            let equal = binder.call("=", vec![operand.clone(), other.clone()], Vec::new(), span)?;
            terms.push(if negated && nullable {
                // x NOT IN (… NULL …) is never TRUE.
                let left_null = binder.call("IS NULL", vec![operand], Vec::new(), span)?;
                let right_null = binder.call("IS NULL", vec![other], Vec::new(), span)?;
                disjunction(vec![left_null, right_null, equal])
            } else {
                equal
            });
        }
        for mut condition in inner.conditions {
            condition.map_columns(&|i| if i >= OUTER { i - OUTER } else { i + width });
            terms.push(condition);
        }
        let kind = if negated { JoinKind::Anti } else { JoinKind::Semi };
        let condition = (!terms.is_empty()).then(|| conjunction(terms));
        Ok(self.plain_join(left, inner.node, kind, condition, span))
    }

    /// A join without anything special.
    pub(super) fn plain_join(
        &mut self,
        left: NodeId,
        right: NodeId,
        kind: JoinKind,
        condition: Option<Expr>,
        span: Span,
    ) -> NodeId {
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
        self.add(Op::Join(op), vec![left, right], schema, span)
    }

    /// Joins a scalar subquery; gives the node and the value.
    pub(super) fn join_scalar_subquery(
        &mut self,
        left: NodeId,
        subquery: PendingSubquery,
    ) -> Result<(NodeId, Expr), Fault> {
        let width = self.schema(left).len();
        let conditions: Vec<Expr> = subquery
            .conditions
            .into_iter()
            .map(|mut c| {
                c.map_columns(&|i| if i >= OUTER { i - OUTER } else { i + width });
                c
            })
            .collect();
        let condition = (!conditions.is_empty()).then(|| conjunction(conditions));
        let node = self.plain_join(left, subquery.node, JoinKind::Left, condition, subquery.span);
        let value = Expr::column(width, subquery.data_type.clone().with_nullable(true));
        if !subquery.counts {
            return Ok((node, value));
        }
        let mut found = Collected { clause: "a subquery", ..Collected::default() };
        let empty = Scope::default();
        let is_null = ExprBinder { binder: self, scope: &empty, found: &mut found }.call(
            "IS NULL",
            vec![value.clone()],
            Vec::new(),
            subquery.span,
        )?;
        let data_type = subquery.data_type.with_nullable(true);
        let zero = Expr::literal(Value::Int(0), data_type.clone());
        let case = ExprKind::Case { branches: [(is_null, zero)].into(), otherwise: Box::new(value) };
        Ok((node, Expr::new(case, data_type)))
    }

    /// COUNT(*) of a node, and COUNT of each of these.
    fn counted(&mut self, node: NodeId, items: Vec<Expr>, span: Span) -> NodeId {
        let counts = std::iter::once(Vec::new()).chain(items.into_iter().map(|i| vec![i]));
        let calls: Vec<AggregateCall> = counts
            .map(|args| AggregateCall {
                function: Arc::from("COUNT"),
                args,
                distinct: false,
                filter: None,
                order_by: Vec::new(),
                keywords: Vec::new(),
                data_type: TypeKind::BigInt.not_null(),
                span: Some(span),
            })
            .collect();
        let fields = calls
            .iter()
            .enumerate()
            .map(|(i, c)| Field::new(format!("agg{i}"), c.data_type.clone()))
            .collect();
        let op = AggregateOp {
            keys: Vec::new(),
            grouping_sets: vec![Vec::new()],
            calls,
            group_window: None,
            window_properties: Vec::new(),
            window_keys: None,
        };
        self.add(Op::Aggregate(op), vec![node], Schema::new(fields), span)
    }

    /// TRUE, then the columns that the conditions need, each combination once.
    fn flagged(&mut self, node: NodeId, conditions: &mut [Expr], span: Span) -> Result<NodeId, Fault> {
        let schema = self.schema(node);
        let mut needed: Vec<usize> =
            conditions.iter().flat_map(Expr::columns).filter(|c| *c < OUTER).collect();
        needed.sort_unstable();
        needed.dedup();
        let keys = needed
            .iter()
            .map(|c| (schema.field(*c).map(|f| f.name.clone()).unwrap_or_default(), column(&schema, *c)))
            .collect();
        let projected = self.project(node, keys, span);
        let distinct = self.add_distinct(projected, span);
        let schema = self.schema(distinct);
        let mut items = vec![(Arc::from("flag"), Expr::boolean(true))];
        for i in 0..needed.len() {
            items.push((schema.field(i).map(|f| f.name.clone()).unwrap_or_default(), column(&schema, i)));
        }
        for c in conditions.iter_mut() {
            c.map_columns(&|i| {
                if i >= OUTER { i } else { needed.iter().position(|n| *n == i).map_or(i, |p| p + 1) }
            });
        }
        Ok(self.project(distinct, items, span))
    }

    /// Makes sure that a subquery gives at most one row (for each value of its keys).
    fn single_value(&mut self, node: NodeId, conditions: &mut [Expr], span: Span) -> Result<NodeId, Fault> {
        let schema = self.schema(node);
        let mut keys: Vec<Expr> = Vec::new();
        let mut needed: Vec<usize> =
            conditions.iter().flat_map(Expr::columns).filter(|c| *c < OUTER).collect();
        needed.sort_unstable();
        needed.dedup();
        for c in conditions.iter() {
            let equality = matches!(&c.kind, ExprKind::Call(call) if &*call.name == "=");
            if !equality {
                return Err(Fault::not_yet(
                    "scalar subqueries with a correlated condition that is no equality",
                )
                .at(span));
            }
        }
        for c in &needed {
            keys.push(column(&schema, *c));
        }
        let value_type = schema.field(0).map(|f| f.data_type.clone()).unwrap_or_else(DataType::string);
        let call = AggregateCall {
            function: Arc::from("SINGLE_VALUE"),
            args: vec![Expr::column(0, value_type.clone())],
            distinct: false,
            filter: None,
            order_by: Vec::new(),
            keywords: Vec::new(),
            data_type: value_type.with_nullable(true),
            span: Some(span),
        };
        let mut fields: Vec<Field> = needed.iter().filter_map(|c| schema.field(*c).cloned()).collect();
        fields.push(Field::new("value", call.data_type.clone()));
        let width = keys.len();
        let op = AggregateOp {
            grouping_sets: vec![(0..width).collect()],
            keys,
            calls: vec![call],
            group_window: None,
            window_properties: Vec::new(),
            window_keys: None,
        };
        let aggregate = self.add(Op::Aggregate(op), vec![node], Schema::new(fields), span);
        // The value comes first, as before.
        let schema = self.schema(aggregate);
        let mut items = vec![(Arc::from("value"), column(&schema, width))];
        for i in 0..width {
            let name = schema.field(i).map_or_else(|| Arc::from(""), |f| f.name.clone());
            items.push((name, column(&schema, i)));
        }
        let node = self.project(aggregate, items, span);
        for c in conditions {
            c.map_columns(&|i| {
                if i >= OUTER { i } else { needed.iter().position(|n| *n == i).map_or(i, |p| p + 1) }
            });
        }
        Ok(node)
    }
}

impl ExprBinder<'_, '_> {
    fn subqueries_allowed(&self, span: Span) -> Result<(), Fault> {
        if self.found.subqueries_allowed {
            return Ok(());
        }
        if self.found.clause == "this expression" {
            let message = "Query expression encountered in illegal context";
            return Err(Fault::user("subquery-place", message)
                .at(span)
                .hint("put it into a query or a view"));
        }
        Err(Fault::not_yet(format!("subqueries in {}", self.found.clause)).at(span))
    }

    /// Adds a subquery of one value; gives its marker.
    fn pending(&mut self, node: NodeId, conditions: Vec<Expr>, span: Span) -> Expr {
        let schema = self.binder.schema(node);
        let data_type = schema.field(0).map(|f| f.data_type.clone()).unwrap_or_else(DataType::string);
        let data_type = data_type.with_nullable(true);
        let correlated = !conditions.is_empty();
        self.found.subqueries.push(PendingSubquery {
            node,
            conditions,
            correlated,
            counts: false,
            data_type: data_type.clone(),
            span,
        });
        Expr::column(SUBQUERY + self.found.subqueries.len() - 1, data_type)
    }

    /// EXISTS anywhere in an expression: whether a group of its rows is there.
    #[inline(never)]
    pub(super) fn exists_subquery(&mut self, query: &ast::Query, span: Span) -> Result<Expr, Fault> {
        self.subqueries_allowed(span)?;
        let inner = self.binder.bind_inner(query, self.scope, span)?;
        if inner.conditions.is_empty() {
            let count = self.binder.counted(inner.node, Vec::new(), span);
            let schema = self.binder.schema(count);
            let zero = Expr::literal(Value::Int(0), TypeKind::BigInt.not_null());
            let some = self.call(">", vec![column(&schema, 0), zero], Vec::new(), span)?;
            let node = self.binder.project(count, vec![(Arc::from("exists"), some)], span);
            let mut value = self.pending(node, Vec::new(), span);
            value.data_type.nullable = false;
            return Ok(value);
        }
        let mut conditions = inner.conditions;
        let node = self.binder.flagged(inner.node, &mut conditions, span)?;
        let flag = self.pending(node, conditions, span);
        self.call("IS NOT NULL", vec![flag], Vec::new(), span)
    }

    /// IN anywhere in an expression: TRUE for a match, NULL where NULLs leave it open, FALSE else.
    #[inline(never)]
    pub(super) fn in_subquery(
        &mut self,
        operand: &ast::Expr,
        query: &ast::Query,
        negated: bool,
        span: Span,
    ) -> Result<Expr, Fault> {
        self.subqueries_allowed(span)?;
        let value = self.bind(operand)?;
        let inner = self.binder.bind_inner(query, self.scope, span)?;
        if !inner.conditions.is_empty() {
            return Err(Fault::not_yet("IN with a correlated subquery inside other expressions")
                .at(span)
                .hint("write it as EXISTS with an equality, or as a term of its own in WHERE"));
        }
        if inner.width != 1 || matches!(value.data_type.kind, TypeKind::Row(_)) {
            return Err(
                Fault::not_yet("IN of several values with a subquery inside other expressions").at(span)
            );
        }
        let item = column(&self.binder.schema(inner.node), 0);
        // All rows, and those that are not NULL.
        let count = self.binder.counted(inner.node, vec![item.clone()], span);
        let schema = self.binder.schema(count);
        let (all, known) = (column(&schema, 0), column(&schema, 1));
        let zero = Expr::literal(Value::Int(0), TypeKind::BigInt.not_null());
        let none = self.call("=", vec![all.clone(), zero], Vec::new(), span)?;
        let open = self.call("<>", vec![all, known], Vec::new(), span)?;
        let none_node = self.binder.project(count, vec![(Arc::from("none"), none)], span);
        let open_node = self.binder.project(count, vec![(Arc::from("open"), open)], span);
        let none = self.pending(none_node, Vec::new(), span);
        let open = self.pending(open_node, Vec::new(), span);
        let mut outer = value.clone();
        outer.map_columns(&|i| if i < OUTER { i + OUTER } else { i });
        let equal = self.call("=", vec![outer, item], Vec::new(), span)?;
        let mut conditions = vec![equal];
        let node = self.binder.flagged(inner.node, &mut conditions, span)?;
        let flag = self.pending(node, conditions, span);
        let found = self.call("IS NOT NULL", vec![flag], Vec::new(), span)?;
        let is_null = self.call("IS NULL", vec![value], Vec::new(), span)?;
        let truth = |b: bool| Expr::literal(Value::Boolean(b), DataType::boolean());
        let unknown = Expr::literal(Value::Null, DataType::boolean());
        let case = ExprKind::Case {
            branches: [
                (none, truth(false)),
                (is_null, unknown.clone()),
                (found, truth(true)),
                (open, unknown),
            ]
            .into(),
            otherwise: Box::new(truth(false)),
        };
        let case = Expr::new(case, DataType::boolean());
        Ok(if negated { super::expression::negate(case) } else { case })
    }

    /// `(SELECT …)` as a value: gives its marker.
    #[inline(never)]
    pub(super) fn scalar_subquery(&mut self, query: &ast::Query, span: Span) -> Result<Expr, Fault> {
        self.subqueries_allowed(span)?;
        let inner = self.binder.bind_inner(query, self.scope, span)?;
        if inner.width != 1 {
            return Err(Fault::user(
                "column-count",
                format!("a subquery as a value must have one column, this has {}", inner.width),
            )
            .at(span)
            .hint("select one column"));
        }
        let schema = self.binder.schema(inner.node);
        let data_type = schema.field(0).map(|f| f.data_type.clone()).unwrap_or_else(DataType::string);
        let mut conditions = inner.conditions;
        let correlated = !conditions.is_empty();
        let node = if inner.single {
            inner.node
        } else {
            self.binder.single_value(inner.node, &mut conditions, span)?
        };
        if inner.counts && data_type.kind != TypeKind::BigInt {
            return Err(Fault::not_yet("expressions on COUNT in a correlated scalar subquery").at(span));
        }
        let data_type = data_type.with_nullable(true);
        let counts = inner.counts && correlated;
        self.found.subqueries.push(PendingSubquery {
            node,
            conditions,
            correlated,
            counts,
            data_type: data_type.clone(),
            span,
        });
        Ok(Expr::column(SUBQUERY + self.found.subqueries.len() - 1, data_type))
    }
}

/// The terms of nested ANDs, in order.
fn flatten<'e>(expr: &'e ast::Expr, terms: &mut Vec<&'e ast::Expr>) {
    match &expr.kind {
        ast::ExprKind::And(inner) => inner.iter().for_each(|e| flatten(e, terms)),
        _ => terms.push(expr),
    }
}

/// The join that a term of WHERE is.
fn join_term(expr: &ast::Expr, negate: bool) -> Option<JoinTerm<'_>> {
    match &expr.kind {
        ast::ExprKind::Not(inner) => join_term(inner, !negate),
        ast::ExprKind::Exists(query) => Some(JoinTerm::Exists { query, negated: negate, span: expr.span }),
        ast::ExprKind::InQuery { expr: operand, query, negated } => {
            Some(JoinTerm::In { expr: operand, query, negated: *negated != negate, span: expr.span })
        }
        ast::ExprKind::Quantified(q) if !negate => match &q.right {
            ast::QuantifiedSet::Query(query) => {
                Some(JoinTerm::Quantified { expr: &q.left, op: q.op, all: q.all, query, span: expr.span })
            }
            ast::QuantifiedSet::List(_) => None,
        },
        _ => None,
    }
}
