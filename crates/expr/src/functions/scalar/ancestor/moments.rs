//! Parts of dates, dates as text and as numbers, and the current time.

use arrow::datatypes::Int64Type;
use millstream_types::{DataType, Fault, TypeKind};

use super::dates::{Moment, PATTERN, unit};
use super::{apply, int, stands_for, text, with_unit};
use crate::binding::convert;
use crate::kernel::{numbers, per_row};
use crate::{BoundCall, Call, Example, Expr, Function, Origin, Volatility};

/// A field of a date under a name.
macro_rules! field {
    ($name:literal, $aliases:expr, $unit:literal, $doc:literal, $example:literal => $result:literal) => {
        Function::new(
            $name,
            concat!($name, "(moment STRING | DATE | TIMESTAMP [, pattern STRING]) -> BIGINT"),
            concat!($doc, " A text is read as 'yyyy-MM-dd HH:mm:ss' or by the pattern."),
            &[Example::new($example, $result)],
            |c| field(c, $unit),
        )
        .aliases($aliases)
        .origin(Origin::Ancestor)
    };
}

pub(super) const FUNCTIONS: &[Function] = &[
    field!("YYYY", &[], "YEAR", "The year.", "YYYY('2020-02-28 23:10:20')" => "2020"),
    field!("DD", &[], "DAY", "The day of the month.", "DD('28.02.2020', 'dd.MM.yyyy')" => "28"),
    field!("HH", &[], "HOUR", "The hour.", "HH('2020-02-28 23:10:20')" => "23"),
    field!("SS", &[], "SECOND", "The second.", "SS('2020-02-28 23:10:20')" => "20"),
    field!("WEEKOFYEAR", &[], "WEEK", "The ISO week of the year.", "WEEKOFYEAR('2020-02-28 23:10:20')" => "9"),
    Function::new(
        "WEEKDAY",
        "WEEKDAY(moment STRING | DATE | TIMESTAMP [, pattern STRING]) -> BIGINT",
        "The day of the week, from 0 (Sunday) to 6.",
        &[Example::new("WEEKDAY('2020-02-28 23:10:20')", "5")],
        weekday,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "DATEPART",
        "DATEPART(moment STRING | DATE | TIMESTAMP, part STRING) -> BIGINT\nDATEPART(moment STRING, pattern STRING, part STRING) -> BIGINT",
        "A field of the moment. The part is a constant: 'yyyy', 'year', 'mm', 'month', 'dd', 'day', 'hh', 'hour', 'mi', 'minute', 'ss', 'second', 'week', 'quarter'.",
        &[Example::new("DATEPART('2020-02-28 23:10:20', 'mm')", "2")],
        date_part,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "ISVALIDTIME",
        "ISVALIDTIME(text STRING [, pattern STRING]) -> BOOLEAN",
        "Whether the text is a time, written as 'yyyy-MM-dd HH:mm:ss' or by the pattern.",
        &[
            Example::new("ISVALIDTIME('2020-02-28 23:10:20')", "TRUE"),
            Example::new("ISVALIDTIME('28/02', 'yyyy-MM-dd')", "FALSE"),
        ],
        is_valid,
    )
    .aliases(&["ISDATE"])
    .origin(Origin::Ancestor),
    Function::new(
        "DATEFORMAT",
        "DATEFORMAT(moment STRING | DATE | TIMESTAMP, pattern STRING) -> STRING\nDATEFORMAT(moment STRING, from STRING, pattern STRING) -> STRING",
        "The moment written by a pattern. A text is read as 'yyyy-MM-dd HH:mm:ss' or by the first pattern.",
        &[
            Example::new("DATEFORMAT('2020-02-28 23:10:20', 'yyyyMMdd')", "20200228"),
            Example::new("DATEFORMAT('20200228', 'yyyyMMdd', 'dd.MM.yyyy')", "28.02.2020"),
        ],
        format,
    )
    .aliases(&["MODIFYFORMAT", "FORMAT"])
    .origin(Origin::Ancestor),
    Function::new(
        "TIMESTAMP2STRING",
        "TIMESTAMP2STRING(milliseconds BIGINT [, pattern STRING]) -> STRING",
        "The instant that is so many milliseconds behind 1970-01-01 00:00:00 UTC, in the session's zone, as 'yyyy-MM-dd HH:mm:ss' or by the pattern.",
        &[Example::new("TIMESTAMP2STRING(1582931420000, 'yyyy')", "2020")],
        from_millis,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "LINUXTOCHAR",
        "LINUXTOCHAR(seconds BIGINT) -> STRING",
        "The instant that is so many seconds behind 1970-01-01 00:00:00 UTC, in the session's zone, as 'yyyy-MM-dd HH:mm:ss'.",
        &[Example::new("CHAR_LENGTH(LINUXTOCHAR(1582931420))", "19")],
        |c| stands_for(c, "LINUXTOCHAR(<INTEGER>)", {
            c.expect(1, 1, "LINUXTOCHAR(<INTEGER>)")?;
            apply(c, "FROM_UNIXTIME", c.args)
        }),
    )
    .aliases(&["LINUXTIME2STRING"])
    .origin(Origin::Ancestor),
    Function::new(
        "CURSTAMP",
        "CURSTAMP() -> BIGINT\nCURSTAMP(moment STRING [, pattern STRING]) -> BIGINT",
        "The current time in milliseconds since 1970-01-01 00:00:00 UTC, or that of a text in the session's zone, in whole seconds. NULL if the text is none.",
        &[Example::new("CURSTAMP() > 1500000000000", "TRUE"), Example::new("CURSTAMP('2020-02-28', 'yyyy-MM-dd') > 0", "TRUE")],
        milliseconds,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "CURSTAMP_SECOND",
        "CURSTAMP_SECOND() -> BIGINT\nCURSTAMP_SECOND(moment STRING [, pattern STRING]) -> BIGINT",
        "As CURSTAMP, in seconds.",
        &[Example::new("CURSTAMP_SECOND() > 1500000000", "TRUE")],
        |c| {
            c.expect(0, 2, "CURSTAMP_SECOND([<CHARACTER> [, <CHARACTER>]])")?;
            let form = "CURSTAMP_SECOND([<CHARACTER> [, <CHARACTER>]])";
            stands_for(c, form, seconds_of(c))
        },
    )
    .aliases(&["TIMESTAMP_SECOND"])
    .origin(Origin::Ancestor),
    Function::new(
        "GETDATE",
        "GETDATE([pattern STRING]) -> STRING",
        "The current time in the session's zone, as 'yyyy-MM-dd HH:mm:ss' or by the pattern.",
        &[Example::new("CHAR_LENGTH(GETDATE())", "19"), Example::new("CHAR_LENGTH(GETDATE('yyyyMMdd'))", "8")],
        current,
    )
    .aliases(&["GETTIME", "NEWDATE"])
    .origin(Origin::Ancestor),
];

