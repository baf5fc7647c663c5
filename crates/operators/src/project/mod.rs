//! `Project`: computes columns.

use arrow::array::ArrayRef;
use millstream_expr::{Expr, ExprKind, Program};
use millstream_types::{Batch, DataType, Fault, SchemaRef, Value};

use crate::{Operator, OperatorContext, Output, at_origin, input_rows};

/// Computes the output columns of each row; kinds, watermarks and origins stay.
#[derive(Debug)]
pub struct Project {
    columns: Box<[Column]>,
    /// What is neither a column nor a constant.
    program: Option<Program>,
    schema: SchemaRef,
}

/// An output column. Of a thousand rules' most are the input's as they are: these take no program.
#[derive(Debug)]
enum Column {
    Input(usize),
    Constant(Box<(Value, DataType)>),
    /// By its number in the program.
    Computed(usize),
}

impl Project {
    /// A projection: expressions over the input, in the order of the output schema.
    ///
    /// # Errors
    /// When an expression cannot be compiled.
    pub fn new<'e>(exprs: impl IntoIterator<Item = &'e Expr>, schema: SchemaRef) -> Result<Self, Fault> {
        let mut computed: Vec<Expr> = Vec::new();
        let column = |expr: &Expr| match &expr.kind {
            ExprKind::Column(c) => Column::Input(*c),
            ExprKind::Literal(value) => Column::Constant(Box::new((value.clone(), expr.data_type.clone()))),
            _ => {
                computed.push(expr.clone());
                Column::Computed(computed.len() - 1)
            }
        };
        let columns = exprs.into_iter().map(column).collect();
        let program = (!computed.is_empty()).then(|| Program::compile(&computed)).transpose()?;
        Ok(Project { columns, program, schema })
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
        let computed: Vec<ArrayRef> = match &self.program {
            Some(program) => program.eval(&rows, &context.eval).map_err(|e| at_origin(e, &batch))?,
            None => Vec::new(),
        };
        let array = |column: &Column| {
            let array = match column {
                Column::Input(c) => rows.columns.get(*c),
                Column::Computed(c) => computed.get(*c),
                Column::Constant(constant) => return constant.0.repeat(rows.rows, &constant.1),
            };
            array.cloned().ok_or_else(|| Fault::internal("a projection's column is out of range"))
        };
        let columns = self.columns.iter().map(array).collect::<Result<Vec<ArrayRef>, Fault>>()?;
        out.push(batch.with_columns(self.schema.clone(), columns));
        Ok(())
    }

    fn uses_watermarks(&self) -> bool {
        false
    }
}
