//! The `stdin` and `stdout` connectors: records from and to the pipes of the process, for use between other commands.
//!
//! `stdin` ends when its pipe does, and cannot be read twice: a restored job goes on with what comes then. Flink has no such connectors.

mod options;
mod sink;
mod source;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use millstream_flow::{
    ChangelogMode, Connector, ConnectorCard, Guarantee, Sink, SinkCard, SinkSpec, Source, SourceCard,
    SourceSpec,
};
use millstream_types::Fault;

static STDIN_CARD: ConnectorCard = ConnectorCard {
    name: "stdin",
    aliases: &[],
    doc: "Reads records from the standard input of the process until its end.",
    options: options::STDIN_OPTIONS,
    metadata: &[],
    format: true,
    source: Some(SourceCard { bounded: |_| true, changes: ChangelogMode::Append, lookup: false }),
    sink: None,
};

static STDOUT_CARD: ConnectorCard = ConnectorCard {
    name: "stdout",
    aliases: &[],
    doc: "Writes records to the standard output of the process, as the format encodes them.",
    options: &[],
    metadata: &[],
    format: true,
    source: None,
    sink: Some(SinkCard {
        changes: ChangelogMode::Retract,
        guarantee: |_, _| Guarantee::None,
        partitions: false,
        overwrite: false,
    }),
};

/// The `stdin` connector.
#[derive(Debug)]
pub struct Stdin;

/// The `stdout` connector.
#[derive(Debug)]
pub struct Stdout;

impl Connector for Stdin {
    fn card(&self) -> &'static ConnectorCard {
        &STDIN_CARD
    }

    fn source(&self, spec: SourceSpec) -> Result<Arc<dyn Source>, Fault> {
        Ok(Arc::new(source::StdinSource::new(&spec, Box::new(std::io::stdin()))?))
    }

    fn sink(&self, _: SinkSpec) -> Result<Arc<dyn Sink>, Fault> {
        Err(crate::no_sink("stdin"))
    }
}

impl Connector for Stdout {
    fn card(&self) -> &'static ConnectorCard {
        &STDOUT_CARD
    }

    fn source(&self, _: SourceSpec) -> Result<Arc<dyn Source>, Fault> {
        Err(crate::no_source("stdout"))
    }

    fn sink(&self, spec: SinkSpec) -> Result<Arc<dyn Sink>, Fault> {
        Ok(Arc::new(sink::StdoutSink::new(spec)?))
    }
}
