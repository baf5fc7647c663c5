//! Catalogs, databases and modules.

use std::collections::BTreeMap;

use millstream_sql::ast::{
    AlterCatalog, CreateCatalog, CreateDatabase, CreateMode, Ident, ObjectName, OptionEntry, Use,
};
use millstream_types::{Fault, nearest};

use super::{Planned, SessionState};
use crate::catalog::{Catalog, DEFAULT_DATABASE, Database, no_database};

/// Types of catalogs that exist.
const CATALOG_TYPES: [&str; 1] = ["generic_in_memory"];
/// Types of catalogs that Flink's own distribution has.
const OTHER_CATALOG_TYPES: [&str; 3] = ["jdbc", "hive", "filesystem"];

impl SessionState {
    pub(super) fn unknown_catalog(&self, name: &str) -> Fault {
        let fault = Fault::user("unknown-catalog", format!("catalog '{name}' does not exist"));
        match nearest(name, self.catalogs.catalogs().keys().map(String::as_str)) {
            Some(near) => fault.hint(format!("did you mean '{near}'?")),
            None => fault.hint("create it first: CREATE CATALOG name WITH ('type' = 'generic_in_memory')"),
        }
    }

    /// Catalog and database of a name of one or two parts.
    pub(super) fn database_of(&self, name: &ObjectName) -> Result<(String, String), Fault> {
        match name.parts.as_slice() {
            [database] => Ok((self.namespace.catalog.clone(), database.value.clone())),
            [catalog, database] => Ok((catalog.value.clone(), database.value.clone())),
            _ => Err(Fault::user("bad-name", "a database's name has one or two parts: catalog.database")
                .at(name.span)),
        }
    }

    fn unknown_database(&self, catalog: &str, database: &str) -> Fault {
        let Some(found) = self.catalogs.catalog(catalog) else { return self.unknown_catalog(catalog) };
        let fault = Fault::user(
            "unknown-database",
            format!("database '{database}' does not exist in catalog '{catalog}'"),
        );
        match nearest(database, found.databases.keys().map(String::as_str)) {
            Some(near) => fault.hint(format!("did you mean '{near}'?")),
            None => no_database(catalog, database),
        }
    }

    /// An existing database of a name.
    pub(super) fn existing_database(&self, name: &ObjectName) -> Result<(String, String), Fault> {
        let (catalog, database) = self.database_of(name)?;
        if self.catalogs.database(&catalog, &database).is_none() {
            return Err(self.unknown_database(&catalog, &database).at(name.span));
        }
        Ok((catalog, database))
    }

    pub(super) fn create_catalog(&mut self, create: &CreateCatalog) -> Result<Planned, Fault> {
        let name = &create.name.value;
        if self.catalogs.catalog(name).is_some() {
            if create.mode == CreateMode::IfNotExists {
                return Ok(Planned::done());
            }
            return Err(Fault::user("already-exists", format!("catalog '{name}' already exists"))
                .at(create.name.span)
                .hint("write CREATE CATALOG IF NOT EXISTS, or choose another name"));
        }
        let options = collect(&create.options);
        let Some(kind) = options.get("type") else {
            return Err(Fault::user("missing-option", "a catalog needs the option 'type'")
                .at(create.name.span)
                .hint("write WITH ('type' = 'generic_in_memory')"));
        };
        if !CATALOG_TYPES.contains(&kind.as_str()) {
            let span = create
                .options
                .iter()
                .find(|o| o.key.value == "type")
                .map_or(create.name.span, |o| o.value.span);
            if OTHER_CATALOG_TYPES.contains(&kind.as_str()) {
                return Err(Fault::not_yet(format!("catalogs of type '{kind}'"))
                    .at(span)
                    .hint("use 'type' = 'generic_in_memory'"));
            }
            let fault =
                Fault::user("unknown-catalog-type", format!("there is no catalog type '{kind}'")).at(span);
            return Err(match nearest(kind, CATALOG_TYPES) {
                Some(near) => fault.hint(format!("did you mean '{near}'?")),
                None => fault.hint(format!("there are: {}", CATALOG_TYPES.join(", "))),
            });
        }
        if let Some(key) = options.keys().find(|k| !matches!(k.as_str(), "type" | "default-database")) {
            let span =
                create.options.iter().find(|o| o.key.value == *key).map_or(create.name.span, |o| o.key.span);
            return Err(Fault::user(
                "unknown-option",
                format!("option '{key}' is not known to catalogs of type '{kind}'"),
            )
            .at(span)
            .hint("its options are: type, default-database"));
        }
        let database = options.get("default-database").cloned().unwrap_or_else(|| "default".to_string());
        let mut catalog = Catalog {
            options,
            comment: create.comment.as_ref().map(|c| c.value.clone()),
            ..Catalog::default()
        };
        catalog.databases.insert(database, Database::default());
        self.catalogs.put_catalog(name, catalog);
        Ok(Planned::done())
    }

