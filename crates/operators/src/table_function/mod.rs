//! `TableFunction`: one row for each row that a function gives.

use std::sync::Arc;

use arrow::array::UInt32Array;
use arrow::compute;
use millstream_expr::functions::table::TableKernel;
use millstream_expr::{Column, Expr, Program};
use millstream_types::{Batch, Fault, SchemaRef};

use crate::{Operator, OperatorContext, Output, at_origin, input_rows};

/// CROSS or LEFT JOIN LATERAL TABLE(f(…)).
#[derive(Debug)]
pub struct TableFunction {
    args: Program,
    kernel: Arc<dyn TableKernel>,
    left: bool,
    schema: SchemaRef,
}

impl TableFunction {
    /// A lateral join with a table function; `schema` is the output's: the input's columns, then the function's.
    ///
    /// # Errors
    /// When an argument cannot be compiled.
    pub fn new(
        args: &[Expr],
        kernel: Arc<dyn TableKernel>,
        left: bool,
        schema: SchemaRef,
    ) -> Result<Self, Fault> {
        Ok(TableFunction { args: Program::compile(args)?, kernel, left, schema })
    }
}

impl Operator for TableFunction {
    fn process(
        &mut self,
        _: usize,
        batch: Batch,
        context: &OperatorContext,
        out: &mut Output,
    ) -> Result<(), Fault> {
        let rows = input_rows(&batch);
        let args = self.args.eval(&rows, &context.eval).map_err(|e| at_origin(e, &batch))?;
        let args: Vec<Column> = args.into_iter().map(Column::Array).collect();
        let given = self.kernel.eval(&args, &rows, &context.eval).map_err(|e| at_origin(e, &batch))?;
        // With LEFT, input rows that got nothing are merged in where they belong.
        let mut parents: Vec<u32> = Vec::with_capacity(given.parents.len());
        let mut picks: Vec<Option<u32>> = Vec::with_capacity(given.parents.len());
        let mut next = given.parents.iter().enumerate().peekable();
        for row in 0..batch.rows as u32 {
            let before = parents.len();
            while let Some((i, _)) = next.next_if(|(_, p)| **p == row) {
                parents.push(row);
                picks.push(Some(i as u32));
            }
            if self.left && parents.len() == before {
                parents.push(row);
                picks.push(None);
            }
        }
        let parent = batch.take(&UInt32Array::from(parents))?;
        let picks = UInt32Array::from(picks);
        let mut columns = parent.columns.clone();
        for column in &given.columns {
            columns.push(
                compute::take(column.as_ref(), &picks, None)
                    .map_err(|e| Fault::internal(format!("taking rows of a table function: {e}")))?,
            );
        }
        out.push(parent.with_columns(self.schema.clone(), columns));
        Ok(())
    }

    fn uses_watermarks(&self) -> bool {
        false
    }
}
