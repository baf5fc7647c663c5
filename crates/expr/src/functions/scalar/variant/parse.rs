//! PARSE_JSON, TRY_PARSE_JSON.

use millstream_text::json::{Json, java_number, validate_prefix};
use millstream_text::number::push_f64;
use millstream_types::{Fault, TypeKind};

use crate::binding::convert;
use crate::kernel::{simple, strings};
use crate::{BoundCall, Call, EvalError, Example, Function};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "PARSE_JSON",
        "PARSE_JSON(json STRING [, allow_duplicate_keys BOOLEAN]) -> VARIANT",
        "The value of the JSON text. Text that is no JSON fails, and objects with equal names do unless TRUE is given: then the last value \
         counts.",
        &[Example::new("JSON_STRING(PARSE_JSON('{\"b\": 1, \"a\": [2]}')['a'][1])", "2")],
        parse,
    ),
    Function::new(
        "TRY_PARSE_JSON",
        "TRY_PARSE_JSON(json STRING [, allow_duplicate_keys BOOLEAN]) -> VARIANT",
        "As PARSE_JSON, but NULL where that fails.",
        &[Example::new("TRY_PARSE_JSON('{') IS NULL", "TRUE")],
        try_parse,
    ),
];

fn parse(call: &Call<'_>) -> Result<BoundCall, Fault> {
    bind(call, "PARSE_JSON(<CHARACTER> [, <BOOLEAN>])", false)
}

fn try_parse(call: &Call<'_>) -> Result<BoundCall, Fault> {
    bind(call, "TRY_PARSE_JSON(<CHARACTER> [, <BOOLEAN>])", true)
}

fn bind(call: &Call<'_>, form: &'static str, lenient: bool) -> Result<BoundCall, Fault> {
    call.expect(1, 2, form)?;
    let mut args = vec![call.string(0, form)?];
    if let Some(flag) = call.args.get(1) {
        if !matches!(flag.data_type.kind, TypeKind::Boolean | TypeKind::Null) {
            return Err(call.refuse(form));
        }
        args.push(convert(flag.clone(), TypeKind::Boolean));
    }
    let flagged = args.len() == 2;
    let kernel = simple("PARSE_JSON", move |arguments, _| {
        let texts = arguments.strings(0)?;
        let flags = if flagged { Some(arguments.booleans(1)?) } else { None };
        strings::build(arguments.rows(), |row, out| {
            let Some(text) = texts.get(row) else { return Ok(false) };
            let repeated = match &flags {
                None => false,
                Some(f) => match f.get(row) {
                    Some(f) => f,
                    None => return Ok(false),
                },
            };
            match read(text, repeated) {
                Ok(json) => {
                    out.write(|s| json.write_with(s, true, &mut push_number));
                    Ok(true)
                }
                Err(_) if lenient => Ok(false),
                Err(fault) => Err(EvalError::at_row(row, fault)),
            }
        })
    });
    let nullable = lenient || call.any_nullable();
    let bound = BoundCall::new(TypeKind::Variant.nullable().with_nullable(nullable), args, kernel);
    Ok(if lenient { bound } else { bound.fallible() })
}

fn read(text: &str, repeated: bool) -> Result<Json, Fault> {
    let hint = "TRY_PARSE_JSON gives NULL instead";
    let json = Json::parse(text).map_err(|e| Fault::from(e).hint(hint))?;
    if !repeated && written_fields(text) > fields(&json) {
        return Err(Fault::user(
            "json-duplicate-key",
            "an object of the JSON text has two fields of one name",
        )
        .hint("PARSE_JSON(json, TRUE) takes the last one"));
    }
    Ok(json)
}

/// How many fields the objects of a value have, all together.
fn fields(json: &Json) -> usize {
    let (mut count, mut left) = (0, vec![json]);
    while let Some(value) = left.pop() {
        match value {
            Json::Array(items) => left.extend(items),
            Json::Object(fields) => {
                count += fields.len();
                left.extend(fields.iter().map(|(_, v)| v));
            }
            _ => {}
        }
    }
    count
}

/// How many fields are written in a text that is JSON: as many as there are colons outside of strings.
fn written_fields(text: &str) -> usize {
    let end = validate_prefix(text.as_bytes()).unwrap_or(0);
    let (mut count, mut quoted, mut escaped) = (0, false, false);
    for b in text.bytes().take(end) {
        match b {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            b':' if !quoted => count += 1,
            _ => {}
        }
    }
    count
}

/// A number as a VARIANT shows it: whole numbers and decimals of up to 38 digits as they are, without zeros at the end, others as
/// DOUBLE.
fn push_number(text: &str, out: &mut String) {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    if text.contains(['e', 'E']) || digits > 38 {
        match text.parse::<f64>() {
            Ok(f) if f.is_finite() => push_f64(out, f),
            _ => out.push_str(&java_number(text)),
        }
        return;
    }
    let plain = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    out.push_str(if plain == "-0" { "0" } else { plain });
}
