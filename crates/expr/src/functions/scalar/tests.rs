//! What must hold for every function.

use std::sync::Arc;

use millstream_types::{DataType, Span, TypeKind as K, Value};

use super::all;
use crate::testing::{context, eval_context};
use crate::{Call, CallExpr, Expr, ExprKind, Program, Rows, fold};

/// Values of all kinds, ordinary and extreme.
fn samples() -> Vec<Expr> {
    let s = |v: Value, k: K| Expr::literal(v, k.nullable());
    let text = |t: &str| s(t.into(), K::STRING);
    let mut all = vec![
        s(Value::Null, K::Null),
        s(Value::Null, K::STRING),
        s(Value::Null, K::Int),
        s(true.into(), K::Boolean),
        s(7.into(), K::Int),
        s(i64::from(i32::MIN).into(), K::Int),
        s(i64::MIN.into(), K::BigInt),
        s(i64::MAX.into(), K::BigInt),
        s((-1).into(), K::TinyInt),
        s(Value::Float(f64::NAN), K::Double),
        s(Value::Float(-1e308), K::Double),
        s(Value::Decimal(-10i128.pow(38) + 1), K::Decimal { precision: 38, scale: 20 }),
        s(i64::from(i32::MAX).into(), K::Date),
        s(86_399_999.into(), K::Time(3)),
        s(i64::MAX.into(), K::timestamp(6)),
        s(i64::MIN.into(), K::timestamp_ltz(9)),
        s(i64::from(i32::MIN).into(), K::interval_months()),
        s(i64::MIN.into(), K::interval_seconds()),
        s(Value::Bytes([0xff, 0][..].into()), K::BYTES),
        s(Value::Array([Value::Int(1), Value::Null].into()), K::Array(Box::new(DataType::int()))),
        s(Value::Array([].into()), K::Array(Box::new(DataType::string()))),
        s(
            Value::Map([("k".into(), Value::Null)].into()),
            K::Map(Box::new(DataType::string()), Box::new(DataType::int())),
        ),
        s(Value::Row([Value::Int(1)].into()), DataType::row([("x", DataType::int())]).kind),
    ];
    all.extend(["", "abc", "%a_\\", "(", "2020-02-29 13:14:15", "$.a[*]", "日本語", "UTC", "-5"].map(text));
    all
}

fn evaluate(name: &'static str, args: &[Expr], constant: bool) {
    let context = context();
    let Some(function) = all().find(|f| f.name == name) else { return };
    let span = Span::default();
    let Ok(bound) = (function.bind)(&Call { name, args, keywords: &[], span, context: &context }) else {
        return;
    };
    let call = CallExpr {
        name: name.into(),
        args: bound.args,
        keywords: Vec::new(),
        volatility: bound.volatility,
        fallible: bound.fallible,
        kernel: bound.kernel,
    };
    let expr = Expr::new(ExprKind::Call(Arc::new(call)), bound.data_type);
    let expr = if constant { fold(expr, &eval_context()) } else { expr };
    let Ok(program) = Program::compile(std::slice::from_ref(&expr)) else { return };
    let rows = Rows { columns: &[], rows: 3, watermarks: None };
    if let Ok(arrays) = program.eval(&rows, &eval_context()) {
        assert_eq!(arrays[0].len(), 3, "{name} {args:?}");
        assert_eq!(arrays[0].data_type(), &expr.data_type.to_arrow(), "{name} {args:?}");
    }
}

#[test]
fn no_arguments_make_a_function_panic() {
    let samples = samples();
    for f in all() {
        evaluate(f.name, &[], true);
        for a in &samples {
            evaluate(f.name, std::slice::from_ref(a), true);
            for b in &samples {
                evaluate(f.name, &[a.clone(), b.clone()], false);
            }
        }
        // Three arguments: neighbours in the list, so that kinds mix without taking all combinations.
        for window in samples.windows(3) {
            evaluate(f.name, window, false);
        }
    }
}
