//! Table functions: one input row gives any number of rows.

mod grok;
mod string_split;

use std::fmt::Debug;
use std::sync::Arc;

use arrow::array::ArrayRef;
use millstream_types::{Fault, Schema};

use crate::{Call, Column, EvalContext, EvalError, Example, Expr, Origin, Rows};

/// The definition of a table function: documentation and binding in one place.
#[derive(Debug)]
pub struct TableFunction {
    /// Primary name, upper case.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Signatures as the manual prints them.
    pub signature: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Examples: the call and its rows, columns separated by `, `, rows by `; `.
    pub examples: &'static [Example],
    /// Where it comes from.
    pub origin: Origin,
    /// Checks the arguments and derives the rows' columns.
    pub bind: fn(&Call<'_>) -> Result<BoundTableCall, Fault>,
}

/// A bound call of a table function.
#[derive(Debug)]
pub struct BoundTableCall {
    /// Columns of the rows that it gives.
    pub schema: Schema,
    /// The arguments to evaluate, with implicit casts.
    pub args: Vec<Expr>,
    /// The evaluation.
    pub kernel: Arc<dyn TableKernel>,
}

/// Rows that a table function gave for a batch of input rows.
#[derive(Debug, Clone)]
pub struct TableRows {
    /// For each given row the input row that it belongs to, ascending.
    pub parents: Vec<u32>,
    /// The columns of the given rows.
    pub columns: Vec<ArrayRef>,
}

/// The vectorized evaluation of a bound call of a table function.
pub trait TableKernel: Send + Sync + Debug {
    /// Evaluates on `rows.rows` rows.
    ///
    /// # Errors
    /// With the first row whose values make it fail.
    fn eval(&self, args: &[Column], rows: &Rows<'_>, context: &EvalContext) -> Result<TableRows, EvalError>;

    /// For each column of the given rows, whether its values are NULL or pieces of the first argument's text, as they stand there. `None`: that is not
    /// known, or some values of the arguments make the function fail. (A limit of steps is no failure here: fewer rows only spare some the limit.)
    fn pieces(&self) -> Option<Vec<bool>> {
        None
    }
}

/// The list.
const ALL: &[&TableFunction] = &[&grok::GROK, &string_split::STRING_SPLIT];

/// Every table function.
pub fn all() -> impl Iterator<Item = &'static TableFunction> {
    ALL.iter().copied()
}

/// The table function of a name or alias; case does not count.
pub fn table_function(name: &str) -> Option<&'static TableFunction> {
    ALL.iter()
        .copied()
        .find(|f| f.name.eq_ignore_ascii_case(name) || f.aliases.iter().any(|a| a.eq_ignore_ascii_case(name)))
}
