//! Expressions compiled once per plan and evaluated on columns.
//!
//! A program is a graph in which equal subexpressions are one node. Evaluation goes by demand: AND, OR, CASE, IF and COALESCE ask for
//! their later terms only on the rows that reach them, so that a term that can fail never sees a row that an earlier term
//! kept from it. What has been computed on all rows is used for a part of them, never the other way round.

mod compile;
mod conditional;
mod evaluate;
mod frame;
mod node;
#[cfg(test)]
mod tests;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, UInt32Array, new_empty_array};
use arrow::buffer::BooleanBuffer;
use millstream_types::{DataType, Fault};

use crate::{Column, EvalContext, EvalError, Expr, Rows};
use frame::Frame;
use node::{Node, NodeId};

/// Expressions that are evaluated together.
#[derive(Debug)]
pub struct Program {
    nodes: Vec<Node>,
    roots: Vec<NodeId>,
    types: Vec<DataType>,
}

impl Program {
    /// Compiles expressions that read the same input.
    ///
    /// # Errors
    /// User (`too-deep`), when an expression is nested too deeply; Internal, when a literal is not of its type.
    pub fn compile(expressions: &[Expr]) -> Result<Program, Fault> {
        let mut compiler = compile::Compiler::default();
        let roots = expressions.iter().map(|e| compiler.add(e, 0)).collect::<Result<Vec<_>, _>>()?;
        let types = expressions.iter().map(|e| e.data_type.clone()).collect();
        let mut nodes = compiler.nodes;
        nodes.shrink_to_fit();
        Ok(Program { nodes, roots, types })
    }

    /// Evaluates on all rows: an array an expression, in the Arrow form of its type.
    ///
    /// # Errors
    /// With the row whose values made an expression fail.
    pub fn eval(&self, rows: &Rows<'_>, context: &EvalContext) -> Result<Vec<ArrayRef>, EvalError> {
        if rows.rows == 0 {
            return Ok(self.types.iter().map(|t| new_empty_array(&t.to_arrow())).collect());
        }
        let frame = Frame::all(rows);
        self.eval_frame(&frame, context)
    }

    /// Evaluates on some rows only: arrays of as many entries as the selection has.
    ///
    /// # Errors
    /// With the row of the whole input whose values made an expression fail.
    pub fn eval_selected(
        &self,
        rows: &Rows<'_>,
        selection: &[u32],
        context: &EvalContext,
    ) -> Result<Vec<ArrayRef>, EvalError> {
        if selection.is_empty() {
            return Ok(self.types.iter().map(|t| new_empty_array(&t.to_arrow())).collect());
        }
        let all = Frame::all(rows);
        let frame = all.part(UInt32Array::from(selection.to_vec()));
        self.eval_frame(&frame, context)
    }

    fn eval_frame(&self, frame: &Frame<'_>, context: &EvalContext) -> Result<Vec<ArrayRef>, EvalError> {
        self.roots
            .iter()
            .zip(&self.types)
            .map(|(root, data_type)| {
                let array = self.value(*root, frame, context)?.into_array(frame.rows())?;
                debug_assert_eq!(array.data_type(), &data_type.to_arrow(), "the type a kernel gave");
                Ok(array)
            })
            .collect()
    }

    /// How many nodes it has, for tests of sharing and for explain.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether it has no node.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}

/// A condition: TRUE or not.
#[derive(Debug)]
pub struct Predicate(Program);

impl Predicate {
    /// Compiles a BOOLEAN expression.
    ///
    /// # Errors
    /// As [`Program::compile`].
    pub fn compile(condition: &Expr) -> Result<Predicate, Fault> {
        Program::compile(std::slice::from_ref(condition)).map(Predicate)
    }

    /// The rows on which the condition is TRUE: an entry a row, without NULLs.
    ///
    /// # Errors
    /// With the row whose values made it fail.
    pub fn eval(&self, rows: &Rows<'_>, context: &EvalContext) -> Result<BooleanArray, EvalError> {
        if rows.rows == 0 {
            return Ok(BooleanArray::new(BooleanBuffer::new_unset(0), None));
        }
        self.eval_frame(&Frame::all(rows), context)
    }

    /// The same on some rows only: an entry for each selected row.
    ///
    /// # Errors
    /// With the row of the whole input whose values made it fail.
    pub fn eval_selected(
        &self,
        rows: &Rows<'_>,
        selection: &[u32],
        context: &EvalContext,
    ) -> Result<BooleanArray, EvalError> {
        if selection.is_empty() {
            return Ok(BooleanArray::new(BooleanBuffer::new_unset(0), None));
        }
        let all = Frame::all(rows);
        let frame = all.part(UInt32Array::from(selection.to_vec()));
        self.eval_frame(&frame, context)
    }

    fn eval_frame(&self, frame: &Frame<'_>, context: &EvalContext) -> Result<BooleanArray, EvalError> {
        let root =
            self.0.roots.first().copied().ok_or_else(|| Fault::internal("a predicate without a root"))?;
        let column = self.0.value(root, frame, context)?;
        let truth = truth_of(&column, frame.rows())?;
        Ok(BooleanArray::new(truth, None))
    }
}

/// The rows on which a BOOLEAN column is TRUE.
fn truth_of(column: &Column, rows: usize) -> Result<BooleanBuffer, EvalError> {
    let array = column.array();
    let Some(bools) = array.as_boolean_opt() else {
        // A bare NULL.
        return Ok(BooleanBuffer::new_unset(rows));
    };
    if column.is_constant() {
        let truth = bools.is_valid(0) && bools.value(0);
        return Ok(if truth { BooleanBuffer::new_set(rows) } else { BooleanBuffer::new_unset(rows) });
    }
    Ok(match bools.nulls() {
        Some(valid) => bools.values() & valid.inner(),
        None => bools.values().clone(),
    })
}
