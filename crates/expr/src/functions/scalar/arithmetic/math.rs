//! Functions of DOUBLEs: powers, logarithms, trigonometry; and SIGN and ABS, which keep their argument's type.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    DataType as Arrow, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
};
use millstream_types::{DataType, Fault, TypeKind};

use super::hyperbolic;
use crate::cast::typed;
use crate::kernel::{numbers, simple};
use crate::{BoundCall, Call, EvalError, Example, Function};

/// A function of one DOUBLE.
macro_rules! of_one {
    ($name:literal, $doc:literal, $example:literal => $result:literal, $f:expr) => {
        Function::new(
            $name,
            concat!($name, "(value NUMERIC) -> DOUBLE"),
            $doc,
            &[Example::new($example, $result)],
            |c| one(c, $name, $f),
        )
    };
}

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "ABS",
        "ABS(value NUMERIC) -> type of value",
        "The value without its sign. The smallest integer of a type has no positive counterpart and stays as it is.",
        &[Example::new("ABS(-5)", "5")],
        absolute,
    ),
    Function::new(
        "SIGN",
        "SIGN(value NUMERIC) -> type of value",
        "-1, 0 or 1 in the type of the value.",
        &[Example::new("SIGN(-5)", "-1")],
        sign,
    ),
    Function::new(
        "POWER",
        "POWER(base NUMERIC, exponent NUMERIC) -> DOUBLE",
        "The base raised to the exponent. NaN for a negative base and a broken exponent.",
        &[Example::new("POWER(2, 10)", "1024.0")],
        |c| two(c, "POWER", power),
    ),
    of_one!("SQRT", "The square root. NaN for a negative value.", "SQRT(2.25)" => "1.5", square_root),
    of_one!("EXP", "e raised to the value.", "EXP(0)" => "1.0", f64::exp),
    of_one!("LN", "The natural logarithm. -Infinity for 0, NaN below.", "LN(1)" => "0.0", f64::ln),
    of_one!("LOG10", "The logarithm to base 10.", "LOG10(0.001)" => "-3.0", f64::log10),
    of_one!("LOG2", "The logarithm to base 2.", "LOG2(8)" => "3.0", log2),
    Function::new(
        "LOG",
        "LOG(value NUMERIC) -> DOUBLE\nLOG(base NUMERIC, value NUMERIC) -> DOUBLE",
        "The natural logarithm, or that to a base.",
        &[Example::new("LOG(2, 8)", "3.0")],
        log,
    ),
    of_one!("SIN", "The sine of an angle in radians.", "SIN(0)" => "0.0", f64::sin),
    of_one!("COS", "The cosine of an angle in radians.", "COS(0)" => "1.0", f64::cos),
    of_one!("TAN", "The tangent of an angle in radians.", "TAN(0)" => "0.0", f64::tan),
    of_one!("COT", "The cotangent of an angle in radians. Infinity for 0.", "COT(0)" => "Infinity", |x| 1.0 / x.tan()),
    of_one!("ASIN", "The angle whose sine is the value. NaN beyond -1 and 1.", "ASIN(2)" => "NaN", f64::asin),
    of_one!("ACOS", "The angle whose cosine is the value. NaN beyond -1 and 1.", "ACOS(1)" => "0.0", f64::acos),
    of_one!("ATAN", "The angle whose tangent is the value.", "ATAN(0)" => "0.0", f64::atan),
    of_one!("SINH", "The hyperbolic sine.", "SINH(0)" => "0.0", hyperbolic::sinh),
    of_one!("COSH", "The hyperbolic cosine.", "COSH(0)" => "1.0", hyperbolic::cosh),
    of_one!("TANH", "The hyperbolic tangent.", "TANH(0)" => "0.0", hyperbolic::tanh),
    of_one!("DEGREES", "The angle in degrees.", "DEGREES(0)" => "0.0", degrees),
    of_one!("RADIANS", "The angle in radians.", "RADIANS(180)" => "3.141592653589793", radians),
    Function::new(
        "ATAN2",
        "ATAN2(y NUMERIC, x NUMERIC) -> DOUBLE",
        "The angle of the point (x, y).",
        &[Example::new("ATAN2(0, 1)", "0.0")],
        |c| {
            // Flink knows ATAN2 of two DECIMALs and of two other numbers.
            let decimals = c.args.iter().filter(|a| matches!(a.data_type.kind, TypeKind::Decimal { .. }));
            match decimals.count() {
                1 => Err(c.refuse("ATAN2(<NUMERIC>, <NUMERIC>), both DECIMAL or none")),
                _ => two(c, "ATAN2", f64::atan2),
            }
        },
    ),
    Function::new(
        "PI",
        "PI() -> DOUBLE",
        "The number pi.",
        &[Example::new("PI()", "3.141592653589793")],
        |c| constant(c, std::f64::consts::PI),
    ),
    Function::new(
        "E",
        "E() -> DOUBLE",
        "Euler's number.",
        &[Example::new("E()", "2.718281828459045")],
        |c| constant(c, std::f64::consts::E),
    ),
];

