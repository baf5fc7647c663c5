//! Groups as bitmaps of INTs.

use millstream_types::{Fault, TypeKind};

use super::{AggregateCall, AggregateFunction, AggregateKind, BoundAggregate};
use crate::Origin;

const fn of(
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
        kind: AggregateKind::Group,
        distinct: false,
        ordered: false,
        bind,
    }
}

pub(super) const FUNCTIONS: &[AggregateFunction] = &[
    of("BITMAP_BUILD_AGG", "BITMAP_BUILD_AGG(value INT) -> BITMAP", "The bitmap of the values.", build),
    of(
        "BITMAP_BUILD_CARDINALITY_AGG",
        "BITMAP_BUILD_CARDINALITY_AGG(value INT) -> BIGINT",
        "The number of values in the bitmap of the values.",
        build_count,
    ),
    of(
        "BITMAP_AND_AGG",
        "BITMAP_AND_AGG(bitmap BITMAP) -> BITMAP",
        "The values in all of the bitmaps.",
        merge,
    ),
    of("BITMAP_OR_AGG", "BITMAP_OR_AGG(bitmap BITMAP) -> BITMAP", "The values in any of the bitmaps.", merge),
    of(
        "BITMAP_XOR_AGG",
        "BITMAP_XOR_AGG(bitmap BITMAP) -> BITMAP",
        "The values in an odd number of the bitmaps.",
        merge,
    ),
    of(
        "BITMAP_AND_CARDINALITY_AGG",
        "BITMAP_AND_CARDINALITY_AGG(bitmap BITMAP) -> BIGINT",
        "The number of values in all of the bitmaps.",
        merge_count,
    ),
    of(
        "BITMAP_OR_CARDINALITY_AGG",
        "BITMAP_OR_CARDINALITY_AGG(bitmap BITMAP) -> BIGINT",
        "The number of values in any of the bitmaps.",
        merge_count,
    ),
    of(
        "BITMAP_XOR_CARDINALITY_AGG",
        "BITMAP_XOR_CARDINALITY_AGG(bitmap BITMAP) -> BIGINT",
        "The number of values in an odd number of the bitmaps.",
        merge_count,
    ),
];

fn build(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    Ok(BoundAggregate { data_type: TypeKind::Bitmap.nullable(), args: integers(call)? })
}

fn build_count(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    Ok(BoundAggregate { data_type: TypeKind::BigInt.nullable(), args: integers(call)? })
}

fn integers(call: &AggregateCall<'_>) -> Result<Vec<crate::Expr>, Fault> {
    let form = format!("{}(<INTEGER>)", call.name.to_uppercase());
    call.scalar().expect(1, 1, &form)?;
    if matches!(call.scalar().arg(0)?.data_type.kind, TypeKind::BigInt) {
        return Err(call.scalar().refuse(&form));
    }
    Ok(vec![call.scalar().number(0, TypeKind::Int, &form)?])
}

fn merge(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    bitmap(call)?;
    call.bound(TypeKind::Bitmap.nullable())
}

fn merge_count(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    bitmap(call)?;
    call.bound(TypeKind::BigInt.nullable())
}

fn bitmap(call: &AggregateCall<'_>) -> Result<(), Fault> {
    let form = format!("{}(<BITMAP>)", call.name.to_uppercase());
    call.scalar().expect(1, 1, &form)?;
    match call.scalar().arg(0)?.data_type.kind {
        TypeKind::Bitmap | TypeKind::Null => Ok(()),
        _ => Err(call.scalar().refuse(&form)),
    }
}
