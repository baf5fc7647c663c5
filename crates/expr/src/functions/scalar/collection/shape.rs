//! Arrays made longer, shorter and turned round; ARRAY_JOIN.

use std::ops::Range;

use arrow::array::{Array, AsArray};
use arrow::datatypes::Int64Type;
use millstream_types::{DataType, Fault, TypeKind};

use super::lists::{Gather, Lists};
use super::{array_argument, item_argument};
use crate::binding::convert;
use crate::coerce::argument_type;
use crate::kernel::{simple, strings};
use crate::{BoundCall, Call, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "ARRAY_APPEND",
        "ARRAY_APPEND(array ARRAY, item) -> ARRAY",
        "The array with the item at its end. NULL if the array is NULL; the item may be NULL.",
        &[Example::new("ARRAY_APPEND(ARRAY[1, 2], 3)", "[1, 2, 3]")],
        append,
    ),
    Function::new(
        "ARRAY_PREPEND",
        "ARRAY_PREPEND(array ARRAY, item) -> ARRAY",
        "The array with the item in front. NULL if the array is NULL; the item may be NULL.",
        &[Example::new("ARRAY_PREPEND(ARRAY[1, 2], 3)", "[3, 1, 2]")],
        prepend,
    ),
    Function::new(
        "ARRAY_CONCAT",
        "ARRAY_CONCAT(array ARRAY, ...) -> ARRAY",
        "The items of all the arrays, one array after the other. NULL if an array is NULL.",
        &[Example::new("ARRAY_CONCAT(ARRAY[1, 2], ARRAY[1])", "[1, 2, 1]")],
        concat,
    ),
    Function::new(
        "ARRAY_REVERSE",
        "ARRAY_REVERSE(array ARRAY) -> ARRAY",
        "The items in the opposite order.",
        &[Example::new("ARRAY_REVERSE(ARRAY[1, 2, 3])", "[3, 2, 1]")],
        reverse,
    ),
    Function::new(
        "ARRAY_SLICE",
        "ARRAY_SLICE(array ARRAY, start INT [, end INT]) -> ARRAY",
        "The items from `start` to `end`, both included; without `end`, to the last one. Positions count from 1 (0 is 1, too), negative \
         ones from the end: -1 is the last item.",
        &[Example::new("ARRAY_SLICE(ARRAY[1, 2, 3, 4, 5], 2, -2)", "[2, 3, 4]")],
        slice,
    ),
    Function::new(
        "ARRAY_JOIN",
        "ARRAY_JOIN(array ARRAY<STRING>, separator STRING [, null_text STRING]) -> STRING",
        "The items as one text, with the separator between them. NULL items are left out, or stand as `null_text`.",
        &[Example::new("ARRAY_JOIN(ARRAY['a', NULL, 'c'], '-', '?')", "a-?-c")],
        join,
    ),
];

fn append(call: &Call<'_>) -> Result<BoundCall, Fault> {
    with_item(call, "ARRAY_APPEND(<ARRAY>, <ELEMENT>)", false)
}

fn prepend(call: &Call<'_>) -> Result<BoundCall, Fault> {
    with_item(call, "ARRAY_PREPEND(<ARRAY>, <ELEMENT>)", true)
}

fn with_item(call: &Call<'_>, form: &'static str, front: bool) -> Result<BoundCall, Fault> {
    call.expect(2, 2, form)?;
    let (array, element) = array_argument(call, form)?;
    let item = item_argument(call, 1, &element, form)?;
    // A text that is longer than the array's is not cut: the array becomes one of longer texts.
    let both = [element.clone(), item.data_type.clone()];
    let kind = if item.data_type.kind.is_string() { argument_type(&both).map(|t| t.kind) } else { None };
    let element = kind.unwrap_or_else(|| element.kind.clone()).nullable().with_nullable(element.nullable);
    let array = convert(array, TypeKind::Array(Box::new(element.clone())));
    let item = convert(item, element.kind.clone());
    let element = element.clone().with_nullable(element.nullable || item.data_type.nullable);
    let data_type =
        DataType::array(element.clone()).with_nullable(array.data_type.nullable || item.data_type.nullable);
    let kernel = simple("ARRAY_APPEND", move |arguments, _| {
        let lists = Lists::of(arguments, 0)?;
        let item = arguments.column(1)?;
        let gather = Gather::rows(arguments.rows(), |row, out| {
            let Some(range) = lists.range(row) else { return Ok(false) };
            if front {
                out.push(1, item.index(row));
            }
            out.extend(0, range);
            if !front {
                out.push(1, item.index(row));
            }
            Ok(true)
        })?;
        gather.array(&[lists.items(), item.array()], &element)
    });
    Ok(BoundCall::new(data_type, vec![array, item], kernel))
}

