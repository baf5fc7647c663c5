//! The rows on which atoms hold.

/// Number of an atom among those that are searched for.
pub(super) type Slot = u32;

/// Rows by slot, ascending. Slots without a row cost nothing.
#[derive(Debug, Default)]
pub(super) struct Found {
    rows: Vec<Vec<u32>>,
    touched: Vec<Slot>,
    /// Whether some row was given to atoms that could not be decided on it.
    pub(super) open: bool,
}

impl Found {
    #[cfg(test)]
    pub(super) fn new(slots: usize) -> Self {
        Found { rows: vec![Vec::new(); slots], touched: Vec::new(), open: false }
    }

    /// Room for so many slots.
    pub(super) fn grow(&mut self, slots: usize) {
        if self.rows.len() < slots {
            self.rows.resize(slots, Vec::new());
        }
    }

    /// An atom holds on a row; rows come in ascending order for each slot.
    #[inline]
    pub(super) fn emit(&mut self, slot: Slot, row: u32) {
        let Some(rows) = self.rows.get_mut(slot as usize) else { return };
        match rows.last() {
            None => self.touched.push(slot),
            Some(last) if *last == row => return,
            Some(_) => {}
        }
        rows.push(row);
    }

    pub(super) fn touched(&self) -> &[Slot] {
        &self.touched
    }

    pub(super) fn rows(&self, slot: Slot) -> &[u32] {
        self.rows.get(slot as usize).map_or(&[], Vec::as_slice)
    }

    pub(super) fn clear(&mut self) {
        for slot in self.touched.drain(..) {
            if let Some(rows) = self.rows.get_mut(slot as usize) {
                rows.clear();
            }
        }
        self.open = false;
    }
}
