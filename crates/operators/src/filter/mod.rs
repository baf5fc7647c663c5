//! `Filter`: the rows for which a predicate is TRUE.

use millstream_expr::{Expr, Predicate};
use millstream_types::{Batch, Fault};

use crate::{Operator, OperatorContext, Output, at_origin, input_rows};

/// Keeps the rows for which the predicate is TRUE; FALSE and NULL are dropped, whatever the row's kind.
#[derive(Debug)]
pub struct Filter {
    predicate: Predicate,
}

impl Filter {
    /// A filter by a predicate over the input.
    ///
    /// # Errors
    /// When the predicate cannot be compiled.
    pub fn new(predicate: &Expr) -> Result<Self, Fault> {
        Ok(Filter { predicate: Predicate::compile(predicate)? })
    }
}

impl Operator for Filter {
    fn process(
        &mut self,
        _: usize,
        batch: Batch,
        context: &OperatorContext,
        out: &mut Output,
    ) -> Result<(), Fault> {
        let rows = input_rows(&batch);
        let mask = self.predicate.eval(&rows, &context.eval).map_err(|e| at_origin(e, &batch))?;
        out.push(batch.filter(&mask)?);
        Ok(())
    }

    fn uses_watermarks(&self) -> bool {
        false
    }
}
