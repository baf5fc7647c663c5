//! What binding may look at: the catalogs, the cards, the session.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use millstream_expr::BindContext;
use millstream_sql::ast::{Hint, HintArg, Ident, ObjectName};
use millstream_types::{Fault, Span, TypeKind, nearest};

use super::columns::without_span;
use super::resolve::resolve_table;
use super::{
    Cards, CatalogFunction, CatalogTable, Catalogs, Namespace, ObjectPath, Relation, ResolvedTable, Stored,
};

/// Looks up the value of `${NAME}`; the product hands in the process's environment.
pub trait Variables {
    /// The value of a variable.
    fn get(&self, name: &str) -> Option<String>;
}

impl<F: Fn(&str) -> Option<String>> Variables for F {
    fn get(&self, name: &str) -> Option<String> {
        self(name)
    }
}

/// The code of faults that only say that an earlier statement failed. Whoever collects all faults of a script leaves them out.
pub const FOLLOW_UP: &str = "follows-from-earlier";

/// What binding may look at. Cheap to copy.
#[derive(Clone, Copy)]
pub struct BindEnvironment<'a> {
    /// The catalogs.
    pub catalogs: &'a Catalogs,
    /// What completes short names: the session's current database, within a view the view's.
    pub namespace: &'a Namespace,
    /// Connectors and formats.
    pub cards: &'a Cards,
    /// The session's settings as functions see them.
    pub context: &'a BindContext,
    /// Environment variables.
    pub variables: &'a dyn Variables,
    /// Where the full names of all tables and views that are read are noted, those that views read included.
    pub trail: Option<&'a RefCell<Vec<ObjectPath>>>,
}

impl std::fmt::Debug for BindEnvironment<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BindEnvironment").field("namespace", self.namespace).finish_non_exhaustive()
    }
}

