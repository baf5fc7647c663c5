//! To DECIMAL. A number that is too large is NULL; a text that is too large fails.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, Decimal128Array};
use arrow::datatypes::{
    DataType as Arrow, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
};
use millstream_text::number::{decimal_from_f64, fits, parse_decimal, power_of_ten, rescale};
use millstream_types::{Fault, TypeKind};

use super::Rules;
use crate::EvalError;
use crate::kernel::broken;
use crate::kernel::numbers::build_array;

pub(super) fn cast(
    array: &ArrayRef,
    from: &TypeKind,
    precision: u8,
    scale: u8,
    rules: Rules<'_>,
) -> Result<ArrayRef, EvalError> {
    let rows = array.len();
    let valid = |row: usize| !array.is_null(row);
    let result: Decimal128Array = match array.data_type() {
        Arrow::Utf8 => {
            let text = array.as_string::<i32>();
            build_array::<Decimal128Type>(rows, |row| {
                if !valid(row) {
                    return Ok(None);
                }
                let s = text.value(row);
                match parse_decimal(s, precision, scale) {
                    Ok(v) => Ok(Some(v)),
                    Err(e) => {
                        rules.failed(row, || e.fault(s, &TypeKind::Decimal { precision, scale }.to_string()))
                    }
                }
            })?
        }
        Arrow::Boolean => {
            let bools = array.as_boolean();
            build_array::<Decimal128Type>(rows, |row| {
                Ok(valid(row).then(|| rescale(i128::from(bools.value(row)), 0, precision, scale)).flatten())
            })?
        }
        Arrow::Int8 => ints::<Int8Type>(array, precision, scale)?,
        Arrow::Int16 => ints::<Int16Type>(array, precision, scale)?,
        Arrow::Int32 => ints::<Int32Type>(array, precision, scale)?,
        Arrow::Int64 => ints::<Int64Type>(array, precision, scale)?,
        Arrow::Float32 => {
            let a = array.as_primitive::<Float32Type>();
            build_array::<Decimal128Type>(rows, |row| {
                of_float(valid(row).then(|| f64::from(a.value(row))), row, precision, scale, rules)
            })?
        }
        Arrow::Float64 => {
            let a = array.as_primitive::<Float64Type>();
            build_array::<Decimal128Type>(rows, |row| {
                of_float(valid(row).then(|| a.value(row)), row, precision, scale, rules)
            })?
        }
        Arrow::Decimal128(_, s) => {
            let (a, s) = (array.as_primitive::<Decimal128Type>(), *s as u8);
            if s == scale {
                let cut = a.unary_opt::<_, Decimal128Type>(|v| fits(v, precision).then_some(v));
                return typed(cut, precision, scale);
            }
            build_array::<Decimal128Type>(rows, |row| {
                Ok(valid(row).then(|| rescale(a.value(row), s, precision, scale)).flatten())
            })?
        }
        _ => {
            return Err(
                Fault::internal(format!("no cast from {from} to DECIMAL({precision}, {scale})")).into()
            );
        }
    };
    typed(result, precision, scale)
}

/// A number that is too large is NULL; what is no number fails.
fn of_float(
    value: Option<f64>,
    row: usize,
    precision: u8,
    scale: u8,
    rules: Rules<'_>,
) -> Result<Option<i128>, EvalError> {
    let Some(value) = value else { return Ok(None) };
    if !value.is_finite() {
        return rules.failed(row, || {
            Fault::user("bad-cast", format!("{value} is no DECIMAL"))
                .hint(format!("TRY_CAST(... AS DECIMAL({precision}, {scale})) gives NULL instead"))
        });
    }
    Ok(decimal_from_f64(value, precision, scale))
}

fn ints<T: ArrowPrimitiveType>(
    array: &ArrayRef,
    precision: u8,
    scale: u8,
) -> Result<Decimal128Array, EvalError>
where
    T::Native: Into<i64>,
{
    let a = array.as_primitive::<T>();
    let factor = power_of_ten(u32::from(scale)).unwrap_or(1);
    Ok(a.unary_opt::<_, Decimal128Type>(|v| {
        let v: i64 = v.into();
        i128::from(v).checked_mul(factor).filter(|v| fits(*v, precision))
    }))
}

/// The array with the type's precision and scale.
pub(crate) fn typed(array: Decimal128Array, precision: u8, scale: u8) -> Result<ArrayRef, EvalError> {
    Ok(Arc::new(array.with_precision_and_scale(precision, scale as i8).map_err(broken)?))
}