    pub(super) fn alter_catalog(&mut self, name: &Ident, action: &AlterCatalog) -> Result<Planned, Fault> {
        let unknown = self.unknown_catalog(&name.value).at(name.span);
        let Some(catalog) = self.catalogs.catalog_mut(&name.value) else { return Err(unknown) };
        if !catalog.options.contains_key("type") {
            return Err(super::show::no_description(&name.value).at(name.span));
        }
        match action {
            AlterCatalog::Set(options) => {
                if let Some(o) = options.iter().find(|o| o.key.value == "type") {
                    return Err(
                        Fault::user("bad-option", "the type of a catalog cannot be changed").at(o.key.span)
                    );
                }
                catalog.options.extend(collect(options));
            }
            AlterCatalog::Reset(keys) => {
                if keys.is_empty() {
                    return Err(Fault::user("bad-option", "ALTER CATALOG RESET needs a key")
                        .hint("write RESET ('key')"));
                }
                if let Some(k) = keys.iter().find(|k| k.value == "type") {
                    return Err(
                        Fault::user("bad-option", "the type of a catalog cannot be taken away").at(k.span)
                    );
                }
                for key in keys {
                    catalog.options.remove(&key.value);
                }
            }
            AlterCatalog::Comment(comment) => catalog.comment = Some(comment.value.clone()),
        }
        Ok(Planned::done())
    }

    pub(super) fn create_database(&mut self, create: &CreateDatabase) -> Result<Planned, Fault> {
        let (catalog_name, database) = self.database_of(&create.name)?;
        let unknown = self.unknown_catalog(&catalog_name).at(create.name.span);
        let Some(catalog) = self.catalogs.catalog_mut(&catalog_name) else { return Err(unknown) };
        if catalog.databases.contains_key(&database) {
            if create.mode == CreateMode::IfNotExists {
                return Ok(Planned::done());
            }
            return Err(Fault::user(
                "already-exists",
                format!("database '{database}' already exists in catalog '{catalog_name}'"),
            )
            .at(create.name.span)
            .hint("write CREATE DATABASE IF NOT EXISTS, or choose another name"));
        }
        catalog.databases.insert(
            database,
            Database {
                options: collect(&create.options),
                comment: create.comment.as_ref().map(|c| c.value.clone()),
                ..Database::default()
            },
        );
        Ok(Planned::done())
    }

    pub(super) fn alter_database(
        &mut self,
        name: &ObjectName,
        options: &[OptionEntry],
    ) -> Result<Planned, Fault> {
        let (catalog, database) = self.existing_database(name)?;
        if let Some(found) = self.catalogs.database_mut(&catalog, &database) {
            found.options.extend(collect(options));
        }
        Ok(Planned::done())
    }

    pub(super) fn drop_database(
        &mut self,
        name: &ObjectName,
        if_exists: bool,
        cascade: bool,
    ) -> Result<Planned, Fault> {
        let (catalog, database) = self.database_of(name)?;
        let Some(found) = self.catalogs.database(&catalog, &database) else {
            if if_exists {
                return Ok(Planned::done());
            }
            return Err(self.unknown_database(&catalog, &database).at(name.span));
        };
        if self.namespace.catalog == catalog && self.namespace.database == database {
            return Err(Fault::user("database-in-use", format!("database '{database}' is the current one"))
                .at(name.span)
                .hint("USE another database first"));
        }
        let holds = found.objects.values().any(|o| !matches!(o, crate::catalog::Stored::Failed))
            || !found.functions.is_empty();
        if holds && !cascade {
            return Err(Fault::user("database-not-empty", format!("database '{database}' is not empty"))
                .at(name.span)
                .hint(format!("write DROP DATABASE {} CASCADE to drop everything in it", name.last())));
        }
        if let Some(found) = self.catalogs.catalog_mut(&catalog) {
            found.databases.remove(&database);
        }
        Ok(Planned::done())
    }

