//! Cutting CSV records into slices, and building columns.
//!
//! A record is what the framing takes for one row. It may hold several: a quote within an unquoted field is an ordinary character,
//! which the framing cannot know; so rows are found again here.

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use millstream_flow::{BadRecord, Decoder, DecoderSpec, RawChunk};
use millstream_text::number;
use millstream_types::{DataType, Fault, FieldSlices, Slice, SliceForm, Slices};

use crate::column::{Column, Datum};
use crate::value::{Bad, Leaf, trim};

use super::kind::Typed;
use super::options::CsvOptions;
use super::row::{Found, Wrong, fields, rewrite};

/// Decodes CSV records.
#[derive(Debug)]
pub(super) struct CsvDecoder {
    options: CsvOptions,
    /// Number of columns of the table.
    width: usize,
    columns: Vec<Plan>,
    found: Vec<Found>,
    ignored: u64,
    /// The columns that were not cut, for the chunk that was cut last.
    again: Option<Slices>,
}

/// A column that is read.
#[derive(Debug)]
struct Plan {
    column: usize,
    name: Arc<str>,
    data_type: DataType,
    typed: Typed,
    /// For types with parts: a column that values are built into to see whether they can be.
    check: Option<Column>,
    binary: Vec<u8>,
}

/// Values that a column for checking holds before it is emptied.
const CHECKED: usize = 1024;

impl CsvDecoder {
    pub fn new(spec: &DecoderSpec) -> Result<Self, Fault> {
        for field in &spec.columns {
            Typed::new(&field.name, &field.data_type)?;
        }
        let columns = spec
            .read
            .iter()
            .map(|column| {
                let field = spec
                    .columns
                    .get(*column)
                    .ok_or_else(|| Fault::internal(format!("there is no column {column}")))?;
                let typed = Typed::new(&field.name, &field.data_type)?;
                Ok(Plan {
                    column: *column,
                    name: field.name.clone(),
                    data_type: field.data_type.clone(),
                    check: typed.leaf().is_none().then(|| Column::new(&field.data_type)).transpose()?,
                    typed,
                    binary: Vec::new(),
                })
            })
            .collect::<Result<_, Fault>>()?;
        Ok(CsvDecoder {
            options: CsvOptions::read(&spec.options)?,
            width: spec.columns.len(),
            columns,
            found: Vec::new(),
            ignored: 0,
            again: None,
        })
    }

    fn cut_columns(
        &mut self,
        chunk: &RawChunk,
        want: &[usize],
        out: &mut Slices,
        bad: &mut Vec<BadRecord>,
    ) -> Result<(), Fault> {
        if let Some(other) = want.iter().find(|w| self.columns.iter().all(|c| c.column != **w)) {
            return Err(Fault::internal(format!("column {other} is not among those that are read")));
        }
        out.clear();
        out.data = chunk.data.clone();
        out.fields.resize_with(want.len(), FieldSlices::default);
        for (field, column) in out.fields.iter_mut().zip(want) {
            field.column = *column;
        }
        let mut records = Vec::with_capacity(chunk.records.len());
        for (i, span) in chunk.records.iter().enumerate() {
            let (start, end) = (span.start as usize, (span.end as usize).min(chunk.data.len()));
            let mut at = start;
            // An empty record is a row with one empty field.
            while at < end || (at == start && start == end) {
                match self.row(&chunk.data, at, end, out) {
                    Ok((next, is_row)) => {
                        if is_row {
                            records.push(i as u32);
                        }
                        at = next.max(at + 1);
                    }
                    Err((next, fault)) => {
                        let rows = records.len();
                        for field in &mut out.fields {
                            field.slices.truncate(rows);
                        }
                        if self.options.ignore_errors {
                            self.ignored += 1;
                        } else {
                            bad.push(BadRecord { record: i, fault });
                        }
                        at = next.max(at + 1);
                    }
                }
            }
        }
        out.rows = records.len();
        let straight =
            records.len() == chunk.records.len() && records.iter().enumerate().all(|(i, r)| i == *r as usize);
        out.records = (!straight).then_some(records);
        Ok(())
    }

