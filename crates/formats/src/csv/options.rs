//! The options of `csv`, read once.

use millstream_flow::{OptionCard, OptionKind, Options};
use millstream_types::Fault;

const BOOLEAN: OptionCard = OptionCard {
    key: "",
    aliases: &[],
    kind: OptionKind::Boolean,
    default: Some("false"),
    required: false,
    secret: false,
    doc: "",
};
const TEXT: OptionCard = OptionCard { kind: OptionKind::Text, default: None, ..BOOLEAN };

/// Options, for the manual and for the planner's checks.
pub(super) const CARDS: &[OptionCard] = &[
    OptionCard {
        key: "field-delimiter",
        default: Some(","),
        doc: "The character between fields; `\\t` and other Java escapes are understood.",
        ..TEXT
    },
    OptionCard {
        key: "disable-quote-character",
        doc: "Whether no character quotes; quote-character must not be set then.",
        ..BOOLEAN
    },
    OptionCard {
        key: "quote-character",
        default: Some("\""),
        doc: "The character around quoted fields.",
        ..TEXT
    },
    OptionCard {
        key: "allow-comments",
        doc: "Whether lines that begin with `#` are passed over; empty lines and spaces at the beginning of lines are too, then.",
        ..BOOLEAN
    },
    OptionCard {
        key: "ignore-parse-errors",
        doc: "Whether a field that is not of its column's type is read as NULL, a field that is missing too, and a row that is no CSV or has too many \
              fields is left out; otherwise the job fails. All are counted.",
        ..BOOLEAN
    },
    OptionCard {
        key: "array-element-delimiter",
        default: Some(";"),
        doc: "The text between the elements of an ARRAY and the fields of a ROW.",
        ..TEXT
    },
    OptionCard {
        key: "escape-character",
        doc: "The character that takes the next one literally (`n`, `r`, `t`, `0` behind it are control characters); none if not set.",
        ..TEXT
    },
    OptionCard {
        key: "null-literal",
        doc: "The text that is read as NULL and written for it; without it NULL is written as nothing.",
        ..TEXT
    },
    OptionCard {
        key: "write-bigdecimal-in-scientific-notation",
        default: Some("true"),
        doc: "Whether a DECIMAL is written without the zeros at its end and possibly with an exponent (`1E+5`); otherwise with all its digits.",
        ..BOOLEAN
    },
    OptionCard {
        key: "trim-spaces",
        doc: "Whether spaces around unquoted fields are cut when reading.",
        ..BOOLEAN
    },
    OptionCard {
        key: "ignore-trailing-unmappable",
        doc: "Whether fields behind the last column are passed over when reading.",
        ..BOOLEAN
    },
    OptionCard {
        key: "allow-trailing-comma",
        default: Some("true"),
        doc: "Whether a delimiter may stand behind the last field when reading.",
        ..BOOLEAN
    },
    OptionCard {
        key: "fail-on-missing-columns",
        doc: "Whether a row with fewer fields than the table has columns is bad, also where the query does not read the missing ones.",
        ..BOOLEAN
    },
    OptionCard { key: "empty-string-as-null", doc: "Whether an empty field is read as NULL.", ..BOOLEAN },
];

/// The options, read.
#[derive(Debug, Clone)]
pub(super) struct CsvOptions {
    pub delimiter: u8,
    pub quote: Option<u8>,
    pub comments: bool,
    pub ignore_errors: bool,
    pub between: String,
    pub escape: Option<u8>,
    pub null: Option<String>,
    pub scientific: bool,
    pub trim: bool,
    pub ignore_trailing: bool,
    pub trailing_delimiter: bool,
    pub fail_on_missing: bool,
    pub empty_is_null: bool,
}

impl CsvOptions {
    /// # Errors
    /// User, for a wrong value; NotYet, for a delimiter beyond ASCII.
    pub fn read(options: &Options) -> Result<Self, Fault> {
        let no_quotes = options.boolean("disable-quote-character", false)?;
        if no_quotes && options.get("quote-character").is_some() {
            return Err(Fault::user(
                "bad-option",
                "'csv.quote-character' is set while 'csv.disable-quote-character' is 'true'",
            )
            .hint("leave one of them out"));
        }
        let quote = character(options, "quote-character", "\"")?.unwrap_or(b'"');
        Ok(CsvOptions {
            delimiter: character(options, "field-delimiter", ",")?.unwrap_or(b','),
            quote: (!no_quotes).then_some(quote),
            comments: options.boolean("allow-comments", false)?,
            ignore_errors: options.boolean("ignore-parse-errors", false)?,
            between: options.get("array-element-delimiter").unwrap_or(";").to_string(),
            escape: character(options, "escape-character", "")?,
            null: options.get("null-literal").map(str::to_string),
            scientific: options.boolean("write-bigdecimal-in-scientific-notation", true)?,
            trim: options.boolean("trim-spaces", false)?,
            ignore_trailing: options.boolean("ignore-trailing-unmappable", false)?,
            trailing_delimiter: options.boolean("allow-trailing-comma", true)?,
            fail_on_missing: options.boolean("fail-on-missing-columns", false)?,
            empty_is_null: options.boolean("empty-string-as-null", false)?,
        })
    }
}

/// An option of one character; `None` where it is not set and has no default.
fn character(options: &Options, key: &str, default: &str) -> Result<Option<u8>, Fault> {
    let Some(given) = options.get(key) else { return Ok(default.bytes().next()) };
    let text = if key == "field-delimiter" { unescaped(given) } else { given.to_string() };
    let mut chars = text.chars();
    match (chars.next(), chars.next()) {
        (Some(c), None) if c.is_ascii() && !matches!(c, '\n' | '\r') => Ok(Some(c as u8)),
        (Some(c), None) if !c.is_ascii() => {
            Err(Fault::not_yet(format!("'csv.{key}' = '{c}', a character beyond ASCII")))
        }
        _ => Err(Fault::user(
            "bad-option",
            format!("option 'csv.{key}' has the value '{given}', which is not a single character"),
        )
        .hint(format!("set 'csv.{key}' to one character"))),
    }
}

/// Java's escapes.
fn unescaped(text: &str) -> String {
    match text {
        "\\t" => "\t".into(),
        "\\\\" => "\\".into(),
        "\\b" => "\u{8}".into(),
        "\\f" => "\u{c}".into(),
        _ => match text.strip_prefix("\\u").map(|h| u32::from_str_radix(h, 16)) {
            Some(Ok(code)) => char::from_u32(code).map_or_else(|| text.to_string(), String::from),
            _ => text.to_string(),
        },
    }
}
