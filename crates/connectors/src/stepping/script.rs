//! Several tables that share one order.

use std::collections::{BTreeMap, VecDeque};

use super::{Record, SteppingHandle};

/// Feeds records of several tables in ascending order, a step at a time. A table without further records ends in the step behind its
/// last one, an empty table at the start.
#[derive(Debug)]
pub struct Script {
    handle: SteppingHandle,
    records: VecDeque<(u64, String, Record)>,
    /// Records that each table still has.
    left: BTreeMap<String, usize>,
    /// Tables whose end comes before the next record.
    ending: VecDeque<String>,
}

/// What a step did. Let it go all the way through before the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// A record was pushed.
    Pushed {
        /// Its table.
        table: String,
        /// Its place in the order.
        sequence: u64,
    },
    /// A table ended.
    Ended {
        /// The table.
        table: String,
    },
    /// Nothing is left.
    Done,
}

impl Script {
    pub(super) fn new(
        handle: SteppingHandle,
        tables: &[&str],
        mut records: Vec<(u64, String, Record)>,
    ) -> Self {
        records.sort_by_key(|r| r.0);
        let mut left: BTreeMap<String, usize> = tables.iter().map(|t| ((*t).to_string(), 0)).collect();
        for (_, table, _) in &records {
            *left.entry(table.clone()).or_default() += 1;
        }
        let ending = left.iter().filter(|(_, n)| **n == 0).map(|(t, _)| t.clone()).collect();
        Script { handle, records: records.into(), left, ending }
    }

    /// Ends a table or pushes a record.
    pub fn step(&mut self) -> Step {
        if let Some(table) = self.ending.pop_front() {
            self.handle.end(&table);
            return Step::Ended { table };
        }
        let Some((sequence, table, record)) = self.records.pop_front() else { return Step::Done };
        self.handle.push(&table, record);
        if let Some(left) = self.left.get_mut(&table) {
            *left = left.saturating_sub(1);
            if *left == 0 {
                self.ending.push_back(table.clone());
            }
        }
        Step::Pushed { table, sequence }
    }
}
