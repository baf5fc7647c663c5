//! EXTRACT, and YEAR, MONTH … which stand for it.

use arrow::datatypes::{DurationMillisecondType, Int64Type, IntervalYearMonthType};
use millstream_text::temporal::{TimeUnit, extract, extract_from_date};
use millstream_types::{Fault, TypeKind};

use super::moments::{Moments, local, session_zone};
use super::unit_of;
use crate::binding::null_of;
use crate::kernel::numbers::build;
use crate::kernel::simple;
use crate::{BoundCall, Call, Example, Function, KernelRef};

pub(in crate::functions::scalar) const FUNCTIONS: &[Function] = &[
    Function::new(
        "EXTRACT",
        "EXTRACT(unit FROM moment DATE | TIME | TIMESTAMP | TIMESTAMP_LTZ | INTERVAL) -> BIGINT",
        "A field of a date, time or interval: YEAR, QUARTER, MONTH, WEEK (ISO), DAY, DOW (1 is Sunday), ISODOW (1 is Monday), DOY, HOUR, MINUTE, SECOND, \
         MILLISECOND, MICROSECOND, NANOSECOND, ISOYEAR, DECADE, CENTURY, MILLENNIUM, EPOCH. Before 1970 the fields of the time of day are \
         negative, as in Flink.",
        &[
            Example::new("EXTRACT(WEEK FROM DATE '2021-01-01')", "53"),
            Example::new("EXTRACT(SECOND FROM TIMESTAMP '2020-02-29 13:14:15.678')", "15"),
        ],
        |c| bind(c, unit_of(c)?),
    ),
    field(
        "YEAR",
        "YEAR(moment DATE | TIMESTAMP) -> BIGINT",
        "The year.",
        &[Example::new("YEAR(DATE '1994-09-27')", "1994")],
        |c| bind(c, TimeUnit::Year),
    ),
    field(
        "QUARTER",
        "QUARTER(moment DATE | TIMESTAMP) -> BIGINT",
        "The quarter of the year, 1 to 4.",
        &[Example::new("QUARTER(DATE '1994-09-27')", "3")],
        |c| bind(c, TimeUnit::Quarter),
    ),
    field(
        "MONTH",
        "MONTH(moment DATE | TIMESTAMP) -> BIGINT",
        "The month, 1 to 12.",
        &[Example::new("MONTH(DATE '1994-09-27')", "9")],
        |c| bind(c, TimeUnit::Month),
    ),
    field(
        "WEEK",
        "WEEK(moment DATE | TIMESTAMP) -> BIGINT",
        "The ISO week of the year, 1 to 53.",
        &[Example::new("WEEK(DATE '1994-09-27')", "39")],
        |c| bind(c, TimeUnit::Week),
    ),
    field(
        "DAYOFYEAR",
        "DAYOFYEAR(moment DATE | TIMESTAMP) -> BIGINT",
        "The day of the year, 1 to 366.",
        &[Example::new("DAYOFYEAR(DATE '1994-09-27')", "270")],
        |c| bind(c, TimeUnit::Doy),
    ),
    field(
        "DAYOFMONTH",
        "DAYOFMONTH(moment DATE | TIMESTAMP) -> BIGINT",
        "The day of the month, 1 to 31.",
        &[Example::new("DAYOFMONTH(DATE '1994-09-27')", "27")],
        |c| bind(c, TimeUnit::Day),
    ),
    field(
        "DAYOFWEEK",
        "DAYOFWEEK(moment DATE | TIMESTAMP) -> BIGINT",
        "The day of the week, 1 is Sunday.",
        &[Example::new("DAYOFWEEK(DATE '1994-09-27')", "3")],
        |c| bind(c, TimeUnit::Dow),
    ),
    field(
        "HOUR",
        "HOUR(moment TIME | TIMESTAMP) -> BIGINT",
        "The hour, 0 to 23.",
        &[Example::new("HOUR(TIME '13:14:15')", "13")],
        |c| bind(c, TimeUnit::Hour),
    ),
    field(
        "MINUTE",
        "MINUTE(moment TIME | TIMESTAMP) -> BIGINT",
        "The minute, 0 to 59.",
        &[Example::new("MINUTE(TIME '13:14:15')", "14")],
        |c| bind(c, TimeUnit::Minute),
    ),
    field(
        "SECOND",
        "SECOND(moment TIME | TIMESTAMP) -> BIGINT",
        "The second, 0 to 59.",
        &[Example::new("SECOND(TIME '13:14:15')", "15")],
        |c| bind(c, TimeUnit::Second),
    ),
];

