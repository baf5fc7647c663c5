//! Aggregate and window functions: names, arguments, result types. One file a family.
//!
//! Result types are those of Flink's planner: most are nullable where a group can be empty (no GROUP BY, or a FILTER), else as
//! nullable as their argument.

mod basic;
mod bitmap;
mod collect;
mod json;
mod rank;
mod statistics;
#[cfg(test)]
mod tests;

use millstream_types::{DataType, Fault, Span, TypeKind, nearest};

use crate::{BindContext, Call, Expr, Keyword, Origin};

/// Where a function may stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AggregateKind {
    /// In a grouped query, and with OVER.
    Group,
    /// Only with OVER: ROW_NUMBER, LAG and their kin.
    Window,
    /// Only in a grouped query: GROUPING, GROUPING_ID.
    Grouping,
}

/// The definition of an aggregate function: documentation and binding in one place.
#[derive(Debug)]
pub struct AggregateFunction {
    /// Primary name, upper case.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Signatures as the manual prints them, one a line.
    pub signature: &'static str,
    /// What it does, in one sentence; then what is special, each in one sentence.
    pub doc: &'static str,
    /// Where it comes from.
    pub origin: Origin,
    /// Where it may stand.
    pub kind: AggregateKind,
    /// Whether DISTINCT is allowed.
    pub distinct: bool,
    /// Whether an ORDER BY is allowed: WITHIN GROUP (ORDER BY …) or inside the parentheses.
    pub ordered: bool,
    /// Checks the arguments and derives the result.
    pub bind: fn(&AggregateCall<'_>) -> Result<BoundAggregate, Fault>,
}

/// A call to be bound.
#[derive(Debug)]
pub struct AggregateCall<'a> {
    /// The name as the user wrote it.
    pub name: &'a str,
    /// Typed arguments; none for `COUNT(*)`.
    pub args: &'a [Expr],
    /// Whether it was written `COUNT(*)`.
    pub star: bool,
    /// DISTINCT.
    pub distinct: bool,
    /// Whether the group can be empty: no GROUP BY key, or a FILTER.
    pub can_be_empty: bool,
    /// Keyword clauses: JSON_OBJECTAGG's NULL ON NULL.
    pub keywords: &'a [(&'static str, Keyword)],
    /// Place of the whole call.
    pub span: Span,
    /// The session.
    pub context: &'a BindContext,
}

/// A bound call.
#[derive(Debug, Clone)]
pub struct BoundAggregate {
    /// Result type with nullability.
    pub data_type: DataType,
    /// The arguments to evaluate, with implicit casts.
    pub args: Vec<Expr>,
}

/// The families.
const FAMILIES: &[&[AggregateFunction]] = &[
    basic::FUNCTIONS,
    collect::FUNCTIONS,
    statistics::FUNCTIONS,
    rank::FUNCTIONS,
    json::FUNCTIONS,
    bitmap::FUNCTIONS,
];

/// Every aggregate and window function.
pub fn all() -> impl Iterator<Item = &'static AggregateFunction> {
    FAMILIES.iter().flat_map(|f| f.iter())
}

/// The aggregate or window function of a name or alias; case does not count.
pub fn aggregate_function(name: &str) -> Option<&'static AggregateFunction> {
    // Asked for every call of a text, and nearly all are of scalar functions.
    let first = name.bytes().next()?.to_ascii_uppercase();
    let begins = |n: &str| n.as_bytes().first().is_some_and(|b| b.eq_ignore_ascii_case(&first));
    let is = |n: &str| begins(n) && n.eq_ignore_ascii_case(name);
    all().find(|f| is(f.name) || f.aliases.iter().any(|a| is(a)))
}

impl AggregateFunction {
    /// Binds a call, after checking what every function has in common.
    ///
    /// # Errors
    /// User, when DISTINCT or the arguments do not fit.
    pub fn bind(&self, call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
        if call.distinct && !self.distinct {
            return Err(Fault::user("distinct", format!("DISTINCT cannot be used with {}", self.name))
                .at(call.span)
                .hint(format!("remove DISTINCT; {}", self.signature.replace('\n', "; "))));
        }
        if call.star && self.name != "COUNT" {
            return Err(Fault::user("star", format!("{}(*) does not exist", self.name))
                .at(call.span)
                .hint(format!("supported form(s): {}", self.signature.replace('\n', "; "))));
        }
        (self.bind)(call)
    }
}

impl<'a> AggregateCall<'a> {
    /// The call as the checks of scalar functions take it.
    fn scalar(&self) -> Call<'a> {
        Call {
            name: self.name,
            args: self.args,
            keywords: self.keywords,
            span: self.span,
            context: self.context,
        }
    }

    /// A type as nullable as the group and its argument make it.
    fn typed(&self, kind: TypeKind) -> DataType {
        let nullable = self.can_be_empty || self.args.first().is_none_or(|a| a.data_type.nullable);
        DataType { kind, nullable }
    }

    fn bound(&self, data_type: DataType) -> Result<BoundAggregate, Fault> {
        Ok(BoundAggregate { data_type, args: self.args.to_vec() })
    }
}

/// The name nearest to an unknown one.
pub fn nearest_name(name: &str) -> Option<&'static str> {
    nearest(name, all().flat_map(|f| std::iter::once(f.name).chain(f.aliases.iter().copied())))
}
