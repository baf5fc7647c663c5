use millstream_types::{Span, TypeKind as K, Value};

use super::*;
use crate::functions::call_expr;
use crate::testing::{context, eval_one, literal};

fn ask(name: &str, args: &[Expr]) -> Result<Value, Fault> {
    let expr = call_expr(name, args, &[], Span::default(), &context())?;
    eval_one(&expr)
}

fn n(kind: K) -> Expr {
    Expr::literal(Value::Null, kind.nullable())
}

#[test]
fn numbers_of_different_types() {
    assert_eq!(ask("=", &[literal(1), literal("1.0:2,1")]).unwrap(), Value::Boolean(true));
    assert_eq!(ask(">=", &[literal("1.10:3,2"), literal("1.1:2,1")]).unwrap(), Value::Boolean(true));
    let wide =
        Expr::literal(Value::Decimal(10i128.pow(37)), K::Decimal { precision: 38, scale: 0 }.not_null());
    assert_eq!(ask(">", &[wide, literal("1.1:38,37")]).unwrap(), Value::Boolean(true));
}

#[test]
fn null_is_unknown_but_not_distinct() {
    assert_eq!(ask("=", &[literal(1), n(K::Int)]).unwrap(), Value::Null);
    assert_eq!(ask("IS DISTINCT FROM", &[literal(1), n(K::Int)]).unwrap(), Value::Boolean(true));
    assert_eq!(ask("IS NOT DISTINCT FROM", &[n(K::Null), n(K::Null)]).unwrap(), Value::Boolean(true));
}

#[test]
fn text_and_numbers() {
    let one = Expr::literal("1", K::Char(1).not_null());
    let fault = ask("=", &[literal(1), one.clone()]).unwrap_err();
    assert_eq!(fault.message(), "implicit type conversion between INT and CHAR is not supported now");
    assert_eq!(ask(">", &[one.clone(), literal(0)]).unwrap(), Value::Boolean(true));
    assert_eq!(ask("IN", &[literal(1), one]).unwrap(), Value::Boolean(true));
}

#[test]
fn in_lists() {
    let ints = |v: &[i64]| v.iter().map(|i| literal(*i)).collect::<Vec<_>>();
    assert_eq!(ask("IN", &ints(&[4, 1, 2, 3, 5, 6])).unwrap(), Value::Boolean(false));
    assert_eq!(ask("IN", &ints(&[4, 1, 2, 3, 5, 4])).unwrap(), Value::Boolean(true));
    let mut with_null = ints(&[4, 1, 2, 3, 5]);
    with_null.push(n(K::Null));
    assert_eq!(ask("IN", &with_null).unwrap(), Value::Null);
    let texts: Vec<Expr> = ["z", "a", "b", "cc", "ddd"]
        .iter()
        .map(|s| Expr::literal(*s, K::Char(s.len() as u32).not_null()))
        .collect();
    assert_eq!(ask("IN", &texts).unwrap(), Value::Boolean(false));
}

#[test]
fn between_is_two_comparisons() {
    let c = context();
    let b = |v: i64, l: i64, h: i64, s| {
        eval_one(&between(&literal(v), &literal(l), &literal(h), s, Span::default(), &c).unwrap()).unwrap()
    };
    assert_eq!(b(12, 15, 12, false), Value::Boolean(false));
    assert_eq!(b(12, 15, 12, true), Value::Boolean(true));
}
