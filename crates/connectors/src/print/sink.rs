//! Prints the rows of each batch at once.

use std::sync::Arc;

use millstream_flow::{BoxFuture, Committable, Committer, Sink, SinkSpec, Spawner, Writer, WriterContext};
use millstream_types::{Batch, Fault};

use super::options::PrintOptions;
use super::row_text::push_row;
use crate::terminal::{StandardError, StandardOutput, Terminal, show};

/// A planned print table.
#[derive(Debug)]
pub(super) struct PrintSink {
    options: PrintOptions,
    terminal: Arc<dyn Terminal>,
    spawner: Arc<dyn Spawner>,
}

impl PrintSink {
    pub fn new(spec: &SinkSpec) -> Result<Self, Fault> {
        let options = PrintOptions::read(&spec.options)?;
        let terminal: Arc<dyn Terminal> =
            if options.standard_error { Arc::new(StandardError) } else { Arc::new(StandardOutput) };
        Ok(Self::on(terminal, options, spec))
    }

    pub fn on(terminal: Arc<dyn Terminal>, options: PrintOptions, spec: &SinkSpec) -> Self {
        PrintSink { options, terminal, spawner: Arc::clone(&spec.environment.spawner) }
    }

    /// What stands before each row of a writer.
    fn prefix(&self, context: &WriterContext) -> String {
        let mut prefix = self.options.identifier.clone();
        if self.options.parallelism > 1 || context.parallelism > 1 {
            if !prefix.is_empty() {
                prefix.push(':');
            }
            prefix.push_str(&(context.index + 1).to_string());
        }
        if !prefix.is_empty() {
            prefix.push_str("> ");
        }
        prefix
    }
}

impl Sink for PrintSink {
    fn writer<'a>(&'a self, context: &'a WriterContext) -> BoxFuture<'a, Result<Box<dyn Writer>, Fault>> {
        Box::pin(async move {
            Ok(Box::new(PrintWriter {
                prefix: self.prefix(context),
                terminal: Arc::clone(&self.terminal),
                spawner: Arc::clone(&self.spawner),
                buffer: Vec::new(),
            }) as Box<dyn Writer>)
        })
    }

    fn committer(&self) -> Option<Box<dyn Committer>> {
        None
    }
}

struct PrintWriter {
    prefix: String,
    terminal: Arc<dyn Terminal>,
    spawner: Arc<dyn Spawner>,
    buffer: Vec<u8>,
}

impl Writer for PrintWriter {
    fn write<'a>(&'a mut self, batch: &'a Batch) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(async move {
            // A buffer of bytes is lent to the terminal; text is built in it as a String.
            let mut text = String::from_utf8(std::mem::take(&mut self.buffer)).unwrap_or_default();
            for row in 0..batch.rows {
                text.push_str(&self.prefix);
                push_row(&mut text, batch, row);
                text.push('\n');
            }
            self.buffer = show(&*self.spawner, &self.terminal, text.into_bytes()).await?;
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
