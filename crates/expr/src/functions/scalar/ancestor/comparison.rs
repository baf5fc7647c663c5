//! Names of operators, and conditions on texts.

use millstream_types::{Fault, TypeKind};

use super::{any_of, apply, not, stands_for, text};
use crate::coerce::explicit_cast;
use crate::{BoundCall, Call, CastMode, Example, Expr, Function, Origin};

/// An operator of two values under a name.
macro_rules! operator {
    ($name:literal, $aliases:expr, $operator:literal, $doc:literal, $example:literal => $result:literal) => {
        Function::new(
            $name,
            concat!($name, "(a ANY, b ANY) -> BOOLEAN"),
            $doc,
            &[Example::new($example, $result)],
            |c| two(c, $operator, concat!($name, "(<COMPARABLE>, <COMPARABLE>)"), false),
        )
        .aliases($aliases)
        .origin(Origin::Ancestor)
    };
}

/// A condition on two texts.
macro_rules! condition {
    ($name:literal, $doc:literal, $example:literal => $result:literal, $bind:expr) => {
        Function::new(
            $name,
            concat!($name, "(text STRING, other STRING) -> BOOLEAN"),
            $doc,
            &[Example::new($example, $result)],
            $bind,
        )
        .origin(Origin::Ancestor)
    };
}

pub(super) const FUNCTIONS: &[Function] = &[
    operator!("EQUAL", &["EQUALSBYFIELD"], "=", "The same as a = b.", "EQUAL(1, 1)" => "TRUE"),
    Function::new(
        "EQUALS",
        "EQUALS(a ANY, b ANY) -> BOOLEAN",
        "The same as a = b. Its name is a keyword: write it in backticks.",
        &[Example::new("`EQUALS`('a', 'b')", "FALSE")],
        |c| two(c, "=", "EQUALS(<COMPARABLE>, <COMPARABLE>)", false),
    )
    .origin(Origin::Ancestor),
    operator!("GREAT", &["GT", "GTBYFIELD"], ">", "The same as a > b.", "GREAT(2, 1)" => "TRUE"),
    operator!("GREATEEQ", &["GE", "GEBYFIELD"], ">=", "The same as a >= b.", "GE(1, 1)" => "TRUE"),
    operator!("LESS", &["LT", "LTBYFIELD"], "<", "The same as a < b.", "LT(2, 1)" => "FALSE"),
    operator!("LESSEQ", &["LE", "LEBYFIELD"], "<=", "The same as a <= b.", "LE(2, 1)" => "FALSE"),
    Function::new(
        "BETWEEN_NOT",
        "BETWEEN_NOT(value ANY, low ANY, high ANY) -> BOOLEAN",
        "The same as value NOT BETWEEN low AND high.",
        &[Example::new("BETWEEN_NOT(5, 1, 3)", "TRUE")],
        not_between,
    )
    .aliases(&["BETWEENNOT"])
    .origin(Origin::Ancestor),
    Function::new(
        "CONTAIN",
        "CONTAIN(value ANY, candidate ANY, ...) -> BOOLEAN",
        "The same as value IN (candidate, ...).",
        &[Example::new("CONTAIN('b', 'a', 'b')", "TRUE")],
        |c| {
            c.expect(2, usize::MAX, "CONTAIN(<ANY>, <ANY>, ...)")?;
            stands_for(c, "CONTAIN(<ANY>, <ANY>, ...)", apply(c, "IN", c.args))
        },
    )
    .origin(Origin::Ancestor),
    Function::new(
        "INBYREGEX",
        "INBYREGEX(text STRING, pattern STRING, ...) -> BOOLEAN",
        "Whether one of the regular expressions matches a part of the text.",
        &[Example::new("INBYREGEX('host-17', '^db', '\\d+$')", "TRUE")],
        in_by_regex,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "ISFIELDEMPTY",
        "ISFIELDEMPTY(text STRING) -> BOOLEAN",
        "Whether the text is NULL or ''.",
        &[
            Example::new("ISFIELDEMPTY('')", "TRUE"),
            Example::new("ISFIELDEMPTY(CAST(NULL AS STRING))", "TRUE"),
        ],
        is_empty,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "ISNULL",
        "ISNULL(value ANY) -> BOOLEAN",
        "The same as value IS NULL.",
        &[Example::new("ISNULL(CAST(NULL AS INT))", "TRUE")],
        |c| one(c, "IS NULL", "ISNULL(<ANY>)"),
    )
    .origin(Origin::Ancestor),
    Function::new(
        "ISNOTNULL",
        "ISNOTNULL(value ANY) -> BOOLEAN",
        "The same as value IS NOT NULL.",
        &[Example::new("ISNOTNULL(1)", "TRUE")],
        |c| one(c, "IS NOT NULL", "ISNOTNULL(<ANY>)"),
    )
    .aliases(&["NOTNULL"])
    .origin(Origin::Ancestor),
    Function::new(
        "CONVERTBOOLEN",
        "CONVERTBOOLEN(value ANY) -> BOOLEAN",
        "The value as a BOOLEAN, as TRY_CAST(value AS BOOLEAN) gives it: NULL for what is neither.",
        &[Example::new("CONVERTBOOLEN('true')", "TRUE"), Example::new("CONVERTBOOLEN('x')", "NULL")],
        to_boolean,
    )
    .aliases(&["CONVERT_BOOLEN"])
    .origin(Origin::Ancestor),
    condition!("NOTCONTAINS", "Whether the text does not contain another one.", "NOTCONTAINS('abc', 'B')" => "TRUE", |c| {
        two(c, "CONTAINS", "NOTCONTAINS(<CHARACTER>, <CHARACTER>)", true)
    }),
    condition!("CONTAINSCASEINSENSITIVEFUNCTION", "Whether the text contains another one; case does not count.",
        "CONTAINSCASEINSENSITIVEFUNCTION('abc', 'B')" => "TRUE", |c| folded(c, false)),
    condition!("NOTCONTAINSCASEINSENSITIVEFUNCTION", "Whether the text does not contain another one; case does not count.",
        "NOTCONTAINSCASEINSENSITIVEFUNCTION('abc', 'B')" => "FALSE", |c| folded(c, true)),
    condition!("NOTLIKE", "The same as text NOT LIKE other.", "NOTLIKE('abc', 'a%')" => "FALSE", |c| {
        two(c, "LIKE", "NOTLIKE(<CHARACTER>, <CHARACTER>)", true)
    }),
];

