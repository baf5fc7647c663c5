//! Parts of ARRAYs, MAPs and MULTISETs: subscripts, CARDINALITY, ELEMENT.

use arrow::array::{Array, ArrayRef, AsArray, ListArray, UInt32Array, make_comparator};
use arrow::compute::{SortOptions, take};
use arrow::datatypes::{DataType as Arrow, Int32Type, Int64Type};
use millstream_types::{DataType, Fault, TypeKind};

use crate::binding::convert;
use crate::coerce::supports_implicit;
use crate::kernel::{Arguments, broken, numbers, simple};
use crate::{BoundCall, Call, EvalError, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "[]",
        "array ARRAY [index INT] -> type of items\nmap MAP [key ANY] -> type of values\nvariant VARIANT [index INT or name STRING] -> VARIANT",
        "The item of an array at an index, from 1, or the value of a key of a map. NULL where there is none.",
        &[Example::new("ARRAY[10, 20, 30][3]", "30"), Example::new("MAP['a', 1]['z']", "NULL")],
        subscript,
    )
    .aliases(&["ITEM"]),
    Function::new(
        "CARDINALITY",
        "CARDINALITY(collection ARRAY) -> INT\nCARDINALITY(collection MAP) -> INT\nCARDINALITY(collection MULTISET) -> INT",
        "The number of items of an array or multiset, or of entries of a map.",
        &[Example::new("CARDINALITY(ARRAY[1, 2, 3])", "3")],
        cardinality,
    ),
    Function::new(
        "ELEMENT",
        "ELEMENT(array ARRAY) -> type of items",
        "The only item of an array. NULL if it is empty; more than one item fails.",
        &[Example::new("ELEMENT(ARRAY[1])", "1")],
        element,
    ),
];

fn subscript(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "<ARRAY>[<INTEGER>]; <MAP>[<KEY>]";
    call.expect(2, 2, FORM)?;
    let (container, index) = (call.arg(0)?, call.arg(1)?);
    if index.data_type.kind == TypeKind::Null {
        call.no_bare_null()?;
    }
    match &container.data_type.kind {
        TypeKind::Array(e) => {
            if let Some(i) = index.as_literal().and_then(|v| v.as_int())
                && i < 1
                && index.data_type.kind.is_integer()
            {
                return Err(Fault::user(
                    "bad-index",
                    format!("Array element access needs an index starting at 1 but was {i}"),
                )
                .at(index.span.unwrap_or(call.span))
                .hint("the first item is [1]"));
            }
            if index.data_type.kind != TypeKind::Int {
                return Err(call.refuse(FORM));
            }
            let index = convert(index.clone(), TypeKind::BigInt);
            let kernel = simple("[]", |arguments, _| {
                let index = arguments.numbers::<Int64Type>(1)?;
                picked(arguments, |_, row, range| {
                    let at = index.get(row)?.checked_sub(1)?;
                    let at = range.start.checked_add(usize::try_from(at).ok()?)?;
                    (at < range.end).then_some(at)
                })
            });
            let data_type = (**e).clone().with_nullable(true);
            Ok(BoundCall::new(data_type, vec![container.clone(), index], kernel))
        }
        TypeKind::Map(k, v) => {
            let kind = &index.data_type.kind;
            let key = match kind {
                _ if kind.is_string() && k.kind.is_string() => index.clone(),
                // Numbers are one family: the key is taken for one of the map's.
                _ if kind.is_numeric() && k.kind.is_numeric() => convert(index.clone(), k.kind.clone()),
                _ if supports_implicit(kind, &k.kind) => convert(index.clone(), k.kind.clone()),
                _ => return Err(call.refuse(FORM)),
            };
            let kernel = simple("[]", |arguments, _| looked_up(arguments));
            let data_type = (**v).clone().with_nullable(true);
            Ok(BoundCall::new(data_type, vec![container.clone(), key], kernel))
        }
        TypeKind::Variant => super::variant::item(call),
        _ => Err(call.refuse(FORM)),
    }
}

