//! What a name in FROM or INSERT INTO stands for, ready for the binder.

use std::sync::Arc;

use millstream_expr::Expr;
use millstream_flow::{ChangelogMode, ConnectorCard, FormatCard};
use millstream_sql::ast;
use millstream_types::{DataType, Field, SchemaRef};

use super::{Namespace, ObjectPath};
use crate::{ColumnSource, TableSpec, WatermarkSpec};

/// What a name in FROM stands for.
#[derive(Debug, Clone)]
pub enum Relation {
    /// A table that is read.
    Table(Arc<ResolvedTable>),
    /// A view, to be bound in its own [`Namespace`].
    View(Arc<CatalogView>),
}

/// A table with everything that depends on connector, format, options and session mode decided.
#[derive(Debug, Clone)]
pub struct ResolvedTable {
    /// Its full name.
    pub path: ObjectPath,
    /// What the engine needs: connector, options (hints merged), physical columns.
    pub spec: Arc<TableSpec>,
    /// What the table's expressions refer to by position: the physical columns in order, then the metadata columns in order.
    pub inputs: Vec<ColumnSource>,
    /// All columns in order of declaration.
    pub columns: Vec<ResolvedColumn>,
    /// The declared watermark, over `inputs`. In batch mode it is kept, but no column is a rowtime attribute.
    pub watermark: Option<WatermarkSpec>,
    /// Position in `columns` of the rowtime column, if there is a watermark.
    pub rowtime: Option<usize>,
    /// Positions in `columns` of the primary key; empty: none.
    pub primary_key: Vec<usize>,
    /// Changes of the table as a source.
    pub changes: ChangelogMode,
    /// The connector.
    pub connector: &'static ConnectorCard,
    /// The format.
    pub format: Option<&'static FormatCard>,
    /// Options given by a hint, as merged into `spec`.
    pub hints: Vec<(String, String)>,
    /// Names and types of all columns.
    pub schema: SchemaRef,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedColumn {
    /// Its name.
    pub name: Arc<str>,
    /// Its type, time attribute included.
    pub data_type: DataType,
    /// Its value over the table's `inputs`.
    pub value: Expr,
    /// Where it comes from.
    pub origin: ColumnOrigin,
}

/// Where the values of a column come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnOrigin {
    /// The record.
    Physical,
    /// A metadata column of connector or format.
    Metadata {
        /// Not written by INSERT.
        is_virtual: bool,
    },
    /// An expression; never written.
    Computed,
}

impl ColumnOrigin {
    /// Whether INSERT writes it.
    pub fn is_persisted(self) -> bool {
        matches!(self, ColumnOrigin::Physical | ColumnOrigin::Metadata { is_virtual: false })
    }
}

/// A view.
#[derive(Debug, Clone, PartialEq)]
pub struct CatalogView {
    /// Its full name.
    pub path: ObjectPath,
    /// The query's text.
    pub text: String,
    /// The query; its spans are places in the statement that created the view, not in the one that uses it.
    pub query: ast::Query,
    /// Names and types of its columns when it was created: the query's columns take these names.
    pub columns: Vec<Field>,
    /// Comments of its columns.
    pub column_comments: Vec<Option<String>>,
    /// COMMENT.
    pub comment: Option<String>,
    /// What short names in the query are completed with.
    pub namespace: Namespace,
    /// TEMPORARY.
    pub temporary: bool,
}
