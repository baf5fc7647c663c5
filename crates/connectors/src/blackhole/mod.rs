//! The `blackhole` connector: takes all rows and keeps none. For measuring, and for queries that are run for their errors.
//!
//! Flink's documentation: "BlackHole SQL Connector".

mod sink;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use millstream_flow::{
    ChangelogMode, Connector, ConnectorCard, Guarantee, Sink, SinkCard, SinkSpec, Source, SourceSpec,
};
use millstream_types::Fault;

static CARD: ConnectorCard = ConnectorCard {
    name: "blackhole",
    aliases: &[],
    doc: "Takes rows and forgets them.",
    options: &[],
    metadata: &[],
    format: false,
    source: None,
    sink: Some(SinkCard {
        changes: ChangelogMode::Retract,
        guarantee: |_, _| Guarantee::None,
        partitions: true,
        overwrite: false,
    }),
};

/// The `blackhole` connector.
#[derive(Debug)]
pub struct Blackhole;

impl Connector for Blackhole {
    fn card(&self) -> &'static ConnectorCard {
        &CARD
    }

    fn source(&self, _: SourceSpec) -> Result<Arc<dyn Source>, Fault> {
        Err(crate::no_source("blackhole"))
    }

    fn sink(&self, _: SinkSpec) -> Result<Arc<dyn Sink>, Fault> {
        Ok(Arc::new(sink::BlackholeSink))
    }
}
