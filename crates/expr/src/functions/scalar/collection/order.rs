//! Arrays by the order of their items: ARRAY_SORT, ARRAY_MAX, ARRAY_MIN.

use std::cmp::Ordering;

use arrow::array::{Array, UInt32Array, make_comparator};
use arrow::compute::{SortOptions, take};
use millstream_types::{DataType, Fault, TypeKind};

use super::array_argument;
use super::floats::comparator;
use super::lists::{Gather, Lists};
use crate::binding::convert;
use crate::kernel::{broken, simple};
use crate::{BoundCall, Call, Example, Expr, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "ARRAY_SORT",
        "ARRAY_SORT(array ARRAY [, ascending BOOLEAN [, nulls_first BOOLEAN]]) -> ARRAY",
        "The items in order: ascending unless FALSE is given. NULLs come first when ascending and last when descending, unless said \
         otherwise.",
        &[Example::new("ARRAY_SORT(ARRAY[3, NULL, 1], FALSE)", "[3, 1, NULL]")],
        sort,
    ),
    Function::new(
        "ARRAY_MAX",
        "ARRAY_MAX(array ARRAY) -> type of items",
        "The greatest item that is not NULL; NULL if there is none.",
        &[Example::new("ARRAY_MAX(ARRAY[1, NULL, 3])", "3")],
        max,
    ),
    Function::new(
        "ARRAY_MIN",
        "ARRAY_MIN(array ARRAY) -> type of items",
        "The least item that is not NULL; NULL if there is none.",
        &[Example::new("ARRAY_MIN(ARRAY[2, NULL, 3])", "2")],
        min,
    ),
];

fn ordered_array(call: &Call<'_>, form: &str) -> Result<(Expr, DataType), Fault> {
    let (array, element) = array_argument(call, form)?;
    match element.kind {
        TypeKind::Array(_) | TypeKind::Map(..) | TypeKind::Multiset(_) | TypeKind::Row(_) => {
            Err(call.refuse(form))
        }
        TypeKind::Variant | TypeKind::Bitmap | TypeKind::Raw(_) | TypeKind::Boolean => Err(call.refuse(form)),
        TypeKind::IntervalYearMonth(..) | TypeKind::IntervalDayTime(..) => Err(call.refuse(form)),
        _ => Ok((array, element)),
    }
}

fn sort(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "ARRAY_SORT(<ARRAY<COMPARABLE>> [, <BOOLEAN> [, <BOOLEAN>]])";
    call.expect(1, 3, FORM)?;
    let (array, element) = ordered_array(call, FORM)?;
    let data_type = array.data_type.plain().with_nullable(call.any_nullable());
    let mut args = vec![array];
    for flag in call.args.iter().skip(1) {
        if !matches!(flag.data_type.kind, TypeKind::Boolean | TypeKind::Null) {
            return Err(call.refuse(FORM));
        }
        args.push(convert(flag.clone(), TypeKind::Boolean));
    }
    let kernel = simple("ARRAY_SORT", move |arguments, _| {
        let lists = Lists::of(arguments, 0)?;
        let items = lists.items();
        let flag = |n: usize| if arguments.count() > n { arguments.booleans(n).map(Some) } else { Ok(None) };
        let (ascending, nulls_first) = (flag(1)?, flag(2)?);
        let compare = make_comparator(items, items, SortOptions::default()).map_err(broken)?;
        let gather = Gather::rows(arguments.rows(), |row, out| {
            let Some(range) = lists.range(row) else { return Ok(false) };
            let ascending = ascending.as_ref().map_or(Some(true), |f| f.get(row));
            let Some(ascending) = ascending else { return Ok(false) };
            let Some(nulls_first) = nulls_first.as_ref().map_or(Some(ascending), |f| f.get(row)) else {
                return Ok(false);
            };
            let (nulls, mut values): (Vec<usize>, Vec<usize>) = range.partition(|i| items.is_null(*i));
            values.sort_by(|a, b| if ascending { compare(*a, *b) } else { compare(*b, *a) });
            let (first, last) = if nulls_first { (nulls, values) } else { (values, nulls) };
            first.into_iter().chain(last).for_each(|i| out.push(0, i));
            Ok(true)
        })?;
        gather.array(&[items], &element)
    });
    Ok(BoundCall::new(data_type, args, kernel))
}

fn max(call: &Call<'_>) -> Result<BoundCall, Fault> {
    extreme(call, "ARRAY_MAX(<ARRAY<COMPARABLE>>)", Ordering::Greater)
}

fn min(call: &Call<'_>) -> Result<BoundCall, Fault> {
    extreme(call, "ARRAY_MIN(<ARRAY<COMPARABLE>>)", Ordering::Less)
}

fn extreme(call: &Call<'_>, form: &'static str, better: Ordering) -> Result<BoundCall, Fault> {
    call.expect(1, 1, form)?;
    let (array, element) = ordered_array(call, form)?;
    let kernel = simple("ARRAY_MAX", move |arguments, _| {
        let lists = Lists::of(arguments, 0)?;
        let items = lists.items();
        let compare = comparator(items, items)?;
        let best: UInt32Array = (0..arguments.rows())
            .map(|row| {
                let present = lists.range(row)?.filter(|i| items.is_valid(*i));
                let best = present.reduce(|a, b| if compare(b, a) == Some(better) { b } else { a });
                best.map(|i| i as u32)
            })
            .collect();
        take(items.as_ref(), &best, None).map_err(broken)
    });
    Ok(BoundCall::new(element.with_nullable(true), vec![array], kernel))
}
