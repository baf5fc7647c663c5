//! Subqueries that look at the columns of the query around them: their conditions on those columns move up into the join.

use millstream_expr::{Expr, ExprKind};
use millstream_types::{Fault, Field, Schema, Span};

use super::query::column;
use super::{Binder, OUTER};
use crate::{JoinKind, NodeId, Op, ProjectItem};

/// A subquery without columns of the query around it.
#[derive(Debug)]
pub(crate) struct Decorrelated {
    /// Its rows: its own columns, then columns that the conditions need.
    pub node: NodeId,
    /// How many columns are its own.
    pub width: usize,
    /// Conditions over the node's columns and columns of the query around it ([`OUTER`] and up).
    pub conditions: Vec<Expr>,
    /// Whether it gives at most one row (for each value of its conditions).
    pub single: bool,
    /// Whether its value is a COUNT, which is 0 where there are no rows.
    pub counts: bool,
}

/// The result of one step up.
struct Moved {
    node: NodeId,
    conditions: Vec<Expr>,
}

impl Binder<'_> {
    /// Takes the columns of the query around out of a subquery.
    ///
    /// # Errors
    /// NotYet, where they stand at a place from which they cannot be moved.
    pub(super) fn decorrelate(&mut self, node: NodeId, span: Span) -> Result<Decorrelated, Fault> {
        let width = self.schema(node).len();
        let single = self.is_single_row(node);
        let counts = self.is_count(node, 0);
        if !self.has_outer(node) {
            return Ok(Decorrelated { node, width, conditions: Vec::new(), single, counts });
        }
        let moved = self.pull_up(node, span)?;
        Ok(Decorrelated { node: moved.node, width, conditions: moved.conditions, single, counts })
    }

    /// Whether anything below a node looks at the query around.
    fn has_outer(&self, node: NodeId) -> bool {
        let mut stack = vec![node];
        let mut seen = std::collections::BTreeSet::new();
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            let Some(n) = self.plan.nodes.get(id.0) else { continue };
            let mut op = n.op.clone();
            if op.expressions_mut().iter().any(|e| is_outer(e)) {
                return true;
            }
            stack.extend(&n.inputs);
        }
        false
    }

    /// A global aggregation gives exactly one row.
    fn is_single_row(&self, node: NodeId) -> bool {
        let Some(n) = self.plan.nodes.get(node.0) else { return false };
        match &n.op {
            Op::Aggregate(a) => a.keys.is_empty() && a.group_window.is_none(),
            Op::Project(_) => n.inputs.first().is_some_and(|i| self.is_single_row(*i)),
            Op::Values(rows) => rows.len() == 1,
            _ => false,
        }
    }

    /// Whether a column is a plain COUNT.
    fn is_count(&self, node: NodeId, column: usize) -> bool {
        let Some(n) = self.plan.nodes.get(node.0) else { return false };
        match &n.op {
            Op::Aggregate(a) => column
                .checked_sub(a.keys.len())
                .and_then(|c| a.calls.get(c))
                .is_some_and(|c| &*c.function == "COUNT"),
            Op::Project(items) => match (items.get(column).map(|i| &i.expr.kind), n.inputs.first()) {
                (Some(ExprKind::Column(c)), Some(input)) => self.is_count(*input, *c),
                _ => false,
            },
            _ => false,
        }
    }

    fn pull_up(&mut self, node: NodeId, span: Span) -> Result<Moved, Fault> {
        if !self.has_outer(node) {
            return Ok(Moved { node, conditions: Vec::new() });
        }
        let Some(n) = self.plan.nodes.get(node.0).cloned() else {
            return Err(Fault::internal("node of a subquery"));
        };
        let place = n.span.unwrap_or(span);
        let refuse = |what: &str| {
            Fault::not_yet(format!("columns of the query around a subquery in {what}"))
                .at(place)
                .hint("write the query as a join")
        };
        let input = n.inputs.first().copied();
        match n.op {
            Op::Filter(condition) => {
                let Some(input) = input else { return Err(Fault::internal("filter without input")) };
                let below = self.pull_up(input, span)?;
                let terms = match condition.kind {
                    ExprKind::And(terms) => terms,
                    _ => vec![condition],
                };
                let (outer, inner): (Vec<Expr>, Vec<Expr>) = terms.into_iter().partition(is_outer);
                let node = self.filter(below.node, inner, place);
                let mut conditions = below.conditions;
                conditions.extend(outer);
                Ok(Moved { node, conditions })
            }
            Op::Project(items) => {
                let Some(input) = input else { return Err(Fault::internal("projection without input")) };
                if items.iter().any(|i| is_outer(&i.expr)) {
                    return Err(refuse("its select list"));
                }
                let below = self.pull_up(input, span)?;
                let schema = self.schema(below.node);
                let mut items: Vec<_> =
                    items.into_iter().map(|ProjectItem { name, expr }| (name, expr)).collect();
                let mut conditions = below.conditions;
                for c in &mut conditions {
                    for needed in c.columns().into_iter().filter(|c| *c < OUTER) {
                        let wanted = column(&schema, needed);
                        if !items.iter().any(|(_, e)| *e == wanted) {
                            let name = schema.field(needed).map(|f| f.name.clone()).unwrap_or_default();
                            items.push((name, wanted));
                        }
                    }
                    c.map_columns(&|i| {
                        if i >= OUTER {
                            return i;
                        }
                        let wanted = column(&schema, i);
                        items.iter().position(|(_, e)| *e == wanted).unwrap_or(i)
                    });
                }
                let node = self.project(below.node, items, place);
                Ok(Moved { node, conditions })
            }
            Op::Aggregate(mut a) => {
                let Some(input) = input else { return Err(Fault::internal("aggregation without input")) };
                if a.keys.iter().any(is_outer)
                    || a.calls.iter().any(|c| c.args.iter().any(is_outer) || c.filter.iter().any(is_outer))
                {
                    return Err(refuse("GROUP BY or an aggregate"));
                }
                if a.grouping_sets.len() != 1 || a.group_window.is_some() {
                    return Err(refuse("a query with grouping sets or windows"));
                }
                let below = self.pull_up(input, span)?;
                let old = a.keys.len();
                let mut conditions = below.conditions;
                for c in &conditions {
                    if !is_equality(c) {
                        return Err(refuse("a condition below an aggregation that is no equality"));
                    }
                }
                let input_schema = self.schema(below.node);
                let mut needed: Vec<usize> =
                    conditions.iter().flat_map(Expr::columns).filter(|c| *c < OUTER).collect();
                needed.sort_unstable();
                needed.dedup();
                let mut fields: Vec<Field> = n.schema.fields.clone();
                // The new keys go behind the old keys; the engine's output is keys, then calls.
                let mut positions = Vec::new();
                for c in &needed {
                    let key = column(&input_schema, *c);
                    match a.keys.iter().position(|k| *k == key) {
                        Some(p) => positions.push(p),
                        None => {
                            let at = a.keys.len();
                            let name = input_schema.field(*c).map(|f| f.name.clone()).unwrap_or_default();
                            fields.insert(at, Field::new(name, key.data_type.clone()));
                            a.keys.push(key);
                            positions.push(at);
                        }
                    }
                }
                let added = a.keys.len() - old;
                a.grouping_sets = vec![(0..a.keys.len()).collect()];
                let total = fields.len();
                let aggregate = self.add(Op::Aggregate(a), vec![below.node], Schema::new(fields), place);
                // Restore the old order: the columns as they were, then the new keys.
                let schema = self.schema(aggregate);
                let order: Vec<usize> = (0..old).chain(old + added..total).chain(old..old + added).collect();
                let items = order
                    .iter()
                    .map(|i| {
                        (schema.field(*i).map(|f| f.name.clone()).unwrap_or_default(), column(&schema, *i))
                    })
                    .collect();
                let node = self.project(aggregate, items, place);
                for c in &mut conditions {
                    c.map_columns(&|i| {
                        if i >= OUTER {
                            return i;
                        }
                        let key = needed.iter().position(|n| *n == i).and_then(|p| positions.get(p)).copied();
                        key.and_then(|k| order.iter().position(|o| *o == k)).unwrap_or(i)
                    });
                }
                Ok(Moved { node, conditions })
            }
            Op::TopN(mut t) => {
                let Some(input) = input else { return Err(Fault::internal("top-n without input")) };
                if t.with_rank || t.order_by.iter().any(|k| is_outer(&k.expr)) {
                    return Err(refuse("ORDER BY"));
                }
                let below = self.pull_up(input, span)?;
                if !below.conditions.iter().all(is_equality) {
                    return Err(refuse("a condition below LIMIT that is no equality"));
                }
                let schema = self.schema(below.node);
                for c in below.conditions.iter().flat_map(Expr::columns).filter(|c| *c < OUTER) {
                    let key = column(&schema, c);
                    if !t.partition_by.contains(&key) {
                        t.partition_by.push(key);
                    }
                }
                let node = self.add(Op::TopN(t), vec![below.node], (*schema).clone(), place);
                Ok(Moved { node, conditions: below.conditions })
            }
            Op::Join(j) if matches!(j.kind, JoinKind::Inner) => {
                let (Some(left), Some(right)) = (n.inputs.first().copied(), n.inputs.get(1).copied()) else {
                    return Err(Fault::internal("join without inputs"));
                };
                if self.has_outer(left) || self.has_outer(right) {
                    return Err(refuse("a joined subquery"));
                }
                let terms = match j.condition.clone() {
                    Some(Expr { kind: ExprKind::And(terms), .. }) => terms,
                    Some(one) => vec![one],
                    None => Vec::new(),
                };
                let (outer, inner): (Vec<Expr>, Vec<Expr>) = terms.into_iter().partition(is_outer);
                let condition = (!inner.is_empty()).then(|| Expr::and(inner));
                let op = Op::Join(crate::JoinOp { condition, ..j });
                let node = self.add(op, n.inputs, (*n.schema).clone(), place);
                Ok(Moved { node, conditions: outer })
            }
            Op::Unnest(_) | Op::TableFunction(_) => Err(refuse("UNNEST or a table function")),
            Op::Limit { .. } => Err(refuse("a query with LIMIT")),
            _ => Err(refuse("this place")),
        }
    }
}

/// Whether an expression looks at the query around.
fn is_outer(expr: &Expr) -> bool {
    expr.columns().last().is_some_and(|c| *c >= OUTER)
}

/// `inner = outer`.
fn is_equality(expr: &Expr) -> bool {
    let ExprKind::Call(call) = &expr.kind else { return false };
    if &*call.name != "=" {
        return false;
    }
    let pure = |e: &Expr, outer: bool| e.columns().iter().all(|c| (*c >= OUTER) == outer);
    match call.args.as_slice() {
        [a, b] => (pure(a, false) && pure(b, true)) || (pure(a, true) && pure(b, false)),
        _ => false,
    }
}
