//! Letters in another case, characters in another order.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, StringArray};
use arrow::buffer::{Buffer, OffsetBuffer};
use millstream_types::{DataType, Fault, TypeKind};

use super::arguments::{Arg, of_kind, strict_arguments};
use crate::kernel::simple;
use crate::kernel::strings::{self, TextOut};
use crate::{BoundCall, Call, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "UPPER",
        "UPPER(text STRING) -> STRING",
        "The text in upper case.",
        &[Example::new("UPPER('abc')", "ABC")],
        |c| cased(c, "UPPER", <[u8]>::to_ascii_uppercase, str::to_uppercase),
    )
    .aliases(&["TOUPPER"]),
    Function::new(
        "LOWER",
        "LOWER(text STRING) -> STRING",
        "The text in lower case.",
        &[Example::new("LOWER('ABC')", "abc")],
        |c| cased(c, "LOWER", <[u8]>::to_ascii_lowercase, str::to_lowercase),
    )
    .aliases(&["LOW", "TOLOWER"]),
    Function::new(
        "INITCAP",
        "INITCAP(text STRING) -> STRING",
        "The text with the first letter of every word in upper case and the others in lower case. Words are runs of ASCII letters and digits, other \
         characters stay as they are.",
        &[Example::new("INITCAP('hello WORLD')", "Hello World")],
        initial,
    ),
    Function::new(
        "REVERSE",
        "REVERSE(text STRING) -> STRING",
        "The characters from the last to the first.",
        &[Example::new("REVERSE('abc')", "cba")],
        reverse,
    ),
];

fn initial(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = strict_arguments(call, "INITCAP(<CHARACTER>)", 1, &[Arg::Text])?;
    let kind = args.first().map_or(TypeKind::STRING, |a| a.data_type.kind.clone());
    Ok(BoundCall::new(of_kind(call, kind), args, each("INITCAP", initcap)))
}

/// The kernel of a function of one text that is NULL only for NULL.
fn each(name: &'static str, append: fn(&str, &mut TextOut)) -> crate::KernelRef {
    simple(name, move |arguments, _| {
        let text = arguments.strings(0)?;
        strings::build(arguments.rows(), |row, out| {
            let Some(s) = text.get(row) else { return Ok(false) };
            append(s, out);
            Ok(true)
        })
    })
}

/// UPPER or LOWER.
fn cased(
    call: &Call<'_>,
    name: &'static str,
    ascii: fn(&[u8]) -> Vec<u8>,
    whole: fn(&str) -> String,
) -> Result<BoundCall, Fault> {
    let args = strict_arguments(call, &format!("{name}(<CHARACTER>)"), 1, &[Arg::Text])?;
    let kind = args.first().map_or(TypeKind::STRING, |a| a.data_type.kind.clone());
    let kernel = simple(name, move |arguments, _| {
        let text = arguments.strings(0)?;
        if let Some(array) = ascii_column(text.array, ascii) {
            return Ok(array);
        }
        strings::build(arguments.rows(), |row, out| {
            let Some(s) = text.get(row) else { return Ok(false) };
            out.push_str(&whole(s));
            Ok(true)
        })
    });
    Ok(BoundCall::new(of_kind(call, kind), args, kernel))
}

/// All texts at once, when they are ASCII: they keep their lengths.
fn ascii_column(array: &StringArray, convert: fn(&[u8]) -> Vec<u8>) -> Option<ArrayRef> {
    let offsets = array.offsets();
    let (first, last) = (offsets.first(), offsets.last());
    let bytes = array.value_data().get(usize::try_from(first).ok()?..usize::try_from(last).ok()?)?;
    if !bytes.is_ascii() {
        return None;
    }
    let moved = match first {
        0 => offsets.clone(),
        _ => OffsetBuffer::new(offsets.iter().map(|o| o - first).collect()),
    };
    let array = StringArray::try_new(moved, Buffer::from_vec(convert(bytes)), array.nulls().cloned());
    array.ok().map(|a| Arc::new(a) as ArrayRef)
}

/// Calcite's `SqlFunctions.initcap`.
fn initcap(text: &str, out: &mut TextOut) {
    let mut start = true;
    for c in text.chars() {
        out.push(if start { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() });
        start = !c.is_ascii_alphanumeric();
    }
}

fn reverse(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = strict_arguments(call, "REVERSE(<CHARACTER>)", 1, &[Arg::Text])?;
    let kernel = each("REVERSE", |text, out| text.chars().rev().for_each(|c| out.push(c)));
    Ok(BoundCall::new(DataType::string(), args, kernel))
}
