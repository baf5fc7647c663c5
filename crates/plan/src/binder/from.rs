//! FROM: tables, derived tables, and what is joined to them.

use std::sync::Arc;

use millstream_sql::ast::{self, JoinCondition, JoinedTable, TableFactor, TableKind};
use millstream_types::{Fault, Schema, Span};

use super::scope::{Scope, ScopeTable};
use super::{Binder, OUTER};
use crate::catalog::Relation;
use crate::{JoinKind, NodeId, Op};

/// A bound table of FROM.
#[derive(Debug)]
pub(crate) struct BoundTable {
    /// Its rows.
    pub node: NodeId,
    /// Its name and columns.
    pub scope: ScopeTable,
    /// Its place.
    pub span: Span,
}

impl Binder<'_> {
    /// Binds FROM; without one there is one row without columns.
    pub(super) fn bind_from(&mut self, tables: &[JoinedTable], span: Span) -> Result<(NodeId, Scope), Fault> {
        let mut current: Option<(NodeId, Scope)> = None;
        for table in tables {
            current = Some(match current {
                None => self.bind_joined(table, None)?,
                Some(left) if is_lateral(&table.first) => self.bind_joined(table, Some(left))?,
                Some((left, scope)) => {
                    let (right, right_scope) = self.bind_joined(table, None)?;
                    self.add_join(
                        (left, scope),
                        (right, right_scope),
                        JoinKind::Inner,
                        &JoinCondition::None,
                        false,
                        table.span,
                    )?
                }
            });
        }
        Ok(match current {
            Some(bound) => bound,
            None => {
                let node = self.add(Op::Values(vec![Vec::new()]), Vec::new(), Schema::default(), span);
                (node, Scope::default())
            }
        })
    }

    /// A table with its joins; `left` is what its first, lateral table can see.
    fn bind_joined(
        &mut self,
        table: &JoinedTable,
        left: Option<(NodeId, Scope)>,
    ) -> Result<(NodeId, Scope), Fault> {
        let mut current = match left {
            Some(left) => {
                self.join_factor(left, &table.first, ast::JoinKind::Cross, &JoinCondition::None, false)?
            }
            None if is_lateral(&table.first)
                && matches!(table.first.kind, TableKind::Unnest { .. } | TableKind::Function { .. }) =>
            {
                // Nothing to the left: the arguments are constants, evaluated on one row.
                let one =
                    self.add(Op::Values(vec![Vec::new()]), Vec::new(), Schema::default(), table.first.span);
                let none = (one, Scope::default());
                self.join_factor(none, &table.first, ast::JoinKind::Cross, &JoinCondition::None, false)?
            }
            None => {
                let bound = self.bind_factor(&table.first)?;
                match bound {
                    Factor::Table(t) => (t.node, Scope { tables: vec![t.scope], merged: Vec::new() }),
                    Factor::Joined(node, scope) => (node, scope),
                }
            }
        };
        for join in &table.joins {
            if join.kind != ast::JoinKind::Cross
                && !join.natural
                && join.condition == JoinCondition::None
                && !matches!(join.right.kind, TableKind::Unnest { .. })
            {
                return Err(Fault::user(
                    "join-condition",
                    "INNER, LEFT, RIGHT or FULL join requires a condition (NATURAL keyword or ON or USING clause)",
                )
                .at(join.op_span)
                .hint("add ON ..., or write CROSS JOIN"));
            }
            current = self.join_factor(current, &join.right, join.kind, &join.condition, join.natural)?;
        }
        Ok(current)
    }

    /// Joins a table to what is to its left.
    fn join_factor(
        &mut self,
        left: (NodeId, Scope),
        factor: &TableFactor,
        kind: ast::JoinKind,
        condition: &JoinCondition,
        natural: bool,
    ) -> Result<(NodeId, Scope), Fault> {
        match &factor.kind {
            TableKind::Unnest { args, ordinality, .. } => {
                return self.join_unnest(left, factor, args, *ordinality, kind, condition);
            }
            TableKind::Function { call, .. } if !is_window_function(call) => {
                return self.join_table_function(left, factor, call, kind, condition);
            }
            TableKind::Derived { query, lateral: true } => {
                return self.join_lateral(left, factor, query, kind, condition);
            }
            TableKind::Named { name, hints, system_time: Some(time) } => {
                return self.join_temporal(left, factor, (name, hints, time), kind, condition);
            }
            _ => {}
        }
        let right = match self.bind_factor(factor)? {
            Factor::Table(t) => (t.node, Scope { tables: vec![t.scope], merged: Vec::new() }),
            Factor::Joined(node, scope) => (node, scope),
        };
        let kind = match kind {
            ast::JoinKind::Inner | ast::JoinKind::Cross => JoinKind::Inner,
            ast::JoinKind::Left => JoinKind::Left,
            ast::JoinKind::Right => JoinKind::Right,
            ast::JoinKind::Full => JoinKind::Full,
        };
        self.add_join(left, right, kind, condition, natural, factor.span)
    }

    /// A table that does not look to its left.
    fn bind_factor(&mut self, factor: &TableFactor) -> Result<Factor, Fault> {
        let mut table = match &factor.kind {
            TableKind::Named { system_time: Some(time), .. } => {
                return Err(Fault::user(
                    "time-travel",
                    "FOR SYSTEM_TIME AS OF stands only on the right side of a join here: time travel of a single table is not supported",
                )
                .at(time.span)
                .hint("write left JOIN right FOR SYSTEM_TIME AS OF left.time AS r ON ..."));
            }
            TableKind::Named { name, hints, system_time: None } => self.bind_table(name, hints)?,
            TableKind::Derived { query, lateral: false } => {
                let node = self.bind_query(query, false)?;
                let scope = ScopeTable::of(None, &self.schema(node), 0);
                BoundTable { node, scope, span: factor.span }
            }
            TableKind::Derived { lateral: true, .. } => {
                return Err(Fault::user("lateral", "LATERAL needs a table to its left").at(factor.span));
            }
            TableKind::Function { call, .. } => {
                let node = self.bind_window_function(call)?;
                let scope = ScopeTable::of(None, &self.schema(node), 0);
                BoundTable { node, scope, span: factor.span }
            }
            TableKind::Unnest { .. } => {
                return Err(Fault::internal("UNNEST without a left side").at(factor.span));
            }
            TableKind::Match { input, clause } => {
                let input = match self.bind_factor(input)? {
                    Factor::Table(t) => t,
                    Factor::Joined(..) => {
                        return Err(Fault::not_yet("MATCH_RECOGNIZE on a join").at(factor.span));
                    }
                };
                let node = self.bind_match(input, clause)?;
                let scope = ScopeTable::of(None, &self.schema(node), 0);
                BoundTable { node, scope, span: factor.span }
            }
            TableKind::Nested(joined) => {
                let (node, scope) = self.bind_joined(joined, None)?;
                if let Some(alias) = &factor.alias {
                    return Err(Fault::user("alias", "a join in parentheses cannot have an alias")
                        .at(alias.name.span));
                }
                return Ok(Factor::Joined(node, scope));
            }
        };
        if let Some(alias) = &factor.alias {
            apply_alias(&mut table.scope, alias, 0)?;
        }
        Ok(Factor::Table(table))
    }

    /// A table, view or named query of WITH.
    pub(super) fn bind_table(
        &mut self,
        name: &ast::ObjectName,
        hints: &[ast::Hint],
    ) -> Result<BoundTable, Fault> {
        if let [only] = name.parts.as_slice()
            && let Some(common) = self.with.iter().rev().find(|c| c.name == only.value)
        {
            let node = common.node;
            let scope = ScopeTable::of(Some(Arc::from(only.value.as_str())), &self.schema(node), 0);
            return Ok(BoundTable { node, scope, span: name.span });
        }
        let (node, path) = match self.env.relation(name, hints)? {
            Relation::Table(table) => (self.add_scan(&table, name.span), table.path.clone()),
            Relation::View(view) => {
                let known = self.views.iter().find(|(p, _)| *p == view.path).map(|(_, n)| *n);
                let node = match known {
                    Some(node) => node,
                    None => {
                        let node = self.bind_view(&view, name)?;
                        self.views.push((view.path.clone(), node));
                        node
                    }
                };
                (node, view.path.clone())
            }
        };
        let mut scope = ScopeTable::of(Some(Arc::from(name.last())), &self.schema(node), 0);
        scope.path = Some(path);
        Ok(BoundTable { node, scope, span: name.span })
    }

    /// A view's query, bound in the view's namespace; its places are those of the view's name.
    fn bind_view(
        &mut self,
        view: &crate::catalog::CatalogView,
        name: &ast::ObjectName,
    ) -> Result<NodeId, Fault> {
        let start = self.plan.nodes.len();
        let mut inner = Binder {
            env: self.env.within(&view.namespace),
            settings: self.settings.clone(),
            plan: std::mem::take(&mut self.plan),
            statement: self.statement,
            with: Vec::new(),
            outers: Vec::new(),
            hints: Vec::new(),
            views: std::mem::take(&mut self.views),
            depth: self.depth,
        };
        let bound = inner.bind_query(&view.query, false);
        self.plan = inner.plan;
        self.views = inner.views;
        let node = bound.map_err(|f| {
            let mut outer =
                Fault::new(f.kind(), f.code(), format!("in view '{}': {}", view.path, f.message()));
            if let Some(hint) = f.remedy() {
                outer = outer.hint(hint);
            }
            outer.at(name.span)
        })?;
        for n in self.plan.nodes.iter_mut().skip(start) {
            n.span = Some(name.span);
            for e in n.op.expressions_mut() {
                set_span(e, name.span);
            }
        }
        let names: Vec<Arc<str>> = view.columns.iter().map(|f| f.name.clone()).collect();
        let schema = self.schema(node);
        if names.len() != schema.len() {
            return Err(Fault::user(
                "view-changed",
                format!(
                    "view '{}' has {} columns, its query now gives {}",
                    view.path,
                    names.len(),
                    schema.len()
                ),
            )
            .at(name.span)
            .hint("create the view again"));
        }
        if names.iter().zip(&schema.fields).all(|(n, f)| *n == f.name) {
            return Ok(node);
        }
        let items =
            super::group::pass_through(&schema).into_iter().zip(names).map(|((_, e), n)| (n, e)).collect();
        Ok(self.project(node, items, name.span))
    }

    /// `LATERAL (query)`: the query sees the columns to its left.
    fn join_lateral(
        &mut self,
        left: (NodeId, Scope),
        factor: &TableFactor,
        query: &ast::Query,
        kind: ast::JoinKind,
        condition: &JoinCondition,
    ) -> Result<(NodeId, Scope), Fault> {
        let outer_join = match kind {
            ast::JoinKind::Inner | ast::JoinKind::Cross => false,
            ast::JoinKind::Left => true,
            _ => {
                return Err(Fault::user("lateral", "RIGHT and FULL joins with LATERAL do not exist")
                    .at(factor.span)
                    .hint("use CROSS JOIN or LEFT JOIN ... ON TRUE"));
            }
        };
        self.outers.push(left.1.clone());
        let bound = self.bind_query(query, false);
        self.outers.pop();
        let node = bound?;
        let decorrelated = self.decorrelate(node, factor.span)?;
        let width = self.schema(left.0).len();
        let mut scope = ScopeTable::of(None, &self.schema(node), 0);
        scope.columns.truncate(self.schema(node).len());
        if let Some(alias) = &factor.alias {
            apply_alias(&mut scope, alias, 0)?;
        }
        let conditions = decorrelated.conditions.into_iter().map(|mut c| {
            c.map_columns(&|i| if i >= OUTER { i - OUTER } else { i + width });
            c
        });
        let right = (decorrelated.node, Scope { tables: vec![scope], merged: Vec::new() });
        let join = if outer_join { JoinKind::Left } else { JoinKind::Inner };
        self.add_join_with(left, right, join, condition, false, factor.span, conditions.collect())
    }
}

