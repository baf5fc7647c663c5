//! `Unnest`: one row for each element of a collection.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, Int32Array, UInt32Array, new_null_array};
use arrow::compute;
use millstream_expr::{Expr, Program};
use millstream_types::{Batch, DataType, Fault, SchemaRef, TypeKind};

use crate::{Operator, OperatorContext, Output, at_origin, input_rows};

/// CROSS or LEFT JOIN UNNEST(collection) [WITH ORDINALITY]. Arrays give their elements (ROW elements their fields), maps key and value,
/// multisets each element as often as it counts.
#[derive(Debug)]
pub struct Unnest {
    collection: Program,
    data_type: DataType,
    ordinality: bool,
    left: bool,
    schema: SchemaRef,
}

impl Unnest {
    /// An unnest of a collection over the input; `schema` is the output's: the input's columns, the element's, the ordinality.
    ///
    /// # Errors
    /// When the collection cannot be compiled.
    pub fn new(collection: &Expr, ordinality: bool, left: bool, schema: SchemaRef) -> Result<Self, Fault> {
        let data_type = collection.data_type.clone();
        Ok(Unnest {
            collection: Program::compile(std::slice::from_ref(collection))?,
            data_type,
            ordinality,
            left,
            schema,
        })
    }
}

/// Which element goes to which input row.
#[derive(Default)]
struct Elements {
    parents: Vec<u32>,
    /// `None`: the row that LEFT keeps.
    elements: Vec<Option<u32>>,
    ordinals: Vec<Option<i32>>,
}

impl Elements {
    fn push(&mut self, parent: usize, element: Option<usize>, ordinal: Option<usize>) {
        self.parents.push(parent as u32);
        self.elements.push(element.map(|e| e as u32));
        self.ordinals.push(ordinal.map(|o| o as i32));
    }
}

impl Operator for Unnest {
    fn process(
        &mut self,
        _: usize,
        batch: Batch,
        context: &OperatorContext,
        out: &mut Output,
    ) -> Result<(), Fault> {
        let rows = input_rows(&batch);
        let collection = self.collection.eval(&rows, &context.eval).map_err(|e| at_origin(e, &batch))?;
        let Some(list) = collection.first().and_then(|c| c.as_list_opt::<i32>()) else {
            return Err(Fault::internal("UNNEST of something that is no collection"));
        };
        let counts = match self.data_type.kind {
            TypeKind::Multiset(_) => list.values().as_struct_opt().and_then(|s| s.columns().get(1).cloned()),
            _ => None,
        };
        let counts = counts.as_ref().and_then(|c| c.as_primitive_opt::<arrow::datatypes::Int32Type>());
        let mut found = Elements::default();
        let offsets = list.value_offsets();
        for row in 0..batch.rows {
            let before = found.parents.len();
            if let (false, Some(&[from, to])) = (list.is_null(row), offsets.get(row..row + 2)) {
                let mut ordinal = 0;
                for element in from as usize..to as usize {
                    for _ in 0..counts.map_or(1, |c| c.value(element).max(0)) {
                        ordinal += 1;
                        found.push(row, Some(element), Some(ordinal));
                    }
                }
            }
            if self.left && found.parents.len() == before {
                found.push(row, None, None);
            }
        }
        let parents = UInt32Array::from(found.parents);
        let elements = UInt32Array::from(found.elements);
        let rows = parents.len();
        let parent = batch.take(&parents)?;
        let mut columns = parent.columns.clone();
        for column in self.element_columns(list.values()) {
            columns.push(match column {
                Some(c) => compute::take(c.as_ref(), &elements, None)
                    .map_err(|e| Fault::internal(format!("taking elements: {e}")))?,
                None => new_null_array(&arrow::datatypes::DataType::Null, rows),
            });
        }
        if self.ordinality {
            columns.push(Arc::new(Int32Array::from(found.ordinals)));
        }
        out.push(parent.with_columns(self.schema.clone(), columns));
        Ok(())
    }

    fn uses_watermarks(&self) -> bool {
        false
    }
}

impl Unnest {
    /// The columns of the elements, before they are spread over rows.
    fn element_columns(&self, values: &ArrayRef) -> Vec<Option<ArrayRef>> {
        let fields = |array: &ArrayRef| -> Vec<Option<ArrayRef>> {
            match array.as_struct_opt() {
                // A NULL ROW has NULL fields.
                Some(s) => s.columns().iter().map(|c| Some(with_validity(c, s.nulls()))).collect(),
                None => vec![Some(array.clone())],
            }
        };
        match &self.data_type.kind {
            TypeKind::Multiset(element) => {
                let item = values.as_struct_opt().and_then(|s| s.columns().first().cloned());
                match (&element.kind, item) {
                    (TypeKind::Row(_), Some(item)) => fields(&item),
                    (_, item) => vec![item],
                }
            }
            TypeKind::Array(element) if !matches!(element.kind, TypeKind::Row(_)) => {
                vec![Some(values.clone())]
            }
            _ => fields(values),
        }
    }
}

fn with_validity(column: &ArrayRef, nulls: Option<&arrow::buffer::NullBuffer>) -> ArrayRef {
    let Some(nulls) = nulls.filter(|n| n.null_count() > 0) else { return column.clone() };
    let union = arrow::buffer::NullBuffer::union(column.nulls(), Some(nulls));
    match column.to_data().into_builder().nulls(union).build() {
        Ok(data) => arrow::array::make_array(data),
        Err(_) => column.clone(),
    }
}
