//! Dates that are moved, cut and compared. A text is read as `yyyy-MM-dd HH:mm:ss` or by a pattern, and so is the result written; dates and
//! timestamps keep their types.

use millstream_types::{DataType, Fault, TypeKind};

use super::{apply, int, stands_for, text, with_unit};
use crate::binding::convert;
use crate::coerce::explicit_cast;
use crate::{BoundCall, Call, CastMode, Example, Expr, Function, Keyword, Origin};

/// The pattern of texts unless one is given.
pub(super) const PATTERN: &str = "yyyy-MM-dd HH:mm:ss";

/// ADDDAY and its kin.
macro_rules! adding {
    ($name:literal, $aliases:expr, $unit:literal, $what:literal, $example:literal => $result:literal) => {
        Function::new(
            $name,
            concat!(
                $name,
                "(moment DATE | TIMESTAMP, count INT) -> DATE | TIMESTAMP\n",
                $name,
                "(moment STRING [, pattern STRING], count INT) -> STRING"
            ),
            concat!(
                "The moment so many ",
                $what,
                " later; as TIMESTAMPADD does. A text is written as it is read, as 'yyyy-MM-dd HH:mm:ss' or by the pattern; NULL if it is none."
            ),
            &[Example::new($example, $result)],
            |c| added(c, $unit),
        )
        .aliases($aliases)
        .origin(Origin::Ancestor)
    };
}

pub(super) const FUNCTIONS: &[Function] = &[
    adding!("ADDYEAR", &["YEARADD"], "YEAR", "years", "ADDYEAR('2020-02-29 01:02:03', 1)" => "2021-02-28 01:02:03"),
    adding!("ADDMONTH", &["MONTHADD"], "MONTH", "months", "ADDMONTH('20200131', 'yyyyMMdd', 1)" => "20200229"),
    adding!("ADDDAY", &["DAYADD"], "DAY", "days", "ADDDAY(DATE '2020-02-28', 2)" => "2020-03-01"),
    adding!("ADDHOUR", &["HOURADD"], "HOUR", "hours", "ADDHOUR('2020-02-28 23:00:00', 2)" => "2020-02-29 01:00:00"),
    Function::new(
        "DATEADD",
        "DATEADD(moment STRING | DATE | TIMESTAMP, part STRING, count INT) -> type of moment",
        "The moment so many units later; as TIMESTAMPADD does. The part is a constant: 'yyyy', 'year', 'mm', 'month', 'dd', 'day', 'hh', 'hour', 'mi', 'minute', 'ss', 'second', 'week', 'quarter'.",
        &[
            Example::new("DATEADD('2020-02-28 23:00:00', 'mm', 1)", "2020-03-28 23:00:00"),
            Example::new("DATEADD(DATE '2020-02-28', 'dd', 1)", "2020-02-29"),
        ],
        date_add,
    )
    .aliases(&["ADDDATE", "TIMEADD"])
    .origin(Origin::Ancestor),
    Function::new(
        "DATE_ADD",
        "DATE_ADD(moment STRING | DATE | TIMESTAMP, days INT) -> STRING",
        "The date so many days later, as 'yyyy-MM-dd'. NULL if the text is no date.",
        &[Example::new("DATE_ADD('2017-09-15 00:00:00', 30)", "2017-10-15")],
        |c| moved_date(c, "DATE_ADD", false),
    )
    .origin(Origin::Ancestor),
    Function::new(
        "DATE_SUB",
        "DATE_SUB(moment STRING | DATE | TIMESTAMP, days INT) -> STRING",
        "The date so many days before, as 'yyyy-MM-dd'. NULL if the text is no date.",
        &[Example::new("DATE_SUB('2017-10-15', 30)", "2017-09-15")],
        |c| moved_date(c, "DATE_SUB", true),
    )
    .origin(Origin::Ancestor),
    Function::new(
        "DATEDIFF",
        "DATEDIFF(end STRING | DATE | TIMESTAMP, start STRING | DATE | TIMESTAMP) -> INT",
        "The days from the second date to the first one; times of day do not count. NULL if a text is no date.",
        &[
            Example::new("DATEDIFF('2017-10-15 00:00:00', '2017-09-15')", "30"),
            Example::new("DATEDIFF('2017-09-15', TIMESTAMP '2017-10-15 23:00:00')", "-30"),
        ],
        date_diff,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "DATETRUNC",
        "DATETRUNC(moment DATE | TIMESTAMP, part STRING) -> type of moment\nDATETRUNC(moment STRING, part STRING [, pattern STRING]) -> STRING",
        "The begin of the year, month, day, hour or other part in which the moment lies; parts are DATEADD's. A text gives 'yyyy-MM-dd HH:mm:ss'.",
        &[Example::new("DATETRUNC('2020-02-28 23:10:20', 'month')", "2020-02-01 00:00:00")],
        truncated,
    )
    .aliases(&["DATEFIRST"])
    .origin(Origin::Ancestor),
    Function::new(
        "LASTDAY",
        "LASTDAY(moment DATE | TIMESTAMP) -> type of moment\nLASTDAY(moment STRING [, pattern STRING]) -> STRING",
        "The last day of the month, at midnight.",
        &[Example::new("LASTDAY('2020-02-10 23:10:20')", "2020-02-29 00:00:00"), Example::new("LASTDAY(DATE '2021-02-10')", "2021-02-28")],
        last_day,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "NEXTDAY",
        "NEXTDAY(moment STRING | DATE | TIMESTAMP, weekday STRING) -> STRING",
        "The first date behind the moment that is a weekday, as 'yyyy-MM-dd'. The weekday is a constant: 'MO', 'MON', 'MONDAY' and so on.",
        &[Example::new("NEXTDAY('2020-02-28', 'MON')", "2020-03-02"), Example::new("NEXTDAY('2020-02-28', 'FR')", "2020-03-06")],
        next_day,
    )
    .origin(Origin::Ancestor),
];

