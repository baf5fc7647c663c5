//! The catalog: catalogs, databases, tables, views and functions of a session, in memory.
//!
//! A table is kept twice: as it was declared ([`TableDefinition`], from which ALTER TABLE and LIKE go on) and as its columns are understood
//! ([`BoundColumns`]). Connector, format and options are looked at when a statement uses the table, as Flink does: [`BindEnvironment`]
//! gives the binder a [`ResolvedTable`].

mod cards;
mod catalogs;
mod columns;
mod environment;
mod function;
mod options;
mod path;
mod resolve;
mod resolved;
mod scalar;
mod table;

pub use cards::Cards;
pub use catalogs::{Catalog, Catalogs, DEFAULT_CATALOG, DEFAULT_DATABASE, Database, Stored};
pub use environment::{BindEnvironment, FOLLOW_UP, Variables};
pub use function::{CatalogFunction, FunctionLanguage};
pub use path::{Namespace, ObjectPath, quote, quote_text};
pub use resolved::{CatalogView, ColumnOrigin, Relation, ResolvedColumn, ResolvedTable};
pub use table::{
    BoundColumns, CatalogTable, ColumnDefinition, ColumnForm, KeyDefinition, TableDefinition,
    WatermarkDefinition,
};

pub(crate) use catalogs::no_database;
pub(crate) use columns::{bind_columns, unknown_column};
pub(crate) use environment::failed;
pub(crate) use options::{SECRET, check_value, is_secret, is_secret_key};
pub(crate) use table::TableUses;
