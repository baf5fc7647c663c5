//! Typed expressions and their vectorized evaluation, and every built-in function: its signature, doc, evaluation and cases.
//!
//! This crate must never know SQL text, connectors, files, threads or wall clocks: time and randomness come in by
//! [`EvalContext`]. It does not know names of columns either: an [`Expr`] refers to positions of its input.
//!
//! The way of an expression: the binder finds a [`Function`] by name in [`functions::scalar_function`], calls its `bind` with typed
//! arguments and gets a [`BoundCall`]; it puts that into an [`Expr`]; a `Program` compiles expressions once per plan and
//! evaluates them on columns.

pub mod binding;
mod cast;
pub mod coerce;
mod column;
mod context;
pub mod docs;
mod error;
mod expr;
mod fold;
mod function;
pub mod functions;
pub mod kernel;
mod literal;
mod program;
mod region;
pub mod registered;
mod resources;
#[cfg(test)]
mod testing;

pub use cast::Printer;
pub use column::Column;
pub use context::{EvalContext, Rows, check_time_zone};
pub use error::EvalError;
pub use expr::{CallExpr, CastMode, Expr, ExprKind};
pub use fold::{constant_value, fold};
pub use function::{
    BindContext, BoundCall, Call, Example, Function, Kernel, KernelRef, Keyword, Keywords, Origin, Volatility,
};
pub use literal::temporal_literal;
pub use program::{Predicate, Program};
pub use resources::{Resources, check_grok_pattern};
