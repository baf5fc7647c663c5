//! The way from statements to the binder.

use millstream_sql::ast::Query;
use millstream_types::Fault;

use super::SessionState;
use crate::JobPlan;

impl SessionState {
    /// The plan of a SELECT, ending in a sink that collects.
    pub(super) fn plan_query(&self, query: &Query) -> Result<JobPlan, Fault> {
        Err(Fault::not_yet("queries").at(query.span))
    }
}
