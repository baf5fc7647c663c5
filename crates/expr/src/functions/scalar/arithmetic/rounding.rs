//! CEIL, FLOOR, ROUND and TRUNCATE of numbers.

use arrow::array::ArrayRef;
use arrow::datatypes::{
    ArrowPrimitiveType, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
};
use millstream_text::number::{decimal_from_f64, decimal_to_f64, fits, power_of_ten};
use millstream_types::{DataType, Fault, TypeKind, Value};

use crate::cast::typed;
use crate::coerce::Digits;
use crate::kernel::numbers::{Numbers, build, build_array};
use crate::kernel::{Arguments, simple};
use crate::{BoundCall, Call, EvalError, Example, Function, Keyword};

/// How digits are dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Up,
    Down,
    HalfUp,
    Zero,
}

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "CEIL",
        "CEIL(value NUMERIC) -> NUMERIC\nCEIL(value DATETIME TO unit) -> type of value",
        "The smallest whole number that is not below the value; of a date or time, the next begin of a unit.",
        &[Example::new("CEIL(1.2)", "2")],
        |c| whole(c, "CEIL", Way::Up),
    )
    .aliases(&["CEILING"]),
    Function::new(
        "FLOOR",
        "FLOOR(value NUMERIC) -> NUMERIC\nFLOOR(value DATETIME TO unit) -> type of value",
        "The largest whole number that is not above the value; of a date or time, the begin of its unit.",
        &[Example::new("FLOOR(-1.2)", "-2")],
        |c| whole(c, "FLOOR", Way::Down),
    ),
    Function::new(
        "ROUND",
        "ROUND(value NUMERIC [, digits INT]) -> NUMERIC",
        "The value rounded to some digits behind the point (0 by default; negative: before it), halves away from 0.",
        &[Example::new("ROUND(-1.555, 2)", "-1.56"), Example::new("ROUND(1250, -2)", "1300")],
        |c| to_digits(c, "ROUND", Way::HalfUp),
    ),
    Function::new(
        "TRUNCATE",
        "TRUNCATE(value NUMERIC [, digits INT]) -> NUMERIC",
        "The value cut to some digits behind the point (0 by default; negative: before it).",
        &[Example::new("TRUNCATE(42.329, 2)", "42.32")],
        |c| to_digits(c, "TRUNCATE", Way::Zero),
    )
    .aliases(&["TRUNC"]),
];

fn whole(call: &Call<'_>, name: &'static str, way: Way) -> Result<BoundCall, Fault> {
    let form = format!("{name}(<NUMERIC>)\n{name}(<DATETIME> TO <unit>)");
    if call.args.len() == 2
        || call.keywords.iter().any(|(k, v)| matches!(*k, "TO" | "unit") && matches!(v, Keyword::Word(_)))
    {
        return crate::functions::scalar::round_datetime(call, name);
    }
    call.expect(1, 1, &form)?;
    call.no_bare_null()?;
    let arg = call.arg(0)?;
    let kind = match &arg.data_type.kind {
        TypeKind::Decimal { precision, .. } => TypeKind::Decimal { precision: *precision, scale: 0 },
        k if k.is_numeric() => k.clone(),
        _ => return Err(call.refuse(&form)),
    };
    let result = kind.clone();
    let kernel = simple(name, move |arguments, _| match &result {
        TypeKind::Float => Ok(arguments.numbers::<Float32Type>(0)?.map::<Float32Type>(|v| match way {
            Way::Up => v.ceil(),
            _ => v.floor(),
        })),
        TypeKind::Double => Ok(arguments.numbers::<Float64Type>(0)?.map::<Float64Type>(|v| match way {
            Way::Up => v.ceil(),
            _ => v.floor(),
        })),
        TypeKind::Decimal { precision, .. } => rounded_decimals(arguments, way, |_| Some(0), *precision, 0),
        _ => Ok(arguments.column(0)?.array().clone()),
    });
    Ok(BoundCall::new(DataType { kind, nullable: arg.data_type.nullable }, vec![arg.clone()], kernel))
}

