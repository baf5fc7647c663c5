//! The running watermark of a scan.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{DataType as Arrow, TimeUnit, TimestampMicrosecondType, TimestampNanosecondType};
use millstream_expr::{EvalContext, EvalError, Program, Rows};
use millstream_flow::MIN_WATERMARK;
use millstream_plan::WatermarkSpec;
use millstream_types::Fault;

/// Follows one watermark declaration over all splits.
#[derive(Debug)]
pub struct WatermarkTracker {
    column: Arc<str>,
    program: Program,
    /// Columns of the scan group that the declaration reads.
    pub columns: Vec<usize>,
    /// What each split has reached.
    splits: Vec<SplitWatermark>,
    combined: i64,
}

#[derive(Debug, Clone)]
struct SplitWatermark {
    reached: i64,
    counts: bool,
}

impl WatermarkTracker {
    /// A tracker of a declaration over the scan group's columns.
    ///
    /// # Errors
    /// When its expressions cannot be compiled.
    pub fn new(spec: &WatermarkSpec) -> Result<Self, Fault> {
        let mut columns = spec.rowtime.columns();
        columns.extend(spec.watermark.columns());
        columns.sort_unstable();
        columns.dedup();
        Ok(WatermarkTracker {
            column: spec.column.clone(),
            program: Program::compile(&[spec.rowtime.clone(), spec.watermark.clone()])?,
            columns,
            splits: Vec::new(),
            combined: MIN_WATERMARK,
        })
    }

    /// The watermark of the whole scan.
    pub fn combined(&self) -> i64 {
        self.combined
    }

    /// What a split has reached, for checkpoints.
    pub fn split(&self, split: usize) -> Option<i64> {
        self.splits.get(split).map(|s| s.reached).filter(|w| *w != MIN_WATERMARK)
    }

    /// A split begins, at a watermark that a checkpoint had.
    pub fn begin(&mut self, split: usize, reached: Option<i64>) {
        self.slot(split).counts = true;
        self.slot(split).reached = reached.unwrap_or(MIN_WATERMARK);
    }

    /// Where it stands before the rows of a split.
    pub fn mark(&self, split: usize) -> (i64, i64) {
        (self.splits.get(split).map_or(MIN_WATERMARK, |s| s.reached), self.combined)
    }

    /// Stands again where it stood before the rows of a split.
    pub fn go_back(&mut self, split: usize, (reached, combined): (i64, i64)) {
        self.slot(split).reached = reached;
        self.combined = combined;
    }

    /// Goes on where a tracker of the same declaration stands, whose split i is this one's split `splits[i]`.
    pub fn follow(&mut self, other: &WatermarkTracker, splits: &[usize]) {
        self.combined = other.combined;
        for (state, split) in other.splits.iter().zip(splits) {
            *self.slot(*split) = state.clone();
        }
    }

    /// Whether another tracker of the same declaration will say the same from here on.
    pub fn agrees(&self, other: &WatermarkTracker) -> bool {
        let counting =
            |t: &WatermarkTracker, i: usize| t.splits.get(i).filter(|s| s.counts).map(|s| s.reached);
        let most = self.splits.len().max(other.splits.len());
        self.combined == other.combined
            && (0..most).all(|i| counting(self, i) == counting(other, i) && self.split(i) == other.split(i))
    }

    /// A split has ended or is read in sequence with others: it holds nothing back any more.
    pub fn finish(&mut self, split: usize) {
        self.slot(split).counts = false;
    }

    fn slot(&mut self, split: usize) -> &mut SplitWatermark {
        while self.splits.len() <= split {
            self.splits.push(SplitWatermark { reached: MIN_WATERMARK, counts: false });
        }
        // The loop above made it.
        #[allow(clippy::indexing_slicing)]
        &mut self.splits[split]
    }

    /// Moves on over the rows of a split; gives for each row the watermark before it.
    ///
    /// # Errors
    /// At a row whose rowtime is NULL, before any filter, as Flink does; or when an expression fails.
    pub fn advance(
        &mut self,
        split: usize,
        columns: &[ArrayRef],
        rows: usize,
        context: &EvalContext,
    ) -> Result<Arc<[i64]>, EvalError> {
        let view = Rows { columns, rows, watermarks: None };
        let values = self.program.eval(&view, context)?;
        let (Some(rowtime), Some(watermark)) = (values.first(), values.get(1)) else {
            return Err(Fault::internal("watermark without value").into());
        };
        if rowtime.null_count() > 0 {
            let row = (0..rows).find(|r| rowtime.is_null(*r)).unwrap_or(0);
            return Err(EvalError::at_row(
                row,
                Fault::user("null-rowtime", format!("the rowtime '{}' is NULL, but it must not be", self.column))
                    .hint("give such rows a time in a computed column (COALESCE), or filter them in a job before this one"),
            ));
        }
        let read = millis_of(watermark)?;
        let mut reached = self.slot(split).reached;
        let others = self
            .splits
            .iter()
            .enumerate()
            .filter(|(i, s)| *i != split && s.counts)
            .map(|(_, s)| s.reached)
            .min()
            .unwrap_or(i64::MAX);
        let mut combined = self.combined;
        let before = (0..rows)
            .map(|row| {
                let before = combined;
                if let Some(w) = read(row) {
                    reached = reached.max(w);
                    combined = combined.max(reached.min(others));
                }
                before
            })
            .collect();
        self.slot(split).reached = reached;
        self.combined = combined;
        Ok(before)
    }
}

/// Reads a timestamp column as milliseconds.
fn millis_of(array: &ArrayRef) -> Result<Box<dyn Fn(usize) -> Option<i64> + '_>, Fault> {
    match array.data_type() {
        Arrow::Timestamp(TimeUnit::Microsecond, _) => {
            let a = array.as_primitive::<TimestampMicrosecondType>();
            Ok(Box::new(move |r| a.is_valid(r).then(|| a.value(r).div_euclid(1000))))
        }
        Arrow::Timestamp(TimeUnit::Nanosecond, _) => {
            let a = array.as_primitive::<TimestampNanosecondType>();
            Ok(Box::new(move |r| a.is_valid(r).then(|| a.value(r).div_euclid(1_000_000))))
        }
        other => Err(Fault::internal(format!("a watermark of type {other}"))),
    }
}
