//! The operators `+ - * / %` and unary minus: which kernel takes which types.

use millstream_types::{DataType, Fault, TypeKind};

use super::{decimal, integer, interval};
use crate::binding::convert;
use crate::coerce::{Digits, common_type};
use crate::{BoundCall, Call, Example, Expr, Function};

/// The arithmetic operators.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Plus,
    Minus,
    Times,
    Over,
    Modulo,
}

impl Operator {
    pub(super) fn symbol(self) -> &'static str {
        match self {
            Operator::Plus => "+",
            Operator::Minus => "-",
            Operator::Times => "*",
            Operator::Over => "/",
            Operator::Modulo => "%",
        }
    }

    pub(super) fn form(self) -> String {
        match self {
            Operator::Modulo => "<EXACT_NUMERIC> % <EXACT_NUMERIC>".into(),
            Operator::Plus => {
                "<NUMERIC> + <NUMERIC>; <DATETIME> + <INTERVAL>; <INTERVAL> + <INTERVAL>".into()
            }
            Operator::Minus => {
                "<NUMERIC> - <NUMERIC>; <DATETIME> - <INTERVAL>; <INTERVAL> - <INTERVAL>".into()
            }
            Operator::Times => "<NUMERIC> * <NUMERIC>; <INTERVAL> * <NUMERIC>".into(),
            Operator::Over => "<NUMERIC> / <NUMERIC>".into(),
        }
    }
}

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "+",
        "value NUMERIC + other NUMERIC -> NUMERIC\nvalue DATETIME + span INTERVAL -> DATETIME\nvalue INTERVAL + other INTERVAL -> INTERVAL",
        "The sum. Integers wrap, a DECIMAL that is too large is NULL; months are added to the last day of a shorter month.",
        &[
            Example::new("2147483647 + 1", "-2147483648"),
            Example::new("7.5 + 2", "9.5"),
            Example::new("DATE '2020-01-31' + INTERVAL '1' MONTH", "2020-02-29"),
        ],
        |c| bind(c, Operator::Plus),
    ),
    Function::new(
        "-",
        "value NUMERIC - other NUMERIC -> NUMERIC\nvalue DATETIME - span INTERVAL -> DATETIME\nvalue INTERVAL - other INTERVAL -> INTERVAL\n- value NUMERIC -> NUMERIC",
        "The difference. Integers wrap, a DECIMAL that is too large is NULL.",
        &[Example::new("7.50 - 2.5", "5.00")],
        minus,
    ),
    Function::new(
        "*",
        "value NUMERIC * other NUMERIC -> NUMERIC\nspan INTERVAL * times NUMERIC -> INTERVAL",
        "The product. Integers wrap, a DECIMAL that is too large is NULL.",
        &[Example::new("7.5 * 2", "15.0")],
        |c| bind(c, Operator::Times),
    ),
    Function::new(
        "/",
        "value NUMERIC / other NUMERIC -> NUMERIC",
        "The quotient. That of integers is an integer, cut towards 0. Division by 0 fails, but gives Infinity or NaN for FLOAT and DOUBLE.",
        &[Example::new("7 / 2", "3"), Example::new("1.0 / 3.0", "0.333333")],
        |c| bind(c, Operator::Over),
    ),
    Function::new(
        "%",
        "value EXACT_NUMERIC % other EXACT_NUMERIC -> EXACT_NUMERIC",
        "The remainder, with the sign of the first operand and, for numbers without a fraction, the type of the second. Division by 0 fails.",
        &[Example::new("-5 % 3", "-2"), Example::new("7.5 % 2", "1.5")],
        |c| bind(c, Operator::Modulo),
    )
    .aliases(&["MOD"]),
    Function::new(
        "NEGATE",
        "- value NUMERIC -> NUMERIC\n- span INTERVAL -> INTERVAL",
        "The value with the other sign.",
        &[Example::new("- (1 + 2)", "-3")],
        negate,
    ),
];

