//! To CHAR and VARCHAR, from everything.

use arrow::array::{Array, ArrayRef, AsArray};
use arrow::datatypes::{
    Date32Type, Decimal128Type, DurationMillisecondType, Float32Type, Float64Type, Int8Type, Int16Type,
    Int32Type, Int64Type, IntervalYearMonthType, Time32MillisecondType, TimestampMicrosecondType,
    TimestampNanosecondType,
};
use millstream_text::number::{push_decimal, push_f32, push_f64, push_i64};
use millstream_text::temporal::{
    DateTime, Zone, push_date, push_interval_millis, push_interval_months, push_time, push_timestamp,
};
use millstream_types::{DataType, Fault, MAX_LENGTH, TypeKind};

use super::Rules;
use crate::EvalError;
use crate::kernel::strings::build;

pub(super) fn cast(
    array: &ArrayRef,
    from: &TypeKind,
    to: &TypeKind,
    rules: Rules<'_>,
) -> Result<ArrayRef, EvalError> {
    let (length, pad) = match to {
        TypeKind::Char(n) => (*n, !rules.legacy),
        TypeKind::VarChar(n) => (*n, false),
        _ => return Err(Fault::internal("no string type").into()),
    };
    if pad {
        padded_length(to, length as usize)?;
    }
    if let Some(text) = array.as_string_opt::<i32>() {
        let known = match from {
            TypeKind::Char(n) | TypeKind::VarChar(n) => *n,
            _ => MAX_LENGTH,
        };
        if !pad && (length == MAX_LENGTH || known <= length || fits(text, length)) {
            return Ok(array.clone());
        }
        return build(array.len(), |row, out| {
            if text.is_null(row) {
                return Ok(false);
            }
            out.push_str(text.value(row));
            sized(out, length, pad);
            Ok(true)
        });
    }
    let zone = Zone::of(rules.zone)?;
    let printer = Printer::with(array, from, &zone, rules.legacy)?;
    build(array.len(), |row, out| {
        if array.is_null(row) {
            return Ok(false);
        }
        out.write(|s| printer.push(row, s));
        if length != MAX_LENGTH {
            sized(out, length, pad);
        }
        Ok(true)
    })
}

/// The longest value that a cast fills up, in characters or bytes: CHAR(1500000000) would take the memory of a whole machine for one row.
const LONGEST_PADDED: usize = 64 << 20;

/// Refuses to fill values up to a length that memory has no room for.
pub(super) fn padded_length(to: &TypeKind, length: usize) -> Result<(), Fault> {
    if length <= LONGEST_PADDED {
        return Ok(());
    }
    let most =
        format!("a cast fills values up to {LONGEST_PADDED} characters at the most, {to} asks for more");
    Err(Fault::user("too-large", most).hint("cast to STRING, or to a shorter type"))
}

/// Whether every text has at most so many bytes, and so at most so many characters.
fn fits(text: &arrow::array::StringArray, length: u32) -> bool {
    text.offsets().windows(2).all(|w| matches!(w, [a, b] if b.saturating_sub(*a) as u32 <= length))
}

/// Cuts to a number of characters, or fills up with spaces.
fn sized(out: &mut crate::kernel::strings::TextOut, length: u32, pad: bool) {
    let length = length as usize;
    out.cut(length);
    if pad {
        for _ in out.as_str().chars().count()..length {
            out.push(' ');
        }
    }
}

/// Writes the entries of an array as `CAST(… AS STRING)` shows them.
#[derive(Debug)]
pub struct Printer<'a> {
    array: &'a ArrayRef,
    form: Form<'a>,
}