fn list<'a>(arguments: &Arguments<'a>) -> Result<&'a ListArray, Fault> {
    let column = arguments.column(0)?;
    column.array().as_list_opt::<i32>().ok_or_else(|| Fault::internal("no ARRAY or MAP"))
}

/// For each row an item of its list, by position in the child array.
fn positions(
    arguments: &Arguments<'_>,
    list: &ListArray,
    choose: impl Fn(usize, std::ops::Range<usize>) -> Option<usize>,
) -> Result<UInt32Array, EvalError> {
    let column = arguments.column(0)?;
    let offsets = list.value_offsets();
    Ok((0..arguments.rows())
        .map(|row| {
            let i = column.index(row);
            if list.is_null(i) {
                return None;
            }
            let range = *offsets.get(i)? as usize..*offsets.get(i + 1)? as usize;
            choose(row, range).map(|p| p as u32)
        })
        .collect())
}

fn picked(
    arguments: &Arguments<'_>,
    choose: impl Fn(&ListArray, usize, std::ops::Range<usize>) -> Option<usize>,
) -> Result<ArrayRef, EvalError> {
    let list = list(arguments)?;
    let at = positions(arguments, list, |row, range| choose(list, row, range))?;
    take(list.values().as_ref(), &at, None).map_err(broken)
}

/// The value of a key.
fn looked_up(arguments: &Arguments<'_>) -> Result<ArrayRef, EvalError> {
    let map = list(arguments)?;
    let entries = map.values().as_struct_opt().ok_or_else(|| Fault::internal("no MAP"))?;
    let [keys, values] = entries.columns() else { return Err(Fault::internal("no MAP").into()) };
    let wanted = arguments.column(1)?;
    let at = if let (Some(keys), Arrow::Utf8) = (keys.as_string_opt::<i32>(), wanted.array().data_type()) {
        let wanted = arguments.strings(1)?;
        positions(arguments, map, |row, mut range| {
            let key = wanted.get(row)?;
            range.find(|i| keys.is_valid(*i) && keys.value(*i) == key)
        })?
    } else {
        let same = make_comparator(keys, wanted.array(), SortOptions::default()).map_err(broken)?;
        positions(arguments, map, |row, mut range| {
            let key = wanted.index(row);
            (!wanted.is_null(row)).then(|| range.find(|i| same(*i, key).is_eq())).flatten()
        })?
    };
    take(values.as_ref(), &at, None).map_err(broken)
}

fn cardinality(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "CARDINALITY(<MULTISET>); CARDINALITY(<ARRAY>); CARDINALITY(<MAP>)";
    call.expect(1, 1, FORM)?;
    let arg = call.arg(0)?;
    let multiset = match arg.data_type.kind {
        TypeKind::Array(_) | TypeKind::Map(..) => false,
        TypeKind::Multiset(_) => true,
        _ => return Err(call.refuse(FORM)),
    };
    let kernel = simple("CARDINALITY", move |arguments, _| {
        let list = list(arguments)?;
        let column = arguments.column(0)?;
        let counts = if multiset { Some(counts(list)?) } else { None };
        numbers::build::<Int32Type>(arguments.rows(), |row| {
            let i = column.index(row);
            if list.is_null(i) {
                return Ok(None);
            }
            let length = list.value_length(i);
            let Some(counts) = &counts else { return Ok(Some(length)) };
            let start = list.value_offsets().get(i).copied().unwrap_or(0);
            Ok(Some((start..start + length).map(|p| counts.value(p as usize)).sum()))
        })
    });
    let data_type = DataType { kind: TypeKind::Int, nullable: arg.data_type.nullable };
    Ok(BoundCall::new(data_type, vec![arg.clone()], kernel))
}

