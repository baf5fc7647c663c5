//! Distances between moments: TIMESTAMPDIFF, `(a - b) DAY`, OVERLAPS.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{DurationMillisecondType, Int32Type, Int64Type, IntervalYearMonthType};
use millstream_text::temporal::{DateTime, TimeUnit, months_between};
use millstream_types::{DataType, Fault, TypeKind};

use super::moments::Moments;
use super::unit_of;
use crate::functions::call_expr;
use crate::kernel::numbers::{build, build_array};
use crate::kernel::{booleans, simple};
use crate::{BoundCall, Call, Example, Expr, Function};

pub(in crate::functions::scalar) const FUNCTIONS: &[Function] = &[
    Function::new(
        "TIMESTAMPDIFF",
        "TIMESTAMPDIFF(unit, from DATETIME, to DATETIME) -> INT; BIGINT for NANOSECOND",
        "The whole units from one moment to another, negative when that is earlier.",
        &[
            Example::new("TIMESTAMPDIFF(DAY, DATE '2020-02-29', DATE '2019-02-28')", "-366"),
            Example::new("TIMESTAMPDIFF(MONTH, DATE '2020-01-31', DATE '2020-02-29')", "1"),
        ],
        timestamp_diff,
    ),
    Function::new(
        "OVERLAPS",
        "(start DATETIME, end DATETIME | INTERVAL) OVERLAPS (start DATETIME, end DATETIME | INTERVAL) -> BOOLEAN",
        "Whether two periods have a moment in common, their ends included. The bounds of a period may come in either order.",
        &[Example::new(
            "(DATE '2020-01-01', DATE '2020-01-10') OVERLAPS (DATE '2020-01-05', DATE '2020-01-06')",
            "TRUE",
        )],
        overlaps,
    ),
];

/// Two moments that can be compared: both instants, both times of day, or both dates or local timestamps.
fn comparable(a: &TypeKind, b: &TypeKind) -> bool {
    let family = |k: &TypeKind| match k {
        TypeKind::Date | TypeKind::Timestamp(..) => Some(0),
        TypeKind::TimestampLtz(..) => Some(1),
        TypeKind::Time(_) => Some(2),
        _ => None,
    };
    family(a).is_some() && family(a) == family(b)
}

fn timestamp_diff(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const SIGNATURE: &str = "TIMESTAMPDIFF(<TIME_UNIT>, <DATETIME>, <DATETIME>)";
    call.expect(2, 2, SIGNATURE)?;
    call.no_bare_null()?;
    let unit = unit_of(call)?;
    let (from, to) = (call.arg(0)?.data_type.kind.plain(), call.arg(1)?.data_type.kind.plain());
    let months = unit.months().filter(|_| unit != TimeUnit::IsoYear);
    let times = matches!(from, TypeKind::Time(_));
    let fine = matches!(unit, TimeUnit::Microsecond | TimeUnit::Nanosecond);
    let known = (months.is_some() && !times) || unit.millis().is_some() || fine;
    if !comparable(&from, &to) || !known {
        return Err(call.refuse(SIGNATURE));
    }
    if unit == TimeUnit::Nanosecond {
        let kernel = simple("TIMESTAMPDIFF", move |arguments, _| {
            let (a, b) = (Moments::of(arguments, 0, &from)?, Moments::of(arguments, 1, &to)?);
            build::<Int64Type>(arguments.rows(), |row| {
                Ok(a.get(row).zip(b.get(row)).map(|(a, b)| {
                    let days = b.days.wrapping_sub(a.days).wrapping_mul(86_400_000_000_000);
                    days.wrapping_add(b.nanos - a.nanos)
                }))
            })
        });
        let result = TypeKind::BigInt.nullable().with_nullable(call.any_nullable());
        return Ok(BoundCall::new(result, call.args.to_vec(), kernel));
    }
    let kernel = simple("TIMESTAMPDIFF", move |arguments, _| {
        let (a, b) = (Moments::of(arguments, 0, &from)?, Moments::of(arguments, 1, &to)?);
        build::<Int32Type>(arguments.rows(), |row| {
            let (Some(a), Some(b)) = (a.get(row), b.get(row)) else { return Ok(None) };
            let units = match (months, unit.millis()) {
                (Some(months), _) => months_between(b.millis(), a.millis()) / months,
                (_, Some(millis)) => b.millis().wrapping_sub(a.millis()) / millis,
                _ => b.micros().unwrap_or(0).wrapping_sub(a.micros().unwrap_or(0)),
            };
            // INT wraps, as all arithmetic of integers.
            Ok(Some(units as i32))
        })
    });
    let result = TypeKind::Int.nullable().with_nullable(call.any_nullable());
    Ok(BoundCall::new(result, call.args.to_vec(), kernel))
}

