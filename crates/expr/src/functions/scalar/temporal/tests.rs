use millstream_types::{DataType, Span, TimeAttribute, TypeKind as K, Value};

use crate::functions::call_expr;
use crate::testing::{column, context, eval_context, eval_one, literal, text};
use crate::{EvalContext, Expr, Keyword, Program, Rows};
use arrow::array::Array;
use millstream_types::Fault;

fn moment(shown: &str) -> Expr {
    let (value, precision) = millstream_text::temporal::parse_timestamp_literal(shown).unwrap();
    Expr::literal(value.to_column(precision).unwrap(), K::timestamp(precision).not_null())
}

fn date(shown: &str) -> Expr {
    Expr::literal(i64::from(millstream_text::temporal::parse_date(shown).unwrap()), K::Date.not_null())
}

fn instant(millis: i64) -> Expr {
    Expr::literal(millis * 1000, K::timestamp_ltz(3).not_null())
}

fn bind(name: &str, args: &[Expr], unit: Option<&str>) -> Result<Expr, Fault> {
    let keywords: Vec<_> = unit.iter().map(|u| ("unit", Keyword::Word((*u).into()))).collect();
    call_expr(name, args, &keywords, Span::default(), &context())
}

/// The text and type of a call's value, in a session zone.
fn ask(name: &str, args: &[Expr], unit: Option<&str>, zone: &str) -> String {
    let expr = bind(name, args, unit).unwrap();
    let shown = Expr::new(
        crate::ExprKind::Cast { input: Box::new(expr), mode: crate::CastMode::Cast },
        DataType::string(),
    );
    let context = EvalContext { zone: zone.into(), ..eval_context() };
    let program = Program::compile(std::slice::from_ref(&shown)).unwrap();
    let rows = Rows { columns: &[], rows: 1, watermarks: None };
    let array = program.eval(&rows, &context).unwrap().remove(0);
    match Value::from_array(array.as_ref(), 0, &shown.data_type) {
        Value::String(s) => s.to_string(),
        _ => "NULL".to_string(),
    }
}

#[test]
fn instants_are_rounded_and_shown_in_the_session_zone() {
    let at = instant(1_582_981_455_678);
    assert_eq!(
        ask("FLOOR", std::slice::from_ref(&at), Some("DAY"), "Asia/Shanghai"),
        "2020-02-29 00:00:00.000"
    );
    assert_eq!(
        ask("CEIL", std::slice::from_ref(&at), Some("DAY"), "Asia/Shanghai"),
        "2020-03-01 00:00:00.000"
    );
    assert_eq!(ask("EXTRACT", &[instant(1_583_000_000_000)], Some("DAY"), "Asia/Shanghai"), "1");
    assert_eq!(ask("EXTRACT", &[instant(1_583_000_000_000)], Some("DAY"), "America/New_York"), "29");
    let format = [instant(0), text("yyyy-MM-dd HH:mm:ss")];
    assert_eq!(ask("DATE_FORMAT", &format, None, "America/New_York"), "1969-12-31 19:00:00");
    assert_eq!(ask("FROM_UNIXTIME", &[literal(44)], None, "America/New_York"), "1969-12-31 19:00:44");
    assert_eq!(ask("UNIX_TIMESTAMP", &[text("1970-01-01 08:00:01")], None, "Asia/Shanghai"), "1");
}

#[test]
fn the_clock_is_the_contexts() {
    assert_eq!(ask("CURRENT_TIMESTAMP", &[], None, "UTC"), "2020-02-29 18:13:20.000");
    assert_eq!(ask("LOCALTIME", &[], None, "Asia/Shanghai"), "02:13:20");
    assert_eq!(ask("CURRENT_DATE", &[], None, "Asia/Shanghai"), "2020-03-01");
    assert_eq!(ask("UNIX_TIMESTAMP", &[], None, "UTC"), "1583000000");
    let proctime = bind("PROCTIME", &[], None).unwrap();
    assert_eq!(proctime.data_type.kind, K::TimestampLtz(3, TimeAttribute::Proctime));
}

