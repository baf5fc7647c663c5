//! Groups as one value: LISTAGG, COLLECT, ARRAY_AGG.

use millstream_types::{DataType, Fault, TypeKind};

use super::{AggregateCall, AggregateFunction, AggregateKind, BoundAggregate};
use crate::Origin;

pub(super) const FUNCTIONS: &[AggregateFunction] = &[
    AggregateFunction {
        name: "LISTAGG",
        aliases: &[],
        signature: "LISTAGG([DISTINCT] value STRING [, separator STRING literal]) [WITHIN GROUP (ORDER BY ...)] -> STRING",
        doc: "The values that are not NULL, joined by the separator, `,` by default.",
        origin: Origin::Flink,
        kind: AggregateKind::Group,
        distinct: true,
        ordered: true,
        bind: listagg,
    },
    AggregateFunction {
        name: "COLLECT",
        aliases: &[],
        signature: "COLLECT([DISTINCT] value ANY) -> MULTISET",
        doc: "The values that are not NULL, as a multiset; empty if there is none.",
        origin: Origin::Flink,
        kind: AggregateKind::Group,
        distinct: true,
        ordered: false,
        bind: collect,
    },
    AggregateFunction {
        name: "ARRAY_AGG",
        aliases: &[],
        signature: "ARRAY_AGG([DISTINCT] value ANY [ORDER BY ...]) -> ARRAY",
        doc: "The values as an array, NULLs too (RESPECT NULLS) unless IGNORE NULLS is written; NULL if there is no row.",
        origin: Origin::Flink,
        kind: AggregateKind::Group,
        distinct: true,
        ordered: true,
        bind: array_agg,
    },
];

fn listagg(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    const FORM: &str = "LISTAGG(<CHARACTER> [, <CHARACTER literal>])";
    let scalar = call.scalar();
    scalar.expect(1, 2, FORM)?;
    scalar.no_bare_null()?;
    for i in 0..call.args.len() {
        scalar.string(i, FORM)?;
    }
    if call.args.len() == 2 && scalar.literal_text(1).is_none() {
        return Err(scalar.refuse(FORM));
    }
    call.bound(call.typed(TypeKind::STRING).with_nullable(true))
}

fn collect(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    let element = element(call)?;
    call.bound(TypeKind::Multiset(Box::new(element)).not_null())
}

fn array_agg(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    let element = element(call)?;
    call.bound(DataType::array(element))
}

fn element(call: &AggregateCall<'_>) -> Result<DataType, Fault> {
    call.scalar().expect(1, 1, &format!("{}(<ANY>)", call.name.to_uppercase()))?;
    call.scalar().no_bare_null()?;
    Ok(call.scalar().arg(0)?.data_type.plain())
}
