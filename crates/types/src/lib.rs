//! Flink's logical types and what they are in memory: [`DataType`] with its Arrow form, [`Value`], [`Schema`],
//! [`Batch`] with row kinds, [`Slices`] (fields cut out of raw records, not built yet), and [`Fault`], the one public error.
//!
//! This crate must never know SQL text, tokio, connectors or files. Everything may use it.

mod batch;
mod clock;
mod data_type;
mod fault;
mod files;
mod physical;
mod row_kind;
mod schema;
mod slices;
mod span;
mod value;

pub use batch::{Batch, Origin};
pub use clock::{Clock, ManualClock, Random, SeededRandom};
pub use data_type::{DataType, IntervalField, MAX_LENGTH, RowField, TimeAttribute, TypeKind};
pub use fault::{Fault, FaultKind, Retry, nearest};
pub use files::{Files, NoFiles};
pub use row_kind::RowKind;
pub use schema::{Field, Schema, SchemaRef};
pub use slices::{FieldSlices, Slice, SliceForm, Slices};
pub use span::Span;
pub use value::Value;
