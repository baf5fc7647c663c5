//! Cutting records into slices.
//!
//! Two ways lead to the same answer. The flat one runs over a record once, guessing each field's name from the record before, checking
//! syntax and the types of the columns that are read as it goes. It gives a record up at the first thing out of the ordinary: an escaped name, a
//! name that comes twice, a bad value, anything that is no JSON. Those records go to the full one, which decides, and says what is wrong.
//!
//! Of equal names the last one counts. (Flink's reader counts fields and stops looking when it has seen as many as the query
//! reads, so that its answer depends on the query.) What is behind the object's end is not looked at, as in Flink.

use std::sync::Arc;

use arrow::array::{ArrayRef, UInt32Array};
use bytes::Bytes;
use millstream_flow::{BadRecord, Decoder, DecoderSpec, RawChunk, RecordSpan};
use millstream_text::json;
use millstream_text::temporal::TimestampStandard;
use millstream_types::{DataType, Fault, FieldSlices, Slice, SliceForm, Slices};

use crate::column::{Column, Datum};
use crate::value::Leaf;

use super::build::{Form, Problem, Reader, Token, canonical};
use super::keys::{Keys, NO_COLUMN};
use super::kind::{Kind, Typed, has_decimal};
use super::options::JsonOptions;
use super::scan::{Scan, Syntax, What};
use super::text;

/// A column that is not cut.
const NO_SLOT: usize = usize::MAX;
/// Values that a column for checking holds before it is emptied.
const CHECKED: usize = 1024;

/// Decodes JSON records.
#[derive(Debug)]
pub(super) struct JsonDecoder {
    columns: Vec<Plan>,
    keys: Keys,
    reader: Reader,
    fail_on_missing: bool,
    full: bool,
    /// Number of the record, so that a column knows whether it was found in this one.
    stamp: u64,
    dropped: u64,
    /// Columns that were not cut, found for the rows that were asked for last.
    again: Option<Again>,
}

/// A column that is read.
#[derive(Debug)]
struct Plan {
    /// Its position in the table.
    column: usize,
    name: Arc<str>,
    data_type: DataType,
    typed: Typed,
    /// Whole numbers of this many digits are in the type's range.
    digits: usize,
    /// Where its slices go.
    slot: usize,
    /// The record it was found in last.
    stamp: u64,
    /// For types with parts: a column that values are built into to see whether they can be.
    check: Option<Column>,
}

#[derive(Debug)]
struct Again {
    data: Bytes,
    spans: Vec<RecordSpan>,
    slices: Slices,
}

/// What became of a record.
enum Outcome {
    Row,
    /// Nothing in it, or left out because errors are ignored.
    None,
    Bad(Fault),
}

impl JsonDecoder {
    pub fn new(spec: &DecoderSpec) -> Result<Self, Fault> {
        let options = JsonOptions::read(&spec.options)?;
        let mut columns: Vec<Plan> = Vec::with_capacity(spec.read.len());
        for position in &spec.read {
            let field = spec.columns.get(*position).filter(|_| columns.iter().all(|c| c.column != *position));
            let Some(field) = field else {
                return Err(Fault::internal(format!("column {position} is none, or is read twice")));
            };
            // As in Flink, a type that JSON cannot hold only matters where it is read.
            let typed = Typed::new(&field.name, &field.data_type, &field.paths)?;
            columns.push(Plan {
                column: *position,
                name: field.name.clone(),
                data_type: field.data_type.clone(),
                digits: safe_digits(&typed),
                check: typed.leaf().is_none().then(|| Column::new(&field.data_type)).transpose()?,
                typed,
                slot: NO_SLOT,
                stamp: 0,
            });
        }
        let decimals =
            spec.read.iter().filter_map(|i| spec.columns.get(*i)).any(|f| has_decimal(&f.data_type));
        Ok(JsonDecoder {
            keys: Keys::new(columns.iter().map(|c| &*c.name)),
            columns,
            reader: Reader::new(options.standard, options.ignore_errors, options.fail_on_missing, decimals),
            fail_on_missing: options.fail_on_missing,
            full: options.full,
            stamp: 0,
            dropped: 0,
            again: None,
        })
    }

