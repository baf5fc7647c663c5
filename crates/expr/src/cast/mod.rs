//! Casts between every pair of types that Flink casts, column by column: a file for each family of target types.
//!
//! What cannot be converted fails the evaluation, or is NULL in a TRY_CAST; numbers that are too large for a DECIMAL are NULL in
//! either, integers wrap, and floating point saturates, as in Flink.

mod binary;
mod datetimes;
mod decimals;
mod nested;
mod numbers;
mod strings;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, new_null_array};
use arrow::datatypes::{
    DataType as Arrow, DurationMillisecondType, Int32Type, Int64Type, IntervalYearMonthType,
};
use millstream_types::{DataType, Fault, TypeKind};

use crate::kernel::{Arguments, broken};
use crate::{CastMode, Column, EvalContext, EvalError, Kernel, Rows};

pub(crate) use decimals::typed;
pub use strings::Printer;

/// How a cast goes about what is special.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rules<'a> {
    /// NULL instead of failing.
    lenient: bool,
    /// `table.exec.legacy-cast-behaviour`: no padding, `true` instead of `TRUE`.
    legacy: bool,
    zone: &'a str,
}

impl Rules<'_> {
    /// What a row gives that cannot be converted.
    fn failed<T>(self, row: usize, fault: impl FnOnce() -> Fault) -> Result<Option<T>, EvalError> {
        if self.lenient { Ok(None) } else { Err(EvalError::at_row(row, fault())) }
    }
}

/// The fault of a text that is not of a type.
fn unreadable(text: &str, to: &TypeKind) -> Fault {
    let shown: String = text.chars().take(100).collect();
    Fault::user("bad-cast", format!("cannot read '{shown}' as {to}"))
        .hint(format!("TRY_CAST(... AS {to}) gives NULL instead"))
}

/// Whether some value makes a cast fail (rather than give NULL).
pub(crate) fn cast_is_fallible(from: &TypeKind, to: &TypeKind, mode: CastMode) -> bool {
    use TypeKind as K;
    if mode == CastMode::TryCast {
        return false;
    }
    match (from, to) {
        (K::Null, _) => false,
        (f, t) if f.is_string() => !(t.is_string() || t.is_binary()),
        (K::Array(f), K::Array(t)) | (K::Multiset(f), K::Multiset(t)) => {
            cast_is_fallible(&f.kind, &t.kind, mode)
        }
        (K::Map(fk, fv), K::Map(tk, tv)) => {
            cast_is_fallible(&fk.kind, &tk.kind, mode) || cast_is_fallible(&fv.kind, &tv.kind, mode)
        }
        (K::Row(f) | K::Structured(_, f), K::Row(t)) => {
            f.iter().zip(t.iter()).any(|(x, y)| cast_is_fallible(&x.data_type.kind, &y.data_type.kind, mode))
        }
        // NaN and the infinities are no decimals.
        (K::Float | K::Double, K::Decimal { .. }) => true,
        // The nanosecond form does not reach all years.
        (f, t) => f.is_datetime() && t.counts_nanos() && !f.counts_nanos(),
    }
}

/// Casts a column.
pub(crate) fn cast_column(
    column: &Column,
    from: &DataType,
    to: &DataType,
    mode: CastMode,
    context: &EvalContext,
) -> Result<Column, EvalError> {
    let rules = Rules { lenient: mode == CastMode::TryCast, legacy: false, zone: &context.zone };
    let array = cast_array(column.array(), &from.kind, &to.kind, rules)?;
    Ok(if column.is_constant() { Column::Constant(array) } else { Column::Array(array) })
}

