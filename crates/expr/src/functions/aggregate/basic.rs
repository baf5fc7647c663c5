//! COUNT, SUM, AVG, MIN, MAX and the first and last of a group.

use millstream_types::{Fault, TypeKind};

use super::{AggregateCall, AggregateFunction, AggregateKind, BoundAggregate};
use crate::Origin;

pub(super) const FUNCTIONS: &[AggregateFunction] = &[
    AggregateFunction {
        name: "COUNT",
        aliases: &[],
        signature: "COUNT(*) -> BIGINT\nCOUNT([DISTINCT] value ANY) -> BIGINT",
        doc: "The number of rows, or of rows whose value is not NULL.",
        origin: Origin::Flink,
        kind: AggregateKind::Group,
        distinct: true,
        ordered: false,
        bind: count,
    },
    AggregateFunction {
        name: "APPROX_COUNT_DISTINCT",
        aliases: &[],
        signature: "APPROX_COUNT_DISTINCT(value ANY) -> BIGINT",
        doc: "About how many different values there are. The error is below 1 %.",
        origin: Origin::Flink,
        kind: AggregateKind::Group,
        distinct: false,
        ordered: false,
        bind: count,
    },
    AggregateFunction {
        name: "SUM",
        aliases: &[],
        signature: "SUM([DISTINCT] value NUMERIC) -> type of value",
        doc: "The sum of the values that are not NULL; NULL if there is none. Integers wrap; the sum of DECIMAL(p, s) is DECIMAL(38, s).",
        origin: Origin::Flink,
        kind: AggregateKind::Group,
        distinct: true,
        ordered: false,
        bind: sum,
    },
    AggregateFunction {
        name: "AVG",
        aliases: &[],
        signature: "AVG([DISTINCT] value NUMERIC) -> type of value",
        doc: "The mean of the values that are not NULL, in the type of the values: that of integers is cut to an integer.",
        origin: Origin::Flink,
        kind: AggregateKind::Group,
        distinct: true,
        ordered: false,
        bind: average,
    },
    AggregateFunction {
        name: "MIN",
        aliases: &[],
        signature: "MIN(value COMPARABLE) -> type of value",
        doc: "The smallest value that is not NULL.",
        origin: Origin::Flink,
        kind: AggregateKind::Group,
        distinct: true,
        ordered: false,
        bind: extreme,
    },
    AggregateFunction {
        name: "MAX",
        aliases: &[],
        signature: "MAX(value COMPARABLE) -> type of value",
        doc: "The largest value that is not NULL.",
        origin: Origin::Flink,
        kind: AggregateKind::Group,
        distinct: true,
        ordered: false,
        bind: extreme,
    },
    AggregateFunction {
        name: "FIRST_VALUE",
        aliases: &[],
        signature: "FIRST_VALUE(value ANY) -> type of value",
        doc: "The first value that is not NULL.",
        origin: Origin::Flink,
        kind: AggregateKind::Group,
        distinct: true,
        ordered: false,
        bind: any,
    },
    AggregateFunction {
        name: "LAST_VALUE",
        aliases: &[],
        signature: "LAST_VALUE(value ANY) -> type of value",
        doc: "The last value that is not NULL.",
        origin: Origin::Flink,
        kind: AggregateKind::Group,
        distinct: true,
        ordered: false,
        bind: any,
    },
    AggregateFunction {
        name: "SINGLE_VALUE",
        aliases: &[],
        signature: "SINGLE_VALUE(value ANY) -> type of value",
        doc: "The only value. More than one row fails the query: a scalar subquery is this.",
        origin: Origin::Flink,
        kind: AggregateKind::Group,
        distinct: false,
        ordered: false,
        bind: any,
    },
];

fn count(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    let kind = TypeKind::BigInt.not_null();
    if call.star {
        return call.bound(kind);
    }
    if call.args.len() > 1 {
        return Err(Fault::user("argument-count", format!("{} takes one field", call.name))
            .at(call.span)
            .hint("count a ROW or a concatenation of the fields"));
    }
    call.scalar().expect(1, 1, "COUNT(*); COUNT([DISTINCT] value)")?;
    call.bound(kind)
}

fn sum(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    let kind = match numeric(call, "SUM(<NUMERIC>)")? {
        TypeKind::Decimal { scale, .. } => TypeKind::Decimal { precision: 38, scale },
        other => other,
    };
    call.bound(call.typed(kind))
}

fn average(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    let kind = average_kind(numeric(call, "AVG(<NUMERIC>)")?);
    call.bound(call.typed(kind))
}

/// The type of a mean (`LogicalTypeMerging.findAvgAggType`).
pub(super) fn average_kind(kind: TypeKind) -> TypeKind {
    match kind {
        TypeKind::Decimal { scale, .. } => TypeKind::Decimal { precision: 38, scale: scale.max(6) },
        other => other,
    }
}

/// The only argument's kind, which must be a number.
pub(super) fn numeric(call: &AggregateCall<'_>, form: &str) -> Result<TypeKind, Fault> {
    call.scalar().expect(1, 1, form)?;
    call.scalar().no_bare_null()?;
    let kind = call.scalar().arg(0)?.data_type.kind.clone();
    let summable = kind.is_numeric() || kind.is_interval() && form.starts_with("SUM");
    if !summable {
        return Err(call.scalar().refuse(form));
    }
    Ok(kind)
}

fn extreme(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    let form = format!("{}(<COMPARABLE_TYPE>)", call.name.to_uppercase());
    call.scalar().expect(1, 1, &form)?;
    call.scalar().no_bare_null()?;
    let kind = call.scalar().arg(0)?.data_type.kind.clone();
    let comparable = kind.is_numeric()
        || kind.is_string()
        || kind.is_binary()
        || kind.is_datetime()
        || kind.is_interval()
        || matches!(kind, TypeKind::Boolean);
    if !comparable {
        return Err(call.scalar().refuse(&form));
    }
    call.bound(call.typed(kind))
}

fn any(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    call.scalar().expect(1, 1, &format!("{}(<ANY>)", call.name.to_uppercase()))?;
    call.scalar().no_bare_null()?;
    let kind = call.scalar().arg(0)?.data_type.kind.clone();
    call.bound(call.typed(kind))
}
