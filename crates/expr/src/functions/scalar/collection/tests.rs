//! What constants in queries cannot show: columns, with NULLs and values of every shape.

use millstream_types::{DataType, Span, TypeKind, Value};

use crate::Expr;
use crate::functions::call_expr;
use crate::testing::{column, context, eval_one, eval_rows, text};

fn ints(items: &[i64]) -> Value {
    Value::Array(items.iter().map(|i| Value::Int(*i)).collect())
}

/// The values of a function over columns of (type, values).
fn run(name: &str, columns: &[(DataType, Vec<Value>)]) -> Vec<Value> {
    let args: Vec<Expr> = columns.iter().enumerate().map(|(i, (t, _))| Expr::column(i, t.clone())).collect();
    let expr = call_expr(name, &args, &[], Span::default(), &context()).unwrap();
    let rows = columns[0].1.len();
    let arrays: Vec<_> = columns.iter().map(|(t, v)| column(v, t)).collect();
    let result = eval_rows(&expr, &arrays, rows).unwrap();
    assert_eq!(result.data_type(), &expr.data_type.to_arrow());
    (0..rows).map(|i| Value::from_array(&result, i, &expr.data_type)).collect()
}

#[test]
fn columns_of_arrays() {
    let array = DataType::array(DataType::int());
    let a = vec![ints(&[3, 1, 3]), Value::Null, ints(&[]), Value::Array([Value::Null, Value::Int(2)].into())];
    let b = vec![ints(&[1]), ints(&[1]), ints(&[9]), ints(&[2, 5])];
    let two = [(array.clone(), a.clone()), (array.clone(), b)];
    let union =
        [ints(&[3, 1]), Value::Null, ints(&[9]), Value::Array([Value::Null, 2.into(), 5.into()].into())];
    assert_eq!(run("ARRAY_UNION", &two), union);
    let none = Value::Array([Value::Null].into());
    assert_eq!(run("ARRAY_EXCEPT", &two), [ints(&[3]), Value::Null, ints(&[]), none]);
    assert_eq!(run("ARRAY_INTERSECT", &two), [ints(&[1]), Value::Null, ints(&[]), ints(&[2])]);
    let one = [(array.clone(), a.clone())];
    assert_eq!(run("ARRAY_SORT", &one)[0], ints(&[1, 3, 3]));
    assert_eq!(run("ARRAY_MAX", &one), [3.into(), Value::Null, Value::Null, 2.into()]);
    let wanted = vec![3.into(), 3.into(), Value::Null, Value::Null];
    let with = [(array, a), (DataType::int(), wanted)];
    assert_eq!(run("ARRAY_CONTAINS", &with), [true.into(), Value::Null, false.into(), true.into()]);
    assert_eq!(run("ARRAY_REMOVE", &with), [ints(&[1]), Value::Null, ints(&[]), ints(&[2])]);
    assert_eq!(run("ARRAY_POSITION", &with), [1.into(), Value::Null, Value::Null, Value::Null]);
}

#[test]
fn slices_at_the_edges() {
    let array = DataType::array(DataType::int());
    let cut = |from: i64, to: i64| {
        let columns = [
            (array.clone(), vec![ints(&[1, 2, 3])]),
            (DataType::int(), vec![from.into()]),
            (DataType::int(), vec![to.into()]),
        ];
        run("ARRAY_SLICE", &columns).remove(0)
    };
    assert_eq!(cut(0, 2), ints(&[1, 2]));
    assert_eq!(cut(-9, -2), ints(&[1, 2]));
    assert_eq!(cut(2, 99), ints(&[2, 3]));
    assert_eq!(cut(1, -9), ints(&[]));
    assert_eq!(cut(i64::from(i32::MIN), i64::from(i32::MAX)), ints(&[1, 2, 3]));
}

#[test]
fn maps_of_nested_values() {
    let map = DataType::map(DataType::string(), DataType::array(DataType::int()));
    let m = |k: &str, v: Value| Value::Map([(k.into(), v)].into());
    let a = vec![m("x", ints(&[1])), Value::Null];
    let b = vec![m("x", ints(&[2])), m("y", Value::Null)];
    let union = run("MAP_UNION", &[(map.clone(), a.clone()), (map.clone(), b)]);
    assert_eq!(union, [m("x", ints(&[2])), Value::Null]);
    let entries = run("MAP_ENTRIES", &[(map, a)]);
    let row = Value::Row(["x".into(), ints(&[1])].into());
    assert_eq!(entries, [Value::Array([row].into()), Value::Null]);
    let keys = TypeKind::Array(Box::new(DataType::int())).nullable();
    let same =
        run("MAP_FROM_ARRAYS", &[(keys.clone(), vec![ints(&[1, 2, 1])]), (keys, vec![ints(&[7, 8, 9])])]);
    assert_eq!(same, [Value::Map([(1.into(), 9.into()), (2.into(), 8.into())].into())]);
}

#[test]
fn longer_texts_are_not_cut() {
    let call = |name: &str, args: &[Expr]| call_expr(name, args, &[], Span::default(), &context()).unwrap();
    let array = call("ARRAY", &[text("a")]);
    let appended = call("ARRAY_APPEND", &[array.clone(), text("bcd")]);
    assert_eq!(appended.data_type.to_string(), "ARRAY<VARCHAR(3) NOT NULL> NOT NULL");
    assert_eq!(eval_one(&appended).unwrap(), Value::Array(["a".into(), "bcd".into()].into()));
    let same = call("ARRAY_PREPEND", &[array, text("b")]);
    assert_eq!(same.data_type.to_string(), "ARRAY<CHAR(1) NOT NULL> NOT NULL");
}
