//! The values of one row, made ready for tests when one is asked for.

use arrow::array::{Array, ArrayRef, AsArray};
use millstream_expr::functions::scalar::url::Addresses;
use millstream_types::{FieldSlices, SliceForm, Slices};

use super::atom::{Case, Place, Test};
use super::orders;
use super::ordinal::Ordinal;
use super::texts::unescape;

/// The value of a test cannot be told from what is at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Undecided;

/// Where a column's values are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Source<'a> {
    Slices(&'a Slices, &'a FieldSlices),
    /// Built for the rows that are looked at, in their order.
    Built(&'a ArrayRef),
    Nowhere,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Kind {
    #[default]
    Null,
    Text,
    /// A number that is no text.
    Number,
    Undecided,
}

/// One field of the row.
#[derive(Debug, Default)]
struct Field {
    /// The row that it was made ready for.
    stamp: u32,
    kind: Kind,
    text: Vec<u8>,
    number: Option<Option<i64>>,
    ascii: bool,
    /// ASCII letters in lower case.
    lower: Vec<u8>,
    has_lower: bool,
    /// Outside ASCII: the text in lower and in upper case, ASCII letters then in lower case.
    cases: Option<(Vec<u8>, Vec<u8>)>,
    /// The text in a case, for its order.
    key: Vec<u8>,
    windows: Windows,
    looks: u32,
}

/// After so many literals were looked for in a text, its windows are noted.
const NOTE: u32 = 3;

/// Which windows of four and of two bytes a text has (a bit for each hash): most literals are sent away by it.
#[derive(Debug, Default)]
struct Windows {
    bits: Vec<u64>,
    shift: u32,
    ready: bool,
}

impl Windows {
    fn note(&mut self, text: &[u8]) {
        let log = (usize::BITS - (text.len() * 16).leading_zeros()).clamp(8, 16);
        self.shift = 32 - log;
        self.bits.clear();
        self.bits.resize(1 << (log - 6), 0);
        for w in text.windows(2) {
            if let [a, b] = w {
                self.insert(two(*a, *b));
            }
        }
        for w in text.windows(4) {
            if let [a, b, c, d] = w {
                self.insert(four(*a, *b, *c, *d));
            }
        }
        self.ready = true;
    }

    #[inline]
    fn insert(&mut self, window: u32) {
        let at = (window >> self.shift) as usize;
        if let Some(word) = self.bits.get_mut(at / 64) {
            *word |= 1 << (at % 64);
        }
    }

    #[inline]
    fn has(&self, window: u32) -> bool {
        let at = (window >> self.shift) as usize;
        self.bits.get(at / 64).is_some_and(|w| w >> (at % 64) & 1 != 0)
    }

    /// Whether a literal may be in the text.
    #[inline]
    fn may_have(&self, literal: &[u8]) -> bool {
        match literal {
            [a, b, c, d] => self.has(four(*a, *b, *c, *d)),
            [a, b, c, d, .., e, f, g, h] => self.has(four(*e, *f, *g, *h)) && self.has(four(*a, *b, *c, *d)),
            // Of five to seven bytes the two windows overlap.
            [a, b, c, d, rest @ ..] => {
                self.has(four(*a, *b, *c, *d))
                    && match rest {
                        [e] => self.has(four(*b, *c, *d, *e)),
                        [e, f] => self.has(four(*c, *d, *e, *f)),
                        [e, f, g] => self.has(four(*d, *e, *f, *g)),
                        _ => true,
                    }
            }
            [a, b, ..] => self.has(two(*a, *b)),
            _ => true,
        }
    }
}

/// Hashes of windows; letters of either case are the same.
#[inline(always)]
fn four(a: u8, b: u8, c: u8, d: u8) -> u32 {
    (u32::from_le_bytes([a, b, c, d]) | 0x2020_2020).wrapping_mul(0x9E37_79B1)
}

#[inline(always)]
fn two(a: u8, b: u8) -> u32 {
    (u32::from(u16::from_le_bytes([a, b]) | 0x2020)).wrapping_mul(0x85EB_CA6B)
}

/// The fields of a row.
#[derive(Debug, Default)]
pub(super) struct Values {
    fields: Vec<Field>,
    stamp: u32,
}

impl Values {
    /// Turns to another row.
    pub(super) fn next(&mut self) {
        self.stamp = self.stamp.wrapping_add(1);
        if self.stamp == 0 {
            self.fields.clear();
            self.stamp = 1;
        }
    }

    fn field(
        &mut self,
        column: usize,
        source: Source<'_>,
        row: usize,
        position: usize,
    ) -> Option<&mut Field> {
        if self.fields.len() <= column {
            self.fields.resize_with(column + 1, Field::default);
        }
        let stamp = self.stamp;
        let field = self.fields.get_mut(column)?;
        if field.stamp != stamp {
            field.stamp = stamp;
            field.fill(source, row, position);
        }
        Some(field)
    }

    /// Whether a test holds for a column's value on a row, which is the `position`-th of the built rows.
    #[inline]
    pub(super) fn holds(
        &mut self,
        test: &Test,
        column: usize,
        source: Source<'_>,
        row: usize,
        position: usize,
    ) -> Result<bool, Undecided> {
        let Some(field) = self.field(column, source, row, position) else { return Err(Undecided) };
        match (field.kind, test) {
            (Kind::Undecided, _) => Err(Undecided),
            (kind, Test::Present) => Ok(kind != Kind::Null),
            (kind, Test::Missing) => Ok(kind == Kind::Null),
            (
                Kind::Null,
                Test::Text { .. } | Test::Range { .. } | Test::Order { .. } | Test::Address { .. },
            ) => Ok(false),
            (_, Test::Range { low, high, of }) => {
                let value = *field.number.get_or_insert_with(|| of.spelled(&field.text));
                value.map(|v| *low <= v && v <= *high).ok_or(Undecided)
            }
            (Kind::Text, Test::Text { literal, place, case }) => Ok(field.has(literal, *place, *case)),
            (Kind::Text, Test::Order { low, high, case }) => {
                let Field { text, key, .. } = field;
                let text = orders::in_case(text, *case, key).ok_or(Undecided)?;
                Ok(orders::within(text, low, high.as_deref()))
            }
            (Kind::Text, Test::Address { low, high }) => {
                let address = std::str::from_utf8(&field.text).ok().and_then(Addresses::address);
                Ok(address.is_some_and(|a| *low <= a && a <= *high))
            }
            _ => Err(Undecided),
        }
    }

    /// The text of a column; `Ok(None)` for NULL.
    pub(super) fn text(
        &mut self,
        column: usize,
        source: Source<'_>,
        row: usize,
        position: usize,
    ) -> Result<Option<&str>, Undecided> {
        let Some(field) = self.field(column, source, row, position) else { return Err(Undecided) };
        match field.kind {
            Kind::Null => Ok(None),
            Kind::Text => std::str::from_utf8(&field.text).map(Some).map_err(|_| Undecided),
            _ => Err(Undecided),
        }
    }
}

impl Field {
    fn fill(&mut self, source: Source<'_>, row: usize, position: usize) {
        self.text.clear();
        self.number = None;
        self.has_lower = false;
        self.cases = None;
        self.windows.ready = false;
        self.looks = 0;
        self.kind = match source {
            Source::Nowhere => Kind::Undecided,
            Source::Slices(slices, cut) => match cut.slices.get(row) {
                None => Kind::Undecided,
                Some(slice) => match slice.form {
                    SliceForm::Absent | SliceForm::Null => Kind::Null,
                    SliceForm::Plain | SliceForm::Side | SliceForm::JsonRaw => {
                        self.text.extend_from_slice(slices.bytes(cut, *slice));
                        Kind::Text
                    }
                    SliceForm::JsonEscaped => {
                        unescape(slices.bytes(cut, *slice), &mut self.text);
                        Kind::Text
                    }
                    _ => Kind::Undecided,
                },
            },
            Source::Built(array) if position >= array.len() => Kind::Undecided,
            Source::Built(array) if array.is_null(position) => Kind::Null,
            Source::Built(array) => {
                let whole = Ordinal::array(array)(position);
                self.number = whole.map(Some);
                match (whole, array.as_string_opt::<i32>()) {
                    (Some(_), _) => Kind::Number,
                    (None, Some(strings)) => {
                        self.text.extend_from_slice(strings.value(position).as_bytes());
                        Kind::Text
                    }
                    _ => Kind::Undecided,
                }
            }
        };
        self.ascii = self.text.is_ascii();
    }

    fn has(&mut self, literal: &[u8], place: Place, case: Case) -> bool {
        if literal.len() > self.text.len() && self.ascii {
            return false;
        }
        if place == Place::Anywhere
            && literal.len() > 1
            && (self.ascii || matches!(case, Case::Exact | Case::Fold))
        {
            self.looks += 1;
            if self.looks > NOTE {
                if !self.windows.ready {
                    self.windows.note(&self.text);
                }
                if !self.windows.may_have(literal) {
                    return false;
                }
            }
        }
        match case {
            Case::Exact => stands(&self.text, literal, place),
            Case::Lower | Case::Upper if !self.ascii => {
                let text = &self.text;
                let (lower, upper) = self.cases.get_or_insert_with(|| {
                    let text = String::from_utf8_lossy(text);
                    let upper = text.to_uppercase().to_ascii_lowercase();
                    (text.to_lowercase().to_ascii_lowercase().into_bytes(), upper.into_bytes())
                });
                stands(if case == Case::Lower { lower } else { upper }, literal, place)
            }
            _ => {
                if !self.has_lower {
                    self.lower.clear();
                    self.lower.extend(self.text.iter().map(u8::to_ascii_lowercase));
                    self.has_lower = true;
                }
                stands(&self.lower, literal, place)
            }
        }
    }
}

fn stands(text: &[u8], literal: &[u8], place: Place) -> bool {
    match place {
        Place::Anywhere => memchr::memmem::find(text, literal).is_some(),
        Place::Start => text.starts_with(literal),
        Place::End => text.ends_with(literal),
        Place::Whole => text == literal,
    }
}
