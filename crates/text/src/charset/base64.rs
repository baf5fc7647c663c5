//! Base64 (RFC 4648), with the tolerance of Java's decoders.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends bytes in Base64, padded with `=`.
pub fn push_base64(out: &mut String, bytes: &[u8]) {
    out.reserve(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0u32, |g, b| g << 8 | u32::from(*b)) << (8 * (3 - chunk.len()));
        for i in 0..4 {
            let index = (group >> (18 - 6 * i) & 63) as usize;
            let letter =
                if i <= chunk.len() { ALPHABET.get(index).map_or('=', |b| char::from(*b)) } else { '=' };
            out.push(letter);
        }
    }
}

/// The bytes of a text in Base64, as `java.util.Base64`'s basic decoder takes it: padding may be missing but must be
/// right; or, with `mime`, as its MIME decoder, which skips whatever is no letter of the alphabet. `None` when it is
/// none.
pub fn decode_base64(text: &[u8], mime: bool) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let (mut group, mut count) = (0u32, 0);
    let mut rest = text.iter();
    while let Some(b) = rest.next() {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'=' => {
                // The padding ends the text: one after three letters, two after two.
                let complete = match count {
                    2 => rest.find(|b| !mime || **b == b'=' || is_letter(**b)) == Some(&b'='),
                    3 => true,
                    _ => false,
                };
                let ends = if mime { !rest.any(|b| is_letter(*b)) } else { rest.next().is_none() };
                if !(complete && ends) {
                    return None;
                }
                break;
            }
            _ if mime => continue,
            _ => return None,
        };
        group = group << 6 | u32::from(value);
        count += 1;
        if count == 4 {
            out.extend(group.to_be_bytes().iter().skip(1));
            (group, count) = (0, 0);
        }
    }
    match count {
        0 => {}
        2 => out.push((group >> 4) as u8),
        3 => out.extend([(group >> 10) as u8, (group >> 2) as u8]),
        _ => return None,
    }
    Some(out)
}

fn is_letter(b: u8) -> bool {
    ALPHABET.contains(&b)
}
