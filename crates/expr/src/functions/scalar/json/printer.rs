//! Values as JSON.

use std::cmp::Ordering;

use arrow::array::{Array, ArrayRef, AsArray, StringArray};
use arrow::datatypes::{
    Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampNanosecondType,
};
use millstream_text::json::{Json, escape_into, java_number};
use millstream_text::number::{push_decimal, push_f64, push_i64};
use millstream_text::temporal::{DateTime, TimestampStandard, push_json_instant, push_json_timestamp};
use millstream_types::{DataType, Fault, TypeKind};

use super::push_sorted;

/// Deepest nesting of types that is written.
const MAX_DEPTH: usize = 100;

/// Writes the entries of an array as JSON, as JSON_STRING and its kin do: names sorted, numbers as `java.math.BigDecimal` shows
/// them, bytes in base 64, timestamps in ISO 8601.
#[derive(Debug)]
pub struct JsonPrinter<'a> {
    array: &'a ArrayRef,
    form: Form<'a>,
}

#[derive(Debug)]
enum Form<'a> {
    Null,
    Text,
    /// JSON already, in the form that is written here.
    Written,
    /// JSON that a user wrote.
    Parsed,
    Boolean,
    Integer(u8),
    Float,
    Double,
    Decimal(u8),
    Timestamp(u8),
    Instant(u8),
    Binary,
    Array(Box<JsonPrinter<'a>>),
    Map(&'a StringArray, Box<JsonPrinter<'a>>),
    /// Fields sorted by name, each with its name as it is written.
    Row(Vec<(String, JsonPrinter<'a>)>),
}

impl<'a> JsonPrinter<'a> {
    /// Whether values of a type can be written.
    pub fn can_write(kind: &TypeKind) -> bool {
        can_write(kind, 0)
    }

    /// A printer of an array of a type that can be written.
    ///
    /// # Errors
    /// Internal, when the array is not of the type, or the type cannot be written.
    pub fn new(array: &'a ArrayRef, data_type: &DataType) -> Result<Self, Fault> {
        use TypeKind as K;
        let kind = &data_type.kind;
        let wrong = || Fault::internal(format!("{} is no {kind} for JSON", array.data_type()));
        if array.data_type().is_null() {
            return Ok(JsonPrinter { array, form: Form::Null });
        }
        let entries = |keys: &DataType, values: &DataType| -> Result<Form<'a>, Fault> {
            let entries =
                array.as_list_opt::<i32>().and_then(|l| l.values().as_struct_opt()).ok_or_else(wrong)?;
            let [k, v] = entries.columns() else { return Err(wrong()) };
            if !keys.kind.is_string() {
                return Err(wrong());
            }
            let keys = k.as_string_opt::<i32>().ok_or_else(wrong)?;
            Ok(Form::Map(keys, Box::new(JsonPrinter::new(v, values)?)))
        };
        let form = match kind {
            K::Char(_) | K::VarChar(_) => Form::Text,
            K::Variant => Form::Written,
            K::Boolean => Form::Boolean,
            K::TinyInt => Form::Integer(1),
            K::SmallInt => Form::Integer(2),
            K::Int => Form::Integer(4),
            K::BigInt => Form::Integer(8),
            K::Float => Form::Float,
            K::Double => Form::Double,
            K::Decimal { scale, .. } => Form::Decimal(*scale),
            K::Timestamp(p, _) => Form::Timestamp(*p),
            K::TimestampLtz(p, _) => Form::Instant(*p),
            K::Binary(_) | K::VarBinary(_) => Form::Binary,
            K::Array(e) => {
                let items = array.as_list_opt::<i32>().ok_or_else(wrong)?.values();
                Form::Array(Box::new(JsonPrinter::new(items, e)?))
            }
            K::Map(k, v) => entries(k, v)?,
            K::Multiset(e) => entries(e, &TypeKind::Int.not_null())?,
            K::Row(fields) | K::Structured(_, fields) => {
                let columns = array.as_struct_opt().ok_or_else(wrong)?.columns();
                let mut named: Vec<_> = fields.iter().zip(columns).collect();
                named.sort_by(|a, b| java_order(&a.0.name, &b.0.name));
                let mut printers = Vec::with_capacity(named.len());
                for (field, column) in named {
                    let mut name = String::new();
                    quote(&field.name, &mut name);
                    printers.push((name, JsonPrinter::new(column, &field.data_type)?));
                }
                Form::Row(printers)
            }
            _ => return Err(wrong()),
        };
        Ok(JsonPrinter { array, form })
    }

    /// A printer of an array of texts that JSON_OBJECT or JSON_ARRAY wrote.
    pub(super) fn written(array: &'a ArrayRef) -> Self {
        JsonPrinter { array, form: Form::Written }
    }

    /// A printer of an array of texts that are to be JSON: the argument of JSON(…).
    pub(super) fn parsed(array: &'a ArrayRef) -> Self {
        JsonPrinter { array, form: Form::Parsed }
    }

    /// Whether a row's entry is NULL.
    pub fn is_null(&self, row: usize) -> bool {
        matches!(self.form, Form::Null) || self.array.is_null(row)
    }

    /// Appends a row's entry; `null` for NULL.
    ///
    /// # Errors
    /// User, when a text that is to be JSON is none.
    pub fn push(&self, row: usize, out: &mut String) -> Result<(), Fault> {
        if self.is_null(row) {
            out.push_str("null");
            return Ok(());
        }
        let a = self.array;
        match &self.form {
            Form::Null => out.push_str("null"),
            Form::Text => quote(text(a, row), out),
            Form::Written => out.push_str(text(a, row)),
            Form::Parsed => push_sorted(&Json::parse(text(a, row))?, out),
            Form::Boolean => out.push_str(if a.as_boolean().value(row) { "true" } else { "false" }),
            Form::Integer(bytes) => push_i64(
                out,
                match bytes {
                    1 => a.as_primitive::<Int8Type>().value(row).into(),
                    2 => a.as_primitive::<Int16Type>().value(row).into(),
                    4 => a.as_primitive::<Int32Type>().value(row).into(),
                    _ => a.as_primitive::<Int64Type>().value(row),
                },
            ),
            Form::Float => push_float(f64::from(a.as_primitive::<Float32Type>().value(row)), out),
            Form::Double => push_float(a.as_primitive::<Float64Type>().value(row), out),
            Form::Decimal(scale) => {
                let mut digits = String::new();
                push_decimal(&mut digits, a.as_primitive::<Decimal128Type>().value(row), *scale);
                out.push_str(&java_number(&digits));
            }
            Form::Timestamp(p) => {
                out.push('"');
                push_json_timestamp(out, instant(a, row, *p), TimestampStandard::Iso8601);
                out.push('"');
            }
            Form::Instant(p) => {
                out.push('"');
                push_json_instant(out, instant(a, row, *p), TimestampStandard::Iso8601);
                out.push('"');
            }
            Form::Binary => {
                out.push('"');
                push_base64(a.as_binary::<i32>().value(row), out);
                out.push('"');
            }
            Form::Array(items) => {
                out.push('[');
                for (n, i) in list_range(a, row).enumerate() {
                    if n > 0 {
                        out.push(',');
                    }
                    items.push(i, out)?;
                }
                out.push(']');
            }
            Form::Map(keys, values) => {
                let mut entries = Vec::new();
                for i in list_range(a, row) {
                    if keys.is_null(i) {
                        return Err(Fault::user(
                            "json-key",
                            "a key of the MAP is NULL, which JSON has no form for",
                        )
                        .hint("leave such entries out"));
                    }
                    entries.push((keys.value(i), (values.as_ref(), i)));
                }
                push_object(entries, out)?;
            }
            Form::Row(fields) => {
                out.push('{');
                for (n, (name, field)) in fields.iter().enumerate() {
                    if n > 0 {
                        out.push(',');
                    }
                    out.push_str(name);
                    out.push(':');
                    field.push(row, out)?;
                }
                out.push('}');
            }
        }
        Ok(())
    }
}

fn can_write(kind: &TypeKind, depth: usize) -> bool {
    use TypeKind as K;
    if depth > MAX_DEPTH {
        return false;
    }
    match kind {
        K::Char(_) | K::VarChar(_) | K::Variant | K::Boolean | K::Null => true,
        K::Timestamp(..) | K::TimestampLtz(..) | K::Binary(_) | K::VarBinary(_) => true,
        K::Array(e) => can_write(&e.kind, depth + 1),
        K::Map(k, v) => k.kind.is_string() && can_write(&v.kind, depth + 1),
        K::Multiset(e) => e.kind.is_string(),
        K::Row(fields) | K::Structured(_, fields) => {
            fields.iter().all(|f| can_write(&f.data_type.kind, depth + 1))
        }
        other => other.is_numeric(),
    }
}

/// Appends an object of named entries, sorted by name, of equal names the last one.
pub(super) fn push_object(
    mut entries: Vec<(&str, (&JsonPrinter<'_>, usize))>,
    out: &mut String,
) -> Result<(), Fault> {
    // Stable, so that of equal names the last stays last.
    entries.sort_by(|a, b| java_order(a.0, b.0));
    out.push('{');
    let mut first = true;
    for (n, (name, (printer, row))) in entries.iter().enumerate() {
        if entries.get(n + 1).is_some_and(|next| next.0 == *name) {
            continue;
        }
        if !std::mem::take(&mut first) {
            out.push(',');
        }
        quote(name, out);
        out.push(':');
        printer.push(*row, out)?;
    }
    out.push('}');
    Ok(())
}

/// The order of `java.lang.String`: by UTF-16 units.
fn java_order(a: &str, b: &str) -> Ordering {
    a.encode_utf16().cmp(b.encode_utf16())
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    escape_into(text, out);
    out.push('"');
}

fn text(array: &ArrayRef, row: usize) -> &str {
    array.as_string_opt::<i32>().map_or("", |a| a.value(row))
}

fn push_float(value: f64, out: &mut String) {
    let mut digits = String::new();
    push_f64(&mut digits, value);
    if value.is_finite() {
        out.push_str(&java_number(&digits));
    } else {
        quote(&digits, out);
    }
}

fn instant(array: &ArrayRef, row: usize, precision: u8) -> DateTime {
    let value = if precision > 6 {
        array.as_primitive::<TimestampNanosecondType>().value(row)
    } else {
        array.as_primitive::<TimestampMicrosecondType>().value(row)
    };
    DateTime::from_column(value, precision)
}

fn list_range(array: &ArrayRef, row: usize) -> std::ops::Range<usize> {
    let Some(list) = array.as_list_opt::<i32>() else { return 0..0 };
    match (list.value_offsets().get(row), list.value_offsets().get(row + 1)) {
        (Some(a), Some(b)) => *a as usize..*b as usize,
        _ => 0..0,
    }
}

fn push_base64(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().enumerate().fold(0u32, |bits, (i, b)| bits | u32::from(*b) << (16 - 8 * i));
        for i in 0..4 {
            let digit = DIGITS.get((bits >> (18 - 6 * i) & 63) as usize);
            out.push(match digit {
                Some(d) if i <= chunk.len() => char::from(*d),
                _ => '=',
            });
        }
    }
}
