//! CREATE VIEW and ALTER VIEW.

use std::sync::Arc;

use millstream_sql::ast::{CreateMode, CreateView, Ident, ObjectName, Query};
use millstream_types::{Fault, Field};

use super::{Planned, SessionState, source};
use crate::catalog::{CatalogView, ObjectPath, Stored, failed};

impl SessionState {
    pub(super) fn create_view(&mut self, create: &CreateView, text: &str) -> Result<Planned, Fault> {
        let path = self.namespace.complete(&create.name);
        let mut view = self.bind_view(path.clone(), &create.columns, &create.query, text)?;
        view.comment = create.comment.as_ref().map(|c| c.value.clone());
        view.temporary = create.temporary;
        // Flink's grammar has CREATE OR REPLACE VIEW, its catalog refuses it if there is one.
        let mode = if create.mode == CreateMode::OrReplace { CreateMode::New } else { create.mode };
        let create_it = self.may_create(&path, mode, create.temporary, create.name.span).map_err(|f| {
            if create.mode == CreateMode::OrReplace && f.code() == "already-exists" {
                Fault::user(
                    "already-exists",
                    format!("view '{path}' exists, and Flink does not replace views"),
                )
                .at(create.name.span)
                .hint(format!("write ALTER VIEW {} AS …, or DROP VIEW first", create.name.last()))
            } else {
                f
            }
        })?;
        if create_it {
            self.catalogs.put(&path, Stored::View(Arc::new(view)), create.temporary)?;
        }
        Ok(Planned::done())
    }

    /// A view of a query, its columns' names and types derived.
    fn bind_view(
        &self,
        path: ObjectPath,
        names: &[Ident],
        query: &Query,
        text: &str,
    ) -> Result<CatalogView, Fault> {
        let (schema, trail) = self.query_schema_and_trail(query);
        // Where the old view, or a table of that name, is still there, the query can be bound: but not once this view stands in its place.
        if trail.contains(&path) && schema.is_ok() {
            return Err(recursive(&path).at(query.span));
        }
        let schema = schema?;
        let mut columns = schema.fields.clone();
        if !names.is_empty() {
            if names.len() != columns.len() {
                let span = names.iter().map(|n| n.span).reduce(|a, b| a.to(b)).unwrap_or_default();
                return Err(Fault::user(
                    "column-count",
                    format!("the view names {}, its query gives {}", counted(names.len()), columns.len()),
                )
                .at(span)
                .hint(format!(
                    "the query gives: {}",
                    columns.iter().map(|c| &*c.name).collect::<Vec<_>>().join(", ")
                )));
            }
            columns = columns
                .into_iter()
                .zip(names)
                .map(|(c, n)| Field::new(n.value.as_str(), c.data_type))
                .collect();
        } else if let Some(name) = self.repeated_column(query) {
            return Err(Fault::user("duplicate-column", format!("the view would have two columns '{name}'"))
                .at(query.span)
                .hint(format!("give one of them another name: {name} AS {name}_2")));
        }
        let mut seen = std::collections::HashSet::new();
        if let Some(name) = names.iter().find(|n| !seen.insert(n.value.as_str())) {
            return Err(Fault::user(
                "duplicate-column",
                format!("the view names the column '{}' twice", name.value),
            )
            .at(name.span));
        }
        let column_comments = vec![None; columns.len()];
        Ok(CatalogView {
            path,
            text: source(text, query.span),
            query: query.clone(),
            columns,
            column_comments,
            comment: None,
            namespace: self.namespace.clone(),
            temporary: false,
        })
    }

    /// The permanent view of a name, for ALTER VIEW.
    fn view_to_alter(&self, name: &ObjectName) -> Result<(ObjectPath, Arc<CatalogView>), Fault> {
        let path = self.namespace.complete(name);
        match self.catalogs.permanent(&path) {
            Some(Stored::View(view)) => Ok((path, view.clone())),
            Some(Stored::Failed) => Err(failed(&path).at(name.span)),
            Some(Stored::Table(_)) => Err(Fault::user("not-a-view", format!("'{path}' is a table"))
                .at(name.span)
                .hint("write ALTER TABLE")),
            None if self.catalogs.temporary(&path).is_some() => Err(Fault::user(
                "temporary-view",
                format!("view '{path}' is temporary: it cannot be altered"),
            )
            .at(name.span)
            .hint("drop it and create it again")),
            None => {
                let context = self.settings.bind_context();
                let fault = self.environment(&context).unknown(&path, name);
                let as_view =
                    Fault::user("unknown-view", format!("view '{path}' does not exist")).at(name.span);
                Err(match fault.remedy() {
                    Some(hint) if hint.starts_with("did you mean") => as_view.hint(hint),
                    _ => as_view.hint("create it with CREATE VIEW"),
                })
            }
        }
    }

    pub(super) fn rename_view(&mut self, name: &ObjectName, to: &ObjectName) -> Result<Planned, Fault> {
        let (path, view) = self.view_to_alter(name)?;
        let target = self.rename_target(&path, to)?;
        if self.query_schema_and_trail(&view.query).1.contains(&target) {
            return Err(recursive(&target).at(to.span));
        }
        let renamed = CatalogView { path: target.clone(), ..(*view).clone() };
        self.catalogs.remove(&path, false);
        self.catalogs.put(&target, Stored::View(Arc::new(renamed)), false)?;
        Ok(Planned::done())
    }

    pub(super) fn redefine_view(
        &mut self,
        name: &ObjectName,
        query: &Query,
        text: &str,
    ) -> Result<Planned, Fault> {
        let (path, old) = self.view_to_alter(name)?;
        let mut view = self.bind_view(path.clone(), &[], query, text)?;
        view.comment.clone_from(&old.comment);
        self.catalogs.put(&path, Stored::View(Arc::new(view)), false)?;
        Ok(Planned::done())
    }

    /// The new name of a table or view: it stays in its database.
    pub(super) fn rename_target(&self, path: &ObjectPath, to: &ObjectName) -> Result<ObjectPath, Fault> {
        let home =
            crate::catalog::Namespace { catalog: path.catalog.clone(), database: path.database.clone() };
        let target = home.complete(to);
        if (&target.catalog, &target.database) != (&path.catalog, &path.database) {
            return Err(Fault::user("bad-rename", "a table or view cannot be renamed into another database")
                .at(to.span)
                .hint("create it there and drop it here"));
        }
        match self.catalogs.permanent(&target) {
            Some(Stored::Failed) | None => Ok(target),
            Some(_) => Err(Fault::user("already-exists", format!("'{target}' already exists"))
                .at(to.span)
                .hint("choose another name, or drop the other one first")),
        }
    }
}

fn recursive(path: &ObjectPath) -> Fault {
    Fault::user("recursive-view", format!("view '{path}' would read itself"))
        .hint("choose another name, or name the tables that it shall read")
}

/// `1 column`, `2 columns`.
fn counted(count: usize) -> String {
    if count == 1 { "1 column".to_string() } else { format!("{count} columns") }
}
