//! Scalar functions and operators, one file or folder a family.

pub mod comparison;
mod logical;

use crate::Function;

/// The families, each with its own list.
const FAMILIES: &[&[Function]] = &[comparison::FUNCTIONS, logical::FUNCTIONS];

/// Every scalar function.
pub fn all() -> impl Iterator<Item = &'static Function> {
    FAMILIES.iter().flat_map(|f| f.iter())
}
