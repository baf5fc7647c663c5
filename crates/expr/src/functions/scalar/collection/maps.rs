//! MAP_KEYS, MAP_VALUES, MAP_ENTRIES, MAP_FROM_ARRAYS, MAP_UNION.

use std::collections::HashMap;

use arrow::array::AsArray;
use arrow::row::Row;
use millstream_types::{DataType, Fault, TypeKind};

use super::floats::Zeros;
use super::lists::{Gather, Lists, pairs, relisted};
use super::sets::keys as key_rows;
use crate::binding::convert;
use crate::coerce::argument_type;
use crate::kernel::simple;
use crate::{BoundCall, Call, EvalError, Example, Expr, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "MAP_KEYS",
        "MAP_KEYS(map MAP) -> ARRAY",
        "The keys of the map.",
        &[Example::new("MAP_KEYS(MAP['a', 1, 'b', 2])", "[a, b]")],
        keys,
    ),
    Function::new(
        "MAP_VALUES",
        "MAP_VALUES(map MAP) -> ARRAY",
        "The values of the map.",
        &[Example::new("MAP_VALUES(MAP['a', 1, 'b', 2])", "[1, 2]")],
        values,
    ),
    Function::new(
        "MAP_ENTRIES",
        "MAP_ENTRIES(map MAP) -> ARRAY<ROW<key, value>>",
        "The entries of the map as rows of key and value.",
        &[Example::new("MAP_ENTRIES(MAP['a', 1, 'b', 2])", "[(a, 1), (b, 2)]")],
        entries,
    ),
    Function::new(
        "MAP_FROM_ARRAYS",
        "MAP_FROM_ARRAYS(keys ARRAY, values ARRAY) -> MAP",
        "A map of the keys and the values at the same positions. The last value of a key counts. Arrays of different lengths fail.",
        &[Example::new("MAP_FROM_ARRAYS(ARRAY['a', 'b'], ARRAY[1, 2])", "{a=1, b=2}")],
        from_arrays,
    ),
    Function::new(
        "MAP_UNION",
        "MAP_UNION(map MAP, ...) -> MAP",
        "The entries of all the maps; of equal keys the last map's. NULL if a map is NULL.",
        &[Example::new("MAP_UNION(MAP['a', 1, 'b', 2], MAP['a', 3])", "{a=3, b=2}")],
        union,
    ),
];

fn map_argument(call: &Call<'_>, form: &str) -> Result<(Expr, DataType, DataType), Fault> {
    call.expect(1, 1, form)?;
    let map = call.arg(0)?;
    match &map.data_type.kind {
        TypeKind::Map(k, v) => Ok((map.clone(), k.plain(), v.plain())),
        _ => Err(call.refuse(form)),
    }
}

/// An array of a part of each entry.
fn part(map: Expr, element: DataType, which: usize) -> Result<BoundCall, Fault> {
    let data_type = DataType::array(element).with_nullable(map.data_type.nullable);
    let kind = data_type.kind.clone();
    let kernel = simple("MAP_KEYS", move |arguments, _| {
        relisted(arguments, &kind, |list| {
            let column = list.values().as_struct_opt().and_then(|s| s.columns().get(which));
            column.cloned().ok_or_else(|| Fault::internal("no MAP").into())
        })
    });
    Ok(BoundCall::new(data_type, vec![map], kernel))
}

fn keys(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let (map, key, _) = map_argument(call, "MAP_KEYS(<MAP>)")?;
    part(map, key, 0)
}

fn values(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let (map, _, value) = map_argument(call, "MAP_VALUES(<MAP>)")?;
    part(map, value, 1)
}

fn entries(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let (map, key, value) = map_argument(call, "MAP_ENTRIES(<MAP>)")?;
    let row = DataType::row([("key", key), ("value", value)]);
    let data_type = DataType::array(row).with_nullable(map.data_type.nullable);
    let kind = data_type.kind.clone();
    let kernel = simple("MAP_ENTRIES", move |arguments, _| {
        relisted(arguments, &kind, |list| {
            let entries = list.values().as_struct_opt().ok_or_else(|| Fault::internal("no MAP"))?;
            pairs(&kind, entries.columns().to_vec())
        })
    });
    Ok(BoundCall::new(data_type, vec![map], kernel))
}

