//! What stands between the quotes of a JSON string.

use std::borrow::Cow;

/// The text of a JSON string without its quotes. The bytes must have passed [`super::validate`]; a text that did not gives what
/// can be made of it. Half of a surrogate pair becomes `?`, as it does when Flink stores such a text.
pub fn unescape(raw: &[u8]) -> Cow<'_, str> {
    let Some(first) = memchr::memchr(b'\\', raw) else { return String::from_utf8_lossy(raw) };
    let mut out: Vec<u8> = Vec::with_capacity(raw.len());
    let (mut plain, mut next) = (0, Some(first));
    while let Some(at) = next {
        out.extend_from_slice(raw.get(plain..at).unwrap_or_default());
        let (c, length) = escape(raw.get(at..).unwrap_or_default());
        let mut room = [0; 4];
        out.extend_from_slice(c.encode_utf8(&mut room).as_bytes());
        plain = at + length;
        next = memchr::memchr(b'\\', raw.get(plain..).unwrap_or_default()).map(|i| plain + i);
    }
    out.extend_from_slice(raw.get(plain..).unwrap_or_default());
    Cow::Owned(match String::from_utf8(out) {
        Ok(text) => text,
        Err(e) => String::from_utf8_lossy(e.as_bytes()).into_owned(),
    })
}

/// The character of an escape and how many bytes it takes.
fn escape(raw: &[u8]) -> (char, usize) {
    let simple = match raw.get(1) {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{C}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => {
            let Some(high) = four(raw) else { return ('?', raw.len().min(6)) };
            if let Some(c) = char::from_u32(high) {
                return (c, 6);
            }
            let rest = raw.get(6..).unwrap_or_default();
            let low = if rest.starts_with(b"\\u") { four(rest) } else { None };
            return match (high, low) {
                (0xD800..=0xDBFF, Some(low @ 0xDC00..=0xDFFF)) => {
                    let c = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
                    (char::from_u32(c).unwrap_or('?'), 12)
                }
                _ => ('?', 6),
            };
        }
        Some(c) => char::from(*c),
        None => return ('\\', 1),
    };
    (simple, 2)
}

fn four(raw: &[u8]) -> Option<u32> {
    let digits = std::str::from_utf8(raw.get(2..6)?).ok()?;
    u32::from_str_radix(digits, 16).ok()
}

/// Writes a text as Jackson writes a string, without the quotes: `"`, `\` and control characters are escaped.
pub fn escape_into(text: &str, out: &mut String) {
    const HEX: [char; 16] = ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    let mut plain = 0;
    for (i, b) in text.bytes().enumerate() {
        if b >= 0x20 && b != b'"' && b != b'\\' {
            continue;
        }
        out.push_str(text.get(plain..i).unwrap_or_default());
        plain = i + 1;
        match b {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            0x0C => out.push_str("\\f"),
            b'\r' => out.push_str("\\r"),
            b => {
                out.push_str("\\u00");
                out.extend([b >> 4, b & 15].iter().filter_map(|d| HEX.get(usize::from(*d))));
            }
        }
    }
    out.push_str(text.get(plain..).unwrap_or_default());
}
