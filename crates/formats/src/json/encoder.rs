//! From rows to JSON objects, a line each.
//!
//! Source: Flink's `RowDataToJsonConverters` and the text that Jackson writes for them, as the 2.3 release answers.

use millstream_flow::{Encoded, Encoder, EncoderSpec, RecordSpan};
use millstream_text::charset::push_base64;
use millstream_text::number;
use millstream_text::temporal::{push_json_date, push_json_instant, push_json_time, push_json_timestamp};
use millstream_types::{Batch, DataType, Fault, TypeKind};

use crate::cell::{Cell, Plain, items};
use crate::value::push_stripped_decimal;

use super::kind::Typed;
use super::options::{JsonOptions, NullKey};
use super::text::push_quoted;

/// Encodes rows as JSON objects.
#[derive(Debug)]
pub(super) struct JsonEncoder {
    options: JsonOptions,
    columns: Vec<Member>,
    /// The batch's text; kept for its memory.
    text: String,
}

/// A field: its name as it is written, with quotes and colon, and its type's names.
#[derive(Debug)]
struct Member {
    name: String,
    data_type: DataType,
    names: Names,
}

/// The names in a type.
#[derive(Debug)]
enum Names {
    None,
    Item(Box<Names>),
    Fields(Vec<(String, Names)>),
}

impl Names {
    fn of(data_type: &DataType) -> Names {
        match &data_type.kind {
            TypeKind::Array(item) => Names::Item(Box::new(Names::of(item))),
            TypeKind::Map(_, value) => Names::Item(Box::new(Names::of(value))),
            TypeKind::Multiset(_) => Names::Item(Box::new(Names::None)),
            TypeKind::Row(fields) => Names::Fields(
                fields.iter().map(|f| (quoted_name(&f.name), Names::of(&f.data_type))).collect(),
            ),
            _ => Names::None,
        }
    }
}

fn quoted_name(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 3);
    push_quoted(&mut out, name);
    out.push(':');
    out
}

impl JsonEncoder {
    pub fn new(spec: &EncoderSpec) -> Result<Self, Fault> {
        let options = JsonOptions::read(&spec.options)?;
        let columns = spec
            .schema
            .fields
            .iter()
            .map(|field| {
                // The same types can be written as can be read.
                Typed::new(&field.name, &field.data_type, &[])?;
                Ok(Member {
                    name: quoted_name(&field.name),
                    data_type: field.data_type.clone(),
                    names: Names::of(&field.data_type),
                })
            })
            .collect::<Result<_, Fault>>()?;
        Ok(JsonEncoder { options, columns, text: String::new() })
    }
}

impl Encoder for JsonEncoder {
    fn encode(&mut self, batch: &Batch, out: &mut Encoded) -> Result<(), Fault> {
        let cells = batch
            .columns
            .iter()
            .zip(&self.columns)
            .map(|(array, member)| Cell::new(array.as_ref(), &member.data_type))
            .collect::<Result<Vec<_>, _>>()?;
        let text = &mut self.text;
        for row in 0..batch.rows {
            text.clear();
            text.push('{');
            for (cell, member) in cells.iter().zip(&self.columns) {
                push_member(text, cell, row, &member.name, &member.names, &self.options)?;
            }
            text.push('}');
            let start = out.data.len();
            let end = start + text.len();
            let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else {
                return Err(Fault::user("too-large", "the rows of a batch are more than 4 GB as text"));
            };
            out.data.extend_from_slice(text.as_bytes());
            out.data.push(b'\n');
            out.records.push(RecordSpan { start, end });
        }
        Ok(())
    }
}

fn push_member(
    out: &mut String,
    cell: &Cell<'_>,
    row: usize,
    name: &str,
    names: &Names,
    options: &JsonOptions,
) -> Result<(), Fault> {
    let value = cell.get(row);
    if options.skip_nulls && matches!(value, Plain::Null) {
        return Ok(());
    }
    if !out.ends_with('{') {
        out.push(',');
    }
    out.push_str(name);
    push(out, cell, row, value, names, options)
}

fn push(
    out: &mut String,
    cell: &Cell<'_>,
    row: usize,
    value: Plain<'_>,
    names: &Names,
    options: &JsonOptions,
) -> Result<(), Fault> {
    match value {
        Plain::Null => out.push_str("null"),
        Plain::Boolean(v) => out.push_str(if v { "true" } else { "false" }),
        Plain::Integer(v) => number::push_i64(out, v),
        Plain::Float(v) if v.is_finite() => number::push_f32(out, v),
        Plain::Double(v) if v.is_finite() => number::push_f64(out, v),
        Plain::Float(v) => quote(out, |o| number::push_f32(o, v)),
        Plain::Double(v) => quote(out, |o| number::push_f64(o, v)),
        Plain::Decimal(v, scale) if options.plain_decimals => number::push_decimal(out, v, scale),
        Plain::Decimal(v, scale) => push_stripped_decimal(out, v, scale),
        Plain::Date(v) => quote(out, |o| push_json_date(o, v)),
        Plain::Time(v) => quote(out, |o| push_json_time(o, v)),
        Plain::Timestamp(v) => quote(out, |o| push_json_timestamp(o, v, options.standard)),
        Plain::Instant(v) => quote(out, |o| push_json_instant(o, v, options.standard)),
        Plain::Text(v) => push_quoted(out, v),
        Plain::Bytes(v) => quote(out, |o| push_base64(o, v)),
        Plain::Nested => push_nested(out, cell, row, names, options)?,
    }
    Ok(())
}

fn quote(out: &mut String, inside: impl FnOnce(&mut String)) {
    out.push('"');
    inside(out);
    out.push('"');
}

fn push_nested(
    out: &mut String,
    cell: &Cell<'_>,
    row: usize,
    names: &Names,
    options: &JsonOptions,
) -> Result<(), Fault> {
    match (cell, names) {
        (Cell::Array(list, item), Names::Item(names)) => {
            out.push('[');
            for (i, at) in items(list, row).enumerate() {
                if i > 0 {
                    out.push(',');
                }
                push(out, item, at, item.get(at), names, options)?;
            }
            out.push(']');
        }
        (Cell::Map(list, keys, values), Names::Item(names)) => {
            out.push('{');
            for at in items(list, row) {
                let key = match keys.get(at) {
                    Plain::Text(key) => key,
                    _ => match options.null_key {
                        NullKey::Drop => continue,
                        NullKey::Literal => &options.null_key_literal,
                        NullKey::Fail => {
                            return Err(Fault::user(
                                "null-map-key",
                                "a map has a NULL key, which JSON cannot hold",
                            )
                            .hint("set 'json.map-null-key.mode' to 'DROP' or 'LITERAL'"));
                        }
                    },
                };
                if !out.ends_with('{') {
                    out.push(',');
                }
                push_quoted(out, key);
                out.push(':');
                push(out, values, at, values.get(at), names, options)?;
            }
            out.push('}');
        }
        (Cell::Row(_, cells), Names::Fields(fields)) => {
            out.push('{');
            for (cell, (name, names)) in cells.iter().zip(fields) {
                push_member(out, cell, row, name, names, options)?;
            }
            out.push('}');
        }
        _ => return Err(Fault::internal("a value's type and its names differ")),
    }
    Ok(())
}
