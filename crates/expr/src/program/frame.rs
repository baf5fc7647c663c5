//! The rows that an evaluation is about, and what is known about them already.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;

use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute;
use millstream_types::Fault;

use super::node::NodeId;
use crate::{Column, EvalError, Rows};

/// All rows of the input, or a part of another frame's rows.
pub(super) struct Frame<'a> {
    input: &'a Rows<'a>,
    /// The frame that this one is a part of.
    parent: Option<&'a Frame<'a>>,
    /// The rows in the parent's numbering, ascending.
    positions: Option<UInt32Array>,
    /// Values of nodes on these rows.
    known: RefCell<HashMap<NodeId, Column>>,
}

impl<'a> Frame<'a> {
    pub(super) fn all(input: &'a Rows<'a>) -> Self {
        Frame { input, parent: None, positions: None, known: RefCell::default() }
    }

    /// Some of the rows, by their positions in this frame.
    pub(super) fn part<'b>(&'b self, positions: UInt32Array) -> Frame<'b>
    where
        'a: 'b,
    {
        Frame { input: self.input, parent: Some(self), positions: Some(positions), known: RefCell::default() }
    }

    pub(super) fn rows(&self) -> usize {
        self.positions.as_ref().map_or(self.input.rows, |p| p.len())
    }

    /// What is known of a node: here, or on the rows that these are a part of.
    pub(super) fn known(&self, node: NodeId) -> Result<Option<Column>, Fault> {
        if let Some(column) = self.known.borrow().get(&node) {
            return Ok(Some(column.clone()));
        }
        let (Some(parent), Some(positions)) = (self.parent, &self.positions) else { return Ok(None) };
        let Some(whole) = parent.known(node)? else { return Ok(None) };
        let column = whole.take(positions)?;
        self.remember(node, column.clone());
        Ok(Some(column))
    }

    pub(super) fn remember(&self, node: NodeId, column: Column) {
        self.known.borrow_mut().insert(node, column);
    }

    /// An input column on these rows.
    pub(super) fn input(&self, index: usize) -> Result<ArrayRef, Fault> {
        match (self.parent, &self.positions) {
            (Some(parent), Some(positions)) => {
                let whole = parent.input(index)?;
                compute::take(whole.as_ref(), positions, None)
                    .map_err(|e| Fault::internal(format!("taking rows of column {index}: {e}")))
            }
            _ => {
                let column = self.input.columns.get(index).cloned();
                column.ok_or_else(|| Fault::internal(format!("there is no input column {index}")))
            }
        }
    }

    /// The watermarks of these rows.
    pub(super) fn watermarks(&self) -> Option<Cow<'a, [i64]>> {
        match (self.parent, &self.positions) {
            (Some(parent), Some(positions)) => {
                let whole = parent.watermarks()?;
                let at = |p: &u32| whole.get(*p as usize).copied().unwrap_or(i64::MIN);
                Some(positions.values().iter().map(at).collect())
            }
            _ => self.input.watermarks.map(Cow::Borrowed),
        }
    }

    /// An error at a row of this frame, in the numbering of the input.
    pub(super) fn located(&self, error: EvalError) -> EvalError {
        let mut error = error;
        let mut frame = Some(self);
        while let Some(f) = frame {
            if let Some(p) = &f.positions {
                error = error.mapped(p.values());
            }
            frame = f.parent;
        }
        error
    }
}
