//! GREATEST and LEAST.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray};
use arrow::compute::kernels::zip::zip;
use arrow::compute::nullif;
use millstream_types::{DataType, Fault};

use crate::binding::unify;
use crate::functions::scalar::comparison::{Comparison, compare};
use crate::kernel::numbers::nulls_of;
use crate::kernel::{broken, simple};
use crate::{BoundCall, Call, Column, Example, Function};

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
                    let (a, b) = (Column::Array(so_far.clone()), Column::Array(array.clone()));
                    let better = compare(op, &b, &a, rows)?;
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
