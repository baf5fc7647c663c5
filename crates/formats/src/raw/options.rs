//! The options of `raw`, read once.

use millstream_flow::{OptionCard, OptionKind, Options};
use millstream_text::charset::Charset;
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
        doc: "How text is encoded: UTF-8, US-ASCII, UTF-16, UTF-32, GBK, GB2312, GB18030, Big5, Shift_JIS, windows-31j, EUC-KR, ISO-8859-1 to -16, windows-1250 to -1258, KOI8-R and others by Java's names and aliases. Bytes that are no text in it are read as U+FFFD.",
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
        let charset = Charset::of(name).map_err(|fault| fault.in_place("option 'raw.charset'"))?;
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
