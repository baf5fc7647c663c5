//! Tests of truth and of NULL. (NOT, AND and OR are forms of expressions, not functions.)

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::buffer::BooleanBuffer;
use millstream_types::{Fault, TypeKind};

use crate::binding::convert;
use crate::kernel::numbers::nulls_of;
use crate::kernel::simple;
use crate::{BoundCall, Call, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "IS NULL",
        "value ANY IS NULL -> BOOLEAN",
        "Whether the value is NULL. Never NULL.",
        &[Example::new("CAST(NULL AS INT) IS NULL", "TRUE"), Example::new("'' IS NULL", "FALSE")],
        |c| is_null(c, "IS NULL", true),
    ),
    Function::new(
        "IS NOT NULL",
        "value ANY IS NOT NULL -> BOOLEAN",
        "Whether the value is not NULL. Never NULL.",
        &[Example::new("1 IS NOT NULL", "TRUE")],
        |c| is_null(c, "IS NOT NULL", false),
    ),
    Function::new(
        "IS TRUE",
        "value BOOLEAN IS TRUE -> BOOLEAN",
        "Whether the value is TRUE: FALSE for FALSE and NULL.",
        &[Example::new("(1 = 1) IS TRUE", "TRUE")],
        |c| is(c, "IS TRUE", Some(true), true),
    ),
    Function::new(
        "IS NOT TRUE",
        "value BOOLEAN IS NOT TRUE -> BOOLEAN",
        "Whether the value is FALSE or NULL.",
        &[Example::new("CAST(NULL AS BOOLEAN) IS NOT TRUE", "TRUE")],
        |c| is(c, "IS NOT TRUE", Some(true), false),
    ),
    Function::new(
        "IS FALSE",
        "value BOOLEAN IS FALSE -> BOOLEAN",
        "Whether the value is FALSE: FALSE for TRUE and NULL.",
        &[Example::new("(1 = 1) IS FALSE", "FALSE")],
        |c| is(c, "IS FALSE", Some(false), true),
    ),
    Function::new(
        "IS NOT FALSE",
        "value BOOLEAN IS NOT FALSE -> BOOLEAN",
        "Whether the value is TRUE or NULL.",
        &[Example::new("CAST(NULL AS BOOLEAN) IS NOT FALSE", "TRUE")],
        |c| is(c, "IS NOT FALSE", Some(false), false),
    ),
    Function::new(
        "IS UNKNOWN",
        "value BOOLEAN IS UNKNOWN -> BOOLEAN",
        "Whether the value is NULL.",
        &[Example::new("CAST(NULL AS BOOLEAN) IS UNKNOWN", "TRUE")],
        |c| is(c, "IS UNKNOWN", None, true),
    ),
    Function::new(
        "IS NOT UNKNOWN",
        "value BOOLEAN IS NOT UNKNOWN -> BOOLEAN",
        "Whether the value is TRUE or FALSE.",
        &[Example::new("CAST(NULL AS BOOLEAN) IS NOT UNKNOWN", "FALSE")],
        |c| is(c, "IS NOT UNKNOWN", None, false),
    ),
];

fn is_null(call: &Call<'_>, name: &'static str, wanted: bool) -> Result<BoundCall, Fault> {
    call.expect(1, 1, &format!("<ANY> {name}"))?;
    let kernel = simple(name, move |arguments, _| {
        let rows = arguments.rows();
        let nulls = nulls_of(arguments.column(0)?, rows);
        let valid = nulls.map_or_else(|| BooleanBuffer::new_set(rows), |n| n.into_inner());
        let values = if wanted { !&valid } else { valid };
        Ok(Arc::new(BooleanArray::new(values, None)) as ArrayRef)
    });
    Ok(BoundCall::new(TypeKind::Boolean.not_null(), call.args.to_vec(), kernel))
}

/// `IS [NOT] TRUE`, `FALSE` (`value`) or `UNKNOWN` (no value).
fn is(call: &Call<'_>, name: &'static str, value: Option<bool>, wanted: bool) -> Result<BoundCall, Fault> {
    let form = format!("<BOOLEAN> {name}");
    call.expect(1, 1, &form)?;
    let arg = call.arg(0)?;
    if !matches!(arg.data_type.kind, TypeKind::Boolean | TypeKind::Null) {
        return Err(call.refuse(&form));
    }
    let kernel = simple(name, move |arguments, _| {
        let array = arguments.column(0)?.array();
        let bools = array.as_boolean_opt().ok_or_else(|| Fault::internal("no BOOLEAN"))?;
        let valid =
            || bools.nulls().map_or_else(|| BooleanBuffer::new_set(bools.len()), |n| n.inner().clone());
        let is = match value {
            Some(true) => &valid() & bools.values(),
            Some(false) => &valid() & &!bools.values(),
            None => !&valid(),
        };
        let values = if wanted { is } else { !&is };
        Ok(Arc::new(BooleanArray::new(values, None)) as ArrayRef)
    });
    let args = vec![convert(arg.clone(), TypeKind::Boolean)];
    Ok(BoundCall::new(TypeKind::Boolean.not_null(), args, kernel))
}
