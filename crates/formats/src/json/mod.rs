//! JSON: one object a record, as Flink's `json` format reads and writes it.
//!
//! # What slices hold
//! Rules may compare slices without building them, so a slice's text is always the value's own:
//! - STRING: the text; numbers, booleans, objects and arrays as the text that Flink gives them. Escaped strings are
//!   [`SliceForm::JsonEscaped`](millstream_types::SliceForm), never with a `\u`: those are in `Side`.
//! - Integers: decimal digits with an optional `-`, nothing else (`1.9` for an INT is `1` in `Side`).
//! - FLOAT, DOUBLE: a JSON number as it stands, or Java's text of the value. DECIMAL: the value with the column's scale, or a whole number.
//! - BOOLEAN: `true` or `false`.
//! - DATE, TIME and timestamps: the text as it stands, known to be right. BYTES: base64.
//! - ARRAY, MAP, MULTISET, ROW: the JSON (`JsonRaw`), known to fit the type.

mod build;
mod cut;
mod encoder;
mod field;
mod keys;
mod kind;
mod marks;
mod options;
mod read;
mod scan;
mod text;

use millstream_flow::{
    ChangelogMode, Decoder, DecoderSpec, Encoder, EncoderSpec, Format, FormatCard, Framing, Options,
};
use millstream_types::Fault;

#[cfg(test)]
mod differential;
#[cfg(test)]
mod tests;

/// The format `json`.
#[derive(Debug)]
pub struct Json;

const CARD: FormatCard = FormatCard {
    name: "json",
    doc: "One JSON object a record; fields are found by their names, which are case-sensitive. A field that is missing is NULL, one without a column \
          is passed over; of two fields of one name the last counts.",
    options: options::CARDS,
    metadata: &[],
    decodes: Some(ChangelogMode::Append),
    encodes: Some(ChangelogMode::Append),
    by_position: false,
};

impl Format for Json {
    fn card(&self) -> &'static FormatCard {
        &CARD
    }

    fn framing(&self, options: &Options) -> Result<Framing, Fault> {
        options::JsonOptions::read(options)?;
        Ok(Framing::default())
    }

    fn decoder(&self, spec: DecoderSpec) -> Result<Box<dyn Decoder>, Fault> {
        Ok(Box::new(cut::JsonDecoder::new(&spec)?))
    }

    fn encoder(&self, spec: EncoderSpec) -> Result<Box<dyn Encoder>, Fault> {
        Ok(Box::new(encoder::JsonEncoder::new(&spec)?))
    }
}
