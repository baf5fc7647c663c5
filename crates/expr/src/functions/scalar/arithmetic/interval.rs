//! Intervals: added to dates and times, to each other, multiplied by numbers.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    Date32Type, DurationMillisecondType, Float64Type, Int64Type, IntervalYearMonthType,
    Time32MillisecondType, TimestampMicrosecondType, TimestampNanosecondType,
};
use millstream_text::temporal::{DateTime, add_months_to_date};
use millstream_types::{DataType, Fault, TypeKind};

use super::operators::Operator;
use crate::binding::convert;
use crate::kernel::numbers::{build, build_array};
use crate::kernel::{Arguments, simple};
use crate::{BoundCall, Call, EvalError, Expr};

const DAY_MILLIS: i64 = 86_400_000;

pub(super) fn bind(call: &Call<'_>, op: Operator) -> Result<BoundCall, Fault> {
    use TypeKind as K;
    let (a, b) = (call.arg(0)?, call.arg(1)?);
    let (x, y) = (&a.data_type.kind, &b.data_type.kind);
    let nullable = call.any_nullable();
    let of = |kind: K| kind.nullable().with_nullable(nullable);
    match (op, x, y) {
        (Operator::Plus | Operator::Minus, K::IntervalYearMonth(..), K::IntervalYearMonth(..)) => {
            let minus = op == Operator::Minus;
            let kernel = simple(op.symbol(), move |arguments, _| {
                let (a, b) = (
                    arguments.numbers::<IntervalYearMonthType>(0)?,
                    arguments.numbers::<IntervalYearMonthType>(1)?,
                );
                let f = |x: i32, y: i32| if minus { x.wrapping_sub(y) } else { x.wrapping_add(y) };
                crate::kernel::numbers::binary::<_, _, IntervalYearMonthType>(&a, &b, arguments.rows(), f)
            });
            Ok(BoundCall::new(of(K::interval_months()), call.args.to_vec(), kernel))
        }
        (Operator::Plus | Operator::Minus, K::IntervalDayTime(..), K::IntervalDayTime(..)) => {
            let minus = op == Operator::Minus;
            let kernel = simple(op.symbol(), move |arguments, _| {
                let (a, b) = (
                    arguments.numbers::<DurationMillisecondType>(0)?,
                    arguments.numbers::<DurationMillisecondType>(1)?,
                );
                let f = |x: i64, y: i64| if minus { x.wrapping_sub(y) } else { x.wrapping_add(y) };
                crate::kernel::numbers::binary::<_, _, DurationMillisecondType>(&a, &b, arguments.rows(), f)
            });
            Ok(BoundCall::new(of(K::interval_seconds()), call.args.to_vec(), kernel))
        }
        (Operator::Plus | Operator::Minus, t, i) if t.is_datetime() && i.is_interval() => {
            shift(call, a, b, op == Operator::Minus)
        }
        (Operator::Plus, i, t) if t.is_datetime() && i.is_interval() => shift(call, b, a, false),
        (Operator::Times, i, n) if i.is_interval() && n.is_integer() => Ok(multiplied(a, b, of(i.clone()))),
        (Operator::Times, n, i) if i.is_interval() && n.is_integer() => Ok(multiplied(b, a, of(i.clone()))),
        _ => Err(call.refuse(&op.form())),
    }
}

/// A date, time or timestamp moved by an interval.
fn shift(call: &Call<'_>, time: &Expr, interval: &Expr, back: bool) -> Result<BoundCall, Fault> {
    let kind = time.data_type.kind.plain();
    let months = matches!(interval.data_type.kind, TypeKind::IntervalYearMonth(..));
    let data_type = DataType { kind: kind.clone(), nullable: call.any_nullable() };
    let name = if back { "-" } else { "+" };
    let kernel = simple(name, move |arguments, _| moved(arguments, &kind, months, back));
    let nanos = data_type.kind.counts_nanos();
    let bound = BoundCall::new(data_type, vec![time.clone(), interval.clone()], kernel);
    Ok(if nanos { bound.fallible() } else { bound })
}

/// How far a row is moved, in months or milliseconds.
fn distances<'a>(
    arguments: &Arguments<'a>,
    months: bool,
    back: bool,
) -> Result<Box<dyn Fn(usize) -> Option<i64> + 'a>, Fault> {
    let sign = if back { -1 } else { 1 };
    Ok(if months {
        let n = arguments.numbers::<IntervalYearMonthType>(1)?;
        Box::new(move |row| n.get(row).map(|v| i64::from(v) * sign))
    } else {
        let n = arguments.numbers::<DurationMillisecondType>(1)?;
        Box::new(move |row| n.get(row).map(|v| v.wrapping_mul(sign)))
    })
}

