//! Dates and times read from texts and numbers: TO_DATE, TO_TIMESTAMP, TO_TIMESTAMP_LTZ, UNIX_TIMESTAMP.

use arrow::array::{ArrayRef, AsArray};
use arrow::datatypes::{Decimal128Type, Float64Type, Int64Type};
use millstream_text::number::power_of_ten;
use millstream_text::temporal::{
    DatePattern, DateTime, SimplePattern, Zone, parse_date, parse_timestamp, timestamp_value_of,
};
use millstream_types::{DataType, Fault, FaultKind, TypeKind, Value};

use super::DEFAULT_PATTERN;
use super::moments::{build_moments, session_zone};
use super::patterns::Pattern;
use crate::binding::{convert, null_of};
use crate::kernel::numbers::build;
use crate::kernel::{Arguments, simple};
use crate::{BoundCall, Call, EvalError, Example, Expr, Function};

pub(in crate::functions::scalar) const FUNCTIONS: &[Function] = &[
    Function::new(
        "TO_DATE",
        "TO_DATE(text STRING [, pattern STRING]) -> DATE",
        "The date that a text says: 'yyyy-MM-dd', or by a pattern of SimpleDateFormat. NULL where it cannot be read.",
        &[
            Example::new("TO_DATE('29/02/2020', 'dd/MM/yyyy')", "2020-02-29"),
            Example::new("TO_DATE('2021-02-29')", "NULL"),
        ],
        to_date,
    ),
    Function::new(
        "TO_TIMESTAMP",
        "TO_TIMESTAMP(text STRING [, pattern STRING]) -> TIMESTAMP(3)",
        "The date and time that a text says: 'yyyy-MM-dd HH:mm:ss.SSS', or by a pattern of java.time's DateTimeFormatter. NULL where it cannot be read; a wrong \
         pattern fails.",
        &[
            Example::new("TO_TIMESTAMP('2020-02-29 13:14:15')", "2020-02-29 13:14:15.000"),
            Example::new("TO_TIMESTAMP('29/02/2020', 'dd/MM/yyyy')", "2020-02-29 00:00:00.000"),
        ],
        to_timestamp,
    ),
    Function::new(
        "TO_TIMESTAMP_LTZ",
        "TO_TIMESTAMP_LTZ(number NUMERIC [, precision INT]) -> TIMESTAMP_LTZ(precision)\nTO_TIMESTAMP_LTZ(text STRING [, pattern STRING [, zone STRING]]) -> TIMESTAMP_LTZ(3)",
        "The instant so many seconds (precision 0), milliseconds (3, by default), microseconds (6) … after 1970-01-01 00:00:00 UTC; or that a text says, in UTC unless \
         a zone is given. NULL outside of the years 0 to 9999.",
        &[Example::new("TO_TIMESTAMP_LTZ(1583000000123, 3)", "2020-02-29 18:13:20.123")],
        to_timestamp_ltz,
    ),
    Function::new(
        "UNIX_TIMESTAMP",
        "UNIX_TIMESTAMP() -> BIGINT\nUNIX_TIMESTAMP(text STRING [, pattern STRING]) -> BIGINT",
        "The current time in seconds since 1970-01-01 00:00:00 UTC; or the time that a text says in the session's time zone, by a pattern of SimpleDateFormat \
         ('yyyy-MM-dd HH:mm:ss' by default). -9223372036854775808 where it cannot be read.",
        &[Example::new("UNIX_TIMESTAMP('2020-02-29', 'yyyy-MM-dd')", "1582934400")],
        unix_timestamp,
    )
    .aliases(&["UNIXTIMESTAMP", "UNIXTIME"]),
];

/// One to `most` arguments, all strings.
fn strings_of(call: &Call<'_>, most: usize, signature: &str) -> Result<Vec<Expr>, Fault> {
    call.expect(1, most, signature)?;
    (0..call.args.len()).map(|i| call.string(i, signature)).collect()
}

