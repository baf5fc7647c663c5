//! Cutting syslog lines into slices, and building columns.

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use millstream_flow::{BadRecord, Decoder, DecoderSpec, RawChunk};
use millstream_text::temporal::{DateTime, Zone};
use millstream_types::{Clock, DataType, Fault, FieldSlices, Slice, SliceForm, Slices};

use crate::column::{Column, Datum};

use super::columns::{Part, facility, severity};
use super::line::{Elements, Line, Place, Wrong, parse, without_end};
use super::options::SyslogOptions;

/// Decodes syslog lines.
#[derive(Debug)]
pub(super) struct SyslogDecoder {
    options: SyslogOptions,
    columns: Vec<Plan>,
    zone: Zone,
    clock: Arc<dyn Clock>,
    /// The clock's time when the chunk at hand was cut: what is built later must be the same.
    now: DateTime,
    /// The times of the rows of the chunk at hand (wall clock, instant), if a column is a timestamp.
    times: Vec<Option<(DateTime, DateTime)>>,
    reads_time: bool,
    ignored: u64,
}

/// A column that is read.
#[derive(Debug)]
struct Plan {
    column: usize,
    data_type: DataType,
    part: Part,
}

impl SyslogDecoder {
    pub fn new(spec: &DecoderSpec) -> Result<Self, Fault> {
        let parts = spec.columns.iter().map(Part::of).collect::<Result<Vec<_>, Fault>>()?;
        let columns = spec
            .read
            .iter()
            .map(|column| match (spec.columns.get(*column), parts.get(*column)) {
                (Some(field), Some(part)) => {
                    Ok(Plan { column: *column, data_type: field.data_type.clone(), part: *part })
                }
                _ => Err(Fault::internal(format!("there is no column {column}"))),
            })
            .collect::<Result<Vec<_>, Fault>>()?;
        Ok(SyslogDecoder {
            options: SyslogOptions::read(&spec.options)?,
            reads_time: columns.iter().any(|c| matches!(c.part, Part::Timestamp(_) | Part::Instant(_))),
            columns,
            zone: Zone::of(&spec.zone)?,
            clock: spec.clock.clone(),
            now: DateTime::from_millis(0),
            times: Vec::new(),
            ignored: 0,
        })
    }

    /// The parts of a record, and its time if that is read.
    fn line(&self, bytes: &[u8], utf8: bool) -> Result<(Line, Option<(DateTime, DateTime)>), Wrong> {
        if !utf8 && std::str::from_utf8(bytes).is_err() {
            return Err(Wrong { what: "the text is no UTF-8", at: 0 });
        }
        let line = parse(bytes)?;
        let mut time = None;
        if self.reads_time
            && let Some(stamp) = line.stamp
        {
            let both = stamp.both(self.options.year, self.now, &self.zone);
            let at = line.time.map_or(0, |t| t.start);
            time = Some(both.ok_or(Wrong { what: "there is no such day", at })?);
        }
        Ok((line, time))
    }
}

