//! What Apache RocketMQ Streams has beside the functions of text, patterns, addresses and JSON: its names for operators, date helpers, bits, and
//! parsers of log lines.
//!
//! Most are short forms of Flink's functions: they bind to an expression of those, which the planner sees, and the kernel only hands its value on.

mod comparison;
mod dates;
mod lines;
mod math;
mod moments;

use millstream_types::{DataType, Fault, TypeKind, Value};

use crate::functions::call_expr;
use crate::{
    BoundCall, Call, Column, EvalContext, EvalError, Expr, ExprKind, Function, Kernel, Keyword, Rows,
};

pub(super) const OPERATORS: &[Function] = comparison::FUNCTIONS;
pub(super) const NUMBERS: &[Function] = math::FUNCTIONS;
pub(super) const MOMENTS: &[&[Function]] = &[dates::FUNCTIONS, moments::FUNCTIONS];
pub(super) const LINES: &[Function] = lines::FUNCTIONS;

/// The kernel of a short form: its one argument is the value.
#[derive(Debug)]
struct Itself;

impl Kernel for Itself {
    fn eval(&self, args: &[Column], _: &Rows<'_>, _: &EvalContext) -> Result<Column, EvalError> {
        args.first().cloned().ok_or_else(|| Fault::internal("a short form without its expression").into())
    }

    fn is_short_form(&self) -> bool {
        true
    }
}

/// The call as the expression that it stands for. Where that does not take the arguments, the refusal names the call.
fn stands_for(call: &Call<'_>, form: &str, expr: Result<Expr, Fault>) -> Result<BoundCall, Fault> {
    let expr = expr.map_err(|f| match f.code() {
        "argument-types" | "implicit-cast" => call.refuse(form),
        _ => f,
    })?;
    Ok(BoundCall::new(expr.data_type.clone(), vec![expr], std::sync::Arc::new(Itself)))
}

/// A call of another function.
fn apply(call: &Call<'_>, name: &str, args: &[Expr]) -> Result<Expr, Fault> {
    call_expr(name, args, &[], call.span, call.context)
}

/// A call of another function with a unit of time.
fn with_unit(call: &Call<'_>, name: &str, unit: &str, args: &[Expr]) -> Result<Expr, Fault> {
    call_expr(name, args, &[("unit", Keyword::Word(unit.into()))], call.span, call.context)
}

fn int(value: i64) -> Expr {
    Expr::literal(value, TypeKind::Int.not_null())
}

fn text(value: &str) -> Expr {
    Expr::literal(Value::from(value), TypeKind::STRING.not_null())
}

fn not(expr: Expr) -> Expr {
    let data_type = expr.data_type.clone();
    Expr::new(ExprKind::Not(Box::new(expr)), data_type)
}

fn any_of(terms: Vec<Expr>) -> Expr {
    let nullable = terms.iter().any(|t| t.data_type.nullable);
    Expr::new(ExprKind::Or(terms), DataType::boolean().with_nullable(nullable))
}
