//! Items as the code compares them that Flink generates for arrays: FLOATs and DOUBLEs as Java's primitives, where NaN equals nothing,
//! itself included, and -0.0 is 0.0; everything else by value.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, PrimitiveArray, UInt64Array, make_comparator};
use arrow::compute::SortOptions;
use arrow::datatypes::{ArrowPrimitiveType, DataType as Arrow, Float32Type, Float64Type};

use crate::EvalError;
use crate::kernel::broken;

/// The order of an item of one array and an item of another; `None`: neither equal nor in an order.
pub(super) type Comparator = Box<dyn Fn(usize, usize) -> Option<Ordering> + Send + Sync>;

/// Compares the items of two arrays of one type; NULL equals NULL.
///
/// # Errors
/// Internal, when the types cannot be compared.
pub(super) fn comparator(a: &ArrayRef, b: &ArrayRef) -> Result<Comparator, EvalError> {
    match (a.data_type(), b.data_type()) {
        (Arrow::Float32, Arrow::Float32) => Ok(primitives::<Float32Type>(a, b)),
        (Arrow::Float64, Arrow::Float64) => Ok(primitives::<Float64Type>(a, b)),
        _ => {
            let compare = make_comparator(a, b, SortOptions::default()).map_err(broken)?;
            Ok(Box::new(move |i, j| Some(compare(i, j))))
        }
    }
}

fn primitives<T: ArrowPrimitiveType>(a: &ArrayRef, b: &ArrayRef) -> Comparator
where
    T::Native: PartialOrd,
{
    let (a, b): (PrimitiveArray<T>, PrimitiveArray<T>) =
        (a.as_primitive::<T>().clone(), b.as_primitive::<T>().clone());
    Box::new(move |i, j| match (a.is_valid(i), b.is_valid(j)) {
        (true, true) => a.value(i).partial_cmp(&b.value(j)),
        (x, y) => Some(x.cmp(&y)),
    })
}

/// Whether -0.0 and 0.0 are one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Zeros {
    /// Where Flink compares the items with each other: ARRAY_DISTINCT, ARRAY_UNION.
    One,
    /// Where it looks them up by their hash: ARRAY_INTERSECT, ARRAY_EXCEPT and the keys of maps.
    Two,
}

/// The columns that make up an item's key: two items are equal when they are equal in all of them. `number` tells arrays apart, whose
/// keys are compared with each other.
pub(super) fn key_columns(items: &ArrayRef, number: usize, zeros: Zeros) -> [ArrayRef; 2] {
    let one = zeros == Zeros::One;
    // A number of its own keeps a NaN apart from every other one.
    let own = |i: usize| ((i as u64) << 8) | (number as u64 + 1);
    let apart = |nan: &dyn Fn(usize) -> bool| -> ArrayRef {
        Arc::new(UInt64Array::from_iter_values((0..items.len()).map(|i| if nan(i) { own(i) } else { 0 })))
    };
    match items.data_type() {
        Arrow::Float32 => {
            let values = items.as_primitive::<Float32Type>();
            let plain: ArrayRef =
                Arc::new(values.unary::<_, Float32Type>(|v| if v == 0.0 && one { 0.0 } else { v }));
            [plain, apart(&|i| values.is_valid(i) && values.value(i).is_nan())]
        }
        Arrow::Float64 => {
            let values = items.as_primitive::<Float64Type>();
            let plain: ArrayRef =
                Arc::new(values.unary::<_, Float64Type>(|v| if v == 0.0 && one { 0.0 } else { v }));
            [plain, apart(&|i| values.is_valid(i) && values.value(i).is_nan())]
        }
        _ => [items.clone(), apart(&|_| false)],
    }
}
