//! CREATE FUNCTION and ALTER FUNCTION. Functions are kept; calling one of a foreign language is refused where it is called.

use millstream_sql::ast::{CreateFunction, CreateMode, FunctionScope};
use millstream_types::{Fault, nearest};

use super::{Planned, SessionState};
use crate::catalog::{CatalogFunction, FunctionLanguage, no_database};

impl SessionState {
    fn function_of(&self, create: &CreateFunction) -> Result<CatalogFunction, Fault> {
        let language = match &create.language {
            None => FunctionLanguage::Java,
            Some(name) => FunctionLanguage::of(&name.value).ok_or_else(|| {
                let fault = Fault::user(
                    "unknown-language",
                    format!("there is no function language '{}'", name.value),
                )
                .at(name.span);
                match nearest(&name.value, ["JAVA", "SCALA", "PYTHON"]) {
                    Some(near) => fault.hint(format!("did you mean {near}?")),
                    None => fault.hint("there are: JAVA, SCALA, PYTHON"),
                }
            })?,
        };
        Ok(CatalogFunction {
            path: self.namespace.complete(&create.name),
            class: create.class.value.clone(),
            language,
            resources: create
                .resources
                .iter()
                .map(|r| (r.kind.value.to_uppercase(), r.uri.value.clone()))
                .collect(),
            options: create.options.iter().map(|o| (o.key.value.clone(), o.value.value.clone())).collect(),
        })
    }

    pub(super) fn create_function(&mut self, create: &CreateFunction) -> Result<Planned, Fault> {
        let function = self.function_of(create)?;
        let path = function.path.clone();
        let exists = match create.scope {
            FunctionScope::TemporarySystem => self.catalogs.system_function(create.name.last()).is_some(),
            FunctionScope::Temporary => self.catalogs.temporary_function(&path).is_some(),
            FunctionScope::Catalog => {
                if self.catalogs.database(&path.catalog, &path.database).is_none() {
                    return Err(no_database(&path.catalog, &path.database).at(create.name.span));
                }
                self.catalogs.permanent_function(&path).is_some()
            }
        };
        if exists {
            match create.mode {
                CreateMode::IfNotExists => return Ok(Planned::done()),
                // Flink's grammar has OR REPLACE, its catalog refuses it if there is one.
                CreateMode::New | CreateMode::OrReplace | CreateMode::Replace => {
                    return Err(Fault::user(
                        "already-exists",
                        format!("function '{}' already exists", create.name.last()),
                    )
                    .at(create.name.span)
                    .hint("write CREATE FUNCTION IF NOT EXISTS, another name, or DROP FUNCTION first"));
                }
            }
        }
        if create.scope == FunctionScope::TemporarySystem {
            self.catalogs.put_system_function(create.name.last(), function);
        } else {
            self.catalogs.put_function(function, create.scope == FunctionScope::Temporary)?;
        }
        Ok(Planned::done())
    }

    pub(super) fn alter_function(
        &mut self,
        if_exists: bool,
        change: &CreateFunction,
    ) -> Result<Planned, Fault> {
        let function = self.function_of(change)?;
        let exists = match change.scope {
            FunctionScope::TemporarySystem => {
                return Err(Fault::user(
                    "unsupported-alter",
                    "a temporary system function cannot be altered",
                )
                .at(change.name.span)
                .hint("drop it and create it again"));
            }
            FunctionScope::Temporary => {
                return Err(Fault::user("unsupported-alter", "a temporary function cannot be altered")
                    .at(change.name.span)
                    .hint("drop it and create it again"));
            }
            FunctionScope::Catalog => self.catalogs.permanent_function(&function.path).is_some(),
        };
        if !exists {
            if if_exists {
                return Ok(Planned::done());
            }
            return Err(self.unknown_function(&function.path, &change.name));
        }
        self.catalogs.put_function(function, false)?;
        Ok(Planned::done())
    }

    pub(super) fn unknown_function(
        &self,
        path: &crate::catalog::ObjectPath,
        name: &millstream_sql::ast::ObjectName,
    ) -> Fault {
        let fault =
            Fault::user("unknown-function", format!("function '{path}' does not exist")).at(name.span);
        let known = self.catalogs.user_functions(&path.catalog, &path.database);
        match nearest(&path.object, known.iter().map(String::as_str)) {
            Some(near) => fault.hint(format!("did you mean '{near}'?")),
            None => fault.hint("SHOW USER FUNCTIONS lists those that were created"),
        }
    }
}
