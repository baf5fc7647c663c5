//! VARIANT: values of any shape, held as their JSON text in one form (names sorted, numbers as a VARIANT shows them), so that equal
//! values have equal texts.

mod item;
mod parse;
#[cfg(test)]
mod tests;

use crate::Function;

pub(super) use item::item;

pub(super) const FUNCTIONS: &[Function] = parse::FUNCTIONS;