/// A moment and how it is given back.
pub(super) struct Moment {
    /// DATE, TIMESTAMP or TIMESTAMP_LTZ.
    pub expr: Expr,
    /// The pattern of the text that it was.
    pub pattern: Option<Expr>,
}

impl Moment {
    /// The argument at a position; `pattern` is the position of its pattern.
    pub fn of(call: &Call<'_>, index: usize, pattern: Option<usize>, form: &str) -> Result<Moment, Fault> {
        let arg = call.arg(index)?;
        match &arg.data_type.kind {
            TypeKind::Date | TypeKind::Timestamp(..) | TypeKind::TimestampLtz(..) if pattern.is_none() => {
                Ok(Moment { expr: arg.clone(), pattern: None })
            }
            _ => {
                let mut args = vec![call.string(index, form)?];
                if let Some(p) = pattern {
                    args.push(call.string(p, form)?);
                }
                let pattern = args.get(1).cloned().unwrap_or_else(|| text(PATTERN));
                Ok(Moment { expr: apply(call, "TO_TIMESTAMP", &args)?, pattern: Some(pattern) })
            }
        }
    }

    /// A result of the moment's type, as text if the moment was one.
    fn given_back(&self, call: &Call<'_>, result: Expr) -> Result<Expr, Fault> {
        match &self.pattern {
            None => Ok(result),
            Some(pattern) => apply(call, "DATE_FORMAT", &[result, pattern.clone()]),
        }
    }

    /// Its date.
    fn date(&self, call: &Call<'_>) -> Result<Expr, Fault> {
        explicit_cast(self.expr.clone(), &TypeKind::Date.nullable(), CastMode::Cast, call.context)
    }
}

