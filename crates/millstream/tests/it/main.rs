//! The library, as a program uses it.

// Tests fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod anchors;
mod deep;
mod examples;
mod follow;
mod lookups;
mod own_functions;
mod parallel;
mod results;
mod sharing;
mod stepping;
mod syslog;
mod text_screens;

use millstream::Session;
use millstream::types::{RowKind, Value};

/// The rows of a query.
async fn rows(session: &mut Session, sql: &str) -> Vec<(RowKind, Vec<Value>)> {
    session.query(sql).await.unwrap().collect().await.unwrap()
}