    /// Sets where columns' slices go, and makes room for `rows` of them.
    fn aim(&mut self, want: &[usize], rows: usize, out: &mut Slices) -> Result<(), Fault> {
        for plan in &mut self.columns {
            plan.slot = want.iter().position(|w| *w == plan.column).unwrap_or(NO_SLOT);
        }
        if let Some(other) = want.iter().find(|w| self.columns.iter().all(|c| c.column != **w)) {
            return Err(Fault::internal(format!("column {other} is not among those that are read")));
        }
        out.clear();
        out.fields.resize_with(want.len(), FieldSlices::default);
        for (field, column) in out.fields.iter_mut().zip(want) {
            field.column = *column;
            field.slices.resize(rows, Slice::default());
        }
        Ok(())
    }

    /// Cuts one record into row `row`.
    #[inline]
    fn record(
        &mut self,
        scan: Scan<'_>,
        start: usize,
        ascii: bool,
        row: usize,
        fields: &mut [FieldSlices],
    ) -> Outcome {
        if start == scan.end {
            return Outcome::None;
        }
        let ignored = self.reader.ignored;
        if self.flat(scan, start, ascii, row, fields).is_some() {
            return Outcome::Row;
        }
        self.reader.ignored = ignored;
        for field in &mut *fields {
            set(field, row, Slice::default());
        }
        let outcome = self.whole(scan, start, row, fields);
        if !matches!(outcome, Outcome::Row) {
            for field in fields {
                set(field, row, Slice::default());
            }
        }
        outcome
    }

    /// The flat way. `None`: the record is for the full one.
    #[inline]
    fn flat(
        &mut self,
        scan: Scan<'_>,
        start: usize,
        ascii: bool,
        row: usize,
        fields: &mut [FieldSlices],
    ) -> Option<()> {
        let JsonDecoder { columns, keys, reader, full, .. } = self;
        self.stamp += 1;
        let stamp = self.stamp;
        if scan.byte(start) != b'{' {
            return None;
        }
        let mut at = start + 1;
        let mut last = None;
        let mut guess = keys.first();
        let mut found = 0;
        let sought = if *full { usize::MAX } else { fields.len() };
        loop {
            let field = match keys.guessed(scan, at, guess) {
                Some(field) => field,
                None => {
                    at = scan.space(at);
                    keys.look_up(scan, at, last)?
                }
            };
            let (token, end) = Token::at(scan, field.value).ok()?;
            if field.column != NO_COLUMN
                && let Some(plan) = columns.get_mut(field.column)
                && (*full || plan.slot != NO_SLOT)
            {
                if plan.stamp == stamp {
                    return None;
                }
                plan.stamp = stamp;
                found += 1;
                let from = field.value
                    + usize::from(matches!(token.form, Form::Text | Form::Escaped | Form::Unicode));
                let slot = fields.get_mut(plan.slot);
                take(plan, reader, token, from, slot, row).ok()?;
                if found == sought {
                    return Some(());
                }
            }
            last = Some(field.key);
            guess = keys.behind(field.key);
            match scan.byte(end) {
                b',' => at = end + 1,
                b'}' => {
                    at = end;
                    break;
                }
                _ => {
                    at = scan.space(end);
                    match scan.byte(at) {
                        b',' => at += 1,
                        b'}' => break,
                        _ => return None,
                    }
                }
            }
            if scan.byte(at) != b'"' {
                at = scan.space(at);
            }
        }
        if self.fail_on_missing && found < columns.len() {
            return None;
        }
        if *full && !ascii && std::str::from_utf8(scan.data.get(start..=at)?).is_err() {
            return None;
        }
        Some(())
    }

    /// The full way: all of the record's fields are found before any is read.
    #[cold]
    fn whole(&mut self, scan: Scan<'_>, start: usize, row: usize, fields: &mut [FieldSlices]) -> Outcome {
        let mut tokens = vec![None; self.columns.len()];
        let outcome = match self.members(scan, start, &mut tokens) {
            Err(fault) => Err(fault),
            Ok(()) => self.read_all(&tokens, row, fields),
        };
        match outcome {
            Ok(()) => Outcome::Row,
            Err(_) if self.reader.ignore => {
                self.dropped += 1;
                Outcome::None
            }
            Err(fault) => Outcome::Bad(fault),
        }
    }

