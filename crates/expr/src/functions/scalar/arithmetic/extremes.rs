//! GREATEST and LEAST.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Float32Array, Float64Array};
use arrow::compute::kernels::cmp;
use arrow::compute::kernels::zip::zip;
use arrow::compute::nullif;
use arrow::datatypes::{DataType as Arrow, Float32Type, Float64Type};
use millstream_types::{DataType, Fault};

use crate::binding::unify;
use crate::functions::scalar::comparison::{Comparison, compare};
use crate::kernel::numbers::nulls_of;
use crate::kernel::{broken, simple};
use crate::{BoundCall, Call, Column, EvalError, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "GREATEST",
        "GREATEST(value COMPARABLE, ...) -> common type",
        "The greatest of the values. NULL if one of them is NULL.",
        &[Example::new("GREATEST(1, 3, 2)", "3")],
        |c| bind(c, "GREATEST", Comparison::Greater),
    ),
    Function::new(
        "LEAST",
        "LEAST(value COMPARABLE, ...) -> common type",
        "The least of the values. NULL if one of them is NULL.",
        &[Example::new("LEAST(1.5, 2)", "1.5")],
        |c| bind(c, "LEAST", Comparison::Less),
    ),
];

fn bind(call: &Call<'_>, name: &'static str, op: Comparison) -> Result<BoundCall, Fault> {
    let form = format!("{name}(<COMPARABLE>, ...)");
    call.expect(1, usize::MAX, &form)?;
    call.no_bare_null()?;
    let comparable = |t: &DataType| {
        let k = &t.kind;
        k.is_numeric()
            || k.is_string()
            || k.is_binary()
            || k.is_datetime()
            || k.is_interval()
            || *k == millstream_types::TypeKind::Boolean
    };
    if !call.args.iter().all(|a| comparable(&a.data_type)) {
        return Err(call.refuse(&form));
    }
    let (args, data_type) = unify(call.args).ok_or_else(|| {
        Fault::user(
            "argument-types",
            "All types in a comparison should support both 'EQUALS' and 'ORDER' comparison with each other",
        )
        .at(call.span)
        .hint("cast the values to one type")
    })?;
    let kernel = simple(name, move |arguments, _| {
        let rows = arguments.rows();
        let mut best: Option<ArrayRef> = None;
        for column in arguments.columns() {
            let array = column.clone().into_array(rows)?;
            best = Some(match best {
                None => array,
                Some(so_far) => {
                    let better = better(op, &array, &so_far, rows)?;
                    let picked = zip(&better, &array, &so_far).map_err(broken)?;
                    // The comparison is NULL where one of them is.
                    match nulls_of(&Column::Array(Arc::new(better)), rows) {
                        None => picked,
                        Some(n) => {
                            let absent = BooleanArray::new(!n.inner(), None);
                            nullif(picked.as_ref(), &absent).map_err(broken)?
                        }
                    }
                }
            });
        }
        best.ok_or_else(|| Fault::internal("no argument").into())
    });
    Ok(BoundCall::new(data_type, args, kernel))
}

/// Whether a value comes before another. FLOATs and DOUBLEs are compared as `Double.compareTo` does: NaN is the greatest.
fn better(op: Comparison, a: &ArrayRef, b: &ArrayRef, rows: usize) -> Result<BooleanArray, EvalError> {
    // One sign of NaN and one NaN: the total order knows several.
    let (a, b) = match (a.data_type(), b.data_type()) {
        (Arrow::Float32, Arrow::Float32) => (ordered32(a), ordered32(b)),
        (Arrow::Float64, Arrow::Float64) => (ordered64(a), ordered64(b)),
        _ => return compare(op, &Column::Array(a.clone()), &Column::Array(b.clone()), rows),
    };
    let run = if op == Comparison::Less { cmp::lt } else { cmp::gt };
    run(&a, &b).map_err(broken)
}

fn ordered32(array: &ArrayRef) -> ArrayRef {
    let values = array.as_primitive::<Float32Type>();
    Arc::new(values.unary::<_, Float32Type>(|v| if v.is_nan() { f32::NAN.abs() } else { v }) as Float32Array)
}

fn ordered64(array: &ArrayRef) -> ArrayRef {
    let values = array.as_primitive::<Float64Type>();
    Arc::new(values.unary::<_, Float64Type>(|v| if v.is_nan() { f64::NAN.abs() } else { v }) as Float64Array)
}
