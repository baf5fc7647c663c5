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

use super::kind::{Simple, Typed};
use super::options::CsvOptions;
use super::row::{Found, Wrong, fields};

/// Decodes CSV records.
#[derive(Debug)]
pub(super) struct CsvDecoder {
    options: CsvOptions,
    /// Number of columns of the table.
    width: usize,
    columns: Vec<Plan>,
    /// Whether the chunk at hand is UTF-8 from end to end.
    utf8: bool,
    found: Vec<Found>,
    ignored: u64,
    /// Where the fields of some rows of the chunk that was cut last are.
    located: Option<Located>,
}

/// The fields of some rows: what was not cut is found in the rows' records when it is built.
#[derive(Debug)]
struct Located {
    rows: UInt32Array,
    /// For each row one entry for each column that is read; `None`: the row has no such field.
    fields: Vec<Option<Found>>,
}

/// A column that is read.
#[derive(Debug)]
struct Plan {
    column: usize,
    name: Arc<str>,
    data_type: DataType,
    typed: Typed,
    /// Position among the columns that are cut from the chunk at hand.
    cut: Option<usize>,
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
                    cut: None,
                    binary: Vec::new(),
                })
            })
            .collect::<Result<_, Fault>>()?;
        Ok(CsvDecoder {
            options: CsvOptions::read(&spec.options)?,
            width: spec.columns.len(),
            columns,
            utf8: false,
            found: Vec::new(),
            ignored: 0,
            located: None,
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
        for plan in &mut self.columns {
            plan.cut = want.iter().position(|w| *w == plan.column);
        }
        self.utf8 = std::str::from_utf8(&chunk.data).is_ok();
        let mut records = Vec::with_capacity(chunk.records.len());
        for (i, span) in chunk.records.iter().enumerate() {
            let (start, end) = (span.start as usize, (span.end as usize).min(chunk.data.len()));
            let mut at = start;
            // An empty record is a row with one empty field.
            while at < end || (at == start && start == end) {
                match self.row(&chunk.data, at, end, &mut out.fields) {
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
        out: &mut [FieldSlices],
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
            let field = plan.cut.and_then(|c| out.get_mut(c));
            let found = self.found.get(plan.column).copied();
            let mut taking =
                Taking { options: &self.options, utf8: self.utf8, ignored: &mut self.ignored, data };
            taking.take(plan, found, field).map_err(|fault| (next, fault))?;
        }
        Ok((next, true))
    }

    /// Finds the fields of some rows in their records.
    fn locate(&mut self, chunk: &RawChunk, slices: &Slices, rows: &UInt32Array) -> Result<(), Fault> {
        if self.located.as_ref().is_some_and(|l| l.rows == *rows) {
            return Ok(());
        }
        let ignored = self.ignored;
        for plan in &mut self.columns {
            plan.cut = None;
        }
        let mut fields = Vec::with_capacity(rows.len() * self.columns.len());
        for row in rows.values() {
            let record = slices.record_of(*row as usize);
            // A record may hold several rows: rows of the same record in front of this one are passed over.
            let before = match &slices.records {
                None => 0,
                Some(records) => {
                    let front = records.get(..*row as usize).unwrap_or_default();
                    front.iter().rev().take_while(|r| **r as usize == record).count()
                }
            };
            let span = chunk.records.get(record).copied().unwrap_or_default();
            let (start, end) = (span.start as usize, (span.end as usize).min(chunk.data.len()));
            let (mut at, mut passed) = (start, 0);
            loop {
                let (next, is_row) = match self.row(&chunk.data, at, end, &mut []) {
                    Ok(found) => found,
                    Err((next, _)) => (next, false),
                };
                if is_row && passed == before {
                    break;
                }
                passed += usize::from(is_row);
                at = next.max(at + 1);
                if at >= end {
                    return Err(Fault::internal("a row of the chunk is no longer found"));
                }
            }
            fields.extend(self.columns.iter().map(|c| self.found.get(c.column).copied()));
        }
        self.ignored = ignored;
        self.located = Some(Located { rows: rows.clone(), fields });
        Ok(())
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
        self.located = None;
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
        let fail = |fault: Fault| BadRecord { record: 0, fault };
        let cut = slices.column(column);
        if cut.is_none() {
            self.locate(chunk, slices, rows).map_err(fail)?;
        }
        let Some(plan) = self.columns.get(position) else {
            return Err(internal(format!("column {column} was not found")));
        };
        let mut built = Column::new(&plan.data_type).map_err(fail)?;
        let mut rewritten = Vec::new();
        for (i, row) in rows.values().iter().enumerate() {
            let text = match (cut, &self.located) {
                (Some(field), _) => {
                    let slice = field.slices.get(*row as usize).copied().unwrap_or_default();
                    let absent = matches!(slice.form, SliceForm::Absent | SliceForm::Null);
                    (!absent).then(|| slices.bytes(field, slice))
                }
                (None, Some(located)) => {
                    let at = i * self.columns.len() + position;
                    located
                        .fields
                        .get(at)
                        .copied()
                        .flatten()
                        .map(|f| f.text(&self.options, &chunk.data, &mut rewritten))
                }
                (None, None) => None,
            };
            let text = text.and_then(|t| std::str::from_utf8(t).ok());
            // What was cut is not NULL; what was looked up may be.
            let text = text.filter(|t| cut.is_some() || !self.options.is_null(t.as_bytes()));
            match plan.typed.append(&mut built, text, &self.options, &mut 0) {
                Ok(()) => {}
                Err(Bad) if self.options.ignore_errors => built.push_null(),
                Err(Bad) => {
                    return Err(BadRecord {
                        record: slices.record_of(*row as usize),
                        fault: bad_field(plan, text.unwrap_or("")),
                    });
                }
            }
        }
        built.finish(&plan.data_type).map_err(fail)
    }

    fn ignored(&self) -> u64 {
        self.ignored
    }
}

/// What taking a field needs to know.
struct Taking<'a> {
    options: &'a CsvOptions,
    utf8: bool,
    ignored: &'a mut u64,
    data: &'a [u8],
}

impl Taking<'_> {
    /// Checks a field and appends its slice to its column, if that is cut.
    #[inline]
    fn take(
        &mut self,
        plan: &mut Plan,
        found: Option<Found>,
        field: Option<&mut FieldSlices>,
    ) -> Result<(), Fault> {
        let Some(found) = found else {
            push(Slice::default(), field);
            return Ok(());
        };
        let raw = self.data.get(found.start..found.end).unwrap_or_default();
        if !found.rewrite {
            let simple = match plan.typed.leaf() {
                Some(Simple { leaf: Leaf::Text, .. }) => self.utf8,
                Some(Simple { leaf: Leaf::Integer { min, max, .. }, .. }) => is_plain_integer(raw, min, max),
                _ => false,
            };
            if simple {
                if let Some(field) = field {
                    let form = if self.options.is_null(raw) { SliceForm::Null } else { SliceForm::Plain };
                    field.slices.push(Slice { start: found.start as u32, len: raw.len() as u32, form });
                }
                return Ok(());
            }
        }
        self.take_slowly(plan, found, field)
    }

    /// Any field.
    fn take_slowly(
        &mut self,
        plan: &mut Plan,
        found: Found,
        field: Option<&mut FieldSlices>,
    ) -> Result<(), Fault> {
        let null = Slice { form: SliceForm::Null, ..Slice::default() };
        let mut rewritten = Vec::new();
        let bytes = found.text(self.options, self.data, &mut rewritten);
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Err(no_row("the text is no UTF-8", 0).in_place(format!("field '{}'", plan.name)));
        };
        if self.options.is_null(bytes) {
            push(null, field);
            return Ok(());
        }
        let whole = |text: &str, field: &mut FieldSlices| {
            if found.rewrite {
                side(field, text.as_bytes())
            } else {
                Slice { start: found.start as u32, len: text.len() as u32, form: SliceForm::Plain }
            }
        };
        let Some(simple) = plan.typed.leaf() else {
            if let Some(check) = &mut plan.check {
                if check.len() >= CHECKED {
                    *check = Column::new(&plan.data_type)?;
                }
                if plan.typed.append(check, Some(text), self.options, self.ignored).is_err() {
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
            if self.options.ignore_errors {
                *self.ignored += 1;
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
                part(found, text, trimmed, &canonical, field)
            }
            (Datum::Boolean(v), _) => part(found, text, trimmed, if v { "true" } else { "false" }, field),
            (Datum::Decimal(v), Leaf::Decimal { scale, .. }) => {
                let mut canonical = String::new();
                number::push_decimal(&mut canonical, v, scale);
                part(found, text, trimmed, &canonical, field)
            }
            // A number as JSON writes it stays; what only Java takes (`0x1p3`, `1f`) is spelled out.
            (Datum::Float(v), leaf) if !trimmed.bytes().all(|b| matches!(b, b'0'..=b'9' | b'.' | b'-')) => {
                let mut canonical = String::new();
                match leaf {
                    Leaf::Float => number::push_f32(&mut canonical, v as f32),
                    _ => number::push_f64(&mut canonical, v),
                }
                part(found, text, trimmed, &canonical, field)
            }
            _ => part(found, text, trimmed, trimmed, field),
        };
        field.slices.push(slice);
        Ok(())
    }
}

fn push(slice: Slice, field: Option<&mut FieldSlices>) {
    if let Some(f) = field {
        f.slices.push(slice);
    }
}

/// Whether these bytes are a number of the range as it is spelled by itself: no sign but a minus, no zeros in front.
#[inline]
fn is_plain_integer(bytes: &[u8], min: i64, max: i64) -> bool {
    const SAFE: usize = 18;
    let (negative, digits) = match bytes {
        [b'-', digits @ ..] => (true, digits),
        digits => (false, digits),
    };
    let plain = match digits {
        [] => false,
        [b'0'] => !negative,
        [b'0', ..] => false,
        digits => digits.len() <= SAFE && digits.iter().all(u8::is_ascii_digit),
    };
    plain && {
        let value = digits.iter().fold(0i64, |v, d| v * 10 + i64::from(d - b'0'));
        (min..=max).contains(&if negative { -value } else { value })
    }
}

/// The slice of `wanted`: in the chunk where it stands there, else aside.
fn part(found: Found, text: &str, trimmed: &str, wanted: &str, field: &mut FieldSlices) -> Slice {
    if found.rewrite || trimmed != wanted {
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