/// How often each element of a multiset is in it.
fn counts(list: &ListArray) -> Result<arrow::array::Int32Array, Fault> {
    let wrong = || Fault::internal("no MULTISET");
    let entries = list.values().as_struct_opt().ok_or_else(wrong)?;
    let [_, counts] = entries.columns() else { return Err(wrong()) };
    counts.as_primitive_opt::<Int32Type>().cloned().ok_or_else(wrong)
}

fn element(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "ELEMENT(<ARRAY>)";
    call.expect(1, 1, FORM)?;
    let arg = call.arg(0)?;
    let TypeKind::Array(e) = &arg.data_type.kind else { return Err(call.refuse(FORM)) };
    let data_type = (**e).clone().with_nullable(e.nullable || arg.data_type.nullable);
    let kernel = simple("ELEMENT", |arguments, _| {
        let list = list(arguments)?;
        let column = arguments.column(0)?;
        for row in 0..arguments.rows() {
            let i = column.index(row);
            if list.is_valid(i) && list.value_length(i) > 1 {
                let fault = Fault::user(
                    "bad-argument",
                    format!("ELEMENT takes an array of one item, but it has {}", list.value_length(i)),
                )
                .hint("take an item: array[1]");
                return Err(EvalError::at_row(row, fault));
            }
        }
        picked(arguments, |_, _, range| (!range.is_empty()).then_some(range.start))
    });
    Ok(BoundCall::new(data_type, vec![arg.clone()], kernel).fallible())
}

#[cfg(test)]
mod tests {
    use millstream_types::{Span, Value};

    use super::*;
    use crate::Expr;
    use crate::functions::call_expr;
    use crate::testing::{context, eval_one, literal, text};

    fn call(name: &str, args: &[Expr]) -> Result<Expr, Fault> {
        call_expr(name, args, &[], Span::default(), &context())
    }

    fn run(expr: Result<Expr, Fault>) -> (String, Value) {
        let expr = expr.unwrap();
        (expr.data_type.to_string(), eval_one(&expr).unwrap())
    }

    #[test]
    fn parts_of_collections() {
        let array = call("ARRAY", &[literal(10), literal(20), literal(30)]).unwrap();
        let at = |i: Expr| run(call("[]", &[array.clone(), i]));
        assert_eq!(at(literal(3)), ("INT".into(), Value::Int(30)));
        assert_eq!(at(literal(4)).1, Value::Null);
        assert_eq!(at(Expr::literal(Value::Null, DataType::int())).1, Value::Null);
        assert!(call("[]", &[array.clone(), literal(0)]).is_err());
        assert_eq!(run(call("CARDINALITY", &[array])), ("INT NOT NULL".into(), Value::Int(3)));
        let map = call("MAP", &[text("a"), literal(1), text("a"), literal(2)]).unwrap();
        assert_eq!(map.data_type.to_string(), "MAP<CHAR(1) NOT NULL, INT NOT NULL> NOT NULL");
        assert_eq!(eval_one(&map).unwrap(), Value::Map([("a".into(), Value::Int(2))].into()));
        assert_eq!(run(call("[]", &[map.clone(), text("a")])), ("INT".into(), Value::Int(2)));
        assert_eq!(run(call("[]", &[map, text("zz")])).1, Value::Null);
        assert_eq!(run(call("ELEMENT", &[call("ARRAY", &[text("x")]).unwrap()])).0, "CHAR(1) NOT NULL");
        let two = call("ELEMENT", &[call("ARRAY", &[literal(1), literal(2)]).unwrap()]).unwrap();
        assert!(eval_one(&two).is_err());
        assert!(call("ARRAY", &[Expr::literal(Value::Null, TypeKind::Null.nullable())]).is_err());
        let row = call("ROW", &[literal(1), text("a")]).unwrap();
        assert_eq!(
            row.data_type.to_string(),
            "ROW<`EXPR$0` INT NOT NULL, `EXPR$1` CHAR(1) NOT NULL> NOT NULL"
        );
        assert_eq!(eval_one(&row).unwrap(), Value::Row([Value::Int(1), "a".into()].into()));
    }
}
