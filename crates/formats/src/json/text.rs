//! The text of JSON strings, and of objects and arrays that are read into STRING columns.

use millstream_text::json::{self, Json};
use millstream_text::number;

/// Appends the text of a string's inside, its escapes (which are known to be right) resolved.
pub(super) fn unescape(raw: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(json::unescape(raw).as_bytes());
}

/// Appends a string as Flink's writer quotes it: escapes for quotes, backslashes and control characters; characters beyond the Basic Multilingual
/// Plane as two `\u` escapes.
pub(super) fn push_quoted(out: &mut String, text: &str) {
    out.push('"');
    let bytes = text.as_bytes();
    let (mut from, mut at) = (0, 0);
    loop {
        // Eight bytes at a time where none of them is out of the ordinary.
        while let Some(block) = bytes.get(at..).and_then(|b| b.first_chunk::<8>())
            && is_plain(u64::from_le_bytes(*block))
        {
            at += 8;
        }
        let Some(b) = bytes.get(at).copied() else { break };
        at += 1;
        if b >= 0x20 && b != b'"' && b != b'\\' && b < 0xF0 {
            continue;
        }
        let at = at - 1;
        out.push_str(text.get(from..at).unwrap_or(""));
        from = at + 1;
        match b {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            0x0C => out.push_str("\\f"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0..0x20 => push_unit(out, u16::from(b)),
            _ => {
                let c = text.get(at..).and_then(|t| t.chars().next()).unwrap_or('?');
                for unit in c.encode_utf16(&mut [0; 2]) {
                    push_unit(out, *unit);
                }
                from = at + c.len_utf8();
            }
        }
    }
    out.push_str(text.get(from..).unwrap_or(""));
    out.push('"');
}

/// Whether eight bytes are ASCII without control characters, quotes and backslashes. May say no where they are.
#[inline(always)]
fn is_plain(block: u64) -> bool {
    const LOW: u64 = 0x0101_0101_0101_0101;
    let below = block.wrapping_sub(LOW * 0x20);
    let quote = (block ^ (LOW * b'"' as u64)).wrapping_sub(LOW);
    let backslash = (block ^ (LOW * b'\\' as u64)).wrapping_sub(LOW);
    (below | quote | backslash | block) & (LOW * 0x80) == 0
}

fn push_unit(out: &mut String, unit: u16) {
    out.push_str("\\u");
    for shift in [12, 8, 4, 0] {
        let digit = char::from_digit(u32::from(unit >> shift) & 15, 16).unwrap_or('0');
        out.push(digit.to_ascii_uppercase());
    }
}

/// Appends the text that an object or array, known to be JSON, has in a STRING column: no white space, numbers with a fraction or exponent as Java
/// writes a double (or, with `decimals`, a `BigDecimal`: Flink reads them so when the table has a DECIMAL column), of equal names the last value
/// in the first one's place.
///
/// `false`: it has no such text (a number has more than 1,000 digits, which Jackson refuses too).
///
/// Source: what Flink 2.3 answers for `JsonParser.readValueAsTree().toString()`.
pub(super) fn compact(bytes: &[u8], decimals: bool, out: &mut String) -> bool {
    let text = String::from_utf8_lossy(bytes);
    // Control characters may stand in these strings, but not in those of other JSON.
    let tree = match Json::parse(&text) {
        Ok(tree) => tree,
        Err(_) => match Json::parse(&controls_escaped(&text)) {
            Ok(tree) => tree,
            Err(_) => return false,
        },
    };
    tree.write_with(out, false, &mut |text, out| {
        if !text.contains(['.', 'e', 'E']) {
            return out.push_str(if text == "-0" { "0" } else { text });
        }
        if decimals {
            return push_stripped(text, out);
        }
        let v: f64 = text.parse().unwrap_or(f64::NAN);
        if v.is_finite() {
            number::push_f64(out, v);
        } else {
            out.push('"');
            number::push_f64(out, v);
            out.push('"');
        }
    });
    true
}

/// The text with control characters in strings written as escapes.
fn controls_escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 32);
    let (mut inside, mut escaped) = (false, false);
    for c in text.chars() {
        if inside && c < ' ' {
            push_unit(&mut out, c as u16);
            continue;
        }
        inside ^= c == '"' && !escaped;
        escaped = inside && c == '\\' && !escaped;
        out.push(c);
    }
    out
}

/// A number with a fraction or exponent as a `BigDecimal` without the zeros at its end.
fn push_stripped(text: &str, out: &mut String) {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_end_matches('0');
    let zeros = (all.len() - digits.len()) as i64;
    let digits = digits.trim_start_matches('0');
    if digits.is_empty() {
        return out.push('0');
    }
    let power = exponent.saturating_sub(fraction.len() as i64).saturating_add(zeros);
    out.push_str(&json::java_number(&format!("{sign}{digits}e{power}")));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compacted(text: &str, decimals: bool) -> String {
        let mut out = String::new();
        assert!(compact(text.as_bytes(), decimals, &mut out));
        out
    }

    // Flink 2.3's answers.
    #[test]
    fn objects_in_string_columns() {
        assert_eq!(
            compacted(
                r#"{"a": 1.10, "b":1e5,"a":2, "c":"\u00e9\u0001/\n", "d":100000000000000000000, "e":-0, "f":-0.0, "g":1E400, "h":123456789.125}"#,
                false
            ),
            r#"{"a":2,"b":100000.0,"c":"é\u0001/\n","d":100000000000000000000,"e":0,"f":-0.0,"g":"Infinity","h":1.23456789125E8}"#
        );
        assert_eq!(
            compacted(
                r#"{"a": 1.10, "b":1e5, "z":0.0, "y": 1e-10,"w":100.0,"v":12345678901234567890.10}"#,
                true
            ),
            r#"{"a":1.1,"b":1E+5,"z":0,"y":1E-10,"w":1E+2,"v":12345678901234567890.1}"#
        );
        assert_eq!(
            compacted(r#"{"a":1, "b":[{"x":1 , "x":[ ]}, null], "a":2, "c":{}, "a":3}"#, false),
            r#"{"a":3,"b":[{"x":[]},null],"c":{}}"#
        );
    }

    #[test]
    fn escapes() {
        let text = |raw: &str| {
            let mut out = Vec::new();
            unescape(raw.as_bytes(), &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(r#"a\"\\\/\b\f\n\r\tz"#), "a\"\\/\u{8}\u{c}\n\r\tz");
        assert_eq!(text(r"\u00e9\ud83d\uDE00"), "é😀");
        assert_eq!(text(r"\ud83dx\ude00\ud83d\u0041\ud83d"), "?x??A?");
        let mut out = String::new();
        push_quoted(&mut out, "q\"\\/\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}é😀<");
        assert_eq!(out, "\"q\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F\u{7f}é\\uD83D\\uDE00<\"");
    }
}