fn moved(
    arguments: &Arguments<'_>,
    kind: &TypeKind,
    months: bool,
    back: bool,
) -> Result<ArrayRef, EvalError> {
    let by = distances(arguments, months, back)?;
    let rows = arguments.rows();
    Ok(match kind {
        TypeKind::Date => {
            let dates = arguments.numbers::<Date32Type>(0)?;
            build::<Date32Type>(rows, |row| {
                let (Some(d), Some(by)) = (dates.get(row), by(row)) else { return Ok(None) };
                let days = if months {
                    add_months_to_date(i64::from(d), by)
                } else {
                    i64::from(d).saturating_add(by / DAY_MILLIS)
                };
                Ok(Some(days as i32))
            })?
        }
        TypeKind::Time(_) => {
            let times = arguments.numbers::<Time32MillisecondType>(0)?;
            build::<Time32MillisecondType>(rows, |row| {
                let (Some(t), Some(by)) = (times.get(row), by(row)) else { return Ok(None) };
                // Months do nothing to a time of day.
                let by = if months { 0 } else { by };
                Ok(Some(i64::from(t).wrapping_add(by).rem_euclid(DAY_MILLIS) as i32))
            })?
        }
        _ => {
            let wanted = kind.to_arrow();
            // Of a second: how many units a millisecond has.
            if kind.counts_nanos() {
                let times = arguments.numbers::<TimestampNanosecondType>(0)?;
                let array = build_array::<TimestampNanosecondType>(rows, |row| {
                    let (Some(t), Some(by)) = (times.get(row), by(row)) else { return Ok(None) };
                    moved_timestamp(t, by, months, 1_000_000, 9, kind)
                        .map(Some)
                        .map_err(|f| EvalError::at_row(row, f))
                })?;
                Arc::new(array.with_data_type(wanted))
            } else {
                let times = arguments.numbers::<TimestampMicrosecondType>(0)?;
                let array = build_array::<TimestampMicrosecondType>(rows, |row| {
                    let (Some(t), Some(by)) = (times.get(row), by(row)) else { return Ok(None) };
                    moved_timestamp(t, by, months, 1000, 6, kind)
                        .map(Some)
                        .map_err(|f| EvalError::at_row(row, f))
                })?;
                Arc::new(array.with_data_type(wanted))
            }
        }
    })
}

/// Microseconds reach beyond every year that can be written, so what overflows them means nothing and stays at their end.
/// Nanoseconds end in 1677 and 2262: what is beyond fails.
fn moved_timestamp(
    t: i64,
    by: i64,
    months: bool,
    units: i64,
    precision: u8,
    kind: &TypeKind,
) -> Result<i64, Fault> {
    let result = if months {
        let at = DateTime::from_column(t, precision);
        DateTime { days: add_months_to_date(at.days, by), nanos: at.nanos }.to_column(precision)
    } else {
        by.checked_mul(units).and_then(|by| t.checked_add(by))
    };
    match result {
        Some(moved) => Ok(moved),
        None if precision <= 6 => Ok(if by < 0 { i64::MIN } else { i64::MAX }),
        None => {
            Err(Fault::user("out-of-range", format!("the sum is beyond what a {kind} holds, 1677 to 2262"))
                .hint("use a precision of at most 6"))
        }
    }
}

/// An interval times a number; the product is cut to whole months or milliseconds.
fn multiplied(interval: &Expr, number: &Expr, data_type: DataType) -> BoundCall {
    let months = matches!(data_type.kind, TypeKind::IntervalYearMonth(..));
    let whole = number.data_type.kind.is_integer();
    let factor = convert(number.clone(), if whole { TypeKind::BigInt } else { TypeKind::Double });
    let kernel = simple("*", move |arguments, _| {
        let array = arguments.column(1)?.array();
        let factor = |row: usize| -> Option<f64> {
            let i = arguments.column(1).ok()?.index(row);
            (!array.is_null(i)).then(|| {
                if whole {
                    array.as_primitive::<Int64Type>().value(i) as f64
                } else {
                    array.as_primitive::<Float64Type>().value(i)
                }
            })
        };
        let exact = |row: usize, v: i64| -> Option<i64> {
            if whole {
                let i = arguments.column(1).ok()?.index(row);
                (!array.is_null(i)).then(|| v.wrapping_mul(array.as_primitive::<Int64Type>().value(i)))
            } else {
                factor(row).map(|f| (v as f64 * f) as i64)
            }
        };
        if months {
            let a = arguments.numbers::<IntervalYearMonthType>(0)?;
            build::<IntervalYearMonthType>(arguments.rows(), |row| {
                Ok(a.get(row).and_then(|v| exact(row, i64::from(v))).map(|v| v as i32))
            })
        } else {
            let a = arguments.numbers::<DurationMillisecondType>(0)?;
            build::<DurationMillisecondType>(arguments.rows(), |row| {
                Ok(a.get(row).and_then(|v| exact(row, v)))
            })
        }
    });
    BoundCall::new(data_type, vec![interval.clone(), factor], kernel)
}
