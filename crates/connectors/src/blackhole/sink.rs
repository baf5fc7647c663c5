//! Forgets rows.

use millstream_flow::{BoxFuture, Committable, Committer, Sink, Writer, WriterContext};
use millstream_types::{Batch, Fault};

/// A planned blackhole table, and its writer. The engine counts the rows that it hands to a sink.
#[derive(Debug)]
pub(super) struct BlackholeSink;

impl Sink for BlackholeSink {
    fn writer<'a>(&'a self, _: &'a WriterContext) -> BoxFuture<'a, Result<Box<dyn Writer>, Fault>> {
        Box::pin(async { Ok(Box::new(BlackholeSink) as Box<dyn Writer>) })
    }

    fn committer(&self) -> Option<Box<dyn Committer>> {
        None
    }
}

impl Writer for BlackholeSink {
    fn write<'a>(&'a mut self, _: &'a Batch) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(async { Ok(()) })
    }

    fn prepare(&mut self, _: u64) -> BoxFuture<'_, Result<Vec<Committable>, Fault>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn abort(&mut self) -> BoxFuture<'_, Result<(), Fault>> {
        Box::pin(async { Ok(()) })
    }
}