fn one(call: &Call<'_>, name: &'static str, f: fn(f64) -> f64) -> Result<BoundCall, Fault> {
    let form = format!("{name}(<NUMERIC>)");
    call.expect(1, 1, &form)?;
    call.no_bare_null()?;
    let arg = call.number(0, TypeKind::Double, &form)?;
    let kernel =
        simple(name, move |arguments, _| Ok(arguments.numbers::<Float64Type>(0)?.map::<Float64Type>(f)));
    Ok(BoundCall::new(double(call), vec![arg], kernel))
}

fn two(call: &Call<'_>, name: &'static str, f: fn(f64, f64) -> f64) -> Result<BoundCall, Fault> {
    let form = format!("{name}(<NUMERIC>, <NUMERIC>)");
    call.expect(2, 2, &form)?;
    call.no_bare_null()?;
    let args = vec![call.number(0, TypeKind::Double, &form)?, call.number(1, TypeKind::Double, &form)?];
    let kernel = simple(name, move |arguments, _| {
        let (a, b) = (arguments.numbers::<Float64Type>(0)?, arguments.numbers::<Float64Type>(1)?);
        numbers::binary::<_, _, Float64Type>(&a, &b, arguments.rows(), f)
    });
    Ok(BoundCall::new(double(call), args, kernel))
}

fn double(call: &Call<'_>) -> DataType {
    DataType::double().with_nullable(call.any_nullable())
}

fn constant(call: &Call<'_>, value: f64) -> Result<BoundCall, Fault> {
    call.expect(0, 0, &format!("{}()", call.name))?;
    let kernel = simple("constant", move |arguments, _| {
        numbers::build::<Float64Type>(arguments.rows(), |_| Ok(Some(value)))
    });
    Ok(BoundCall::new(TypeKind::Double.not_null(), Vec::new(), kernel))
}

// Flink takes the root as the power of one half, which is positive for -Infinity and for -0.0.
fn square_root(x: f64) -> f64 {
    if x == f64::NEG_INFINITY || x == 0.0 { x.abs() } else { x.sqrt() }
}

// Java's pow gives NaN for 1 to the power of NaN or infinity, C's gives 1.
fn power(base: f64, exponent: f64) -> f64 {
    if exponent.is_nan() || exponent.is_infinite() && base.abs() == 1.0 {
        f64::NAN
    } else {
        base.powf(exponent)
    }
}

// As Flink computes it.
fn log2(value: f64) -> f64 {
    value.ln() / 2f64.ln()
}

// As Java does: by way of a product, which rounds otherwise than Rust's.
fn degrees(value: f64) -> f64 {
    value * 57.295_779_513_082_32
}

fn radians(value: f64) -> f64 {
    value * 0.017_453_292_519_943_295
}

