//! SELECT.

use std::sync::Arc;

use millstream_expr::Expr;
use millstream_sql::ast::{self, GroupItem, SelectItem, SetQuantifier};
use millstream_types::{DataType, Fault, Span, TypeKind};

use super::aggregate::sort_key;
use super::expression::{Collected, ExprBinder};
use super::group::{Grouping, behind_aggregate, replace_columns};
use super::query::{Ordered, column, ordinal};
use super::scope::{Scope, row_field};
use super::{Binder, OVER, SUBQUERY, unique_names};
use crate::{AggregateOp, NodeId, Op, SortKey};

/// How an ORDER BY item is found.
enum OrderTarget {
    /// A column of the select list.
    Output(usize),
    /// An expression over what the select list is over.
    Expr(Expr),
}

impl Binder<'_> {
    /// Binds a SELECT, with the ORDER BY behind it.
    pub(super) fn bind_select_body(
        &mut self,
        select: &ast::Select,
        order_by: &[ast::OrderItem],
    ) -> Result<Ordered, Fault> {
        check_hints(&select.hints)?;
        let hints = std::mem::replace(&mut self.hints, select.hints.clone());
        let from = self.bind_from(&select.from, select.span);
        self.hints = hints;
        let (mut node, scope) = from?;
        if let Some(filter) = &select.filter {
            node = self.bind_where(node, &scope, filter)?;
        }

        let mut found = Collected {
            clause: "the select list",
            subqueries_allowed: true,
            windows: select.windows.iter().map(|w| (w.name.value.clone(), w.spec.clone())).collect(),
            ..Collected::default()
        };
        let grouping = match &select.group_by {
            Some(g) => Some(self.bind_group_by(g, &scope, &mut found)?),
            None => None,
        };
        found.aggregates_allowed = true;
        found.over_allowed = true;
        found.can_be_empty = match (&grouping, &select.group_by) {
            (Some(g), Some(by)) => {
                g.window.is_none() && g.sets.iter().any(Vec::is_empty)
                    || by.items.iter().all(|i| matches!(i, GroupItem::List(l, _) if l.is_empty()))
            }
            _ => true,
        };
        found.group_keys = grouping.as_ref().map(|g| g.keys.clone()).unwrap_or_default();
        found.group_window = grouping.as_ref().and_then(|g| g.window.clone());

        let (names, mut items) = self.bind_items(&select.items, &scope, &mut found)?;
        let mut having = match &select.having {
            Some(e) => {
                found.clause = "HAVING";
                found.over_allowed = false;
                let bound = ExprBinder { binder: self, scope: &scope, found: &mut found }.condition(e)?;
                found.over_allowed = true;
                Some(bound)
            }
            None => None,
        };
        let mut qualify = match &select.qualify {
            Some(e) => {
                found.clause = "QUALIFY";
                let aliased = alias_scope(&scope, &names, &items, &select.items);
                Some(ExprBinder { binder: self, scope: &aliased, found: &mut found }.condition(e)?)
            }
            None => None,
        };
        let mut order = self.bind_order(order_by, &names, select, &scope, &mut found)?;

        // What was bound over the input is moved behind the aggregation.
        if grouping.is_some() || !found.aggregates.is_empty() || having.is_some() {
            let input = self.schema(node);
            let plain = Grouping { keys: Vec::new(), sets: vec![Vec::new()], window: None };
            let grouping = grouping.unwrap_or(plain);
            let calls = found.aggregates.len();
            let span = select.group_by.as_ref().map_or(select.span, |g| g.span);
            if found.subqueries.iter().any(|s| s.correlated) {
                return Err(Fault::not_yet("correlated subqueries in a grouped query").at(select.span));
            }
            let (aggregated, outputs) = self.add_aggregate(node, &grouping, &mut found, span)?;
            node = aggregated;
            let mut all: Vec<&mut Expr> = items.iter_mut().chain(&mut having).chain(&mut qualify).collect();
            for (target, _) in &mut order {
                if let OrderTarget::Expr(e) = target {
                    all.push(e);
                }
            }
            for over in &mut found.overs {
                all.extend(over.expressions_mut());
            }
            for expr in all {
                behind_aggregate(expr, &grouping.keys, &outputs, calls, &input)?;
            }
        }

        let pending = std::mem::take(&mut found.subqueries);
        let mut positions = Vec::new();
        for subquery in pending {
            let (joined, value) = self.join_scalar_subquery(node, subquery)?;
            node = joined;
            positions.push(value);
        }
        let overs = std::mem::take(&mut found.overs);
        let replace_subqueries = |e: &mut Expr| {
            replace_columns(e, &|i| i.checked_sub(SUBQUERY).and_then(|n| positions.get(n).cloned()));
        };
        if let Some(mut condition) = having {
            replace_subqueries(&mut condition);
            node = self.filter(node, vec![condition], select.having.as_ref().map_or(select.span, |h| h.span));
        }
        let mut overs = overs;
        for over in &mut overs {
            over.expressions_mut().into_iter().for_each(replace_subqueries);
        }
        let types: Vec<DataType> = overs.iter().map(|o| o.call.data_type.clone()).collect();
        let (with_overs, over_positions) = self.add_overs(node, overs)?;
        node = with_overs;
        let replace_overs = |e: &mut Expr| {
            replace_columns(e, &|i| {
                let n = if (OVER..SUBQUERY).contains(&i) { i - OVER } else { return None };
                Some(Expr::column(*over_positions.get(n)?, types.get(n)?.clone()))
            });
        };
        for e in &mut items {
            replace_subqueries(e);
            replace_overs(e);
        }
        if let Some(mut condition) = qualify {
            replace_subqueries(&mut condition);
            replace_overs(&mut condition);
            node =
                self.filter(node, vec![condition], select.qualify.as_ref().map_or(select.span, |q| q.span));
        }
        for (target, _) in &mut order {
            if let OrderTarget::Expr(e) = target {
                replace_subqueries(e);
                replace_overs(e);
            }
        }
        self.finish_select(node, names, items, order, select, order_by)
    }

    /// The last projection, DISTINCT, and the keys of ORDER BY.
    fn finish_select(
        &mut self,
        node: NodeId,
        names: Vec<Arc<str>>,
        items: Vec<Expr>,
        order: Vec<(OrderTarget, usize)>,
        select: &ast::Select,
        order_by: &[ast::OrderItem],
    ) -> Result<Ordered, Fault> {
        let visible = items.len();
        let distinct = select.quantifier == Some(SetQuantifier::Distinct);
        let mut columns: Vec<(Arc<str>, Expr)> = unique_names(names).into_iter().zip(items).collect();
        let mut keys: Vec<SortKey> = Vec::new();
        for (target, index) in order {
            let Some(item) = order_by.get(index) else { continue };
            let position = match target {
                OrderTarget::Output(i) => i,
                OrderTarget::Expr(e) => match columns.iter().position(|(_, c)| *c == e) {
                    Some(i) => i,
                    None if distinct => {
                        return Err(Fault::user(
                            "distinct-order",
                            "with SELECT DISTINCT, ORDER BY can only use what is selected",
                        )
                        .at(item.expr.span)
                        .hint("add the expression to the select list"));
                    }
                    None => {
                        columns.push((Arc::from(format!("order{index}")), e));
                        columns.len() - 1
                    }
                },
            };
            let data_type =
                columns.get(position).map(|(_, e)| e.data_type.clone()).unwrap_or_else(DataType::string);
            keys.push(sort_key(Expr::column(position, data_type).at(item.expr.span), item));
        }
        let mut node = self.project(node, columns, select.span);
        if distinct {
            node = self.add_distinct(node, select.span);
        }
        Ok(Ordered { node, visible, order: keys })
    }

    /// Each row once.
    pub(super) fn add_distinct(&mut self, node: NodeId, span: Span) -> NodeId {
        let schema = self.schema(node);
        let keys: Vec<Expr> = (0..schema.len()).map(|i| column(&schema, i)).collect();
        let op = AggregateOp {
            grouping_sets: vec![(0..keys.len()).collect()],
            keys,
            calls: Vec::new(),
            group_window: None,
            window_properties: Vec::new(),
            window_keys: None,
        };
        self.add(Op::Aggregate(op), vec![node], (*schema).clone(), span)
    }

    /// Binds the select list; stars are written out.
    fn bind_items(
        &mut self,
        items: &[SelectItem],
        scope: &Scope,
        found: &mut Collected,
    ) -> Result<(Vec<Arc<str>>, Vec<Expr>), Fault> {
        let mut names: Vec<Arc<str>> = Vec::new();
        let mut bound: Vec<Expr> = Vec::new();
        for item in items {
            match item {
                SelectItem::Star(span) => {
                    let all = scope.star();
                    if all.is_empty() && scope.tables.is_empty() {
                        return Err(Fault::user("star", "SELECT * requires a FROM clause").at(*span));
                    }
                    for c in all {
                        names.push(c.name);
                        bound.push(c.expr.at(*span));
                    }
                }
                SelectItem::QualifiedStar(name, span) => {
                    for (n, e) in qualified_star(scope, name, *span)? {
                        names.push(n);
                        bound.push(e.at(*span));
                    }
                }
                SelectItem::Expr { expr, alias } => {
                    let value = ExprBinder { binder: self, scope, found }.bind(expr)?;
                    if value.data_type.kind == TypeKind::Null {
                        return Err(Fault::user("illegal-null", "Illegal use of 'NULL'")
                            .at(expr.span)
                            .hint("give the NULL a type: CAST(NULL AS INT)"));
                    }
                    names.push(item_name(expr, alias.as_ref(), names.len()));
                    bound.push(value);
                }
            }
        }
        Ok((names, bound))
    }

    /// Finds what ORDER BY means: a position, a name of the select list, or an expression over the input.
    fn bind_order(
        &mut self,
        order_by: &[ast::OrderItem],
        names: &[Arc<str>],
        select: &ast::Select,
        scope: &Scope,
        found: &mut Collected,
    ) -> Result<Vec<(OrderTarget, usize)>, Fault> {
        let mut targets = Vec::with_capacity(order_by.len());
        for (index, item) in order_by.iter().enumerate() {
            let alias = |name: &str| {
                let explicit = select
                    .items
                    .iter()
                    .any(|i| matches!(i, SelectItem::Expr { alias: Some(a), .. } if a.value == name));
                explicit.then(|| names.iter().position(|n| &**n == name)).flatten()
            };
            let target = match (&item.expr.kind, ordinal(&item.expr, names.len())?) {
                (_, Some(i)) => OrderTarget::Output(i),
                (ast::ExprKind::Column(path), _) => match path.as_slice() {
                    [only] if alias(&only.value).is_some() => {
                        OrderTarget::Output(alias(&only.value).unwrap_or_default())
                    }
                    _ => self.order_expr(item, scope, found)?,
                },
                _ => self.order_expr(item, scope, found)?,
            };
            targets.push((target, index));
        }
        Ok(targets)
    }

    fn order_expr(
        &mut self,
        item: &ast::OrderItem,
        scope: &Scope,
        found: &mut Collected,
    ) -> Result<OrderTarget, Fault> {
        found.clause = "ORDER BY";
        // Without GROUP BY or aggregates in the select list, ORDER BY cannot make the query a grouped one.
        ExprBinder { binder: self, scope, found }.bind(&item.expr).map(OrderTarget::Expr)
    }

    /// All columns of a bound table, under their names.
    pub(super) fn star_of(&mut self, table: &super::from::BoundTable) -> NodeId {
        let schema = self.schema(table.node);
        if table.scope.columns.len() == schema.len() {
            return table.node;
        }
        let items = table.scope.columns.iter().map(|c| (c.name.clone(), c.expr.clone())).collect();
        self.project(table.node, items, table.span)
    }
}

