//! Plans for a person.

use std::sync::Arc;

use millstream_plan::statement::StatementRows;
use millstream_plan::{ExplainOptions, JobPlan, explain_json, explain_text};
use millstream_sql::ast::ExplainDetail;
use millstream_types::{DataType, Field, Schema, Value};

/// The plans of a text.
#[derive(Debug)]
pub struct Explanation {
    plans: Vec<JobPlan>,
}

impl Explanation {
    pub(crate) fn new(plans: Vec<JobPlan>) -> Self {
        Explanation { plans }
    }

    /// The plans: the job of the INSERTs first, then each SELECT.
    pub fn plans(&self) -> &[JobPlan] {
        &self.plans
    }

    /// As trees.
    pub fn to_text(&self) -> String {
        self.plans.iter().map(|p| explain_text(p, ExplainOptions::default())).collect::<Vec<_>>().join("\n")
    }

    /// As JSON.
    pub fn to_json(&self) -> String {
        let plans: Vec<String> = self.plans.iter().map(explain_json).collect();
        format!("[{}]", plans.join(","))
    }
}

/// The answer to an EXPLAIN statement.
pub(crate) fn answer(plan: &JobPlan, details: &[ExplainDetail]) -> StatementRows {
    let mut text = explain_text(plan, ExplainOptions::of(details));
    if details.contains(&ExplainDetail::JsonExecutionPlan) {
        text.push_str("\n\n");
        text.push_str(&explain_json(plan));
    }
    StatementRows {
        schema: Arc::new(Schema::new(vec![Field::new("result", DataType::string())])),
        rows: vec![vec![Value::from(text.as_str())]],
    }
}
