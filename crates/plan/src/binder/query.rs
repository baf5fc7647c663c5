//! Whole queries: WITH, ORDER BY, LIMIT, EMIT around a body.

use std::sync::Arc;

use millstream_expr::Expr;
use millstream_sql::ast::{self, EmitWhen, Limit, QueryKind};
use millstream_types::{Fault, Field, Schema, Span, Value};

use super::aggregate::sort_key;
use super::expression::{Collected, ExprBinder};
use super::group::pass_through;
use super::lineage::is_time_attribute;
use super::scope::Scope;
use super::{Binder, MAX_QUERY_DEPTH};
use crate::{NodeId, Op, SortKey, TopNOp};

/// A named query of WITH, bound once.
#[derive(Debug, Clone)]
pub(crate) struct CommonTable {
    /// Its name.
    pub name: String,
    /// Its rows.
    pub node: NodeId,
}

/// A body with what ORDER BY needs of it.
#[derive(Debug)]
pub(crate) struct Ordered {
    /// The node; its first `visible` columns are the result.
    pub node: NodeId,
    /// Columns of the result.
    pub visible: usize,
    /// ORDER BY over the node's output.
    pub order: Vec<SortKey>,
}

impl Binder<'_> {
    /// Binds a query; gives the node of its rows. `top`: nothing reads it but a sink, so that its order counts.
    pub(super) fn bind_query(&mut self, query: &ast::Query, top: bool) -> Result<NodeId, Fault> {
        self.depth += 1;
        let named = self.with.len();
        let result = if self.depth > MAX_QUERY_DEPTH {
            Err(Fault::user(
                "too-deep",
                format!("queries are nested in each other more than {MAX_QUERY_DEPTH} deep"),
            )
            .at(query.span)
            .hint("put inner queries into views or WITH"))
        } else {
            self.bind_query_inner(query, top)
        };
        self.with.truncate(named);
        self.depth -= 1;
        result
    }

    fn bind_query_inner(&mut self, query: &ast::Query, top: bool) -> Result<NodeId, Fault> {
        if let Some(with) = &query.with {
            self.bind_with(with)?;
        }
        if let Some(emit) = &query.emit {
            self.bind_emit(emit)?;
        }
        let offset = match &query.offset {
            Some(e) => self.row_count(e, "OFFSET")?,
            None => 0,
        };
        let fetch = match &query.limit {
            Some(Limit::Count(e)) => Some(self.row_count(e, "LIMIT")?),
            Some(Limit::All(_)) | None => None,
        };
        let body = self.bind_body(&query.body, &query.order_by)?;
        let limited = fetch.is_some() || offset > 0;
        let node = if limited {
            self.bind_limit(&body, offset, fetch, query)?
        } else if top && !body.order.is_empty() {
            self.bind_sort(&body, query)?
        } else {
            // Rows of a subquery have no order.
            body.node
        };
        Ok(self.first_columns(node, body.visible, query.span))
    }

    fn bind_with(&mut self, with: &ast::With) -> Result<(), Fault> {
        for table in &with.tables {
            let outers = std::mem::take(&mut self.outers);
            let bound = self.bind_query(&table.query, false);
            self.outers = outers;
            let node = self.renamed(bound?, &table.columns, table.name.span)?;
            self.with.push(CommonTable { name: table.name.value.clone(), node });
        }
        Ok(())
    }

    /// Gives columns other names, if there are any.
    pub(super) fn renamed(
        &mut self,
        node: NodeId,
        names: &[ast::Ident],
        span: Span,
    ) -> Result<NodeId, Fault> {
        if names.is_empty() {
            return Ok(node);
        }
        let schema = self.schema(node);
        if names.len() != schema.len() {
            return Err(Fault::user(
                "column-count",
                format!("{} column names are given for {} columns", names.len(), schema.len()),
            )
            .at(span)
            .hint("name every column, or none"));
        }
        let items = pass_through(&schema)
            .into_iter()
            .zip(names)
            .map(|((_, e), n)| (Arc::from(n.value.as_str()), e))
            .collect();
        Ok(self.project(node, items, span))
    }

    /// Blink's EMIT: the options that Flink has for it, for the whole job.
    fn bind_emit(&mut self, emit: &ast::Emit) -> Result<(), Fault> {
        for strategy in &emit.strategies {
            let delay = match &strategy.delay {
                None => "0 ms".to_string(),
                Some(d) => {
                    let unit = match d.unit {
                        ast::TimeUnit::Millisecond => "ms",
                        ast::TimeUnit::Second => "s",
                        ast::TimeUnit::Minute => "min",
                        ast::TimeUnit::Hour => "h",
                        ast::TimeUnit::Day => "d",
                        _ => {
                            return Err(Fault::user("emit", "EMIT wants a delay in days to milliseconds")
                                .at(strategy.span)
                                .hint("write EMIT WITH DELAY '1' MINUTE"));
                        }
                    };
                    if d.count.value.trim().parse::<u64>().is_err() {
                        return Err(Fault::user("emit", format!("'{}' is not a number", d.count.value))
                            .at(d.count.span)
                            .hint("write EMIT WITH DELAY '1' MINUTE"));
                    }
                    format!("{} {unit}", d.count.value.trim())
                }
            };
            let kinds: &[&str] = match strategy.when {
                Some(EmitWhen::BeforeWatermark) => &["early"],
                Some(EmitWhen::AfterWatermark) => &["late"],
                None => &["early", "late"],
            };
            for kind in kinds {
                let key = format!("table.exec.emit.{kind}-fire");
                let set = self.plan.settings.options.get(&format!("{key}.delay")).map(str::to_string);
                if set.as_ref().is_some_and(|s| *s != delay) {
                    return Err(Fault::user("emit", "all EMIT clauses of a job must give the same strategy")
                        .at(strategy.span)
                        .hint(format!(
                            "another place sets the {kind} delay to '{}'",
                            set.unwrap_or_default()
                        )));
                }
                self.plan.settings.options.set(format!("{key}.enabled"), "true");
                self.plan.settings.options.set(format!("{key}.delay"), delay.as_str());
            }
        }
        Ok(())
    }

    fn row_count(&mut self, expr: &ast::Expr, clause: &'static str) -> Result<u64, Fault> {
        let scope = Scope::default();
        let mut found = Collected { clause, ..Collected::default() };
        let bound = ExprBinder { binder: self, scope: &scope, found: &mut found }.bind(expr)?;
        match bound.as_literal().and_then(Value::as_int) {
            Some(n) if bound.data_type.kind.is_integer() && n >= 0 => Ok(n as u64),
            _ => Err(Fault::user("row-count", format!("{clause} wants a number of rows"))
                .at(expr.span)
                .hint(format!("write it as in {clause} 10"))),
        }
    }

    fn bind_body(&mut self, body: &ast::QueryBody, order_by: &[ast::OrderItem]) -> Result<Ordered, Fault> {
        let node = match &body.kind {
            QueryKind::Select(select) => return self.bind_select_body(select, order_by),
            QueryKind::Values(rows) => self.bind_values(rows, body.span)?,
            QueryKind::Table(name) => {
                let mut table = self.bind_table(name, &[])?;
                table.span = name.span;
                self.star_of(&table)
            }
            QueryKind::Nested(query) => self.bind_query(query, false)?,
            QueryKind::SetOperation(first, links) => self.bind_set_operation(first, links)?,
        };
        let order = self.order_by_output(node, order_by)?;
        Ok(Ordered { node, visible: self.schema(node).len(), order })
    }

    /// A body on its own.
    pub(super) fn bind_plain_body(&mut self, body: &ast::QueryBody) -> Result<NodeId, Fault> {
        let ordered = self.bind_body(body, &[])?;
        Ok(self.first_columns(ordered.node, ordered.visible, body.span))
    }

    /// ORDER BY over the output of a set operation or VALUES.
    fn order_by_output(&mut self, node: NodeId, items: &[ast::OrderItem]) -> Result<Vec<SortKey>, Fault> {
        let schema = self.schema(node);
        let scope = Scope::of_fields(&schema);
        let mut keys = Vec::with_capacity(items.len());
        for item in items {
            let expr = match ordinal(&item.expr, schema.len())? {
                Some(i) => column(&schema, i),
                None => {
                    let mut found = Collected { clause: "ORDER BY", ..Collected::default() };
                    ExprBinder { binder: self, scope: &scope, found: &mut found }.bind(&item.expr)?
                }
            };
            keys.push(sort_key(expr.at(item.expr.span), item));
        }
        Ok(keys)
    }

    fn bind_limit(
        &mut self,
        body: &Ordered,
        offset: u64,
        fetch: Option<u64>,
        query: &ast::Query,
    ) -> Result<NodeId, Fault> {
        let schema = self.schema(body.node);
        let span = match (&query.limit, &query.offset) {
            (Some(Limit::Count(e)), _) | (_, Some(e)) => e.span,
            _ => query.span,
        };
        if fetch.is_none() && self.streaming() {
            return Err(Fault::user("offset", "FETCH is missed, which on streaming table is not supported")
                .at(span)
                .hint("add LIMIT"));
        }
        let op = match fetch {
            Some(fetch) if !body.order.is_empty() => Op::TopN(TopNOp {
                partition_by: Vec::new(),
                order_by: body.order.clone(),
                from: offset.saturating_add(1),
                to: offset.saturating_add(fetch),
                with_rank: false,
                function: Arc::from("ROW_NUMBER"),
            }),
            _ => {
                let mut node = body.node;
                if !body.order.is_empty() {
                    node = self.add(Op::Sort(body.order.clone()), vec![node], (*schema).clone(), span);
                }
                return Ok(self.add(Op::Limit { offset, fetch }, vec![node], (*schema).clone(), span));
            }
        };
        Ok(self.add(op, vec![body.node], (*schema).clone(), span))
    }

    fn bind_sort(&mut self, body: &Ordered, query: &ast::Query) -> Result<NodeId, Fault> {
        let schema = self.schema(body.node);
        let first = query.order_by.first();
        let span = first.map_or(query.span, |f| f.expr.span);
        if self.streaming()
            && let Some(key) = body.order.first()
        {
            let timed = match key.expr.kind {
                millstream_expr::ExprKind::Column(i) => is_time_attribute(&self.plan, body.node, i),
                _ => false,
            };
            let (message, hint) = if !timed {
                (
                    "Sort on a non-time-attribute field is not supported",
                    "order by the rowtime column first, or add LIMIT",
                )
            } else if key.descending {
                ("Primary sort order of a streaming table must be ascending on time", "remove DESC")
            } else {
                ("", "")
            };
            if !message.is_empty() {
                return Err(Fault::user("streaming-sort", message).at(span).hint(hint));
            }
        }
        Ok(self.add(Op::Sort(body.order.clone()), vec![body.node], (*schema).clone(), span))
    }

    /// The first columns of a node.
    pub(super) fn first_columns(&mut self, node: NodeId, count: usize, span: Span) -> NodeId {
        let schema = self.schema(node);
        if schema.len() == count {
            return node;
        }
        let items = pass_through(&schema).into_iter().take(count).collect();
        self.project(node, items, span)
    }
}

/// A column of a schema as an expression.
pub(crate) fn column(schema: &Schema, index: usize) -> Expr {
    let data_type = schema.field(index).map(|f: &Field| f.data_type.clone());
    Expr::column(index, data_type.unwrap_or_else(millstream_types::DataType::string))
}

/// The position that an ORDER BY by number means.
pub(crate) fn ordinal(expr: &ast::Expr, columns: usize) -> Result<Option<usize>, Fault> {
    let ast::ExprKind::Literal(ast::Literal::Integer(text)) = &expr.kind else { return Ok(None) };
    match text.parse::<usize>() {
        Ok(n) if (1..=columns).contains(&n) => Ok(Some(n - 1)),
        _ => {
            Err(Fault::user("ordinal", format!("ORDER BY {text}: there are {columns} columns")).at(expr.span))
        }
    }
}
