//! The `stepping` connectors: tables that a test feeds record by record from the outside, through a [`SteppingHandle`].
//!
//! Not in the list of a product's connectors: a test hands [`SteppingHandle::connectors`] to its session. `stepping` delivers raw records
//! for a format, `stepping-rows` rows, and as a sink keeps the rows that it is given for [`SteppingHandle::rows`].
//!
//! A reader delivers one record a read. [`SteppingHandle::drained`] waits until each reader has asked again after its last record; that
//! the record has also left the operators behind the scan is what the session's own drained signal says.

mod handle;
mod options;
mod script;
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

use handle::Tables;
pub use handle::{Record, SteppingHandle};
pub use script::{Script, Step};

static RAW_CARD: ConnectorCard = ConnectorCard {
    name: "stepping",
    aliases: &[],
    doc: "Raw records that a test feeds one by one.",
    options: options::OPTIONS,
    metadata: &[],
    format: true,
    source: Some(SourceCard { bounded: options::is_bounded, changes: ChangelogMode::Append, lookup: false }),
    sink: None,
};

static ROWS_CARD: ConnectorCard = ConnectorCard {
    name: "stepping-rows",
    aliases: &[],
    doc: "Rows that a test feeds one by one, or that it looks at.",
    options: options::OPTIONS,
    metadata: &[],
    format: false,
    source: Some(SourceCard { bounded: options::is_bounded, changes: ChangelogMode::Retract, lookup: false }),
    sink: Some(SinkCard {
        changes: ChangelogMode::Retract,
        guarantee: |_, _| Guarantee::None,
        partitions: true,
        overwrite: false,
    }),
};

/// A connector of raw records or rows, over the tables of a handle.
#[derive(Debug, Clone)]
pub struct Stepping {
    rows: bool,
    tables: Arc<Tables>,
}

impl Connector for Stepping {
    fn card(&self) -> &'static ConnectorCard {
        if self.rows { &ROWS_CARD } else { &RAW_CARD }
    }

    fn source(&self, spec: SourceSpec) -> Result<Arc<dyn Source>, Fault> {
        Ok(Arc::new(source::SteppingSource::new(spec, self.rows, Arc::clone(&self.tables))))
    }

    fn sink(&self, spec: SinkSpec) -> Result<Arc<dyn Sink>, Fault> {
        if !self.rows {
            return Err(crate::no_sink("stepping"));
        }
        Ok(Arc::new(sink::SteppingSink::new(&spec, Arc::clone(&self.tables))))
    }
}