impl Decoder for SyslogDecoder {
    fn cut(
        &mut self,
        chunk: &RawChunk,
        want: &[usize],
        out: &mut Slices,
        bad: &mut Vec<BadRecord>,
    ) -> Result<(), Fault> {
        out.clear();
        out.data = chunk.data.clone();
        out.fields.resize_with(want.len(), FieldSlices::default);
        let mut parts = Vec::with_capacity(want.len());
        for (field, column) in out.fields.iter_mut().zip(want) {
            let plan = self.columns.iter().find(|c| c.column == *column);
            parts.push(plan.map(|p| p.part).ok_or_else(|| {
                Fault::internal(format!("column {column} is not among those that are read"))
            })?);
            field.column = *column;
        }
        self.now = DateTime::from_millis(self.clock.now_millis());
        self.times.clear();
        let utf8 = std::str::from_utf8(&chunk.data).is_ok();
        for (i, span) in chunk.records.iter().enumerate() {
            let bytes = without_end(chunk.record(i));
            match self.line(bytes, utf8) {
                Ok((line, time)) => {
                    for (field, part) in out.fields.iter_mut().zip(&parts) {
                        let slice = slice(*part, &line, span.start as usize, bytes.len(), &mut field.side);
                        field.slices.push(slice);
                    }
                    if self.reads_time {
                        self.times.push(time);
                    }
                    out.keep(i);
                }
                Err(wrong) => {
                    out.leave_out();
                    if self.options.ignore_errors {
                        self.ignored += 1;
                    } else {
                        bad.push(BadRecord { record: i, fault: no_line(wrong) });
                    }
                }
            }
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
        let internal = |fault| BadRecord { record: 0, fault };
        let Some(plan) = self.columns.iter().find(|c| c.column == column) else {
            return Err(internal(Fault::internal(format!("column {column} is not read"))));
        };
        let mut built = Column::new(&plan.data_type).map_err(internal)?;
        for row in rows.values() {
            let row = *row as usize;
            if let Part::Timestamp(p) | Part::Instant(p) = plan.part {
                let time = if self.times.len() == slices.rows {
                    self.times.get(row).copied().flatten()
                } else {
                    let record = slices.record_of(row);
                    let bytes = without_end(chunk.record(record));
                    self.line(bytes, true).map_err(|w| BadRecord { record, fault: no_line(w) })?.1
                };
                let time = time.map(
                    |(local, instant)| {
                        if matches!(plan.part, Part::Instant(_)) { instant } else { local }
                    },
                );
                match time.and_then(|t| t.to_column(p)) {
                    Some(value) => built.push(Datum::Integer(value)),
                    None => built.push_null(),
                }
                continue;
            }
            let record = slices.record_of(row);
            let bytes = without_end(chunk.record(record));
            let line = parse(bytes).map_err(|w| BadRecord { record, fault: no_line(w) })?;
            push(plan.part, &line, bytes, &mut built);
        }
        built.finish(&plan.data_type).map_err(internal)
    }

    fn ignored(&self) -> u64 {
        self.ignored
    }
}

/// The place of a part that stands in the line.
fn place(part: Part, line: &Line, length: usize) -> Option<Place> {
    match part {
        Part::TimeText | Part::Timestamp(_) | Part::Instant(_) => line.time,
        Part::Hostname => line.hostname,
        Part::AppName => line.app_name,
        Part::ProcId => line.procid,
        Part::MsgId => line.msgid,
        Part::StructuredText | Part::StructuredMap => line.structured,
        Part::Message => line.message,
        Part::Raw => Some(Place { start: 0, end: length }),
        Part::Facility(_) | Part::Severity(_) | Part::Priority => None,
    }
}

/// A number that does not stand in the line, or its name.
fn code(part: Part, priority: u8) -> Option<(u8, Option<&'static str>)> {
    let (high, low) = (priority / 8, priority % 8);
    match part {
        Part::Facility(named) => Some((high, named.then(|| facility(high)))),
        Part::Severity(named) => Some((low, named.then(|| severity(low)))),
        Part::Priority => Some((priority, None)),
        _ => None,
    }
}

fn slice(part: Part, line: &Line, start: usize, length: usize, side: &mut Vec<u8>) -> Slice {
    if let Some((number, name)) = line.priority.and_then(|p| code(part, p)) {
        let from = side.len();
        match name {
            Some(name) => side.extend_from_slice(name.as_bytes()),
            None => side.extend_from_slice(number.to_string().as_bytes()),
        }
        return Slice { start: from as u32, len: (side.len() - from) as u32, form: SliceForm::Side };
    }
    match place(part, line, length) {
        Some(p) => {
            Slice { start: (start + p.start) as u32, len: (p.end - p.start) as u32, form: SliceForm::Plain }
        }
        None => Slice { form: SliceForm::Null, ..Slice::default() },
    }
}

fn push(part: Part, line: &Line, bytes: &[u8], column: &mut Column) {
    let text = |p: Place| bytes.get(p.start..p.end).and_then(|b| std::str::from_utf8(b).ok());
    match line.priority.and_then(|p| code(part, p)) {
        Some((_, Some(name))) => return column.push(Datum::Text(name)),
        Some((number, None)) => return column.push(Datum::Integer(i64::from(number))),
        None => {}
    }
    match (part, place(part, line, bytes.len())) {
        (_, None) => column.push_null(),
        (Part::StructuredMap, Some(p)) => push_structured(bytes, p, column),
        (_, Some(p)) => match text(p) {
            Some(text) => column.push(Datum::Text(text)),
            None => column.push_null(),
        },
    }
}

/// Structured data as a MAP of MAPs. Of elements or parameters with the same name all are kept, in their order.
fn push_structured(bytes: &[u8], place: Place, column: &mut Column) {
    let Column::List(outer) = column else { return column.push_null() };
    let text = |p: Place| bytes.get(p.start..p.end).and_then(|b| std::str::from_utf8(b).ok()).unwrap_or("");
    let mut walk = Elements { line: bytes, at: place.start };
    let mut elements = 0;
    // What was cut has been walked over before: there are no errors here.
    while let Ok(Some(name)) = walk.element() {
        let Column::Row(pair) = &mut outer.items else { break };
        let [key, Column::List(inner)] = pair.fields.as_mut_slice() else { break };
        key.push(Datum::Text(text(name)));
        let mut parameters = 0;
        while let Ok(Some((name, value))) = walk.parameter() {
            let Column::Row(pair) = &mut inner.items else { break };
            let [key, to] = pair.fields.as_mut_slice() else { break };
            key.push(Datum::Text(text(name)));
            to.push(Datum::Text(&unescaped(text(value))));
            pair.end();
            parameters += 1;
        }
        inner.end(parameters);
        pair.end();
        elements += 1;
    }
    outer.end(elements);
}

/// A parameter's value without the backslashes in front of quotes, backslashes and brackets.
fn unescaped(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains('\\') {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('\\', Some(next @ ('"' | '\\' | ']'))) => {
                out.push(*next);
                chars.next();
            }
            _ => out.push(c),
        }
    }
    out.into()
}

fn no_line(wrong: Wrong) -> Fault {
    Fault::user(
        "bad-record",
        format!("the record is no syslog line: {} at byte {}", wrong.what, wrong.at + 1),
    )
    .hint("set 'syslog.ignore-parse-errors' to 'true' to leave such lines out")
}
