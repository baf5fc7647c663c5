//! AND, OR, CASE and COALESCE: what comes later sees only the rows that reach it.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, BooleanArray, UInt32Array};
use arrow::buffer::{BooleanBuffer, NullBuffer};
use arrow::compute::{and_kleene, interleave, or_kleene};
use millstream_types::{DataType, Value};

use super::evaluate::booleans;
use super::frame::Frame;
use super::node::{NodeId, Op};
use super::{Program, truth_of};
use crate::kernel::broken;
use crate::{Column, EvalContext, EvalError};

/// A term that cannot fail is evaluated on all rows unless fewer than one row in so many needs it: taking rows costs, too.
const CHEAP_SHARE: usize = 16;
/// The same for terms that cost much.
const DEAR_SHARE: usize = 2;

/// AND (`and`) or OR of terms, in three-valued logic.
pub(super) fn chain(
    program: &Program,
    terms: &[NodeId],
    and: bool,
    frame: &Frame<'_>,
    context: &EvalContext,
) -> Result<Column, EvalError> {
    let mut state: Option<Column> = None;
    for term in terms {
        let next = match &state {
            None => booleans_of(program.value(*term, frame, context)?)?,
            Some(so_far) => match open_rows(program, *term, so_far, and, frame)? {
                Open::None => break,
                Open::Whole => {
                    joined(so_far, program.value(*term, frame, context)?, None, and, frame.rows())?
                }
                Open::Some(open) => {
                    let value = partly(program, *term, &open, frame, context)?;
                    joined(so_far, value, Some(&open), and, frame.rows())?
                }
            },
        };
        state = Some(next);
    }
    match state {
        Some(column) => Ok(column),
        None => Ok(Column::Constant(Arc::new(BooleanArray::from(vec![and])))),
    }
}

/// The rows on which a term is to be evaluated.
enum Open {
    /// None: everything is decided.
    None,
    /// All of the frame: all are open, or it costs less than to take those that are.
    Whole,
    Some(Box<BooleanBuffer>),
}

fn open_rows(
    program: &Program,
    term: NodeId,
    state: &Column,
    and: bool,
    frame: &Frame<'_>,
) -> Result<Open, EvalError> {
    let rows = frame.rows();
    let open = undecided(state, and, rows)?;
    let count = open.count_set_bits();
    if count == 0 {
        return Ok(Open::None);
    }
    let node = program.nodes.get(term);
    let fallible = node.is_none_or(|n| n.fallible);
    let share = if node.is_some_and(|n| n.dear) { DEAR_SHARE } else { CHEAP_SHARE };
    let whole = count == rows || !fallible && (count * share >= rows || is_at_hand(program, term, frame)?);
    Ok(if whole { Open::Whole } else { Open::Some(Box::new(open)) })
}

#[inline(never)]
fn partly(
    program: &Program,
    term: NodeId,
    open: &BooleanBuffer,
    frame: &Frame<'_>,
    context: &EvalContext,
) -> Result<Column, EvalError> {
    let part = frame.part(positions(open));
    program.value(term, &part, context)
}

/// What was decided so far with a term's values on all rows, or on those that were open.
#[inline(never)]
fn joined(
    state: &Column,
    value: Column,
    open: Option<&BooleanBuffer>,
    and: bool,
    rows: usize,
) -> Result<Column, EvalError> {
    let mut value = booleans_of(value)?;
    if let Some(open) = open {
        value = scattered(&value, open, and, rows)?;
    }
    combined(state, &value, and, rows)
}

fn is_at_hand(program: &Program, id: NodeId, frame: &Frame<'_>) -> Result<bool, EvalError> {
    Ok(matches!(program.nodes.get(id).map(|n| &n.op), Some(Op::Literal(_))) || frame.known(id)?.is_some())
}

fn booleans_of(column: Column) -> Result<Column, EvalError> {
    let array: ArrayRef = Arc::new(booleans(&column)?);
    Ok(if column.is_constant() { Column::Constant(array) } else { Column::Array(array) })
}

/// The rows that are not decided: not FALSE for AND, not TRUE for OR.
fn undecided(state: &Column, and: bool, rows: usize) -> Result<BooleanBuffer, EvalError> {
    let truth = truth_of(state, rows)?;
    if !and {
        return Ok(!&truth);
    }
    let array = booleans(state)?;
    if state.is_constant() {
        let open = array.is_null(0) || array.value(0);
        return Ok(if open { BooleanBuffer::new_set(rows) } else { BooleanBuffer::new_unset(rows) });
    }
    Ok(match array.nulls() {
        Some(valid) => &truth | &!valid.inner(),
        None => truth,
    })
}

fn positions(set: &BooleanBuffer) -> UInt32Array {
    UInt32Array::from(set.set_indices().map(|i| i as u32).collect::<Vec<_>>())
}

/// Values of the open rows spread over all rows; the others get what does not change the outcome.
fn scattered(part: &Column, open: &BooleanBuffer, and: bool, rows: usize) -> Result<Column, EvalError> {
    let array = booleans(part)?;
    let mut next = 0;
    let mut values = arrow::array::BooleanBufferBuilder::new(rows);
    let mut valid = arrow::array::BooleanBufferBuilder::new(rows);
    for is_open in open.iter() {
        if is_open {
            let i = part.index(next);
            next += 1;
            values.append(array.value(i));
            valid.append(array.is_valid(i));
        } else {
            values.append(and);
            valid.append(true);
        }
    }
    let nulls = NullBuffer::new(valid.finish());
    let nulls = (nulls.null_count() > 0).then_some(nulls);
    Ok(Column::Array(Arc::new(BooleanArray::new(values.finish(), nulls))))
}

