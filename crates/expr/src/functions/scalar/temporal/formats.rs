//! Dates and times written by a pattern: DATE_FORMAT, FROM_UNIXTIME, CONVERT_TZ.

use arrow::array::ArrayRef;
use arrow::datatypes::Int64Type;
use millstream_text::temporal::{DatePattern, SimplePattern, Zone};
use millstream_types::{DataType, Fault, TypeKind};

use super::DEFAULT_PATTERN;
use super::moments::{Moments, local, session_zone};
use super::patterns::Pattern;
use crate::binding::null_of;
use crate::kernel::{simple, strings};
use crate::{BoundCall, Call, EvalError, Example, Expr, Function};

pub(in crate::functions::scalar) const FUNCTIONS: &[Function] = &[
    Function::new(
        "DATE_FORMAT",
        "DATE_FORMAT(moment TIMESTAMP | TIMESTAMP_LTZ, pattern STRING) -> STRING\nDATE_FORMAT(moment STRING, pattern STRING) -> STRING",
        "The moment by a pattern: of java.time's DateTimeFormatter for a timestamp, of SimpleDateFormat for a string, which is read as \
         'yyyy-MM-dd HH:mm:ss'. NULL for a string that cannot be read; a wrong pattern fails.",
        &[
            Example::new("DATE_FORMAT(TIMESTAMP '2020-02-29 13:14:15', 'yyyyMMdd')", "20200229"),
            Example::new("DATE_FORMAT('2020-02-29 13:14:15', 'yyyy/MM/dd')", "2020/02/29"),
        ],
        date_format,
    ),
    Function::new(
        "FROM_UNIXTIME",
        "FROM_UNIXTIME(seconds INTEGER [, pattern STRING]) -> STRING",
        "Seconds since 1970-01-01 00:00:00 UTC in the session's time zone, by a pattern of SimpleDateFormat ('yyyy-MM-dd HH:mm:ss' by default).",
        &[Example::new("FROM_UNIXTIME(1583000000, 'yyyy/MM/dd HH')", "2020/02/29 18")],
        from_unixtime,
    )
    .aliases(&["FROMUNIXTIME"]),
    Function::new(
        "CONVERT_TZ",
        "CONVERT_TZ(moment STRING, from_zone STRING, to_zone STRING) -> STRING",
        "A date and time 'yyyy-MM-dd HH:mm:ss' of one time zone in another one. NULL where it cannot be read; an unknown zone is GMT.",
        &[Example::new(
            "CONVERT_TZ('1970-01-01 00:00:00', 'UTC', 'America/Los_Angeles')",
            "1969-12-31 16:00:00",
        )],
        convert_tz,
    ),
];

fn date_format(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const SIGNATURE: &str = "DATE_FORMAT(<TIMESTAMP>, <CHARACTER>)\nDATE_FORMAT(<CHARACTER>, <CHARACTER>)";
    call.expect(2, 2, SIGNATURE)?;
    let pattern = call.string(1, SIGNATURE)?;
    let moment = call.arg(0)?;
    let kind = moment.data_type.kind.plain();
    match &kind {
        TypeKind::Timestamp(..) | TypeKind::TimestampLtz(..) => {
            let compiled = Pattern::of(call, 1, "", DatePattern::compile)?;
            let kernel = simple("DATE_FORMAT", move |arguments, context| {
                let (moments, patterns) = (Moments::of(arguments, 0, &kind)?, arguments.strings(1)?);
                let zone = session_zone(context)?;
                let mut zone = zone.cursor();
                let cache = compiled.cache();
                strings::build(arguments.rows(), |row, out| {
                    let (Some(moment), Some(pattern)) = (moments.get(row), patterns.get(row)) else {
                        return Ok(false);
                    };
                    let moment = local(moment, &kind, &mut zone);
                    let mut done = Ok(());
                    out.write(|text| done = cache.with(pattern, |p| p.format(text, moment)));
                    done.map(|()| true).map_err(|f| EvalError::at_row(row, f))
                })
            });
            Ok(BoundCall::new(DataType::string(), vec![moment.clone(), pattern], kernel).fallible())
        }
        k if k.is_string() || matches!(k, TypeKind::Null) => {
            let compiled = Pattern::of(call, 1, "", SimplePattern::compile)?;
            let from = SimplePattern::compile(DEFAULT_PATTERN)?;
            let kernel = simple("DATE_FORMAT", move |arguments, context| {
                let (texts, patterns) = (arguments.strings(0)?, arguments.strings(1)?);
                let (zone, now) = (session_zone(context)?, context.clock.now_millis());
                let cache = compiled.cache();
                strings::build(arguments.rows(), |row, out| {
                    let (Some(text), Some(pattern)) = (texts.get(row), patterns.get(row)) else {
                        return Ok(false);
                    };
                    let at_row = |f| EvalError::at_row(row, f);
                    // Flink compiles the pattern before it reads the text: a wrong one fails in any case.
                    let Some(millis) =
                        cache.with(pattern, |_| from.parse(text, &zone, now)).map_err(at_row)?
                    else {
                        return Ok(false);
                    };
                    let mut done = Ok(());
                    out.write(|o| done = cache.with(pattern, |p| p.format(o, millis, &zone)));
                    done.map(|()| true).map_err(at_row)
                })
            });
            let text = call.string(0, SIGNATURE)?;
            Ok(BoundCall::new(DataType::string(), vec![text, pattern], kernel).fallible())
        }
        _ => Err(call.refuse(SIGNATURE)),
    }
}

