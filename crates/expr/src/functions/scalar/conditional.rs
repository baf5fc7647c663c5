//! IF, COALESCE, IFNULL, NULLIF. A program evaluates IF and COALESCE as conditionals: a value only where it is taken.

use arrow::array::{AsArray, BooleanArray};
use arrow::compute::kernels::zip::zip;
use arrow::compute::{is_not_null, nullif};
use millstream_types::{DataType, Fault, TypeKind};

use crate::binding::{convert, unify};
use crate::coerce::argument_type;
use crate::functions::scalar::comparison::{Comparison, compare, meet};
use crate::kernel::{broken, simple};
use crate::{BoundCall, Call, Example, Function, Origin};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "IF",
        "IF(condition BOOLEAN, value ANY, otherwise ANY) -> common type",
        "The value if the condition is TRUE, else the other one. Only the value that is taken is evaluated.",
        &[Example::new("IF(5 > 3, 'yes', 'no')", "yes")],
        if_else,
    ),
    Function::new(
        "COALESCE",
        "COALESCE(value ANY, ...) -> common type",
        "The first value that is not NULL. Later values are evaluated only where the earlier ones are NULL.",
        &[Example::new("COALESCE(CAST(NULL AS INT), 5)", "5")],
        |c| coalesce(c, 1, usize::MAX),
    ),
    Function::new(
        "IFNULL",
        "IFNULL(value ANY, otherwise ANY) -> common type",
        "The value, or the other one if it is NULL.",
        &[Example::new("IFNULL(CAST(NULL AS INT), 5)", "5")],
        if_null,
    ),
    Function::new(
        "NVL",
        "NVL(value ANY, otherwise ANY) -> common type",
        "The same as IFNULL.",
        &[Example::new("NVL(CAST(NULL AS STRING), 'none')", "none")],
        |c| coalesce(c, 2, 2),
    )
    .origin(Origin::Ancestor),
    Function::new(
        "NULLIF",
        "NULLIF(value ANY, other ANY) -> type of value",
        "NULL if the two values are equal, else the first one.",
        &[Example::new("NULLIF(5, 5)", "NULL"), Example::new("NULLIF('a', 'A')", "a")],
        null_if,
    ),
];

fn if_else(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "IF(<BOOLEAN>, <ANY>, <ANY>)";
    call.expect(3, 3, FORM)?;
    call.no_bare_null()?;
    let condition = call.arg(0)?;
    if condition.data_type.kind != TypeKind::Boolean {
        return Err(call.refuse(FORM));
    }
    let values = call.args.get(1..).unwrap_or_default();
    let (values, data_type) = unify(values).ok_or_else(|| call.refuse(FORM))?;
    let kind = &data_type.kind;
    if !(kind.is_numeric()
        || kind.is_string()
        || kind.is_binary()
        || kind.is_datetime()
        || *kind == TypeKind::Boolean)
    {
        return Err(call.refuse(FORM));
    }
    // As in Flink, a condition that may be NULL makes the type nullable, although a NULL condition gives the second value.
    let nullable = data_type.nullable || condition.data_type.nullable;
    let data_type = data_type.with_nullable(nullable);
    let args = std::iter::once(condition.clone()).chain(values).collect();
    let kernel = simple("IF", |arguments, _| {
        let rows = arguments.rows();
        let array = |i: usize| arguments.column(i)?.clone().into_array(rows);
        let condition = array(0)?;
        let truth = condition.as_boolean_opt().ok_or_else(|| Fault::internal("no BOOLEAN"))?;
        zip(truth, &array(1)?, &array(2)?).map_err(broken)
    });
    Ok(BoundCall::new(data_type, args, kernel))
}

/// A value that is never NULL keeps its text type, whatever the other one is.
fn if_null(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let bound = coalesce(call, 2, 2)?;
    match call.args.first() {
        Some(value)
            if !value.data_type.nullable
                && (value.data_type.kind.is_string() || value.data_type.kind.is_binary()) =>
        {
            let kernel = simple("IFNULL", |arguments, _| Ok(arguments.column(0)?.array().clone()));
            Ok(BoundCall::new(value.data_type.clone(), vec![value.clone()], kernel))
        }
        _ => Ok(bound),
    }
}

