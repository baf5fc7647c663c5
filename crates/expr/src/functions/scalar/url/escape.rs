//! Escapes of URLs.

use millstream_text::charset::{decode_url, push_url_encoded};
use millstream_types::{DataType, Fault, Value};

use crate::functions::scalar::string::{Arg, arguments};
use crate::kernel::{simple, strings};
use crate::{BoundCall, Call, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "URL_ENCODE",
        "URL_ENCODE(text STRING) -> STRING",
        "The text escaped for a URL's query: letters, digits and `.-*_` stay, a space is `+`, the other bytes of its UTF-8 are `%XX`.",
        &[Example::new("URL_ENCODE('a b&c=d')", "a+b%26c%3Dd")],
        encode,
    )
    .aliases(&["URLENCODE"]),
    Function::new(
        "URL_DECODE",
        "URL_DECODE(text STRING) -> STRING",
        "The text of one escaped for a URL. NULL for a wrong escape.",
        &[Example::new("URL_DECODE('a+b%26c%3Dd')", "a b&c=d"), Example::new("URL_DECODE('%zz')", "NULL")],
        decode,
    )
    .aliases(&["URLDECODE"]),
    Function::new(
        "URL_DECODE_RECURSIVE",
        "URL_DECODE_RECURSIVE(text STRING [, most INT]) -> STRING",
        "The text of one that was escaped several times, decoded until it stays the same, at most so many times (10, when nothing is said). \
         NULL when its first escape is wrong; a later wrong one stays as it is.",
        &[Example::new("URL_DECODE_RECURSIVE('Hello%252520World', 2)", "Hello%20World")],
        decode_recursive,
    ),
];

fn encode(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = arguments(call, "URL_ENCODE(<CHARACTER_STRING>)", 1, &[Arg::Text])?;
    let kernel = simple("URL_ENCODE", |arguments, _| {
        let text = arguments.strings(0)?;
        strings::build(arguments.rows(), |row, out| {
            let Some(s) = text.get(row) else { return Ok(false) };
            out.write(|o| push_url_encoded(o, s));
            Ok(true)
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}

fn decode(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = arguments(call, "URL_DECODE(<CHARACTER_STRING>)", 1, &[Arg::Text])?;
    let kernel = simple("URL_DECODE", |arguments, _| {
        let text = arguments.strings(0)?;
        strings::build(arguments.rows(), |row, out| {
            let Some(s) = text.get(row) else { return Ok(false) };
            if !s.contains(['%', '+']) {
                out.push_str(s);
                return Ok(true);
            }
            let decoded = decode_url(s);
            decoded.as_ref().inspect(|d| out.push_str(d));
            Ok(decoded.is_some())
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}

fn decode_recursive(call: &Call<'_>) -> Result<BoundCall, Fault> {
    const FORM: &str = "URL_DECODE_RECURSIVE(<CHARACTER_STRING>)\nURL_DECODE_RECURSIVE(<CHARACTER_STRING>, <INTEGER_NUMERIC>)";
    let args = arguments(call, FORM, 1, &[Arg::Text, Arg::Integer])?;
    let most = match call.args.get(1) {
        None => 10,
        Some(a) => match a.as_literal().and_then(Value::as_int) {
            Some(n) if n > 0 => n,
            _ => {
                let message = "URL_DECODE_RECURSIVE: the most times must be a positive integer literal";
                return Err(Fault::user("bad-argument", message)
                    .at(a.span.unwrap_or(call.span))
                    .hint("write 10, or leave it out"));
            }
        },
    };
    let kernel = simple("URL_DECODE_RECURSIVE", move |arguments, _| {
        let text = arguments.strings(0)?;
        strings::build(arguments.rows(), |row, out| {
            let Some(s) = text.get(row) else { return Ok(false) };
            let Some(mut current) = decode_url(s) else { return Ok(false) };
            if current != s {
                for _ in 1..most {
                    match decode_url(&current) {
                        Some(next) if next != current => current = next,
                        _ => break,
                    }
                }
            }
            out.push_str(&current);
            Ok(true)
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}
