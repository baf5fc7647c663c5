//! To ARRAY, MAP, MULTISET and ROW, item by item.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, StructArray};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::datatypes::DataType as Arrow;
use millstream_types::{Fault, TypeKind};

use super::{Rules, cast_array, cast_is_fallible, renamed};
use crate::kernel::broken;
use crate::{CastMode, EvalError};

pub(super) fn cast(
    array: &ArrayRef,
    from: &TypeKind,
    to: &TypeKind,
    rules: Rules<'_>,
) -> Result<ArrayRef, EvalError> {
    match (from, to) {
        (TypeKind::Array(f), TypeKind::Array(t)) => {
            lists(array, to, rules, |items| child(items, &f.kind, &t.kind, rules))
        }
        (TypeKind::Multiset(f), TypeKind::Multiset(t)) => {
            let int = TypeKind::Int;
            lists(array, to, rules, |entries| pairs(entries, (&f.kind, &t.kind), (&int, &int), to, rules))
        }
        (TypeKind::Map(fk, fv), TypeKind::Map(tk, tv)) => lists(array, to, rules, |entries| {
            pairs(entries, (&fk.kind, &tk.kind), (&fv.kind, &tv.kind), to, rules)
        }),
        (TypeKind::Row(f) | TypeKind::Structured(_, f), TypeKind::Row(t)) => {
            let row = array.as_struct_opt().ok_or_else(|| Fault::internal("no ROW"))?;
            let mut columns = Vec::with_capacity(t.len());
            let mut failed = Failed::default();
            for ((column, x), y) in row.columns().iter().zip(f.iter()).zip(t.iter()) {
                let (cast, lost) = child(column, &x.data_type.kind, &y.data_type.kind, rules)?;
                failed.join(lost);
                columns.push(cast);
            }
            let Arrow::Struct(fields) = to.to_arrow() else { return Err(Fault::internal("no ROW").into()) };
            let nulls = failed.nulls(row.nulls(), array.len());
            let result =
                StructArray::try_new_with_length(fields, columns, nulls, array.len()).map_err(broken)?;
            Ok(Arc::new(result))
        }
        _ => Err(Fault::internal(format!("no cast from {from} to {to}")).into()),
    }
}

/// The entries that could not be converted in a TRY_CAST, which makes the whole value NULL.
#[derive(Default)]
struct Failed(Option<BooleanBuffer>);

impl Failed {
    fn join(&mut self, other: Failed) {
        self.0 = match (self.0.take(), other.0) {
            (Some(a), Some(b)) => Some(&a | &b),
            (a, b) => a.or(b),
        };
    }

    fn nulls(&self, nulls: Option<&NullBuffer>, rows: usize) -> Option<NullBuffer> {
        match &self.0 {
            None => nulls.cloned(),
            Some(failed) => {
                debug_assert_eq!(failed.len(), rows, "one entry a row");
                NullBuffer::union(nulls, Some(&NullBuffer::new(!failed)))
            }
        }
    }
}

fn child(
    items: &ArrayRef,
    from: &TypeKind,
    to: &TypeKind,
    rules: Rules<'_>,
) -> Result<(ArrayRef, Failed), EvalError> {
    let cast = cast_array(items, from, to, rules)?;
    if !rules.lenient || !cast_is_fallible(from, to, CastMode::Cast) {
        return Ok((cast, Failed::default()));
    }
    let lost = BooleanBuffer::collect_bool(items.len(), |i| items.is_valid(i) && cast.is_null(i));
    let any = lost.count_set_bits() > 0;
    Ok((cast, Failed(any.then_some(lost))))
}

fn pairs(
    entries: &ArrayRef,
    keys: (&TypeKind, &TypeKind),
    values: (&TypeKind, &TypeKind),
    to: &TypeKind,
    rules: Rules<'_>,
) -> Result<(ArrayRef, Failed), EvalError> {
    let entries = entries.as_struct_opt().ok_or_else(|| Fault::internal("no entries"))?;
    let [k, v] = entries.columns() else { return Err(Fault::internal("no entries").into()) };
    let (k, mut failed) = child(k, keys.0, keys.1, rules)?;
    let (v, lost) = child(v, values.0, values.1, rules)?;
    failed.join(lost);
    let Arrow::List(field) = to.to_arrow() else { return Err(Fault::internal("no MAP").into()) };
    let Arrow::Struct(fields) = field.data_type() else { return Err(Fault::internal("no MAP").into()) };
    let cast = StructArray::try_new(fields.clone(), vec![k, v], entries.nulls().cloned()).map_err(broken)?;
    Ok((Arc::new(cast), failed))
}

/// A list with other items; NULL where an item of it failed.
fn lists(
    array: &ArrayRef,
    to: &TypeKind,
    _: Rules<'_>,
    cast: impl FnOnce(&ArrayRef) -> Result<(ArrayRef, Failed), EvalError>,
) -> Result<ArrayRef, EvalError> {
    let list = array.as_list_opt::<i32>().ok_or_else(|| Fault::internal("no list"))?;
    let offsets = list.value_offsets();
    let row_of = |item: usize| offsets.partition_point(|o| *o as usize <= item).saturating_sub(1);
    let (items, failed) = cast(list.values()).map_err(|mut e| {
        e.row = e.row.map(row_of);
        e
    })?;
    let Arrow::List(field) = to.to_arrow() else { return Err(Fault::internal("no list type").into()) };
    let failed_rows = Failed(failed.0.map(|bad| {
        BooleanBuffer::collect_bool(list.len(), |row| match (offsets.get(row), offsets.get(row + 1)) {
            (Some(a), Some(b)) => (*a..*b).any(|i| bad.value(i as usize)),
            _ => false,
        })
    }));
    let nulls = failed_rows.nulls(list.nulls(), list.len());
    let result: ArrayRef =
        Arc::new(ListArray::try_new(field, list.offsets().clone(), items, nulls).map_err(broken)?);
    renamed(result, to)
}