/// `(to - from) unit`: the time from one moment to another, an interval of months where the unit is YEAR or MONTH,
/// else of milliseconds.
///
/// # Errors
/// User, for other types.
pub(in crate::functions::scalar) fn difference(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const SIGNATURE: &str = "(<DATETIME> - <DATETIME>) <INTERVAL QUALIFIER>";
    call.expect(2, 2, SIGNATURE)?;
    call.no_bare_null()?;
    let months = unit_of(call)?.months().is_some();
    let (to, from) = (call.arg(0)?.data_type.kind.plain(), call.arg(1)?.data_type.kind.plain());
    let mixed = matches!(to, TypeKind::Date) != matches!(from, TypeKind::Date);
    if !comparable(&to, &from) || mixed || (months && matches!(to, TypeKind::Time(_))) {
        return Err(call.refuse(SIGNATURE));
    }
    let kind = if months { TypeKind::interval_months() } else { TypeKind::interval_seconds() };
    let data_type = DataType { kind: kind.clone(), nullable: call.any_nullable() };
    let kernel = simple("-", move |arguments, _| {
        let (to, from) = (Moments::of(arguments, 0, &to)?, Moments::of(arguments, 1, &from)?);
        let both = |row| Some((to.get(row)?.millis(), from.get(row)?.millis()));
        if months {
            return build::<IntervalYearMonthType>(arguments.rows(), |row| {
                Ok(both(row).map(|(to, from)| months_between(to, from) as i32))
            });
        }
        let array = build_array::<DurationMillisecondType>(arguments.rows(), |row| {
            Ok(both(row).map(|(to, from)| to.wrapping_sub(from)))
        })?;
        Ok(Arc::new(array) as ArrayRef)
    });
    Ok(BoundCall::new(data_type, call.args.to_vec(), kernel))
}

type Period = (Option<DateTime>, Option<DateTime>);

/// The bounds of a period, the earlier first. As in Flink, an unknown bound counts as the begin.
fn ordered(a: Option<DateTime>, b: Option<DateTime>) -> Period {
    match (a, b) {
        (Some(x), Some(y)) if x <= y => (a, b),
        _ => (b, a),
    }
}

fn overlaps(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const SIGNATURE: &str =
        "(<DATETIME>, <DATETIME | INTERVAL>) OVERLAPS (<DATETIME>, <DATETIME | INTERVAL>)";
    call.expect(4, 4, SIGNATURE)?;
    call.no_bare_null()?;
    let mut args: Vec<Expr> = Vec::with_capacity(4);
    for (start, end) in [(0, 1), (2, 3)] {
        let (start, end) = (call.arg(start)?, call.arg(end)?);
        args.push(start.clone());
        args.push(if end.data_type.kind.is_interval() {
            call_expr("+", &[start.clone(), end.clone()], &[], call.span, call.context)?
        } else {
            end.clone()
        });
    }
    let kinds: Vec<TypeKind> = args.iter().map(|a| a.data_type.kind.plain()).collect();
    let Some(first) = kinds.first() else { return Err(call.refuse(SIGNATURE)) };
    if !kinds.iter().all(|k| comparable(first, k)) {
        return Err(call.refuse(SIGNATURE));
    }
    // Dates beside timestamps are their midnights; nothing has to be converted for that.
    let kernel = simple("OVERLAPS", move |arguments, _| {
        let moments = kinds
            .iter()
            .enumerate()
            .map(|(i, kind)| Moments::of(arguments, i, kind))
            .collect::<Result<Vec<_>, _>>()?;
        booleans::build(arguments.rows(), |row| {
            let mut values = moments.iter().map(|m| m.get(row));
            let mut next = || values.next().flatten();
            let (first, second) = (ordered(next(), next()), ordered(next(), next()));
            // AND of two comparisons, each unknown where one of its sides is.
            let reaches = |(_, end): Period, (start, _): Period| Some(end? >= start?);
            Ok(match (reaches(first, second), reaches(second, first)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            })
        })
    });
    let nullable = args.iter().any(|a| a.data_type.nullable);
    Ok(BoundCall::new(TypeKind::Boolean.nullable().with_nullable(nullable), args, kernel))
}