fn to_digits(call: &Call<'_>, name: &'static str, way: Way) -> Result<BoundCall, Fault> {
    let form = format!("{name}(<NUMERIC> [, <INTEGER>])");
    call.expect(1, 2, &form)?;
    call.no_bare_null()?;
    let value = call.arg(0)?;
    let kind = value.data_type.kind.clone();
    if !kind.is_numeric() {
        return Err(call.refuse(&form));
    }
    let mut args = vec![value.clone()];
    let digits = match call.args.get(1) {
        None => Some(0),
        Some(d) if d.data_type.kind == TypeKind::BigInt => return Err(call.refuse(&form)),
        Some(d) => {
            args.push(call.number(1, TypeKind::Int, &form)?);
            constant_int(d)
        }
    };
    let result = match (&kind, digits) {
        (TypeKind::Decimal { .. }, Some(n)) => {
            let digits = i32::try_from(n).unwrap_or(if n < 0 { i32::MIN } else { i32::MAX });
            Digits::of(&kind).map_or(kind.clone(), |d| d.rounded(digits).to_kind())
        }
        _ => kind.clone(),
    };
    let data_type = DataType { kind: result.clone(), nullable: call.any_nullable() };
    let approximate = result.is_approximate();
    let kernel = simple(name, move |arguments, _| rounded(arguments, way, &result));
    let bound = BoundCall::new(data_type, args, kernel);
    Ok(if approximate { bound.fallible() } else { bound })
}

/// The value of an integer literal, below a minus and casts.
fn constant_int(expr: &crate::Expr) -> Option<i64> {
    match &expr.kind {
        crate::ExprKind::Literal(Value::Int(i)) => Some(*i),
        crate::ExprKind::Cast { input, .. } => constant_int(input),
        crate::ExprKind::Call(c) if &*c.name == "NEGATE" => c.args.first().and_then(constant_int).map(|v| -v),
        _ => None,
    }
}

fn rounded(arguments: &Arguments<'_>, way: Way, kind: &TypeKind) -> Result<ArrayRef, EvalError> {
    let digits = if arguments.count() > 1 { Some(arguments.numbers::<Int32Type>(1)?) } else { None };
    let digits = |row: usize| match &digits {
        None => Some(0),
        Some(d) => d.get(row),
    };
    fn ints<T: ArrowPrimitiveType>(
        arguments: &Arguments<'_>,
        way: Way,
        digits: impl Fn(usize) -> Option<i32>,
        narrow: impl Fn(i64) -> T::Native,
    ) -> Result<ArrayRef, EvalError>
    where
        T::Native: Into<i64>,
    {
        let a: Numbers<'_, T> = arguments.numbers::<T>(0)?;
        build::<T>(arguments.rows(), |row| {
            let (Some(v), Some(d)) = (a.get(row), digits(row)) else { return Ok(None) };
            if d >= 0 {
                return Ok(Some(v));
            }
            let v: i64 = v.into();
            let r = round_at(i128::from(v), d.unsigned_abs(), way);
            // What leaves the type's range wraps, as all arithmetic of integers.
            Ok(Some(narrow(r as i64)))
        })
    }
    match kind {
        TypeKind::TinyInt => ints::<Int8Type>(arguments, way, digits, |v| v as i8),
        TypeKind::SmallInt => ints::<Int16Type>(arguments, way, digits, |v| v as i16),
        TypeKind::Int => ints::<Int32Type>(arguments, way, digits, |v| v as i32),
        TypeKind::BigInt => ints::<Int64Type>(arguments, way, digits, |v| v),
        TypeKind::Float => {
            let a = arguments.numbers::<Float32Type>(0)?;
            build::<Float32Type>(arguments.rows(), |row| {
                let (Some(v), Some(d)) = (a.get(row), digits(row)) else { return Ok(None) };
                // By way of the FLOAT's own text, as Java's BigDecimal.valueOf does.
                let mut text = String::new();
                millstream_text::number::push_f32(&mut text, v);
                let exact: f64 = text.parse().unwrap_or(f64::from(v));
                round_finite(exact, d, way, row).map(|v| Some(v as f32))
            })
        }
        TypeKind::Double => {
            let a = arguments.numbers::<Float64Type>(0)?;
            build::<Float64Type>(arguments.rows(), |row| {
                let (Some(v), Some(d)) = (a.get(row), digits(row)) else { return Ok(None) };
                round_finite(v, d, way, row).map(Some)
            })
        }
        TypeKind::Decimal { precision, scale } => {
            rounded_decimals(arguments, way, digits, *precision, u32::from(*scale))
        }
        other => Err(Fault::internal(format!("{other} cannot be rounded")).into()),
    }
}

/// NaN and the infinities cannot be rounded: in Flink they fail the job, too.
fn round_finite(value: f64, digits: i32, way: Way, row: usize) -> Result<f64, EvalError> {
    if !value.is_finite() {
        let fault = Fault::user("bad-argument", format!("{value} cannot be rounded"))
            .hint("leave such values out: WHERE x < 1e308 AND x > -1e308");
        return Err(EvalError::at_row(row, fault));
    }
    Ok(round_float(value, digits, way))
}

/// A DOUBLE by its shortest decimal text: 2.675 rounds to 2.68, though its binary value is below.
fn round_float(value: f64, digits: i32, way: Way) -> f64 {
    quickly(value, digits, way).unwrap_or_else(|| exactly(value, digits, way))
}

