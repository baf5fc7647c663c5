//! The kernel of the six comparisons.

use std::cmp::Ordering;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Datum, Scalar, StringArray, make_comparator};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::SortOptions;
use arrow::compute::kernels::cmp;
use arrow::datatypes::{
    ArrowPrimitiveType, DataType as Arrow, Decimal128Type, Float32Type, Float64Type, TimeUnit,
    TimestampMicrosecondType, TimestampNanosecondType,
};
use millstream_text::number::power_of_ten;
use std::sync::Arc;

use crate::kernel::numbers::either_null;
use crate::kernel::{Arguments, broken};
use crate::{Column, EvalContext, EvalError, Kernel, Rows};

/// The six comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `=`
    Equal,
    /// `<>`
    NotEqual,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Comparison {
    /// How it is written.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::Equal => "=",
            Comparison::NotEqual => "<>",
            Comparison::Less => "<",
            Comparison::LessOrEqual => "<=",
            Comparison::Greater => ">",
            Comparison::GreaterOrEqual => ">=",
        }
    }

    /// Whether it is `=` or `<>`.
    pub fn is_equality(self) -> bool {
        matches!(self, Comparison::Equal | Comparison::NotEqual)
    }

    /// Whether it holds for two values in this order.
    #[inline]
    pub fn holds(self, order: Ordering) -> bool {
        match self {
            Comparison::Equal => order.is_eq(),
            Comparison::NotEqual => order.is_ne(),
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Greater => order.is_gt(),
            Comparison::GreaterOrEqual => order.is_ge(),
        }
    }
}

#[derive(Debug)]
pub(super) struct CompareKernel(pub(super) Comparison);

impl Kernel for CompareKernel {
    fn eval(&self, args: &[Column], rows: &Rows<'_>, _: &EvalContext) -> Result<Column, EvalError> {
        let arguments = Arguments::new(args, rows);
        let (a, b) = (arguments.column(0)?, arguments.column(1)?);
        let array: ArrayRef = Arc::new(compare(self.0, a, b, arguments.rows())?);
        Ok(if a.is_constant() && b.is_constant() { Column::Constant(array) } else { Column::Array(array) })
    }
}

/// Compares two columns of the same family, row by row; NULL where one of them is. Floats compare as in Java: NaN equals nothing,
/// 0.0 equals -0.0. Decimals and timestamps may differ in scale and precision.
///
/// # Errors
/// Internal, when the columns are of different families.
pub fn compare(op: Comparison, a: &Column, b: &Column, rows: usize) -> Result<BooleanArray, EvalError> {
    let is_null = |c: &Column| c.is_constant() && c.is_null(0);
    if is_null(a) || is_null(b) {
        return Ok(BooleanArray::new_null(rows));
    }
    match (a.array().data_type(), b.array().data_type()) {
        (Arrow::Float32, Arrow::Float32) => Ok(ieee::<Float32Type>(op, a, b, rows)),
        (Arrow::Float64, Arrow::Float64) => Ok(ieee::<Float64Type>(op, a, b, rows)),
        (Arrow::Decimal128(_, s), Arrow::Decimal128(_, t)) => {
            Ok(decimals(op, a, b, *s as u32, *t as u32, rows))
        }
        (Arrow::Timestamp(u, _), Arrow::Timestamp(v, _)) if u != v => {
            let nanos = |unit: &TimeUnit| if *unit == TimeUnit::Nanosecond { 1 } else { 1000 };
            Ok(timestamps(op, a, b, nanos(u), nanos(v), rows))
        }
        (Arrow::Utf8, Arrow::Utf8) if op.is_equality() && a.is_constant() != b.is_constant() => {
            let (column, constant) = if b.is_constant() { (a, b) } else { (b, a) };
            let text = constant.array().as_string::<i32>().value(0).as_bytes();
            let hits = equals_text(column.array().as_string::<i32>(), text);
            let hits = if op == Comparison::Equal { hits } else { !&hits };
            Ok(BooleanArray::new(hits, column.array().nulls().cloned()))
        }
        (Arrow::List(_) | Arrow::Struct(_), _) => nested(op, a, b, rows),
        (x, y) if x == y => {
            let compare = match op {
                Comparison::Equal => cmp::eq,
                Comparison::NotEqual => cmp::neq,
                Comparison::Less => cmp::lt,
                Comparison::LessOrEqual => cmp::lt_eq,
                Comparison::Greater => cmp::gt,
                Comparison::GreaterOrEqual => cmp::gt_eq,
            };
            let run = |x: &dyn Datum, y: &dyn Datum| compare(x, y).map_err(broken);
            match (a, b) {
                (Column::Array(x), Column::Constant(y)) => run(x, &Scalar::new(y.clone())),
                (Column::Constant(x), Column::Array(y)) => run(&Scalar::new(x.clone()), y),
                (x, y) => run(x.array(), y.array()),
            }
        }
        (x, y) => Err(millstream_types::Fault::internal(format!("comparing {x} with {y}")).into()),
    }
}

