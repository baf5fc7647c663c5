//! Items found in arrays: ARRAY_CONTAINS, ARRAY_POSITION, ARRAY_REMOVE.

use std::cmp::Ordering;

use arrow::datatypes::Int32Type;
use millstream_types::{DataType, Fault, TypeKind};

use super::floats::comparator;
use super::lists::{Gather, Lists};
use super::{array_argument, item_argument};
use crate::kernel::{Arguments, booleans, numbers, simple};
use crate::{BoundCall, Call, EvalError, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "ARRAY_CONTAINS",
        "ARRAY_CONTAINS(array ARRAY, item) -> BOOLEAN",
        "Whether the item is in the array; NULL is found where the array has a NULL.",
        &[Example::new("ARRAY_CONTAINS(ARRAY[1, 2, 3], 2)", "TRUE")],
        contains,
    ),
    Function::new(
        "ARRAY_POSITION",
        "ARRAY_POSITION(array ARRAY, item) -> INT",
        "The position, from 1, of the first such item; 0 if there is none. NULL if the array or the item is NULL.",
        &[Example::new("ARRAY_POSITION(ARRAY['a', 'b', 'b'], 'b')", "2")],
        position,
    ),
    Function::new(
        "ARRAY_REMOVE",
        "ARRAY_REMOVE(array ARRAY, item) -> ARRAY",
        "The array without the items that equal this one; NULL removes the NULLs.",
        &[Example::new("ARRAY_REMOVE(ARRAY[1, 2, 1, 3], 1)", "[2, 3]")],
        remove,
    ),
];

/// Whether the item at a position of the array's items is the one that a row looks for.
type Equal = Box<dyn Fn(usize, usize) -> bool>;

fn equal(arguments: &Arguments<'_>, lists: &Lists<'_>) -> Result<Equal, EvalError> {
    let wanted = arguments.column(1)?;
    if wanted.array().data_type() != lists.items().data_type() {
        return Err(Fault::internal("an item of another type").into());
    }
    let compare = comparator(lists.items(), wanted.array())?;
    let constant = wanted.is_constant();
    Ok(Box::new(move |item, row| compare(item, if constant { 0 } else { row }) == Some(Ordering::Equal)))
}

fn bound_arguments(call: &Call<'_>, form: &str) -> Result<(Vec<crate::Expr>, DataType), Fault> {
    call.expect(2, 2, form)?;
    let (array, element) = array_argument(call, form)?;
    let item = item_argument(call, 1, &element, form)?;
    Ok((vec![array, item], element))
}

fn contains(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let (args, _) = bound_arguments(call, "ARRAY_CONTAINS(<ARRAY>, <ELEMENT>)")?;
    let nullable = call.arg(0)?.data_type.nullable;
    let kernel = simple("ARRAY_CONTAINS", |arguments, _| {
        let lists = Lists::of(arguments, 0)?;
        let equal = equal(arguments, &lists)?;
        booleans::build(arguments.rows(), |row| Ok(lists.range(row).map(|mut r| r.any(|i| equal(i, row)))))
    });
    Ok(BoundCall::new(DataType::boolean().with_nullable(nullable), args, kernel))
}

fn position(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let (args, _) = bound_arguments(call, "ARRAY_POSITION(<ARRAY>, <ELEMENT>)")?;
    let kernel = simple("ARRAY_POSITION", |arguments, _| {
        let lists = Lists::of(arguments, 0)?;
        let (equal, wanted) = (equal(arguments, &lists)?, arguments.column(1)?);
        numbers::build::<Int32Type>(arguments.rows(), |row| {
            let (Some(mut range), false) = (lists.range(row), wanted.is_null(row)) else { return Ok(None) };
            Ok(Some(range.position(|i| equal(i, row)).map_or(0, |p| p as i32 + 1)))
        })
    });
    let data_type = TypeKind::Int.nullable().with_nullable(call.any_nullable());
    Ok(BoundCall::new(data_type, args, kernel))
}

fn remove(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let (args, element) = bound_arguments(call, "ARRAY_REMOVE(<ARRAY>, <ELEMENT>)")?;
    let data_type = call.arg(0)?.data_type.plain();
    let kernel = simple("ARRAY_REMOVE", move |arguments, _| {
        let lists = Lists::of(arguments, 0)?;
        let equal = equal(arguments, &lists)?;
        let gather = Gather::rows(arguments.rows(), |row, out| {
            let Some(range) = lists.range(row) else { return Ok(false) };
            range.filter(|i| !equal(*i, row)).for_each(|i| out.push(0, i));
            Ok(true)
        })?;
        gather.array(&[lists.items()], &element)
    });
    Ok(BoundCall::new(data_type, args, kernel))
}