fn coalesce(call: &Call<'_>, least: usize, most: usize) -> Result<BoundCall, Fault> {
    let form = format!("{}(<COMMON>, ...)", call.name.to_uppercase());
    call.expect(least, most, &form)?;
    let types: Vec<DataType> = call.args.iter().map(|a| a.data_type.clone()).collect();
    let common = argument_type(&types).ok_or_else(|| call.refuse(&form))?;
    let nullable = types.iter().all(|t| t.nullable || t.kind == TypeKind::Null);
    let args: Vec<_> = call.args.iter().map(|a| convert(a.clone(), common.kind.clone())).collect();
    let kernel = simple("COALESCE", |arguments, _| {
        let rows = arguments.rows();
        let mut columns = arguments.columns().iter().rev();
        let last = columns.next().ok_or_else(|| Fault::internal("no argument"))?;
        let mut result = last.clone().into_array(rows)?;
        for column in columns {
            let array = column.clone().into_array(rows)?;
            let present = is_not_null(&array).map_err(broken)?;
            result = zip(&present, &array, &result).map_err(broken)?;
        }
        Ok(result)
    });
    Ok(BoundCall::new(common.with_nullable(nullable), args, kernel))
}

fn null_if(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "NULLIF(<ANY>, <ANY>)";
    call.expect(2, 2, FORM)?;
    let value = call.arg(0)?;
    if value.data_type.kind == TypeKind::Null {
        call.no_bare_null()?;
    }
    let (a, b) = meet(call, value, call.arg(1)?, Comparison::Equal, false)?;
    let kernel = simple("NULLIF", |arguments, _| {
        let rows = arguments.rows();
        let value = arguments.column(0)?.clone().into_array(rows)?;
        let equal: BooleanArray =
            compare(Comparison::Equal, arguments.column(1)?, arguments.column(2)?, rows)?;
        nullif(value.as_ref(), &equal).map_err(broken)
    });
    let data_type = value.data_type.clone().with_nullable(true);
    Ok(BoundCall::new(data_type, vec![value.clone(), a, b], kernel))
}

#[cfg(test)]
mod tests {
    use millstream_types::{Span, Value};

    use super::*;
    use crate::Expr;
    use crate::functions::call_expr;
    use crate::testing::{context, eval_one, literal, text};

    fn run(name: &str, args: &[Expr]) -> Result<(String, Value), Fault> {
        let expr = call_expr(name, args, &[], Span::default(), &context())?;
        Ok((expr.data_type.to_string(), eval_one(&expr)?))
    }

    fn null(t: DataType) -> Expr {
        Expr::literal(Value::Null, t)
    }

    #[test]
    fn values_and_types() {
        let is = |name: &str, args: &[Expr], t: &str, v: Value| {
            assert_eq!(run(name, args).unwrap(), (t.to_string(), v))
        };
        is("IF", &[Expr::boolean(true), text("abc"), text("d")], "VARCHAR(3) NOT NULL", "abc".into());
        is("IF", &[Expr::boolean(true), null(DataType::int()), literal(1)], "INT", Value::Null);
        is(
            "COALESCE",
            &[null(TypeKind::Null.nullable()), text("default")],
            "CHAR(7) NOT NULL",
            "default".into(),
        );
        is(
            "COALESCE",
            &[null(DataType::int()), literal("2.5:2,1")],
            "DECIMAL(11, 1) NOT NULL",
            Value::Decimal(25),
        );
        is("COALESCE", &[text(""), text("x")], "VARCHAR(1) NOT NULL", "".into());
        is("IFNULL", &[null(DataType::string()), text("x")], "STRING NOT NULL", "x".into());
        is("NULLIF", &[literal(5), literal("5.0:2,1")], "INT", Value::Null);
        is("NULLIF", &[text("a"), text("A")], "CHAR(1)", "a".into());
        assert!(run("IF", &[Expr::boolean(true), literal(1), text("a")]).is_err());
        assert!(run("COALESCE", &[literal(1), text("a")]).is_err());
    }

    #[test]
    fn what_is_not_taken_is_not_evaluated() {
        let bad = call_expr("/", &[literal(1), literal(0)], &[], Span::default(), &context()).unwrap();
        assert_eq!(run("IF", &[Expr::boolean(false), bad.clone(), literal(7)]).unwrap().1, Value::Int(7));
        assert_eq!(run("COALESCE", &[literal(7), bad]).unwrap().1, Value::Int(7));
    }
}