fn from_unixtime(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const SIGNATURE: &str = "FROM_UNIXTIME(<INTEGER>)\nFROM_UNIXTIME(<INTEGER>, <CHARACTER>)";
    call.expect(1, 2, SIGNATURE)?;
    let mut args = vec![call.number(0, TypeKind::BigInt, SIGNATURE)?];
    if call.args.len() > 1 {
        args.push(call.string(1, SIGNATURE)?);
    }
    let with_pattern = args.len() > 1;
    let compiled = Pattern::of(call, 1, DEFAULT_PATTERN, SimplePattern::compile)?;
    let kernel = simple("FROM_UNIXTIME", move |arguments, context| {
        let seconds = arguments.numbers::<Int64Type>(0)?;
        let patterns = if with_pattern { Some(arguments.strings(1)?) } else { None };
        let zone = session_zone(context)?;
        let cache = compiled.cache();
        strings::build(arguments.rows(), |row, out| {
            let Some(seconds) = seconds.get(row) else { return Ok(false) };
            let Some(pattern) = patterns.map_or(Some(DEFAULT_PATTERN), |p| p.get(row)) else {
                return Ok(false);
            };
            let mut done = Ok(());
            out.write(|o| done = cache.with(pattern, |p| p.format(o, seconds.wrapping_mul(1000), &zone)));
            done.map(|()| true).map_err(|f| EvalError::at_row(row, f))
        })
    });
    let bound = BoundCall::new(DataType::string(), args, kernel);
    Ok(if with_pattern { bound.fallible() } else { bound })
}

fn convert_tz(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const SIGNATURE: &str = "CONVERT_TZ(<CHARACTER>, <CHARACTER>, <CHARACTER>)";
    call.expect(3, 3, SIGNATURE)?;
    let args = (0..3).map(|i| call.string(i, SIGNATURE)).collect::<Result<Vec<Expr>, _>>()?;
    let pattern = SimplePattern::compile(DEFAULT_PATTERN)?;
    let kernel = simple("CONVERT_TZ", move |arguments, context| -> Result<ArrayRef, EvalError> {
        let (texts, from, to) = (arguments.strings(0)?, arguments.strings(1)?, arguments.strings(2)?);
        let now = context.clock.now_millis();
        let (mut known_from, mut known_to) = (Known::default(), Known::default());
        strings::build(arguments.rows(), |row, out| {
            let (Some(text), Some(from), Some(to)) = (texts.get(row), from.get(row), to.get(row)) else {
                return Ok(false);
            };
            let at_row = |f| EvalError::at_row(row, f);
            let read = pattern.parse(text, known_from.zone(from), now).map_err(at_row)?;
            let Some(millis) = read else { return Ok(false) };
            let zone = known_to.zone(to);
            let mut done = Ok(());
            out.write(|o| done = pattern.format(o, millis, zone));
            done.map(|()| true).map_err(at_row)
        })
    });
    let args = args
        .into_iter()
        .map(|a| if a.as_literal().is_some_and(|v| v.is_null()) { null_of(TypeKind::STRING) } else { a })
        .collect();
    Ok(BoundCall::new(DataType::string(), args, kernel))
}

/// The zone of the last id: rows mostly name the same one.
#[derive(Default)]
struct Known {
    id: String,
    zone: Option<Zone>,
}

impl Known {
    fn zone(&mut self, id: &str) -> &Zone {
        if self.id != id {
            self.zone = None;
            self.id = id.to_string();
        }
        self.zone.get_or_insert_with(|| Zone::time_zone(id))
    }
}
