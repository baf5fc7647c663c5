//! The built-in functions. Each family is a file or folder below [`scalar`], `aggregate` or `table`; the lists in this file are the
//! only place where they are named. To add a function: its definition in its family's file, one line in the family's list.

pub mod aggregate;
pub mod scalar;

pub use aggregate::{AggregateCall, AggregateFunction, AggregateKind, BoundAggregate, aggregate_function};
pub mod table;

use crate::Function;

/// The scalar function of a name or alias; case does not count.
pub fn scalar_function(name: &str) -> Option<&'static Function> {
    scalar::all()
        .find(|f| f.name.eq_ignore_ascii_case(name) || f.aliases.iter().any(|a| a.eq_ignore_ascii_case(name)))
}