fn concat(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "ARRAY_CONCAT(<COMMON>, ...)";
    call.expect(1, usize::MAX, FORM)?;
    let types: Vec<DataType> = call.args.iter().map(|a| a.data_type.plain()).collect();
    let common = argument_type(&types).ok_or_else(|| call.refuse(FORM))?;
    let TypeKind::Array(element) = &common.kind else { return Err(call.refuse(FORM)) };
    let element = (**element).clone();
    let args: Vec<_> = call.args.iter().map(|a| convert(a.clone(), common.kind.clone())).collect();
    let count = args.len();
    let kernel = simple("ARRAY_CONCAT", move |arguments, _| {
        let lists = (0..count).map(|n| Lists::of(arguments, n)).collect::<Result<Vec<_>, _>>()?;
        let gather = Gather::rows(arguments.rows(), |row, out| {
            if lists.iter().any(|l| l.range(row).is_none()) {
                return Ok(false);
            }
            for (n, list) in lists.iter().enumerate() {
                out.extend(n, list.range(row).unwrap_or(0..0));
            }
            Ok(true)
        })?;
        gather.array(&lists.iter().map(Lists::items).collect::<Vec<_>>(), &element)
    });
    Ok(BoundCall::new(common, args, kernel))
}

fn reverse(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "ARRAY_REVERSE(<ARRAY>)";
    call.expect(1, 1, FORM)?;
    let (array, element) = array_argument(call, FORM)?;
    let data_type = array.data_type.plain();
    let kernel = simple("ARRAY_REVERSE", move |arguments, _| {
        let lists = Lists::of(arguments, 0)?;
        let gather = Gather::rows(arguments.rows(), |row, out| {
            let Some(range) = lists.range(row) else { return Ok(false) };
            range.rev().for_each(|i| out.push(0, i));
            Ok(true)
        })?;
        gather.array(&[lists.items()], &element)
    });
    Ok(BoundCall::new(data_type, vec![array], kernel))
}

fn slice(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "ARRAY_SLICE(<ARRAY>, <INTEGER> [, <INTEGER>])";
    call.expect(2, 3, FORM)?;
    let (array, element) = array_argument(call, FORM)?;
    let data_type = array.data_type.plain().with_nullable(call.any_nullable());
    let mut args = vec![array];
    for i in 1..call.args.len() {
        args.push(call.number(i, TypeKind::BigInt, FORM)?);
    }
    let to_end = args.len() == 2;
    let kernel = simple("ARRAY_SLICE", move |arguments, _| {
        let lists = Lists::of(arguments, 0)?;
        let start = arguments.numbers::<Int64Type>(1)?;
        let end = if to_end { None } else { Some(arguments.numbers::<Int64Type>(2)?) };
        let gather = Gather::rows(arguments.rows(), |row, out| {
            let (Some(range), Some(from)) = (lists.range(row), start.get(row)) else { return Ok(false) };
            let to = match &end {
                None => Some(-1),
                Some(e) => e.get(row),
            };
            let Some(to) = to else { return Ok(false) };
            let part = part(range.len(), from, to);
            out.extend(0, range.start + part.start..range.start + part.end);
            Ok(true)
        })?;
        gather.array(&[lists.items()], &element)
    });
    Ok(BoundCall::new(data_type, args, kernel))
}

/// Positions (from 0) of the items between two positions (from 1, or negative from the end), both included.
fn part(length: usize, from: i64, to: i64) -> Range<usize> {
    let length = length as i64;
    let place = |p: i64| if p < 0 { p.saturating_add(length + 1) } else { p };
    // A position 0 as written is the first item; one that a negative position comes to lies in front of the array.
    let from = place(from).max(1);
    let to = if to == 0 { 1 } else { place(to).min(length) };
    if from > to || from > length { 0..0 } else { (from - 1) as usize..to as usize }
}

fn join(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "ARRAY_JOIN(<ARRAY<CHARACTER>>, <CHARACTER> [, <CHARACTER>])";
    call.expect(2, 3, FORM)?;
    let (array, element) = array_argument(call, FORM)?;
    if !element.kind.is_string() {
        return Err(call.refuse(FORM));
    }
    let mut args = vec![array];
    for i in 1..call.args.len() {
        args.push(call.string(i, FORM)?);
    }
    let stands = args.len() == 3;
    let kernel = simple("ARRAY_JOIN", move |arguments, _| {
        let lists = Lists::of(arguments, 0)?;
        let items = lists.items().as_string_opt::<i32>().ok_or_else(|| Fault::internal("no strings"))?;
        let separators = arguments.strings(1)?;
        let null_texts = if stands { Some(arguments.strings(2)?) } else { None };
        strings::build(arguments.rows(), |row, out| {
            let (Some(range), Some(separator)) = (lists.range(row), separators.get(row)) else {
                return Ok(false);
            };
            let null_text = match &null_texts {
                None => None,
                Some(texts) => match texts.get(row) {
                    None => return Ok(false),
                    text => text,
                },
            };
            let texts = range.filter_map(|i| if items.is_null(i) { null_text } else { Some(items.value(i)) });
            for (n, text) in texts.enumerate() {
                if n > 0 {
                    out.push_str(separator);
                }
                out.push_str(text);
            }
            Ok(true)
        })
    });
    let data_type = DataType::string().with_nullable(call.any_nullable());
    Ok(BoundCall::new(data_type, args, kernel))
}
