//! More functions of text that Apache RocketMQ Streams has and Flink does not.

use arrow::array::ArrayRef;
use arrow::datatypes::{Int32Type, Int64Type};
use memchr::memmem;
use millstream_text::charset::{Charset, decode_utf8, unhex};
use millstream_types::{DataType, Fault, TypeKind};

use super::arguments::{Arg, arguments, of_kind};
use crate::coerce::explicit_cast;
use crate::kernel::{booleans, numbers, simple, strings};
use crate::{BoundCall, Call, CastMode, EvalError, Example, Function, Origin};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new(
        "LENGTHB",
        "LENGTHB(text STRING) -> BIGINT",
        "The number of bytes of the text in UTF-8.",
        &[Example::new("LENGTHB('日本')", "6")],
        length_in_bytes,
    )
    .aliases(&["LENB"])
    .origin(Origin::Ancestor),
    Function::new(
        "CONTAINS",
        "CONTAINS(text STRING, part STRING) -> BOOLEAN",
        "Whether the text contains another one. Its name is a keyword: write it in backticks.",
        &[Example::new("`CONTAINS`('abc', 'b')", "TRUE")],
        contains,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "CHARMATCHCOUNT",
        "CHARMATCHCOUNT(characters STRING, text STRING) -> INT",
        "How many different characters the two texts have in common.",
        &[Example::new("CHARMATCHCOUNT('abc', 'cbbd')", "2")],
        common_characters,
    )
    .aliases(&["CHAR_MATCHCOUNT"])
    .origin(Origin::Ancestor),
    Function::new(
        "SOUNDX",
        "SOUNDX(text STRING) -> STRING",
        "The Soundex code of a word: its first letter in upper case and three digits for the consonants behind it. NULL for ''.",
        &[Example::new("SOUNDX('Robert')", "R163")],
        soundex,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "ISENCODING",
        "ISENCODING(text STRING, from STRING, to STRING) -> BOOLEAN",
        "Whether the text stays the same when its bytes in one character set are read in another one. NULL for ''. An unknown set fails.",
        &[Example::new("ISENCODING('é', 'UTF-8', 'ISO-8859-1')", "FALSE")],
        is_encoding,
    )
    .aliases(&["IS_ENCODING"])
    .origin(Origin::Ancestor),
    Function::new(
        "DECODE16",
        "DECODE16(text STRING) -> STRING",
        "The text whose UTF-8 another text writes in hexadecimal digits. NULL if it is no such text.",
        &[Example::new("DECODE16('68656C6C6F')", "hello")],
        decode16,
    )
    .origin(Origin::Ancestor),
    Function::new(
        "TOCHAR",
        "TOCHAR(value ANY) -> STRING",
        "The value as text, as CAST(value AS STRING) gives it.",
        &[Example::new("TOCHAR(1.50)", "1.50")],
        to_char,
    )
    .aliases(&["TOSTRING"])
    .origin(Origin::Ancestor),
];

fn length_in_bytes(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = arguments(call, "LENGTHB(<CHARACTER>)", 1, &[Arg::Text])?;
    let kernel = simple("LENGTHB", |arguments, _| {
        let text = arguments.strings(0)?;
        numbers::build::<Int64Type>(arguments.rows(), |row| Ok(text.get(row).map(|s| s.len() as i64)))
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::BigInt), args, kernel))
}

fn contains(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = arguments(call, "CONTAINS(<CHARACTER>, <CHARACTER>)", 2, &[Arg::Text; 2])?;
    let kernel = simple("CONTAINS", |arguments, _| {
        let (text, parts) = (arguments.strings(0)?, arguments.strings(1)?);
        let known = if parts.constant { parts.get(0).map(memmem::Finder::new) } else { None };
        booleans::build(arguments.rows(), |row| {
            let (Some(s), Some(part)) = (text.get(row), parts.get(row)) else { return Ok(None) };
            Ok(Some(match &known {
                Some(finder) => finder.find(s.as_bytes()).is_some(),
                None => memmem::find(s.as_bytes(), part.as_bytes()).is_some(),
            }))
        })
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::Boolean), args, kernel))
}

