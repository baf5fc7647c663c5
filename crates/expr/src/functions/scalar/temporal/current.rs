//! The current time.

use std::sync::Arc;

use arrow::array::{ArrayRef, Int64Array};
use millstream_text::temporal::DateTime;
use millstream_types::{Fault, TimeAttribute, TypeKind};

use super::moments::{build_moments, session_zone};
use crate::kernel::simple;
use crate::{BoundCall, Call, EvalContext, Example, Function, Volatility};

pub(in crate::functions::scalar) const FUNCTIONS: &[Function] = &[
    Function::new(
        "CURRENT_TIMESTAMP",
        "CURRENT_TIMESTAMP -> TIMESTAMP_LTZ(3)\nNOW() -> TIMESTAMP_LTZ(3)",
        "The current instant. In batch mode the same for the whole query, in a stream each row's.",
        &[Example::new("CURRENT_TIMESTAMP IS NOT NULL", "TRUE")],
        |c| now(c, Volatility::PerQuery),
    )
    .aliases(&["NOW"]),
    Function::new(
        "CURRENT_ROW_TIMESTAMP",
        "CURRENT_ROW_TIMESTAMP() -> TIMESTAMP_LTZ(3)",
        "The instant at which the row is evaluated, in batch mode, too.",
        &[Example::new("CURRENT_ROW_TIMESTAMP() IS NOT NULL", "TRUE")],
        |c| now(c, Volatility::PerRow),
    ),
    Function::new(
        "PROCTIME",
        "PROCTIME() -> TIMESTAMP_LTZ(3) *PROCTIME*",
        "The instant at which the row is evaluated, as a processing-time attribute.",
        &[Example::new("PROCTIME() IS NOT NULL", "TRUE")],
        proctime,
    ),
    Function::new(
        "LOCALTIMESTAMP",
        "LOCALTIMESTAMP -> TIMESTAMP(3)",
        "The current date and time in the session's time zone.",
        &[Example::new("LOCALTIMESTAMP IS NOT NULL", "TRUE")],
        |c| local(c, TypeKind::timestamp(3)),
    ),
    Function::new(
        "LOCALTIME",
        "LOCALTIME -> TIME(0)\nCURRENT_TIME -> TIME(0)",
        "The current time of day in the session's time zone.",
        &[Example::new("LOCALTIME IS NOT NULL", "TRUE")],
        |c| local(c, TypeKind::Time(0)),
    )
    .aliases(&["CURRENT_TIME"]),
    Function::new(
        "CURRENT_DATE",
        "CURRENT_DATE -> DATE",
        "The current date in the session's time zone.",
        &[Example::new("CURRENT_DATE IS NOT NULL", "TRUE")],
        |c| local(c, TypeKind::Date),
    ),
];

/// Milliseconds since the epoch: the query's start in batch mode, unless each row has its own.
fn millis(context: &EvalContext, volatility: Volatility) -> i64 {
    if context.batch && volatility == Volatility::PerQuery {
        context.query_start
    } else {
        context.clock.now_millis()
    }
}

fn no_arguments(call: &Call<'_>) -> Result<(), Fault> {
    call.expect(0, 0, &format!("{}()", call.name))
}

fn now(call: &Call<'_>, volatility: Volatility) -> Result<BoundCall, Fault> {
    no_arguments(call)?;
    Ok(instant(TypeKind::timestamp_ltz(3), volatility))
}

fn proctime(call: &Call<'_>) -> Result<BoundCall, Fault> {
    no_arguments(call)?;
    Ok(instant(TypeKind::TimestampLtz(3, TimeAttribute::Proctime), Volatility::PerRow))
}

fn instant(kind: TypeKind, volatility: Volatility) -> BoundCall {
    let plain = kind.plain();
    let kernel = simple("CURRENT_TIMESTAMP", move |arguments, context| {
        let now = DateTime::from_millis(millis(context, volatility));
        build_moments(arguments.rows(), &plain, |_| Ok(Some(now)))
    });
    BoundCall::new(kind.not_null(), Vec::new(), kernel).volatile(volatility)
}

fn local(call: &Call<'_>, kind: TypeKind) -> Result<BoundCall, Fault> {
    no_arguments(call)?;
    let result = kind.clone();
    let kernel = simple("LOCALTIMESTAMP", move |arguments, context| {
        let now = DateTime::from_millis(millis(context, Volatility::PerQuery));
        let mut local = session_zone(context)?.to_local(now);
        if matches!(result, TypeKind::Time(_)) {
            local = local.truncated(0);
        }
        build_moments(arguments.rows(), &result, |_| Ok(Some(local)))
    });
    Ok(BoundCall::new(kind.not_null(), Vec::new(), kernel).volatile(Volatility::PerQuery))
}

/// `UNIX_TIMESTAMP()`.
pub(super) fn unix_timestamp() -> BoundCall {
    let kernel = simple("UNIX_TIMESTAMP", move |arguments, context| {
        let seconds = context.clock.now_millis() / 1000;
        Ok(Arc::new(Int64Array::from_value(seconds, arguments.rows())) as ArrayRef)
    });
    BoundCall::new(TypeKind::BigInt.not_null(), Vec::new(), kernel).volatile(Volatility::PerRow)
}
