//! Kernels of integers, which wrap, and of FLOAT and DOUBLE, which follow IEEE 754; and negation.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, Datum, Scalar};
use arrow::compute::kernels::numeric::{add_wrapping, div, mul_wrapping, neg_wrapping, sub_wrapping};
use arrow::datatypes::{
    ArrowNativeTypeOp, DataType as Arrow, DurationMillisecondType, Int8Type, Int16Type, Int32Type, Int64Type,
    IntervalYearMonthType,
};
use arrow::error::ArrowError;
use millstream_types::{Fault, TypeKind};

use super::operators::Operator;
use crate::kernel::{Arguments, broken, numbers, simple};
use crate::{Column, EvalError, KernelRef};

/// The fault of a division by zero, of any type.
pub(super) fn by_zero(op: Operator) -> Fault {
    Fault::user("division-by-zero", format!("Division by zero in '{}'", op.symbol()))
        .hint("guard it: CASE WHEN y <> 0 THEN x / y END")
}

/// An operation of two integers of a type; the remainder is given in the type of the second operand.
pub(super) fn kernel(op: Operator, operands: &TypeKind, result: &TypeKind) -> KernelRef {
    match operands {
        TypeKind::TinyInt => typed::<Int8Type>(op, result),
        TypeKind::SmallInt => typed::<Int16Type>(op, result),
        TypeKind::Int => typed::<Int32Type>(op, result),
        _ => typed::<Int64Type>(op, result),
    }
}

fn typed<T>(op: Operator, result: &TypeKind) -> KernelRef
where
    T: ArrowPrimitiveType,
    T::Native: ArrowNativeTypeOp + Into<i64>,
{
    let result = result.to_arrow();
    simple(op.symbol(), move |arguments, _| match op {
        Operator::Plus => with_arrow(arguments, add_wrapping),
        Operator::Minus => with_arrow(arguments, sub_wrapping),
        Operator::Times => with_arrow(arguments, mul_wrapping),
        Operator::Over => divided::<T>(arguments, op, |a, b| a.div_wrapping(b)),
        Operator::Modulo => {
            let rest = divided::<T>(arguments, op, |a, b| a.mod_wrapping(b))?;
            if rest.data_type() == &result {
                return Ok(rest);
            }
            // Smaller than the second operand, so it fits in its type.
            arrow::compute::cast(&rest, &result).map_err(broken)
        }
    })
}

fn divided<T: ArrowPrimitiveType>(
    arguments: &Arguments<'_>,
    op: Operator,
    f: impl Fn(T::Native, T::Native) -> T::Native,
) -> Result<ArrayRef, EvalError>
where
    T::Native: ArrowNativeTypeOp,
{
    let (a, b) = (arguments.numbers::<T>(0)?, arguments.numbers::<T>(1)?);
    numbers::build::<T>(arguments.rows(), |row| {
        let (Some(x), Some(y)) = (a.get(row), b.get(row)) else { return Ok(None) };
        if y.is_zero() {
            return Err(EvalError::at_row(row, by_zero(op)));
        }
        Ok(Some(f(x, y)))
    })
}

/// An operation of two FLOATs or DOUBLEs.
pub(super) fn floats(op: Operator, _: &TypeKind) -> KernelRef {
    simple(op.symbol(), move |arguments, _| match op {
        Operator::Plus => with_arrow(arguments, add_wrapping),
        Operator::Minus => with_arrow(arguments, sub_wrapping),
        Operator::Times => with_arrow(arguments, mul_wrapping),
        // On floats Arrow's division is IEEE's: no error.
        _ => with_arrow(arguments, div),
    })
}

fn with_arrow(
    arguments: &Arguments<'_>,
    f: impl Fn(&dyn Datum, &dyn Datum) -> Result<ArrayRef, ArrowError>,
) -> Result<ArrayRef, EvalError> {
    let (a, b) = (arguments.column(0)?, arguments.column(1)?);
    match (a, b) {
        (Column::Array(x), Column::Constant(y)) => f(x, &Scalar::new(y.clone())),
        (Column::Constant(x), Column::Array(y)) => f(&Scalar::new(x.clone()), y),
        _ => f(a.array(), b.array()),
    }
    .map_err(broken)
}

/// The value with the other sign: numbers and intervals.
pub(super) fn negation() -> KernelRef {
    simple("NEGATE", |arguments, _| {
        let array = arguments.column(0)?.array();
        Ok(match array.data_type() {
            Arrow::Interval(_) => Arc::new(
                array
                    .as_primitive::<IntervalYearMonthType>()
                    .unary::<_, IntervalYearMonthType>(i32::wrapping_neg),
            ),
            Arrow::Duration(_) => {
                let millis = array.as_primitive::<DurationMillisecondType>();
                Arc::new(millis.unary::<_, DurationMillisecondType>(i64::wrapping_neg)) as ArrayRef
            }
            _ => neg_wrapping(array.as_ref()).map_err(broken)?,
        })
    })
}