/// With one operand it is the other sign.
fn minus(call: &Call<'_>) -> Result<BoundCall, Fault> {
    if call.args.len() == 1 { negate(call) } else { bind(call, Operator::Minus) }
}

fn bind(call: &Call<'_>, op: Operator) -> Result<BoundCall, Fault> {
    let form = op.form();
    call.expect(2, 2, &form)?;
    call.no_bare_null()?;
    let (a, b) = (call.arg(0)?, call.arg(1)?);
    let (x, y) = (&a.data_type.kind, &b.data_type.kind);
    if op == Operator::Minus && call.keywords.iter().any(|(name, _)| *name == "unit") {
        return crate::functions::scalar::difference(call);
    }
    if x.is_interval() || y.is_interval() {
        return interval::bind(call, op);
    }
    if !x.is_numeric() || !y.is_numeric() {
        return Err(call.refuse(&form));
    }
    let nullable = call.any_nullable();
    if x.is_approximate() || y.is_approximate() {
        if op == Operator::Modulo {
            return Err(call.refuse(&form));
        }
        let kind =
            common_type(&[a.data_type.clone(), b.data_type.clone()]).ok_or_else(|| call.refuse(&form))?.kind;
        let args = vec![convert(a.clone(), kind.clone()), convert(b.clone(), kind.clone())];
        let kernel = integer::floats(op, &kind);
        return Ok(BoundCall::new(kind.nullable().with_nullable(nullable), args, kernel));
    }
    if x.is_integer() && y.is_integer() {
        return Ok(integers(op, a, b, nullable));
    }
    let (d, e) = match (Digits::of(x), Digits::of(y)) {
        (Some(d), Some(e)) => (d, e),
        _ => return Err(call.refuse(&form)),
    };
    let digits = match op {
        Operator::Plus | Operator::Minus => d.plus(e),
        Operator::Times => d.times(e),
        Operator::Over => d.over(e),
        Operator::Modulo => d.modulo(e),
    };
    // Numbers without a fraction: the remainder has the type of the second operand, as in Flink.
    let whole = op == Operator::Modulo && d.scale == 0 && e.scale == 0;
    let kind = if whole { y.clone() } else { digits.to_kind() };
    let args = vec![convert(a.clone(), d.to_kind()), convert(b.clone(), e.to_kind())];
    // A sum that overflows is NULL whatever the operands' nullability is; Flink derives NOT NULL all the same.
    let bound = BoundCall::new(
        kind.clone().nullable().with_nullable(nullable),
        args,
        decimal::kernel(op, d, e, &kind),
    );
    Ok(if matches!(op, Operator::Over | Operator::Modulo) { bound.fallible() } else { bound })
}

fn integers(op: Operator, a: &Expr, b: &Expr, nullable: bool) -> BoundCall {
    let types = [a.data_type.clone(), b.data_type.clone()];
    let wide = common_type(&types).map_or(TypeKind::BigInt, |t| t.kind);
    let kind = if op == Operator::Modulo { b.data_type.kind.clone() } else { wide.clone() };
    let args = vec![convert(a.clone(), wide.clone()), convert(b.clone(), wide.clone())];
    let kernel = integer::kernel(op, &wide, &kind);
    let bound = BoundCall::new(kind.nullable().with_nullable(nullable), args, kernel);
    if matches!(op, Operator::Over | Operator::Modulo) { bound.fallible() } else { bound }
}

fn negate(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "-<NUMERIC>; -<INTERVAL>";
    call.expect(1, 1, FORM)?;
    call.no_bare_null()?;
    let arg = call.arg(0)?;
    let kind = &arg.data_type.kind;
    if !kind.is_numeric() && !kind.is_interval() {
        return Err(call.refuse(FORM));
    }
    let data_type = DataType { kind: kind.clone(), nullable: arg.data_type.nullable };
    Ok(BoundCall::new(data_type, vec![arg.clone()], integer::negation()))
}
