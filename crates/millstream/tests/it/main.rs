//! The library, as a program uses it.

// Tests fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod anchors;
mod deep;
mod examples;
mod folder;
mod follow;
mod lookups;
mod own_functions;
mod parallel;
mod results;
mod sharing;
mod stepping;
mod syslog;
mod text_screens;

use millstream::types::{RowKind, Value};
use millstream::{JobPlan, Session, StatementResult};

/// The rows of a query.
async fn rows(session: &mut Session, sql: &str) -> Vec<(RowKind, Vec<Value>)> {
    session.query(sql).await.unwrap().collect().await.unwrap()
}

/// The job that the INSERTs of a text are.
async fn planned(session: &mut Session, text: &str) -> JobPlan {
    let mut plans = Vec::new();
    for statement in session.statements(text).unwrap() {
        if let StatementResult::Insert(plan) = session.statement(&statement, text).await.unwrap() {
            plans.push(*plan);
        }
    }
    Session::merge(plans)
}
