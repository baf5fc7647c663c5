//! The `datagen` connector: rows made up as its options say, random or in sequence.
//!
//! Flink's documentation: "DataGen SQL Connector". Two things are better than there: the offset holds the seed, so that a restored job
//! sees the same random rows again and not only the same sequences; and the rate is kept by the clock that the job is handed.
//! The current DATE and TIME are those of UTC.

mod generate;
mod options;
mod source;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use millstream_flow::{
    ChangelogMode, Connector, ConnectorCard, Sink, SinkSpec, Source, SourceCard, SourceSpec,
};
use millstream_types::Fault;

static CARD: ConnectorCard = ConnectorCard {
    name: "datagen",
    aliases: &[],
    doc: "Makes up rows for tests and demonstrations.",
    options: options::OPTIONS,
    metadata: &[],
    format: false,
    source: Some(SourceCard { bounded: options::is_bounded, changes: ChangelogMode::Append, lookup: false }),
    sink: None,
};

/// The `datagen` connector.
#[derive(Debug)]
pub struct Datagen;

impl Connector for Datagen {
    fn card(&self) -> &'static ConnectorCard {
        &CARD
    }

    fn source(&self, spec: SourceSpec) -> Result<Arc<dyn Source>, Fault> {
        Ok(Arc::new(source::DatagenSource::new(spec)?))
    }

    fn sink(&self, _: SinkSpec) -> Result<Arc<dyn Sink>, Fault> {
        Err(crate::no_sink("datagen"))
    }
}
