//! FLOOR and CEIL of dates and times to a unit.

use millstream_text::temporal::{DateTime, TimeUnit, ceil_date, ceil_millis, floor_date, floor_millis};
use millstream_types::{Fault, TypeKind};

use super::moments::{Moments, build_moments, session_zone};
use super::unit_of;
use crate::kernel::simple;
use crate::{BoundCall, Call};

/// `FLOOR(moment TO unit)` and `CEIL(moment TO unit)`: the moment's type is kept.
///
/// # Errors
/// User, for another type or a unit that nothing is rounded to.
pub(in crate::functions::scalar) fn round(call: &Call<'_>, floor: bool) -> Result<BoundCall, Fault> {
    let name = if floor { "FLOOR" } else { "CEIL" };
    let signature = format!("{name}(<DATETIME> TO <TIME_UNIT>)");
    call.expect(1, 1, &signature)?;
    let unit = unit_of(call)?;
    let data_type = call.arg(0)?.data_type.plain();
    let kind = data_type.kind.clone();
    if !kind.is_datetime() {
        return Err(call.refuse(&signature));
    }
    let fine = matches!(unit, TimeUnit::Microsecond | TimeUnit::Nanosecond);
    // A date has nothing below its day.
    let kept = fine && kind == TypeKind::Date;
    if !kept && unit.millis().is_none() && (unit.months().is_none() || unit == TimeUnit::IsoYear) {
        let fault = Fault::user("argument-types", format!("{name} cannot round to {unit}"));
        return Err(fault.at(call.span).hint("units are MILLENNIUM, CENTURY, DECADE, YEAR, QUARTER, MONTH, WEEK, DAY, HOUR, MINUTE, SECOND and MILLISECOND"));
    }
    let kernel = simple(name, move |arguments, context| {
        let values = Moments::of(arguments, 0, &kind)?;
        let zone = session_zone(context)?;
        let mut zone = zone.cursor();
        build_moments(arguments.rows(), &kind, |row| {
            let Some(moment) = values.get(row) else { return Ok(None) };
            Ok(Some(match kind {
                _ if kept => moment,
                TypeKind::Date => DateTime { days: round_days(unit, moment.days, floor), nanos: 0 },
                // Flink takes the milliseconds of a TIME for days where the unit is a day or more.
                TypeKind::Time(_) if unit.millis().is_none_or(|m| m >= 86_400_000) => {
                    DateTime::from_millis(round_days(unit, moment.millis(), floor).rem_euclid(86_400_000))
                }
                TypeKind::TimestampLtz(..) => {
                    let offset = i64::from(zone.offset_at(moment.seconds().0)) * 1000;
                    DateTime::from_millis(round_millis(unit, moment.millis() + offset, floor) - offset)
                }
                _ => DateTime::from_millis(round_millis(unit, moment.millis(), floor)),
            }))
        })
    });
    Ok(BoundCall::new(data_type, call.args.to_vec(), kernel))
}

fn round_days(unit: TimeUnit, days: i64, floor: bool) -> i64 {
    if floor { floor_date(unit, days) } else { ceil_date(unit, days) }
}

fn round_millis(unit: TimeUnit, millis: i64, floor: bool) -> i64 {
    if floor { floor_millis(unit, millis) } else { ceil_millis(unit, millis) }
}
