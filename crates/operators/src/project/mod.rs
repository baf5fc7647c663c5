//! `Project`: computes columns.

use millstream_expr::{Expr, Program};
use millstream_types::{Batch, Fault, SchemaRef};

use crate::{Operator, OperatorContext, Output, at_origin, input_rows};

/// Computes the output columns of each row; kinds, watermarks and origins stay.
#[derive(Debug)]
pub struct Project {
    program: Program,
    schema: SchemaRef,
}

impl Project {
    /// A projection: expressions over the input, in the order of the output schema.
    ///
    /// # Errors
    /// When an expression cannot be compiled.
    pub fn new(exprs: &[Expr], schema: SchemaRef) -> Result<Self, Fault> {
        Ok(Project { program: Program::compile(exprs)?, schema })
    }
}

impl Operator for Project {
    fn process(
        &mut self,
        _: usize,
        batch: Batch,
        context: &OperatorContext,
        out: &mut Output,
    ) -> Result<(), Fault> {
        let rows = input_rows(&batch);
        let columns = self.program.eval(&rows, &context.eval).map_err(|e| at_origin(e, &batch))?;
        out.push(batch.with_columns(self.schema.clone(), columns));
        Ok(())
    }

    fn uses_watermarks(&self) -> bool {
        false
    }
}
