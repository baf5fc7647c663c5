//! The operators of a job: plain functions of (state, input). One room each; the visible list is in the engine (`runtime::build`).
//!
//! This crate must never know which connector feeds an operator, what thread it runs on, or where its state is stored: it can be replayed.
//! Operators are synchronous; all waiting happens in connectors and in the engine's runtime.

mod evaluation;
mod operator;
mod state;

pub mod filter;
pub mod project;
pub mod table_function;
pub mod union;
pub mod unnest;

pub use evaluation::{at_origin, input_rows};
pub use operator::{Operator, OperatorContext, Output};
pub use state::{KEY_GROUPS, ReadEntry, StateReader, StateWriter, key_group};
