//! Reading ARRAY and MAP columns item by item, and building new ones from items of others.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, ListArray, StructArray};
use arrow::buffer::{NullBuffer, OffsetBuffer};
use arrow::compute::interleave;
use arrow::datatypes::DataType as Arrow;
use millstream_types::{DataType, Fault, TypeKind};

use crate::kernel::{Arguments, broken};
use crate::{Column, EvalError};

/// An ARRAY, MAP or MULTISET column that may stand for every row.
pub(super) struct Lists<'a> {
    list: &'a ListArray,
    column: &'a Column,
}

impl<'a> Lists<'a> {
    pub fn of(arguments: &Arguments<'a>, index: usize) -> Result<Self, Fault> {
        let column = arguments.column(index)?;
        let list = column.array().as_list_opt::<i32>().ok_or_else(|| Fault::internal("no ARRAY or MAP"))?;
        Ok(Lists { list, column })
    }

    /// Positions of a row's items; `None` for NULL.
    pub fn range(&self, row: usize) -> Option<Range<usize>> {
        let i = self.column.index(row);
        if self.list.is_null(i) {
            return None;
        }
        let offsets = self.list.value_offsets();
        Some(*offsets.get(i)? as usize..*offsets.get(i + 1)? as usize)
    }

    /// The items of all rows.
    pub fn items(&self) -> &'a ArrayRef {
        self.list.values()
    }

    /// Keys and values of all rows of a MAP.
    pub fn entries(&self) -> Result<(&'a ArrayRef, &'a ArrayRef), Fault> {
        let entries = self.list.values().as_struct_opt().ok_or_else(|| Fault::internal("no MAP"))?;
        match entries.columns() {
            [keys, values] => Ok((keys, values)),
            _ => Err(Fault::internal("no MAP")),
        }
    }
}

/// Lists that are being put together: each item by the number of its source and its position there.
pub(super) struct Gather {
    items: Vec<(usize, usize)>,
    offsets: Vec<i32>,
    valid: Vec<bool>,
}

impl Gather {
    /// Asks for every row; `row` adds its items and says whether there is a list (else it is NULL).
    pub fn rows(
        rows: usize,
        mut row: impl FnMut(usize, &mut Gather) -> Result<bool, EvalError>,
    ) -> Result<Self, EvalError> {
        let mut gather = Gather { items: Vec::new(), offsets: vec![0], valid: Vec::with_capacity(rows) };
        for i in 0..rows {
            let is = row(i, &mut gather)?;
            let end = i32::try_from(gather.items.len()).map_err(|_| {
                EvalError::at_row(
                    i,
                    Fault::user("too-large", "the arrays of a batch have more than 2^31 items"),
                )
            })?;
            gather.offsets.push(end);
            gather.valid.push(is);
        }
        Ok(gather)
    }

    /// Adds an item.
    pub fn push(&mut self, source: usize, position: usize) {
        self.items.push((source, position));
    }

    /// Adds items that stand side by side.
    pub fn extend(&mut self, source: usize, positions: Range<usize>) {
        self.items.extend(positions.map(|p| (source, p)));
    }

    /// The items that the sources give, as arrays.
    pub fn array(self, sources: &[&ArrayRef], element: &DataType) -> Result<ArrayRef, EvalError> {
        let items = taken(sources, &element.kind, &self.items)?;
        self.list(items, &TypeKind::Array(Box::new(element.clone())))
    }

    /// Maps whose keys are the items that were added, each with the value at the same place of `value_at`.
    pub fn map_with_values(
        self,
        keys: (&[&ArrayRef], &DataType),
        values: (&[&ArrayRef], &DataType),
        value_at: &[(usize, usize)],
    ) -> Result<ArrayRef, EvalError> {
        let columns =
            vec![taken(keys.0, &keys.1.kind, &self.items)?, taken(values.0, &values.1.kind, value_at)?];
        let kind = TypeKind::Map(Box::new(keys.1.clone()), Box::new(values.1.clone()));
        let entries = pairs(&kind, columns)?;
        self.list(entries, &kind)
    }

    fn list(self, items: ArrayRef, kind: &TypeKind) -> Result<ArrayRef, EvalError> {
        let nulls = self.valid.contains(&false).then(|| NullBuffer::from(self.valid));
        listed(kind, OffsetBuffer::new(self.offsets.into()), items, nulls)
    }
}

/// Items of the sources in the Arrow form of a type.
fn taken(sources: &[&ArrayRef], kind: &TypeKind, items: &[(usize, usize)]) -> Result<ArrayRef, EvalError> {
    let wanted = kind.to_arrow();
    let same = sources.iter().map(|s| fitted(s, &wanted)).collect::<Result<Vec<_>, _>>()?;
    let arrays: Vec<&dyn Array> = same.iter().map(AsRef::as_ref).collect();
    interleave(&arrays, items).map_err(broken)
}

/// An array in the Arrow form of a type; names of nested fields may differ.
fn fitted(array: &ArrayRef, wanted: &Arrow) -> Result<ArrayRef, EvalError> {
    if array.data_type() == wanted {
        return Ok(array.clone());
    }
    arrow::compute::cast(array, wanted).map_err(broken)
}

/// The entries of a MAP, or the ROWs of an ARRAY, from keys and values.
pub(super) fn pairs(kind: &TypeKind, columns: Vec<ArrayRef>) -> Result<ArrayRef, EvalError> {
    let Arrow::List(field) = kind.to_arrow() else { return Err(Fault::internal("no list").into()) };
    let Arrow::Struct(fields) = field.data_type() else { return Err(Fault::internal("no entries").into()) };
    let pairs = StructArray::try_new(fields.clone(), columns, None).map_err(broken)?;
    Ok(Arc::new(pairs))
}

/// An ARRAY or MAP of a type.
pub(super) fn listed(
    kind: &TypeKind,
    offsets: OffsetBuffer<i32>,
    items: ArrayRef,
    nulls: Option<NullBuffer>,
) -> Result<ArrayRef, EvalError> {
    let Arrow::List(field) = kind.to_arrow() else { return Err(Fault::internal("no list").into()) };
    Ok(Arc::new(ListArray::try_new(field, offsets, items, nulls).map_err(broken)?))
}

/// The lists of a column with other items: those of each list become the items at the same positions of `items`.
pub(super) fn relisted(
    arguments: &Arguments<'_>,
    kind: &TypeKind,
    items: impl FnOnce(&ListArray) -> Result<ArrayRef, EvalError>,
) -> Result<ArrayRef, EvalError> {
    let lists = Lists::of(arguments, 0)?;
    let items = items(lists.list)?;
    listed(kind, lists.list.offsets().clone(), items, lists.list.nulls().cloned())
}
