//! The rows of a chunk that some subscriber wants, and a scan's output from them.

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute;
use millstream_expr::{EvalContext, EvalError};
use millstream_flow::MIN_WATERMARK;
use millstream_rules::Hits;
use millstream_types::{Batch, Fault, RowKind};

/// A scan's output for its hits. `survivors` are the rows for which `built` holds entries (`None`: all).
#[allow(clippy::too_many_arguments)] // all of them are of one chunk, and a struct would only rename them
pub(super) fn output(
    scan: &super::SubscribedScan,
    hits: &Hits,
    rows: usize,
    survivors: Option<&Survivors>,
    built: &[Option<ArrayRef>],
    watermarks: Option<&Arc<[i64]>>,
    kinds: Option<&[RowKind]>,
    eval: &EvalContext,
) -> Result<Option<Batch>, EvalError> {
    let count = match hits {
        Hits::All => rows,
        Hits::Rows(r) => r.len(),
    };
    if count == 0 {
        return Ok(None);
    }
    let stored = survivors.map_or(rows, |s| arrow::array::Array::len(&s.rows));
    let pick = match hits {
        Hits::Rows(r) if r.len() < stored => Some(positions(r, survivors)),
        _ => None,
    };
    let mut read = Vec::with_capacity(scan.output.reads.len());
    for c in &scan.output.reads {
        let array =
            built.get(*c).and_then(Option::as_ref).ok_or_else(|| Fault::internal("column was not built"))?;
        read.push(match &pick {
            None => array.clone(),
            Some(p) => {
                compute::take(array, p, None).map_err(|e| Fault::internal(format!("taking rows: {e}")))?
            }
        });
    }
    let selected = |all: &[i64]| -> Arc<[i64]> {
        match hits {
            Hits::All => all.into(),
            Hits::Rows(r) => {
                r.iter().map(|i| all.get(*i as usize).copied().unwrap_or(MIN_WATERMARK)).collect()
            }
        }
    };
    let watermarks = watermarks.map(|w| selected(w));
    let columns = scan.output.columns(&read, count, watermarks.as_deref(), eval).map_err(|e| match hits {
        Hits::Rows(r) => e.mapped(r),
        Hits::All => e,
    })?;
    let mut batch = Batch::new(scan.output.schema.clone(), columns, count);
    batch.watermarks = watermarks;
    batch.kinds = kinds.map(|k| match hits {
        Hits::All => k.into(),
        Hits::Rows(r) => r.iter().map(|i| k.get(*i as usize).copied().unwrap_or(RowKind::Insert)).collect(),
    });
    Ok(Some(batch))
}

/// The rows of a chunk that some subscriber wants, ascending.
pub(super) struct Survivors {
    pub(super) rows: UInt32Array,
    /// For each of them, by its number in the chunk, its position in `rows`.
    pub(super) rank: Vec<u32>,
}

pub(super) fn mark(rank: &mut [u32], row: u32) {
    if let Some(r) = rank.get_mut(row as usize) {
        *r = 1;
    }
}

/// The rows that are marked; each one's mark becomes its position among them.
pub(super) fn rank_marked(rank: &mut [u32]) -> Vec<u32> {
    let mut marked = Vec::new();
    for (row, r) in rank.iter_mut().enumerate().filter(|(_, r)| **r != 0) {
        *r = marked.len() as u32;
        marked.push(row as u32);
    }
    marked
}

/// Where rows are among the survivors.
fn positions(rows: &[u32], survivors: Option<&Survivors>) -> UInt32Array {
    let Some(survivors) = survivors else { return UInt32Array::from(rows.to_vec()) };
    let at = |r: &u32| survivors.rank.get(*r as usize).copied().unwrap_or(0);
    rows.iter().map(at).collect::<Vec<u32>>().into()
}
