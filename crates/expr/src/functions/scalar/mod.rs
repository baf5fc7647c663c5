//! Scalar functions, one file or folder a family.

use crate::Function;

/// The families, each with its own list.
const FAMILIES: &[&[Function]] = &[];

/// Every scalar function.
pub fn all() -> impl Iterator<Item = &'static Function> {
    FAMILIES.iter().flat_map(|f| f.iter())
}
