//! Arrays as sets: each item once, in the order of its first occurrence. NULL equals NULL here.

use std::collections::HashSet;

use arrow::array::ArrayRef;
use arrow::datatypes::DataType as Arrow;
use arrow::row::{Row, RowConverter, Rows, SortField};
use millstream_types::{DataType, Fault, TypeKind};

use super::array_argument;
use super::floats::{Zeros, key_columns};
use super::lists::{Gather, Lists};
use crate::binding::convert;
use crate::coerce::argument_type;
use crate::kernel::{broken, simple};
use crate::{BoundCall, Call, EvalError, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "ARRAY_DISTINCT",
        "ARRAY_DISTINCT(array ARRAY) -> ARRAY",
        "The array with each item once.",
        &[Example::new("ARRAY_DISTINCT(ARRAY[1, 2, 1, 3, 2])", "[1, 2, 3]")],
        distinct,
    ),
    Function::new(
        "ARRAY_UNION",
        "ARRAY_UNION(first ARRAY, second ARRAY) -> ARRAY",
        "The items of both arrays, each once.",
        &[Example::new("ARRAY_UNION(ARRAY[1, 1], ARRAY[2])", "[1, 2]")],
        union,
    ),
    Function::new(
        "ARRAY_INTERSECT",
        "ARRAY_INTERSECT(first ARRAY, second ARRAY) -> ARRAY",
        "The items of the first array that are in the second one, too, each once.",
        &[Example::new("ARRAY_INTERSECT(ARRAY[1, 1, 2], ARRAY[1])", "[1]")],
        intersect,
    ),
    Function::new(
        "ARRAY_EXCEPT",
        "ARRAY_EXCEPT(first ARRAY, second ARRAY) -> ARRAY",
        "The items of the first array that are not in the second one, each once.",
        &[Example::new("ARRAY_EXCEPT(ARRAY[1, 1, 2], ARRAY[2])", "[1]")],
        except,
    ),
];

/// Items in a form that can be hashed and compared, whatever their type. All arrays must have one type.
pub(super) fn keys(arrays: &[&ArrayRef], zeros: Zeros) -> Result<Vec<Rows>, EvalError> {
    let Some(first) = arrays.first() else { return Ok(Vec::new()) };
    let fields = vec![SortField::new(first.data_type().clone()), SortField::new(Arrow::UInt64)];
    let converter = RowConverter::new(fields).map_err(broken)?;
    let keys = arrays.iter().enumerate();
    keys.map(|(n, a)| converter.convert_columns(&key_columns(a, n, zeros)).map_err(broken)).collect()
}

fn distinct(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "ARRAY_DISTINCT(<ARRAY>)";
    call.expect(1, 1, FORM)?;
    let (array, element) = array_argument(call, FORM)?;
    let data_type = array.data_type.plain();
    let kernel = simple("ARRAY_DISTINCT", move |arguments, _| {
        let lists = Lists::of(arguments, 0)?;
        let keys = keys(&[lists.items()], Zeros::One)?;
        let [keys] = keys.as_slice() else { return Err(Fault::internal("no keys").into()) };
        let gather = Gather::rows(arguments.rows(), |row, out| {
            let Some(range) = lists.range(row) else { return Ok(false) };
            let mut seen = HashSet::with_capacity(range.len());
            range.filter(|i| seen.insert(keys.row(*i))).for_each(|i| out.push(0, i));
            Ok(true)
        })?;
        gather.array(&[lists.items()], &element)
    });
    Ok(BoundCall::new(data_type, vec![array], kernel))
}

/// What a function of two arrays keeps.
#[derive(Debug, Clone, Copy)]
enum Keep {
    Both,
    Common,
    FirstOnly,
}

fn union(call: &Call<'_>) -> Result<BoundCall, Fault> {
    two(call, "ARRAY_UNION(<COMMON>, <COMMON>)", Keep::Both)
}

fn intersect(call: &Call<'_>) -> Result<BoundCall, Fault> {
    two(call, "ARRAY_INTERSECT(<COMMON>, <COMMON>)", Keep::Common)
}

fn except(call: &Call<'_>) -> Result<BoundCall, Fault> {
    two(call, "ARRAY_EXCEPT(<COMMON>, <COMMON>)", Keep::FirstOnly)
}

fn two(call: &Call<'_>, form: &'static str, keep: Keep) -> Result<BoundCall, Fault> {
    call.expect(2, 2, form)?;
    let types: Vec<DataType> = call.args.iter().map(|a| a.data_type.plain()).collect();
    let common = argument_type(&types).ok_or_else(|| call.refuse(form))?;
    let TypeKind::Array(element) = &common.kind else { return Err(call.refuse(form)) };
    let element = (**element).clone();
    let args: Vec<_> = call.args.iter().map(|a| convert(a.clone(), common.kind.clone())).collect();
    let kernel = simple("ARRAY_UNION", move |arguments, _| {
        let (a, b) = (Lists::of(arguments, 0)?, Lists::of(arguments, 1)?);
        let zeros = if matches!(keep, Keep::Both) { Zeros::One } else { Zeros::Two };
        let keys = keys(&[a.items(), b.items()], zeros)?;
        let [x, y] = keys.as_slice() else { return Err(Fault::internal("no keys").into()) };
        let gather = Gather::rows(arguments.rows(), |row, out| {
            let (Some(first), Some(second)) = (a.range(row), b.range(row)) else { return Ok(false) };
            let mut seen: HashSet<Row<'_>> = HashSet::new();
            let others: HashSet<Row<'_>> = match keep {
                Keep::Both => HashSet::new(),
                _ => second.clone().map(|i| y.row(i)).collect(),
            };
            for i in first {
                let key = x.row(i);
                let wanted = match keep {
                    Keep::Both => true,
                    Keep::Common => others.contains(&key),
                    Keep::FirstOnly => !others.contains(&key),
                };
                if wanted && seen.insert(key) {
                    out.push(0, i);
                }
            }
            if matches!(keep, Keep::Both) {
                second.filter(|i| seen.insert(y.row(*i))).for_each(|i| out.push(1, i));
            }
            Ok(true)
        })?;
        gather.array(&[a.items(), b.items()], &element)
    });
    Ok(BoundCall::new(common, args, kernel))
}
