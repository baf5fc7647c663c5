//! Columns of dates, times and timestamps in and out.

use std::sync::Arc;

use arrow::array::ArrayRef;
use arrow::datatypes::{
    Date32Type, Time32MillisecondType, TimestampMicrosecondType, TimestampNanosecondType,
};
use millstream_text::temporal::{DateTime, Zone, ZoneCursor};
use millstream_types::{Fault, TypeKind};

use crate::kernel::Arguments;
use crate::kernel::numbers::{Numbers, build, build_array};
use crate::{EvalContext, EvalError};

/// A column of DATE, TIME, TIMESTAMP or TIMESTAMP_LTZ. A DATE is its midnight, a TIME is on 1970-01-01.
pub(super) enum Moments<'a> {
    Date(Numbers<'a, Date32Type>),
    Time(Numbers<'a, Time32MillisecondType>),
    Micros(Numbers<'a, TimestampMicrosecondType>),
    Nanos(Numbers<'a, TimestampNanosecondType>),
}

impl<'a> Moments<'a> {
    /// A view of an argument of a type.
    pub(super) fn of(arguments: &Arguments<'a>, index: usize, kind: &TypeKind) -> Result<Self, Fault> {
        Ok(match kind {
            TypeKind::Date => Moments::Date(arguments.numbers(index)?),
            TypeKind::Time(_) => Moments::Time(arguments.numbers(index)?),
            _ if kind.counts_nanos() => Moments::Nanos(arguments.numbers(index)?),
            _ => Moments::Micros(arguments.numbers(index)?),
        })
    }

    /// The date and time at a row, or NULL; of a TIMESTAMP_LTZ in UTC.
    #[inline]
    pub(super) fn get(&self, row: usize) -> Option<DateTime> {
        Some(match self {
            Moments::Date(n) => DateTime { days: i64::from(n.get(row)?), nanos: 0 },
            Moments::Time(n) => DateTime::from_millis(i64::from(n.get(row)?)),
            Moments::Micros(n) => DateTime::from_micros(n.get(row)?),
            Moments::Nanos(n) => DateTime::from_nanos(n.get(row)?),
        })
    }
}

/// A column of a type from a function of the row, which gives instants in UTC for TIMESTAMP_LTZ. Digits behind the
/// type's precision are kept as far as the column can, as in Flink: they only do not show.
pub(super) fn build_moments(
    rows: usize,
    kind: &TypeKind,
    mut value: impl FnMut(usize) -> Result<Option<DateTime>, EvalError>,
) -> Result<ArrayRef, EvalError> {
    match kind {
        TypeKind::Date => build::<Date32Type>(rows, |row| {
            let Some(t) = value(row)? else { return Ok(None) };
            i32::try_from(t.days).map(Some).map_err(|_| out_of_range(row, kind))
        }),
        TypeKind::Time(_) => {
            build::<Time32MillisecondType>(rows, |row| Ok(value(row)?.map(|t| (t.nanos / 1_000_000) as i32)))
        }
        _ if kind.counts_nanos() => {
            let array = build_array::<TimestampNanosecondType>(rows, |row| {
                let Some(t) = value(row)? else { return Ok(None) };
                t.nanos_since_epoch().map(Some).ok_or_else(|| out_of_range(row, kind))
            })?;
            Ok(Arc::new(array.with_data_type(kind.to_arrow())))
        }
        _ => {
            let array = build_array::<TimestampMicrosecondType>(rows, |row| {
                let Some(t) = value(row)? else { return Ok(None) };
                t.micros().map(Some).ok_or_else(|| out_of_range(row, kind))
            })?;
            Ok(Arc::new(array.with_data_type(kind.to_arrow())))
        }
    }
}

fn out_of_range(row: usize, kind: &TypeKind) -> EvalError {
    let fault = Fault::user("out-of-range", format!("the result is out of the range of {kind}"));
    let hint = "a precision of at most 6 reaches all years, more digits reach from 1677 to 2262";
    EvalError::at_row(row, fault.hint(hint))
}

/// The session's zone.
pub(super) fn session_zone(context: &EvalContext) -> Result<Zone, Fault> {
    Zone::of(&context.zone)
}

/// The local time of a moment: a TIMESTAMP_LTZ is moved to the zone, all else is local.
pub(super) fn local(moment: DateTime, kind: &TypeKind, zone: &mut ZoneCursor<'_>) -> DateTime {
    if matches!(kind, TypeKind::TimestampLtz(..)) { zone.to_local(moment) } else { moment }
}
