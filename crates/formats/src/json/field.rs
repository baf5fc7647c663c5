//! A column that is read: checking a value's type, and its slice.

use std::sync::Arc;

use millstream_flow::FieldSpec;
use millstream_text::temporal::TimestampStandard;
use millstream_types::{DataType, Fault, FieldSlices, Slice, SliceForm};

use crate::column::{Column, Datum};
use crate::value::Leaf;

use super::kind::{Kind, Typed};
use super::read::{Form, Problem, Reader, Token, canonical};
use super::text;

/// A column that is not cut.
pub(super) const NO_SLOT: usize = usize::MAX;
/// Values that a column for checking holds before it is emptied.
const CHECKED: usize = 1024;

/// A column that is read.
#[derive(Debug)]
pub(super) struct Plan {
    /// Its position in the table.
    pub column: usize,
    pub name: Arc<str>,
    pub data_type: DataType,
    pub typed: Typed,
    /// For types with parts: a column that values are built into to see whether they can be.
    check: Option<Column>,
}

/// What cutting a usual value of a column needs, apart from the rest: records of hundreds of columns are cut from what fits into the first cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct Aim {
    /// Where its slices go.
    pub slot: usize,
    usual: Usual,
}

/// The values that a column takes without a closer look.
#[derive(Debug, Clone, Copy)]
enum Usual {
    Text,
    /// Whole numbers of so many characters (a sign is one), which are surely in the type's range.
    Whole(u8),
    Real,
    Boolean,
    Timestamp,
    Instant,
    None,
}

impl Plan {
    /// # Errors
    /// User, for a type that JSON cannot hold.
    pub fn new(column: usize, field: &FieldSpec) -> Result<Plan, Fault> {
        let typed = Typed::new(&field.name, &field.data_type, &field.paths)?;
        Ok(Plan {
            column,
            name: field.name.clone(),
            data_type: field.data_type.clone(),
            check: typed.leaf().is_none().then(|| Column::new(&field.data_type)).transpose()?,
            typed,
        })
    }

    /// What a usual value is; it goes nowhere.
    pub fn aim(&self) -> Aim {
        let usual = match self.typed.kind {
            Kind::Leaf(Leaf::Text) => Usual::Text,
            Kind::Leaf(Leaf::Double | Leaf::Float) => Usual::Real,
            Kind::Leaf(Leaf::Boolean) => Usual::Boolean,
            Kind::Leaf(Leaf::Timestamp(_)) => Usual::Timestamp,
            Kind::Leaf(Leaf::Instant(_)) => Usual::Instant,
            Kind::Leaf(Leaf::Integer { max, .. }) => Usual::Whole(match max {
                127 => 2,
                32_767 => 4,
                2_147_483_647 => 9,
                _ => 18,
            }),
            _ => Usual::None,
        };
        Aim { slot: NO_SLOT, usual }
    }
}

impl Aim {
    /// The form of a usual value; `None`: it needs a closer look.
    #[inline(always)]
    pub fn form(self, token: Token<'_>, standard: TimestampStandard) -> Option<SliceForm> {
        if matches!((self.usual, token.form), (Usual::Text, Form::Text)) {
            return Some(SliceForm::Plain);
        }
        Some(match (self.usual, token.form) {
            (_, Form::Null) => SliceForm::Null,
            (Usual::Text, Form::Text | Form::Whole | Form::Number | Form::True | Form::False) => {
                SliceForm::Plain
            }
            (Usual::Text, Form::Escaped) => SliceForm::JsonEscaped,
            (Usual::Whole(most), Form::Whole) if token.bytes.len() <= usize::from(most) => SliceForm::JsonRaw,
            (Usual::Real, Form::Whole | Form::Number) => SliceForm::JsonRaw,
            (Usual::Boolean, Form::True | Form::False) => SliceForm::JsonRaw,
            (Usual::Timestamp, Form::Text) if is_usual_timestamp(token.bytes, standard) => SliceForm::Plain,
            (Usual::Instant, Form::Text)
                if token
                    .bytes
                    .split_last()
                    .is_some_and(|(z, t)| *z == b'Z' && is_usual_timestamp(t, standard)) =>
            {
                SliceForm::Plain
            }
            _ => return None,
        })
    }
}

/// Checks a value and puts its slice into row `row` of its column, if that is cut.
pub(super) fn take(
    plan: &mut Plan,
    aim: Aim,
    reader: &mut Reader,
    token: Token<'_>,
    from: usize,
    field: Option<&mut FieldSlices>,
    row: usize,
) -> Result<(), Box<Problem>> {
    let Some(form) = aim.form(token, reader.standard) else {
        return take_odd(plan, reader, token, from, field, row);
    };
    if let Some(field) = field {
        set(field, row, Slice { start: from as u32, len: token.bytes.len() as u32, form });
    }
    Ok(())
}

/// [`take`] for what needs a closer look.
#[inline(never)]
pub(super) fn take_odd(
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
pub(super) fn set(field: &mut FieldSlices, row: usize, slice: Slice) {
    if let Some(place) = field.slices.get_mut(row) {
        *place = slice;
    }
}