fn to_date(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const SIGNATURE: &str = "TO_DATE(<CHARACTER>)\nTO_DATE(<CHARACTER>, <CHARACTER>)";
    let args = strings_of(call, 2, SIGNATURE)?;
    let result = TypeKind::Date;
    if args.len() == 1 {
        let kernel = simple("TO_DATE", |arguments, _| {
            let texts = arguments.strings(0)?;
            build_moments(arguments.rows(), &TypeKind::Date, |row| {
                let days = texts.get(row).and_then(parse_date);
                Ok(days.map(|d| DateTime { days: i64::from(d), nanos: 0 }))
            })
        });
        return Ok(BoundCall::new(result.nullable(), args, kernel));
    }
    let compiled = Pattern::of(call, 1, "", SimplePattern::compile)?;
    let volatility = compiled.volatility();
    let kernel = simple("TO_DATE", move |arguments, context| {
        let (texts, patterns) = (arguments.strings(0)?, arguments.strings(1)?);
        let (zone, now) = (Zone::utc(), context.clock.now_millis());
        let cache = compiled.cache();
        build_moments(arguments.rows(), &TypeKind::Date, |row| {
            let (Some(text), Some(pattern)) = (texts.get(row), patterns.get(row)) else { return Ok(None) };
            let millis =
                cache.with(pattern, |p| p.parse(text, &zone, now)).map_err(|f| EvalError::at_row(row, f))?;
            Ok(millis.map(|m| DateTime { nanos: 0, ..DateTime::from_millis(m) }))
        })
    });
    Ok(BoundCall::new(result.nullable(), args, kernel).fallible().volatile(volatility))
}

/// A text by a pattern, or else as Java's SQL types read it; NULL where neither fits.
fn by_pattern(pattern: &DatePattern, text: &str) -> Option<DateTime> {
    match pattern.parse(text) {
        Ok(parsed) => parsed.date_time(),
        Err(_) => timestamp_value_of(text),
    }
    .map(|t| t.truncated(3))
}

fn to_timestamp(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const SIGNATURE: &str = "TO_TIMESTAMP(<CHARACTER>)\nTO_TIMESTAMP(<CHARACTER>, <CHARACTER>)";
    let args = strings_of(call, 2, SIGNATURE)?;
    let result = TypeKind::timestamp(3);
    if args.len() == 1 {
        let kernel = simple("TO_TIMESTAMP", |arguments, _| {
            let texts = arguments.strings(0)?;
            build_moments(arguments.rows(), &TypeKind::timestamp(3), |row| {
                Ok(texts.get(row).and_then(|t| parse_timestamp(t).ok()).map(|t| t.truncated(3)))
            })
        });
        return Ok(BoundCall::new(result.nullable(), args, kernel));
    }
    // A pattern that is wrong reads nothing.
    if let Some(pattern) = call.literal_text(1)
        && DatePattern::compile_reading(pattern).is_err_and(|f| f.kind() == FaultKind::User)
    {
        let kernel = simple("TO_TIMESTAMP", |arguments, _| {
            build_moments(arguments.rows(), &TypeKind::timestamp(3), |_| Ok(None))
        });
        return Ok(BoundCall::new(result.nullable(), args, kernel));
    }
    let kernel = with_pattern(call, result.clone())?;
    Ok(BoundCall::new(result.nullable(), args, kernel).fallible())
}

fn with_pattern(call: &Call<'_>, result: TypeKind) -> Result<crate::KernelRef, Fault> {
    let compiled = Pattern::of(call, 1, "", DatePattern::compile_reading)?;
    Ok(simple("TO_TIMESTAMP", move |arguments, _| {
        let (texts, patterns) = (arguments.strings(0)?, arguments.strings(1)?);
        let cache = compiled.cache();
        build_moments(arguments.rows(), &result, |row| {
            let (Some(text), Some(pattern)) = (texts.get(row), patterns.get(row)) else { return Ok(None) };
            cache.with(pattern, |p| Ok(by_pattern(p, text))).map_err(|f| EvalError::at_row(row, f))
        })
    }))
}

const LTZ: &str = "TO_TIMESTAMP_LTZ(<NUMERIC>)\nTO_TIMESTAMP_LTZ(<NUMERIC>, <INTEGER>)\nTO_TIMESTAMP_LTZ(<CHARACTER>)\n\
                   TO_TIMESTAMP_LTZ(<CHARACTER>, <CHARACTER>)\nTO_TIMESTAMP_LTZ(<CHARACTER>, <CHARACTER>, <CHARACTER>)";

