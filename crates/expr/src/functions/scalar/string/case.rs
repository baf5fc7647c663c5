//! Letters in another case, characters in another order.

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
        |c| same_type(c, "UPPER", upper),
    )
    .aliases(&["TOUPPER"]),
    Function::new(
        "LOWER",
        "LOWER(text STRING) -> STRING",
        "The text in lower case.",
        &[Example::new("LOWER('ABC')", "abc")],
        |c| same_type(c, "LOWER", lower),
    )
    .aliases(&["LOW", "TOLOWER"]),
    Function::new(
        "INITCAP",
        "INITCAP(text STRING) -> STRING",
        "The text with the first letter of every word in upper case and the others in lower case. Words are runs of ASCII letters and digits, other \
         characters stay as they are.",
        &[Example::new("INITCAP('hello WORLD')", "Hello World")],
        |c| same_type(c, "INITCAP", initcap),
    ),
    Function::new(
        "REVERSE",
        "REVERSE(text STRING) -> STRING",
        "The characters from the last to the first.",
        &[Example::new("REVERSE('abc')", "cba")],
        reverse,
    ),
];

/// A function whose result has its argument's type.
fn same_type(
    call: &Call<'_>,
    name: &'static str,
    append: fn(&str, &mut TextOut),
) -> Result<BoundCall, Fault> {
    let args = strict_arguments(call, &format!("{name}(<CHARACTER>)"), 1, &[Arg::Text])?;
    let kind = args.first().map_or(TypeKind::STRING, |a| a.data_type.kind.clone());
    Ok(BoundCall::new(of_kind(call, kind), args, each(name, append)))
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

fn upper(text: &str, out: &mut TextOut) {
    if text.is_ascii() {
        text.bytes().for_each(|b| out.push(char::from(b.to_ascii_uppercase())));
    } else {
        out.push_str(&text.to_uppercase());
    }
}

fn lower(text: &str, out: &mut TextOut) {
    if text.is_ascii() {
        text.bytes().for_each(|b| out.push(char::from(b.to_ascii_lowercase())));
    } else {
        out.push_str(&text.to_lowercase());
    }
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
