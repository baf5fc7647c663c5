//! Keeps rows for the test to look at.

use std::sync::Arc;

use millstream_flow::{BoxFuture, Committable, Committer, Sink, SinkSpec, Writer, WriterContext};
use millstream_types::{Batch, Fault};

use super::handle::Tables;

/// A planned stepping table that is written.
#[derive(Debug, Clone)]
pub(super) struct SteppingSink {
    table: String,
    tables: Arc<Tables>,
}

impl SteppingSink {
    pub fn new(spec: &SinkSpec, tables: Arc<Tables>) -> Self {
        SteppingSink { table: spec.table.clone(), tables }
    }
}

impl Sink for SteppingSink {
    fn writer<'a>(&'a self, _: &'a WriterContext) -> BoxFuture<'a, Result<Box<dyn Writer>, Fault>> {
        Box::pin(async { Ok(Box::new(self.clone()) as Box<dyn Writer>) })
    }

    fn committer(&self) -> Option<Box<dyn Committer>> {
        None
    }
}

impl Writer for SteppingSink {
    fn write<'a>(&'a mut self, batch: &'a Batch) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(async move {
            let rows = (0..batch.rows).map(|i| (batch.kind(i), batch.row(i)));
            self.tables.with(&self.table, |t| t.written.extend(rows));
            Ok(())
        })
    }

    fn prepare(&mut self, _: u64) -> BoxFuture<'_, Result<Vec<Committable>, Fault>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn abort(&mut self) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async { Ok(()) })
    }
}
