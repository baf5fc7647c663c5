//! The sink of a SELECT: rows go to the caller.

use millstream_flow::{BoxFuture, Committable, Committer, Sink, Writer, WriterContext};
use millstream_types::{Batch, Fault};
use tokio::sync::mpsc;

/// Hands batches to the caller as they come.
#[derive(Debug)]
pub(super) struct CollectSink {
    pub(super) rows: mpsc::Sender<Batch>,
}

struct CollectWriter {
    rows: mpsc::Sender<Batch>,
}

impl Sink for CollectSink {
    fn writer<'a>(&'a self, _: &'a WriterContext) -> BoxFuture<'a, Result<Box<dyn Writer>, Fault>> {
        let rows = self.rows.clone();
        Box::pin(async move { Ok(Box::new(CollectWriter { rows }) as Box<dyn Writer>) })
    }

    fn committer(&self) -> Option<Box<dyn Committer>> {
        None
    }
}

impl Writer for CollectWriter {
    fn write<'a>(&'a mut self, batch: &'a Batch) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(async move {
            // The caller wants no more rows: that ends the job, but is no failure.
            self.rows
                .send(batch.clone())
                .await
                .map_err(|_| Fault::user("cancelled", "the result is not read any more"))
        })
    }

    fn prepare(&mut self, _: u64) -> BoxFuture<'_, Result<Vec<Committable>, Fault>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn abort(&mut self) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async { Ok(()) })
    }
}
