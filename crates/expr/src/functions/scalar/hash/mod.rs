//! Digests and hash codes.

mod code;
mod digest;
#[cfg(test)]
mod tests;

use crate::Function;

/// The lists of the files of this folder.
pub(super) const FUNCTIONS: &[&[Function]] = &[digest::FUNCTIONS, code::FUNCTIONS];
