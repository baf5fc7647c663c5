//! Texts as JSON strings and back.

use millstream_text::json;
use millstream_types::{Fault, TypeKind};

use super::arguments::{Arg, arguments, of_kind};
use crate::kernel::simple;
use crate::kernel::strings::{self, TextOut};
use crate::{BoundCall, Call, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "JSON_QUOTE",
        "JSON_QUOTE(text STRING) -> STRING",
        "The text as a JSON string: in quotes, with quotes, slashes, backslashes, line ends, tabs and all that is not ASCII escaped.",
        &[Example::new("JSON_QUOTE('a/b')", "\"a\\/b\"")],
        json_quote,
    ),
    Function::new(
        "JSON_UNQUOTE",
        "JSON_UNQUOTE(text STRING) -> STRING",
        "The text that a JSON string stands for; another text stays as it is.",
        &[Example::new("JSON_UNQUOTE('\"a\\u65e5\"')", "a日")],
        json_unquote,
    ),
];

fn json_quote(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = arguments(call, "JSON_QUOTE(<CHARACTER_STRING>)", 1, &[Arg::Text])?;
    let kernel = simple("JSON_QUOTE", |arguments, _| {
        let text = arguments.strings(0)?;
        strings::build(arguments.rows(), |row, out| {
            let Some(s) = text.get(row) else { return Ok(false) };
            quote(s, out);
            Ok(true)
        })
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::STRING), args, kernel))
}

fn quote(text: &str, out: &mut TextOut) {
    use std::fmt::Write;
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' | '/' => {
                out.push('\\');
                out.push(c);
            }
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Flink leaves the other control characters as they are, although no JSON may have them.
            c if c.is_ascii() => out.push(c),
            c => {
                let mut room = [0; 2];
                for unit in c.encode_utf16(&mut room) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}

fn json_unquote(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = arguments(call, "JSON_UNQUOTE(<CHARACTER_STRING>)", 1, &[Arg::Text])?;
    let kernel = simple("JSON_UNQUOTE", |arguments, _| {
        let text = arguments.strings(0)?;
        strings::build(arguments.rows(), |row, out| {
            let Some(s) = text.get(row) else { return Ok(false) };
            let inner = s.strip_prefix('"').and_then(|s| s.strip_suffix('"'));
            match inner.filter(|_| json::validate(s.as_bytes()).is_ok()) {
                Some(inner) => out.push_str(&json::unescape(inner.as_bytes())),
                None => out.push_str(s),
            }
            Ok(true)
        })
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::STRING), args, kernel))
}
