//! The values of parts in a chunk: each column that has parts is gone over once a row, for all of them.

use arrow::array::{Array, ArrayRef, AsArray, UInt32Array};
use millstream_expr::EvalContext;
use millstream_text::json::{Json, JsonPlace, JsonPlaces, java_number};
use millstream_types::{Fault, FieldSlices, Slice, SliceForm, Slices};

use super::ordinal::Ordinal;
use super::parts::{self, Part, Parts, Spells};
use super::texts::unescape;
use crate::RuleInput;

/// The columns that are gone over.
#[derive(Debug, Default)]
pub(super) struct Walks {
    walks: Vec<Walk>,
    /// For each part its walk and its place there.
    places: Vec<Option<(usize, usize)>>,
}

/// A column with its parts.
#[derive(Debug, Default)]
struct Walk {
    base: usize,
    paths: JsonPlaces,
    /// The parts, as columns; one path each.
    parts: Vec<usize>,
    fields: Vec<FieldSlices>,
    /// The parts' values where the column was not cut.
    arrays: Vec<ArrayRef>,
    text: Vec<u8>,
    found: Vec<JsonPlace>,
    slices: Vec<Slice>,
}

/// A value that is not what it seems: it is evaluated.
struct Odd;

impl Walks {
    /// Goes over the columns of which some part is `searched`, for all parts that are `asked`, both ascending.
    pub(super) fn aim(&mut self, parts: &Parts, searched: &[usize], asked: &[usize]) {
        *self = Walks::default();
        self.places.resize(parts.len(), None);
        for column in asked {
            let Some(part) = parts.get(*column) else { continue };
            let of_base = |c: &usize| parts.get(*c).is_some_and(|p| p.base == part.base);
            if !searched.iter().any(of_base) {
                continue;
            }
            let number = match self.walks.iter().position(|w| w.base == part.base) {
                Some(number) => number,
                None => {
                    self.walks.push(Walk { base: part.base, ..Walk::default() });
                    self.walks.len() - 1
                }
            };
            let Some(walk) = self.walks.get_mut(number) else { continue };
            let place = walk.paths.add(&part.steps);
            walk.parts.push(*column);
            walk.fields.push(FieldSlices { column: *column, ..FieldSlices::default() });
            if let Some(slot) = parts::number(*column).and_then(|n| self.places.get_mut(n)) {
                *slot = Some((number, place));
            }
        }
    }

    /// Goes over the first `rows` rows of a chunk.
    ///
    /// # Errors
    /// When a column cannot be built.
    pub(super) fn look(
        &mut self,
        parts: &Parts,
        input: &mut dyn RuleInput,
        rows: usize,
        context: &EvalContext,
    ) -> Result<(), Fault> {
        for walk in &mut self.walks {
            walk.look(parts, input, rows, context)?;
        }
        Ok(())
    }

    fn walk(&self, column: usize) -> Option<(&Walk, usize)> {
        let (number, place) = (*self.places.get(parts::number(column)?)?)?;
        Some((self.walks.get(number)?, place))
    }
}

impl Walk {
    fn look(
        &mut self,
        parts: &Parts,
        input: &mut dyn RuleInput,
        rows: usize,
        context: &EvalContext,
    ) -> Result<(), Fault> {
        self.arrays.clear();
        for field in &mut self.fields {
            field.slices.clear();
            field.side.clear();
        }
        let asked: Vec<&Part> = self.parts.iter().filter_map(|c| parts.get(*c)).collect();
        let Some((slices, cut)) = input.field(self.base) else {
            let column = input.column(self.base, None)?;
            for part in asked {
                self.arrays.push(part.of(column.clone(), context)?);
            }
            return Ok(());
        };
        let mut odd: Vec<u32> = Vec::new();
        for (row, slice) in cut.slices.iter().take(rows).enumerate() {
            if self.row(&asked, slices, cut, *slice).is_err() {
                odd.push(row as u32);
                self.slices.clear();
                self.slices.resize(asked.len(), NULL);
            }
            for (field, slice) in self.fields.iter_mut().zip(&self.slices) {
                field.slices.push(*slice);
            }
        }
        if odd.is_empty() {
            return Ok(());
        }
        let column = input.column(self.base, Some(&UInt32Array::from(odd.clone())))?;
        for (field, part) in self.fields.iter_mut().zip(asked) {
            let array = part.of(column.clone(), context)?;
            let ordinals = Ordinal::array(&array);
            let strings = array.as_string_opt::<i32>();
            for (at, row) in odd.iter().enumerate().filter(|(at, _)| array.is_valid(*at)) {
                let slice = match (strings, ordinals(at)) {
                    (Some(strings), _) => aside(&mut field.side, strings.value(at).as_bytes()),
                    (None, Some(number)) => aside(&mut field.side, number.to_string().as_bytes()),
                    (None, None) => NULL,
                };
                if let Some(slot) = field.slices.get_mut(*row as usize) {
                    *slot = slice;
                }
            }
        }
        Ok(())
    }

