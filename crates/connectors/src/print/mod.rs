//! The `print` connector: rows on the standard output, as Flink prints them: `+I[1, a]`.
//!
//! Flink's documentation: "Print SQL Connector". A prefix comes before each row: the identifier, if one is set, and the number of the
//! writer, if there are several (`orders:2> +I[1, a]`).

mod options;
mod row_text;
mod sink;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use millstream_flow::{
    ChangelogMode, Connector, ConnectorCard, Guarantee, Sink, SinkCard, SinkSpec, Source, SourceSpec,
};
use millstream_types::Fault;

pub use row_text::push_row;

static CARD: ConnectorCard = ConnectorCard {
    name: "print",
    aliases: &[],
    doc: "Prints rows with their kinds on the standard output or the standard error.",
    options: options::OPTIONS,
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

/// The `print` connector.
#[derive(Debug)]
pub struct Print;

impl Connector for Print {
    fn card(&self) -> &'static ConnectorCard {
        &CARD
    }

    fn source(&self, _: SourceSpec) -> Result<Arc<dyn Source>, Fault> {
        Err(crate::no_source("print"))
    }

    fn sink(&self, spec: SinkSpec) -> Result<Arc<dyn Sink>, Fault> {
        Ok(Arc::new(sink::PrintSink::new(&spec)?))
    }
}
