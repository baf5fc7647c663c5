//! Names and types of the columns of a table or an edge.

use std::sync::Arc;

use arrow::datatypes as arrow_types;

use crate::DataType;

/// A column: its name and type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Field {
    /// The name as declared; Flink's names are case-sensitive.
    pub name: Arc<str>,
    /// The logical type with its nullability.
    pub data_type: DataType,
}

impl Field {
    /// A column.
    pub fn new(name: impl Into<Arc<str>>, data_type: DataType) -> Self {
        Field { name: name.into(), data_type }
    }
}

/// The columns of a table or an edge, in order.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Schema {
    /// The columns.
    pub fields: Vec<Field>,
}

/// A shared schema.
pub type SchemaRef = Arc<Schema>;

impl Schema {
    /// A schema of these columns.
    pub fn new(fields: Vec<Field>) -> Self {
        Schema { fields }
    }

    /// Number of columns.
    pub fn len(&self) -> usize {
        self.fields.len()
    }

    /// Whether there is no column.
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Position of a column, by its exact name.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|f| &*f.name == name)
    }

    /// The column at a position.
    pub fn field(&self, index: usize) -> Option<&Field> {
        self.fields.get(index)
    }

    /// The schema of some of the columns, in the given order; positions out of range are left out.
    pub fn project(&self, columns: &[usize]) -> Schema {
        Schema { fields: columns.iter().filter_map(|i| self.fields.get(*i).cloned()).collect() }
    }

    /// The Arrow schema, for files and for Arrow's own interfaces.
    pub fn to_arrow(&self) -> arrow_types::Schema {
        arrow_types::Schema::new(
            self.fields.iter().map(|f| f.data_type.arrow_field(&f.name)).collect::<Vec<_>>(),
        )
    }
}
