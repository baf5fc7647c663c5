//! What a text says, as a tree. Every node knows its place in the text; no node means anything yet.
//!
//! Heights are bounded by the parser ([`crate::MAX_DEPTH`]): trees may be walked, cloned and dropped by recursion.
//! Chains (`AND`, `OR`, arithmetic, `||`, set operations, joins) are lists, so ten thousand terms are one level.

mod ddl;
mod expr;
mod matching;
mod name;
mod query;
mod statement;

pub use ddl::*;
pub use expr::*;
pub use matching::*;
pub use name::*;
pub use query::*;
pub use statement::*;
