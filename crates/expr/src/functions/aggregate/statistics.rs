//! Deviation, variance, percentiles.

use millstream_types::{DataType, Fault, TypeKind};

use super::basic::{average_kind, numeric};
use super::{AggregateCall, AggregateFunction, AggregateKind, BoundAggregate};
use crate::Origin;
use crate::binding::convert;

const fn spread(
    name: &'static str,
    aliases: &'static [&'static str],
    signature: &'static str,
    doc: &'static str,
) -> AggregateFunction {
    AggregateFunction {
        name,
        aliases,
        signature,
        doc,
        origin: Origin::Flink,
        kind: AggregateKind::Group,
        distinct: true,
        ordered: false,
        bind: deviation,
    }
}

pub(super) const FUNCTIONS: &[AggregateFunction] = &[
    spread(
        "STDDEV_POP",
        &[],
        "STDDEV_POP([DISTINCT] value NUMERIC) -> type of value",
        "The standard deviation of the population, in the type of the values.",
    ),
    spread(
        "STDDEV_SAMP",
        &["STDDEV"],
        "STDDEV_SAMP([DISTINCT] value NUMERIC) -> type of value",
        "The standard deviation of a sample; NULL for fewer than two values.",
    ),
    spread(
        "VAR_POP",
        &[],
        "VAR_POP([DISTINCT] value NUMERIC) -> type of value",
        "The variance of the population, in the type of the values.",
    ),
    spread(
        "VAR_SAMP",
        &["VARIANCE"],
        "VAR_SAMP([DISTINCT] value NUMERIC) -> type of value",
        "The variance of a sample; NULL for fewer than two values.",
    ),
    AggregateFunction {
        name: "PERCENTILE",
        aliases: &[],
        signature: "PERCENTILE(value NUMERIC, share DOUBLE [, frequency INT]) -> DOUBLE\n\
                    PERCENTILE(value NUMERIC, shares ARRAY<DOUBLE> [, frequency INT]) -> ARRAY<DOUBLE>",
        doc: "The value below which a share (0 to 1) of the values lies, interpolated. A frequency counts a value several times.",
        origin: Origin::Flink,
        kind: AggregateKind::Group,
        distinct: true,
        ordered: false,
        bind: percentile,
    },
];

fn deviation(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    let form = format!("{}(<NUMERIC>)", call.name.to_uppercase());
    let kind = average_kind(numeric(call, &form)?);
    call.bound(call.typed(kind))
}

fn percentile(call: &AggregateCall<'_>) -> Result<BoundAggregate, Fault> {
    const FORM: &str = "PERCENTILE(<NUMERIC>, <NUMERIC or ARRAY<NUMERIC>> [, <INTEGER>])";
    let scalar = call.scalar();
    scalar.expect(2, 3, FORM)?;
    scalar.no_bare_null()?;
    let value = scalar.number(0, TypeKind::Double, FORM)?;
    let share = scalar.arg(1)?;
    let (share, data_type) = match &share.data_type.kind {
        k if k.is_numeric() => (convert(share.clone(), TypeKind::Double), DataType::double()),
        TypeKind::Array(e) if e.kind.is_numeric() => {
            let shares = TypeKind::Array(Box::new(DataType::double().with_nullable(e.nullable)));
            (convert(share.clone(), shares), DataType::array(DataType::double()))
        }
        _ => return Err(scalar.refuse(FORM)),
    };
    let mut args = vec![value, share];
    if call.args.len() == 3 {
        args.push(scalar.number(2, TypeKind::BigInt, FORM)?);
    }
    Ok(BoundAggregate { data_type, args })
}
