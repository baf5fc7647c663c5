//! Regular expressions in Java's syntax.

mod ancestor;
mod find;
mod pattern;
mod replace;
#[cfg(test)]
mod tests;

use crate::Function;

/// The lists of the files of this folder.
pub(super) const FUNCTIONS: &[&[Function]] = &[find::FUNCTIONS, replace::FUNCTIONS, ancestor::FUNCTIONS];
