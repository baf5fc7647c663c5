//! The catalogs of a session: databases, tables, views, functions, and the temporary objects that shadow them.

use std::collections::BTreeMap;
use std::sync::Arc;

use millstream_expr::registered::{Registry, ScalarFunction};
use millstream_types::Fault;

use super::{CatalogFunction, CatalogTable, CatalogView, ObjectPath};

/// The catalog that is always there.
pub const DEFAULT_CATALOG: &str = "default_catalog";
/// Its database that is always there.
pub const DEFAULT_DATABASE: &str = "default_database";

/// A table or view.
#[derive(Debug, Clone)]
pub enum Stored {
    /// A table.
    Table(Arc<CatalogTable>),
    /// A view.
    View(Arc<CatalogView>),
    /// Something whose CREATE failed: it keeps the name, so that later statements do not fail for want of it.
    Failed,
}

impl Stored {
    /// The table, if it is one.
    pub fn as_table(&self) -> Option<&Arc<CatalogTable>> {
        match self {
            Stored::Table(t) => Some(t),
            _ => None,
        }
    }

    /// The view, if it is one.
    pub fn as_view(&self) -> Option<&Arc<CatalogView>> {
        match self {
            Stored::View(v) => Some(v),
            _ => None,
        }
    }
}

/// A catalog.
#[derive(Debug, Clone, Default)]
pub struct Catalog {
    /// Its options, `type` among them.
    pub options: BTreeMap<String, String>,
    /// COMMENT.
    pub comment: Option<String>,
    /// Its databases.
    pub databases: BTreeMap<String, Database>,
}

/// A database.
#[derive(Debug, Clone, Default)]
pub struct Database {
    /// Its options.
    pub options: BTreeMap<String, String>,
    /// COMMENT.
    pub comment: Option<String>,
    /// Tables and views.
    pub objects: BTreeMap<String, Stored>,
    /// Functions, by lower-case name: function names do not count case.
    pub functions: BTreeMap<String, CatalogFunction>,
}

/// All catalogs of a session. A value: whoever wants to try statements out clones it.
#[derive(Debug, Clone)]
pub struct Catalogs {
    catalogs: BTreeMap<String, Catalog>,
    temporary: BTreeMap<ObjectPath, Stored>,
    temporary_functions: BTreeMap<ObjectPath, CatalogFunction>,
    system_functions: BTreeMap<String, CatalogFunction>,
    registered: Registry,
    loaded_modules: Vec<String>,
    used_modules: Vec<String>,
}

impl Default for Catalogs {
    fn default() -> Self {
        let mut catalogs = Catalogs {
            catalogs: BTreeMap::new(),
            temporary: BTreeMap::new(),
            temporary_functions: BTreeMap::new(),
            system_functions: BTreeMap::new(),
            registered: Registry::default(),
            loaded_modules: vec!["core".to_string()],
            used_modules: vec!["core".to_string()],
        };
        let mut default = Catalog::default();
        default.databases.insert(DEFAULT_DATABASE.to_string(), Database::default());
        catalogs.catalogs.insert(DEFAULT_CATALOG.to_string(), default);
        catalogs
    }
}

impl Catalogs {
    /// The functions that the embedding program registered.
    pub fn registered(&self) -> &Registry {
        &self.registered
    }

    /// Registers a function of the embedding program.
    ///
    /// # Errors
    /// User: a built-in function has the name, or it is none that SQL can call.
    pub fn register(&mut self, function: ScalarFunction) -> Result<(), Fault> {
        self.registered.add(function)
    }

    /// All catalogs by name.
    pub fn catalogs(&self) -> &BTreeMap<String, Catalog> {
        &self.catalogs
    }

    /// A catalog.
    pub fn catalog(&self, name: &str) -> Option<&Catalog> {
        self.catalogs.get(name)
    }

    /// A catalog, to be changed.
    pub fn catalog_mut(&mut self, name: &str) -> Option<&mut Catalog> {
        self.catalogs.get_mut(name)
    }

    /// Adds or replaces a catalog.
    pub fn put_catalog(&mut self, name: &str, catalog: Catalog) {
        self.catalogs.insert(name.to_string(), catalog);
    }

    /// Takes a catalog away, temporary objects in it included.
    pub fn drop_catalog(&mut self, name: &str) {
        self.catalogs.remove(name);
        self.temporary.retain(|p, _| p.catalog != name);
        self.temporary_functions.retain(|p, _| p.catalog != name);
    }

    /// A database.
    pub fn database(&self, catalog: &str, database: &str) -> Option<&Database> {
        self.catalogs.get(catalog)?.databases.get(database)
    }

    /// A database, to be changed.
    pub fn database_mut(&mut self, catalog: &str, database: &str) -> Option<&mut Database> {
        self.catalogs.get_mut(catalog)?.databases.get_mut(database)
    }

    /// A table or view; temporary ones first.
    pub fn object(&self, path: &ObjectPath) -> Option<&Stored> {
        self.temporary.get(path).or_else(|| self.permanent(path))
    }

    /// A table or view that is not temporary.
    pub fn permanent(&self, path: &ObjectPath) -> Option<&Stored> {
        self.database(&path.catalog, &path.database)?.objects.get(&path.object)
    }

    /// A temporary table or view.
    pub fn temporary(&self, path: &ObjectPath) -> Option<&Stored> {
        self.temporary.get(path)
    }