/// Casts an array.
pub(crate) fn cast_array(
    array: &ArrayRef,
    from: &TypeKind,
    to: &TypeKind,
    rules: Rules<'_>,
) -> Result<ArrayRef, EvalError> {
    use TypeKind as K;
    if matches!(from, K::Null) || matches!(array.data_type(), Arrow::Null) {
        return Ok(new_null_array(&to.to_arrow(), array.len()));
    }
    if from.same_as(to) {
        return Ok(array.clone());
    }
    match to {
        K::Char(_) | K::VarChar(_) => strings::cast(array, from, to, rules),
        K::Boolean => booleans(array, from, to, rules),
        K::TinyInt | K::SmallInt | K::Int | K::BigInt | K::Float | K::Double => {
            numbers::cast(array, from, to, rules)
        }
        K::Decimal { precision, scale } => decimals::cast(array, from, *precision, *scale, rules),
        K::Date | K::Time(_) | K::Timestamp(..) | K::TimestampLtz(..) => {
            datetimes::cast(array, from, to, rules)
        }
        K::Binary(_) | K::VarBinary(_) => binary::cast(array, from, to, rules),
        K::Array(_) | K::Map(..) | K::Multiset(_) | K::Row(_) => nested::cast(array, from, to, rules),
        // Precision and fields of an interval only matter for the spelling.
        K::IntervalYearMonth(..) | K::IntervalDayTime(..) if array.data_type() == &to.to_arrow() => {
            Ok(array.clone())
        }
        // Months or milliseconds: Flink takes the number as it is.
        K::IntervalYearMonth(..) => {
            let counts = numbers::cast(array, from, &K::Int, rules)?;
            let counts = counts.as_primitive::<Int32Type>();
            Ok(Arc::new(counts.unary::<_, IntervalYearMonthType>(|v| v)))
        }
        K::IntervalDayTime(..) => {
            let counts = numbers::cast(array, from, &K::BigInt, rules)?;
            let counts = counts.as_primitive::<Int64Type>();
            Ok(Arc::new(counts.unary::<_, DurationMillisecondType>(|v| v)))
        }
        _ => Err(Fault::internal(format!("no cast from {from} to {to}")).into()),
    }
}

fn booleans(
    array: &ArrayRef,
    from: &TypeKind,
    to: &TypeKind,
    rules: Rules<'_>,
) -> Result<ArrayRef, EvalError> {
    if from.is_string() {
        let column = Column::Array(array.clone());
        let text = crate::kernel::strings::Strings::of(&column)?;
        return crate::kernel::booleans::build(array.len(), |row| {
            let Some(s) = text.get(row) else { return Ok(None) };
            match truth(s) {
                Some(b) => Ok(Some(b)),
                None => rules.failed(row, || unreadable(s, to)),
            }
        });
    }
    // 0 is FALSE; all other numbers are TRUE.
    let zero = numbers::is_zero(array)?;
    Ok(Arc::new(BooleanArray::new(!&zero, array.nulls().cloned())))
}

/// Flink's words for truth (`BinaryStringDataUtil.toBoolean`).
fn truth(text: &str) -> Option<bool> {
    let is = |words: &[&str]| words.iter().any(|w| text.eq_ignore_ascii_case(w));
    if is(&["t", "true", "y", "yes", "1"]) {
        Some(true)
    } else if is(&["f", "false", "n", "no", "0"]) {
        Some(false)
    } else {
        None
    }
}

/// CAST under `table.exec.legacy-cast-behaviour` = ENABLED: NULL for what cannot be converted, no padding.
#[derive(Debug)]
pub(crate) struct LegacyCast {
    pub(crate) from: DataType,
    pub(crate) to: DataType,
}

impl Kernel for LegacyCast {
    fn eval(&self, args: &[Column], rows: &Rows<'_>, context: &EvalContext) -> Result<Column, EvalError> {
        let column = Arguments::new(args, rows).column(0)?;
        let rules = Rules { lenient: true, legacy: true, zone: &context.zone };
        let array = cast_array(column.array(), &self.from.kind, &self.to.kind, rules)?;
        Ok(if column.is_constant() { Column::Constant(array) } else { Column::Array(array) })
    }
}

/// An array as a value of a type whose Arrow form it has, but for names of fields.
fn renamed(array: ArrayRef, to: &TypeKind) -> Result<ArrayRef, EvalError> {
    let wanted = to.to_arrow();
    if array.data_type() == &wanted {
        return Ok(array);
    }
    arrow::compute::cast(&array, &wanted).map_err(broken)
}