fn form_of(call: &Call<'_>) -> String {
    let name = call.name.to_uppercase();
    format!("{name}(<CHARACTER> | <DATE> | <TIMESTAMP>)\n{name}(<CHARACTER>, <CHARACTER>)")
}

fn field(call: &Call<'_>, unit: &str) -> Result<BoundCall, Fault> {
    let form = form_of(call);
    call.expect(1, 2, &form)?;
    let moment = Moment::of(call, 0, (call.args.len() == 2).then_some(1), &form)?;
    stands_for(call, &form, with_unit(call, "EXTRACT", unit, &[moment.expr]))
}

fn weekday(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let form = form_of(call);
    call.expect(1, 2, &form)?;
    let moment = Moment::of(call, 0, (call.args.len() == 2).then_some(1), &form)?;
    let day = with_unit(call, "EXTRACT", "DOW", &[moment.expr]);
    stands_for(call, &form, day.and_then(|day| apply(call, "-", &[day, int(1)])))
}

fn date_part(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str =
        "DATEPART(<CHARACTER> | <DATE> | <TIMESTAMP>, <part>)\nDATEPART(<CHARACTER>, <CHARACTER>, <part>)";
    call.expect(2, 3, FORM)?;
    let unit = unit(call, call.args.len() - 1, FORM)?;
    let moment = Moment::of(call, 0, (call.args.len() == 3).then_some(1), FORM)?;
    stands_for(call, FORM, with_unit(call, "EXTRACT", unit, &[moment.expr]))
}

