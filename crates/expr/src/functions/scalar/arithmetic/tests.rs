use millstream_types::{DataType, Fault, Span, TypeKind as K, Value};

use crate::Expr;
use crate::functions::call_expr;
use crate::testing::{context, eval_one, literal, text};

fn run(name: &str, args: &[Expr]) -> Result<(String, Value), Fault> {
    let expr = call_expr(name, args, &[], Span::default(), &context())?;
    Ok((expr.data_type.to_string(), eval_one(&expr)?))
}

fn check(name: &str, args: &[Expr], data_type: &str, value: impl Into<Value>) {
    let (t, v) = run(name, args).unwrap();
    assert_eq!((t.as_str(), v), (data_type, value.into()), "{name} {args:?}");
}

fn of(value: i64, kind: K) -> Expr {
    Expr::literal(value, kind.not_null())
}

fn d(v: i128) -> Value {
    Value::Decimal(v)
}

#[test]
fn integers_wrap() {
    check("+", &[literal(2_147_483_647), literal(1)], "INT NOT NULL", -2_147_483_648);
    check("*", &[of(i64::MAX, K::BigInt), literal(2)], "BIGINT NOT NULL", -2);
    check("+", &[of(127, K::TinyInt), of(1, K::TinyInt)], "TINYINT NOT NULL", -128);
    check("NEGATE", &[literal(-2_147_483_648)], "INT NOT NULL", -2_147_483_648);
    check("ABS", &[of(-128, K::TinyInt)], "TINYINT NOT NULL", -128);
    check("/", &[literal(-7), literal(2)], "INT NOT NULL", -3);
    check("%", &[of(7, K::BigInt), literal(2)], "INT NOT NULL", 1);
    check("MOD", &[literal(-10), literal(3)], "INT NOT NULL", -1);
    let fault = run("/", &[literal(1), literal(0)]).unwrap_err();
    assert!(fault.message().contains("Division by zero"));
}

#[test]
fn decimals_have_flinks_digits() {
    check("+", &[literal("7.5:2,1"), literal(2)], "DECIMAL(12, 1) NOT NULL", d(95));
    check("/", &[literal("7.5:2,1"), literal(2)], "DECIMAL(13, 12) NOT NULL", d(3_750_000_000_000));
    check("/", &[literal(2), literal("3.0:2,1")], "DECIMAL(17, 6) NOT NULL", d(666_667));
    check("*", &[literal("1:38,10"), literal("3:38,10")], "DECIMAL(38, 6) NOT NULL", d(3_000_000));
    check("-", &[literal("1:38,10"), literal("3:38,10")], "DECIMAL(38, 9) NOT NULL", d(-2_000_000_000));
    check("%", &[literal("-5.5:2,1"), literal(2)], "DECIMAL(2, 1) NOT NULL", d(-15));
    check("%", &[literal("10:20,0"), literal(3)], "INT NOT NULL", 1);
    let big = Expr::literal(d(10i128.pow(38) - 1), K::Decimal { precision: 38, scale: 0 }.not_null());
    check("+", &[big.clone(), big], "DECIMAL(38, 0) NOT NULL", Value::Null);
}

#[test]
fn floats_and_mixtures() {
    let f = |v: f64| Expr::literal(Value::Float(v), K::Float.not_null());
    check("+", &[f(0.5), literal(0.25)], "FLOAT NOT NULL", Value::Float(0.75));
    check("*", &[literal("2.5:2,1"), literal(2.0)], "DOUBLE NOT NULL", Value::Float(5.0));
    check("/", &[literal(1.0), literal(0)], "DOUBLE NOT NULL", Value::Float(f64::INFINITY));
    assert!(run("%", &[literal(1.0), literal(1)]).is_err());
    assert!(run("+", &[text("1"), literal(1)]).is_err());
    assert_eq!(
        run("+", &[literal(1), Expr::literal(Value::Null, K::Null.nullable())]).unwrap_err().message(),
        "Illegal use of 'NULL'"
    );
}

