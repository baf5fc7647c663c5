//! The value of a node on the rows of a frame.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray};
use arrow::compute::kernels::nullif::nullif;
use arrow::compute::{is_null, not};
use millstream_types::Fault;

use super::frame::Frame;
use super::node::{NodeId, Op};
use super::{Program, conditional};
use crate::kernel::broken;
use crate::{Column, EvalContext, EvalError, KernelRef, Rows, cast};

impl Program {
    /// The value of a node: an array of as many entries as the frame has rows, or a constant.
    pub(super) fn value(
        &self,
        id: NodeId,
        frame: &Frame<'_>,
        context: &EvalContext,
    ) -> Result<Column, EvalError> {
        if let Some(column) = self.at_hand(id, frame)? {
            return Ok(column);
        }
        // What a node needs first on all of the frame's rows is evaluated before it, from the bottom up: a tree that is deep on
        // its left side costs no stack.
        let mut spine = vec![id];
        let mut next = self.first_input(id);
        while let Some(input) = next {
            if self.at_hand(input, frame)?.is_some() {
                break;
            }
            spine.push(input);
            next = self.first_input(input);
        }
        while let Some(node) = spine.pop() {
            let column = self.compute(node, frame, context)?;
            if spine.is_empty() {
                frame.remember(node, column.clone());
                return Ok(column);
            }
            frame.remember(node, column);
        }
        Err(Fault::internal("an empty spine").into())
    }

    /// What need not be computed.
    fn at_hand(&self, id: NodeId, frame: &Frame<'_>) -> Result<Option<Column>, EvalError> {
        match self.nodes.get(id).map(|n| &n.op) {
            // Literals need not be remembered.
            Some(Op::Literal(column)) => Ok(Some(column.clone())),
            Some(_) => Ok(frame.known(id)?),
            None => Err(Fault::internal("an unknown node").into()),
        }
    }

    /// The input that a node evaluates first, on all rows.
    fn first_input(&self, id: NodeId) -> Option<NodeId> {
        match &self.nodes.get(id)?.op {
            Op::Column(_) | Op::Literal(_) => None,
            Op::And(inputs) | Op::Or(inputs) | Op::Coalesce(inputs) => inputs.first().copied(),
            Op::Call { args, .. } => args.first().copied(),
            Op::Case { branches, otherwise } => Some(branches.first().map_or(*otherwise, |b| b.0)),
            Op::Not(input) | Op::Field { input, .. } | Op::Cast { input, .. } => Some(*input),
        }
    }

    #[inline(never)]
    fn compute(&self, id: NodeId, frame: &Frame<'_>, context: &EvalContext) -> Result<Column, EvalError> {
        let node = self.nodes.get(id).ok_or_else(|| Fault::internal("an unknown node"))?;
        match &node.op {
            Op::Literal(column) => Ok(column.clone()),
            Op::Column(index) => Ok(Column::Array(frame.input(*index)?)),
            Op::And(terms) => conditional::chain(self, terms, true, frame, context),
            Op::Or(terms) => conditional::chain(self, terms, false, frame, context),
            Op::Case { branches, otherwise } => {
                conditional::case(self, branches, *otherwise, &node.data_type, frame, context)
            }
            Op::Coalesce(args) => conditional::coalesce(self, args, &node.data_type, frame, context),
            Op::Not(input) => negated(self.value(*input, frame, context)?),
            Op::Field { input, index } => field(self.value(*input, frame, context)?, *index),
            Op::Cast { input, from, mode } => {
                let input = self.value(*input, frame, context)?;
                cast::cast_column(&input, from, &node.data_type, *mode, context).map_err(|e| frame.located(e))
            }
            Op::Call { kernel, args } => self.call(kernel, args, frame, context),
        }
    }

    fn call(
        &self,
        kernel: &KernelRef,
        args: &[NodeId],
        frame: &Frame<'_>,
        context: &EvalContext,
    ) -> Result<Column, EvalError> {
        let mut columns = Vec::with_capacity(args.len());
        for arg in args {
            columns.push(self.value(*arg, frame, context)?);
        }
        let watermarks = frame.watermarks();
        let rows = Rows { columns: &[], rows: frame.rows(), watermarks: watermarks.as_deref() };
        kernel.eval(&columns, &rows, context).map_err(|e| frame.located(e))
    }
}

fn same_form(column: &Column, array: ArrayRef) -> Column {
    if column.is_constant() { Column::Constant(array) } else { Column::Array(array) }
}

/// The column as booleans; a bare NULL is a NULL boolean.
pub(super) fn booleans(column: &Column) -> Result<BooleanArray, EvalError> {
    let array = column.array();
    match array.as_boolean_opt() {
        Some(b) => Ok(b.clone()),
        None if array.logical_null_count() == array.len() => Ok(BooleanArray::new_null(array.len())),
        None => {
            Err(Fault::internal(format!("a BOOLEAN was expected, but it is {}", array.data_type())).into())
        }
    }
}

fn negated(column: Column) -> Result<Column, EvalError> {
    let array = not(&booleans(&column)?).map_err(broken)?;
    Ok(same_form(&column, Arc::new(array)))
}

/// A field of a ROW: NULL where the row is.
fn field(column: Column, index: usize) -> Result<Column, EvalError> {
    let array = column.array();
    let row = array.as_struct_opt().ok_or_else(|| Fault::internal("a field of something that is no ROW"))?;
    let child = row.columns().get(index).ok_or_else(|| Fault::internal(format!("no field {index}")))?;
    if row.null_count() == 0 {
        return Ok(same_form(&column, child.clone()));
    }
    let absent = is_null(row).map_err(broken)?;
    let array = nullif(child.as_ref(), &absent).map_err(broken)?;
    Ok(same_form(&column, array))
}
