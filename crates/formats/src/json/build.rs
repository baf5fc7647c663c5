//! Building columns for the rows that survive.

use arrow::array::{ArrayRef, UInt32Array};
use bytes::Bytes;
use millstream_flow::{BadRecord, RawChunk, RecordSpan};
use millstream_text::json;
use millstream_types::{Fault, FieldSlices, SliceForm, Slices};

use crate::column::Column;

use super::cut::{JsonDecoder, Outcome};
use super::read::Token;

/// Columns that were not cut, found for some rows.
#[derive(Debug)]
pub(super) struct Again {
    data: Bytes,
    spans: Vec<RecordSpan>,
    slices: Slices,
}

impl JsonDecoder {
    /// The array of a column for some rows of what was cut.
    pub(super) fn column(
        &mut self,
        chunk: &RawChunk,
        slices: &Slices,
        column: usize,
        rows: &UInt32Array,
    ) -> Result<ArrayRef, BadRecord> {
        let position = self
            .columns
            .iter()
            .position(|c| c.column == column)
            .ok_or_else(|| fault_in(0, Fault::internal(format!("column {column} is not read"))))?;
        if let Some(field) = slices.column(column) {
            let picked = rows.values().iter().map(|r| *r as usize);
            return self.build_from(position, slices, field, slices, rows, picked);
        }
        self.cut_again(chunk, slices, rows)?;
        let Some(again) = self.again.take() else {
            return Err(fault_in(0, Fault::internal("columns that were not cut are lost")));
        };
        let built = match again.slices.column(column) {
            Some(field) => self.build_from(position, &again.slices, field, slices, rows, 0..rows.len()),
            None => Err(fault_in(0, Fault::internal(format!("column {column} was not found")))),
        };
        self.again = Some(again);
        built
    }

    /// Finds the columns that `slices` does not have in the records of some rows.
    fn cut_again(
        &mut self,
        chunk: &RawChunk,
        slices: &Slices,
        rows: &UInt32Array,
    ) -> Result<&Again, BadRecord> {
        let spans: Vec<RecordSpan> = rows
            .values()
            .iter()
            .map(|r| chunk.records.get(slices.record_of(*r as usize)).copied().unwrap_or_default())
            .collect();
        let known = self.again.as_ref().is_some_and(|a| {
            // The buffer is held, so that its address cannot be another's.
            a.data.as_ptr() == chunk.data.as_ptr() && a.data.len() == chunk.data.len() && a.spans == spans
        });
        if !known {
            let want: Vec<usize> =
                self.columns.iter().map(|c| c.column).filter(|c| slices.column(*c).is_none()).collect();
            let mut out = Slices::default();
            let ignored = (self.reader.ignored, self.dropped);
            let fault = |fault| BadRecord { record: 0, fault };
            self.aim(&want, spans.len(), &mut out).map_err(fault)?;
            out.data = chunk.data.clone();
            let mut marks = std::mem::take(&mut self.marks);
            marks.forget();
            for (row, span) in spans.iter().enumerate() {
                let (start, end) = (span.start as usize, span.end as usize);
                let (scan, ascii) = self.scan(&mut marks, &chunk.data, start, end, false);
                let outcome = self.record(scan, start, ascii, row, &mut out.fields);
                if let Outcome::Bad(fault) = outcome {
                    let record = rows.values().get(row).map_or(0, |r| slices.record_of(*r as usize));
                    return Err(BadRecord { record, fault });
                }
            }
            self.marks = marks;
            out.rows = spans.len();
            (self.reader.ignored, self.dropped) = ignored;
            self.again = Some(Again { data: chunk.data.clone(), spans, slices: out });
        }
        self.again.as_ref().ok_or_else(|| fault_in(0, Fault::internal("columns that were not cut are lost")))
    }

    fn build_from(
        &mut self,
        position: usize,
        from: &Slices,
        field: &FieldSlices,
        asked: &Slices,
        rows: &UInt32Array,
        picked: impl Iterator<Item = usize>,
    ) -> Result<ArrayRef, BadRecord> {
        let Some(plan) = self.columns.get(position) else {
            return Err(fault_in(0, Fault::internal("no such column")));
        };
        let ignored = self.reader.ignored;
        let mut column = Column::new(&plan.data_type).map_err(|f| fault_in(0, f))?;
        for (at, row) in picked.enumerate() {
            let slice = field.slices.get(row).copied().unwrap_or_default();
            let bytes = from.bytes(field, slice);
            if push_usual(&mut column, slice.form, bytes) {
                continue;
            }
            let token = Token::of_slice(slice, bytes);
            self.reader.append(&plan.typed, &mut column, token).map_err(|p| {
                let record = rows.values().get(at).map_or(0, |r| asked.record_of(*r as usize));
                fault_in(record, p.fault(&plan.name))
            })?;
        }
        if self.full {
            // Cutting has counted them already.
            self.reader.ignored = ignored;
        }
        column.finish(&plan.data_type).map_err(|f| fault_in(0, f))
    }
}
/// Appends what most values are: plain text for a STRING, a whole number that was checked for an integer. `false`: it is something else.
#[inline(always)]
fn push_usual(column: &mut Column, form: SliceForm, bytes: &[u8]) -> bool {
    match (column, form) {
        (column, SliceForm::Absent | SliceForm::Null) => {
            column.push_null();
            true
        }
        (Column::Text(builder), SliceForm::Plain | SliceForm::Side) => match std::str::from_utf8(bytes) {
            Ok(text) => {
                builder.append_value(text);
                true
            }
            Err(_) => false,
        },
        (Column::Text(builder), SliceForm::JsonEscaped) if std::str::from_utf8(bytes).is_ok() => {
            builder.append_value(json::unescape(bytes));
            true
        }
        (Column::Int32(builder), SliceForm::JsonRaw) => match whole_number(bytes, 9) {
            Some(v) => {
                builder.append_value(v as i32);
                true
            }
            None => false,
        },
        (Column::Int64(builder), SliceForm::JsonRaw) => match whole_number(bytes, 18) {
            Some(v) => {
                builder.append_value(v);
                true
            }
            None => false,
        },
        _ => false,
    }
}

/// A whole number of at most so many characters, which cannot overflow.
#[inline(always)]
fn whole_number(bytes: &[u8], most: usize) -> Option<i64> {
    if bytes.len() > most {
        return None;
    }
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let mut value = 0i64;
    for b in digits {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + i64::from(digit);
    }
    Some(if negative { -value } else { value })
}
fn fault_in(record: usize, fault: Fault) -> BadRecord {
    BadRecord { record, fault }
}
