//! Cutting records into slices.
//!
//! Two ways lead to the same answer. The flat one runs over a record once, guessing each field's name from the record before, checking
//! syntax and the types of the columns that are read as it goes. It gives a record up at the first thing out of the ordinary: an escaped name, a
//! name that comes twice, a bad value, anything that is no JSON. Those records go to the full one, which decides, and says what is wrong.
//!
//! Of equal names the last one counts. (Flink's reader counts fields and stops looking when it has seen as many as the query
//! reads, so that its answer depends on the query.) What is behind the object's end is not looked at, as in Flink.

use arrow::array::{ArrayRef, UInt32Array};
use millstream_flow::{BadRecord, Decoder, DecoderSpec, RawChunk};
use millstream_types::{Fault, FieldSlices, Slice, Slices};

use super::build::Again;
use super::field::{Aim, NO_SLOT, Plan, set, take, take_odd};
use super::keys::{Keys, Path};
use super::kind::has_decimal;
use super::marks::Marks;
use super::options::JsonOptions;
use super::read::{Form, Reader, Token};
use super::scan::{Scan, Syntax, What};
use super::text;

/// Decodes JSON records.
#[derive(Debug)]
pub(super) struct JsonDecoder {
    pub(super) columns: Vec<Plan>,
    /// What cutting needs of them.
    aims: Vec<Aim>,
    keys: Keys,
    /// Where quotes are in what is cut.
    pub(super) marks: Marks,
    /// The columns that the slots are set for.
    aimed: Option<Vec<usize>>,
    pub(super) reader: Reader,
    fail_on_missing: bool,
    pub(super) full: bool,
    /// Number of the record, so that a name knows whether it was found in this one.
    stamp: u32,
    pub(super) dropped: u64,
    /// Columns that were not cut, found for the rows that were asked for last.
    pub(super) again: Option<Again>,
}
/// What became of a record.
pub(super) enum Outcome {
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
            columns.push(Plan::new(*position, field)?);
        }
        let decimals =
            spec.read.iter().filter_map(|i| spec.columns.get(*i)).any(|f| has_decimal(&f.data_type));
        Ok(JsonDecoder {
            keys: Keys::new(columns.iter().map(|c| &*c.name)),
            aims: columns.iter().map(Plan::aim).collect(),
            columns,
            marks: Marks::default(),
            aimed: None,
            reader: Reader::new(options.standard, options.ignore_errors, options.fail_on_missing, decimals),
            fail_on_missing: options.fail_on_missing,
            full: options.full,
            stamp: 0,
            dropped: 0,
            again: None,
        })
    }

    /// Sets where columns' slices go, and makes room for `rows` of them.
    pub(super) fn aim(&mut self, want: &[usize], rows: usize, out: &mut Slices) -> Result<(), Fault> {
        // The same columns are wanted chunk after chunk.
        if self.aimed.as_deref() != Some(want) {
            self.aimed = None;
            for (plan, aim) in self.columns.iter().zip(&mut self.aims) {
                aim.slot = want.iter().position(|w| *w == plan.column).unwrap_or(NO_SLOT);
            }
            if let Some(other) = want.iter().find(|w| self.columns.iter().all(|c| c.column != **w)) {
                return Err(Fault::internal(format!("column {other} is not among those that are read")));
            }
            self.aimed = Some(want.to_vec());
        }
        out.clear();
        out.fields.resize_with(want.len(), FieldSlices::default);
        for (field, column) in out.fields.iter_mut().zip(want) {
            field.column = *column;
            field.slices.resize(rows, Slice::default());
        }
        Ok(())
    }

    /// A record's bytes, and whether they are surely ASCII. Where not all of it is read, quotes are found as they are needed.
    #[inline(always)]
    pub(super) fn scan<'a>(
        &self,
        marks: &'a mut Marks,
        data: &'a [u8],
        start: usize,
        end: usize,
        ahead: bool,
    ) -> (Scan<'a>, bool) {
        if !self.full {
            return (Scan::new(data, end), false);
        }
        marks.cover(data, start, end, ahead);
        (Scan::marked(data, end, marks.marked()), marks.is_ascii(start, end))
    }

    /// Cuts one record into row `row`.
    #[inline]
    pub(super) fn record(
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
        let JsonDecoder { columns, aims, keys, reader, full, .. } = self;
        self.stamp = self.stamp.wrapping_add(1);
        let stamp = self.stamp;
        if scan.byte(start) != b'{' {
            return None;
        }
        let mut at = start + 1;
        let mut path = Path::default();
        let mut found = 0;
        let sought = if *full { usize::MAX } else { fields.len() };
        loop {
            let mut field = match keys.guessed(scan, at, path) {
                Some(field) => field,
                None => {
                    at = scan.space(at);
                    match keys.known(scan, at, path) {
                        Some(field) => field,
                        None => keys.look_up(scan, at, path)?,
                    }
                }
            };
            let (token, end) = match Token::at(scan, field.value) {
                Ok(token) => token,
                Err(_) => {
                    // More white space than behind the name before.
                    field = keys.look_up(scan, at, path)?;
                    Token::at(scan, field.value).ok()?
                }
            };
            // None of a name that no column has.
            if let Some(aim) = aims.get(field.column).copied()
                && (*full || aim.slot != NO_SLOT)
            {
                if keys.repeated(field.key, stamp) {
                    return None;
                }
                found += 1;
                let from = field.value
                    + usize::from(matches!(token.form, Form::Text | Form::Escaped | Form::Unicode));
                let slot = fields.get_mut(aim.slot);
                match aim.form(token, reader.standard) {
                    Some(form) => {
                        if let Some(slot) = slot {
                            set(slot, row, Slice { start: from as u32, len: token.bytes.len() as u32, form });
                        }
                    }
                    None => {
                        let plan = columns.get_mut(field.column)?;
                        take_odd(plan, reader, token, from, slot, row).ok()?;
                    }
                }
                if found == sought {
                    return Some(());
                }
            }
            path = path.with(field.key);
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
        let outcome = match self.members(scan.unmarked(), start, &mut tokens) {
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
        for ((plan, aim), token) in self.columns.iter_mut().zip(&self.aims).zip(tokens) {
            if !self.full && aim.slot == NO_SLOT {
                continue;
            }
            let Some((token, from)) = token else {
                if self.fail_on_missing {
                    return Err(Fault::user("bad-record", format!("field '{}' is missing", plan.name))
                        .hint("set 'json.fail-on-missing-field' to 'false' to read it as NULL"));
                }
                continue;
            };
            let slot = fields.get_mut(aim.slot);
            take(plan, *aim, &mut self.reader, *token, *from, slot, row).map_err(|p| p.fault(&plan.name))?;
        }
        Ok(())
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
        let mut marks = std::mem::take(&mut self.marks);
        marks.forget();
        for (i, span) in chunk.records.iter().enumerate() {
            let (start, end) = (span.start as usize, span.end as usize);
            let (scan, ascii) = self.scan(&mut marks, data, start, end, true);
            match self.record(scan, start, ascii, out.rows, &mut out.fields) {
                Outcome::Row => out.keep(i),
                Outcome::None => out.leave_out(),
                Outcome::Bad(fault) => {
                    bad.push(BadRecord { record: i, fault });
                    out.leave_out();
                }
            }
        }
        self.marks = marks;
        for field in &mut out.fields {
            field.slices.truncate(out.rows);
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
        self.column(chunk, slices, column, rows)
    }

    fn ignored(&self) -> u64 {
        self.dropped + self.reader.ignored
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
