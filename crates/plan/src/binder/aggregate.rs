//! Calls of aggregate functions in grouped queries.

use millstream_expr::functions::aggregate::{self, AggregateFunction, AggregateKind};
use millstream_expr::{Expr, Keywords};
use millstream_sql::ast::{self, ArgValue, SetQuantifier};
use millstream_types::Fault;

use super::AGGREGATE;
use super::expression::ExprBinder;
use crate::{AggregateCall, SortKey};

impl ExprBinder<'_, '_> {
    /// A call without OVER: gives its marker.
    #[inline(never)]
    pub(super) fn aggregate(
        &mut self,
        function: &'static AggregateFunction,
        call: &ast::FunctionCall,
        keywords: Keywords,
    ) -> Result<Expr, Fault> {
        if !self.found.aggregates_allowed {
            return Err(Fault::user(
                "aggregate-place",
                format!("aggregate function {} cannot be used in {}", function.name, self.found.clause),
            )
            .at(call.span)
            .hint(match self.found.clause {
                "WHERE" => "conditions on aggregates belong to HAVING",
                "an aggregate function" => "compute the inner aggregate in a subquery",
                _ => "compute the aggregate in a subquery first",
            }));
        }
        let clause = std::mem::replace(&mut self.found.clause, "an aggregate function");
        let (aggregates, overs) = (self.found.aggregates_allowed, self.found.over_allowed);
        self.found.aggregates_allowed = false;
        self.found.over_allowed = false;
        let bound = self.aggregate_call(function, call, keywords);
        self.found.clause = clause;
        self.found.aggregates_allowed = aggregates;
        self.found.over_allowed = overs;
        let bound = bound?;
        if function.kind == AggregateKind::Grouping
            && let Some(other) = bound.args.iter().find(|a| !self.found.group_keys.contains(a))
        {
            return Err(Fault::user(
                "grouping-argument",
                format!(
                    "Argument to operator '{}' must be a grouped expression",
                    call.name.last().to_uppercase()
                ),
            )
            .at(other.span.unwrap_or(call.span))
            .hint("give it one of the expressions of GROUP BY"));
        }
        let same = |c: &AggregateCall| {
            c.function == bound.function
                && c.args == bound.args
                && c.distinct == bound.distinct
                && c.filter == bound.filter
                && c.order_by == bound.order_by
                && c.keywords == bound.keywords
        };
        let position = match self.found.aggregates.iter().position(same) {
            Some(p) => p,
            None => {
                self.found.aggregates.push(bound.clone());
                self.found.aggregates.len() - 1
            }
        };
        Ok(Expr::column(AGGREGATE + position, bound.data_type))
    }

    /// The call itself, over the input; also the call of an OVER.
    pub(super) fn aggregate_call(
        &mut self,
        function: &'static AggregateFunction,
        call: &ast::FunctionCall,
        keywords: Keywords,
    ) -> Result<AggregateCall, Fault> {
        if call.nulls == Some(ast::NullTreatment::Ignore) {
            return Err(Fault::not_yet("IGNORE NULLS").at(call.span));
        }
        let star = matches!(call.args.as_slice(), [a] if matches!(a.value, ArgValue::Star));
        let args = if star { Vec::new() } else { self.plain_args(call)? };
        let filter = match &call.filter {
            Some(f) => {
                let clause = std::mem::replace(&mut self.found.clause, "FILTER");
                let bound = self.condition(f);
                self.found.clause = clause;
                Some(bound?)
            }
            None => None,
        };
        let order: Vec<&ast::OrderItem> = call.order_by.iter().chain(&call.within_group).collect();
        // Flink takes WITHIN GROUP for none of its own aggregates, and ORDER BY inside the parentheses for those that collect.
        if let Some(first) = order.first()
            && (!function.ordered || !call.within_group.is_empty())
        {
            return Err(Fault::user(
                "within-group",
                format!("Aggregate expression '{}' must not contain a WITHIN GROUP clause", function.name),
            )
            .at(first.expr.span)
            .hint("remove the ORDER BY of the call"));
        }
        let mut order_by = Vec::with_capacity(order.len());
        for item in order {
            let expr = self.bind(&item.expr)?;
            order_by.push(sort_key(expr, item));
        }
        let distinct = call.quantifier == Some(SetQuantifier::Distinct);
        let bound = function.bind(&aggregate::AggregateCall {
            name: call.name.last(),
            args: &args,
            star,
            distinct,
            can_be_empty: self.found.can_be_empty || filter.is_some(),
            keywords: &keywords,
            span: call.span,
            context: self.binder.env.context,
        });
        let bound = bound.map_err(|f| f.at(call.span))?;
        Ok(AggregateCall {
            function: function.name.into(),
            args: bound.args,
            distinct,
            filter,
            order_by,
            keywords,
            data_type: bound.data_type,
            span: Some(call.span),
        })
    }
}

/// A key of ORDER BY. NULL is the lowest value, as in Flink: first in ascending order, last in descending.
pub(crate) fn sort_key(expr: Expr, item: &ast::OrderItem) -> SortKey {
    let nulls_first = item.nulls_first.unwrap_or(!item.descending);
    SortKey { expr, descending: item.descending, nulls_first }
}
