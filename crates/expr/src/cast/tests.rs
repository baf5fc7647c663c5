use millstream_types::{DataType, Fault, TypeKind as K, Value};

use crate::coerce::explicit_cast;
use crate::testing::{context, eval_one, literal, text};
use crate::{CastMode, Expr, ExprKind};

fn cast(expr: Expr, to: K, mode: CastMode) -> Result<Value, Fault> {
    eval_one(&explicit_cast(expr, &to.nullable(), mode, &context())?)
}

fn shown(expr: Expr, to: K) -> String {
    let expr = explicit_cast(expr, &to.nullable(), CastMode::Cast, &context()).unwrap();
    match cast(expr, K::STRING, CastMode::Cast) {
        Ok(Value::String(s)) => s.to_string(),
        Ok(other) => format!("{other:?}"),
        Err(f) => format!("error: {}", f.message()),
    }
}

fn decimal(precision: u8, scale: u8) -> K {
    K::Decimal { precision, scale }
}

#[test]
fn text_to_everything() {
    assert_eq!(shown(text("42"), K::Char(3)), "42 ");
    assert_eq!(shown(text("abcdef"), K::VarChar(3)), "abc");
    assert_eq!(shown(text("日本語"), K::VarChar(2)), "日本");
    assert_eq!(shown(text("-1.5"), decimal(5, 2)), "-1.50");
    assert_eq!(shown(text("-1.5"), K::TinyInt), "-1");
    assert_eq!(shown(text(" 42 "), K::Date), "0042-01-01");
    assert_eq!(shown(text("10:20:30.123"), K::Time(0)), "10:20:30");
    assert_eq!(shown(text("2020-02-29 13:14:15.9999"), K::timestamp(3)), "2020-02-29 13:14:15.999");
    assert_eq!(shown(text("2020-02-29 13:14:15.678"), K::timestamp_ltz(3)), "2020-02-29 13:14:15.678");
    assert_eq!(shown(text("yes"), K::Boolean), "TRUE");
    assert_eq!(cast(text("abc"), K::Binary(5), CastMode::Cast).unwrap(), Value::Bytes(b"abc\0\0"[..].into()));
    let fault = cast(text("abc"), K::Int, CastMode::Cast).unwrap_err();
    assert!(fault.message().contains("'abc'") && fault.message().contains("INT"), "{fault}");
    assert_eq!(cast(text("abc"), K::Int, CastMode::TryCast).unwrap(), Value::Null);
    assert!(cast(text("1234.5"), decimal(5, 2), CastMode::Cast).is_err());
}

#[test]
fn numbers_wrap_saturate_or_are_null() {
    assert_eq!(cast(literal(300), K::TinyInt, CastMode::Cast).unwrap(), Value::Int(44));
    assert_eq!(cast(literal(65536), decimal(5, 2), CastMode::Cast).unwrap(), Value::Null);
    assert_eq!(cast(literal(1e10), K::Int, CastMode::Cast).unwrap(), Value::Int(i32::MAX.into()));
    assert_eq!(cast(literal(1e10), K::TinyInt, CastMode::Cast).unwrap(), Value::Int(-1));
    assert_eq!(
        cast(literal("99999999999.99:13,2"), K::Int, CastMode::Cast).unwrap(),
        Value::Int(1_215_752_191)
    );
    assert_eq!(shown(literal("99999999999.99:13,2"), K::Float), "9.9999998E10");
    assert_eq!(shown(literal("123.456:6,3"), decimal(5, 2)), "123.46");
    assert_eq!(shown(literal(2.999), decimal(5, 2)), "3.00");
    assert_eq!(shown(literal(1e-7), K::VarChar(3)), "1.0");
    assert_eq!(shown(Expr::boolean(true), decimal(5, 2)), "1.00");
    assert_eq!(shown(literal("0.5:1,1"), K::Boolean), "TRUE");
}

#[test]
fn dates_and_times() {
    let ts = |s: &str, p| {
        let e = explicit_cast(text(s), &K::timestamp(p).nullable(), CastMode::Cast, &context());
        e.unwrap()
    };
    assert_eq!(shown(ts("1969-12-31 23:59:59.5", 1), K::Date), "1970-01-01");
    assert_eq!(shown(ts("1969-12-31 23:59:59.5", 1), K::Time(0)), "00:00:00");
    assert_eq!(shown(ts("2020-02-29 13:14:15.678", 3), K::timestamp(0)), "2020-02-29 13:14:15");
    assert_eq!(shown(ts("2020-02-29 13:14:15", 0), K::timestamp(9)), "2020-02-29 13:14:15.000000000");
    let time = explicit_cast(text("13:14:15"), &K::Time(0).nullable(), CastMode::Cast, &context()).unwrap();
    assert_eq!(shown(time, K::timestamp_ltz(3)), "1970-01-01 13:14:15.000");
}

#[test]
fn nested_values() {
    let array = Expr::literal(
        Value::Array([Value::from("1"), "x".into()].into()),
        K::Array(Box::new(K::Char(1).not_null())).not_null(),
    );
    assert_eq!(shown(array.clone(), K::STRING), "[1, x]");
    let ints = K::Array(Box::new(DataType::int()));
    assert!(cast(array.clone(), ints.clone(), CastMode::Cast).is_err());
    assert_eq!(cast(array, ints, CastMode::TryCast).unwrap(), Value::Null);
    let map = Expr::literal(
        Value::Map([("k".into(), Value::Int(1))].into()),
        DataType::map(K::Char(1).not_null(), K::Int.not_null()),
    );
    assert_eq!(shown(map.clone(), K::STRING), "{k=1}");
    let longs = K::Map(Box::new(DataType::string()), Box::new(DataType::bigint()));
    assert_eq!(shown(map, longs), "{k=1}");
    let row = DataType::row([("x", DataType::int()), ("y", DataType::string())]);
    let value = Expr::literal(Value::Row([Value::Int(1), Value::Null].into()), row);
    assert_eq!(shown(value.clone(), K::STRING), "(1, NULL)");
    let renamed = DataType::row([("a", DataType::bigint()), ("b", DataType::string())]);
    assert_eq!(
        cast(value, renamed.kind, CastMode::Cast).unwrap(),
        Value::Row([Value::Int(1), Value::Null].into())
    );
}

#[test]
fn refusals_name_both_types() {
    let fault = cast(literal(1), K::Date, CastMode::Cast).unwrap_err();
    assert_eq!(fault.message(), "Cast function cannot convert value of type INT to type DATE");
    let fault = cast(literal(1), K::timestamp(3), CastMode::Cast).unwrap_err();
    assert!(fault.remedy().unwrap().contains("TO_TIMESTAMP_LTZ"), "{fault}");
}

#[test]
fn legacy_casts() {
    let mut legacy = context();
    legacy.legacy_cast = true;
    let run = |e: Expr, to: K| {
        eval_one(&explicit_cast(e, &to.nullable(), CastMode::Cast, &legacy).unwrap()).unwrap()
    };
    assert_eq!(run(text(""), K::Int), Value::Null);
    assert_eq!(run(Expr::boolean(true), K::STRING), "true".into());
    assert_eq!(run(text("a"), K::Char(3)), "a".into());
    let plain = explicit_cast(text("a"), &K::Char(3).nullable(), CastMode::Cast, &context()).unwrap();
    assert!(matches!(plain.kind, ExprKind::Cast { .. }));
}
