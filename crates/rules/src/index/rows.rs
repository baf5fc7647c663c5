//! Sets of a chunk's rows, and the columns that terms are evaluated on.

use arrow::array::{ArrayRef, BooleanArray, UInt32Array, new_empty_array};
use arrow::datatypes::DataType as Arrow;
use millstream_expr::{EvalContext, EvalError, Rows};
use millstream_types::Fault;

use super::compile::Term;
use crate::RuleInput;

/// A set of rows, a bit a row.
#[derive(Debug, Default)]
pub(super) struct RowSet(Vec<u64>);

impl Clone for RowSet {
    fn clone(&self) -> Self {
        RowSet(self.0.clone())
    }

    fn clone_from(&mut self, other: &Self) {
        self.0.clone_from(&other.0);
    }
}

impl RowSet {
    pub(super) fn reset(&mut self, rows: usize) {
        self.0.clear();
        self.0.resize(rows.div_ceil(64), 0);
    }

    #[inline]
    pub(super) fn insert(&mut self, row: u32) {
        if let Some(word) = self.0.get_mut(row as usize / 64) {
            *word |= 1 << (row % 64);
        }
    }

    #[inline]
    pub(super) fn contains(&self, row: u32) -> bool {
        self.0.get(row as usize / 64).is_some_and(|w| w >> (row % 64) & 1 != 0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|w| *w == 0)
    }

    /// Adds the rows of another set of the same chunk.
    pub(super) fn add(&mut self, other: &RowSet) {
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    /// Calls `visit` with each row, ascending.
    pub(super) fn each(&self, mut visit: impl FnMut(u32)) {
        for (i, word) in self.0.iter().enumerate() {
            let mut word = *word;
            while word != 0 {
                visit(i as u32 * 64 + word.trailing_zeros());
                word &= word - 1;
            }
        }
    }

    pub(super) fn rows(&self) -> Vec<u32> {
        let mut out = Vec::new();
        self.each(|row| out.push(row));
        out
    }
}

/// The columns of a chunk for some rows, built when a term asks for them.
pub(super) struct View<'i> {
    pub(super) input: &'i mut dyn RuleInput,
    rows: usize,
    /// The rows that columns are built for; `None`: all.
    subset: Option<UInt32Array>,
    /// For each row its position in `subset`.
    rank: Vec<u32>,
    columns: Vec<ArrayRef>,
    built: Vec<bool>,
    watermarks: Option<Vec<i64>>,
}

impl<'i> View<'i> {
    /// A view of some rows (ascending), or of all.
    pub(super) fn new(input: &'i mut dyn RuleInput, subset: Option<Vec<u32>>, width: usize) -> Self {
        let rows = input.rows();
        let mut rank = Vec::new();
        let mut watermarks = None;
        if let Some(subset) = &subset {
            rank.resize(rows, 0);
            for (i, row) in subset.iter().enumerate() {
                if let Some(r) = rank.get_mut(*row as usize) {
                    *r = i as u32;
                }
            }
            watermarks = input
                .watermarks()
                .map(|w| subset.iter().map(|r| w.get(*r as usize).copied().unwrap_or(i64::MIN)).collect());
        }
        let empty = new_empty_array(&Arrow::Null);
        View {
            input,
            rows,
            subset: subset.map(UInt32Array::from),
            rank,
            columns: vec![empty; width],
            built: vec![false; width],
            watermarks,
        }
    }

    /// Builds columns that are not built yet.
    ///
    /// # Errors
    /// When a value cannot be built.
    pub(super) fn build(&mut self, columns: &[usize]) -> Result<(), Fault> {
        for c in columns {
            if self.built.get(*c) == Some(&false) {
                let array = self.input.column(*c, self.subset.as_ref())?;
                if let (Some(slot), Some(built)) = (self.columns.get_mut(*c), self.built.get_mut(*c)) {
                    (*slot, *built) = (array, true);
                }
            }
        }
        Ok(())
    }

    /// A column that was built.
    pub(super) fn column(&self, column: usize) -> ArrayRef {
        self.columns.get(column).cloned().unwrap_or_else(|| new_empty_array(&Arrow::Null))
    }

    /// Number of rows that columns are built for.
    pub(super) fn count(&self) -> usize {
        self.subset.as_ref().map_or(self.rows, |s| s.len())
    }

    /// The rows that columns are built for.
    pub(super) fn rows(&self) -> Vec<u32> {
        match &self.subset {
            Some(subset) => subset.values().to_vec(),
            None => (0..self.rows as u32).collect(),
        }
    }

    /// Where a row is in the columns.
    #[inline]
    pub(super) fn position(&self, row: u32) -> usize {
        match &self.subset {
            Some(_) => self.rank.get(row as usize).copied().unwrap_or(0) as usize,
            None => row as usize,
        }
    }

    /// The rows among `among` (`None`: all of the chunk) for which a term is TRUE.
    ///
    /// # Errors
    /// What is not about the term: a column that cannot be built.
    pub(super) fn hits(
        &mut self,
        term: &Term,
        among: Option<&[u32]>,
        context: &EvalContext,
    ) -> Result<Result<Vec<u32>, EvalError>, Fault> {
        self.build(&term.columns)?;
        let predicate = match term.predicate() {
            Ok(p) => p,
            Err(fault) => return Ok(Err(fault.into())),
        };
        let count = self.count();
        let watermarks = match &self.subset {
            Some(_) => self.watermarks.as_deref(),
            None => self.input.watermarks(),
        };
        let view = Rows { columns: &self.columns, rows: count, watermarks };
        let among = among.filter(|a| a.len() < count);
        let mask = match (among, &self.subset) {
            (None, _) => predicate.eval(&view, context),
            (Some(rows), None) => predicate.eval_selected(&view, rows, context),
            (Some(rows), Some(_)) => {
                let ranks: Vec<u32> =
                    rows.iter().map(|r| self.rank.get(*r as usize).copied().unwrap_or(0)).collect();
                predicate.eval_selected(&view, &ranks, context)
            }
        };
        let mask: BooleanArray = match mask {
            Ok(mask) => mask,
            Err(e) => {
                return Ok(Err(match &self.subset {
                    Some(subset) => e.mapped(subset.values()),
                    None => e,
                }));
            }
        };
        let set = mask.values().set_indices();
        Ok(Ok(match (among, &self.subset) {
            (Some(rows), _) => set.filter_map(|i| rows.get(i).copied()).collect(),
            (None, Some(subset)) => set.filter_map(|i| subset.values().get(i).copied()).collect(),
            (None, None) => set.map(|i| i as u32).collect(),
        }))
    }
}
