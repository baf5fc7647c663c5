//! From statements to plans: the catalog, the binder (names, types, time attributes), the logical plan with changelog modes and upsert
//! keys, the optimizer (one rewrite a file) and EXPLAIN.
//!
//! The same text gives the same plan, byte for byte. This crate must never know bytes of records, files, clocks, threads or any particular
//! connector or format: it knows those by the cards that the product hands down.

mod binder;
pub mod catalog;
mod changelog;
mod explain;
mod optimize;
mod plan;
pub mod session;
pub mod statement;

pub use explain::{ExplainOptions, explain_json, explain_text, expression_text};
pub use optimize::scan_sharing::{merged, same_source, source_identity};
pub use plan::{
    AggregateCall, AggregateOp, ColumnSource, JobPlan, JobSettings, JoinKind, JoinOp, MatchOp, Node, NodeId,
    Op, OperatorId, OverOp, ProjectItem, ScanGroup, ScanOp, SinkOp, SinkTarget, SortKey, TableFunctionOp,
    TableSpec, TopNOp, UnnestOp, WatermarkSpec, WindowKind, WindowOp,
};