    pub(super) fn drop_catalog(&mut self, name: &ObjectName, if_exists: bool) -> Result<Planned, Fault> {
        let catalog = name.last();
        if self.catalogs.catalog(catalog).is_none() {
            if if_exists {
                return Ok(Planned::done());
            }
            return Err(self.unknown_catalog(catalog).at(name.span));
        }
        if self.namespace.catalog == catalog {
            return Err(Fault::user("catalog-in-use", format!("catalog '{catalog}' is the current one"))
                .at(name.span)
                .hint("USE CATALOG another one first"));
        }
        self.catalogs.drop_catalog(catalog);
        Ok(Planned::done())
    }

    pub(super) fn use_target(&mut self, target: &Use) -> Result<Planned, Fault> {
        match target {
            Use::Catalog(name) => {
                let Some(catalog) = self.catalogs.catalog(&name.value) else {
                    return Err(self.unknown_catalog(&name.value).at(name.span));
                };
                // Its default database: the one that was named, Flink's own, else its first one.
                let named =
                    catalog.options.get("default-database").filter(|d| catalog.databases.contains_key(*d));
                let own =
                    [DEFAULT_DATABASE, "default"].into_iter().find(|d| catalog.databases.contains_key(*d));
                let database = named
                    .cloned()
                    .or_else(|| own.map(str::to_string))
                    .or_else(|| catalog.databases.keys().next().cloned())
                    .unwrap_or_else(|| "default".to_string());
                if self.namespace.catalog != name.value {
                    self.namespace.catalog.clone_from(&name.value);
                    self.namespace.database = database;
                }
            }
            Use::Database(name) => {
                let (catalog, database) = self.existing_database(name)?;
                self.namespace.catalog = catalog;
                self.namespace.database = database;
            }
            Use::Modules(names) => {
                let mut used: Vec<String> = Vec::new();
                for name in names {
                    if !self.catalogs.loaded_modules().contains(&name.value) {
                        return Err(self.unknown_module(name));
                    }
                    if used.contains(&name.value) {
                        return Err(Fault::user(
                            "bad-module",
                            format!("module '{}' is named twice", name.value),
                        )
                        .at(name.span));
                    }
                    used.push(name.value.clone());
                }
                self.catalogs.use_modules(used);
            }
        }
        Ok(Planned::done())
    }

    fn unknown_module(&self, name: &Ident) -> Fault {
        let fault =
            Fault::user("unknown-module", format!("module '{}' is not loaded", name.value)).at(name.span);
        match nearest(&name.value, self.catalogs.loaded_modules().iter().map(String::as_str)) {
            Some(near) => fault.hint(format!("did you mean '{near}'?")),
            None => fault.hint("load it first: LOAD MODULE core"),
        }
    }

    pub(super) fn load_module(&mut self, name: &Ident, options: &[OptionEntry]) -> Result<Planned, Fault> {
        if self.catalogs.loaded_modules().contains(&name.value) {
            return Err(Fault::user("already-exists", format!("module '{}' is loaded already", name.value))
                .at(name.span)
                .hint("nothing is to be done"));
        }
        match name.value.as_str() {
            "core" => {
                if let Some(o) = options.first() {
                    return Err(Fault::user(
                        "unknown-option",
                        format!("option '{}' is not known to module 'core'", o.key.value),
                    )
                    .at(o.key.span));
                }
                self.catalogs.load_module("core");
                Ok(Planned::done())
            }
            other => Err(Fault::user("unknown-module", format!("there is no module '{other}'"))
                .at(name.span)
                .hint("there is: core")),
        }
    }

    pub(super) fn unload_module(&mut self, name: &Ident) -> Result<Planned, Fault> {
        if !self.catalogs.loaded_modules().contains(&name.value) {
            return Err(self.unknown_module(name));
        }
        self.catalogs.unload_module(&name.value);
        Ok(Planned::done())
    }
}

fn collect(options: &[OptionEntry]) -> BTreeMap<String, String> {
    options.iter().map(|o| (o.key.value.clone(), o.value.value.clone())).collect()
}