const fn field(
    name: &'static str,
    signature: &'static str,
    doc: &'static str,
    examples: &'static [Example],
    bind: fn(&Call<'_>) -> Result<BoundCall, Fault>,
) -> Function {
    Function::new(name, signature, doc, examples, bind)
}

const SIGNATURE: &str = "EXTRACT(unit FROM <DATETIME>)\nEXTRACT(unit FROM <DATETIME_INTERVAL>)";

fn bind(call: &Call<'_>, unit: TimeUnit) -> Result<BoundCall, Fault> {
    call.expect(1, 1, SIGNATURE)?;
    let argument = call.arg(0)?;
    let kind = argument.data_type.kind.plain();
    let refused = |what: String| {
        Err(Fault::user("argument-types", format!("unit {unit} can not be applied to {what} variable"))
            .at(call.span))
    };
    let sub_milli = matches!(unit, TimeUnit::Microsecond | TimeUnit::Nanosecond);
    let of_day = unit.millis().is_some_and(|m| m <= 3_600_000);
    let kernel = match &kind {
        TypeKind::Time(_) if !of_day => return refused("time".to_string()),
        TypeKind::Date if sub_milli => return refused(argument.data_type.to_string()),
        TypeKind::Date => dates(unit),
        TypeKind::Time(_) | TypeKind::Timestamp(..) | TypeKind::TimestampLtz(..) => {
            moments(unit, kind.clone())
        }
        TypeKind::IntervalYearMonth(..) if unit.months().is_some() => months(unit),
        TypeKind::IntervalDayTime(..) if unit.millis().is_some() => millis(unit),
        TypeKind::IntervalYearMonth(..) | TypeKind::IntervalDayTime(..) => {
            return refused(argument.data_type.to_string());
        }
        TypeKind::Null => {
            let argument = null_of(TypeKind::timestamp(3));
            return Ok(BoundCall::new(
                TypeKind::BigInt.nullable(),
                vec![argument],
                moments(unit, TypeKind::timestamp(3)),
            ));
        }
        _ => return Err(call.refuse(SIGNATURE)),
    };
    let result = TypeKind::BigInt.nullable().with_nullable(call.any_nullable());
    Ok(BoundCall::new(result, call.args.to_vec(), kernel))
}

fn dates(unit: TimeUnit) -> KernelRef {
    simple("EXTRACT", move |arguments, _| {
        let dates = Moments::of(arguments, 0, &TypeKind::Date)?;
        build::<Int64Type>(arguments.rows(), |row| {
            Ok(dates.get(row).and_then(|d| extract_from_date(unit, d.days)))
        })
    })
}

fn moments(unit: TimeUnit, kind: TypeKind) -> KernelRef {
    simple("EXTRACT", move |arguments, context| {
        let values = Moments::of(arguments, 0, &kind)?;
        let zone = session_zone(context)?;
        let mut zone = zone.cursor();
        build::<Int64Type>(arguments.rows(), |row| {
            Ok(values.get(row).map(|m| extract(unit, local(m, &kind, &mut zone))))
        })
    })
}

/// A field of an interval of months.
fn months(unit: TimeUnit) -> KernelRef {
    simple("EXTRACT", move |arguments, _| {
        let values = arguments.numbers::<IntervalYearMonthType>(0)?;
        let size = unit.months().unwrap_or(1);
        build::<Int64Type>(arguments.rows(), |row| {
            Ok(values.get(row).map(|v| {
                let v = i64::from(v);
                match unit {
                    TimeUnit::Month => v % 12,
                    TimeUnit::Quarter => v % 12 / 3 + 1,
                    _ => v / size,
                }
            }))
        })
    })
}

/// A field of an interval of milliseconds.
fn millis(unit: TimeUnit) -> KernelRef {
    simple("EXTRACT", move |arguments, _| {
        let values = arguments.numbers::<DurationMillisecondType>(0)?;
        let size = unit.millis().unwrap_or(1);
        let whole = match unit {
            TimeUnit::Hour => 86_400_000,
            TimeUnit::Minute => 3_600_000,
            TimeUnit::Second => 60_000,
            TimeUnit::Millisecond => 1000,
            _ => i64::MAX,
        };
        build::<Int64Type>(arguments.rows(), |row| Ok(values.get(row).map(|v| v % whole / size)))
    })
}
