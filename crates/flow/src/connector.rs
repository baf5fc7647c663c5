//! How a connector or format is made from a table's options.

use std::fmt::Debug;
use std::sync::Arc;

use millstream_types::{Clock, Fault, Random, SchemaRef};

use crate::{
    ConnectorCard, Decoder, DecoderSpec, Encoder, EncoderSpec, FormatCard, Framing, Options, Sink, Source,
    Spawner,
};

/// What connectors are handed besides their options.
#[derive(Debug, Clone)]
pub struct Environment {
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub random: Arc<dyn Random>,
    /// Background work.
    pub spawner: Arc<dyn Spawner>,
}

/// What a source is made from.
#[derive(Debug, Clone)]
pub struct SourceSpec {
    /// The table's name, for messages.
    pub table: String,
    /// All physical columns (rows of a source without format have these).
    pub schema: SchemaRef,
    /// The connector's options.
    pub options: Options,
    /// How byte streams fall into records, as the format wants it; `None` for sources of rows.
    pub framing: Option<Framing>,
    /// Metadata columns that the job reads, by key, in the order of the chunk's `metadata`.
    pub metadata: Vec<String>,
    /// PARTITIONED BY columns.
    pub partition_keys: Vec<String>,
    /// Clock, randomness, spawner.
    pub environment: Environment,
}

/// What a sink is made from.
#[derive(Debug)]
pub struct SinkSpec {
    /// The table's name, for messages.
    pub table: String,
    /// The columns that are written, in the order of batches, persisted metadata columns last.
    pub schema: SchemaRef,
    /// The connector's options.
    pub options: Options,
    /// Makes encoders of the columns that are not partition keys; `None` for sinks of rows.
    pub encoders: Option<Arc<dyn EncoderFactory>>,
    /// PARTITIONED BY columns.
    pub partition_keys: Vec<String>,
    /// Positions of the primary key's columns; empty: none.
    pub primary_key: Vec<usize>,
    /// Whether the statement is INSERT OVERWRITE.
    pub overwrite: bool,
    /// Whether the input of the job is bounded.
    pub bounded: bool,
    /// `table.local-time-zone`.
    pub zone: Arc<str>,
    /// Clock, randomness, spawner.
    pub environment: Environment,
}

/// Makes encoders for a table's format with its options.
pub trait EncoderFactory: Send + Sync + Debug {
    /// An encoder of rows with this schema (a partitioned sink leaves columns out).
    ///
    /// # Errors
    /// User, when a type cannot be written.
    fn encoder(&self, schema: &SchemaRef) -> Result<Box<dyn Encoder>, Fault>;
}

/// A connector: a line in the list of `connectors`.
pub trait Connector: Send + Sync + Debug {
    /// What it can do.
    fn card(&self) -> &'static ConnectorCard;

    /// Makes a source. Looks at options, not at the outside.
    ///
    /// # Errors
    /// User, for a wrong option or a type that it cannot give.
    fn source(&self, spec: SourceSpec) -> Result<Arc<dyn Source>, Fault>;

    /// Makes a sink. Looks at options, not at the outside.
    ///
    /// # Errors
    /// User, for a wrong option or a type that it cannot take.
    fn sink(&self, spec: SinkSpec) -> Result<Arc<dyn Sink>, Fault>;
}

/// A format: a line in the list of `formats`.
pub trait Format: Send + Sync + Debug {
    /// What it can do.
    fn card(&self) -> &'static FormatCard;

    /// How byte streams fall into records.
    ///
    /// # Errors
    /// User, for a wrong option.
    fn framing(&self, options: &Options) -> Result<Framing, Fault>;

    /// Makes a decoder.
    ///
    /// # Errors
    /// User, for a wrong option or a type that it cannot give.
    fn decoder(&self, spec: DecoderSpec) -> Result<Box<dyn Decoder>, Fault>;

    /// Makes an encoder.
    ///
    /// # Errors
    /// User, for a wrong option or a type that it cannot write.
    fn encoder(&self, spec: EncoderSpec) -> Result<Box<dyn Encoder>, Fault>;
}
