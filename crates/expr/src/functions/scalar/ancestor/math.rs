//! Names of arithmetic operators, bits, and functions of numbers.

use arrow::datatypes::{Float64Type, Int32Type, Int64Type};
use millstream_types::{DataType, Fault, TypeKind};

use super::{apply, stands_for};
use crate::binding::convert;
use crate::functions::scalar::string::{Arg, arguments};
use crate::kernel::{numbers, simple, strings};
use crate::{BoundCall, Call, Example, Expr, Function, Origin};

/// An arithmetic operator under a name.
macro_rules! operator {
    ($name:literal, $aliases:expr, $operator:literal, $doc:literal, $example:literal => $result:literal) => {
        Function::new(
            $name,
            concat!($name, "(a NUMERIC, b NUMERIC) -> NUMERIC"),
            $doc,
            &[Example::new($example, $result)],
            |c| {
                const FORM: &str = concat!($name, "(<NUMERIC>, <NUMERIC>)");
                c.expect(2, 2, FORM)?;
                stands_for(c, FORM, apply(c, $operator, c.args))
            },
        )
        .aliases($aliases)
        .origin(Origin::Ancestor)
    };
}

/// A function of two integers, on INT where both are at most that, else on BIGINT.
macro_rules! integers {
    ($name:literal, $doc:literal, $example:literal => $result:literal, $narrow:expr, $wide:expr) => {
        Function::new(
            $name,
            concat!($name, "(a INT, b INT) -> INT\n", $name, "(a BIGINT, b BIGINT) -> BIGINT"),
            $doc,
            &[Example::new($example, $result)],
            |c| two_integers(c, $name, $narrow, $wide),
        )
        .origin(Origin::Ancestor)
    };
}

/// MATH for a type.
macro_rules! of_type {
    ($name:literal, $kind:ident, $doc:literal, $example:literal => $result:literal) => {
        Function::new(
            $name,
            concat!($name, "(operator STRING, a NUMERIC, b NUMERIC) -> NUMERIC"),
            $doc,
            &[Example::new($example, $result)],
            |c| named_operator(c, $name, Some(TypeKind::$kind)),
        )
        .origin(Origin::Ancestor)
    };
}