fn to_timestamp_ltz(call: &Call<'_>) -> Result<BoundCall, Fault> {
    call.expect(1, 3, LTZ)?;
    let first = call.arg(0)?;
    if first.data_type.kind.is_numeric() {
        return from_number(call, first);
    }
    let args = strings_of(call, 3, LTZ)?;
    let result = TypeKind::timestamp_ltz(3);
    // Unlike anywhere else, a wrong constant fails the planning.
    if args.len() > 1
        && let Some(pattern) = call.literal_text(1)
    {
        DatePattern::compile_reading(pattern).map_err(|f| f.at(call.span))?;
    }
    if args.len() > 2
        && let Some(id) = call.literal_text(2)
    {
        Zone::of(id).map_err(|f| f.at(call.span))?;
    }
    let kernel = match args.len() {
        1 => {
            let kind = result.clone();
            simple("TO_TIMESTAMP_LTZ", move |arguments, _| {
                let texts = arguments.strings(0)?;
                build_moments(arguments.rows(), &kind, |row| {
                    let Some(text) = texts.get(row) else { return Ok(None) };
                    let read = parse_timestamp(text).map(|t| Some(t.truncated(3)));
                    read.map_err(|why| EvalError::at_row(row, unreadable(text, why)))
                })
            })
        }
        2 => with_pattern(call, result.clone())?,
        _ => in_zone(call, result.clone())?,
    };
    Ok(BoundCall::new(result.nullable(), args, kernel).fallible())
}

fn unreadable(text: &str, why: &str) -> Fault {
    let shown: String = text.chars().take(100).collect();
    Fault::user("bad-timestamp", format!("TO_TIMESTAMP_LTZ cannot read '{shown}': {why}")).hint(
        "the form is yyyy-MM-dd HH:mm:ss.SSS; with a pattern as the second argument, NULL is given instead",
    )
}

fn in_zone(call: &Call<'_>, result: TypeKind) -> Result<crate::KernelRef, Fault> {
    let compiled = Pattern::of(call, 1, "", DatePattern::compile_reading)?;
    Ok(simple("TO_TIMESTAMP_LTZ", move |arguments, _| {
        let (texts, patterns, zones) = (arguments.strings(0)?, arguments.strings(1)?, arguments.strings(2)?);
        let cache = compiled.cache();
        let mut last: Option<Zone> = None;
        build_moments(arguments.rows(), &result, |row| {
            let (Some(text), Some(pattern), Some(id)) = (texts.get(row), patterns.get(row), zones.get(row))
            else {
                return Ok(None);
            };
            let at_row = |f| EvalError::at_row(row, f);
            let zone = match last.take().filter(|z| z.id() == id) {
                Some(zone) => zone,
                None => Zone::of(id).map_err(at_row)?,
            };
            let read = cache.with(pattern, |p| Ok(by_pattern(p, text))).map_err(at_row)?;
            let instant = read.map(|t| zone.to_instant(t));
            last = Some(zone);
            Ok(instant)
        })
    }))
}

/// Instants in a unit of 10^-precision seconds.
fn from_number(call: &Call<'_>, number: &Expr) -> Result<BoundCall, Fault> {
    call.expect(1, 2, LTZ)?;
    let precision = match call.args.get(1) {
        None => 3,
        // Of an unknown precision nothing is made.
        Some(p) if p.as_literal().is_some_and(Value::is_null) && p.data_type.kind != TypeKind::Null => {
            let null = null_of(TypeKind::timestamp_ltz(3));
            let kernel = simple("TO_TIMESTAMP_LTZ", |arguments, _| Ok(arguments.column(0)?.array().clone()));
            return Ok(BoundCall::new(TypeKind::timestamp_ltz(3).nullable(), vec![null], kernel));
        }
        Some(p) if !p.data_type.kind.is_integer() || p.data_type.kind == TypeKind::BigInt => {
            return Err(call.refuse(LTZ));
        }
        Some(p) => match p.as_literal().map(|v| v.as_int()) {
            Some(Some(p)) if (0..=9).contains(&p) => p as u8,
            Some(_) => {
                let fault = Fault::user(
                    "argument-types",
                    "the precision of TO_TIMESTAMP_LTZ must be between 0 and 9",
                );
                return Err(fault
                    .at(call.span)
                    .hint("0 is for seconds, 3 for milliseconds, 6 for microseconds"));
            }
            None => {
                return Err(
                    Fault::not_yet("a precision of TO_TIMESTAMP_LTZ that is not constant").at(call.span)
                );
            }
        },
    };
    // Seconds are kept with milliseconds, as in Flink.
    let result = TypeKind::timestamp_ltz(precision.max(3));
    let argument = match &number.data_type.kind {
        k if k.is_integer() => convert(number.clone(), TypeKind::BigInt),
        k if k.is_approximate() => convert(number.clone(), TypeKind::Double),
        _ => number.clone(),
    };
    let kind = result.clone();
    let kernel = simple("TO_TIMESTAMP_LTZ", move |arguments, _| from_numbers(arguments, &kind, precision));
    let mut args = vec![argument];
    args.extend(call.args.get(1).cloned());
    Ok(BoundCall::new(result.nullable(), args, kernel))
}

