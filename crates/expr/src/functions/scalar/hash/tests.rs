use millstream_types::{DataType, Span, TypeKind, Value};

use crate::Expr;
use crate::functions::call_expr;
use crate::testing::{column, context, eval_one, eval_rows, literal, text};

fn eval(name: &str, args: &[Expr]) -> Value {
    eval_one(&call_expr(name, args, &[], Span::default(), &context()).unwrap()).unwrap()
}

#[test]
fn bytes_and_their_text_have_the_same_digest() {
    for name in ["MD5", "SHA1", "SHA224", "SHA256", "SHA384", "SHA512"] {
        let bytes = Expr::literal(Value::Bytes("日本".as_bytes().into()), TypeKind::BYTES.not_null());
        assert_eq!(eval(name, &[bytes]), eval(name, &[text("日本")]), "{name}");
    }
}

#[test]
fn bits_of_a_column_are_checked_at_run_time() {
    let sha2 =
        call_expr("SHA2", &[text("abc"), Expr::column(0, DataType::int())], &[], Span::default(), &context())
            .unwrap();
    assert!(sha2.fallible());
    let bits = |values: &[Value]| column(values, &DataType::int());
    let out = eval_rows(&sha2, &[bits(&[Value::Int(256), Value::Null])], 2).unwrap();
    assert_eq!(Value::from_array(&out, 0, &sha2.data_type), eval("SHA256", &[text("abc")]));
    assert_eq!(Value::from_array(&out, 1, &sha2.data_type), Value::Null);
    assert_eq!(eval_rows(&sha2, &[bits(&[Value::Int(1)])], 1).unwrap_err().code(), "bad-argument");
    let wrong = call_expr("SHA2", &[text("abc"), literal(0)], &[], Span::default(), &context());
    assert_eq!(wrong.unwrap_err().code(), "bad-argument");
}

#[test]
fn hash_codes_are_javas() {
    // "日本😀".hashCode() and Double.hashCode(1.5), Long.hashCode(-2), Boolean.hashCode(false).
    let java = |s: &str| s.encode_utf16().fold(0i32, |h, u| h.wrapping_mul(31).wrapping_add(u.into())).abs();
    assert_eq!(eval("HASH_CODE", &[text("日本😀")]), Value::Int(java("日本😀").into()));
    assert_eq!(eval("HASH_CODE", &[literal(1.5)]), Value::Int(1_073_217_536));
    let long = Expr::literal(-2, TypeKind::BigInt.not_null());
    assert_eq!(eval("HASH_CODE", &[long]), Value::Int(1));
    assert_eq!(eval("HASH_CODE", &[Expr::boolean(false)]), Value::Int(1237));
}
