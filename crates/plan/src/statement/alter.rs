//! ALTER: what is altered is found here; ALTER TABLE has a file of its own.

use millstream_sql::ast::Alter;
use millstream_types::Fault;

use super::{Planned, SessionState, unknown_model};

impl SessionState {
    pub(super) fn alter(&mut self, alter: &Alter, text: &str) -> Result<Planned, Fault> {
        match alter {
            Alter::Table { if_exists, name, action } => self.alter_table(*if_exists, name, action, text),
            Alter::ViewRename(name, to) => self.rename_view(name, to),
            Alter::ViewAs(name, query) => self.redefine_view(name, query, text),
            Alter::Database(name, options) => self.alter_database(name, options),
            Alter::Catalog(name, action) => self.alter_catalog(name, action),
            Alter::Model { if_exists: true, .. } => Ok(Planned::done()),
            Alter::Model { name, .. } => Err(unknown_model(name)),
            Alter::Function { if_exists, function } => self.alter_function(*if_exists, function),
            Alter::MaterializedTable(..) => Err(Fault::user(
                "unsupported",
                "materialized tables are not altered outside of Flink's SQL gateway",
            )),
        }
    }
}
