//! From syntax trees to plan nodes: names, types, time attributes.
//!
//! A query is bound bottom-up into nodes of one [`JobPlan`]; expressions become [`millstream_expr::Expr`] over the output of the node below.
//! While a query is being bound, an expression may hold *markers*: column positions beyond every real one that stand for an aggregate, an OVER
//! call, a scalar subquery or a column of an enclosing query. They are replaced before the query is done.

mod aggregate;
mod call;
mod decorrelate;
mod expression;
mod from;
mod group;
mod insert;
mod join;
mod lineage;
mod literal;
mod match_recognize;
mod over;
mod predicate;
mod query;
mod scan;
mod scope;
mod select;
mod set_operation;
mod subquery;
mod table_function;
mod unnest;
mod values;
mod window;

use std::sync::Arc;

use millstream_expr::Expr;
use millstream_sql::ast;
use millstream_types::{Fault, Field, Schema, SchemaRef, Span};

use crate::catalog::BindEnvironment;
use crate::{JobPlan, JobSettings, Node, NodeId, Op, OperatorId};
use millstream_flow::ChangelogMode;

pub(crate) use expression::bind_expression;
pub(crate) use group::replace_columns;
pub(crate) use lineage::{WindowColumn, is_time_attribute, window_origin};
use scope::Scope;

/// Markers of aggregates start here.
pub(crate) const AGGREGATE: usize = 1 << 40;
/// Markers of properties of group windows start here.
pub(crate) const WINDOW_PROPERTY: usize = 1 << 41;
/// Markers of OVER calls start here.
pub(crate) const OVER: usize = 1 << 42;
/// Markers of scalar subqueries start here.
pub(crate) const SUBQUERY: usize = 1 << 43;
/// Markers of columns of the enclosing query start here.
pub(crate) const OUTER: usize = 1 << 44;

/// How deeply queries may be nested in queries and views in views.
const MAX_QUERY_DEPTH: usize = 100;

/// Binds queries and INSERTs into one plan.
pub(crate) struct Binder<'a> {
    /// Catalogs and session.
    pub env: BindEnvironment<'a>,
    /// Session options.
    pub settings: JobSettings,
    /// The nodes so far.
    pub plan: JobPlan,
    /// Position of the statement that is bound.
    pub statement: usize,
    /// WITH: names and queries that are visible, inner ones last.
    with: Vec<query::CommonTable>,
    /// Scopes of the enclosing queries, the nearest last.
    outers: Vec<Scope>,
    /// Hints of the SELECT whose FROM is bound.
    hints: Vec<ast::Hint>,
    /// Views that are bound already, by full name.
    views: Vec<(crate::catalog::ObjectPath, NodeId)>,
    /// How many queries are around.
    depth: usize,
}

impl std::fmt::Debug for Binder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Binder").field("nodes", &self.plan.nodes.len()).finish_non_exhaustive()
    }
}

impl<'a> Binder<'a> {
    /// A binder with an empty plan.
    pub fn new(env: BindEnvironment<'a>, settings: JobSettings) -> Self {
        let plan = JobPlan { settings: settings.clone(), ..JobPlan::default() };
        Binder {
            env,
            settings,
            plan,
            statement: 0,
            with: Vec::new(),
            outers: Vec::new(),
            hints: Vec::new(),
            views: Vec::new(),
            depth: 0,
        }
    }

    /// Whether rows never end: the rules of streaming queries hold.
    fn streaming(&self) -> bool {
        !self.settings.batch
    }

    /// Adds a node.
    fn add(&mut self, op: Op, inputs: Vec<NodeId>, schema: impl Into<SchemaRef>, span: Span) -> NodeId {
        let id = NodeId(self.plan.nodes.len());
        self.plan.nodes.push(Node {
            op,
            inputs,
            schema: schema.into(),
            changes: ChangelogMode::Append,
            upsert_keys: Vec::new(),
            id: OperatorId(0),
            upstream: 0,
            span: Some(span),
            statement: self.statement,
        });
        id
    }

    /// The output columns of a node.
    fn schema(&self, node: NodeId) -> SchemaRef {
        self.plan.nodes.get(node.0).map(|n| n.schema.clone()).unwrap_or_default()
    }

    /// Adds a filter, if there is a condition. Conditions keep their order.
    fn filter(&mut self, input: NodeId, terms: Vec<Expr>, span: Span) -> NodeId {
        if terms.is_empty() {
            return input;
        }
        let schema = self.schema(input);
        self.add(Op::Filter(Expr::and(terms)), vec![input], schema, span)
    }

    /// Adds a projection.
    fn project(&mut self, input: NodeId, items: Vec<(Arc<str>, Expr)>, span: Span) -> NodeId {
        let schema =
            Schema::new(items.iter().map(|(n, e)| Field::new(n.clone(), e.data_type.clone())).collect());
        let items = items.into_iter().map(|(name, expr)| crate::ProjectItem { name, expr }).collect();
        self.add(Op::Project(items), vec![input], schema, span)
    }

    /// Adds a SELECT of the job whose rows the caller gets.
    ///
    /// # Errors
    /// User or NotYet, at the place in the statement.
    pub fn bind_select(&mut self, statement: usize, query: &ast::Query) -> Result<NodeId, Fault> {
        self.statement = statement;
        let node = self.bind_query(query, true)?;
        let schema = self.schema(node);
        let sink = self.add(
            Op::Sink(crate::SinkOp {
                target: crate::SinkTarget::Collect,
                name: "collect".to_string(),
                overwrite: false,
                not_null: Vec::new(),
                drop_null: false,
                materialize: false,
            }),
            vec![node],
            schema,
            query.span,
        );
        if let Some(n) = self.plan.nodes.get_mut(sink.0) {
            n.changes = ChangelogMode::Retract;
        }
        self.plan.sinks.push(sink);
        Ok(sink)
    }
}

/// So many names are compared with each other rather than hashed.
const FEW_NAMES: usize = 16;

/// Names that differ: a later equal one gets a number, as Flink's validator does (`id`, `id0`).
pub(crate) fn unique_names(names: Vec<Arc<str>>) -> Vec<Arc<str>> {
    let repeated = |(i, name): (usize, &Arc<str>)| names.iter().take(i).any(|n| n == name);
    if names.len() <= FEW_NAMES && !names.iter().enumerate().any(repeated) {
        return names;
    }
    let mut seen: std::collections::HashSet<Arc<str>> = std::collections::HashSet::new();
    names
        .into_iter()
        .map(|name| {
            let mut candidate = name.clone();
            let mut number = 0usize;
            while !seen.insert(candidate.clone()) {
                candidate = Arc::from(format!("{name}{number}"));
                number += 1;
            }
            candidate
        })
        .collect()
}

/// The plan of a SELECT whose rows the caller gets, optimized.
///
/// # Errors
/// User or NotYet, at the place in the statement.
pub(crate) fn plan_query(
    environment: BindEnvironment<'_>,
    settings: JobSettings,
    query: &ast::Query,
    statement: usize,
) -> Result<JobPlan, Fault> {
    let mut binder = Binder::new(environment, settings);
    binder.bind_select(statement, query)?;
    crate::optimize::optimize(binder.plan)
}

/// The plan of an INSERT, optimized.
///
/// # Errors
/// User or NotYet, at the place in the statement.
pub(crate) fn plan_insert(
    environment: BindEnvironment<'_>,
    settings: JobSettings,
    insert: &ast::Insert,
    statement: usize,
) -> Result<JobPlan, Fault> {
    let mut binder = Binder::new(environment, settings);
    binder.bind_insert(statement, insert)?;
    crate::optimize::optimize(binder.plan)
}
