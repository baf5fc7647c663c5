//! Full names of objects.

use std::fmt;

use millstream_sql::ast::ObjectName;

/// Catalog, database and object.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectPath {
    /// The catalog.
    pub catalog: String,
    /// The database.
    pub database: String,
    /// The object.
    pub object: String,
}

impl fmt::Display for ObjectPath {
    /// `default_catalog.default_database.orders`, as Flink's messages have it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.catalog, self.database, self.object)
    }
}

impl ObjectPath {
    /// The parts in backticks with dots between, as SHOW CREATE prints them.
    pub fn quoted(&self) -> String {
        [&self.catalog, &self.database, &self.object].map(|p| quote(p)).join(".")
    }
}

/// Catalog and database that complete a short name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Namespace {
    /// The catalog.
    pub catalog: String,
    /// The database.
    pub database: String,
}

impl Namespace {
    /// The full name of a name of one to three parts; of longer ones the first parts are left out.
    pub fn complete(&self, name: &ObjectName) -> ObjectPath {
        let mut parts = name.parts.iter().rev().map(|p| p.value.clone());
        let object = parts.next().unwrap_or_default();
        let database = parts.next().unwrap_or_else(|| self.database.clone());
        let catalog = parts.next().unwrap_or_else(|| self.catalog.clone());
        ObjectPath { catalog, database, object }
    }
}

/// An identifier in backticks.
pub fn quote(name: &str) -> String {
    format!("`{}`", name.replace('`', "``"))
}

/// A text as a SQL string.
pub fn quote_text(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
