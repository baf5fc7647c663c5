//! The index gives what plain evaluation gives: random rules on random and adversarial events.
#![allow(missing_docs)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod changes;
mod conditions;
mod drift;
mod events;
mod reports;
mod soundness;
