//! Groups as JSON text.

use millstream_types::{Fault, TypeKind};

use super::{AggregateCall, AggregateFunction, AggregateKind, BoundAggregate};
use crate::Origin;

pub(super) const FUNCTIONS: &[AggregateFunction] = &[
    AggregateFunction {
        name: "JSON_OBJECTAGG",
        aliases: &[],
        signature: "JSON_OBJECTAGG([KEY] key STRING VALUE value ANY [{NULL|ABSENT} ON NULL]) -> STRING",
        doc: "The keys and values as a JSON object. NULL values are kept unless ABSENT ON NULL is written.",
        origin: Origin::Flink,
        kind: AggregateKind::Group,
        distinct: false,
        ordered: false,
        bind: object,
    },
    AggregateFunction {
        name: "JSON_ARRAYAGG",
        aliases: &[],
        signature: "JSON_ARRAYAGG(value ANY [{NULL|ABSENT} ON NULL]) -> STRING",
        doc: "The values as a JSON array. NULL values are left out unless NULL ON NULL is written.",
        origin: Origin::Flink,
        kind: AggregateKind::Group,
        distinct: false,
        ordered: false,
        bind: array,
    },
];

/// Flink's planner declares the text as VARCHAR(2000), though it is never cut.
const TEXT: TypeKind = TypeKind::VarChar(2000);

fn object(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    const FORM: &str = "JSON_OBJECTAGG(KEY <CHARACTER> VALUE <ANY>)";
    call.scalar().expect(2, 2, FORM)?;
    call.scalar().string(0, FORM)?;
    call.bound(TEXT.not_null())
}

fn array(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    call.scalar().expect(1, 1, "JSON_ARRAYAGG(<ANY>)")?;
    call.bound(TEXT.not_null())
}
