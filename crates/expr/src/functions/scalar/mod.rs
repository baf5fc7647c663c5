//! Scalar functions and operators, one file or folder a family.

mod access;
mod ancestor;
mod arithmetic;
pub mod bitmap;
mod collection;
pub mod comparison;
mod concatenation;
mod conditional;
mod constructors;
mod conversion;
mod grok;
mod hash;
pub mod json;
mod logical;
mod pattern;
mod regexp;
mod string;
mod structured;
mod temporal;
#[cfg(test)]
mod tests;
pub mod url;
mod variant;

use millstream_types::Fault;

use crate::{BoundCall, Call, Function};

/// A family of functions: a chapter of the manual.
#[derive(Debug)]
pub struct Family {
    /// The chapter's heading.
    pub title: &'static str,
    /// The lists of the family's files.
    pub lists: &'static [&'static [Function]],
}

/// The families, in the manual's order. A new family is a line here.
pub const FAMILIES: &[Family] = &[
    Family { title: "Comparison", lists: &[comparison::FUNCTIONS, pattern::FUNCTIONS] },
    Family { title: "Conditions by name", lists: &[ancestor::OPERATORS] },
    Family { title: "Logic", lists: &[logical::FUNCTIONS] },
    Family { title: "Conditional values", lists: &[conditional::FUNCTIONS] },
    Family { title: "Numbers", lists: arithmetic::FUNCTIONS },
    Family { title: "Bits, bases and operations by name", lists: &[ancestor::NUMBERS] },
    Family { title: "Text", lists: string::FUNCTIONS },
    Family { title: "Regular expressions", lists: regexp::FUNCTIONS },
    Family { title: "Digests", lists: hash::FUNCTIONS },
    Family { title: "URLs and addresses", lists: url::FUNCTIONS },
    Family { title: "Dates and times", lists: temporal::FUNCTIONS },
    Family { title: "Dates and times as text", lists: ancestor::MOMENTS },
    Family { title: "Log lines", lists: &[grok::FUNCTIONS, ancestor::LINES] },
    Family { title: "JSON", lists: json::FUNCTIONS },
    Family { title: "Types", lists: &[conversion::FUNCTIONS] },
    Family { title: "Collections", lists: &[constructors::FUNCTIONS, access::FUNCTIONS] },
    Family { title: "Arrays and maps", lists: collection::FUNCTIONS },
    Family { title: "Structured types", lists: &[structured::FUNCTIONS] },
    Family { title: "VARIANT", lists: &[variant::FUNCTIONS] },
    Family { title: "BITMAP", lists: &[bitmap::FUNCTIONS] },
];

/// Every scalar function and operator.
pub fn all() -> impl Iterator<Item = &'static Function> {
    FAMILIES.iter().flat_map(|f| f.lists.iter()).flat_map(|f| f.iter())
}

pub(in crate::functions) use grok::arguments as grok_arguments;

/// CEIL and FLOOR of dates and times, which belong to the temporal family.
fn round_datetime(call: &Call<'_>, name: &str) -> Result<BoundCall, Fault> {
    temporal::round(call, name == "FLOOR")
}

/// `(<DATETIME> - <DATETIME>) <unit>`, which belongs to the temporal family.
fn difference(call: &Call<'_>) -> Result<BoundCall, Fault> {
    temporal::difference(call)
}
