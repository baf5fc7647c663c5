//! JSON as Flink reads and writes it (Jackson): [`validate`] for whole lines at speed, [`Json`] as a tree, [`JsonPath`], and
//! strings between quotes ([`unescape`], [`escape_into`]).
//!
//! Accepted is what Jackson's defaults accept: RFC 8259, nothing more (no `NaN`, single quotes, comments, leading zeros, commas
//! before a closing bracket, control characters in strings), at most 1000 levels and 1000 digits a number. As there, only the
//! first value of a text is read: what follows it is not looked at, except that a number must be followed by white space and a
//! word must end. Bytes may begin with a byte order mark. One difference: bytes must be proper UTF-8 (Jackson lets
//! overlong forms and encoded surrogates through).

mod locate;
mod path;
mod path_function;
mod path_parse;
mod places;
mod scan;
mod string;
mod tree;
mod write;

#[cfg(test)]
mod tests;

use std::fmt;

use millstream_types::Fault;

pub use path::{JsonPath, Outcome, PathError, PathMode, PathResult};
pub use places::{JsonPlace, JsonPlaces, JsonStep};
pub use scan::{validate, validate_prefix};
pub use string::{escape_into, unescape};
pub use tree::{Json, java_number};
pub use write::Numbers;

/// Deepest nesting of arrays and objects.
pub const MAX_DEPTH: usize = 1000;
/// Most digits of a number.
pub const MAX_DIGITS: usize = 1000;

/// Why a text is no JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JsonError {
    /// Where, in bytes.
    pub at: usize,
    /// What is wrong there.
    pub what: &'static str,
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.what, self.at)
    }
}

impl std::error::Error for JsonError {}

impl From<JsonError> for Fault {
    fn from(e: JsonError) -> Self {
        Fault::user("bad-json", format!("not JSON: {e}"))
    }
}
