//! The way from statements to the binder.

use millstream_sql::ast::{Insert, Query};
use millstream_types::Fault;

use super::SessionState;
use crate::{JobPlan, binder};

impl SessionState {
    /// The plan of a SELECT, ending in a sink that collects.
    pub(super) fn plan_query(&self, query: &Query) -> Result<JobPlan, Fault> {
        let context = self.settings.bind_context();
        binder::plan_query(self.environment(&context), self.settings.job_settings(), query, self.position())
    }

    /// The plan of an INSERT.
    pub(super) fn plan_insert(&self, insert: &Insert) -> Result<JobPlan, Fault> {
        let context = self.settings.bind_context();
        binder::plan_insert(self.environment(&context), self.settings.job_settings(), insert, self.position())
    }
}
