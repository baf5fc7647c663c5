use millstream_types::{Fault, Span, Value};

use crate::Expr;
use crate::functions::call_expr;
use crate::testing::{context, eval_one, literal, text};

fn call(name: &str, args: &[Expr]) -> Result<Expr, Fault> {
    call_expr(name, args, &[], Span::default(), &context())
}

fn parse(json: &str) -> Result<Value, Fault> {
    eval_one(&call("PARSE_JSON", &[text(json)])?)
}

#[test]
fn one_text_for_equal_values() {
    assert_eq!(
        parse(" { \"b\" : 1.50, \"a\" : [1e2, -0, 1.0, \"x:\\\":\"] } ").unwrap(),
        Value::from("{\"a\":[100.0,0,1,\"x:\\\":\"],\"b\":1.5}")
    );
    assert!(parse("{\"a\":1,\"b\":{\"a\":1,\"a\":2}}").is_err());
    assert!(parse("{\"a\":1,\"b\":{\"a\":1}}").is_ok());
    assert!(parse(&"[".repeat(5000)).is_err());
}

#[test]
fn items() {
    let v = call("PARSE_JSON", &[text("{\"a\":[10,{\"b\":null}]}")]).unwrap();
    let a = call("[]", &[v.clone(), text("a")]).unwrap();
    let at = |i: i64| eval_one(&call("[]", &[a.clone(), literal(i)]).unwrap());
    assert_eq!(at(1).unwrap(), Value::from("10"));
    assert_eq!(at(2).unwrap(), Value::from("{\"b\":null}"));
    assert_eq!(at(0).unwrap(), Value::Null);
    assert_eq!(at(3).unwrap(), Value::Null);
    assert_eq!(eval_one(&call("[]", &[v.clone(), text("z")]).unwrap()).unwrap(), Value::Null);
    assert!(eval_one(&call("[]", &[v, literal(1)]).unwrap()).is_err());
    assert!(eval_one(&call("[]", &[a, text("a")]).unwrap()).is_err());
}
