//! Which types meet in which type, and what may be cast to what.
//!
//! Sources: Flink 2.3 `LogicalTypeMerging`, `LogicalTypeCasts`, and the rules its SQL validator takes from Calcite; where the two
//! differ, the recorded answers of Flink decide.

mod cast_rules;
mod decimal;
mod merge;
#[cfg(test)]
mod tests;

pub use cast_rules::{
    CastSupport, assignable, cast_support, explicit_cast, implicit_cast, supports_implicit,
};
pub use decimal::{Digits, MAX_PRECISION};
pub use merge::{argument_type, common_type};
