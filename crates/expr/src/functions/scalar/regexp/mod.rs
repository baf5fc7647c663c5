//! Regular expressions in Java's syntax.

mod ancestor;
mod find;
mod pattern;
mod replace;

use crate::Function;

/// The lists of the files of this folder.
pub(super) const FUNCTIONS: &[&[Function]] = &[find::FUNCTIONS, replace::FUNCTIONS, ancestor::FUNCTIONS];