#[test]
fn rounding() {
    check("ROUND", &[literal("2.5:2,1")], "DECIMAL(2, 0) NOT NULL", d(3));
    check("ROUND", &[literal("-1.555:4,3"), literal(2)], "DECIMAL(4, 2) NOT NULL", d(-156));
    check("ROUND", &[literal(1250), literal(-2)], "INT NOT NULL", 1300);
    check("ROUND", &[literal(2.675), literal(2)], "DOUBLE NOT NULL", Value::Float(2.68));
    check("ROUND", &[literal("99.99:4,2"), literal(1)], "DECIMAL(4, 1) NOT NULL", d(1000));
    check("TRUNCATE", &[literal("42.324:5,3")], "DECIMAL(3, 0) NOT NULL", d(42));
    check("TRUNCATE", &[literal("1.5:2,1"), literal(10)], "DECIMAL(2, 1) NOT NULL", d(15));
    check("TRUNCATE", &[literal(42.329), literal(2)], "DOUBLE NOT NULL", Value::Float(42.32));
    check("CEIL", &[literal("99.99:4,2")], "DECIMAL(4, 0) NOT NULL", d(100));
    check("FLOOR", &[literal("-0.01:3,2")], "DECIMAL(3, 0) NOT NULL", d(-1));
}

#[test]
fn other_functions() {
    check("GREATEST", &[text("a"), text("b"), text("ab")], "VARCHAR(2) NOT NULL", "b");
    check("LEAST", &[literal("1.5:2,1"), literal(2)], "DECIMAL(11, 1) NOT NULL", d(15));
    let null = Expr::literal(Value::Null, DataType::int());
    check("GREATEST", &[literal(1), null], "INT", Value::Null);
    check("HEX", &[literal(-1)], "STRING NOT NULL", "FFFFFFFFFFFFFFFF");
    check("HEX", &[text("日本")], "STRING NOT NULL", "E697A5E69CAC");
    check("UNHEX", &[text("  41")], "BYTES", Value::Null);
    check("BIN", &[literal(12)], "STRING NOT NULL", "1100");
    check("LOG", &[literal(10), literal(1000)], "DOUBLE NOT NULL", Value::Float(2.999_999_999_999_999_6));
    check("RAND", &[literal(42)], "DOUBLE NOT NULL", Value::Float(0.727_563_680_032_868_1));
    check("RAND_INTEGER", &[literal(7), literal(100)], "INT NOT NULL", 36);
    check("SIGN", &[of(-3, K::BigInt)], "BIGINT NOT NULL", -1);
}

#[test]
fn intervals() {
    let days = |ms: i64| Expr::literal(ms, K::interval_seconds().not_null());
    let months = |m: i64| Expr::literal(m, K::interval_months().not_null());
    let date = Expr::literal(18_292, K::Date.not_null()); // 2020-01-31
    check("+", &[date.clone(), months(1)], "DATE NOT NULL", 18_321);
    check("-", &[date.clone(), days(86_400_000)], "DATE NOT NULL", 18_291);
    let ts = Expr::literal(1_580_464_800_000_000, K::timestamp(0).not_null());
    check("+", &[days(5000), ts], "TIMESTAMP(0) NOT NULL", 1_580_464_805_000_000);
    let time = Expr::literal(23 * 3_600_000, K::Time(0).not_null());
    check("+", &[time, days(7_200_000)], "TIME(0) NOT NULL", 3_600_000);
    check("*", &[literal(3), days(86_400_000)], "INTERVAL SECOND(3) NOT NULL", 259_200_000);
    check("NEGATE", &[days(1)], "INTERVAL SECOND(3) NOT NULL", -1);
    assert!(run("/", &[days(1), literal(2)]).is_err());
    assert!(run("+", &[date, literal(1)]).is_err());
}
