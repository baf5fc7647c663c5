//! To integers, FLOAT and DOUBLE.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use arrow::buffer::BooleanBuffer;
use arrow::datatypes::{
    DataType as Arrow, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
};
use millstream_text::number::{
    NumberError, decimal_to_f64, decimal_to_i64, parse_f32, parse_f64, parse_i8, parse_i16, parse_i32,
    parse_i64,
};
use millstream_types::{Fault, TypeKind};

use super::Rules;
use crate::EvalError;
use crate::kernel::numbers::build;

/// A target type: how every source becomes it, by Java's conversions.
trait Target: ArrowPrimitiveType {
    fn parse(text: &str) -> Result<Self::Native, NumberError>;
    fn of_int(value: i64) -> Self::Native;
    fn of_float(value: f64) -> Self::Native;
    fn of_decimal(value: i128, scale: u8) -> Self::Native {
        Self::of_int(decimal_to_i64(value, scale))
    }
}

impl Target for Int8Type {
    fn parse(text: &str) -> Result<i8, NumberError> {
        parse_i8(text)
    }
    fn of_int(value: i64) -> i8 {
        value as i8
    }
    // Java narrows by way of int, which saturates.
    fn of_float(value: f64) -> i8 {
        value as i32 as i8
    }
}

impl Target for Int16Type {
    fn parse(text: &str) -> Result<i16, NumberError> {
        parse_i16(text)
    }
    fn of_int(value: i64) -> i16 {
        value as i16
    }
    fn of_float(value: f64) -> i16 {
        value as i32 as i16
    }
}

impl Target for Int32Type {
    fn parse(text: &str) -> Result<i32, NumberError> {
        parse_i32(text)
    }
    fn of_int(value: i64) -> i32 {
        value as i32
    }
    fn of_float(value: f64) -> i32 {
        value as i32
    }
}

impl Target for Int64Type {
    fn parse(text: &str) -> Result<i64, NumberError> {
        parse_i64(text)
    }
    fn of_int(value: i64) -> i64 {
        value
    }
    fn of_float(value: f64) -> i64 {
        value as i64
    }
}

impl Target for Float32Type {
    fn parse(text: &str) -> Result<f32, NumberError> {
        parse_f32(text)
    }
    fn of_int(value: i64) -> f32 {
        value as f32
    }
    fn of_float(value: f64) -> f32 {
        value as f32
    }
    fn of_decimal(value: i128, scale: u8) -> f32 {
        decimal_to_f64(value, scale) as f32
    }
}

impl Target for Float64Type {
    fn parse(text: &str) -> Result<f64, NumberError> {
        parse_f64(text)
    }
    fn of_int(value: i64) -> f64 {
        value as f64
    }
    fn of_float(value: f64) -> f64 {
        value
    }
    fn of_decimal(value: i128, scale: u8) -> f64 {
        decimal_to_f64(value, scale)
    }
}

pub(super) fn cast(
    array: &ArrayRef,
    from: &TypeKind,
    to: &TypeKind,
    rules: Rules<'_>,
) -> Result<ArrayRef, EvalError> {
    match to {
        TypeKind::TinyInt => to_target::<Int8Type>(array, from, to, rules),
        TypeKind::SmallInt => to_target::<Int16Type>(array, from, to, rules),
        TypeKind::Int => to_target::<Int32Type>(array, from, to, rules),
        TypeKind::BigInt => to_target::<Int64Type>(array, from, to, rules),
        TypeKind::Float => to_target::<Float32Type>(array, from, to, rules),
        _ => to_target::<Float64Type>(array, from, to, rules),
    }
}

fn to_target<T: Target>(
    array: &ArrayRef,
    from: &TypeKind,
    to: &TypeKind,
    rules: Rules<'_>,
) -> Result<ArrayRef, EvalError> {
    fn ints<S: ArrowPrimitiveType, T: Target>(array: &ArrayRef) -> ArrayRef
    where
        S::Native: Into<i64>,
    {
        Arc::new(array.as_primitive::<S>().unary::<_, T>(|v| T::of_int(v.into())))
    }
    Ok(match array.data_type() {
        Arrow::Utf8 => {
            let text = array.as_string::<i32>();
            build::<T>(array.len(), |row| {
                if text.is_null(row) {
                    return Ok(None);
                }
                let s = text.value(row);
                match T::parse(s) {
                    Ok(v) => Ok(Some(v)),
                    Err(e) => rules.failed(row, || e.fault(s, &to.to_string())),
                }
            })?
        }
        Arrow::Boolean => {
            let bools = array.as_boolean();
            let values: Vec<T::Native> = bools.values().iter().map(|b| T::of_int(i64::from(b))).collect();
            Arc::new(PrimitiveArray::<T>::new(values.into(), bools.nulls().cloned()))
        }
        Arrow::Int8 => ints::<Int8Type, T>(array),
        Arrow::Int16 => ints::<Int16Type, T>(array),
        Arrow::Int32 => ints::<Int32Type, T>(array),
        Arrow::Int64 => ints::<Int64Type, T>(array),
        Arrow::Float32 => {
            Arc::new(array.as_primitive::<Float32Type>().unary::<_, T>(|v| T::of_float(f64::from(v))))
        }
        Arrow::Float64 => Arc::new(array.as_primitive::<Float64Type>().unary::<_, T>(T::of_float)),
        Arrow::Decimal128(_, scale) => {
            let scale = *scale as u8;
            Arc::new(array.as_primitive::<Decimal128Type>().unary::<_, T>(|v| T::of_decimal(v, scale)))
        }
        _ => return Err(Fault::internal(format!("no cast from {from} to {to}")).into()),
    })
}

/// The entries that are 0, whatever their validity.
pub(super) fn is_zero(array: &ArrayRef) -> Result<BooleanBuffer, EvalError> {
    fn zero<T: ArrowPrimitiveType>(array: &ArrayRef) -> BooleanBuffer {
        let values = array.as_primitive::<T>().values();
        values.iter().map(|v| *v == T::Native::default()).collect()
    }
    Ok(match array.data_type() {
        Arrow::Int8 => zero::<Int8Type>(array),
        Arrow::Int16 => zero::<Int16Type>(array),
        Arrow::Int32 => zero::<Int32Type>(array),
        Arrow::Int64 => zero::<Int64Type>(array),
        Arrow::Float32 => zero::<Float32Type>(array),
        Arrow::Float64 => zero::<Float64Type>(array),
        Arrow::Decimal128(..) => zero::<Decimal128Type>(array),
        other => return Err(Fault::internal(format!("no cast from {other} to BOOLEAN")).into()),
    })
}
