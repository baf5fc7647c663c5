//! DROP.

use millstream_sql::ast::{DropKind, DropObject};
use millstream_types::Fault;

use super::{Planned, SessionState, unknown_materialized_table, unknown_model};
use crate::catalog::Stored;

impl SessionState {
    pub(super) fn drop_object(&mut self, drop: &DropObject) -> Result<Planned, Fault> {
        match drop.kind {
            DropKind::Table | DropKind::View => self.drop_relation(drop),
            DropKind::Function => self.drop_function(drop),
            DropKind::SystemFunction => {
                let name = drop.name.last();
                if self.catalogs.remove_system_function(name).is_none() && !drop.if_exists {
                    return Err(Fault::user(
                        "unknown-function",
                        format!("temporary system function '{name}' does not exist"),
                    )
                    .at(drop.name.span)
                    .hint("write DROP TEMPORARY SYSTEM FUNCTION IF EXISTS"));
                }
                Ok(Planned::done())
            }
            DropKind::Catalog => self.drop_catalog(&drop.name, drop.if_exists),
            DropKind::Database => self.drop_database(&drop.name, drop.if_exists, drop.cascade == Some(true)),
            // Neither can be made, so none is there.
            DropKind::Model | DropKind::MaterializedTable if drop.if_exists => Ok(Planned::done()),
            DropKind::Model => Err(unknown_model(&drop.name)),
            DropKind::MaterializedTable => Err(unknown_materialized_table(&drop.name)),
        }
    }

    fn drop_relation(&mut self, drop: &DropObject) -> Result<Planned, Fault> {
        let path = self.namespace.complete(&drop.name);
        let wants_view = drop.kind == DropKind::View;
        let what = if wants_view { "view" } else { "table" };
        let temporary_found = self.catalogs.temporary(&path);
        let found = if drop.temporary { temporary_found } else { self.catalogs.permanent(&path) };
        let matches = match found {
            Some(Stored::View(_)) => wants_view,
            Some(Stored::Table(_)) => !wants_view,
            Some(Stored::Failed) => true,
            None => false,
        };
        let temporary_matches = match temporary_found {
            Some(Stored::View(_)) => wants_view,
            Some(Stored::Table(_)) => !wants_view,
            _ => false,
        };
        if !drop.temporary && temporary_matches {
            return Err(Fault::user("is-temporary", format!("'{path}' is a temporary {what}"))
                .at(drop.name.span)
                .hint(format!("drop the temporary one first: DROP TEMPORARY {}", what.to_uppercase())));
        }
        if matches {
            self.catalogs.remove(&path, drop.temporary);
            return Ok(Planned::done());
        }
        if drop.if_exists {
            return Ok(Planned::done());
        }
        let span = drop.name.span;
        Err(match found {
            Some(Stored::View(_)) => {
                Fault::user("not-a-table", format!("'{path}' is a view")).at(span).hint("write DROP VIEW")
            }
            Some(Stored::Table(_)) => {
                Fault::user("not-a-view", format!("'{path}' is a table")).at(span).hint("write DROP TABLE")
            }
            _ if drop.temporary && self.catalogs.permanent(&path).is_some() => {
                Fault::user("not-temporary", format!("{what} '{path}' is not temporary"))
                    .at(span)
                    .hint(format!("write DROP {}", what.to_uppercase()))
            }
            _ => {
                let context = self.settings.bind_context();
                let unknown = self.environment(&context).unknown(&path, &drop.name);
                let fault = Fault::user(
                    if wants_view { "unknown-view" } else { "unknown-table" },
                    format!("{what} '{path}' does not exist"),
                )
                .at(span);
                match unknown.remedy() {
                    Some(hint) if hint.starts_with("did you mean") => fault.hint(hint),
                    _ => fault.hint(format!("write DROP {} IF EXISTS", what.to_uppercase())),
                }
            }
        })
    }

    fn drop_function(&mut self, drop: &DropObject) -> Result<Planned, Fault> {
        let path = self.namespace.complete(&drop.name);
        if self.catalogs.remove_function(&path, drop.temporary).is_some() || drop.if_exists {
            return Ok(Planned::done());
        }
        Err(self.unknown_function(&path, &drop.name))
    }
}