#[test]
fn a_wrong_pattern_fails_the_row_that_asks_for_it() {
    let call = |m: Expr| bind("DATE_FORMAT", &[m, text("foo")], None).unwrap();
    assert_eq!(eval_one(&call(moment("2020-02-29 13:14:15"))).unwrap_err().code(), "bad-date-pattern");
    let null = Expr::literal(Value::Null, K::timestamp(3).nullable());
    assert!(eval_one(&call(null)).unwrap().is_null());
}

#[test]
fn patterns_of_columns() {
    let patterns = ["yyyy", "HH:mm", "yyyy"].map(Value::from);
    let columns = [column(&patterns, &DataType::string())];
    let args = [moment("2020-02-29 13:14:15"), Expr::column(0, DataType::string())];
    let expr = bind("DATE_FORMAT", &args, None).unwrap();
    let array = crate::testing::eval_rows(&expr, &columns, 3).unwrap();
    let shown: Vec<_> = (0..3).map(|i| Value::from_array(array.as_ref(), i, &expr.data_type)).collect();
    assert_eq!(shown, ["2020", "13:14", "2020"].map(Value::from));
}

#[test]
fn what_does_not_fit_is_refused() {
    let refused = |name, args: &[Expr], unit| bind(name, args, unit).unwrap_err().code().to_string();
    let time = Expr::literal(1, K::Time(0).not_null());
    assert_eq!(refused("EXTRACT", &[time], Some("YEAR")), "argument-types");
    assert_eq!(refused("EXTRACT", &[date("2020-01-01")], Some("MICROSECOND")), "argument-types");
    assert_eq!(refused("DATE_FORMAT", &[date("2020-01-01"), text("yyyy")], None), "argument-types");
    assert_eq!(refused("TIMESTAMPADD", &[literal(1), text("2020-01-01")], Some("DAY")), "argument-types");
    assert_eq!(refused("FLOOR", &[date("2020-01-01")], Some("DOW")), "argument-types");
    assert_eq!(refused("CURRENT_WATERMARK", &[moment("2020-01-01 00:00:00")], None), "argument-types");
    assert_eq!(refused("TO_TIMESTAMP_LTZ", &[literal(1), literal(10)], None), "argument-types");
    assert_eq!(refused("TO_TIMESTAMP_LTZ", &[text("1000"), literal(3)], None), "argument-types");
}

#[test]
fn results_out_of_range_are_faults() {
    let far = bind(
        "TIMESTAMPADD",
        &[Expr::literal(i64::MAX, K::BigInt.not_null()), date("2020-01-01")],
        Some("YEAR"),
    );
    assert_eq!(eval_one(&far.unwrap()).unwrap_err().code(), "out-of-range");
    let seconds = [Expr::literal(i64::MAX, K::BigInt.not_null()), literal(3)];
    assert!(eval_one(&bind("TO_TIMESTAMP_LTZ", &seconds, None).unwrap()).unwrap().is_null());
}

#[test]
fn the_watermark_is_the_rows() {
    let rowtime = DataType { kind: K::Timestamp(3, TimeAttribute::Rowtime), nullable: true };
    let expr = bind("CURRENT_WATERMARK", &[Expr::column(0, rowtime.clone())], None).unwrap();
    let columns = [column(&[Value::Int(0), Value::Int(0)], &rowtime)];
    let program = Program::compile(std::slice::from_ref(&expr)).unwrap();
    let rows = Rows { columns: &columns, rows: 2, watermarks: Some(&[i64::MIN, 5000]) };
    let array = program.eval(&rows, &eval_context()).unwrap().remove(0);
    assert!(array.is_null(0));
    assert_eq!(Value::from_array(array.as_ref(), 1, &expr.data_type), Value::Int(5_000_000));
}
