use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array};
use arrow::datatypes::Float64Type;
use millstream_types::{DataType, Fault, Span, TypeKind, Value};

use super::*;
use crate::kernel::Arguments;
use crate::testing::{column, context, eval_one, eval_rows, literal, text};
use crate::{CallExpr, EvalContext, EvalError, Expr, ExprKind};

fn call(function: &ScalarFunction, args: &[Expr]) -> Result<Expr, Fault> {
    let context = context();
    let bound = function.bind(&Call {
        name: function.name(),
        args,
        keywords: &[],
        span: Span::default(),
        context: &context,
    })?;
    let call = CallExpr {
        name: function.name().into(),
        args: bound.args,
        keywords: Vec::new(),
        volatility: bound.volatility,
        fallible: bound.fallible,
        kernel: bound.kernel,
    };
    Ok(Expr::new(ExprKind::Call(Arc::new(call)), bound.data_type))
}

fn value(function: &ScalarFunction, args: &[Expr]) -> Result<(String, Value), Fault> {
    let expr = call(function, args)?;
    Ok((expr.data_type.to_string(), eval_one(&expr)?))
}

fn null(kind: TypeKind) -> Expr {
    Expr::literal(Value::Null, kind.nullable())
}

fn named(a: i32) -> i32 {
    a + 1
}

#[test]
fn types_follow_from_the_closure() {
    let f = ScalarFunction::new("f", |a: &str, b: i64| -> Option<String> {
        (b >= 0).then(|| a.repeat(b as usize))
    });
    assert_eq!(f.signature(), "f(STRING, BIGINT) -> STRING");
    assert_eq!(value(&f, &[text("ab"), literal(2)]).unwrap(), ("STRING".into(), "abab".into()));
    assert_eq!(value(&f, &[text("ab"), literal(-2)]).unwrap().1, Value::Null);
    assert_eq!(value(&f, &[text("ab"), null(TypeKind::Int)]).unwrap().1, Value::Null);
    assert_eq!(call(&f, &[literal(1), literal(1)]).unwrap_err().code(), "argument-types");
    assert_eq!(call(&f, &[text("ab")]).unwrap_err().code(), "argument-count");

    let g = ScalarFunction::new("g", named);
    assert_eq!(value(&g, &[literal(2)]).unwrap(), ("INT NOT NULL".into(), Value::Int(3)));
    let big = Expr::literal(2i64, TypeKind::BigInt.not_null());
    assert_eq!(call(&g, &[big]).unwrap_err().code(), "argument-types");

    let h = ScalarFunction::new("h", |a: Option<f64>, b: Vec<u8>, c: bool| -> f64 {
        a.unwrap_or(-1.0) + b.len() as f64 + f64::from(c)
    });
    let bytes = Expr::literal(Value::Bytes([1, 2][..].into()), TypeKind::BYTES.not_null());
    let got = value(&h, &[null(TypeKind::Double), bytes, Expr::boolean(true)]).unwrap();
    assert_eq!(got, ("DOUBLE NOT NULL".into(), Value::Float(2.0)));

    let none = ScalarFunction::new("none", || "x");
    assert_eq!(value(&none, &[]).unwrap(), ("STRING NOT NULL".into(), "x".into()));
}

#[test]
fn an_error_fails_its_row() {
    let f = ScalarFunction::new("half", |a: i32| -> Result<i32, String> {
        if a % 2 == 0 { Ok(a / 2) } else { Err(format!("{a} is odd")) }
    });
    let expr = call(&f, &[Expr::column(0, DataType::int())]).unwrap();
    let column = column(&[4.into(), Value::Null, 3.into()], &DataType::int());
    let fault = eval_rows(&expr, &[column], 3).unwrap_err();
    assert_eq!(fault.message(), "function 'half' failed: 3 is odd");
}

struct Hypotenuse;

impl VectorFunction for Hypotenuse {
    fn parameters(&self) -> Vec<TypeKind> {
        vec![TypeKind::Double; 2]
    }

    fn result(&self, arguments: &[DataType]) -> DataType {
        DataType::double().with_nullable(arguments.iter().any(|a| a.nullable))
    }

    fn eval(&self, arguments: &Arguments<'_>, _: &EvalContext) -> Result<ArrayRef, EvalError> {
        let (a, b) = (arguments.numbers::<Float64Type>(0)?, arguments.numbers::<Float64Type>(1)?);
        let values = (0..arguments.rows()).map(|row| Some(a.get(row)?.hypot(b.get(row)?)));
        Ok(Arc::new(values.collect::<Float64Array>()))
    }
}

#[test]
fn functions_of_columns() {
    let f = ScalarFunction::vectorized("hypotenuse", Hypotenuse);
    assert_eq!(f.signature(), "hypotenuse(DOUBLE, DOUBLE) -> DOUBLE");
    assert_eq!(
        value(&f, &[literal(3), literal(4.0)]).unwrap(),
        ("DOUBLE NOT NULL".into(), Value::Float(5.0))
    );
    let expr = call(&f, &[Expr::column(0, DataType::int()), literal(4)]).unwrap();
    let column = column(&[3.into(), Value::Null], &DataType::int());
    let values = eval_rows(&expr, &[column], 2).unwrap();
    assert_eq!(Value::from_array(&values, 0, &expr.data_type), Value::Float(5.0));
    assert_eq!(Value::from_array(&values, 1, &expr.data_type), Value::Null);
}

#[test]
fn built_in_functions_are_not_hidden() {
    let mut registry = Registry::default();
    for name in ["upper", "COUNT", "string_split", "len"] {
        let fault = registry.add(ScalarFunction::new(name, named)).unwrap_err();
        assert_eq!(fault.code(), "function-exists", "{name}");
    }
    for name in ["", "1a", "a b", "a.b", "+"] {
        assert_eq!(registry.add(ScalarFunction::new(name, named)).unwrap_err().code(), "function-name");
    }
    registry
        .add(ScalarFunction::new("Next_Number", named).doc("One more.").example("next_number(1)", "2"))
        .unwrap();
    let function = registry.get("NEXT_NUMBER").unwrap();
    assert!(function.markdown().contains("| `next_number(1)` | `2` |"), "{}", function.markdown());
    assert_eq!(registry.iter().count(), 1);
}

#[test]
fn what_is_not_deterministic_is_evaluated_for_each_row() {
    let count = std::sync::atomic::AtomicI64::new(0);
    let next = move || count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let f = ScalarFunction::new("next", next).non_deterministic();
    let expr = call(&f, &[]).unwrap();
    let values = eval_rows(&expr, &[], 3).unwrap();
    assert_eq!(Value::from_array(&values, 2, &expr.data_type), Value::Int(2));
}
