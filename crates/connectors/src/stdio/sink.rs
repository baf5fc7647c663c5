//! Writes encoded records to the standard output, at once.

use std::sync::Arc;

use millstream_flow::{
    BoxFuture, Committable, Committer, Encoded, Encoder, EncoderFactory, Sink, SinkSpec, Spawner, Writer,
    WriterContext,
};
use millstream_types::{Batch, Fault, SchemaRef};

use crate::terminal::{StandardOutput, Terminal, show};

/// A planned stdout table.
#[derive(Debug)]
pub(super) struct StdoutSink {
    encoders: Arc<dyn EncoderFactory>,
    schema: SchemaRef,
    terminal: Arc<dyn Terminal>,
    spawner: Arc<dyn Spawner>,
}

impl StdoutSink {
    pub fn new(spec: SinkSpec) -> Result<Self, Fault> {
        Self::on(Arc::new(StandardOutput), spec)
    }

    pub fn on(terminal: Arc<dyn Terminal>, spec: SinkSpec) -> Result<Self, Fault> {
        let encoders = spec.encoders.ok_or_else(|| Fault::internal("a stdout sink without an encoder"))?;
        Ok(StdoutSink { encoders, schema: spec.schema, terminal, spawner: spec.environment.spawner })
    }
}

impl Sink for StdoutSink {
    fn writer<'a>(&'a self, _: &'a WriterContext) -> BoxFuture<'a, Result<Box<dyn Writer>, Fault>> {
        Box::pin(async move {
            Ok(Box::new(StdoutWriter {
                encoder: self.encoders.encoder(&self.schema)?,
                encoded: Encoded::default(),
                terminal: Arc::clone(&self.terminal),
                spawner: Arc::clone(&self.spawner),
            }) as Box<dyn Writer>)
        })
    }

    fn committer(&self) -> Option<Box<dyn Committer>> {
        None
    }
}

struct StdoutWriter {
    encoder: Box<dyn Encoder>,
    encoded: Encoded,
    terminal: Arc<dyn Terminal>,
    spawner: Arc<dyn Spawner>,
}

impl Writer for StdoutWriter {
    fn write<'a>(&'a mut self, batch: &'a Batch) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(async move {
            self.encoded.clear();
            self.encoder.encode(batch, &mut self.encoded)?;
            let bytes = std::mem::take(&mut self.encoded.data);
            self.encoded.data = show(&*self.spawner, &self.terminal, bytes).await?;
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