    /// Cuts the row at `at`; gives where the next begins, and whether this is one (comments are none).
    fn row(
        &mut self,
        data: &[u8],
        at: usize,
        end: usize,
        out: &mut Slices,
    ) -> Result<(usize, bool), (usize, Fault)> {
        let line_end = |from: usize| {
            let rest = data.get(from..end).unwrap_or_default();
            memchr::memchr(b'\n', rest).map_or(end, |i| from + i + 1)
        };
        let mut at = at;
        if self.options.comments {
            while at < end && data.get(at) == Some(&b' ') {
                at += 1;
            }
            if at >= end {
                return Ok((end, false));
            }
            if matches!(data.get(at), Some(b'#' | b'\n' | b'\r')) {
                return Ok((line_end(at), false));
            }
        }
        let wrong = |w: Wrong| (line_end(w.at.max(at)), no_row(w.what, w.at - at));
        let next = fields(&self.options, data, at, end, &mut self.found).map_err(wrong)?;
        self.check_width().map_err(|fault| (next, fault))?;
        for plan in &mut self.columns {
            let field = out.fields.iter_mut().find(|f| f.column == plan.column);
            let found = self.found.get(plan.column).copied();
            take(plan, &self.options, &mut self.ignored, data, found, field)
                .map_err(|fault| (next, fault))?;
        }
        Ok((next, true))
    }

    /// Whether the row has a right number of fields.
    fn check_width(&mut self) -> Result<(), Fault> {
        let count = self.found.len();
        if count > self.width {
            // A delimiter at the end makes an empty field more.
            let trailing = count == self.width + 1
                && self.options.trailing_delimiter
                && self.found.last().is_some_and(|f| f.start == f.end && !f.quoted);
            if trailing || self.options.ignore_trailing {
                self.found.truncate(self.width);
                return Ok(());
            }
            return Err(Fault::user(
                "bad-record",
                format!("the row has {count} fields, the table {} columns", self.width),
            )
            .hint("set 'csv.ignore-trailing-unmappable' to 'true' to pass over the others"));
        }
        let least = if self.options.fail_on_missing { self.width } else { self.columns.len() };
        if count < least && (self.options.fail_on_missing || !self.options.ignore_errors) {
            return Err(Fault::user(
                "bad-record",
                format!("the row has only {count} fields, the table {} columns", self.width),
            )
            .hint("set 'csv.ignore-parse-errors' to 'true' to read missing fields as NULL"));
        }
        Ok(())
    }
}

impl Decoder for CsvDecoder {
    fn cut(
        &mut self,
        chunk: &RawChunk,
        want: &[usize],
        out: &mut Slices,
        bad: &mut Vec<BadRecord>,
    ) -> Result<(), Fault> {
        self.again = None;
        self.cut_columns(chunk, want, out, bad)
    }

    fn build(
        &mut self,
        chunk: &RawChunk,
        slices: &Slices,
        column: usize,
        rows: &UInt32Array,
    ) -> Result<ArrayRef, BadRecord> {
        let internal = |message: String| BadRecord { record: 0, fault: Fault::internal(message) };
        let Some(position) = self.columns.iter().position(|c| c.column == column) else {
            return Err(internal(format!("column {column} is not read")));
        };
        // Rows within records cannot be looked up one by one: all columns that were not cut are cut for the whole chunk.
        let again = if slices.column(column).is_none() {
            let fresh =
                self.again.take().filter(|a| a.data.as_ptr() == chunk.data.as_ptr() && a.rows == slices.rows);
            let again = match fresh {
                Some(again) => again,
                None => {
                    let want: Vec<usize> = self
                        .columns
                        .iter()
                        .map(|c| c.column)
                        .filter(|c| slices.column(*c).is_none())
                        .collect();
                    let mut again = Slices::default();
                    let ignored = self.ignored;
                    self.cut_columns(chunk, &want, &mut again, &mut Vec::new())
                        .map_err(|fault| BadRecord { record: 0, fault })?;
                    self.ignored = ignored;
                    again
                }
            };
            Some(again)
        } else {
            None
        };
        let from = again.as_ref().unwrap_or(slices);
        let (Some(plan), Some(field)) = (self.columns.get(position), from.column(column)) else {
            return Err(internal(format!("column {column} was not found")));
        };
        let mut built = Column::new(&plan.data_type).map_err(|fault| BadRecord { record: 0, fault })?;
        for row in rows.values() {
            let slice = field.slices.get(*row as usize).copied().unwrap_or_default();
            let text = match slice.form {
                SliceForm::Absent | SliceForm::Null => None,
                _ => std::str::from_utf8(from.bytes(field, slice)).ok(),
            };
            plan.typed.append(&mut built, text, &self.options, &mut 0).map_err(|Bad| BadRecord {
                record: slices.record_of(*row as usize),
                fault: bad_field(plan, text.unwrap_or("")),
            })?;
        }
        let array = built.finish(&plan.data_type).map_err(|fault| BadRecord { record: 0, fault });
        self.again = again.or_else(|| self.again.take());
        array
    }

    fn ignored(&self) -> u64 {
        self.ignored
    }
}

