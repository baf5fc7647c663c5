//! URLs and addresses of the net.

mod address;
mod escape;
mod parse;
mod region;
#[cfg(test)]
mod tests;

use crate::Function;

pub use address::Addresses;

/// The lists of the files of this folder.
pub(super) const FUNCTIONS: &[&[Function]] =
    &[parse::FUNCTIONS, escape::FUNCTIONS, address::FUNCTIONS, region::FUNCTIONS];
