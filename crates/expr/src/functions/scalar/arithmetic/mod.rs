//! Numbers: the operators, rounding, powers and logarithms, trigonometry, bits as text, extremes, randomness.

mod decimal;
mod extremes;
mod hyperbolic;
mod integer;
mod interval;
mod math;
mod operators;
mod radix;
mod random;
mod rounding;
#[cfg(test)]
mod tests;

use crate::Function;

/// The lists of the files of this folder.
pub(super) const FUNCTIONS: &[&[Function]] = &[
    operators::FUNCTIONS,
    rounding::FUNCTIONS,
    math::FUNCTIONS,
    radix::FUNCTIONS,
    extremes::FUNCTIONS,
    random::FUNCTIONS,
];
