//! TIMESTAMPADD.

use arrow::datatypes::Int64Type;
use millstream_text::temporal::{DateTime, TimeUnit, add_months};
use millstream_types::{DataType, Fault, TypeKind};

use super::moments::{Moments, build_moments};
use super::unit_of;
use crate::kernel::simple;
use crate::{BoundCall, Call, Example, Function};

pub(in crate::functions::scalar) const FUNCTIONS: &[Function] = &[Function::new(
    "TIMESTAMPADD",
    "TIMESTAMPADD(unit, count INTEGER, moment DATE | TIME | TIMESTAMP | TIMESTAMP_LTZ) -> type of moment",
    "The moment so many units later. A DATE becomes a TIMESTAMP(6) where the unit is less than a day; a day that the month does not have becomes its \
     last one.",
    &[
        Example::new("TIMESTAMPADD(MONTH, -13, DATE '2020-03-31')", "2019-02-28"),
        Example::new("TIMESTAMPADD(HOUR, -13, DATE '2020-03-31')", "2020-03-30 11:00:00.000000"),
    ],
    bind,
)];

const SIGNATURE: &str = "TIMESTAMPADD(<TIME_UNIT>, <INTEGER>, <DATETIME>)";

fn bind(call: &Call<'_>) -> Result<BoundCall, Fault> {
    call.expect(2, 2, SIGNATURE)?;
    call.no_bare_null()?;
    let unit = unit_of(call)?;
    let count = call.number(0, TypeKind::BigInt, SIGNATURE)?;
    let moment = call.arg(1)?;
    let kind = moment.data_type.kind.plain();
    let step = Step::of(unit).ok_or_else(|| call.refuse(SIGNATURE))?;
    let result = match (&kind, &step) {
        (TypeKind::Date, Step::Nanos(n)) if *n < DAY_NANOS => TypeKind::timestamp(6),
        (TypeKind::Date, _) => TypeKind::Date,
        // Months do nothing to a time of day.
        (TypeKind::Time(_), Step::Months(_)) => kind.clone(),
        (TypeKind::Time(_), Step::Nanos(n)) if n % SECOND_NANOS == 0 => kind.clone(),
        // Flink adds micro- and nanoseconds to nothing but a DATE, and milliseconds to no TIME.
        (_, Step::Nanos(n)) if n % MILLI_NANOS != 0 => return Err(call.refuse(SIGNATURE)),
        (TypeKind::Timestamp(p, _), _) => TypeKind::timestamp((*p).max(step.precision())),
        (TypeKind::TimestampLtz(p, _), _) => TypeKind::timestamp_ltz((*p).max(step.precision())),
        _ => return Err(call.refuse(SIGNATURE)),
    };
    let data_type = DataType { kind: result.clone(), nullable: call.any_nullable() };
    let args = vec![count, moment.clone()];
    let time_of_day = matches!(kind, TypeKind::Time(_));
    let kernel = simple("TIMESTAMPADD", move |arguments, _| {
        let counts = arguments.numbers::<Int64Type>(0)?;
        let moments = Moments::of(arguments, 1, &kind)?;
        build_moments(arguments.rows(), &result, |row| {
            let (Some(count), Some(moment)) = (counts.get(row), moments.get(row)) else { return Ok(None) };
            Ok(Some(step.added(moment, count, time_of_day)))
        })
    });
    Ok(BoundCall::new(data_type, args, kernel).fallible())
}

const DAY_NANOS: i64 = 86_400_000_000_000;
const SECOND_NANOS: i64 = 1_000_000_000;
const MILLI_NANOS: i64 = 1_000_000;

/// What one unit adds.
enum Step {
    Months(i64),
    Nanos(i64),
}

impl Step {
    fn of(unit: TimeUnit) -> Option<Step> {
        if let Some(months) = unit.months().filter(|_| unit != TimeUnit::IsoYear) {
            return Some(Step::Months(months));
        }
        Some(Step::Nanos(match unit {
            TimeUnit::Microsecond => 1000,
            TimeUnit::Nanosecond => 1,
            _ => unit.millis()? * 1_000_000,
        }))
    }

    /// Digits of a fraction that a unit asks for.
    fn precision(&self) -> u8 {
        match self {
            Step::Nanos(n) if n % 1_000_000_000 == 0 => 0,
            Step::Nanos(n) if n % 1_000_000 == 0 => 3,
            Step::Nanos(n) if n % 1000 == 0 => 6,
            Step::Nanos(_) => 9,
            Step::Months(_) => 0,
        }
    }

    fn added(&self, moment: DateTime, count: i64, time_of_day: bool) -> DateTime {
        match self {
            // Held where it is beyond every column, so that the result is out of range and nothing overflows.
            Step::Months(_) if time_of_day => moment,
            Step::Months(months) => {
                add_months(moment, count.saturating_mul(*months).clamp(-120_000_000, 120_000_000))
            }
            Step::Nanos(nanos) => {
                let total = i128::from(moment.nanos) + i128::from(count) * i128::from(*nanos);
                let days = i128::from(moment.days) + total.div_euclid(i128::from(DAY_NANOS));
                DateTime {
                    days: days.clamp(i128::from(i32::MIN), i128::from(i32::MAX)) as i64,
                    nanos: total.rem_euclid(i128::from(DAY_NANOS)) as i64,
                }
            }
        }
    }
}
