//! CSV: a row of fields a record, found by position, as Flink's `csv` format (Jackson's reader and writer) has it.
//!
//! # What slices hold
//! The value's own text, as in [`json`](super::json): quotes are taken off, numbers are trimmed and spelled without a `+`, booleans are `true` or `false`,
//! DECIMALs have their column's scale. What had to be rewritten is in `Side`. ARRAY and ROW: the whole field's text.
//!
//! # What is looked at
//! Of every row the quotes, the number of fields, and whether the values of the columns that are read (cut or not) are of their types: Flink reads the
//! projected columns of a row before any filter. Columns that nothing reads are passed over. What is not cut is built from the records of the rows
//! that survive.

mod cut;
mod encoder;
mod kind;
mod options;
mod row;

use millstream_flow::{
    ChangelogMode, Decoder, DecoderSpec, Encoder, EncoderSpec, Format, FormatCard, Framing, Options,
};
use millstream_types::Fault;

#[cfg(test)]
mod tests;

/// The format `csv`.
#[derive(Debug)]
pub struct Csv;

const CARD: FormatCard = FormatCard {
    name: "csv",
    doc: "Fields between delimiters, quoted where needed, in the order of the table's columns. An empty field is an empty string, and no number. Every row is checked \
          whatever a query wants of it: its quotes, the number of its fields, and the values of all columns that the query reads, also in rows that its \
          condition leaves out. What stands in columns that no query reads is not looked at, as in Flink.",
    options: options::CARDS,
    metadata: &[],
    decodes: Some(ChangelogMode::Append),
    encodes: Some(ChangelogMode::Append),
    by_position: true,
};

impl Format for Csv {
    fn card(&self) -> &'static FormatCard {
        &CARD
    }

    fn framing(&self, options: &Options) -> Result<Framing, Fault> {
        let options = options::CsvOptions::read(options)?;
        Ok(match options.quote {
            Some(quote) => Framing::QuotedFields {
                delimiter: b"\n".to_vec(),
                separator: options.delimiter,
                quote,
                escape: options.escape,
            },
            None => Framing::default(),
        })
    }

    fn decoder(&self, spec: DecoderSpec) -> Result<Box<dyn Decoder>, Fault> {
        Ok(Box::new(cut::CsvDecoder::new(&spec)?))
    }

    fn encoder(&self, spec: EncoderSpec) -> Result<Box<dyn Encoder>, Fault> {
        Ok(Box::new(encoder::CsvEncoder::new(&spec)?))
    }
}
