//! Cutting raw records: each is one value.

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use millstream_flow::{BadRecord, Decoder, DecoderSpec, RawChunk};
use millstream_text::charset::Charset;
use millstream_text::number;
use millstream_types::{DataType, Fault, FieldSlices, Slice, SliceForm, Slices, TypeKind};

use crate::column::{Column, Datum};

use super::options::RawOptions;

/// The types of one value that bytes are read as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Bytes,
    Boolean,
    /// A number of so many bytes.
    Integer(usize),
    Float,
    Double,
}

impl Kind {
    /// # Errors
    /// User, for a type that `raw` does not have.
    pub fn of(name: &str, data_type: &DataType) -> Result<Kind, Fault> {
        Ok(match data_type.kind {
            TypeKind::Char(_) | TypeKind::VarChar(_) => Kind::Text,
            TypeKind::Binary(_) | TypeKind::VarBinary(_) | TypeKind::Raw(_) => Kind::Bytes,
            TypeKind::Boolean => Kind::Boolean,
            TypeKind::TinyInt => Kind::Integer(1),
            TypeKind::SmallInt => Kind::Integer(2),
            TypeKind::Int => Kind::Integer(4),
            TypeKind::BigInt => Kind::Integer(8),
            TypeKind::Float => Kind::Float,
            TypeKind::Double => Kind::Double,
            _ => {
                return Err(Fault::user(
                    "bad-type",
                    format!("column '{name}': the format 'raw' has no {}", data_type.kind),
                )
                .hint("declare it as STRING or BYTES"));
            }
        })
    }

    /// Number of bytes of a value; `None`: any.
    fn width(self) -> Option<usize> {
        match self {
            Kind::Text | Kind::Bytes => None,
            Kind::Boolean => Some(1),
            Kind::Integer(n) => Some(n),
            Kind::Float => Some(4),
            Kind::Double => Some(8),
        }
    }
}

/// Decodes raw records.
#[derive(Debug)]
pub(super) struct RawDecoder {
    options: RawOptions,
    name: Arc<str>,
    data_type: DataType,
    kind: Kind,
}

impl RawDecoder {
    pub fn new(spec: &DecoderSpec) -> Result<Self, Fault> {
        let [column] = &*spec.columns else {
            return Err(one_column(spec.columns.len()));
        };
        Ok(RawDecoder {
            options: RawOptions::read(&spec.options)?,
            name: column.name.clone(),
            data_type: column.data_type.clone(),
            kind: Kind::of(&column.name, &column.data_type)?,
        })
    }

    /// The value of a record; `None`: it has not the type's number of bytes.
    fn datum<'s>(&self, bytes: &'s [u8], text: &'s mut String) -> Option<Datum<'s>> {
        let RawOptions { charset, big_endian } = self.options;
        let word = |width: usize| {
            let mut word = [0u8; 8];
            if bytes.len() != width {
                return None;
            }
            // The number's bytes, the highest first, right-aligned.
            for (i, b) in bytes.iter().enumerate() {
                let at = if big_endian { 8 - width + i } else { 7 - i };
                *word.get_mut(at)? = *b;
            }
            Some(u64::from_be_bytes(word))
        };
        Some(match self.kind {
            Kind::Text => match std::str::from_utf8(bytes) {
                Ok(t) if charset == Charset::Utf8 => Datum::Text(t),
                _ => {
                    text.clear();
                    charset.decode(bytes, text);
                    Datum::Text(text)
                }
            },
            Kind::Bytes => Datum::Bytes(bytes),
            Kind::Boolean => Datum::Boolean(word(1)? != 0),
            Kind::Integer(width) => {
                let shift = 64 - 8 * width as u32;
                Datum::Integer((word(width)? << shift) as i64 >> shift)
            }
            Kind::Float => Datum::Float(f64::from(f32::from_bits(word(4)? as u32))),
            Kind::Double => Datum::Float(f64::from_bits(word(8)?)),
        })
    }

    fn fault(&self, bytes: &[u8]) -> Fault {
        let (wanted, found) = (self.kind.width().unwrap_or(0), bytes.len());
        let data_type = &self.data_type.kind;
        Fault::user(
            "bad-record",
            format!("field '{}': expected {wanted} bytes of {data_type}, found {found}", self.name),
        )
        .hint("declare the column as STRING or BYTES to read records of any length")
    }
}

/// The fault of a table that has not one column.
pub(super) fn one_column(found: usize) -> Fault {
    Fault::user("bad-schema", format!("the format 'raw' has one column, the table {found}"))
        .hint("declare one column (metadata and computed columns do not count)")
}

impl Decoder for RawDecoder {
    fn cut(
        &mut self,
        chunk: &RawChunk,
        want: &[usize],
        out: &mut Slices,
        bad: &mut Vec<BadRecord>,
    ) -> Result<(), Fault> {
        if let Some(other) = want.iter().find(|w| **w != 0) {
            return Err(Fault::internal(format!("column {other} is not among those that are read")));
        }
        out.clear();
        out.data = chunk.data.clone();
        out.fields.resize_with(want.len(), FieldSlices::default);
        let mut text = String::new();
        let mut spelled = String::new();
        for (i, span) in chunk.records.iter().enumerate() {
            let bytes = chunk.record(i);
            let Some(datum) = self.datum(bytes, &mut text) else {
                bad.push(BadRecord { record: i, fault: self.fault(bytes) });
                out.leave_out();
                continue;
            };
            spelled.clear();
            let here = Slice { start: span.start, len: bytes.len() as u32, form: SliceForm::Plain };
            let aside = match (datum, self.kind) {
                (Datum::Text(t), _) if t.as_ptr() == bytes.as_ptr() || bytes.is_empty() => None,
                (Datum::Text(t), _) => Some(t),
                (Datum::Bytes(_), _) => None,
                (Datum::Boolean(v), _) => Some(if v { "true" } else { "false" }),
                (Datum::Integer(v), _) => {
                    number::push_i64(&mut spelled, v);
                    Some(&*spelled)
                }
                (Datum::Float(v), Kind::Float) => {
                    number::push_f32(&mut spelled, v as f32);
                    Some(&*spelled)
                }
                (Datum::Float(v), _) => {
                    number::push_f64(&mut spelled, v);
                    Some(&*spelled)
                }
                _ => None,
            };
            if let Some(field) = out.fields.first_mut() {
                let slice = match aside {
                    None => here,
                    Some(t) => {
                        let start = field.side.len() as u32;
                        field.side.extend_from_slice(t.as_bytes());
                        Slice { start, len: t.len() as u32, form: SliceForm::Side }
                    }
                };
                field.slices.push(slice);
            }
            out.keep(i);
        }
        Ok(())
    }

    fn build(
        &mut self,
        chunk: &RawChunk,
        slices: &Slices,
        column: usize,
        rows: &UInt32Array,
    ) -> Result<ArrayRef, BadRecord> {
        let _ = column;
        let internal = |fault| BadRecord { record: 0, fault };
        let mut built = Column::new(&self.data_type).map_err(internal)?;
        let mut text = String::new();
        for row in rows.values() {
            let record = slices.record_of(*row as usize);
            let bytes = chunk.record(record);
            match self.datum(bytes, &mut text) {
                Some(datum) => built.push(datum),
                None => return Err(BadRecord { record, fault: self.fault(bytes) }),
            }
        }
        built.finish(&self.data_type).map_err(internal)
    }
}
