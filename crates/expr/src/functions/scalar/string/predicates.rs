//! What a text consists of.

use std::sync::LazyLock;

use arrow::array::{ArrayRef, BooleanArray};
use arrow::buffer::BooleanBuffer;
use millstream_text::number::parse_f64;
use millstream_text::regex::Pattern;
use millstream_types::{Fault, TypeKind};
use std::sync::Arc;

use crate::kernel::simple;
use crate::{BoundCall, Call, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "IS_ALPHA",
        "IS_ALPHA(text STRING) -> BOOLEAN\nIS_ALPHA(number NUMERIC) -> BOOLEAN",
        "Whether the text is not empty and has letters only. FALSE for NULL and for numbers.",
        &[Example::new("IS_ALPHA('abc')", "TRUE")],
        |c| bind(c, "IS_ALPHA", is_alpha, |_| false),
    ),
    Function::new(
        "IS_DECIMAL",
        "IS_DECIMAL(text STRING) -> BOOLEAN\nIS_DECIMAL(number NUMERIC) -> BOOLEAN",
        "Whether the text can be read as a number. TRUE for numbers but DECIMAL, FALSE for NULL.",
        &[Example::new("IS_DECIMAL('-1.5')", "TRUE")],
        |c| bind(c, "IS_DECIMAL", is_decimal, |k| !matches!(k, TypeKind::Decimal { .. })),
    ),
    Function::new(
        "IS_DIGIT",
        "IS_DIGIT(text STRING) -> BOOLEAN\nIS_DIGIT(number NUMERIC) -> BOOLEAN",
        "Whether the text is not empty and has digits only. TRUE for integers, FALSE for NULL and for other numbers.",
        &[Example::new("IS_DIGIT('123')", "TRUE")],
        |c| bind(c, "IS_DIGIT", is_digit, TypeKind::is_integer),
    )
    .aliases(&["IS_NUMBER"]),
];

fn bind(
    call: &Call<'_>,
    name: &'static str,
    text: fn(&str) -> bool,
    number: fn(&TypeKind) -> bool,
) -> Result<BoundCall, Fault> {
    let form = format!("{name}(<CHARACTER>)\n{name}(<NUMERIC>)");
    call.expect(1, 1, &form)?;
    call.no_bare_null()?;
    let arg = call.arg(0)?.clone();
    let kind = arg.data_type.kind.clone();
    if !kind.is_string() && !kind.is_numeric() {
        return Err(call.refuse(&form));
    }
    let kernel = simple(name, move |arguments, _| {
        let column = arguments.column(0)?;
        let found = if kind.is_string() {
            let texts = arguments.strings(0)?;
            BooleanBuffer::collect_bool(arguments.rows(), |row| texts.get(row).is_some_and(text))
        } else {
            let number = number(&kind);
            BooleanBuffer::collect_bool(arguments.rows(), |row| number && !column.is_null(row))
        };
        Ok(Arc::new(BooleanArray::new(found, None)) as ArrayRef)
    });
    Ok(BoundCall::new(TypeKind::Boolean.not_null(), vec![arg], kernel))
}

static LETTERS: LazyLock<Option<Pattern>> = LazyLock::new(|| Pattern::compile("\\p{L}+").ok());
static DIGITS: LazyLock<Option<Pattern>> = LazyLock::new(|| Pattern::compile("\\p{Nd}+").ok());
static SIGNED: LazyLock<Option<Pattern>> = LazyLock::new(|| Pattern::compile("[+-]?\\p{Nd}{1,18}").ok());

fn whole(pattern: &Option<Pattern>, text: &str) -> bool {
    pattern.as_ref().is_some_and(|p| p.full_match(text).unwrap_or(false))
}

fn is_alpha(text: &str) -> bool {
    if text.is_ascii() {
        return !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphabetic());
    }
    whole(&LETTERS, text)
}

fn is_digit(text: &str) -> bool {
    if text.is_ascii() {
        return !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    }
    whole(&DIGITS, text)
}

/// As Java's `Integer.parseInt`, `Long.parseLong` or `Double.parseDouble` take it; the first two take digits of every script.
fn is_decimal(text: &str) -> bool {
    parse_f64(text).is_ok() || !text.is_ascii() && whole(&SIGNED, text)
}
