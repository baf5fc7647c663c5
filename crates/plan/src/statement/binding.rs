//! The way from statements to the binder, which binds queries and INSERTs (`binder/insert.rs`), and to the optimizer.

use std::cell::RefCell;

use millstream_sql::ast::{Insert, Query};
use millstream_types::{Fault, SchemaRef};

use super::SessionState;
use crate::catalog::{BindEnvironment, ObjectPath};
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

    /// Names and types of a query's columns.
    pub(super) fn query_schema(&self, query: &Query) -> Result<SchemaRef, Fault> {
        self.query_schema_and_trail(query).0
    }

    /// The same, and the full names of all tables and views that the query reads, those that its views read included.
    pub(super) fn query_schema_and_trail(
        &self,
        query: &Query,
    ) -> (Result<SchemaRef, Fault>, Vec<ObjectPath>) {
        let context = self.settings.bind_context();
        let trail = RefCell::new(Vec::new());
        let environment = BindEnvironment { trail: Some(&trail), ..self.environment(&context) };
        let plan = binder::plan_query(environment, self.settings.job_settings(), query, self.position());
        (plan.and_then(|p| output_schema(&p)), trail.take())
    }
}

/// The columns of a plan's first sink.
fn output_schema(plan: &JobPlan) -> Result<SchemaRef, Fault> {
    let sink = plan.sinks.first().and_then(|s| plan.nodes.get(s.0));
    sink.map(|n| n.schema.clone()).ok_or_else(|| Fault::internal("a query without output"))
}
