//! What constants in queries cannot show: columns, paths that change from row to row.

use arrow::array::AsArray;
use millstream_types::{DataType, Fault, Span, Value};

use crate::functions::call_expr;
use crate::testing::{column, context, eval_one, eval_rows, text};
use crate::{Expr, Keyword};

fn call(name: &str, args: &[Expr], keywords: &[(&'static str, Keyword)]) -> Result<Expr, Fault> {
    call_expr(name, args, keywords, Span::default(), &context())
}

#[test]
fn paths_of_columns() {
    let texts = column(
        &["{\"a\":1,\"b\":[2]}".into(), "{\"a\":1,\"b\":[2]}".into(), "bad".into(), Value::Null],
        &DataType::string(),
    );
    let paths = column(&["$.a".into(), "lax $.b[0]".into(), "$.a".into(), "$".into()], &DataType::string());
    let args = [Expr::column(0, DataType::string()), Expr::column(1, DataType::string())];
    let value = call("JSON_VALUE", &args, &[]).unwrap();
    let got = eval_rows(&value, &[texts, paths], 4).unwrap();
    assert_eq!(got.as_string::<i32>().iter().collect::<Vec<_>>(), [Some("1"), Some("2"), None, None]);
}

#[test]
fn a_filter_fails_and_its_row_is_named() {
    let args = [text("{}"), text("$[?(@ > 1)]")];
    assert!(eval_one(&call("JSON_EXISTS", &args, &[]).unwrap()).is_err());
}

#[test]
fn json_nests_in_json_alone() {
    let json = call("JSON", &[text("{\"b\": 1.0, \"a\": [null]}")], &[]).unwrap();
    assert!(eval_one(&json).is_err());
    let array = call("JSON_ARRAY", &[json, text("x\"")], &[]).unwrap();
    assert_eq!(eval_one(&array).unwrap(), Value::from("[{\"a\":[null],\"b\":1.0},\"x\\\"\"]"));
    let bad = call("JSON_ARRAY", &[call("JSON", &[text("{")], &[]).unwrap()], &[]).unwrap();
    assert!(eval_one(&bad).is_err());
}

#[test]
fn helpers_take_what_is_no_json_for_null() {
    let run = |name: &str, args: &[Expr]| eval_one(&call(name, args, &[]).unwrap()).unwrap();
    for name in ["JSON_GET", "IN_MAX", "JSON_REMOVE", "JSON_EXPAND"] {
        assert_eq!(run(name, &[text("{"), text("a")]), Value::Null, "{name}");
    }
    assert_eq!(run("ARRAY_SIZE", &[text("{}")]), Value::Null);
    assert_eq!(run("JSON_MERGE", &[text("{\"a\":1}"), text("[]")]), Value::Null);
    let numbers = text("[{\"n\":9},{\"n\":10},{},{\"n\":null}]");
    assert_eq!(run("IN_MAX", &[numbers.clone(), text("n")]), Value::from("10"));
    assert_eq!(run("IN_MIN", &[numbers, text("n")]), Value::from("9"));
    let added =
        run("JSON_ADD", &[text("{\"b\":1.50}"), text("b"), crate::testing::literal(2), text("a"), text("x")]);
    assert_eq!(added, Value::from("{\"b\":2,\"a\":\"x\"}"));
}
