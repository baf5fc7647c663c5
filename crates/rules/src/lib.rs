//! Every predicate on one source, evaluated together: raw slices or columns in, the rows of each rule out.
//!
//! This crate must never know SQL text, state, time, connectors or how records are encoded. It asks a [`RuleInput`] for what it wants to see of a
//! chunk, so that nothing is built that no rule needs.
//!
//! [`RuleSet`] is the seam: [`plain::PlainRules`] evaluates each distinct predicate by itself. It is also the reference that any shared index
//! must agree with.

pub mod plain;

use arrow::array::{ArrayRef, UInt32Array};
use millstream_expr::{EvalContext, EvalError, Expr};
use millstream_types::{Fault, Slices};

/// A rule: the rows of its source for which the predicate is TRUE are its hits.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The caller's name for it.
    pub id: usize,
    /// Over the columns of the scan group; `None`: every row.
    pub predicate: Option<Expr>,
}

/// What rules may see of a chunk.
pub trait RuleInput {
    /// Number of rows.
    fn rows(&self) -> usize;

    /// The fields as slices of raw bytes; `None` for sources of rows.
    fn slices(&self) -> Option<&Slices>;

    /// A column (a position in the scan group's columns), built for all rows, or for some rows in the given order.
    ///
    /// # Errors
    /// When a value cannot be built.
    fn column(&mut self, column: usize, rows: Option<&UInt32Array>) -> Result<ArrayRef, Fault>;

    /// The watermark before each row, if one is declared.
    fn watermarks(&self) -> Option<&[i64]>;
}

/// The rows of a chunk that a rule hits, ascending.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Hits {
    /// All rows.
    All,
    /// These rows.
    Rows(Vec<u32>),
}

/// Some rules over one source.
pub trait RuleSet: Send {
    /// Evaluates all rules on a chunk. The outcome at position i is that of the rule at position i: an error belongs to that rule alone.
    ///
    /// # Errors
    /// What is not about one rule: a column that cannot be built.
    fn evaluate(
        &mut self,
        input: &mut dyn RuleInput,
        context: &EvalContext,
        outcomes: &mut Vec<Result<Hits, EvalError>>,
    ) -> Result<(), Fault>;
}