pub(super) const FUNCTIONS: &[Function] = &[
    operator!("ADDITION", &["ADD"], "+", "The same as a + b.", "ADDITION(1, 2)" => "3"),
    operator!("SUBTRACTION", &["MINUS"], "-", "The same as a - b.", "SUBTRACTION(1, 2)" => "-1"),
    operator!("MULTIPLICATION", &["MULTIPLY"], "*", "The same as a * b.", "MULTIPLICATION(3, 2)" => "6"),
    operator!("DIVISION", &["DIVIDE"], "/", "The same as a / b.", "DIVISION(7.0, 2)" => "3.500000000000"),
    Function::new(
        "MATH",
        "MATH(operator STRING, a NUMERIC, b NUMERIC) -> NUMERIC",
        "The operation that a constant names: '+', '-', '*', '/' or '%'.",
        &[Example::new("MATH('*', 3, 4)", "12")],
        |c| named_operator(c, "MATH", None),
    )
    .origin(Origin::Ancestor),
    of_type!("MATHI", Int, "As MATH, on INTs.", "MATHI('%', 7, 4)" => "3"),
    of_type!("MATHL", BigInt, "As MATH, on BIGINTs.", "MATHL('+', 2147483647, 1)" => "2147483648"),
    of_type!("MATHD", Double, "As MATH, on DOUBLEs.", "MATHD('/', 7, 2)" => "3.5"),
    integers!("BITAND", "The bits that both have.", "BITAND(12, 10)" => "8", |a, b| a & b, |a, b| a & b),
    integers!("BITOR", "The bits that one of them has.", "BITOR(12, 10)" => "14", |a, b| a | b, |a, b| a | b),
    integers!("BITXOR", "The bits that only one of them has.", "BITXOR(12, 10)" => "6", |a, b| a ^ b, |a, b| a ^ b),
    Function::new(
        "BITNOT",
        "BITNOT(value INT) -> INT\nBITNOT(value BIGINT) -> BIGINT",
        "The other bits.",
        &[Example::new("BITNOT(7)", "-8")],
        |c| {
            c.expect(1, 1, "BITNOT(<INTEGER>)")?;
            let args = [c.arg(0)?.clone(), Expr::literal(-1, TypeKind::Int.not_null())];
            stands_for(c, "BITNOT(<INTEGER>)", apply(c, "BITXOR", &args))
        },
    )
    .origin(Origin::Ancestor),
    integers!("SHIFTLEFT", "The bits of a moved to the left; as in Java the last bits of b count.",
        "SHIFTLEFT(1, 4)" => "16", |a, b| a.wrapping_shl(b as u32), |a, b| a.wrapping_shl(b as u32)),
    integers!("SHIFTRIGHT", "The bits of a moved to the right, its sign kept; as in Java the last bits of b count.",
        "SHIFTRIGHT(-16, 2)" => "-4", |a, b| a.wrapping_shr(b as u32), |a, b| a.wrapping_shr(b as u32)),
    integers!("SHIFTRIGHTUNSIGNED", "The bits of a moved to the right, zeros put in; as in Java the last bits of b count.",
        "SHIFTRIGHTUNSIGNED(-1, 28)" => "15", |a, b| (a as u32).wrapping_shr(b as u32) as i32, |a, b| {
            (a as u64).wrapping_shr(b as u32) as i64
        }),
    Function::new(
        "BROUND",
        "BROUND(value NUMERIC [, digits INT]) -> DOUBLE",
        "The value rounded to some digits behind the point (0 by default), halves to the even neighbour.",
        &[Example::new("BROUND(2.5)", "2.0"), Example::new("BROUND(1.25, 1)", "1.2")],
        bankers_round,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "CBRT",
        "CBRT(value NUMERIC) -> DOUBLE",
        "The cube root.",
        &[Example::new("CBRT(27)", "3.0")],
        |c| {
            c.expect(1, 1, "CBRT(<NUMERIC>)")?;
            let args = vec![c.number(0, TypeKind::Double, "CBRT(<NUMERIC>)")?];
            let kernel = simple("CBRT", |a, _| Ok(a.numbers::<Float64Type>(0)?.map::<Float64Type>(f64::cbrt)));
            Ok(BoundCall::new(DataType::double().with_nullable(c.any_nullable()), args, kernel))
        },
    )
    .origin(Origin::Ancestor),
    Function::new(
        "FACTORIAL",
        "FACTORIAL(n INT) -> BIGINT",
        "The product of the numbers from 1 to n. NULL below 0 and above 20, where BIGINT ends.",
        &[Example::new("FACTORIAL(5)", "120"), Example::new("FACTORIAL(21)", "NULL")],
        factorial,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "CONV",
        "CONV(number STRING | INTEGER, from INT, to INT) -> STRING",
        "The number written in another base, from 2 to 36. NULL for what is no number in the first base, and for other bases.",
        &[Example::new("CONV('ff', 16, 2)", "11111111"), Example::new("CONV(100, 2, 10)", "4")],
        convert_base,
    )
    .origin(Origin::Ancestor),
];

fn named_operator(call: &Call<'_>, name: &str, kind: Option<TypeKind>) -> Result<BoundCall, Fault> {
    let form = format!("{name}('+' | '-' | '*' | '/' | '%', <NUMERIC>, <NUMERIC>)");
    call.expect(3, 3, &form)?;
    let operator = match call.literal_text(0).map(str::trim) {
        Some(o @ ("+" | "-" | "*" | "/" | "%")) => o,
        _ => return Err(call.refuse(&form)),
    };
    let operand = |i: usize| -> Result<Expr, Fault> {
        let arg = call.arg(i)?;
        match &kind {
            None => Ok(arg.clone()),
            Some(kind) if arg.data_type.kind.is_numeric() => Ok(convert(arg.clone(), kind.clone())),
            Some(_) => Err(call.refuse(&form)),
        }
    };
    stands_for(call, &form, apply(call, operator, &[operand(1)?, operand(2)?]))
}

