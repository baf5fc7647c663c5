//! UNION, INTERSECT, EXCEPT.

use std::sync::Arc;

use millstream_expr::Expr;
use millstream_expr::coerce::common_type;
use millstream_sql::ast::{QueryBody, SetLink, SetOp};
use millstream_types::{DataType, Fault, Field, Schema, Span};

use super::Binder;
use super::expression::converted;
use crate::{NodeId, Op};

impl Binder<'_> {
    /// Binds a chain of set operations from left to right; links of UNION ALL are one node.
    pub(super) fn bind_set_operation(
        &mut self,
        first: &QueryBody,
        links: &[SetLink],
    ) -> Result<NodeId, Fault> {
        let mut left = self.bind_plain_body(first)?;
        let mut rest = links;
        while let Some(link) = rest.first() {
            let same = rest
                .iter()
                .take_while(|l| link.op == SetOp::Union && l.op == SetOp::Union && l.all == link.all)
                .count()
                .max(1);
            let (now, later) = rest.split_at(same);
            rest = later;
            let mut inputs = vec![left];
            for l in now {
                let right = self.bind_plain_body(&l.operand)?;
                self.check_width(left, right, l)?;
                inputs.push(right);
            }
            let name = operation_name(link);
            let schema = self.common_schema(&inputs, &name, link.op_span, now)?;
            let inputs: Vec<NodeId> =
                inputs.into_iter().map(|i| self.conformed(i, &schema, link.op_span)).collect();
            left = match link.op {
                SetOp::Union => {
                    let union = self.add(Op::Union, inputs, schema, link.op_span);
                    if link.all { union } else { self.add_distinct(union, link.op_span) }
                }
                SetOp::Intersect | SetOp::Except => {
                    let op = Op::SetOperation { except: link.op == SetOp::Except, all: link.all };
                    self.add(op, inputs, schema, link.op_span)
                }
            };
        }
        Ok(left)
    }

    fn check_width(&self, left: NodeId, right: NodeId, link: &SetLink) -> Result<(), Fault> {
        let (l, r) = (self.schema(left).len(), self.schema(right).len());
        if l == r {
            return Ok(());
        }
        Err(Fault::user(
            "column-count",
            format!(
                "Column count mismatch in {}: {l} columns on the left, {r} on the right",
                operation_name(link)
            ),
        )
        .at(link.operand.span)
        .hint("select the same number of columns on both sides"))
    }

    /// Names of the first side, types that all sides fit into.
    fn common_schema(
        &self,
        inputs: &[NodeId],
        name: &str,
        span: Span,
        links: &[SetLink],
    ) -> Result<Schema, Fault> {
        let schemas: Vec<_> = inputs.iter().map(|i| self.schema(*i)).collect();
        let Some(first) = schemas.first() else { return Ok(Schema::default()) };
        let mut fields = Vec::with_capacity(first.len());
        for (i, field) in first.fields.iter().enumerate() {
            let types: Vec<DataType> =
                schemas.iter().filter_map(|s| s.field(i)).map(|f| f.data_type.clone()).collect();
            let Some(common) = common_type(&types) else {
                let wrong = types.iter().skip(1).position(|t| {
                    types.first().is_some_and(|f| common_type(&[f.clone(), t.clone()]).is_none())
                });
                let place = wrong.and_then(|w| links.get(w)).map_or(span, |l| l.operand.span);
                let kinds: Vec<String> = types.iter().map(|t| t.kind.to_string()).collect();
                return Err(Fault::user(
                    "set-types",
                    format!("Type mismatch in column {} of {name}: {}", i + 1, kinds.join(" and ")),
                )
                .at(place)
                .hint(format!("cast column {} to the same type on both sides", i + 1)));
            };
            fields.push(Field::new(field.name.clone(), common));
        }
        Ok(Schema::new(fields))
    }

    /// A side with exactly the common types.
    pub(super) fn conformed(&mut self, input: NodeId, to: &Schema, span: Span) -> NodeId {
        let schema = self.schema(input);
        let same = schema.fields.iter().zip(&to.fields).all(|(f, t)| f.data_type.kind == t.data_type.kind);
        if same {
            return input;
        }
        let items: Vec<(Arc<str>, Expr)> = schema
            .fields
            .iter()
            .zip(&to.fields)
            .enumerate()
            .map(|(i, (f, t))| {
                let expr = Expr::column(i, f.data_type.clone());
                let mut expr =
                    if f.data_type.kind == t.data_type.kind { expr } else { converted(expr, &t.data_type) };
                expr.data_type.kind = t.data_type.kind.clone();
                (t.name.clone(), expr)
            })
            .collect();
        self.project(input, items, span)
    }
}

fn operation_name(link: &SetLink) -> String {
    let name = match link.op {
        SetOp::Union => "UNION",
        SetOp::Intersect => "INTERSECT",
        SetOp::Except => "EXCEPT",
    };
    if link.all { format!("{name} ALL") } else { name.to_string() }
}