fn is_valid(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "ISVALIDTIME(<CHARACTER> [, <CHARACTER>])";
    call.expect(1, 2, FORM)?;
    let mut args = vec![call.string(0, FORM)?];
    if call.args.len() > 1 {
        args.push(call.string(1, FORM)?);
    }
    let moment = apply(call, "TO_TIMESTAMP", &args);
    stands_for(call, FORM, moment.and_then(|m| apply(call, "IS NOT NULL", &[m])))
}

fn format(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "DATEFORMAT(<CHARACTER> | <DATE> | <TIMESTAMP>, <CHARACTER>)\nDATEFORMAT(<CHARACTER>, <CHARACTER>, <CHARACTER>)";
    call.expect(2, 3, FORM)?;
    let moment = Moment::of(call, 0, (call.args.len() == 3).then_some(1), FORM)?;
    let pattern = call.string(call.args.len() - 1, FORM)?;
    let timestamp = match moment.expr.data_type.kind {
        TypeKind::Date => convert(moment.expr, TypeKind::timestamp(3)),
        _ => moment.expr,
    };
    stands_for(call, FORM, apply(call, "DATE_FORMAT", &[timestamp, pattern]))
}

fn from_millis(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "TIMESTAMP2STRING(<INTEGER> [, <CHARACTER>])";
    call.expect(1, 2, FORM)?;
    let millis = call.number(0, TypeKind::BigInt, FORM)?;
    let pattern = if call.args.len() > 1 { call.string(1, FORM)? } else { text(PATTERN) };
    let instant = apply(call, "TO_TIMESTAMP_LTZ", &[millis, int(3)]);
    stands_for(call, FORM, instant.and_then(|i| apply(call, "DATE_FORMAT", &[i, pattern])))
}

/// UNIX_TIMESTAMP, but NULL for a text that is no time.
fn seconds_of(call: &Call<'_>) -> Result<Expr, Fault> {
    let seconds = apply(call, "UNIX_TIMESTAMP", call.args)?;
    let none = Expr::literal(i64::MIN, TypeKind::BigInt.not_null());
    apply(call, "NULLIF", &[seconds, none])
}

fn milliseconds(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "CURSTAMP([<CHARACTER> [, <CHARACTER>]])";
    call.expect(0, 2, FORM)?;
    if call.args.is_empty() {
        let kernel = per_row("CURSTAMP", |arguments, context| {
            // As CURRENT_TIMESTAMP: batch queries stand still.
            let now = if context.batch { context.query_start } else { context.clock.now_millis() };
            numbers::build::<Int64Type>(arguments.rows(), |_| Ok(Some(now)))
        });
        let data_type = DataType::bigint().with_nullable(false);
        return Ok(BoundCall::new(data_type, Vec::new(), kernel).volatile(Volatility::PerQuery));
    }
    stands_for(call, FORM, seconds_of(call).and_then(|s| apply(call, "*", &[s, int(1000)])))
}

fn current(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "GETDATE([<CHARACTER>])";
    call.expect(0, 1, FORM)?;
    let pattern = if call.args.is_empty() { text(PATTERN) } else { call.string(0, FORM)? };
    let now = apply(call, "CURRENT_TIMESTAMP", &[]);
    stands_for(call, FORM, now.and_then(|now| apply(call, "DATE_FORMAT", &[now, pattern])))
}
