//! The options of `raw`, read once.

use millstream_flow::{OptionCard, OptionKind, Options};
use millstream_types::Fault;

/// Options, for the manual and for the planner's checks.
pub(super) const CARDS: &[OptionCard] = &[
    OptionCard {
        key: "charset",
        aliases: &[],
        kind: OptionKind::Text,
        default: Some("UTF-8"),
        required: false,
        secret: false,
        doc: "How text is encoded: UTF-8, US-ASCII, ISO-8859-1, UTF-16, UTF-16BE or UTF-16LE. Bytes that are no text in it are read as U+FFFD.",
    },
    OptionCard {
        key: "endianness",
        aliases: &[],
        kind: OptionKind::OneOf(&["big-endian", "little-endian"]),
        default: Some("big-endian"),
        required: false,
        secret: false,
        doc: "The order of a number's bytes.",
    },
];

/// How text is encoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Charset {
    Utf8,
    Ascii,
    Latin1,
    /// Big-endian, unless a byte order mark says otherwise; written with one.
    Utf16,
    Utf16Be,
    Utf16Le,
}

/// The options, read.
#[derive(Debug, Clone, Copy)]
pub(super) struct RawOptions {
    pub charset: Charset,
    pub big_endian: bool,
}

impl RawOptions {
    /// # Errors
    /// User, for a wrong value; NotYet, for a further charset.
    pub fn read(options: &Options) -> Result<Self, Fault> {
        let name = options.get("charset").unwrap_or("UTF-8");
        let charset = match name.to_ascii_uppercase().as_str() {
            "UTF-8" | "UTF8" => Charset::Utf8,
            "US-ASCII" | "ASCII" => Charset::Ascii,
            "ISO-8859-1" | "LATIN1" | "ISO8859-1" => Charset::Latin1,
            "UTF-16" => Charset::Utf16,
            "UTF-16BE" => Charset::Utf16Be,
            "UTF-16LE" => Charset::Utf16Le,
            _ => return Err(Fault::not_yet(format!("'raw.charset' = '{name}'"))),
        };
        let big_endian = match options.get("endianness").unwrap_or("big-endian") {
            "big-endian" => true,
            "little-endian" => false,
            other => {
                return Err(Fault::user(
                    "bad-option",
                    format!("option 'raw.endianness' has the value '{other}', which is none of big-endian, little-endian"),
                )
                .hint("set it to one of big-endian, little-endian"));
            }
        };
        Ok(RawOptions { charset, big_endian })
    }
}