fn one(call: &Call<'_>, operator: &str, form: &str) -> Result<BoundCall, Fault> {
    call.expect(1, 1, form)?;
    stands_for(call, form, apply(call, operator, call.args))
}

fn two(call: &Call<'_>, operator: &str, form: &str, negated: bool) -> Result<BoundCall, Fault> {
    call.expect(2, 2, form)?;
    let expr = apply(call, operator, call.args);
    stands_for(call, form, if negated { expr.map(not) } else { expr })
}

fn not_between(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "BETWEEN_NOT(<COMPARABLE>, <COMPARABLE>, <COMPARABLE>)";
    call.expect(3, 3, FORM)?;
    let side = |operator: &str, bound: usize| {
        apply(call, operator, &[call.arg(0)?.clone(), call.arg(bound)?.clone()])
    };
    stands_for(call, FORM, side("<", 1).and_then(|low| Ok(any_of(vec![low, side(">", 2)?]))))
}

fn in_by_regex(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "INBYREGEX(<CHARACTER>, <CHARACTER>, ...)";
    call.expect(2, usize::MAX, FORM)?;
    let subject = call.arg(0)?;
    let patterns = call.args.iter().skip(1);
    let mut terms: Vec<Expr> = patterns
        .map(|p| apply(call, "REGEXP", &[subject.clone(), p.clone()]))
        .collect::<Result<_, _>>()
        .map_err(|f| if f.code() == "argument-types" { call.refuse(FORM) } else { f })?;
    let expr = if terms.len() == 1 { terms.remove(0) } else { any_of(terms) };
    stands_for(call, FORM, Ok(expr))
}

fn is_empty(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "ISFIELDEMPTY(<CHARACTER>)";
    call.expect(1, 1, FORM)?;
    let value = call.string(0, FORM)?;
    let null = apply(call, "IS NULL", std::slice::from_ref(&value))?;
    stands_for(call, FORM, apply(call, "=", &[value, text("")]).map(|empty| any_of(vec![null, empty])))
}

fn to_boolean(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "CONVERTBOOLEN(<ANY>)";
    call.expect(1, 1, FORM)?;
    let to = TypeKind::Boolean.nullable();
    let cast = explicit_cast(call.arg(0)?.clone(), &to, CastMode::TryCast, call.context);
    stands_for(call, FORM, cast.map_err(|_| call.refuse(FORM)))
}

/// CONTAINS without case.
fn folded(call: &Call<'_>, negated: bool) -> Result<BoundCall, Fault> {
    let form = format!("{}(<CHARACTER>, <CHARACTER>)", call.name.to_uppercase());
    call.expect(2, 2, &form)?;
    let lower = |i: usize| apply(call, "LOWER", &[call.string(i, &form)?]);
    let expr = apply(call, "CONTAINS", &[lower(0)?, lower(1)?]);
    stands_for(call, &form, if negated { expr.map(not) } else { expr })
}
