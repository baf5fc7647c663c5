//! From rows to CSV lines.
//!
//! Source: Flink's `RowDataToCsvConverters` and what Jackson's CSV writer makes of it, as the 2.3 release answers. Which texts are
//! quoted is its quick rule: those longer than 24 characters, and those with a character up to the delimiter or the quote in Unicode's order.

use millstream_flow::{Encoded, Encoder, EncoderSpec, RecordSpan};
use millstream_text::charset::push_base64;
use millstream_text::number;
use millstream_text::temporal::{
    TimestampStandard, push_json_date, push_json_instant, push_json_time, push_json_timestamp,
};
use millstream_types::{Batch, DataType, Fault};

use crate::cell::{Cell, Plain, items};
use crate::value::push_stripped_decimal;

use super::kind::Typed;
use super::options::CsvOptions;

/// The longest text that is looked through for characters that need quotes.
const LOOKED_THROUGH: usize = 24;

/// Encodes rows as CSV lines.
#[derive(Debug)]
pub(super) struct CsvEncoder {
    options: CsvOptions,
    types: Vec<DataType>,
    line: String,
    field: String,
}

impl CsvEncoder {
    pub fn new(spec: &EncoderSpec) -> Result<Self, Fault> {
        for field in &spec.schema.fields {
            Typed::new(&field.name, &field.data_type)?;
        }
        Ok(CsvEncoder {
            options: CsvOptions::read(&spec.options)?,
            types: spec.schema.fields.iter().map(|f| f.data_type.clone()).collect(),
            line: String::new(),
            field: String::new(),
        })
    }
}

impl Encoder for CsvEncoder {
    fn encode(&mut self, batch: &Batch, out: &mut Encoded) -> Result<(), Fault> {
        let cells = batch
            .columns
            .iter()
            .zip(&self.types)
            .map(|(array, data_type)| Cell::new(array.as_ref(), data_type))
            .collect::<Result<Vec<_>, _>>()?;
        let CsvEncoder { options, line, field, .. } = self;
        let null = options.null.as_deref().unwrap_or("");
        for row in 0..batch.rows {
            line.clear();
            for (i, cell) in cells.iter().enumerate() {
                if i > 0 {
                    line.push(char::from(options.delimiter));
                }
                let value = cell.get(row);
                if matches!(value, Plain::Null) {
                    line.push_str(null);
                    continue;
                }
                field.clear();
                let is_text = match cell {
                    Cell::Array(list, item) => {
                        for (n, at) in items(list, row).enumerate() {
                            if n > 0 {
                                field.push_str(&options.between);
                            }
                            push_part(field, item.get(at), options);
                        }
                        true
                    }
                    Cell::Row(_, parts) => {
                        for (n, part) in parts.iter().enumerate() {
                            if n > 0 {
                                field.push_str(&options.between);
                            }
                            push_part(field, part.get(row), options);
                        }
                        true
                    }
                    _ => push(field, value, options),
                };
                if is_text && needs_quotes(field, options) {
                    push_quoted(line, field, options);
                } else {
                    line.push_str(field);
                }
            }
            let start = out.data.len();
            let end = start + line.len();
            let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else {
                return Err(Fault::user("too-large", "the rows of a batch are more than 4 GB as text"));
            };
            out.data.extend_from_slice(line.as_bytes());
            out.data.push(b'\n');
            out.records.push(RecordSpan { start, end });
        }
        Ok(())
    }
}

/// Appends an element of an ARRAY or a field of a ROW.
fn push_part(out: &mut String, value: Plain<'_>, options: &CsvOptions) {
    match value {
        Plain::Null => out.push_str(options.null.as_deref().unwrap_or("")),
        value => {
            push(out, value, options);
        }
    }
}

/// Appends a value without quotes; says whether it is a text, which may need them.
fn push(out: &mut String, value: Plain<'_>, options: &CsvOptions) -> bool {
    match value {
        Plain::Null | Plain::Nested => return false,
        Plain::Boolean(v) => {
            out.push_str(if v { "true" } else { "false" });
            return false;
        }
        Plain::Integer(v) => {
            number::push_i64(out, v);
            return false;
        }
        Plain::Float(v) => {
            number::push_f32(out, v);
            return false;
        }
        Plain::Double(v) => {
            number::push_f64(out, v);
            return false;
        }
        Plain::Decimal(v, scale) => {
            if options.scientific {
                push_stripped_decimal(out, v, scale);
            } else {
                number::push_decimal(out, v, scale);
            }
            return false;
        }
        Plain::Date(v) => push_json_date(out, v),
        Plain::Time(v) => push_json_time(out, v),
        Plain::Timestamp(v) => push_json_timestamp(out, v, TimestampStandard::Sql),
        Plain::Instant(v) => push_json_instant(out, v, TimestampStandard::Sql),
        Plain::Text(v) => out.push_str(v),
        Plain::Bytes(v) => push_base64(out, v),
    }
    true
}

fn needs_quotes(text: &str, options: &CsvOptions) -> bool {
    let Some(quote) = options.quote else { return false };
    if text.len() > LOOKED_THROUGH && text.encode_utf16().count() > LOOKED_THROUGH {
        return true;
    }
    let highest = options.delimiter.max(quote).max(b'\r');
    let escape = options.escape.unwrap_or(b'\\');
    text.bytes().any(|b| b <= highest || b == escape)
}

fn push_quoted(out: &mut String, text: &str, options: &CsvOptions) {
    let quote = char::from(options.quote.unwrap_or(b'"'));
    let escape = options.escape.map(char::from);
    out.push(quote);
    for c in text.chars() {
        if c == quote || Some(c) == escape {
            out.push(c);
        }
        out.push(c);
    }
    out.push(quote);
}
