//! Text in a charset, as Java decodes and encodes it: what is no text becomes U+FFFD, what the charset has not becomes `?`.

use super::options::Charset;

/// Appends the text of bytes.
pub(super) fn decode(charset: Charset, bytes: &[u8], out: &mut String) {
    match charset {
        Charset::Utf8 => out.push_str(&String::from_utf8_lossy(bytes)),
        Charset::Ascii => {
            out.extend(
                bytes.iter().map(|b| if b.is_ascii() { char::from(*b) } else { char::REPLACEMENT_CHARACTER }),
            );
        }
        Charset::Latin1 => out.extend(bytes.iter().map(|b| char::from(*b))),
        Charset::Utf16 => match bytes {
            [0xFF, 0xFE, rest @ ..] => utf16(rest, false, out),
            [0xFE, 0xFF, rest @ ..] => utf16(rest, true, out),
            _ => utf16(bytes, true, out),
        },
        Charset::Utf16Be => utf16(bytes, true, out),
        Charset::Utf16Le => utf16(bytes, false, out),
    }
}

fn utf16(bytes: &[u8], big_endian: bool, out: &mut String) {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units =
        pairs.iter().map(|p| if big_endian { u16::from_be_bytes(*p) } else { u16::from_le_bytes(*p) });
    out.extend(char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)));
    if !rest.is_empty() {
        out.push(char::REPLACEMENT_CHARACTER);
    }
}

/// Appends the bytes of a text.
pub(super) fn encode(charset: Charset, text: &str, out: &mut Vec<u8>) {
    let single = |most: u32, out: &mut Vec<u8>| {
        out.extend(text.chars().map(|c| if u32::from(c) <= most { u32::from(c) as u8 } else { b'?' }));
    };
    match charset {
        Charset::Utf8 => out.extend_from_slice(text.as_bytes()),
        Charset::Ascii => single(0x7F, out),
        Charset::Latin1 => single(0xFF, out),
        Charset::Utf16 => {
            // Java writes a byte order mark, but not before nothing.
            if !text.is_empty() {
                out.extend_from_slice(&[0xFE, 0xFF]);
            }
            text.encode_utf16().for_each(|u| out.extend_from_slice(&u.to_be_bytes()));
        }
        Charset::Utf16Be => text.encode_utf16().for_each(|u| out.extend_from_slice(&u.to_be_bytes())),
        Charset::Utf16Le => text.encode_utf16().for_each(|u| out.extend_from_slice(&u.to_le_bytes())),
    }
}