    /// Temporary tables and views of a database.
    pub fn temporary_in<'a>(
        &'a self,
        catalog: &'a str,
        database: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a Stored)> {
        self.temporary
            .iter()
            .filter(move |(p, _)| p.catalog == catalog && p.database == database)
            .map(|(p, s)| (p.object.as_str(), s))
    }

    /// Names of all tables and views of a database, temporary ones included; not of what could not be created.
    pub fn names_in<'a>(&'a self, catalog: &'a str, database: &'a str) -> impl Iterator<Item = &'a str> {
        let permanent = self.database(catalog, database);
        let permanent = permanent.into_iter().flat_map(|d| d.objects.iter().map(|(n, o)| (n.as_str(), o)));
        let all = permanent.chain(self.temporary_in(catalog, database));
        all.filter(|(_, o)| !matches!(o, Stored::Failed)).map(|(n, _)| n)
    }

    /// Adds or replaces a table or view.
    ///
    /// # Errors
    /// User, when the database does not exist.
    pub fn put(&mut self, path: &ObjectPath, object: Stored, temporary: bool) -> Result<(), Fault> {
        if temporary {
            self.temporary.insert(path.clone(), object);
            return Ok(());
        }
        self.database_mut(&path.catalog, &path.database)
            .ok_or_else(|| no_database(&path.catalog, &path.database))?
            .objects
            .insert(path.object.clone(), object);
        Ok(())
    }

    /// Takes a table or view away.
    pub fn remove(&mut self, path: &ObjectPath, temporary: bool) -> Option<Stored> {
        if temporary {
            return self.temporary.remove(path);
        }
        self.database_mut(&path.catalog, &path.database)?.objects.remove(&path.object)
    }

    /// A function of catalogs: temporary ones first. Names of functions do not count case.
    pub fn function(&self, path: &ObjectPath) -> Option<&CatalogFunction> {
        let key = function_key(path);
        self.temporary_functions
            .get(&key)
            .or_else(|| self.database(&path.catalog, &path.database)?.functions.get(&key.object))
    }

    /// A function of a catalog that is not temporary.
    pub fn permanent_function(&self, path: &ObjectPath) -> Option<&CatalogFunction> {
        self.database(&path.catalog, &path.database)?.functions.get(&function_key(path).object)
    }

    /// A temporary function of a catalog.
    pub fn temporary_function(&self, path: &ObjectPath) -> Option<&CatalogFunction> {
        self.temporary_functions.get(&function_key(path))
    }

    /// A temporary system function.
    pub fn system_function(&self, name: &str) -> Option<&CatalogFunction> {
        self.system_functions.get(&name.to_lowercase())
    }

    /// Adds or replaces a temporary system function.
    pub fn put_system_function(&mut self, name: &str, function: CatalogFunction) {
        self.system_functions.insert(name.to_lowercase(), function);
    }

    /// Takes a temporary system function away.
    pub fn remove_system_function(&mut self, name: &str) -> Option<CatalogFunction> {
        self.system_functions.remove(&name.to_lowercase())
    }

    /// Adds or replaces a function.
    ///
    /// # Errors
    /// User, when the database does not exist.
    pub fn put_function(&mut self, function: CatalogFunction, temporary: bool) -> Result<(), Fault> {
        let key = function_key(&function.path);
        if temporary {
            self.temporary_functions.insert(key, function);
            return Ok(());
        }
        self.database_mut(&key.catalog, &key.database)
            .ok_or_else(|| no_database(&key.catalog, &key.database))?
            .functions
            .insert(key.object, function);
        Ok(())
    }

    /// Takes a function away.
    pub fn remove_function(&mut self, path: &ObjectPath, temporary: bool) -> Option<CatalogFunction> {
        let key = function_key(path);
        if temporary {
            return self.temporary_functions.remove(&key);
        }
        self.database_mut(&path.catalog, &path.database)?.functions.remove(&key.object)
    }

    /// Names of all user functions that a short name can mean in a database.
    pub fn user_functions(&self, catalog: &str, database: &str) -> Vec<String> {
        let mut names: Vec<String> = self.system_functions.keys().cloned().collect();
        names.extend(
            self.temporary_functions
                .keys()
                .filter(|p| p.catalog == catalog && p.database == database)
                .map(|p| p.object.clone()),
        );
        names.extend(self.database(catalog, database).into_iter().flat_map(|d| d.functions.keys().cloned()));
        names.sort();
        names.dedup();
        names
    }

    /// Modules that are loaded, in order.
    pub fn loaded_modules(&self) -> &[String] {
        &self.loaded_modules
    }

    /// Modules whose functions are found, in order.
    pub fn used_modules(&self) -> &[String] {
        &self.used_modules
    }

    /// Makes a module loaded and used.
    pub fn load_module(&mut self, name: &str) {
        self.loaded_modules.push(name.to_string());
        self.used_modules.push(name.to_string());
    }

    /// Takes a module away.
    pub fn unload_module(&mut self, name: &str) {
        self.loaded_modules.retain(|m| m != name);
        self.used_modules.retain(|m| m != name);
    }

    /// Says which modules' functions are found, in order.
    pub fn use_modules(&mut self, names: Vec<String>) {
        self.used_modules = names;
    }
}

fn function_key(path: &ObjectPath) -> ObjectPath {
    ObjectPath { object: path.object.to_lowercase(), ..path.clone() }
}

/// The fault for a database that is not there.
pub(crate) fn no_database(catalog: &str, database: &str) -> Fault {
    Fault::user("unknown-database", format!("database '{database}' does not exist in catalog '{catalog}'"))
        .hint(format!("create it first: CREATE DATABASE {}", super::quote(database)))
}
