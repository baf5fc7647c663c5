//! Every predicate on one source, evaluated together: raw slices or columns in, the rows of each rule out.
//!
//! This crate must never know SQL text, state, time, connectors or how records are encoded. It asks a [`RuleInput`] for what it wants to see of a
//! chunk, so that nothing is built that no rule needs.
//!
//! [`RuleSet`] is the seam. [`index::IndexedRules`] is what the product runs: literals, sets and ranges that rules need choose the few rows on which
//! a rule is evaluated at all. [`plain::PlainRules`] evaluates each distinct predicate by itself on every row; it is the reference that the index
//! must agree with, errors included.

pub mod index;
pub mod plain;
mod report;

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use millstream_expr::{EvalContext, EvalError, Expr};
use millstream_types::{Fault, FieldSlices, Slices};

pub use report::{Anchoring, RuleReport};

/// The rules of a source: behind the index, or (to compare with) each evaluated on every row.
///
/// # Errors
/// When a predicate cannot be compiled.
pub fn rule_set(rules: &[Rule], indexed: bool) -> Result<Box<dyn RuleSet>, Fault> {
    Ok(if indexed {
        Box::new(index::IndexedRules::new(rules)?)
    } else {
        Box::new(plain::PlainRules::new(rules)?)
    })
}

/// A rule: the rows of its source for which the predicate is TRUE are its hits.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The caller's number for it, unique in its set and never used again: outcomes and reports carry it.
    pub id: usize,
    /// Over the columns of the scan group; `None`: every row. Shared with whoever gives the rule: the set keeps it.
    pub predicate: Option<Arc<Expr>>,
}

/// What rules may see of a chunk.
pub trait RuleInput {
    /// Number of rows.
    fn rows(&self) -> usize;

    /// A column (a position in the scan group's columns) as slices of raw bytes; `None` if it was not cut, or for sources of rows.
    ///
    /// The bytes spell the value's own text (numbers in plain decimal digits). A slice in
    /// [`JsonEscaped`](millstream_types::SliceForm::JsonEscaped) form holds no `\u`: such texts are rewritten by the decoder.
    fn field(&self, column: usize) -> Option<(&Slices, &FieldSlices)>;

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

/// What became of a rule on a chunk. An error belongs to that rule alone.
pub type Outcome = Result<Hits, EvalError>;

/// Some rules over one source. They come and go between two chunks; a rule's [`Rule::id`] stays its own.
pub trait RuleSet: Send {
    /// Adds rules, whose ids are greater than those of all rules that there were. When one of them cannot be compiled, the set is as it was.
    ///
    /// # Errors
    /// When a predicate cannot be compiled.
    fn add(&mut self, rules: &[Rule]) -> Result<(), Fault>;

    /// Takes the rules with these ids away, ascending; an id that is not there is passed over.
    ///
    /// # Errors
    /// Internal, when what is left cannot be put together.
    fn remove(&mut self, ids: &[usize]) -> Result<(), Fault>;

    /// Evaluates all rules on a chunk. Gives the rules (by id) that hit a row or failed, ascending; the others are silent and cost nothing.
    ///
    /// # Errors
    /// What is not about one rule: a column that cannot be built.
    fn evaluate(
        &mut self,
        input: &mut dyn RuleInput,
        context: &EvalContext,
        outcomes: &mut Vec<(usize, Outcome)>,
    ) -> Result<(), Fault>;

    /// The columns (positions in the scan group's columns) that should be cut from every record of the next chunk, ascending. Others are
    /// asked for, if at all, on few rows.
    fn slice_columns(&self) -> Vec<usize>;

    /// Changes whenever [`RuleSet::slice_columns`] may have changed.
    fn generation(&self) -> u64;

    /// How each rule is evaluated and what it has cost so far.
    fn report(&self) -> Vec<RuleReport>;
}