fn common_characters(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = arguments(call, "CHARMATCHCOUNT(<CHARACTER>, <CHARACTER>)", 2, &[Arg::Text; 2])?;
    let kernel = simple("CHARMATCHCOUNT", |arguments, _| {
        let (characters, text) = (arguments.strings(0)?, arguments.strings(1)?);
        let mut seen = std::collections::HashSet::new();
        numbers::build::<Int32Type>(arguments.rows(), |row| {
            let (Some(wanted), Some(s)) = (characters.get(row), text.get(row)) else { return Ok(None) };
            seen.clear();
            seen.extend(s.chars());
            let mut found = 0;
            for c in wanted.chars() {
                // Counted once: then it is gone.
                found += i32::from(seen.remove(&c));
            }
            Ok(Some(found))
        })
    });
    Ok(BoundCall::new(of_kind(call, TypeKind::Int), args, kernel))
}

/// The digit of a letter; 0 for vowels and what is no letter.
fn digit(c: char) -> char {
    match c {
        'B' | 'F' | 'P' | 'V' => '1',
        'C' | 'G' | 'J' | 'K' | 'Q' | 'S' | 'X' | 'Z' => '2',
        'D' | 'T' => '3',
        'L' => '4',
        'M' | 'N' => '5',
        'R' => '6',
        _ => '0',
    }
}

fn soundex(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = arguments(call, "SOUNDX(<CHARACTER>)", 1, &[Arg::Text])?;
    let kernel = simple("SOUNDX", |arguments, _| {
        let text = arguments.strings(0)?;
        strings::build(arguments.rows(), |row, out| {
            let mut letters = text.get(row).unwrap_or("").chars().flat_map(char::to_uppercase);
            let Some(first) = letters.next() else { return Ok(false) };
            out.push(first);
            let mut last = digit(first);
            let mut digits = 0;
            for d in letters.map(digit) {
                if digits < 3 && d != last && d != '0' {
                    out.push(d);
                    digits += 1;
                }
                last = d;
            }
            (digits..3).for_each(|_| out.push('0'));
            Ok(true)
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}

fn is_encoding(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = arguments(call, "ISENCODING(<CHARACTER>, <CHARACTER>, <CHARACTER>)", 3, &[Arg::Text; 3])?;
    let kernel = simple("ISENCODING", |arguments, _| {
        let (text, from, to) = (arguments.strings(0)?, arguments.strings(1)?, arguments.strings(2)?);
        let (mut bytes, mut read) = (Vec::new(), String::new());
        booleans::build(arguments.rows(), |row| {
            let (Some(s), Some(from), Some(to)) = (text.get(row), from.get(row), to.get(row)) else {
                return Ok(None);
            };
            if s.is_empty() || from.is_empty() || to.is_empty() {
                return Ok(None);
            }
            let at_row = |f| EvalError::at_row(row, f);
            let (from, to) = (Charset::of(from).map_err(at_row)?, Charset::of(to).map_err(at_row)?);
            bytes.clear();
            read.clear();
            from.encode(s, &mut bytes);
            to.decode(&bytes, &mut read);
            Ok(Some(read == s))
        })
    });
    Ok(BoundCall::new(DataType::boolean(), args, kernel).fallible())
}

fn decode16(call: &Call<'_>) -> Result<BoundCall, Fault> {
    let args = arguments(call, "DECODE16(<CHARACTER>)", 1, &[Arg::Text])?;
    let kernel = simple("DECODE16", |arguments, _| {
        let text = arguments.strings(0)?;
        strings::build(arguments.rows(), |row, out| {
            let Some(bytes) = text.get(row).and_then(unhex) else { return Ok(false) };
            out.write(|o| decode_utf8(&bytes, o));
            Ok(true)
        })
    });
    Ok(BoundCall::new(DataType::string(), args, kernel))
}

fn to_char(call: &Call<'_>) -> Result<BoundCall, Fault> {
    call.expect(1, 1, "TOCHAR(<ANY>)")?;
    call.no_bare_null()?;
    let cast = explicit_cast(call.arg(0)?.clone(), &DataType::string(), CastMode::Cast, call.context)?;
    let data_type = cast.data_type.clone();
    let kernel = simple("TOCHAR", |arguments, _| {
        let text: ArrayRef = arguments.column(0)?.array().clone();
        Ok(text)
    });
    Ok(BoundCall::new(data_type, vec![cast], kernel))
}
