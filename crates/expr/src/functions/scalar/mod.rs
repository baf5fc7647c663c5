//! Scalar functions and operators, one file or folder a family.

mod arithmetic;
pub mod comparison;
mod logical;
mod temporal;

use millstream_types::Fault;

use crate::{BoundCall, Call, Function};

/// The families, each with its own list.
const FAMILIES: &[&[Function]] = &[comparison::FUNCTIONS, logical::FUNCTIONS];

/// Families of several files, each with a list of lists.
const FOLDERS: &[&[&[Function]]] = &[arithmetic::FUNCTIONS, temporal::FUNCTIONS];

/// Every scalar function.
pub fn all() -> impl Iterator<Item = &'static Function> {
    FAMILIES.iter().chain(FOLDERS.iter().flat_map(|f| f.iter())).flat_map(|f| f.iter())
}

/// CEIL and FLOOR of dates and times, which belong to the temporal family.
fn round_datetime(call: &Call<'_>, name: &str) -> Result<BoundCall, Fault> {
    temporal::round(call, name == "FLOOR")
}