fn from_arrays(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "MAP_FROM_ARRAYS(<ARRAY>, <ARRAY>)";
    call.expect(2, 2, FORM)?;
    let (TypeKind::Array(k), TypeKind::Array(v)) =
        (&call.arg(0)?.data_type.kind, &call.arg(1)?.data_type.kind)
    else {
        return Err(call.refuse(FORM));
    };
    let (key, value) = (k.plain(), v.plain());
    let data_type = DataType::map(key.clone(), value.clone()).with_nullable(call.any_nullable());
    let kernel = simple("MAP_FROM_ARRAYS", move |arguments, _| {
        let (keys, values) = (Lists::of(arguments, 0)?, Lists::of(arguments, 1)?);
        let rows = key_rows(&[keys.items()], Zeros::Two)?;
        let [rows] = rows.as_slice() else { return Err(Fault::internal("no keys").into()) };
        let mut value_at: Vec<(usize, usize)> = Vec::new();
        let gather = Gather::rows(arguments.rows(), |row, out| {
            let (Some(k), Some(v)) = (keys.range(row), values.range(row)) else { return Ok(false) };
            if k.len() != v.len() {
                let what = format!(
                    "MAP_FROM_ARRAYS takes arrays of one length, but they have {} and {} items",
                    k.len(),
                    v.len()
                );
                let fault = Fault::user("array-length", what)
                    .hint("cut the longer one: ARRAY_SLICE(array, 1, CARDINALITY(other))");
                return Err(EvalError::at_row(row, fault));
            }
            let mut place: HashMap<Row<'_>, usize> = HashMap::with_capacity(k.len());
            for (k, v) in k.zip(v) {
                match place.get(&rows.row(k)).and_then(|p| value_at.get_mut(*p)) {
                    Some(known) => *known = (0, v),
                    None => {
                        place.insert(rows.row(k), value_at.len());
                        value_at.push((0, v));
                        out.push(0, k);
                    }
                }
            }
            Ok(true)
        })?;
        gather.map_with_values((&[keys.items()], &key), (&[values.items()], &value), &value_at)
    });
    let args = call.args.to_vec();
    Ok(BoundCall::new(data_type, args, kernel).fallible())
}

fn union(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "MAP_UNION(<COMMON>, ...)";
    call.expect(1, usize::MAX, FORM)?;
    call.no_bare_null()?;
    let types: Vec<DataType> = call.args.iter().map(|a| a.data_type.plain()).collect();
    let common = argument_type(&types).ok_or_else(|| call.refuse(FORM))?;
    let TypeKind::Map(key, value) = &common.kind else { return Err(call.refuse(FORM)) };
    let (key, value) = ((**key).clone(), (**value).clone());
    let args: Vec<_> = call.args.iter().map(|a| convert(a.clone(), common.kind.clone())).collect();
    let count = args.len();
    let kernel = simple("MAP_UNION", move |arguments, _| {
        let maps = (0..count).map(|n| Lists::of(arguments, n)).collect::<Result<Vec<_>, _>>()?;
        let (mut keys, mut values) = (Vec::with_capacity(count), Vec::with_capacity(count));
        for map in &maps {
            let (k, v) = map.entries()?;
            keys.push(k);
            values.push(v);
        }
        let rows = key_rows(&keys, Zeros::Two)?;
        let mut value_at: Vec<(usize, usize)> = Vec::new();
        let gather = Gather::rows(arguments.rows(), |row, out| {
            if maps.iter().any(|m| m.range(row).is_none()) {
                return Ok(false);
            }
            let mut place: HashMap<Row<'_>, usize> = HashMap::new();
            for (n, (map, rows)) in maps.iter().zip(&rows).enumerate() {
                for i in map.range(row).unwrap_or(0..0) {
                    match place.get(&rows.row(i)).and_then(|p| value_at.get_mut(*p)) {
                        Some(known) => *known = (n, i),
                        None => {
                            place.insert(rows.row(i), value_at.len());
                            value_at.push((n, i));
                            out.push(n, i);
                        }
                    }
                }
            }
            Ok(true)
        })?;
        gather.map_with_values((&keys, &key), (&values, &value), &value_at)
    });
    Ok(BoundCall::new(common, args, kernel))
}
