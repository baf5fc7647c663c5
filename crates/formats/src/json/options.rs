//! The options of `json`, read once.

use millstream_flow::{OptionCard, OptionKind, Options};
use millstream_text::temporal::TimestampStandard;
use millstream_types::Fault;

/// Options, for the manual and for the planner's checks.
pub(super) const CARDS: &[OptionCard] = &[
    OptionCard {
        key: "fail-on-missing-field",
        aliases: &[],
        kind: OptionKind::Boolean,
        default: Some("false"),
        required: false,
        secret: false,
        doc: "Whether a record without one of the fields that are read fails the job. Cannot be set together with ignore-parse-errors.",
    },
    OptionCard {
        key: "ignore-parse-errors",
        aliases: &[],
        kind: OptionKind::Boolean,
        default: Some("false"),
        required: false,
        secret: false,
        doc: "Whether a field that is not of its column's type is read as NULL and a record that is no JSON object is left out; otherwise \
              the job fails. Both are counted.",
    },
    OptionCard {
        key: "timestamp-format.standard",
        aliases: &[],
        kind: OptionKind::OneOf(&["SQL", "ISO-8601"]),
        default: Some("SQL"),
        required: false,
        secret: false,
        doc: "How TIMESTAMP and TIMESTAMP_LTZ are read and written: SQL is `2020-02-29 13:14:15.678`, ISO-8601 is \
              `2020-02-29T13:14:15.678`; a TIMESTAMP_LTZ has a `Z` behind it.",
    },
    OptionCard {
        key: "map-null-key.mode",
        aliases: &[],
        kind: OptionKind::OneOf(&["FAIL", "DROP", "LITERAL"]),
        default: Some("FAIL"),
        required: false,
        secret: false,
        doc: "What is written for a NULL key of a map: FAIL fails the job, DROP leaves the entry out, LITERAL writes map-null-key.literal.",
    },
    OptionCard {
        key: "map-null-key.literal",
        aliases: &[],
        kind: OptionKind::Text,
        default: Some("null"),
        required: false,
        secret: false,
        doc: "The key that is written for a NULL key of a map where map-null-key.mode is LITERAL.",
    },
    OptionCard {
        key: "encode.decimal-as-plain-number",
        aliases: &[],
        kind: OptionKind::Boolean,
        default: Some("false"),
        required: false,
        secret: false,
        doc: "Whether a DECIMAL is written with all its digits (`100.00`, `0.000000027`); otherwise without the zeros at its end and possibly \
              with an exponent (`1E+2`, `2.7E-8`).",
    },
    OptionCard {
        key: "encode.ignore-null-fields",
        aliases: &[],
        kind: OptionKind::Boolean,
        default: Some("false"),
        required: false,
        secret: false,
        doc: "Whether fields that are NULL are left out of the objects that are written.",
    },
    OptionCard {
        key: "decode.json-parser.enabled",
        aliases: &[],
        kind: OptionKind::Boolean,
        default: Some("true"),
        required: false,
        secret: false,
        doc: "Chooses between two readers of Flink. Accepted, and changes nothing here: there is one reader, which answers as the default one \
              does.",
    },
    OptionCard {
        key: "validate",
        aliases: &[],
        kind: OptionKind::OneOf(&["full", "needed"]),
        default: Some("full"),
        required: false,
        secret: false,
        doc: "How much of a record is checked. full: that the whole object is JSON in UTF-8, and the types of all columns that the job reads, so \
              that a bad record is seen whatever the rules want, as in Flink. needed: reading stops at the last field that the rules look at, so \
              that broken text, invalid UTF-8 and wrong types behind it, or in columns that only matching rows need, go unnoticed.",
    },
];

/// What is written for a NULL key of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NullKey {
    Fail,
    Drop,
    Literal,
}

/// The options, read.
#[derive(Debug, Clone)]
pub(super) struct JsonOptions {
    pub fail_on_missing: bool,
    pub ignore_errors: bool,
    pub standard: TimestampStandard,
    pub null_key: NullKey,
    pub null_key_literal: String,
    pub plain_decimals: bool,
    pub skip_nulls: bool,
    /// `validate` is `full`.
    pub full: bool,
}

impl JsonOptions {
    /// # Errors
    /// User, for a wrong value, or two that exclude each other.
    pub fn read(options: &Options) -> Result<Self, Fault> {
        let fail_on_missing = options.boolean("fail-on-missing-field", false)?;
        let ignore_errors = options.boolean("ignore-parse-errors", false)?;
        if fail_on_missing && ignore_errors {
            return Err(Fault::user(
                "bad-option",
                "'json.fail-on-missing-field' and 'json.ignore-parse-errors' are both 'true'",
            )
            .hint("set one of them to 'false'"));
        }
        // Checked, though both values mean the same here.
        options.boolean("decode.json-parser.enabled", true)?;
        let standard = match word(options, "timestamp-format.standard", "SQL", &["SQL", "ISO-8601"])? {
            0 => TimestampStandard::Sql,
            _ => TimestampStandard::Iso8601,
        };
        let null_key = match word(options, "map-null-key.mode", "FAIL", &["FAIL", "DROP", "LITERAL"])? {
            0 => NullKey::Fail,
            1 => NullKey::Drop,
            _ => NullKey::Literal,
        };
        Ok(JsonOptions {
            fail_on_missing,
            ignore_errors,
            standard,
            null_key,
            null_key_literal: options.get("map-null-key.literal").unwrap_or("null").to_string(),
            plain_decimals: options.boolean("encode.decimal-as-plain-number", false)?,
            skip_nulls: options.boolean("encode.ignore-null-fields", false)?,
            full: word(options, "validate", "full", &["full", "needed"])? == 0,
        })
    }
}

/// The position of an option's value in `words`.
fn word(options: &Options, key: &str, default: &str, words: &[&str]) -> Result<usize, Fault> {
    let value = options.get(key).unwrap_or(default);
    words.iter().position(|w| w.eq_ignore_ascii_case(value)).ok_or_else(|| {
        let wanted = words.join(", ");
        Fault::user(
            "bad-option",
            format!("option 'json.{key}' has the value '{value}', which is none of {wanted}"),
        )
        .hint(format!("set it to one of {wanted}"))
    })
}