/// The same by binary arithmetic, where its errors cannot decide: what is dropped is not near a half (rounding) or a whole (cutting). Both
/// sides of the division are exact, so that its result is the double next to the decimal number.
fn quickly(value: f64, digits: i32, way: Way) -> Option<f64> {
    const UNITS: [f64; 10] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];
    // Below 10^9 the product and the shortest text are off by less than 10^-6.
    const LIMIT: f64 = 1e9;
    const DOUBT: f64 = 1e-6;
    let unit = *UNITS.get(usize::try_from(digits).ok()?)?;
    let scaled = value.abs() * unit;
    if scaled.is_nan() || scaled >= LIMIT {
        return None;
    }
    let whole = scaled.floor();
    let rest = scaled - whole;
    let whole = match way {
        Way::HalfUp if (rest - 0.5).abs() > DOUBT => whole + if rest > 0.5 { 1.0 } else { 0.0 },
        Way::Zero if rest > DOUBT && rest < 1.0 - DOUBT => whole,
        _ => return None,
    };
    Some(if whole == 0.0 { 0.0 } else { (whole / unit).copysign(value) })
}

fn exactly(value: f64, digits: i32, way: Way) -> f64 {
    const SCALE: u8 = 18;
    if !value.is_finite() || digits >= i32::from(SCALE) {
        return value;
    }
    let Some(exact) = decimal_from_f64(value, 38, SCALE) else { return value };
    let dropped = i32::from(SCALE).saturating_sub(digits);
    decimal_to_f64(round_at(exact, dropped.unsigned_abs(), way), SCALE)
}

/// The number with its last digits replaced by zeros.
fn round_at(value: i128, dropped: u32, way: Way) -> i128 {
    let Some(unit) = power_of_ten(dropped) else { return 0 };
    let (whole, rest) = (value / unit, value % unit);
    let up = match way {
        Way::Up => rest > 0,
        Way::Down => rest < 0,
        Way::Zero => false,
        Way::HalfUp => rest.unsigned_abs() >= unit.unsigned_abs() - rest.unsigned_abs(),
    };
    let step = if up { if value < 0 { -1 } else { 1 } } else { 0 };
    (whole + step).checked_mul(unit).unwrap_or(value)
}

fn rounded_decimals(
    arguments: &Arguments<'_>,
    way: Way,
    digits: impl Fn(usize) -> Option<i32>,
    precision: u8,
    scale: u32,
) -> Result<ArrayRef, EvalError> {
    let a = arguments.numbers::<Decimal128Type>(0)?;
    let from = a.array.scale().max(0) as u32;
    let array = build_array::<Decimal128Type>(arguments.rows(), |row| {
        let (Some(v), Some(d)) = (a.get(row), digits(row)) else { return Ok(None) };
        let dropped = i64::from(from) - i64::from(d);
        let v = if dropped <= 0 { v } else { round_at(v, dropped.min(39) as u32, way) };
        // The dropped digits are zeros now: the scale can shrink without rounding again.
        let v = if scale >= from {
            power_of_ten(scale - from).and_then(|p| v.checked_mul(p))
        } else {
            power_of_ten(from - scale).map(|p| v / p)
        };
        Ok(v.filter(|v| fits(*v, precision)))
    })?;
    typed(array, precision, scale as u8)
}

#[cfg(test)]
mod tests {
    use millstream_types::{Random, SeededRandom};

    use super::*;

    #[test]
    fn quick_rounding_is_exact_rounding() {
        let random = SeededRandom::new(5);
        let (mut quick, mut all) = (0, 0);
        for _ in 0..20_000 {
            let bits = random.next_u64();
            let digits = (bits % 11) as i32;
            let short =
                ((bits >> 8) % 2_000_000) as f64 / [1.0, 10.0, 100.0, 1000.0, 10_000.0][(bits % 5) as usize];
            let wide = f64::from_bits(0x3000_0000_0000_0000 + (random.next_u64() >> 3));
            for value in [short, short + 0.5, short * (1.0 + f64::EPSILON), wide, 0.0] {
                for (value, way) in
                    [(value, Way::HalfUp), (-value, Way::HalfUp), (value, Way::Zero), (-value, Way::Zero)]
                {
                    all += 1;
                    let Some(got) = quickly(value, digits, way) else { continue };
                    quick += 1;
                    assert_eq!(
                        got.to_bits(),
                        exactly(value, digits, way).to_bits(),
                        "{value:?} {digits} {way:?}"
                    );
                }
            }
        }
        assert!(quick * 3 > all, "{quick} of {all}");
    }
}