    /// The parts of a row, into `slices`.
    fn row(&mut self, asked: &[&Part], slices: &Slices, cut: &FieldSlices, slice: Slice) -> Result<(), Odd> {
        self.slices.clear();
        let json = asked.first().is_some_and(|p| p.spells == Spells::Json);
        let bytes = slices.bytes(cut, slice);
        // Where the text begins in the chunk, if it stands there as it is.
        let mut start = Some(slice.start);
        let text = match slice.form {
            SliceForm::Absent | SliceForm::Null => {
                self.slices.resize(asked.len(), NULL);
                return Ok(());
            }
            SliceForm::JsonRaw if !json => bytes,
            SliceForm::Plain if json => bytes,
            SliceForm::Side if json => {
                start = None;
                bytes
            }
            SliceForm::JsonEscaped if json => {
                start = None;
                self.text.clear();
                unescape(bytes, &mut self.text);
                &self.text
            }
            _ => return Err(Odd),
        };
        let text = std::str::from_utf8(text).map_err(|_| Odd)?;
        if self.paths.follow(text, &mut self.found).is_err() {
            if !json {
                return Err(Odd);
            }
            // What is no JSON has no values.
            self.slices.resize(asked.len(), NULL);
            return Ok(());
        }
        for ((part, place), field) in asked.iter().zip(&self.found).zip(&mut self.fields) {
            let value = match place {
                JsonPlace::Missing | JsonPlace::Null => NULL,
                JsonPlace::Barred if json => NULL,
                JsonPlace::Barred => return Err(Odd),
                JsonPlace::At(from, to) => {
                    let token = text.get(*from..*to).unwrap_or_default();
                    let start = start.map(|s| s + *from as u32);
                    value(part.spells, token, start, &mut field.side)?
                }
            };
            self.slices.push(value);
        }
        Ok(())
    }
}

const NULL: Slice = Slice { start: 0, len: 0, form: SliceForm::Null };

/// A text that is put aside.
fn aside(side: &mut Vec<u8>, text: &[u8]) -> Slice {
    let slice = Slice { start: side.len() as u32, len: text.len() as u32, form: SliceForm::Side };
    side.extend_from_slice(text);
    slice
}

/// Whether a JSON string has escapes, and whether all of them are of one letter (no `\u`).
fn escapes(mut text: &[u8]) -> (bool, bool) {
    let mut escaped = false;
    while let Some(at) = memchr::memchr(b'\\', text) {
        escaped = true;
        if text.get(at + 1) == Some(&b'u') {
            return (true, false);
        }
        text = text.get(at + 2..).unwrap_or_default();
    }
    (escaped, true)
}

/// The value that a JSON token is, which begins at `start` of the chunk (`None`: it is not there).
fn value(spells: Spells, token: &str, start: Option<u32>, side: &mut Vec<u8>) -> Result<Slice, Odd> {
    let here = |side: &mut Vec<u8>, text: &str, skip: u32, form| match start {
        Some(start) => Slice { start: start + skip, len: text.len() as u32, form },
        None => aside(side, text.as_bytes()),
    };
    let bytes = token.as_bytes();
    Ok(match (bytes.first(), spells) {
        (Some(b'"'), Spells::Text | Spells::Json) => {
            let inner = token.get(1..token.len().saturating_sub(1)).unwrap_or_default();
            let (escaped, is_simple) = escapes(inner.as_bytes());
            if !escaped {
                return Ok(here(side, inner, 1, SliceForm::Plain));
            }
            match (spells, start) {
                (Spells::Text, Some(_)) if is_simple => here(side, inner, 1, SliceForm::JsonEscaped),
                (Spells::Json, _) => match Json::parse(token) {
                    Ok(Json::String(text)) => aside(side, text.as_bytes()),
                    _ => return Err(Odd),
                },
                _ => return Err(Odd),
            }
        }
        (Some(b'-' | b'0'..=b'9'), Spells::Text) => here(side, token, 0, SliceForm::Plain),
        (Some(b'-' | b'0'..=b'9'), Spells::Whole(digits)) => {
            let plain = token.strip_prefix('-').unwrap_or(token);
            if plain.len() > digits || !plain.bytes().all(|b| b.is_ascii_digit()) {
                return Err(Odd);
            }
            here(side, token, 0, SliceForm::Plain)
        }
        (Some(b'-' | b'0'..=b'9'), Spells::Json) => {
            if token.len() < 18 && bytes.iter().all(u8::is_ascii_digit) {
                return Ok(here(side, token, 0, SliceForm::Plain));
            }
            match Json::parse(token) {
                Ok(Json::Number(number)) => aside(side, java_number(&number).as_bytes()),
                _ => return Err(Odd),
            }
        }
        (Some(b't' | b'f'), Spells::Text | Spells::Json) => here(side, token, 0, SliceForm::Plain),
        (Some(b'n'), _) => NULL,
        (_, Spells::Json) => NULL,
        _ => return Err(Odd),
    })
}

/// A chunk with the parts of its columns as columns.
pub(super) struct Seen<'a> {
    pub(super) input: &'a mut dyn RuleInput,
    pub(super) parts: &'a Parts,
    pub(super) walks: &'a Walks,
    pub(super) context: &'a EvalContext,
}

impl RuleInput for Seen<'_> {
    fn rows(&self) -> usize {
        self.input.rows()
    }

    fn field(&self, column: usize) -> Option<(&Slices, &FieldSlices)> {
        let Some(part) = self.parts.get(column) else { return self.input.field(column) };
        let (walk, place) = self.walks.walk(column)?;
        let (slices, _) = self.input.field(part.base)?;
        walk.fields.get(place).map(|field| (slices, field))
    }

    fn column(&mut self, column: usize, rows: Option<&UInt32Array>) -> Result<ArrayRef, Fault> {
        let Some(part) = self.parts.get(column) else { return self.input.column(column, rows) };
        if rows.is_none()
            && let Some((walk, place)) = self.walks.walk(column)
            && let Some(array) = walk.arrays.get(place)
        {
            return Ok(array.clone());
        }
        part.of(self.input.column(part.base, rows)?, self.context)
    }

    fn watermarks(&self) -> Option<&[i64]> {
        self.input.watermarks()
    }
}