    /// Finds the record's fields.
    fn members<'a>(
        &self,
        scan: Scan<'a>,
        start: usize,
        tokens: &mut [Option<(Token<'a>, usize)>],
    ) -> Result<(), Fault> {
        let wrong = |s: Syntax| no_object(scan, start, s.at as usize, s.what.text());
        let bom = scan.data.get(start..scan.end).is_some_and(|d| d.starts_with(b"\xEF\xBB\xBF"));
        let mut at = scan.space(start + if bom { 3 } else { 0 });
        if scan.byte(at) != b'{' {
            return Err(no_object(scan, start, at, "'{' is missing"));
        }
        at = scan.space(at + 1);
        let mut name = Vec::new();
        while scan.byte(at) != b'}' {
            let (key, value) = scan.key(at).map_err(wrong)?;
            let raw = scan.data.get(at + 1..key.close).unwrap_or_default();
            let column = if key.escaped {
                name.clear();
                text::unescape(raw, &mut name);
                self.keys.column(&name)
            } else {
                self.keys.column(raw)
            };
            let (token, end) = Token::at(scan, value).map_err(wrong)?;
            if let Some(place) = column.and_then(|c| tokens.get_mut(c)) {
                let text = matches!(token.form, Form::Text | Form::Escaped | Form::Unicode);
                *place = Some((token, value + usize::from(text)));
            }
            at = scan.space(end);
            match scan.byte(at) {
                b'}' => break,
                b',' => {
                    at = scan.space(at + 1);
                    if scan.byte(at) == b'}' {
                        return Err(wrong(scan.wrong(at, What::Key)));
                    }
                }
                _ => return Err(wrong(scan.wrong(at, What::CommaOrBrace))),
            }
        }
        if self.full
            && let Err(e) = std::str::from_utf8(scan.data.get(start..=at).unwrap_or_default())
        {
            return Err(no_object(scan, start, start + e.valid_up_to(), "the text is no UTF-8"));
        }
        Ok(())
    }

    /// Reads the fields that were found.
    fn read_all(
        &mut self,
        tokens: &[Option<(Token<'_>, usize)>],
        row: usize,
        fields: &mut [FieldSlices],
    ) -> Result<(), Fault> {
        for (plan, token) in self.columns.iter_mut().zip(tokens) {
            if !self.full && plan.slot == NO_SLOT {
                continue;
            }
            let Some((token, from)) = token else {
                if self.fail_on_missing {
                    return Err(Fault::user("bad-record", format!("field '{}' is missing", plan.name))
                        .hint("set 'json.fail-on-missing-field' to 'false' to read it as NULL"));
                }
                continue;
            };
            let slot = fields.get_mut(plan.slot);
            take(plan, &mut self.reader, *token, *from, slot, row).map_err(|p| p.fault(&plan.name))?;
        }
        Ok(())
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
            for (row, span) in spans.iter().enumerate() {
                let scan = Scan::new(&chunk.data, span.end as usize);
                let outcome = self.record(scan, span.start as usize, false, row, &mut out.fields);
                if let Outcome::Bad(fault) = outcome {
                    let record = rows.values().get(row).map_or(0, |r| slices.record_of(*r as usize));
                    return Err(BadRecord { record, fault });
                }
            }
            out.rows = spans.len();
            (self.reader.ignored, self.dropped) = ignored;
            self.again = Some(Again { data: chunk.data.clone(), spans, slices: out });
        }
        self.again.as_ref().ok_or_else(|| fault_in(0, Fault::internal("columns that were not cut are lost")))
    }
}

impl Decoder for JsonDecoder {
    fn cut(
        &mut self,
        chunk: &RawChunk,
        want: &[usize],
        out: &mut Slices,
        bad: &mut Vec<BadRecord>,
    ) -> Result<(), Fault> {
        self.again = None;
        self.aim(want, chunk.records.len(), out)?;
        out.data = chunk.data.clone();
        let data: &[u8] = &chunk.data;
        let ascii = data.is_ascii();
        let mut row = 0;
        for (i, span) in chunk.records.iter().enumerate() {
            let scan = Scan::new(data, span.end as usize);
            match self.record(scan, span.start as usize, ascii, row, &mut out.fields) {
                Outcome::Row => {
                    if let Some(records) = &mut out.records {
                        records.push(i as u32);
                    }
                    row += 1;
                    continue;
                }
                Outcome::None => {}
                Outcome::Bad(fault) => bad.push(BadRecord { record: i, fault }),
            }
            if out.records.is_none() {
                out.records = Some((0..row as u32).collect());
            }
        }
        out.rows = row;
        for field in &mut out.fields {
            field.slices.truncate(row);
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

    fn ignored(&self) -> u64 {
        self.dropped + self.reader.ignored
    }
}

impl JsonDecoder {
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

/// Checks a value and puts its slice into row `row` of its column, if that is cut.
#[inline(always)]
fn take(
    plan: &mut Plan,
    reader: &mut Reader,
    token: Token<'_>,
    from: usize,
    field: Option<&mut FieldSlices>,
    row: usize,
) -> Result<(), Box<Problem>> {
    let form = match (&plan.typed.kind, token.form) {
        (_, Form::Null) => SliceForm::Null,
        (Kind::Leaf(Leaf::Text), Form::Text | Form::Whole | Form::Number | Form::True | Form::False) => {
            SliceForm::Plain
        }
        (Kind::Leaf(Leaf::Text), Form::Escaped) => SliceForm::JsonEscaped,
        // A sign counts as a digit here.
        (Kind::Leaf(_), Form::Whole) if token.bytes.len() <= plan.digits => SliceForm::JsonRaw,
        (Kind::Leaf(Leaf::Double | Leaf::Float), Form::Whole | Form::Number) => SliceForm::JsonRaw,
        (Kind::Leaf(Leaf::Boolean), Form::True | Form::False) => SliceForm::JsonRaw,
        (Kind::Leaf(Leaf::Timestamp(_)), Form::Text) if is_usual_timestamp(token.bytes, reader.standard) => {
            SliceForm::Plain
        }
        (Kind::Leaf(Leaf::Instant(_)), Form::Text)
            if token
                .bytes
                .split_last()
                .is_some_and(|(z, t)| *z == b'Z' && is_usual_timestamp(t, reader.standard)) =>
        {
            SliceForm::Plain
        }
        _ => return take_odd(plan, reader, token, from, field, row),
    };
    if let Some(field) = field {
        set(field, row, Slice { start: from as u32, len: token.bytes.len() as u32, form });
    }
    Ok(())
}

/// [`take`] for what needs a closer look.
#[inline(never)]
fn take_odd(
    plan: &mut Plan,
    reader: &mut Reader,
    token: Token<'_>,
    from: usize,
    field: Option<&mut FieldSlices>,
    row: usize,
) -> Result<(), Box<Problem>> {
    let here = |form| Slice { start: from as u32, len: token.bytes.len() as u32, form };
    let null = Slice { form: SliceForm::Null, ..Slice::default() };
    let leaf = match plan.typed.leaf() {
        Some(leaf) => leaf,
        None => {
            let Some(check) = &mut plan.check else { return Ok(()) };
            if check.len() >= CHECKED {
                *check = Column::new(&plan.data_type).unwrap_or(Column::Null(0));
            }
            let before = reader.ignored;
            let read = reader.append(&plan.typed, check, token);
            if read.is_err() {
                *check = Column::new(&plan.data_type).unwrap_or(Column::Null(0));
            }
            read?;
            if let Some(field) = field {
                // A value that is bad as a whole is NULL.
                let fits = match plan.typed.kind {
                    Kind::Array(_) => token.form == Form::Array,
                    _ => token.form == Form::Object,
                };
                set(
                    field,
                    row,
                    if !fits && reader.ignored > before { null } else { here(SliceForm::JsonRaw) },
                );
            }
            return Ok(());
        }
    };
    let ignore = reader.ignore;
    let datum = match reader.leaf(leaf, token) {
        Ok(datum) => datum,
        Err(_) if ignore => {
            reader.ignored += 1;
            if let Some(field) = field {
                set(field, row, null);
            }
            return Ok(());
        }
        Err(_) => return Err(Problem::type_of(&plan.typed, token)),
    };
    let Some(field) = field else { return Ok(()) };
    let slice = match (leaf, token.form) {
        _ if datum == Datum::Null => null,
        (Leaf::Integer { .. }, Form::Whole) => here(SliceForm::JsonRaw),
        (Leaf::Date | Leaf::Time | Leaf::Timestamp(_) | Leaf::Instant(_) | Leaf::Bytes, Form::Text) => {
            here(SliceForm::Plain)
        }
        (Leaf::Date | Leaf::Time | Leaf::Timestamp(_) | Leaf::Instant(_) | Leaf::Bytes, _) => {
            let start = field.side.len();
            text::unescape(token.bytes, &mut field.side);
            side(field, start)
        }
        _ => {
            let mut text = String::new();
            canonical(datum, leaf, &mut text);
            let start = field.side.len();
            field.side.extend_from_slice(text.as_bytes());
            side(field, start)
        }
    };
    set(field, row, slice);
    Ok(())
}

/// Whether a text is surely a timestamp of the standard that every precision can hold: the ordinary ones are, days 29 to 31 and far centuries
/// have to be looked at closely.
#[inline]
fn is_usual_timestamp(bytes: &[u8], standard: TimestampStandard) -> bool {
    let Some((head, fraction)) = bytes.split_first_chunk::<19>() else { return false };
    let [c0, c1, y0, y1, b'-', m0, m1, b'-', d0, d1, separator, h0, h1, b':', i0, i1, b':', s0, s1] = *head
    else {
        return false;
    };
    let wanted = if standard == TimestampStandard::Sql { b' ' } else { b'T' };
    // Two digits as a number; above 99 where one is no digit.
    let two = |a: u8, b: u8| {
        let (a, b) = (a.wrapping_sub(b'0'), b.wrapping_sub(b'0'));
        if a > 9 || b > 9 { u8::MAX } else { a * 10 + b }
    };
    let fraction_fits = match fraction {
        [] => true,
        [b'.', digits @ ..] => digits.len() <= 9 && digits.iter().all(u8::is_ascii_digit),
        _ => false,
    };
    separator == wanted
        && fraction_fits
        && (17..=21).contains(&two(c0, c1))
        && two(y0, y1) <= 99
        && (1..=12).contains(&two(m0, m1))
        && (1..=28).contains(&two(d0, d1))
        && two(h0, h1) < 24
        && two(i0, i1) < 60
        && two(s0, s1) < 60
}

fn side(field: &FieldSlices, start: usize) -> Slice {
    Slice { start: start as u32, len: (field.side.len() - start) as u32, form: SliceForm::Side }
}

#[inline(always)]
fn set(field: &mut FieldSlices, row: usize, slice: Slice) {
    if let Some(place) = field.slices.get_mut(row) {
        *place = slice;
    }
}

/// So many characters of a whole number (a sign is one) are surely in the type's range.
fn safe_digits(typed: &Typed) -> usize {
    match typed.leaf() {
        Some(Leaf::Integer { max, .. }) => match max {
            127 => 2,
            32_767 => 4,
            2_147_483_647 => 9,
            _ => 18,
        },
        _ => 0,
    }
}

/// "the record is no JSON object", with what stands there.
fn no_object(scan: Scan<'_>, start: usize, at: usize, what: &str) -> Fault {
    let near = scan.data.get(at..scan.end.min(at + 20)).unwrap_or_default();
    let near =
        if near.is_empty() { String::new() } else { format!(", before {:?}", String::from_utf8_lossy(near)) };
    Fault::user(
        "bad-record",
        format!("the record is no JSON object: {what} at byte {}{near}", at.saturating_sub(start) + 1),
    )
    .hint("set 'json.ignore-parse-errors' to 'true' to leave such records out")
}