fn log(call: &Call<'_>) -> Result<BoundCall, Fault> {
    if call.args.len() == 1 {
        return one(call, "LOG", f64::ln);
    }
    call.expect(1, 2, "LOG(<NUMERIC>)\nLOG(<NUMERIC>, <NUMERIC>)")?;
    two(call, "LOG", |base, value| value.ln() / base.ln())
}

fn same_type(call: &Call<'_>, form: &str) -> Result<DataType, Fault> {
    call.expect(1, 1, form)?;
    call.no_bare_null()?;
    let data_type = &call.arg(0)?.data_type;
    if data_type.kind.is_numeric() { Ok(data_type.clone()) } else { Err(call.refuse(form)) }
}

fn absolute(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let data_type = same_type(call, "ABS(<NUMERIC>)")?;
    let kernel = simple("ABS", |arguments, _| {
        Ok(match arguments.column(0)?.array().data_type() {
            Arrow::Int8 => arguments.numbers::<Int8Type>(0)?.map::<Int8Type>(i8::wrapping_abs),
            Arrow::Int16 => arguments.numbers::<Int16Type>(0)?.map::<Int16Type>(i16::wrapping_abs),
            Arrow::Int32 => arguments.numbers::<Int32Type>(0)?.map::<Int32Type>(i32::wrapping_abs),
            Arrow::Int64 => arguments.numbers::<Int64Type>(0)?.map::<Int64Type>(i64::wrapping_abs),
            Arrow::Float32 => arguments.numbers::<Float32Type>(0)?.map::<Float32Type>(f32::abs),
            Arrow::Float64 => arguments.numbers::<Float64Type>(0)?.map::<Float64Type>(f64::abs),
            _ => return decimals(arguments.column(0)?.array(), |v, _| v.wrapping_abs()),
        })
    });
    Ok(BoundCall::new(data_type, call.args.to_vec(), kernel))
}

fn sign(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let data_type = same_type(call, "SIGN(<NUMERIC>)")?;
    let kernel = simple("SIGN", |arguments, _| {
        Ok(match arguments.column(0)?.array().data_type() {
            Arrow::Int8 => arguments.numbers::<Int8Type>(0)?.map::<Int8Type>(i8::signum),
            Arrow::Int16 => arguments.numbers::<Int16Type>(0)?.map::<Int16Type>(i16::signum),
            Arrow::Int32 => arguments.numbers::<Int32Type>(0)?.map::<Int32Type>(i32::signum),
            Arrow::Int64 => arguments.numbers::<Int64Type>(0)?.map::<Int64Type>(i64::signum),
            Arrow::Float32 => arguments
                .numbers::<Float32Type>(0)?
                .map::<Float32Type>(|v| if v == 0.0 || v.is_nan() { v } else { v.signum() }),
            Arrow::Float64 => arguments
                .numbers::<Float64Type>(0)?
                .map::<Float64Type>(|v| if v == 0.0 || v.is_nan() { v } else { v.signum() }),
            _ => return decimals(arguments.column(0)?.array(), |v, one| v.signum() * one),
        })
    });
    Ok(BoundCall::new(data_type, call.args.to_vec(), kernel))
}

/// A function of a DECIMAL's digits and the digits of 1 in its scale.
fn decimals(array: &ArrayRef, f: impl Fn(i128, i128) -> i128) -> Result<ArrayRef, EvalError> {
    let (Arrow::Decimal128(p, s), Some(a)) = (array.data_type(), array.as_primitive_opt::<Decimal128Type>())
    else {
        return Err(Fault::internal(format!("no number: {}", array.data_type())).into());
    };
    let one = millstream_text::number::power_of_ten(*s as u32).unwrap_or(1);
    let fits = |v: i128| millstream_text::number::fits(v, *p).then_some(v);
    typed(a.unary_opt::<_, Decimal128Type>(|v| fits(f(v, one))), *p, *s as u8)
}
