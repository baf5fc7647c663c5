//! Digests and hash codes.

mod code;
mod digest;

use crate::Function;

/// The lists of the files of this folder.
pub(super) const FUNCTIONS: &[&[Function]] = &[digest::FUNCTIONS, code::FUNCTIONS];
