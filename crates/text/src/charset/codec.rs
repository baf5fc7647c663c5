//! Character sets that ENCODE, DECODE and the formats' `charset` options name.

use millstream_types::{Fault, nearest};

use super::gb18030;
use super::tables::{self, DoubleByte};

/// A character set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are the standard's
pub enum Charset {
    Utf8,
    UsAscii,
    Iso88591,
    /// Big-endian with a byte order mark, or what a mark says.
    Utf16,
    Utf16Be,
    Utf16Le,
    /// Big-endian, or what a byte order mark says.
    Utf32,
    Utf32Be,
    Utf32Le,
    Gb18030,
    /// A set with one or two bytes a character.
    Double(DoubleByte),
    /// A set with one byte a character, by its place in the list.
    Single(u8),
}

/// Names in lower case, the first of each being Java's own.
const NAMES: [(Charset, &[&str]); 10] = [
    (Charset::Utf8, &["utf-8", "utf8", "unicode-1-1-utf-8"]),
    (
        Charset::UsAscii,
        &[
            "us-ascii",
            "ascii",
            "iso646-us",
            "iso_646.irv:1983",
            "iso_646.irv:1991",
            "ansi_x3.4-1968",
            "ansi_x3.4-1986",
            "ascii7",
            "646",
            "us",
            "iso-ir-6",
            "cp367",
            "ibm367",
            "csascii",
            "default",
        ],
    ),
    (
        Charset::Iso88591,
        &[
            "iso-8859-1",
            "iso8859-1",
            "latin1",
            "l1",
            "iso_8859-1",
            "iso_8859_1",
            "8859_1",
            "iso8859_1",
            "cp819",
            "ibm819",
            "ibm-819",
            "819",
            "iso-ir-100",
            "iso_8859-1:1987",
            "csisolatin1",
        ],
    ),
    (Charset::Utf16, &["utf-16", "utf_16", "utf16", "unicode", "unicodebig"]),
    (Charset::Utf16Be, &["utf-16be", "utf_16be", "iso-10646-ucs-2", "x-utf-16be", "unicodebigunmarked"]),
    (Charset::Utf16Le, &["utf-16le", "utf_16le", "x-utf-16le", "unicodelittleunmarked"]),
    (Charset::Utf32, &["utf-32", "utf_32", "utf32"]),
    (Charset::Utf32Be, &["utf-32be", "utf_32be", "x-utf-32be"]),
    (Charset::Utf32Le, &["utf-32le", "utf_32le", "x-utf-32le"]),
    (Charset::Gb18030, &["gb18030", "gb18030-2022"]),
];

/// Beginnings of the names of sets that Java has and this version has not.
const OTHERS: [&str; 13] = [
    "big5-hkscs",
    "cesu-8",
    "cp",
    "euc-jp",
    "euc-tw",
    "eucjp",
    "gb",
    "ibm",
    "iso-2022",
    "jis_x",
    "ms9",
    "x-",
    "windows-",
];

impl Charset {
    /// The character set of a name, in any case, by Java's names and aliases.
    ///
    /// # Errors
    /// User, when there is none; NotYet, for one that Java has.
    pub fn of(name: &str) -> Result<Charset, Fault> {
        let lower = name.to_ascii_lowercase();
        if let Some((charset, _)) = NAMES.iter().find(|(_, names)| names.contains(&lower.as_str())) {
            return Ok(*charset);
        }
        let double = DoubleByte::ALL.iter().find(|(_, names)| names.contains(&lower.as_str()));
        if let Some((set, _)) = double {
            return Ok(Charset::Double(*set));
        }
        let mut singles = tables::single().iter();
        if let Some(i) = singles.position(|set| set.names.split(' ').any(|n| n == lower)) {
            return Ok(Charset::Single(i as u8));
        }
        let shown: String = name.chars().take(60).collect();
        if OTHERS.iter().any(|o| lower.starts_with(o)) {
            return Err(Fault::not_yet(format!("the character set '{shown}'")));
        }
        let known =
            ["UTF-8", "US-ASCII", "ISO-8859-1", "UTF-16", "UTF-16BE", "UTF-16LE", "GBK", "GB18030", "Big5"];
        let hint = match nearest(name, known) {
            Some(near) => format!("did you mean '{near}'?"),
            None => format!("known are {} and others", known.join(", ")),
        };
        Err(Fault::user("unknown-charset", format!("there is no character set '{shown}'")).hint(hint))
    }

