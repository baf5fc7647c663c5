//! Functions of a row's position in its window, and GROUPING.

use millstream_types::{DataType, Fault, TypeKind};

use super::{AggregateCall, AggregateFunction, AggregateKind, BoundAggregate};
use crate::Origin;
use crate::binding::convert;

const fn window(
    name: &'static str,
    signature: &'static str,
    doc: &'static str,
    bind: fn(&AggregateCall<'_>) -> Result<BoundAggregate, Fault>,
) -> AggregateFunction {
    AggregateFunction {
        name,
        aliases: &[],
        signature,
        doc,
        origin: Origin::Flink,
        kind: AggregateKind::Window,
        distinct: false,
        ordered: false,
        bind,
    }
}

pub(super) const FUNCTIONS: &[AggregateFunction] = &[
    window("ROW_NUMBER", "ROW_NUMBER() -> BIGINT", "The row's number in its window, from 1.", rank),
    window("RANK", "RANK() -> BIGINT", "One more than the number of rows before the row's equals.", rank),
    window("DENSE_RANK", "DENSE_RANK() -> BIGINT", "As RANK, without gaps.", rank),
    window(
        "PERCENT_RANK",
        "PERCENT_RANK() -> DOUBLE",
        "The row's rank less one, divided by the number of rows less one.",
        share,
    ),
    window(
        "CUME_DIST",
        "CUME_DIST() -> DOUBLE",
        "The share of rows that come before the row or equal it.",
        share,
    ),
    window(
        "NTILE",
        "NTILE(buckets INT) -> BIGINT",
        "The bucket of the row, from 1, when the window is cut into this many of equal size.",
        ntile,
    ),
    window(
        "LAG",
        "LAG(value ANY [, offset INT [, default ANY]]) -> type of value",
        "The value some rows before (1 by default), or the default where there is no such row.",
        shifted,
    ),
    window(
        "LEAD",
        "LEAD(value ANY [, offset INT [, default ANY]]) -> type of value",
        "The value some rows after (1 by default), or the default where there is no such row.",
        shifted,
    ),
    AggregateFunction {
        name: "GROUPING",
        aliases: &["GROUPING_ID"],
        signature: "GROUPING(key ANY, ...) -> BIGINT",
        doc: "A bit for each key, the first one highest: 1 where the grouping set leaves the key out.",
        origin: Origin::Flink,
        kind: AggregateKind::Grouping,
        distinct: false,
        ordered: false,
        bind: grouping,
    },
];

fn rank(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    call.scalar().expect(0, 0, &format!("{}()", call.name.to_uppercase()))?;
    call.bound(TypeKind::BigInt.not_null())
}

fn share(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    call.scalar().expect(0, 0, &format!("{}()", call.name.to_uppercase()))?;
    call.bound(TypeKind::Double.not_null())
}

fn ntile(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    const FORM: &str = "NTILE(<INTEGER literal, at least 1>)";
    let scalar = call.scalar();
    scalar.expect(1, 1, FORM)?;
    let buckets = scalar.arg(0)?;
    if !buckets.data_type.kind.is_integer()
        || buckets.as_literal().and_then(|v| v.as_int()).is_none_or(|n| n < 1)
    {
        return Err(scalar.refuse(FORM));
    }
    call.bound(TypeKind::BigInt.not_null())
}

fn shifted(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    let form = format!("{}(<ANY> [, <INTEGER> [, <ANY>]])", call.name.to_uppercase());
    let scalar = call.scalar();
    scalar.expect(1, 3, &form)?;
    scalar.no_bare_null()?;
    let value = scalar.arg(0)?;
    let mut args = vec![value.clone()];
    if call.args.len() > 1 {
        args.push(scalar.number(1, TypeKind::Int, &form)?);
    }
    let mut data_type: DataType = value.data_type.clone().with_nullable(true);
    if let Some(default) = call.args.get(2) {
        let types = [value.data_type.clone(), default.data_type.clone()];
        let common = crate::coerce::common_type(&types).ok_or_else(|| scalar.refuse(&form))?;
        args = std::iter::once(convert(value.clone(), common.kind.clone()))
            .chain(args.into_iter().skip(1))
            .collect();
        args.push(convert(default.clone(), common.kind.clone()));
        // As Flink's planner derives it: a default that is not NULL makes the result NOT NULL, whatever the values are.
        data_type = common.with_nullable(default.data_type.nullable);
    }
    Ok(BoundAggregate { data_type, args })
}

fn grouping(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    call.scalar().expect(1, 63, "GROUPING(<key>, ...)")?;
    call.bound(TypeKind::BigInt.not_null())
}