fn combined(a: &Column, b: &Column, and: bool, rows: usize) -> Result<Column, EvalError> {
    let combine = if and { and_kleene } else { or_kleene };
    if a.is_constant() && b.is_constant() {
        let array = combine(&booleans(a)?, &booleans(b)?).map_err(broken)?;
        return Ok(Column::Constant(Arc::new(array)));
    }
    let (a, b) = (booleans(&spread(a, rows)?)?, booleans(&spread(b, rows)?)?);
    Ok(Column::Array(Arc::new(combine(&a, &b).map_err(broken)?)))
}

fn spread(column: &Column, rows: usize) -> Result<Column, EvalError> {
    Ok(Column::Array(column.clone().into_array(rows)?))
}

/// The rows of a frame that still wait for a value, and the values found so far.
struct Pieces {
    /// For each row of the frame: which piece and which entry of it holds its value.
    of_row: Vec<(usize, usize)>,
    arrays: Vec<ArrayRef>,
}

impl Pieces {
    fn new(rows: usize) -> Self {
        Pieces { of_row: vec![(0, 0); rows], arrays: Vec::new() }
    }

    fn put(&mut self, rows: impl Iterator<Item = usize>, column: &Column) {
        let piece = self.arrays.len();
        self.arrays.push(column.array().clone());
        for (i, row) in rows.enumerate() {
            if let Some(slot) = self.of_row.get_mut(row) {
                *slot = (piece, column.index(i));
            }
        }
    }

    fn finish(self) -> Result<Column, EvalError> {
        let arrays: Vec<&dyn Array> = self.arrays.iter().map(|a| a.as_ref()).collect();
        Ok(Column::Array(interleave(&arrays, &self.of_row).map_err(broken)?))
    }
}

/// A bare NULL as a value of the type.
fn of_type(column: Column, data_type: &DataType) -> Result<Column, EvalError> {
    if column.array().data_type() == &data_type.to_arrow() {
        return Ok(column);
    }
    if column.array().logical_null_count() == column.array().len() {
        return Ok(Column::constant(&Value::Null, data_type)?);
    }
    Err(millstream_types::Fault::internal(format!(
        "a branch gave {}, not {data_type}",
        column.array().data_type()
    ))
    .into())
}

/// Searched CASE.
pub(super) fn case(
    program: &Program,
    branches: &[(NodeId, NodeId)],
    otherwise: NodeId,
    data_type: &DataType,
    frame: &Frame<'_>,
    context: &EvalContext,
) -> Result<Column, EvalError> {
    let mut pieces = Pieces::new(frame.rows());
    // Rows without a value yet, by their numbers in `frame`; `None`: all.
    let mut waiting: Option<UInt32Array> = None;
    for (condition, value) in branches {
        let part = waiting.as_ref().map(|w| frame.part(w.clone()));
        let here = part.as_ref().unwrap_or(frame);
        let truth = truth_of(&program.value(*condition, here, context)?, here.rows())?;
        let hits = truth.count_set_bits();
        if hits == 0 {
            continue;
        }
        let number = |i: usize| waiting.as_ref().map_or(i, |w| w.value(i) as usize);
        if hits == here.rows() {
            let column = of_type(program.value(*value, here, context)?, data_type)?;
            if waiting.is_none() {
                return Ok(column);
            }
            pieces.put((0..hits).map(number), &column);
            return pieces.finish();
        }
        let hit = here.part(positions(&truth));
        let column = of_type(program.value(*value, &hit, context)?, data_type)?;
        pieces.put(truth.set_indices().map(number), &column);
        let rest = !&truth;
        waiting = Some(rest.set_indices().map(|i| number(i) as u32).collect::<Vec<_>>().into());
    }
    let Some(waiting) = waiting else {
        return of_type(program.value(otherwise, frame, context)?, data_type);
    };
    let part = frame.part(waiting.clone());
    let column = of_type(program.value(otherwise, &part, context)?, data_type)?;
    pieces.put(waiting.values().iter().map(|w| *w as usize), &column);
    pieces.finish()
}

/// The first value that is not NULL; later ones are evaluated only where the earlier ones are NULL.
pub(super) fn coalesce(
    program: &Program,
    args: &[NodeId],
    data_type: &DataType,
    frame: &Frame<'_>,
    context: &EvalContext,
) -> Result<Column, EvalError> {
    let mut pieces = Pieces::new(frame.rows());
    let mut waiting: Option<UInt32Array> = None;
    for (n, arg) in args.iter().enumerate() {
        let part = waiting.as_ref().map(|w| frame.part(w.clone()));
        let here = part.as_ref().unwrap_or(frame);
        let column = of_type(program.value(*arg, here, context)?, data_type)?;
        let missing: Vec<u32> = (0..here.rows() as u32).filter(|i| column.is_null(*i as usize)).collect();
        let last = n + 1 == args.len();
        if waiting.is_none() && (missing.is_empty() || last) {
            return Ok(column);
        }
        let number = |i: usize| waiting.as_ref().map_or(i, |w| w.value(i) as usize);
        pieces.put((0..here.rows()).map(number), &column);
        if missing.is_empty() || last {
            return pieces.finish();
        }
        waiting = Some(missing.iter().map(|i| number(*i as usize) as u32).collect::<Vec<_>>().into());
    }
    pieces.finish()
}