    /// Appends the bytes of a text; a character that the set does not have becomes `?`.
    pub fn encode(self, text: &str, out: &mut Vec<u8>) {
        match self {
            Charset::Utf8 => out.extend_from_slice(text.as_bytes()),
            Charset::UsAscii => out.extend(text.chars().map(|c| if c.is_ascii() { c as u8 } else { b'?' })),
            Charset::Iso88591 => out.extend(text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'))),
            Charset::Utf16 => {
                if !text.is_empty() {
                    out.extend([0xfe, 0xff]);
                }
                Charset::Utf16Be.encode(text, out);
            }
            Charset::Utf16Be => out.extend(text.encode_utf16().flat_map(u16::to_be_bytes)),
            Charset::Utf16Le => out.extend(text.encode_utf16().flat_map(u16::to_le_bytes)),
            Charset::Utf32 | Charset::Utf32Be => {
                out.extend(text.chars().flat_map(|c| u32::from(c).to_be_bytes()))
            }
            Charset::Utf32Le => out.extend(text.chars().flat_map(|c| u32::from(c).to_le_bytes())),
            Charset::Gb18030 => gb18030::encode(text, out),
            Charset::Double(set) => set.table().encode(text, out),
            Charset::Single(i) => {
                if let Some(set) = tables::single().get(usize::from(i)) {
                    set.encode(text, out);
                }
            }
        }
    }

    /// Appends the text of bytes; what is no character becomes U+FFFD, once for what Java counts as one.
    pub fn decode(self, bytes: &[u8], out: &mut String) {
        match self {
            Charset::Utf8 => decode_utf8(bytes, out),
            Charset::UsAscii => {
                out.extend(
                    bytes
                        .iter()
                        .map(|b| if b.is_ascii() { char::from(*b) } else { char::REPLACEMENT_CHARACTER }),
                );
            }
            Charset::Iso88591 => out.extend(bytes.iter().map(|b| char::from(*b))),
            Charset::Utf16 => match bytes {
                [0xff, 0xfe, rest @ ..] => decode_utf16(rest, u16::from_le_bytes, out),
                [0xfe, 0xff, rest @ ..] => decode_utf16(rest, u16::from_be_bytes, out),
                _ => decode_utf16(bytes, u16::from_be_bytes, out),
            },
            Charset::Utf16Be => decode_utf16(bytes, u16::from_be_bytes, out),
            Charset::Utf16Le => decode_utf16(bytes, u16::from_le_bytes, out),
            Charset::Utf32 => match bytes {
                [0xff, 0xfe, 0, 0, rest @ ..] => decode_utf32(rest, u32::from_le_bytes, out),
                [0, 0, 0xfe, 0xff, rest @ ..] => decode_utf32(rest, u32::from_be_bytes, out),
                _ => decode_utf32(bytes, u32::from_be_bytes, out),
            },
            Charset::Utf32Be => decode_utf32(bytes, u32::from_be_bytes, out),
            Charset::Utf32Le => decode_utf32(bytes, u32::from_le_bytes, out),
            Charset::Gb18030 => gb18030::decode(bytes, out),
            Charset::Double(set) => set.table().decode(bytes, out),
            Charset::Single(i) => {
                if let Some(set) = tables::single().get(usize::from(i)) {
                    set.decode(bytes, out);
                }
            }
        }
    }
}

fn decode_utf32(bytes: &[u8], unit: fn([u8; 4]) -> u32, out: &mut String) {
    for chunk in bytes.chunks(4) {
        let code = <[u8; 4]>::try_from(chunk).ok().map(unit);
        out.push(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
}

fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, out: &mut String) {
    let mut units = bytes.chunks(2).map(|pair| match pair {
        [a, b] => Some(unit([*a, *b])),
        _ => None,
    });
    let mut held = None;
    loop {
        let Some(next) = held.take().or_else(|| units.next()) else { return };
        let Some(first) = next else {
            out.push(char::REPLACEMENT_CHARACTER);
            continue;
        };
        if (0xd800..0xdc00).contains(&first) {
            // Java takes whatever follows a high surrogate for its partner, and both for one wrong character.
            match units.next() {
                Some(Some(low)) => {
                    let pair = char::decode_utf16([first, low]).next().and_then(Result::ok);
                    out.push(
                        pair.filter(|_| (0xdc00..0xe000).contains(&low))
                            .unwrap_or(char::REPLACEMENT_CHARACTER),
                    );
                }
                _ => out.push(char::REPLACEMENT_CHARACTER),
            }
        } else {
            out.push(char::from_u32(u32::from(first)).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }
}

/// Appends the text of bytes in UTF-8 as Java's `new String(bytes, UTF_8)`: U+FFFD for each part that is none; three
/// bytes that spell a surrogate are one such part.
pub fn decode_utf8(bytes: &[u8], out: &mut String) {
    let mut rest = bytes;
    loop {
        match std::str::from_utf8(rest) {
            Ok(text) => {
                out.push_str(text);
                return;
            }
            Err(error) => {
                let (good, bad) = rest.split_at_checked(error.valid_up_to()).unwrap_or((rest, &[]));
                out.push_str(std::str::from_utf8(good).unwrap_or_default());
                out.push(char::REPLACEMENT_CHARACTER);
                let length = match bad {
                    [0xed, 0xa0..=0xbf, 0x80..=0xbf, ..] => 3,
                    [0xed, 0xa0..=0xbf] => 2,
                    _ => error.error_len().unwrap_or(bad.len()),
                };
                rest = bad.get(length.max(1)..).unwrap_or_default();
            }
        }
    }
}
