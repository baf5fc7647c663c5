//! Millstream as a library: a [`Session`] runs Flink SQL text; results are streams of Arrow batches with row kinds.
//!
//! ```no_run
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! use millstream::{Session, StatementResult};
//! let mut session = Session::new();
//! session.execute("CREATE TABLE events (host STRING, port INT) WITH ('connector' = 'filesystem', 'path' = 'events.jsonl', 'format' = 'json')").await?;
//! let mut rows = session.query("SELECT host FROM events WHERE port = 22").await?;
//! while let Some(batch) = rows.next().await? {
//!     println!("{} rows", batch.rows);
//! }
//! # Ok(())
//! # }
//! ```
//!
//! This crate wires the lists of connectors, formats and functions to the planner and the engine. It must never hold logic of its own: no
//! planning, no evaluation, no I/O.

mod explain;
pub mod manual;
mod parts;
mod prepared;
mod render;
mod rows;
mod rules;
mod script;
mod session;
mod verdict;

pub use arrow;
pub use explain::Explanation;
pub use millstream_engine::{
    Completion, Held, JobHandle, JobPosition, JobReport, Progress, Restore, SharedScans, SinkProgress,
    StopMode, SystemClock, SystemRandom, TokioSpawner,
};
pub use millstream_expr::{EvalContext, EvalError, functions, kernel, registered};
pub use millstream_flow as flow;
pub use millstream_plan::{JobPlan, session::SESSION_OPTIONS};
pub use millstream_types as types;
pub use parts::ProductParts;
pub use prepared::{Prepared, Step};
pub use render::{OutputFormat, RowRenderer};
pub use rows::Rows;
pub use rules::{RuleRow, RuleTable};
pub use script::ScriptFault;
pub use session::{Lookup, Session, SessionBuilder, StatementResult};
pub use verdict::{EventVerdict, Truth, VerdictPart};
