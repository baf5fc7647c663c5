//! The outside of stepping tables.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use millstream_flow::Connector;
use millstream_types::{RowKind, Value};
use tokio::sync::Notify;

use super::{Script, Stepping};

/// A record of a stepping table.
#[derive(Debug, Clone, PartialEq)]
pub enum Record {
    /// The bytes that a format decodes.
    Raw(Vec<u8>),
    /// A row; its values are those of the table's physical columns.
    Row(RowKind, Vec<Value>),
}

/// Feeds tables and looks at what was written. Clones are the same handle.
#[derive(Debug, Clone, Default)]
pub struct SteppingHandle {
    tables: Arc<Tables>,
}

/// All tables, by name.
#[derive(Debug, Default)]
pub(super) struct Tables {
    state: Mutex<BTreeMap<String, Table>>,
    /// Something was pushed, ended, taken or asked for.
    pub changed: Notify,
}

#[derive(Debug, Default)]
pub(super) struct Table {
    /// Everything that was ever pushed, so that a restored reader finds it again.
    pub records: Vec<Record>,
    pub ended: bool,
    /// Open readers.
    pub readers: BTreeMap<u64, Progress>,
    next_reader: u64,
    /// Whether a reader has come to the end.
    pub finished: bool,
    /// Rows that were written.
    pub written: Vec<(RowKind, Vec<Value>)>,
}

/// How far a reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Progress {
    /// Records that were delivered.
    pub delivered: usize,
    /// Whether it has asked for more since.
    pub asking: bool,
}

impl Table {
    fn is_drained(&self) -> bool {
        if self.finished {
            return true;
        }
        let done = |p: &Progress| p.delivered == self.records.len() && p.asking && !self.ended;
        match self.readers.is_empty() {
            true => self.records.is_empty() && !self.ended,
            false => self.readers.values().all(done),
        }
    }
}

/// The last part of a table's name: `default_catalog.default_database.orders` is `orders`.
pub(super) fn short_name(table: &str) -> String {
    table.rsplit('.').next().unwrap_or(table).trim_matches('`').to_string()
}

impl Tables {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Table>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at a table or changes it, and wakes who waits.
    pub fn with<T>(&self, table: &str, change: impl FnOnce(&mut Table) -> T) -> T {
        let out = change(self.lock().entry(short_name(table)).or_default());
        self.changed.notify_waiters();
        out
    }

    /// Looks at a table.
    pub fn look<T>(&self, table: &str, look: impl FnOnce(&Table) -> T) -> T {
        look(self.lock().entry(short_name(table)).or_default())
    }

    /// Registers a reader that goes on behind `delivered` records; gives its number.
    pub fn open(&self, table: &str, delivered: usize) -> u64 {
        self.with(table, |t| {
            t.next_reader += 1;
            t.readers.insert(t.next_reader, Progress { delivered, asking: false });
            t.next_reader
        })
    }
}

impl SteppingHandle {
    /// A handle without tables; they come to be when they are named.
    pub fn new() -> Self {
        Self::default()
    }

    /// The connectors `stepping` and `stepping-rows` over this handle's tables.
    pub fn connectors(&self) -> [Arc<dyn Connector>; 2] {
        [false, true]
            .map(|rows| Arc::new(Stepping { rows, tables: Arc::clone(&self.tables) }) as Arc<dyn Connector>)
    }

    /// Adds a record to a table. Only the last part of the name counts.
    pub fn push(&self, table: &str, record: Record) {
        self.tables.with(table, |t| t.records.push(record));
    }

    /// Ends a table behind what was pushed.
    pub fn end(&self, table: &str) {
        self.tables.with(table, |t| t.ended = true);
    }

    /// How many readers a table has open.
    pub fn readers(&self, table: &str) -> usize {
        self.tables.look(table, |t| t.readers.len())
    }

    /// Whether each reader has delivered all of its table and asked for more. A table that has records and no reader yet is not drained;
    /// one that ended is when a reader has come to its end.
    pub fn is_drained(&self) -> bool {
        self.tables.lock().values().all(Table::is_drained)
    }

    /// Waits for [`SteppingHandle::is_drained`].
    pub async fn drained(&self) {
        loop {
            let changed = self.tables.changed.notified();
            if self.is_drained() {
                return;
            }
            changed.await;
        }
    }

    /// The rows that were written to a table so far, in their order.
    pub fn rows(&self, table: &str) -> Vec<(RowKind, Vec<Value>)> {
        self.tables.look(table, |t| t.written.clone())
    }

    /// A script that feeds several tables in one common order; `records` are (place in the order, table, record).
    pub fn script(&self, tables: &[&str], records: Vec<(u64, String, Record)>) -> Script {
        Script::new(self.clone(), tables, records)
    }
}