impl<'a> BindEnvironment<'a> {
    /// The same in another namespace: for the query of a view.
    #[must_use]
    pub fn within<'b>(self, namespace: &'b Namespace) -> BindEnvironment<'b>
    where
        'a: 'b,
    {
        BindEnvironment { namespace, ..self }
    }

    /// What a name in FROM stands for; the table is checked as a source. `hints` are those behind the name.
    ///
    /// # Errors
    /// User, at the name: unknown, a sink, wrong options. With the code [`FOLLOW_UP`] if its CREATE failed.
    pub fn relation(&self, name: &ObjectName, hints: &[Hint]) -> Result<Relation, Fault> {
        let path = self.namespace.complete(name);
        if let Some(trail) = self.trail {
            trail.borrow_mut().push(path.clone());
        }
        let hints = option_hints(hints)?;
        match self.find(&path, name)? {
            Stored::View(view) if hints.is_empty() => Ok(Relation::View(view.clone())),
            Stored::View(_) => Err(Fault::user(
                "hint-on-view",
                format!("view '{path}' cannot be given options by a hint: it is no table"),
            )
            .at(name.span)
            .hint("put the hint behind the table's name in the view's query")),
            Stored::Table(table) => {
                let table = self.used(table, &hints, true).map_err(|f| f.at(name.span))?;
                if self.context.batch && !table.spec.bounded {
                    return Err(Fault::user(
                        "unbounded",
                        format!("table '{path}' never ends, so it cannot be read in batch mode"),
                    )
                    .at(name.span)
                    .hint(
                        "SET 'execution.runtime-mode' = 'streaming', or give the table an end by its options",
                    ));
                }
                self.check_dead_letters(&table).map_err(|f| f.at(name.span))?;
                Ok(Relation::Table(table))
            }
            Stored::Failed => Err(failed(&path).at(name.span)),
        }
    }

    /// The table that INSERT INTO names; it is checked as a sink. `hints` are those behind the name.
    ///
    /// # Errors
    /// User, at the name: unknown, a view, not a sink, wrong options. With the code [`FOLLOW_UP`] if its CREATE failed.
    pub fn sink(&self, name: &ObjectName, hints: &[Hint]) -> Result<Arc<ResolvedTable>, Fault> {
        let path = self.namespace.complete(name);
        match self.find(&path, name)? {
            Stored::View(_) => {
                Err(Fault::user("not-a-sink", format!("'{path}' is a view: nothing can be inserted into it"))
                    .at(name.span)
                    .hint("insert into a table"))
            }
            Stored::Table(table) => {
                let hints = option_hints(hints)?;
                self.used(table, &hints, false).map_err(|f| f.at(name.span))
            }
            Stored::Failed => Err(failed(&path).at(name.span)),
        }
    }

    /// A table in a role; the same one for all statements that give no options of their own.
    fn used(
        &self,
        table: &CatalogTable,
        hints: &[(String, String)],
        source: bool,
    ) -> Result<Arc<ResolvedTable>, Fault> {
        let make = || resolve_table(table, self, hints, source);
        if hints.is_empty() { table.uses.get(source, self.context.batch, make) } else { make().map(Arc::new) }
    }

    /// The table that a source's bad records go to must be one that takes them.
    fn check_dead_letters(&self, source: &ResolvedTable) -> Result<(), Fault> {
        let options = &source.spec.options;
        if options.get("bad-records") != Some("dead-letter") {
            return Ok(());
        }
        let place = |f: Fault| f.in_place(format!("table '{}'", source.path));
        let Some(name) = options.get("dead-letter.table") else {
            return Err(place(
                Fault::user(
                    "missing-option",
                    "'bad-records' = 'dead-letter' needs the option 'dead-letter.table'",
                )
                .hint("add 'dead-letter.table' = 'name of a table'"),
            ));
        };
        let span = Span::default();
        let parts =
            name.split('.').map(|p| Ident { value: p.trim_matches('`').to_string(), quoted: true, span });
        let name = ObjectName { parts: parts.collect(), span };
        // The name stands in an option: the place of its use in the statement is that of the source.
        let table = self.sink(&name, &[]).map_err(|f| place(without_span(f)))?;
        for column in table.spec.schema.fields.iter() {
            let wanted = match &*column.name {
                "reason" | "source" => column.data_type.kind.is_string().then_some(()).ok_or("STRING"),
                "position" => (column.data_type.kind == TypeKind::BigInt).then_some(()).ok_or("BIGINT"),
                "record" => (column.data_type.kind.is_string() || column.data_type.kind.is_binary())
                    .then_some(())
                    .ok_or("STRING or BYTES"),
                _ => Err(""),
            };
            let Err(wanted) = wanted else { continue };
            let fault = match wanted {
                "" => Fault::user(
                    "bad-dead-letter-table",
                    format!("column '{}' of '{}' is none that bad records have", column.name, table.path),
                ),
                wanted => Fault::user(
                    "bad-dead-letter-table",
                    format!(
                        "column '{}' of '{}' is {}, not {wanted}",
                        column.name, table.path, column.data_type
                    ),
                ),
            };
            return Err(place(
                fault
                    .hint("its columns may be: reason STRING, source STRING, position BIGINT, record STRING"),
            ));
        }
        Ok(())
    }

    /// The user function that a name in a call means, in Flink's order: for a name of one part temporary system functions stand before the
    /// built-in ones, those before temporary functions, and those before the catalog's. `None`: a built-in function, or none.
    pub fn user_function(&self, name: &ObjectName) -> Option<&'a CatalogFunction> {
        if let [only] = name.parts.as_slice() {
            if let Some(f) = self.catalogs.system_function(&only.value) {
                return Some(f);
            }
            if self.built_in_functions() && is_built_in(&only.value) {
                return None;
            }
        }
        self.catalogs.function(&self.namespace.complete(name))
    }

    /// Whether built-in functions are visible (UNLOAD MODULE core hides them).
    pub fn built_in_functions(&self) -> bool {
        self.catalogs.used_modules().iter().any(|m| m == "core")
    }

    /// The table or view of a full name.
    pub(crate) fn find(&self, path: &ObjectPath, name: &ObjectName) -> Result<&'a Stored, Fault> {
        self.catalogs.object(path).ok_or_else(|| self.unknown(path, name))
    }

    /// The fault for a table that is not there, with the nearest name.
    pub(crate) fn unknown(&self, path: &ObjectPath, name: &ObjectName) -> Fault {
        let fault = Fault::user("unknown-table", format!("table '{path}' does not exist")).at(name.span);
        let siblings: Vec<&str> = self.catalogs.names_in(&path.catalog, &path.database).collect();
        if let Some(near) = nearest(&path.object, siblings.iter().copied()) {
            return fault.hint(format!("did you mean '{near}'?"));
        }
        // A database that does not exist is the more helpful thing to say.
        if self.catalogs.database(&path.catalog, &path.database).is_none() {
            return fault
                .hint(format!("database '{}' does not exist in catalog '{}'", path.database, path.catalog));
        }
        let shown: BTreeSet<&str> = siblings.into_iter().collect();
        let shown: Vec<&str> = shown.into_iter().take(10).collect();
        if shown.is_empty() {
            fault.hint("create it first with CREATE TABLE")
        } else {
            fault.hint(format!("create it first with CREATE TABLE; there are: {}", shown.join(", ")))
        }
    }
}

/// Whether a function of that name is built in.
fn is_built_in(name: &str) -> bool {
    use millstream_expr::functions::{aggregate, scalar_function, table};
    scalar_function(name).is_some()
        || aggregate::aggregate_function(name).is_some()
        || table::table_function(name).is_some()
}

/// The fault of a use of something whose CREATE failed.
pub(crate) fn failed(path: &ObjectPath) -> Fault {
    Fault::user(FOLLOW_UP, format!("'{path}' could not be created because of an earlier error"))
        .hint("correct the earlier error first")
}

/// Options in `OPTIONS` hints; other hints behind a table's name mean nothing to a table.
pub(crate) fn option_hints(hints: &[Hint]) -> Result<Vec<(String, String)>, Fault> {
    let mut found = Vec::new();
    for hint in hints {
        if !hint.is("OPTIONS") {
            return Err(Fault::user(
                "unknown-hint",
                format!("hint '{}' is not known behind a table", hint.name.value),
            )
            .at(hint.span)
            .hint("behind a table's name only OPTIONS('key' = 'value') may stand"));
        }
        for arg in &hint.args {
            match arg {
                HintArg::Option(o) => found.push((o.key.value.clone(), o.value.value.clone())),
                HintArg::Name(_) | HintArg::Literal(_) => {
                    return Err(Fault::user("bad-hint", "OPTIONS takes only 'key' = 'value'").at(hint.span));
                }
            }
        }
    }
    Ok(found)
}
