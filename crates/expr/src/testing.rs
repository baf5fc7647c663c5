//! Short forms for the crate's tests.

use std::sync::Arc;

use millstream_types::{DataType, Fault, ManualClock, SeededRandom, TypeKind, Value};

use crate::{BindContext, EvalContext, Expr, Program, Rows};

/// A session in UTC.
pub(crate) fn context() -> BindContext {
    BindContext { batch: true, ..BindContext::default() }
}

/// An evaluation in UTC.
pub(crate) fn eval_context() -> EvalContext {
    EvalContext {
        clock: Arc::new(ManualClock::new(1_583_000_000_000)),
        random: Arc::new(SeededRandom::new(1)),
        zone: "UTC".into(),
        query_start: 1_583_000_000_000,
        batch: true,
    }
}

/// What [`literal`] takes: an INT, or a DECIMAL as `digits:precision,scale`.
pub(crate) trait Literal {
    fn literal(self) -> Expr;
}

impl Literal for i64 {
    fn literal(self) -> Expr {
        Expr::literal(self, TypeKind::Int.not_null())
    }
}

impl Literal for f64 {
    fn literal(self) -> Expr {
        Expr::literal(Value::Float(self), TypeKind::Double.not_null())
    }
}

impl Literal for &str {
    fn literal(self) -> Expr {
        let (digits, kind) = self.split_once(':').unwrap();
        let (p, s) = kind.split_once(',').unwrap();
        let (precision, scale) = (p.parse().unwrap(), s.parse().unwrap());
        let value = millstream_text::number::parse_decimal(digits, precision, scale).unwrap();
        Expr::literal(Value::Decimal(value), TypeKind::Decimal { precision, scale }.not_null())
    }
}

/// A literal of type INT, DOUBLE or DECIMAL.
pub(crate) fn literal(value: impl Literal) -> Expr {
    value.literal()
}

/// A CHAR literal.
pub(crate) fn text(value: &str) -> Expr {
    Expr::literal(value, TypeKind::Char(value.chars().count() as u32).not_null())
}

/// The value of an expression without columns.
pub(crate) fn eval_one(expr: &Expr) -> Result<Value, Fault> {
    let columns = eval_rows(expr, &[], 1)?;
    Ok(Value::from_array(columns.as_ref(), 0, &expr.data_type))
}

/// The values of an expression over columns.
pub(crate) fn eval_rows(
    expr: &Expr,
    columns: &[arrow::array::ArrayRef],
    rows: usize,
) -> Result<arrow::array::ArrayRef, Fault> {
    let program = Program::compile(std::slice::from_ref(expr))?;
    let rows = Rows { columns, rows, watermarks: None };
    Ok(program.eval(&rows, &eval_context()).map_err(|e| e.fault)?.remove(0))
}

/// A column of values.
pub(crate) fn column(values: &[Value], data_type: &DataType) -> arrow::array::ArrayRef {
    Value::array(values, data_type).unwrap()
}