/// Checks a field and appends its slice to its column, if that is cut.
fn take(
    plan: &mut Plan,
    options: &CsvOptions,
    ignored: &mut u64,
    data: &[u8],
    found: Option<Found>,
    field: Option<&mut FieldSlices>,
) -> Result<(), Fault> {
    let push = |slice: Slice, field: Option<&mut FieldSlices>| {
        if let Some(f) = field {
            f.slices.push(slice);
        }
    };
    let Some(found) = found else {
        push(Slice::default(), field);
        return Ok(());
    };
    let null = Slice { form: SliceForm::Null, ..Slice::default() };
    let raw = data.get(found.start..found.end).unwrap_or_default();
    let rewritten = found.rewrite.then(|| {
        let mut out = Vec::with_capacity(raw.len());
        rewrite(options, raw, found.quoted, &mut out);
        out
    });
    let bytes = rewritten.as_deref().unwrap_or(raw);
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(no_row("the text is no UTF-8", 0).in_place(format!("field '{}'", plan.name)));
    };
    if options.is_null(text) {
        push(null, field);
        return Ok(());
    }
    let whole = |text: &str, field: &mut FieldSlices| {
        if rewritten.is_some() {
            side(field, text.as_bytes())
        } else {
            Slice { start: found.start as u32, len: raw.len() as u32, form: SliceForm::Plain }
        }
    };
    let Some(simple) = plan.typed.leaf() else {
        if let Some(check) = &mut plan.check {
            if check.len() >= CHECKED {
                *check = Column::new(&plan.data_type)?;
            }
            if plan.typed.append(check, Some(text), options, ignored).is_err() {
                *check = Column::new(&plan.data_type)?;
                return Err(bad_field(plan, text));
            }
        }
        if let Some(f) = field {
            let slice = whole(text, f);
            f.slices.push(slice);
        }
        return Ok(());
    };
    let Ok(datum) = simple.read(text, &mut plan.binary) else {
        if options.ignore_errors {
            *ignored += 1;
            push(null, field);
            return Ok(());
        }
        return Err(bad_field(plan, text));
    };
    let Some(field) = field else { return Ok(()) };
    let trimmed = trim(text);
    let slice = match (datum, simple.leaf) {
        (Datum::Null, _) => null,
        (_, Leaf::Text | Leaf::Bytes | Leaf::Date | Leaf::Time) => whole(text, field),
        (Datum::Integer(v), Leaf::Integer { .. }) => {
            let mut canonical = String::new();
            number::push_i64(&mut canonical, v);
            part(found, rewritten.is_some(), text, trimmed, &canonical, field)
        }
        (Datum::Boolean(v), _) => {
            part(found, rewritten.is_some(), text, trimmed, if v { "true" } else { "false" }, field)
        }
        (Datum::Decimal(v), Leaf::Decimal { scale, .. }) => {
            let mut canonical = String::new();
            number::push_decimal(&mut canonical, v, scale);
            part(found, rewritten.is_some(), text, trimmed, &canonical, field)
        }
        // A number as JSON writes it stays; what only Java takes (`0x1p3`, `1f`) is spelled out.
        (Datum::Float(v), leaf) if !trimmed.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'-')) => {
            let mut canonical = String::new();
            match leaf {
                Leaf::Float => number::push_f32(&mut canonical, v as f32),
                _ => number::push_f64(&mut canonical, v),
            }
            part(found, rewritten.is_some(), text, trimmed, &canonical, field)
        }
        _ => part(found, rewritten.is_some(), text, trimmed, trimmed, field),
    };
    field.slices.push(slice);
    Ok(())
}

/// The slice of `wanted`: in the chunk where it stands there, else aside.
fn part(
    found: Found,
    rewritten: bool,
    text: &str,
    trimmed: &str,
    wanted: &str,
    field: &mut FieldSlices,
) -> Slice {
    if rewritten || trimmed != wanted {
        return side(field, wanted.as_bytes());
    }
    let before = text.len() - text.trim_start_matches(|c: char| c <= ' ').len();
    Slice { start: (found.start + before) as u32, len: trimmed.len() as u32, form: SliceForm::Plain }
}

fn side(field: &mut FieldSlices, bytes: &[u8]) -> Slice {
    let start = field.side.len() as u32;
    field.side.extend_from_slice(bytes);
    Slice { start, len: bytes.len() as u32, form: SliceForm::Side }
}

fn bad_field(plan: &Plan, text: &str) -> Fault {
    const MOST: usize = 40;
    let mut shown: String = text.chars().take(MOST).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    Fault::user(
        "bad-record",
        format!("field '{}': expected {}, found \"{shown}\"", plan.name, plan.typed.expected),
    )
    .hint("set 'csv.ignore-parse-errors' to 'true' to read such a field as NULL")
}

fn no_row(what: &str, at: usize) -> Fault {
    Fault::user("bad-record", format!("the record is no CSV row: {what} at byte {}", at + 1))
        .hint("set 'csv.ignore-parse-errors' to 'true' to leave such rows out")
}
