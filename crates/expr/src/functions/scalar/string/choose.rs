//! ELT.

use arrow::array::{Array, new_null_array};
use arrow::compute::interleave;
use arrow::datatypes::Int64Type;
use millstream_types::{Fault, TypeKind, Value};

use crate::binding::{convert, null_of};
use crate::coerce::argument_type;
use crate::kernel::{broken, simple};
use crate::{BoundCall, Call, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[Function::new(
    "ELT",
    "ELT(index INTEGER, value STRING, ...) -> STRING\nELT(index INTEGER, value BYTES, ...) -> BYTES",
    "The value with a number (from 1). NULL when there is no such value.",
    &[Example::new("ELT(2, 'a', 'b')", "b"), Example::new("ELT(3, 'a', 'b')", "NULL")],
    elt,
)];

fn elt(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "ELT(<INTEGER_NUMERIC>, [<CHARACTER_STRING> | <BINARY_STRING>]...)";
    call.expect(2, usize::MAX, FORM)?;
    let index = call.number(0, TypeKind::BigInt, FORM)?;
    if let Some(n) = call.arg(0)?.as_literal().and_then(Value::as_int).filter(|n| *n < 0) {
        let message = format!("Index must be an integer starting from '0', but was '{n}'.");
        return Err(Fault::user("bad-argument", message)
            .at(call.span)
            .hint("the first value has the index 1"));
    }
    let values = call.args.get(1..).unwrap_or_default();
    let types: Vec<_> = values.iter().map(|v| v.data_type.clone()).collect();
    let common = argument_type(&types).ok_or_else(|| call.refuse(FORM))?;
    if !(common.kind.is_string() || common.kind.is_binary()) {
        return Err(call.refuse(FORM));
    }
    let mut args = vec![index];
    args.extend(values.iter().map(|v| match v.data_type.kind {
        TypeKind::Null => null_of(common.kind.clone()),
        _ => convert(v.clone(), common.kind.clone()),
    }));
    let data_type = common.kind.nullable();
    let arrow = data_type.to_arrow();
    let kernel = simple("ELT", move |arguments, _| {
        let index = arguments.numbers::<Int64Type>(0)?;
        let columns = arguments.columns().get(1..).unwrap_or_default();
        // Behind the values stands NULL.
        let null = new_null_array(&arrow, 1);
        let arrays: Vec<&dyn Array> =
            columns.iter().map(|c| c.array().as_ref()).chain([null.as_ref()]).collect();
        let order: Vec<(usize, usize)> = (0..arguments.rows())
            .map(|row| {
                let n = index.get(row).and_then(|n| usize::try_from(n).ok()).and_then(|n| n.checked_sub(1));
                n.and_then(|n| Some((n, columns.get(n)?.index(row)))).unwrap_or((columns.len(), 0))
            })
            .collect();
        interleave(&arrays, &order).map_err(broken)
    });
    Ok(BoundCall::new(data_type, args, kernel))
}