/// The unit that a constant names.
pub(super) fn unit(call: &Call<'_>, index: usize, form: &str) -> Result<&'static str, Fault> {
    let word = call.literal_text(index).ok_or_else(|| call.refuse(form))?.trim().to_lowercase();
    Ok(match word.as_str() {
        "yyyy" | "yy" | "year" => "YEAR",
        "qq" | "q" | "quarter" => "QUARTER",
        "mm" | "month" | "mon" => "MONTH",
        "ww" | "wk" | "week" => "WEEK",
        "dd" | "d" | "day" => "DAY",
        "hh" | "hour" => "HOUR",
        "mi" | "minute" => "MINUTE",
        "ss" | "second" => "SECOND",
        _ => {
            return Err(Fault::user("bad-argument", format!("'{word}' is no part of a date"))
                .at(call.span)
                .hint("write 'year', 'quarter', 'month', 'week', 'day', 'hour', 'minute' or 'second'"));
        }
    })
}

fn count(call: &Call<'_>, index: usize, form: &str) -> Result<Expr, Fault> {
    call.number(index, TypeKind::BigInt, form)
}

fn added(call: &Call<'_>, unit: &str) -> Result<BoundCall, Fault> {
    let form = format!(
        "{0}(<DATE> | <TIMESTAMP> | <CHARACTER>, <INTEGER>)\n{0}(<CHARACTER>, <CHARACTER>, <INTEGER>)",
        call.name.to_uppercase()
    );
    call.expect(2, 3, &form)?;
    let moment = Moment::of(call, 0, (call.args.len() == 3).then_some(1), &form)?;
    let args = [count(call, call.args.len() - 1, &form)?, moment.expr.clone()];
    let sum = with_unit(call, "TIMESTAMPADD", unit, &args);
    stands_for(call, &form, sum.and_then(|s| moment.given_back(call, s)))
}

fn date_add(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "DATEADD(<CHARACTER> | <DATE> | <TIMESTAMP>, <part>, <INTEGER>)";
    call.expect(3, 3, FORM)?;
    let unit = unit(call, 1, FORM)?;
    let moment = Moment::of(call, 0, None, FORM)?;
    let sum = with_unit(call, "TIMESTAMPADD", unit, &[count(call, 2, FORM)?, moment.expr.clone()]);
    stands_for(call, FORM, sum.and_then(|s| moment.given_back(call, s)))
}

fn moved_date(call: &Call<'_>, name: &str, back: bool) -> Result<BoundCall, Fault> {
    let form = format!("{name}(<CHARACTER> | <DATE> | <TIMESTAMP>, <INTEGER>)");
    call.expect(2, 2, &form)?;
    let date = Moment::of(call, 0, None, &form)?.date(call)?;
    let days = count(call, 1, &form)?;
    let days = if back { apply(call, "NEGATE", &[days])? } else { days };
    let moved = with_unit(call, "TIMESTAMPADD", "DAY", &[days, date]);
    stands_for(call, &form, moved.map(|date| convert(date, TypeKind::STRING)))
}

fn date_diff(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "DATEDIFF(<CHARACTER> | <DATE> | <TIMESTAMP>, <CHARACTER> | <DATE> | <TIMESTAMP>)";
    call.expect(2, 2, FORM)?;
    let end = Moment::of(call, 0, None, FORM)?.date(call)?;
    let start = Moment::of(call, 1, None, FORM)?.date(call)?;
    stands_for(call, FORM, with_unit(call, "TIMESTAMPDIFF", "DAY", &[start, end]))
}

/// FLOOR to a unit.
fn floor(call: &Call<'_>, moment: Expr, unit: &str) -> Result<Expr, Fault> {
    let to = [("TO", Keyword::Word(unit.into()))];
    crate::functions::call_expr("FLOOR", &[moment], &to, call.span, call.context)
}

fn truncated(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str =
        "DATETRUNC(<CHARACTER> | <DATE> | <TIMESTAMP>, <part>)\nDATETRUNC(<CHARACTER>, <part>, <CHARACTER>)";
    call.expect(2, 3, FORM)?;
    let unit = unit(call, 1, FORM)?;
    let moment = Moment::of(call, 0, (call.args.len() == 3).then_some(2), FORM)?;
    let begin = floor(call, moment.expr.clone(), unit)?;
    let moment = Moment { pattern: moment.pattern.map(|_| text(PATTERN)), ..moment };
    stands_for(call, FORM, moment.given_back(call, begin))
}

fn last_day(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "LASTDAY(<CHARACTER> | <DATE> | <TIMESTAMP>)\nLASTDAY(<CHARACTER>, <CHARACTER>)";
    call.expect(1, 2, FORM)?;
    let moment = Moment::of(call, 0, (call.args.len() == 2).then_some(1), FORM)?;
    let first = floor(call, moment.expr.clone(), "MONTH")?;
    let next = with_unit(call, "TIMESTAMPADD", "MONTH", &[int(1), first])?;
    let last = with_unit(call, "TIMESTAMPADD", "DAY", &[int(-1), next])?;
    stands_for(call, FORM, moment.given_back(call, last))
}

fn next_day(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "NEXTDAY(<CHARACTER> | <DATE> | <TIMESTAMP>, <weekday>)";
    const DAYS: [&str; 7] = ["MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY", "SUNDAY"];
    call.expect(2, 2, FORM)?;
    let word = call.literal_text(1).ok_or_else(|| call.refuse(FORM))?.trim().to_uppercase();
    let wanted = DAYS.iter().position(|d| word.len() >= 2 && d.starts_with(&word)).ok_or_else(|| {
        Fault::user("bad-argument", format!("'{word}' is no weekday"))
            .at(call.span)
            .hint("write 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT' or 'SUN'")
    })?;
    let date = Moment::of(call, 0, None, FORM)?.date(call)?;
    // Days to go: one more than the rest of (wanted - today - 1), which is never negative with 7 added.
    let today = with_unit(call, "EXTRACT", "ISODOW", std::slice::from_ref(&date))?;
    let ahead = apply(call, "-", &[int(wanted as i64 + 7), today])?;
    let days = apply(call, "+", &[apply(call, "%", &[ahead, int(7)])?, int(1)])?;
    let next = with_unit(call, "TIMESTAMPADD", "DAY", &[days, date])?;
    let nullable = next.data_type.nullable;
    let text = convert(next, TypeKind::STRING);
    stands_for(call, FORM, Ok(Expr { data_type: DataType::string().with_nullable(nullable), ..text }))
}
