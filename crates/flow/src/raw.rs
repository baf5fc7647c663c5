//! Raw records as a source delivers them.

use bytes::Bytes;
use millstream_types::Value;

/// Where a record's bytes are in its chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RecordSpan {
    /// Offset of the first byte.
    pub start: u32,
    /// Offset behind the last byte.
    pub end: u32,
}

/// A chunk of raw records of one split, in their order, undecoded.
#[derive(Debug, Clone, Default)]
pub struct RawChunk {
    /// The bytes; records are ranges of it, with or without delimiters between them. At most 2 GB.
    pub data: Bytes,
    /// The values of the records.
    pub records: Vec<RecordSpan>,
    /// The keys of the records, where the source has keys; an empty vector: it has none. A `None` entry: this record has no key.
    pub keys: Vec<Option<RecordSpan>>,
    /// The position of each record in its split, for messages and for resuming: a line number of a file, an offset of a queue.
    /// Empty: consecutive from `first_position`.
    pub positions: Vec<u64>,
    /// Position of the first record, where `positions` is empty.
    pub first_position: u64,
    /// Metadata columns that were asked for, each with one value a record (or one value for all).
    pub metadata: Vec<(&'static str, Vec<Value>)>,
}

impl RawChunk {
    /// The bytes of a record's value.
    pub fn record(&self, index: usize) -> &[u8] {
        let Some(span) = self.records.get(index) else { return &[] };
        self.data.get(span.start as usize..span.end as usize).unwrap_or(&[])
    }

    /// The position of a record in its split.
    pub fn position(&self, index: usize) -> u64 {
        self.positions.get(index).copied().unwrap_or(self.first_position + index as u64)
    }
}

/// How a byte stream (a file, stdin) falls into records. The format says it, the connector does it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Framing {
    /// Lines that end with this delimiter; with `\n`, a `\r` before it belongs to the delimiter.
    Lines {
        /// The delimiter's bytes.
        delimiter: Vec<u8>,
    },
    /// Lines, but a delimiter between quotes belongs to the record.
    QuotedLines {
        /// The delimiter's bytes.
        delimiter: Vec<u8>,
        /// The quote.
        quote: u8,
        /// The escape character inside quotes, besides the doubled quote.
        escape: Option<u8>,
    },
    /// As [`Framing::QuotedLines`], but a quote only opens at the beginning of a field: in `5\" pipe,x` it is a character like others.
    QuotedFields {
        /// The delimiter's bytes.
        delimiter: Vec<u8>,
        /// What stands between fields.
        separator: u8,
        /// The quote.
        quote: u8,
        /// The escape character inside quotes, besides the doubled quote.
        escape: Option<u8>,
    },
}

impl Default for Framing {
    fn default() -> Self {
        Framing::Lines { delimiter: b"\n".to_vec() }
    }
}