/// Which entries are a text, whatever their validity. The length is compared first: it is at hand in the offsets.
#[allow(clippy::indexing_slicing)] // `collect_bool` asks for entries below `len`, and there is one offset more than entries
pub(crate) fn equals_text(array: &StringArray, text: &[u8]) -> BooleanBuffer {
    let offsets = array.value_offsets();
    let values = array.value_data();
    let length = text.len() as i32;
    BooleanBuffer::collect_bool(array.len(), |i| {
        let start = offsets[i];
        offsets[i + 1] - start == length && &values[start as usize..(start + length) as usize] == text
    })
}

#[allow(clippy::indexing_slicing)] // `collect_bool` asks for entries below `rows`, the length of both columns
fn ieee<T: ArrowPrimitiveType>(op: Comparison, a: &Column, b: &Column, rows: usize) -> BooleanArray
where
    T::Native: PartialOrd,
{
    let (x, y) = (a.array().as_primitive::<T>().values(), b.array().as_primitive::<T>().values());
    let run = |holds: fn(T::Native, T::Native) -> bool| match (a, b) {
        (Column::Array(_), Column::Constant(_)) => {
            let y = y[0];
            BooleanBuffer::collect_bool(rows, |i| holds(x[i], y))
        }
        (Column::Constant(_), Column::Array(_)) => {
            let x = x[0];
            BooleanBuffer::collect_bool(rows, |i| holds(x, y[i]))
        }
        _ => BooleanBuffer::collect_bool(rows, |i| holds(x[i], y[i])),
    };
    let values = match op {
        Comparison::Equal => run(|x, y| x == y),
        Comparison::NotEqual => run(|x, y| x != y),
        Comparison::Less => run(|x, y| x < y),
        Comparison::LessOrEqual => run(|x, y| x <= y),
        Comparison::Greater => run(|x, y| x > y),
        Comparison::GreaterOrEqual => run(|x, y| x >= y),
    };
    BooleanArray::new(values, either_null(a, b, rows))
}

fn decimals(op: Comparison, a: &Column, b: &Column, s: u32, t: u32, rows: usize) -> BooleanArray {
    let (x, y) = (a.array().as_primitive::<Decimal128Type>(), b.array().as_primitive::<Decimal128Type>());
    let at = |array: &arrow::array::Decimal128Array, c: &Column, i: usize| array.value(c.index(i));
    let values = if s == t {
        BooleanBuffer::collect_bool(rows, |i| op.holds(at(x, a, i).cmp(&at(y, b, i))))
    } else {
        BooleanBuffer::collect_bool(rows, |i| op.holds(order_decimals(at(x, a, i), s, at(y, b, i), t)))
    };
    BooleanArray::new(values, either_null(a, b, rows))
}

/// The order of two decimals of different scales.
pub(crate) fn order_decimals(a: i128, s: u32, b: i128, t: u32) -> Ordering {
    if s < t {
        return order_decimals(b, t, a, s).reverse();
    }
    // b is scaled up; if it does not fit any more, it is farther from zero than any a.
    match power_of_ten(s - t).and_then(|p| b.checked_mul(p)) {
        Some(b) => a.cmp(&b),
        None => 0.cmp(&b),
    }
}

fn timestamps(op: Comparison, a: &Column, b: &Column, u: i128, v: i128, rows: usize) -> BooleanArray {
    let at = |c: &Column, unit: i128, i: usize| {
        let i = c.index(i);
        let value = if unit == 1 {
            c.array().as_primitive::<TimestampNanosecondType>().value(i)
        } else {
            c.array().as_primitive::<TimestampMicrosecondType>().value(i)
        };
        i128::from(value) * unit
    };
    let values = BooleanBuffer::collect_bool(rows, |i| op.holds(at(a, u, i).cmp(&at(b, v, i))));
    BooleanArray::new(values, either_null(a, b, rows))
}

/// Equality of arrays, maps, multisets and rows: NULL items equal NULL items, the order of a map's entries does not matter.
fn nested(op: Comparison, a: &Column, b: &Column, rows: usize) -> Result<BooleanArray, EvalError> {
    let (x, y) = (a.array(), b.array());
    let nulls: Option<NullBuffer> = either_null(a, b, rows);
    let valid = |i: usize| nulls.as_ref().is_none_or(|n| n.is_valid(i));
    let wanted = op == Comparison::Equal;
    if is_map(x) && is_map(y) {
        let values = BooleanBuffer::collect_bool(rows, |i| {
            valid(i) && maps_equal(x, a.index(i), y, b.index(i)) == wanted
        });
        return Ok(BooleanArray::new(values, nulls));
    }
    let order = make_comparator(x.as_ref(), y.as_ref(), SortOptions::default()).map_err(broken)?;
    let values =
        BooleanBuffer::collect_bool(rows, |i| valid(i) && order(a.index(i), b.index(i)).is_eq() == wanted);
    Ok(BooleanArray::new(values, nulls))
}

fn is_map(array: &ArrayRef) -> bool {
    matches!(array.data_type(), Arrow::List(f) if f.name() == "entries")
}

fn maps_equal(x: &ArrayRef, i: usize, y: &ArrayRef, j: usize) -> bool {
    let (x, y) = (x.as_list::<i32>().value(i), y.as_list::<i32>().value(j));
    if x.len() != y.len() {
        return false;
    }
    let Ok(order) = make_comparator(x.as_ref(), y.as_ref(), SortOptions::default()) else { return false };
    (0..x.len()).all(|p| (0..y.len()).any(|q| order(p, q).is_eq()))
}