fn two_integers(
    call: &Call<'_>,
    name: &'static str,
    narrow: fn(i32, i32) -> i32,
    wide: fn(i64, i64) -> i64,
) -> Result<BoundCall, Fault> {
    let form = format!("{name}(<INTEGER>, <INTEGER>)");
    call.expect(2, 2, &form)?;
    call.no_bare_null()?;
    let big = call.args.iter().any(|a| a.data_type.kind == TypeKind::BigInt);
    let kind = if big { TypeKind::BigInt } else { TypeKind::Int };
    let args = vec![call.number(0, kind.clone(), &form)?, call.number(1, kind.clone(), &form)?];
    let kernel = simple(name, move |arguments, _| {
        if big {
            let (a, b) = (arguments.numbers::<Int64Type>(0)?, arguments.numbers::<Int64Type>(1)?);
            return numbers::binary::<_, _, Int64Type>(&a, &b, arguments.rows(), wide);
        }
        let (a, b) = (arguments.numbers::<Int32Type>(0)?, arguments.numbers::<Int32Type>(1)?);
        numbers::binary::<_, _, Int32Type>(&a, &b, arguments.rows(), narrow)
    });
    Ok(BoundCall::new(DataType { kind, nullable: call.any_nullable() }, args, kernel))
}

fn bankers_round(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "BROUND(<NUMERIC> [, <INTEGER>])";
    call.expect(1, 2, FORM)?;
    let mut args = vec![call.number(0, TypeKind::Double, FORM)?];
    if call.args.len() > 1 {
        args.push(call.number(1, TypeKind::BigInt, FORM)?);
    }
    let kernel = simple("BROUND", |arguments, _| {
        let values = arguments.numbers::<Float64Type>(0)?;
        let digits = if arguments.count() > 1 { Some(arguments.numbers::<Int64Type>(1)?) } else { None };
        numbers::build::<Float64Type>(arguments.rows(), |row| {
            let digits = digits.as_ref().map_or(Some(0), |d| d.get(row));
            Ok(values.get(row).zip(digits).map(|(v, d)| half_even(v, d)))
        })
    });
    Ok(BoundCall::new(DataType::double().with_nullable(call.any_nullable()), args, kernel))
}

fn half_even(value: f64, digits: i64) -> f64 {
    // Beyond these there is nothing to round, or nothing is left.
    if !value.is_finite() || digits > 300 {
        return value;
    }
    let scale = 10f64.powi(digits.max(-400) as i32);
    let scaled = value * scale;
    if scaled.is_finite() && scale > 0.0 { scaled.round_ties_even() / scale } else { value * 0.0 }
}

fn factorial(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = arguments(call, "FACTORIAL(<INTEGER>)", 1, &[Arg::Integer])?;
    let kernel = simple("FACTORIAL", |arguments, _| {
        let n = arguments.numbers::<Int64Type>(0)?;
        numbers::build::<Int64Type>(arguments.rows(), |row| {
            Ok(n.get(row).filter(|n| (0..=20).contains(n)).map(|n| (1..=n).product()))
        })
    });
    Ok(BoundCall::new(DataType::bigint(), args, kernel))
}

fn convert_base(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "CONV(<CHARACTER> | <INTEGER>, <INTEGER>, <INTEGER>)";
    call.expect(3, 3, FORM)?;
    let number = match &call.arg(0)?.data_type.kind {
        k if k.is_integer() => convert(call.arg(0)?.clone(), TypeKind::STRING),
        _ => call.string(0, FORM)?,
    };
    let args = vec![number, call.number(1, TypeKind::BigInt, FORM)?, call.number(2, TypeKind::BigInt, FORM)?];
    let kernel = simple("CONV", |arguments, _| {
        let text = arguments.strings(0)?;
        let (from, to) = (arguments.numbers::<Int64Type>(1)?, arguments.numbers::<Int64Type>(2)?);
        strings::build(arguments.rows(), |row, out| {
            let bases = from.get(row).zip(to.get(row));
            let digits = text.get(row).zip(bases).and_then(|(t, (from, to))| in_base(t, from, to));
            digits.iter().for_each(|d| out.push_str(d));
            Ok(digits.is_some())
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}

fn in_base(text: &str, from: i64, to: i64) -> Option<String> {
    let base = |b: i64| u32::try_from(b).ok().filter(|b| (2..=36).contains(b));
    let (from, to) = (base(from)?, base(to)?);
    let value = i64::from_str_radix(text.trim(), from).ok()?;
    let (mut rest, base) = (value.unsigned_abs(), u64::from(to));
    let mut digits = Vec::new();
    while rest > 0 || digits.is_empty() {
        digits.push(char::from_digit((rest % base) as u32, to)?.to_ascii_uppercase());
        rest /= base;
    }
    if value < 0 {
        digits.push('-');
    }
    Some(digits.iter().rev().collect())
}
