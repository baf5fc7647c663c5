//! The vocabulary of streaming: traits and small types, no bodies. What a source, a format, a sink and the engine say to each other.
//!
//! This crate must never know SQL, expressions, any particular connector or format, or tokio.
//!
//! **Who decodes.** A queue or file source delivers raw records ([`RawChunk`]) and never decodes; the engine's scan asks a format's
//! [`Decoder`] to cut them into slices and to build columns for the rows that survive. A sink is handed an [`Encoder`] and never names a
//! format. Sources of rows give [`Batch`](millstream_types::Batch)es.

mod account;
mod card;
mod connector;
mod decode;
mod element;
mod encode;
mod options;
mod raw;
mod sink;
mod source;
mod spawn;

pub use account::{Charge, MemoryBudget};
pub use card::{
    ChangelogMode, ConnectorCard, FormatCard, Guarantee, MetadataColumn, OptionCard, OptionKind,
    SCAN_OPTIONS, SinkCard, SourceCard,
};
pub use connector::{Connector, EncoderFactory, Environment, Format, SinkSpec, SourceSpec};
pub use decode::{BadRecord, Decoder, DecoderSpec, FieldSpec};
pub use element::{Barrier, Element, MAX_WATERMARK, MIN_WATERMARK, Watermark};
pub use encode::{Encoded, Encoder, EncoderSpec};
pub use options::{Options, parse_boolean, parse_duration, parse_memory_size};
pub use raw::{Framing, RawChunk, RecordSpan};
pub use sink::{Committable, Committer, Sink, Writer, WriterContext};
pub use source::{Offset, Read, Source, Split, SplitReader};
pub use spawn::{BoxFuture, Spawner};
