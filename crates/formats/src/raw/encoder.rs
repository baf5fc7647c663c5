//! From rows of one column to records.

use millstream_flow::{Encoded, Encoder, EncoderSpec, RecordSpan};
use millstream_types::{Batch, DataType, Fault};

use crate::cell::{Cell, Plain};

use super::cut::{Kind, one_column};
use super::options::RawOptions;

/// Encodes one value a record. NULL is an empty record.
#[derive(Debug)]
pub(super) struct RawEncoder {
    options: RawOptions,
    data_type: DataType,
    kind: Kind,
}

impl RawEncoder {
    pub fn new(spec: &EncoderSpec) -> Result<Self, Fault> {
        let [column] = &*spec.schema.fields else {
            return Err(one_column(spec.schema.len()));
        };
        Ok(RawEncoder {
            options: RawOptions::read(&spec.options)?,
            data_type: column.data_type.clone(),
            kind: Kind::of(&column.name, &column.data_type)?,
        })
    }

    /// Appends a number's bytes.
    fn number(&self, bits: u64, width: usize, out: &mut Vec<u8>) {
        let bytes = bits.to_be_bytes();
        let low = bytes.get(8 - width.min(8)..).unwrap_or_default();
        if self.options.big_endian {
            out.extend_from_slice(low);
        } else {
            out.extend(low.iter().rev());
        }
    }
}

impl Encoder for RawEncoder {
    fn encode(&mut self, batch: &Batch, out: &mut Encoded) -> Result<(), Fault> {
        let Some(array) = batch.columns.first() else {
            return Err(one_column(0));
        };
        let cell = Cell::new(array.as_ref(), &self.data_type)?;
        for row in 0..batch.rows {
            let start = out.data.len();
            match (cell.get(row), self.kind) {
                (Plain::Text(t), _) => self.options.charset.encode(t, &mut out.data),
                (Plain::Bytes(b), _) => out.data.extend_from_slice(b),
                (Plain::Boolean(v), _) => out.data.push(u8::from(v)),
                (Plain::Integer(v), Kind::Integer(width)) => self.number(v as u64, width, &mut out.data),
                (Plain::Float(v), _) => self.number(u64::from(v.to_bits()), 4, &mut out.data),
                (Plain::Double(v), _) => self.number(v.to_bits(), 8, &mut out.data),
                _ => {}
            }
            let end = out.data.len();
            let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else {
                return Err(Fault::user("too-large", "the rows of a batch are more than 4 GB as text"));
            };
            out.data.push(b'\n');
            out.records.push(RecordSpan { start, end });
        }
        Ok(())
    }
}
