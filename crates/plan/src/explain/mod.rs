//! Plans for a person: a tree a sink, with the changes of every edge and what is read or computed only once. Also as JSON.

mod expression;
mod json;
mod operator;
mod tree;

pub use expression::expression_text;
pub use json::explain_json;
pub(crate) use operator::{operator_text, push_condition, push_meaning};
pub use tree::{ExplainOptions, explain_text};
