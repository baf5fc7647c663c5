//! Raw: a record is the value of the table's one column, as Flink's `raw` format has it: text in a charset, bytes, or a number's bytes.
//!
//! # What slices hold
//! The value's own text, as in [`json`](super::json); for BYTES the bytes themselves.

mod cut;
mod encoder;
mod options;

use millstream_flow::{
    ChangelogMode, Decoder, DecoderSpec, Encoder, EncoderSpec, Format, FormatCard, Framing, Options,
};
use millstream_types::Fault;

#[cfg(test)]
mod tests;

/// The format `raw`.
#[derive(Debug)]
pub struct Raw;

const CARD: FormatCard = FormatCard {
    name: "raw",
    doc: "The whole record as the value of the table's one column: a line of a log as a STRING, a message as BYTES, or a number's bytes.",
    options: options::CARDS,
    metadata: &[],
    decodes: Some(ChangelogMode::Append),
    encodes: Some(ChangelogMode::Append),
    by_position: true,
};

impl Format for Raw {
    fn card(&self) -> &'static FormatCard {
        &CARD
    }

    fn framing(&self, options: &Options) -> Result<Framing, Fault> {
        options::RawOptions::read(options)?;
        Ok(Framing::default())
    }

    fn decoder(&self, spec: DecoderSpec) -> Result<Box<dyn Decoder>, Fault> {
        Ok(Box::new(cut::RawDecoder::new(&spec)?))
    }

    fn encoder(&self, spec: EncoderSpec) -> Result<Box<dyn Encoder>, Fault> {
        Ok(Box::new(encoder::RawEncoder::new(&spec)?))
    }
}
