//! A value that made an evaluation fail.

use millstream_types::Fault;

/// A failure at a row of the input. The caller adds where the row came from.
#[derive(Debug, Clone)]
pub struct EvalError {
    /// The row of the input that was evaluated; `None` when it is not about a row.
    pub row: Option<usize>,
    /// What happened: names the function and the argument.
    pub fault: Fault,
}

impl EvalError {
    /// A failure at a row.
    pub fn at_row(row: usize, fault: Fault) -> Self {
        EvalError { row: Some(row), fault }
    }

    /// The row in the caller's numbering, where the evaluation saw only the caller's rows `rows`.
    #[must_use]
    pub fn mapped(mut self, rows: &[u32]) -> Self {
        self.row = self.row.and_then(|r| rows.get(r).map(|x| *x as usize));
        self
    }
}

impl From<Fault> for EvalError {
    fn from(fault: Fault) -> Self {
        EvalError { row: None, fault }
    }
}
