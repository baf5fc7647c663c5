//! Hexadecimal.

/// Appends bytes as two upper-case digits each, as HEX does.
pub fn push_hex(out: &mut String, bytes: &[u8]) {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'A', 'B', 'C', 'D', 'E', 'F'];
    out.reserve(bytes.len() * 2);
    for byte in bytes {
        for nibble in [byte >> 4, byte & 15] {
            out.push(DIGITS.get(usize::from(nibble)).copied().unwrap_or('0'));
        }
    }
}

/// The bytes of hexadecimal digits in either case; `None` when another character is among them. The first one of an
/// odd number of digits counts as 0, as in Flink's UNHEX.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |b: &u8| char::from(*b).to_digit(16).map(|d| d as u8);
    let bytes = text.as_bytes();
    let (odd, pairs) = bytes.split_at_checked(bytes.len() % 2)?;
    let mut out = Vec::with_capacity(bytes.len().div_ceil(2));
    for b in odd {
        digit(b)?;
        out.push(0);
    }
    for pair in pairs.chunks_exact(2) {
        let [high, low] = pair else { return None };
        out.push(digit(high)? << 4 | digit(low)?);
    }
    Some(out)
}