#[derive(Debug)]
enum Form<'a> {
    Text,
    Boolean {
        legacy: bool,
    },
    Integer(i8),
    Float,
    Double,
    Decimal(u8),
    Date,
    Time(u8),
    Timestamp(u8),
    TimestampLtz(u8, &'a Zone),
    Months,
    Millis,
    Binary,
    Array(Box<Printer<'a>>),
    Map(Box<Printer<'a>>, Box<Printer<'a>>),
    Row(Vec<Printer<'a>>),
    /// With the fields' names.
    Structured(Vec<(String, Printer<'a>)>),
    Bitmap,
    Null,
}

impl<'a> Printer<'a> {
    /// A printer of an array of a type; instants are shown in the zone.
    ///
    /// # Errors
    /// Internal, when the array is not of the type.
    pub fn new(array: &'a ArrayRef, data_type: &DataType, zone: &'a Zone) -> Result<Self, Fault> {
        Printer::with(array, &data_type.kind, zone, false)
    }

    fn with(array: &'a ArrayRef, kind: &TypeKind, zone: &'a Zone, legacy: bool) -> Result<Self, Fault> {
        use TypeKind as K;
        let wrong = || Fault::internal(format!("{} is no {kind}", array.data_type()));
        let form = match kind {
            K::Char(_) | K::VarChar(_) | K::Variant => {
                array.as_string_opt::<i32>().ok_or_else(wrong)?;
                Form::Text
            }
            K::Boolean => Form::Boolean { legacy },
            K::TinyInt => Form::Integer(1),
            K::SmallInt => Form::Integer(2),
            K::Int => Form::Integer(4),
            K::BigInt => Form::Integer(8),
            K::Float => Form::Float,
            K::Double => Form::Double,
            K::Decimal { scale, .. } => Form::Decimal(*scale),
            K::Date => Form::Date,
            K::Time(p) => Form::Time(*p),
            K::Timestamp(p, _) => Form::Timestamp(*p),
            K::TimestampLtz(p, _) => Form::TimestampLtz(*p, zone),
            K::IntervalYearMonth(..) => Form::Months,
            K::IntervalDayTime(..) => Form::Millis,
            K::Binary(_) | K::VarBinary(_) | K::Raw(_) => Form::Binary,
            K::Bitmap => Form::Bitmap,
            K::Array(e) => {
                let items = array.as_list_opt::<i32>().ok_or_else(wrong)?.values();
                Form::Array(Box::new(Printer::with(items, &e.kind, zone, legacy)?))
            }
            K::Map(..) | K::Multiset(_) => {
                let entries = array.as_list_opt::<i32>().ok_or_else(wrong)?.values();
                let [keys, values] = entries.as_struct_opt().ok_or_else(wrong)?.columns() else {
                    return Err(wrong());
                };
                let (k, v) = match kind {
                    K::Map(k, v) => (&k.kind, &v.kind),
                    K::Multiset(e) => (&e.kind, &K::Int),
                    _ => return Err(wrong()),
                };
                let pair = (Printer::with(keys, k, zone, legacy)?, Printer::with(values, v, zone, legacy)?);
                Form::Map(Box::new(pair.0), Box::new(pair.1))
            }
            K::Structured(_, fields) => {
                let columns = array.as_struct_opt().ok_or_else(wrong)?.columns();
                let printers = columns
                    .iter()
                    .zip(fields.iter())
                    .map(|(c, f)| {
                        Ok((f.name.to_string(), Printer::with(c, &f.data_type.kind, zone, legacy)?))
                    })
                    .collect::<Result<_, Fault>>()?;
                Form::Structured(printers)
            }
            K::Row(fields) => {
                let columns = array.as_struct_opt().ok_or_else(wrong)?.columns();
                let printers = columns
                    .iter()
                    .zip(fields.iter())
                    .map(|(c, f)| Printer::with(c, &f.data_type.kind, zone, legacy))
                    .collect::<Result<_, _>>()?;
                Form::Row(printers)
            }
            K::Null | K::Descriptor => Form::Null,
        };
        if !matches!(form, Form::Null) && array.data_type().is_null() {
            return Ok(Printer { array, form: Form::Null });
        }
        Ok(Printer { array, form })
    }

    /// Appends a row's text; `NULL` for NULL.
    pub fn push(&self, row: usize, out: &mut String) {
        if matches!(self.form, Form::Null) || self.array.is_null(row) {
            out.push_str("NULL");
            return;
        }
        let a = self.array;
        match &self.form {
            Form::Null => out.push_str("NULL"),
            Form::Text => out.push_str(a.as_string::<i32>().value(row)),
            Form::Boolean { legacy } => out.push_str(match (a.as_boolean().value(row), legacy) {
                (true, false) => "TRUE",
                (false, false) => "FALSE",
                (true, true) => "true",
                (false, true) => "false",
            }),
            Form::Integer(bytes) => push_i64(
                out,
                match bytes {
                    1 => a.as_primitive::<Int8Type>().value(row).into(),
                    2 => a.as_primitive::<Int16Type>().value(row).into(),
                    4 => a.as_primitive::<Int32Type>().value(row).into(),
                    _ => a.as_primitive::<Int64Type>().value(row),
                },
            ),
            Form::Float => push_f32(out, a.as_primitive::<Float32Type>().value(row)),
            Form::Double => push_f64(out, a.as_primitive::<Float64Type>().value(row)),
            Form::Decimal(scale) => push_decimal(out, a.as_primitive::<Decimal128Type>().value(row), *scale),
            Form::Date => push_date(out, a.as_primitive::<Date32Type>().value(row)),
            Form::Time(p) => push_time(out, a.as_primitive::<Time32MillisecondType>().value(row), *p),
            Form::Timestamp(p) => push_timestamp(out, instant(a, row, *p), *p),
            Form::TimestampLtz(p, zone) => push_timestamp(out, zone.to_local(instant(a, row, *p)), *p),
            Form::Months => push_interval_months(out, a.as_primitive::<IntervalYearMonthType>().value(row)),
            Form::Millis => push_interval_millis(out, a.as_primitive::<DurationMillisecondType>().value(row)),
            Form::Binary => out.push_str(&String::from_utf8_lossy(a.as_binary::<i32>().value(row))),
            Form::Array(items) => {
                out.push('[');
                for (n, i) in list_range(a, row).enumerate() {
                    if n > 0 {
                        out.push_str(", ");
                    }
                    items.push(i, out);
                }
                out.push(']');
            }
            Form::Map(keys, values) => {
                out.push('{');
                for (n, i) in list_range(a, row).enumerate() {
                    if n > 0 {
                        out.push_str(", ");
                    }
                    keys.push(i, out);
                    out.push('=');
                    values.push(i, out);
                }
                out.push('}');
            }
            Form::Bitmap => {
                let bytes = a.as_binary::<i32>().value(row);
                match crate::functions::scalar::bitmap::Bitmap::from_bytes(bytes) {
                    Ok(bitmap) => bitmap.push_text(out),
                    Err(_) => out.push_str(&String::from_utf8_lossy(bytes)),
                }
            }
            Form::Structured(fields) => {
                out.push('(');
                for (n, (name, field)) in fields.iter().enumerate() {
                    if n > 0 {
                        out.push_str(", ");
                    }
                    out.push_str(name);
                    out.push('=');
                    field.push(row, out);
                }
                out.push(')');
            }
            Form::Row(fields) => {
                out.push('(');
                for (n, f) in fields.iter().enumerate() {
                    if n > 0 {
                        out.push_str(", ");
                    }
                    f.push(row, out);
                }
                out.push(')');
            }
        }
    }
}

/// Positions of a list's items in its child array.
fn list_range(array: &ArrayRef, row: usize) -> std::ops::Range<usize> {
    let offsets = array.as_list::<i32>().value_offsets();
    match (offsets.get(row), offsets.get(row + 1)) {
        (Some(a), Some(b)) => *a as usize..*b as usize,
        _ => 0..0,
    }
}

/// The date and time that a timestamp column holds.
pub(super) fn instant(array: &ArrayRef, row: usize, precision: u8) -> DateTime {
    let value = if precision > 6 {
        array.as_primitive::<TimestampNanosecondType>().value(row)
    } else {
        array.as_primitive::<TimestampMicrosecondType>().value(row)
    };
    DateTime::from_column(value, precision)
}