/// What a table of FROM turned out to be.
pub(super) enum Factor {
    /// One table.
    Table(BoundTable),
    /// Joined tables in parentheses.
    Joined(NodeId, Scope),
}

/// Whether a table may look to its left.
fn is_lateral(factor: &TableFactor) -> bool {
    match &factor.kind {
        TableKind::Unnest { .. } => true,
        TableKind::Function { call, .. } => !is_window_function(call),
        TableKind::Derived { lateral, .. } => *lateral,
        TableKind::Named { system_time, .. } => system_time.is_some(),
        _ => false,
    }
}

/// Whether a table function is a windowing function.
pub(super) fn is_window_function(call: &ast::FunctionCall) -> bool {
    let [only] = call.name.parts.as_slice() else { return false };
    ["TUMBLE", "HOP", "CUMULATE", "SESSION"].iter().any(|n| n.eq_ignore_ascii_case(&only.value))
}

/// Renames a table, and its columns from position `from` on.
pub(super) fn apply_alias(table: &mut ScopeTable, alias: &ast::TableAlias, from: usize) -> Result<(), Fault> {
    table.name = Some(Arc::from(alias.name.value.as_str()));
    table.path = None;
    if alias.columns.is_empty() {
        return Ok(());
    }
    let count = table.columns.len().saturating_sub(from);
    if alias.columns.len() != count {
        return Err(Fault::user(
            "column-count",
            format!(
                "List of column aliases must have same degree as table: '{}' has {count} columns, {} names are given",
                alias.name.value,
                alias.columns.len()
            ),
        )
        .at(alias.name.span)
        .hint(format!("give {count} names")));
    }
    for (column, name) in table.columns.iter_mut().skip(from).zip(&alias.columns) {
        column.name = Arc::from(name.value.as_str());
    }
    Ok(())
}

/// Whether a condition is the literal TRUE, or missing.
pub(super) fn is_true(condition: &JoinCondition) -> bool {
    match condition {
        JoinCondition::None => true,
        JoinCondition::On(e) => {
            matches!(&e.kind, ast::ExprKind::Literal(ast::Literal::Boolean(true)))
        }
        JoinCondition::Using(_) => false,
    }
}

/// Sets the place of an expression and everything in it.
pub(crate) fn set_span(expr: &mut millstream_expr::Expr, span: Span) {
    expr.span = Some(span);
    expr.each_child_mut(|child| set_span(child, span));
}
