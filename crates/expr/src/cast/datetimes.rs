//! To DATE, TIME, TIMESTAMP and TIMESTAMP_LTZ.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    Date32Type, Time32MillisecondType, TimestampMicrosecondType, TimestampNanosecondType,
};
use millstream_text::temporal::{DateTime, Zone, parse_date, parse_time, parse_timestamp};
use millstream_types::{Fault, TypeKind};

use super::strings::instant;
use super::{Rules, unreadable};
use crate::EvalError;
use crate::kernel::numbers::{build, build_array};

const DAY_MILLIS: i64 = 86_400_000;

pub(super) fn cast(
    array: &ArrayRef,
    from: &TypeKind,
    to: &TypeKind,
    rules: Rules<'_>,
) -> Result<ArrayRef, EvalError> {
    let rows = array.len();
    let zone = Zone::of(rules.zone)?;
    if from.is_string() {
        return parse(array, to, &zone, rules);
    }
    let source = Source { array, from, zone: &zone };
    match to {
        TypeKind::Date => {
            build::<Date32Type>(rows, |row| Ok(source.local(row)?.map(|t| source.day_and_time(t).0 as i32)))
        }
        TypeKind::Time(p) => build::<Time32MillisecondType>(rows, |row| {
            Ok(source.local(row)?.map(|t| cut_time(source.day_and_time(t).1 as i32, *p)))
        }),
        TypeKind::Timestamp(p, _) => timestamps(rows, to, *p, rules, |row| source.local(row)),
        TypeKind::TimestampLtz(p, _) => timestamps(rows, to, *p, rules, |row| source.instant(row)),
        _ => Err(Fault::internal(format!("no cast from {from} to {to}")).into()),
    }
}

/// A TIME without the digits behind a precision.
fn cut_time(millis: i32, precision: u8) -> i32 {
    let unit = 10i32.pow(3 - u32::from(precision.min(3)));
    millis / unit * unit
}

/// A column of dates, times or timestamps.
struct Source<'a> {
    array: &'a ArrayRef,
    from: &'a TypeKind,
    zone: &'a Zone,
}

impl Source<'_> {
    /// As a date and time without a zone; instants in the session zone.
    fn local(&self, row: usize) -> Result<Option<DateTime>, EvalError> {
        let Some(t) = self.raw(row)? else { return Ok(None) };
        let instant = matches!(self.from, TypeKind::TimestampLtz(..));
        Ok(Some(if instant { self.zone.to_local(t) } else { t }))
    }

    /// The days since 1970 and the milliseconds of the day. What has no zone rounds towards 1970, as it does in Flink: a time before
    /// it counts to the next day. Instants go through `java.time` there, which does not.
    fn day_and_time(&self, t: DateTime) -> (i64, i64) {
        let millis = t.millis();
        match self.from {
            TypeKind::TimestampLtz(..) => (millis.div_euclid(DAY_MILLIS), millis.rem_euclid(DAY_MILLIS)),
            _ => (millis / DAY_MILLIS, millis % DAY_MILLIS),
        }
    }

    /// As an instant; what has no zone is in the session zone.
    fn instant(&self, row: usize) -> Result<Option<DateTime>, EvalError> {
        let Some(t) = self.raw(row)? else { return Ok(None) };
        let instant = matches!(self.from, TypeKind::TimestampLtz(..));
        Ok(Some(if instant { t } else { self.zone.to_instant(t) }))
    }

    fn raw(&self, row: usize) -> Result<Option<DateTime>, EvalError> {
        if self.array.is_null(row) {
            return Ok(None);
        }
        Ok(Some(match self.from {
            TypeKind::Date => {
                let days = self.array.as_primitive::<Date32Type>().value(row);
                DateTime { days: i64::from(days), nanos: 0 }
            }
            TypeKind::Time(_) => DateTime::from_millis(i64::from(
                self.array.as_primitive::<Time32MillisecondType>().value(row),
            )),
            TypeKind::Timestamp(p, _) | TypeKind::TimestampLtz(p, _) => instant(self.array, row, *p),
            other => return Err(Fault::internal(format!("{other} is no date or time")).into()),
        }))
    }
}

fn parse(array: &ArrayRef, to: &TypeKind, zone: &Zone, rules: Rules<'_>) -> Result<ArrayRef, EvalError> {
    let text = array.as_string_opt::<i32>().ok_or_else(|| Fault::internal("no text"))?;
    let rows = array.len();
    let at = |row: usize| (!text.is_null(row)).then(|| text.value(row));
    let date_time = |row: usize| -> Result<Option<DateTime>, EvalError> {
        let Some(s) = at(row) else { return Ok(None) };
        match parse_timestamp(s) {
            Ok(t) => Ok(Some(t)),
            Err(why) => rules.failed(row, || {
                let shown: String = s.chars().take(100).collect();
                Fault::user("bad-cast", format!("cannot read '{shown}' as {to}: {why}")).hint(format!(
                    "the form is yyyy-MM-dd HH:mm:ss.SSS; TRY_CAST(... AS {to}) gives NULL instead"
                ))
            }),
        }
    };
    match to {
        TypeKind::Date => build::<Date32Type>(rows, |row| {
            let Some(s) = at(row) else { return Ok(None) };
            parse_date(s).map_or_else(|| rules.failed(row, || unreadable(s, to)), |d| Ok(Some(d)))
        }),
        TypeKind::Time(p) => build::<Time32MillisecondType>(rows, |row| {
            let Some(s) = at(row) else { return Ok(None) };
            let time = parse_time(s).map(|t| cut_time(t, *p));
            time.map_or_else(|| rules.failed(row, || unreadable(s, to)), |t| Ok(Some(t)))
        }),
        TypeKind::Timestamp(p, _) => timestamps(rows, to, *p, rules, date_time),
        TypeKind::TimestampLtz(p, _) => {
            timestamps(rows, to, *p, rules, |row| Ok(date_time(row)?.map(|t| zone.to_instant(t))))
        }
        _ => Err(Fault::internal(format!("no cast from text to {to}")).into()),
    }
}

fn timestamps(
    rows: usize,
    to: &TypeKind,
    precision: u8,
    rules: Rules<'_>,
    value: impl Fn(usize) -> Result<Option<DateTime>, EvalError>,
) -> Result<ArrayRef, EvalError> {
    let column = |row: usize| -> Result<Option<i64>, EvalError> {
        let Some(t) = value(row)? else { return Ok(None) };
        match shortened(t, precision).to_column(precision) {
            Some(v) => Ok(Some(v)),
            // Beyond every year that can be written: it means nothing, and stays at the column's end.
            None if precision <= 6 => Ok(Some(if t.days < 0 { i64::MIN } else { i64::MAX })),
            None => rules.failed(row, || {
                Fault::user("out-of-range", format!("a {to} reaches from 1677 to 2262, the value does not"))
                    .hint("use a precision of at most 6")
            }),
        }
    };
    let wanted = to.to_arrow();
    Ok(if precision > 6 {
        Arc::new(build_array::<TimestampNanosecondType>(rows, column)?.with_data_type(wanted))
    } else {
        Arc::new(build_array::<TimestampMicrosecondType>(rows, column)?.with_data_type(wanted))
    })
}

/// Without the digits behind a precision; below milliseconds it rounds towards 1970, as Flink does (`DateTimeUtils.truncate`).
fn shortened(t: DateTime, precision: u8) -> DateTime {
    if precision >= 3 {
        return t.truncated(precision);
    }
    let unit = 10i64.pow(3 - u32::from(precision));
    DateTime::from_millis(t.millis() / unit * unit)
}
