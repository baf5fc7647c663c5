//! ROW, ARRAY and MAP from their parts.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, ListArray, StructArray, make_comparator};
use arrow::buffer::OffsetBuffer;
use arrow::compute::{SortOptions, interleave};
use arrow::datatypes::DataType as Arrow;
use millstream_types::{DataType, Fault, TypeKind};

use crate::binding::unify;
use crate::kernel::{Arguments, broken, simple};
use crate::{BoundCall, Call, EvalError, Example, Expr, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "ROW",
        "ROW(value ANY, ...) -> ROW",
        "A row of the values; its fields are called EXPR$0, EXPR$1 and so on.",
        &[Example::new("ROW(1, 'a')", "(1, a)")],
        row,
    ),
    Function::new(
        "ARRAY",
        "ARRAY[value ANY, ...] -> ARRAY",
        "An array of the values, in their common type.",
        &[Example::new("ARRAY[1, 2, 3]", "[1, 2, 3]")],
        array,
    ),
    Function::new(
        "MAP",
        "MAP[key ANY, value ANY, ...] -> MAP",
        "A map of the keys and values. The last value of a key counts.",
        &[Example::new("MAP['a', 1, 'a', 2]", "{a=2}")],
        map,
    ),
];

fn row(call: &Call<'_>) -> Result<BoundCall, Fault> {
    call.expect(1, usize::MAX, "ROW(<ANY>, ...)")?;
    call.no_bare_null()?;
    let fields = call.args.iter().enumerate().map(|(i, a)| (format!("EXPR${i}"), a.data_type.clone()));
    let data_type = DataType::row(fields).with_nullable(false);
    let Arrow::Struct(arrow_fields) = data_type.to_arrow() else { return Err(Fault::internal("no ROW")) };
    let kernel = simple("ROW", move |arguments, _| {
        let rows = arguments.rows();
        let columns =
            arguments.columns().iter().map(|c| c.clone().into_array(rows)).collect::<Result<Vec<_>, _>>()?;
        let array =
            StructArray::try_new_with_length(arrow_fields.clone(), columns, None, rows).map_err(broken)?;
        Ok(Arc::new(array))
    });
    Ok(BoundCall::new(data_type, call.args.to_vec(), kernel))
}

fn unmixable(call: &Call<'_>) -> Fault {
    Fault::user("argument-types", "Parameters must be of the same type")
        .at(call.span)
        .hint("cast the values to one type")
}

/// The values in their common type, which must not be that of a bare NULL.
fn common(call: &Call<'_>, values: &[Expr]) -> Result<(Vec<Expr>, DataType), Fault> {
    let (values, data_type) = unify(values).ok_or_else(|| unmixable(call))?;
    if data_type.kind == TypeKind::Null {
        return Err(unmixable(call));
    }
    Ok((values, data_type.plain()))
}

fn array(call: &Call<'_>) -> Result<BoundCall, Fault> {
    if call.args.is_empty() {
        return Err(Fault::user("argument-count", "Require at least 1 argument")
            .at(call.span)
            .hint("an empty array: CAST(NULL AS ARRAY<INT>) is NULL, ARRAY_REMOVE(ARRAY[1], 1) is empty"));
    }
    let (args, element) = common(call, call.args)?;
    let data_type = DataType::array(element.clone()).with_nullable(false);
    let field = Arc::new(element.arrow_field("item"));
    let kernel = simple("ARRAY", move |arguments, _| {
        let items = woven(arguments, 0, 1)?;
        let lengths = std::iter::repeat_n(arguments.count(), arguments.rows());
        let list = ListArray::try_new(field.clone(), OffsetBuffer::from_lengths(lengths), items, None);
        Ok(Arc::new(list.map_err(broken)?))
    });
    Ok(BoundCall::new(data_type, args, kernel))
}

/// The arguments `from`, `from + step`, …, row by row, in one array.
fn woven(arguments: &Arguments<'_>, from: usize, step: usize) -> Result<ArrayRef, EvalError> {
    let columns: Vec<_> = arguments.columns().iter().skip(from).step_by(step).collect();
    let arrays: Vec<&dyn Array> = columns.iter().map(|c| c.array().as_ref()).collect();
    let mut order = Vec::with_capacity(columns.len() * arguments.rows());
    for row in 0..arguments.rows() {
        order.extend(columns.iter().enumerate().map(|(n, c)| (n, c.index(row))));
    }
    interleave(&arrays, &order).map_err(broken)
}

fn map(call: &Call<'_>) -> Result<BoundCall, Fault> {
    if call.args.is_empty() || !call.args.len().is_multiple_of(2) {
        return Err(Fault::user("argument-count", "Map requires an even number of arguments, at least 2")
            .at(call.span)
            .hint("write MAP[key, value, ...]"));
    }
    let of = |from: usize| call.args.iter().skip(from).step_by(2).cloned().collect::<Vec<_>>();
    let (keys, key) = common(call, &of(0))?;
    let (values, value) = common(call, &of(1))?;
    let data_type = DataType::map(key, value).with_nullable(false);
    let args: Vec<Expr> = keys.into_iter().zip(values).flat_map(|(k, v)| [k, v]).collect();
    let Arrow::List(entries) = data_type.to_arrow() else { return Err(Fault::internal("no MAP")) };
    let Arrow::Struct(fields) = entries.data_type().clone() else { return Err(Fault::internal("no MAP")) };
    let kernel = simple("MAP", move |arguments, _| {
        let (keys, values) = (woven(arguments, 0, 2)?, woven(arguments, 1, 2)?);
        let width = arguments.count() / 2;
        let same = make_comparator(&keys, &keys, SortOptions::default()).map_err(broken)?;
        let (mut key_at, mut value_at): (Vec<u32>, Vec<u32>) = (Vec::new(), Vec::new());
        let mut lengths = Vec::with_capacity(arguments.rows());
        for row in 0..arguments.rows() {
            let start = key_at.len();
            for i in row * width..(row + 1) * width {
                let known = key_at.iter().skip(start).position(|k| same(*k as usize, i).is_eq());
                match known.and_then(|p| value_at.get_mut(start + p)) {
                    Some(place) => *place = i as u32,
                    None => {
                        key_at.push(i as u32);
                        value_at.push(i as u32);
                    }
                }
            }
            lengths.push(key_at.len() - start);
        }
        let take = |array: &ArrayRef, at: Vec<u32>| {
            arrow::compute::take(array.as_ref(), &arrow::array::UInt32Array::from(at), None).map_err(broken)
        };
        let columns = vec![take(&keys, key_at)?, take(&values, value_at)?];
        let pairs = StructArray::try_new(fields.clone(), columns, None).map_err(broken)?;
        let list =
            ListArray::try_new(entries.clone(), OffsetBuffer::from_lengths(lengths), Arc::new(pairs), None);
        Ok(Arc::new(list.map_err(broken)?))
    });
    Ok(BoundCall::new(data_type, args, kernel))
}
