//! From columns to bytes.

use std::fmt::Debug;
use std::sync::Arc;

use millstream_types::{Batch, Fault, SchemaRef};

use crate::{Options, RecordSpan};

/// What an encoder is made from.
#[derive(Debug, Clone)]
pub struct EncoderSpec {
    /// The columns that are written.
    pub schema: SchemaRef,
    /// The format's options, without its prefix.
    pub options: Options,
    /// `table.local-time-zone`.
    pub zone: Arc<str>,
}

/// Encoded records.
#[derive(Debug, Clone, Default)]
pub struct Encoded {
    /// The bytes.
    pub data: Vec<u8>,
    /// Where each record is in them, without delimiter. Line-oriented formats put the delimiter behind each record, so that a file sink
    /// can write `data` as it is.
    pub records: Vec<RecordSpan>,
}

impl Encoded {
    /// Forgets the records, keeping the memory.
    pub fn clear(&mut self) {
        self.data.clear();
        self.records.clear();
    }
}

/// Encodes rows, one record a row.
pub trait Encoder: Send + Debug {
    /// Appends the rows of a batch. Row kinds are the format's to write or, if its card's mode is append-only, never seen here.
    ///
    /// # Errors
    /// A value that the format cannot write.
    fn encode(&mut self, batch: &Batch, out: &mut Encoded) -> Result<(), Fault>;
}
