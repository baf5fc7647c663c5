//! IS [NOT] DISTINCT FROM.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray};
use arrow::buffer::BooleanBuffer;
use millstream_types::{Fault, TypeKind};

use super::{Comparison, compare, operands};
use crate::kernel::numbers::nulls_of;
use crate::kernel::simple;
use crate::{BoundCall, Call};

pub(super) fn bind(call: &Call<'_>, distinct: bool) -> Result<BoundCall, Fault> {
    let (a, b) = operands::pair(call, Comparison::Equal)?;
    let name = if distinct { "IS DISTINCT FROM" } else { "IS NOT DISTINCT FROM" };
    let kernel = simple(name, move |arguments, _| {
        let (a, b) = (arguments.column(0)?, arguments.column(1)?);
        let rows = arguments.rows();
        let equal = compare(Comparison::Equal, a, b, rows)?;
        let (x, y) = (nulls_of(a, rows), nulls_of(b, rows));
        let values = if x.is_none() && y.is_none() {
            equal.values().clone()
        } else {
            BooleanBuffer::collect_bool(rows, |i| {
                let null = |n: &Option<arrow::buffer::NullBuffer>| n.as_ref().is_some_and(|n| n.is_null(i));
                match (null(&x), null(&y)) {
                    (true, true) => true,
                    (false, false) => equal.value(i),
                    _ => false,
                }
            })
        };
        let values = if distinct { !&values } else { values };
        Ok(Arc::new(BooleanArray::new(values, None)) as ArrayRef)
    });
    Ok(BoundCall::new(TypeKind::Boolean.not_null(), vec![a, b], kernel))
}