fn from_numbers(arguments: &Arguments<'_>, kind: &TypeKind, precision: u8) -> Result<ArrayRef, EvalError> {
    let units = 10i128.pow(u32::from(precision));
    let rows = arguments.rows();
    let column = arguments.column(0)?;
    let array = column.array();
    // The nanosecond form of a column does not reach the whole range: NULL there, too.
    let moment = |count: i128| instant(count, units).filter(|t| t.to_column(precision.max(3)).is_some());
    if array.as_primitive_opt::<Int64Type>().is_some() {
        let numbers = arguments.numbers::<Int64Type>(0)?;
        return build_moments(rows, kind, |row| Ok(numbers.get(row).and_then(|n| moment(i128::from(n)))));
    }
    if array.as_primitive_opt::<Float64Type>().is_some() {
        let numbers = arguments.numbers::<Float64Type>(0)?;
        return build_moments(rows, kind, |row| {
            // Seconds keep their fraction, down to milliseconds.
            let scaled = |v: f64| {
                if precision == 0 { instant((v * 1000.0) as i128, 1000) } else { moment(v as i128) }
            };
            Ok(numbers.get(row).filter(|v| !v.is_nan()).and_then(scaled))
        });
    }
    let numbers = arguments.numbers::<Decimal128Type>(0)?;
    let scale = power_of_ten(u32::from(numbers.array.scale().unsigned_abs())).unwrap_or(1);
    build_moments(rows, kind, |row| Ok(numbers.get(row).and_then(|v| moment(v / scale))))
}

/// The instant so many parts of a second after the epoch; only in the years 0 to 9999.
fn instant(count: i128, units: i128) -> Option<DateTime> {
    const FIRST: i128 = -62_167_219_200;
    const LAST: i128 = 253_402_300_799;
    let seconds = count.div_euclid(units);
    if !(FIRST..=LAST).contains(&seconds) {
        return None;
    }
    let nanos = count.rem_euclid(units) * (1_000_000_000 / units);
    Some(DateTime::from_seconds(seconds as i64, nanos as i64))
}

fn unix_timestamp(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const SIGNATURE: &str =
        "UNIX_TIMESTAMP()\nUNIX_TIMESTAMP(<CHARACTER>)\nUNIX_TIMESTAMP(<CHARACTER>, <CHARACTER>)";
    if call.args.is_empty() {
        return Ok(super::current::unix_timestamp());
    }
    let args = strings_of(call, 2, SIGNATURE)?;
    let with_pattern = args.len() > 1;
    let compiled = Pattern::of(call, 1, DEFAULT_PATTERN, SimplePattern::compile)?;
    let volatility = compiled.volatility();
    let kernel = simple("UNIX_TIMESTAMP", move |arguments, context| {
        let texts = arguments.strings(0)?;
        let patterns = if with_pattern { Some(arguments.strings(1)?) } else { None };
        let (zone, now) = (session_zone(context)?, context.clock.now_millis());
        let cache = compiled.cache();
        build::<Int64Type>(arguments.rows(), |row| {
            let Some(text) = texts.get(row) else { return Ok(None) };
            let Some(pattern) = patterns.map_or(Some(DEFAULT_PATTERN), |p| p.get(row)) else {
                return Ok(None);
            };
            let millis =
                cache.with(pattern, |p| p.parse(text, &zone, now)).map_err(|f| EvalError::at_row(row, f))?;
            Ok(Some(millis.map_or(i64::MIN, |m| m / 1000)))
        })
    });
    let result: DataType = TypeKind::BigInt.nullable().with_nullable(call.any_nullable());
    let bound = BoundCall::new(result, args, kernel).volatile(volatility);
    Ok(if with_pattern { bound.fallible() } else { bound })
}