/// QUALIFY sees the names of the select list, too, where the tables have no such column.
fn alias_scope(scope: &Scope, names: &[Arc<str>], items: &[Expr], select: &[SelectItem]) -> Scope {
    let mut extended = scope.clone();
    let plain = !select.iter().any(|i| !matches!(i, SelectItem::Expr { .. }));
    let first = if plain {
        0
    } else {
        names.len() - select.iter().filter(|i| matches!(i, SelectItem::Expr { .. })).count()
    };
    let mut aliases = super::scope::ScopeTable::default();
    for (name, expr) in names.iter().zip(items).skip(first) {
        let taken = scope.tables.iter().any(|t| t.columns.iter().any(|c| c.name == *name));
        if !taken {
            aliases.columns.push(super::scope::ScopeColumn { name: name.clone(), expr: expr.clone() });
        }
    }
    extended.tables.push(aliases);
    extended
}

/// The columns of `t.*` or the fields of `t.r.*`.
fn qualified_star(scope: &Scope, name: &ast::ObjectName, span: Span) -> Result<Vec<(Arc<str>, Expr)>, Fault> {
    if let Some(table) = scope.table(&name.parts) {
        return Ok(table.columns.iter().map(|c| (c.name.clone(), c.expr.clone())).collect());
    }
    let Some(expr) = scope.resolve(&name.parts)? else {
        let fault = Fault::user("unknown-table", format!("table '{}' not found", name.texts().join(".")))
            .at(name.span);
        let tables = scope.tables.iter().filter_map(|t| t.name.as_deref());
        return Err(super::scope::suggest(fault, name.last(), tables));
    };
    let TypeKind::Row(fields) = &expr.data_type.kind else {
        return Err(Fault::user(
            "no-row",
            format!("'{}' is of type {} and has no fields", name.texts().join("."), expr.data_type),
        )
        .at(span));
    };
    let names: Vec<Arc<str>> = fields.iter().map(|f| f.name.clone()).collect();
    Ok(names.into_iter().enumerate().map(|(i, n)| (n, row_field(expr.clone(), i))).collect())
}

