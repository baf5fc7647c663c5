//! A table as the catalog keeps it: its declaration, and what the declaration means.

use std::sync::{Arc, OnceLock};

use millstream_sql::ast;
use millstream_types::{DataType, Fault, Field};

use super::{ObjectPath, ResolvedColumn, ResolvedTable};
use crate::{ColumnSource, WatermarkSpec};

/// A table.
#[derive(Debug, Clone)]
pub struct CatalogTable {
    /// Its full name.
    pub path: ObjectPath,
    /// TEMPORARY.
    pub temporary: bool,
    /// What was declared: ALTER TABLE and LIKE start from it.
    pub definition: TableDefinition,
    /// What the columns mean.
    pub columns: BoundColumns,
    /// What statements that use the table make of it.
    pub(crate) uses: TableUses,
}

/// A table as statements use it (read or written, in streaming or batch mode), made by the first one: thousands of INSERTs share one. Another
/// declaration, also a copy, begins without.
#[derive(Debug, Default)]
pub(crate) struct TableUses([OnceLock<Arc<ResolvedTable>>; 4]);

impl Clone for TableUses {
    fn clone(&self) -> Self {
        TableUses::default()
    }
}

impl TableUses {
    /// The table in a role, made if nobody has used it so.
    ///
    /// # Errors
    /// Those of making it.
    pub fn get(
        &self,
        source: bool,
        batch: bool,
        make: impl FnOnce() -> Result<ResolvedTable, Fault>,
    ) -> Result<Arc<ResolvedTable>, Fault> {
        let Some(slot) = self.0.get(usize::from(source) * 2 + usize::from(batch)) else {
            return make().map(Arc::new);
        };
        match slot.get() {
            Some(known) => Ok(known.clone()),
            None => {
                let made = Arc::new(make()?);
                Ok(slot.get_or_init(|| made).clone())
            }
        }
    }
}

/// A declaration: the statement's parts, before any connector is looked at.
#[derive(Debug, Clone, Default)]
pub struct TableDefinition {
    /// The columns in order.
    pub columns: Vec<ColumnDefinition>,
    /// WATERMARK.
    pub watermark: Option<WatermarkDefinition>,
    /// PRIMARY KEY.
    pub primary_key: Option<KeyDefinition>,
    /// PARTITIONED BY.
    pub partitioned_by: Vec<String>,
    /// DISTRIBUTED BY.
    pub distribution: Option<ast::Distribution>,
    /// WITH, in order; a later equal key wins.
    pub options: Vec<(String, String)>,
    /// Written with Blink's bare keys (`type = 'kafka'`).
    pub legacy_options: bool,
    /// COMMENT.
    pub comment: Option<String>,
}

/// A declared column.
#[derive(Debug, Clone)]
pub struct ColumnDefinition {
    /// Its name.
    pub name: String,
    /// Where it comes from.
    pub kind: ColumnForm,
    /// COMMENT.
    pub comment: Option<String>,
    /// Its place in the statement; without meaning if it is inherited.
    pub span: millstream_types::Span,
    /// Declared by an earlier statement: no place of it is one in the text at hand.
    pub inherited: bool,
}

/// Where a declared column comes from.
#[derive(Debug, Clone)]
pub enum ColumnForm {
    /// The record.
    Physical(DataType),
    /// Connector or format.
    Metadata {
        /// Its declared type.
        data_type: DataType,
        /// FROM.
        key: Option<String>,
        /// VIRTUAL.
        is_virtual: bool,
    },
    /// An expression over physical and metadata columns.
    Computed {
        /// The expression.
        expr: ast::Expr,
        /// Its text.
        text: String,
    },
}

/// A declared watermark.
#[derive(Debug, Clone)]
pub struct WatermarkDefinition {
    /// The rowtime column.
    pub column: String,
    /// Its place.
    pub column_span: millstream_types::Span,
    /// The strategy.
    pub strategy: ast::Expr,
    /// Its text.
    pub text: String,
    /// Declared by an earlier statement.
    pub inherited: bool,
}

/// A declared primary key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyDefinition {
    /// CONSTRAINT name.
    pub name: Option<String>,
    /// Its columns with their places.
    pub columns: Vec<(String, millstream_types::Span)>,
}

impl KeyDefinition {
    /// Its name: as declared, or the one Flink makes.
    pub fn label(&self) -> String {
        match &self.name {
            Some(n) => n.clone(),
            None => {
                let columns: Vec<&str> = self.columns.iter().map(|c| c.0.as_str()).collect();
                format!("PK_{}", columns.join("_"))
            }
        }
    }
}

/// What declared columns mean, whatever connector is used.
#[derive(Debug, Clone, Default)]
pub struct BoundColumns {
    /// The physical columns.
    pub physical: Vec<Field>,
    /// What expressions refer to by position: physical columns, then metadata columns. The metadata columns' types are the declared ones
    /// here; the connector's own are known when the table is used.
    pub inputs: Vec<ColumnSource>,
    /// All columns, in order of declaration.
    pub columns: Vec<ResolvedColumn>,
    /// The watermark, over `inputs`.
    pub watermark: Option<WatermarkSpec>,
    /// Position of the rowtime column in `columns`.
    pub rowtime: Option<usize>,
    /// Positions of the primary key in `columns`.
    pub primary_key: Vec<usize>,
}

impl BoundColumns {
    /// Position of a column.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| &*c.name == name)
    }
}

impl CatalogTable {
    /// The value of an option.
    pub fn option(&self, key: &str) -> Option<&str> {
        self.definition.option(key)
    }
}

impl TableDefinition {
    /// The value of an option.
    pub fn option(&self, key: &str) -> Option<&str> {
        self.options.iter().rev().find(|(k, _)| k == key).map(|(_, v)| v.as_str())
    }

    /// Sets an option, keeping the place of an earlier one.
    pub fn set_option(&mut self, key: &str, value: &str) {
        match self.options.iter_mut().find(|(k, _)| k == key) {
            Some(entry) => entry.1 = value.to_string(),
            None => self.options.push((key.to_string(), value.to_string())),
        }
    }

    /// The same declaration as the beginning of another one: LIKE, ALTER TABLE.
    #[must_use]
    pub fn inherited(&self) -> Self {
        let mut base = self.clone();
        for column in &mut base.columns {
            column.inherited = true;
        }
        if let Some(watermark) = &mut base.watermark {
            watermark.inherited = true;
        }
        base
    }

    /// Position of a column.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == name)
    }

    /// The columns' names.
    pub fn column_names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|c| c.name.as_str())
    }
}
