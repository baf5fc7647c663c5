//! Kernels of DECIMAL arithmetic: exact, then rounded HALF_UP to the result's scale; NULL when it has too many digits.

use arrow::datatypes::{Decimal128Type, i256};
use millstream_text::number::{decimal_to_i64, fits, power_of_ten};
use millstream_types::TypeKind;

use super::integer::by_zero;
use super::operators::Operator;
use crate::cast::typed;
use crate::coerce::Digits;
use crate::kernel::numbers::build_array;
use crate::kernel::{broken, simple};
use crate::{EvalError, KernelRef};

/// An operation of two decimals with these digits.
pub(super) fn kernel(op: Operator, a: Digits, b: Digits, result: &TypeKind) -> KernelRef {
    let kind = result.clone();
    let digits = Digits::of(result).unwrap_or(a);
    let (precision, scale) = (digits.precision as u8, digits.scale);
    simple(op.symbol(), move |arguments, _| {
        let (x, y) = (arguments.numbers::<Decimal128Type>(0)?, arguments.numbers::<Decimal128Type>(1)?);
        let fit = |v: Option<i128>| v.filter(|v| fits(*v, precision));
        let array = build_array::<Decimal128Type>(arguments.rows(), |row| {
            let (Some(x), Some(y)) = (x.get(row), y.get(row)) else { return Ok(None) };
            if y == 0 && matches!(op, Operator::Over | Operator::Modulo) {
                return Err(EvalError::at_row(row, by_zero(op)));
            }
            Ok(match op {
                Operator::Plus => fit(sum(x, a.scale, y, b.scale, scale)),
                Operator::Minus => fit(y.checked_neg().and_then(|y| sum(x, a.scale, y, b.scale, scale))),
                Operator::Times => fit(product(x, y, a.scale + b.scale, scale)),
                Operator::Over => fit(quotient(x, a.scale, y, b.scale, scale)),
                Operator::Modulo => fit(remainder(x, a.scale, y, b.scale, scale)),
            })
        })?;
        match &kind {
            TypeKind::Decimal { precision, scale } => typed(array, *precision, *scale),
            whole => {
                // The remainder of numbers without a fraction, in an integer type.
                let longs = array.unary::<_, arrow::datatypes::Int64Type>(|v| decimal_to_i64(v, 0));
                arrow::compute::cast(&longs, &whole.to_arrow()).map_err(broken)
            }
        }
    })
}

fn wide(value: i128) -> i256 {
    i256::from_i128(value)
}

fn ten(n: u32) -> Option<i256> {
    // 10^76 is the largest power below 2^255.
    let (low, high) = (n.min(38), n.saturating_sub(38));
    wide(power_of_ten(low)?).checked_mul(wide(power_of_ten(high)?))
}

/// From one scale to another, HALF_UP.
fn rescale(value: i256, from: u32, to: u32) -> Option<i256> {
    if to >= from {
        return value.checked_mul(ten(to - from)?);
    }
    let divisor = ten(from - to)?;
    half_up(value, divisor)
}

fn half_up(value: i256, divisor: i256) -> Option<i256> {
    let quotient = value.checked_div(divisor)?;
    let rest = value.checked_rem(divisor)?.wrapping_abs();
    let up = rest >= divisor.wrapping_abs().checked_sub(rest)?;
    if !up {
        return Some(quotient);
    }
    let sign = if (value < i256::ZERO) == (divisor < i256::ZERO) { i256::ONE } else { i256::MINUS_ONE };
    quotient.checked_add(sign)
}

fn sum(x: i128, s: u32, y: i128, t: u32, scale: u32) -> Option<i128> {
    let at = s.max(t);
    if at == scale && at - s.min(t) == 0 {
        return x.checked_add(y);
    }
    let x = wide(x).checked_mul(ten(at - s)?)?;
    let y = wide(y).checked_mul(ten(at - t)?)?;
    rescale(x.checked_add(y)?, at, scale)?.to_i128()
}

fn product(x: i128, y: i128, at: u32, scale: u32) -> Option<i128> {
    if at == scale
        && let Some(v) = x.checked_mul(y)
    {
        return Some(v);
    }
    rescale(wide(x).checked_mul(wide(y))?, at, scale)?.to_i128()
}

fn quotient(x: i128, s: u32, y: i128, t: u32, scale: u32) -> Option<i128> {
    // x / 10^s over y / 10^t, times 10^scale.
    let shift = i64::from(scale) + i64::from(t) - i64::from(s);
    let (mut over, mut under) = (wide(x), wide(y));
    if shift >= 0 {
        over = over.checked_mul(ten(shift as u32)?)?;
    } else {
        under = under.checked_mul(ten(shift.unsigned_abs() as u32)?)?;
    }
    rounded_twice(over, under)?.to_i128()
}

/// The quotient as Java gives it to Flink: rounded to 38 significant digits, then to a whole number, HALF_UP both times.
fn rounded_twice(value: i256, divisor: i256) -> Option<i256> {
    let once = half_up(value, divisor)?;
    let quotient = value.checked_div(divisor)?;
    if once != quotient {
        return Some(once);
    }
    // What is less than a half counts as one if the first rounding makes it one: if no more is missing than half a unit of the 38th digit.
    let digits = quotient.wrapping_abs().to_i128().map_or(38, |q| if q == 0 { 0 } else { q.ilog10() + 1 });
    let up = if (value < i256::ZERO) == (divisor < i256::ZERO) { i256::ONE } else { i256::MINUS_ONE };
    let divisor = divisor.wrapping_abs();
    let rest = value.wrapping_abs().checked_rem(divisor)?;
    let missing = divisor.checked_sub(rest)?.checked_sub(rest)?;
    let places = 38u32.saturating_sub(digits);
    if places == 0 || missing > divisor.checked_div(ten(places)?)? {
        return Some(once);
    }
    quotient.checked_add(up)
}

fn remainder(x: i128, s: u32, y: i128, t: u32, scale: u32) -> Option<i128> {
    let at = s.max(t);
    let x = wide(x).checked_mul(ten(at - s)?)?;
    let y = wide(y).checked_mul(ten(at - t)?)?;
    rescale(x.checked_rem(y)?, at, scale)?.to_i128()
}