/// The name of a column of the select list, as Flink's validator derives it.
fn item_name(expr: &ast::Expr, alias: Option<&ast::Ident>, position: usize) -> Arc<str> {
    if let Some(a) = alias {
        return Arc::from(a.value.as_str());
    }
    match &expr.kind {
        ast::ExprKind::Column(path) => match path.last() {
            Some(p) => Arc::from(p.value.as_str()),
            None => Arc::from(format!("EXPR${position}")),
        },
        ast::ExprKind::Field(_, field) => Arc::from(field.value.as_str()),
        _ => Arc::from(format!("EXPR${position}")),
    }
}

/// Hints behind SELECT that Flink knows.
fn check_hints(hints: &[ast::Hint]) -> Result<(), Fault> {
    const KNOWN: &[&str] = &[
        "BROADCAST",
        "SHUFFLE_HASH",
        "SHUFFLE_MERGE",
        "NEST_LOOP",
        "LOOKUP",
        "STATE_TTL",
        "MULTI_JOIN",
        "OPTIONS",
        "EARLY_FIRE",
        "WIN",
    ];
    for hint in hints {
        if !KNOWN.iter().any(|k| hint.is(k)) {
            let fault =
                Fault::user("unknown-hint", format!("hint {} is not known", hint.name.value)).at(hint.span);
            return Err(super::scope::suggest(fault, &hint.name.value, KNOWN.iter().copied()));
        }
    }
    Ok(())
}

/// Whether an expression is a plain column.
pub(crate) fn plain_column(expr: &Expr) -> Option<usize> {
    match expr.kind {
        millstream_expr::ExprKind::Column(i) => Some(i),
        _ => None,
    }
}
