//! The text of JSON strings, and of objects and arrays that are read into STRING columns.

use std::collections::HashMap;

use millstream_text::number;

use super::scan::Scan;

/// Appends the text of a string's inside, its escapes (which are known to be right) resolved. Half of a surrogate pair becomes `?`, as when Java writes
/// UTF-8.
pub(super) fn unescape(raw: &[u8], out: &mut Vec<u8>) {
    let mut rest = raw;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        let (plain, tail) = rest.split_at(at);
        out.extend_from_slice(plain);
        let [_, code, tail @ ..] = tail else { return };
        rest = tail;
        match code {
            b'b' => out.push(0x08),
            b'f' => out.push(0x0C),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'u' => {
                let (unit, tail) = hex(rest);
                rest = tail;
                let mut code = u32::from(unit);
                if (0xD800..0xDC00).contains(&unit)
                    && let [b'\\', b'u', tail @ ..] = rest
                    && let (low @ 0xDC00..0xE000, tail) = hex(tail)
                {
                    code = 0x10000 + ((code - 0xD800) << 10) + (u32::from(low) - 0xDC00);
                    rest = tail;
                }
                let c = char::from_u32(code).unwrap_or('?');
                out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
            }
            other => out.push(*other),
        }
    }
    out.extend_from_slice(rest);
}

/// Four hexadecimal digits, and what is behind them.
fn hex(text: &[u8]) -> (u16, &[u8]) {
    let Some((digits, rest)) = text.split_first_chunk::<4>() else { return (0xFFFD, &[]) };
    let value = digits.iter().fold(0, |v, b| v << 4 | char::from(*b).to_digit(16).unwrap_or(0) as u16);
    (value, rest)
}

/// Appends a string as Jackson quotes it: escapes for quotes, backslashes and control characters. `pairs`: characters beyond the Basic Multilingual Plane as
/// two `\u` escapes, which is what Flink's writer does.
pub(super) fn push_quoted(out: &mut String, text: &str, pairs: bool) {
    out.push('"');
    let mut from = 0;
    for (at, b) in text.bytes().enumerate() {
        if b >= 0x20 && b != b'"' && b != b'\\' && !(pairs && b >= 0xF0) {
            continue;
        }
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
/// Source: what Flink 2.3 answers for `JsonParser.readValueAsTree().toString()`.
pub(super) fn compact(scan: Scan<'_>, at: usize, decimals: bool, out: &mut String) {
    value(scan, at, decimals, out);
}

/// Recursion is as deep as the text's nesting, which the scan has limited. Gives the end of the value.
fn value(scan: Scan<'_>, at: usize, decimals: bool, out: &mut String) -> usize {
    match scan.byte(at) {
        b'{' => object(scan, at, decimals, out),
        b'[' => {
            out.push('[');
            let mut at = scan.space(at + 1);
            while scan.byte(at) != b']' && at < scan.end {
                at = scan.space(value(scan, at, decimals, out));
                if scan.byte(at) == b',' {
                    out.push(',');
                    at = scan.space(at + 1);
                }
            }
            out.push(']');
            at + 1
        }
        b'"' => {
            let end = scan.string(at + 1).map_or(scan.end, |t| t.close);
            let mut bytes = Vec::new();
            unescape(scan.data.get(at + 1..end).unwrap_or_default(), &mut bytes);
            push_quoted(out, &String::from_utf8_lossy(&bytes), false);
            end + 1
        }
        b'-' | b'0'..=b'9' => {
            let (end, whole) = scan.number(at).unwrap_or((scan.end, true));
            let text = scan.data.get(at..end).map(String::from_utf8_lossy).unwrap_or_default();
            match (whole, decimals) {
                (true, _) if text == "-0" => out.push('0'),
                (true, _) => out.push_str(&text),
                (false, true) => big_decimal(&text, out),
                (false, false) => {
                    let v: f64 = text.parse().unwrap_or(f64::NAN);
                    if v.is_finite() {
                        number::push_f64(out, v);
                    } else {
                        out.push('"');
                        number::push_f64(out, v);
                        out.push('"');
                    }
                }
            }
            end
        }
        _ => {
            let end = scan.literal(at).unwrap_or(scan.end);
            out.push_str(&scan.data.get(at..end).map(String::from_utf8_lossy).unwrap_or_default());
            end.max(at + 1)
        }
    }
}

fn object(scan: Scan<'_>, at: usize, decimals: bool, out: &mut String) -> usize {
    out.push('{');
    let begin = out.len();
    // The parts `"name":value` of the text.
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let mut names: HashMap<Vec<u8>, usize> = HashMap::new();
    let mut again: Vec<(usize, usize)> = Vec::new();
    let mut at = scan.space(at + 1);
    while scan.byte(at) == b'"' {
        let Ok((name, value_at)) = scan.key(at) else { break };
        let mut text = Vec::new();
        unescape(scan.data.get(at + 1..name.close).unwrap_or_default(), &mut text);
        if !parts.is_empty() {
            out.push(',');
        }
        let from = out.len();
        push_quoted(out, &String::from_utf8_lossy(&text), false);
        out.push(':');
        at = scan.space(value(scan, value_at, decimals, out));
        if let Some(first) = names.insert(text, parts.len()) {
            again.push((first, parts.len()));
        }
        parts.push((from, out.len()));
        if scan.byte(at) == b',' {
            at = scan.space(at + 1);
        }
    }
    if !again.is_empty() {
        let written = out.split_off(begin);
        // Where each part's text comes from: a later part of the same name takes the place of the first.
        let mut source: Vec<Option<usize>> = (0..parts.len()).map(Some).collect();
        let mut home: Vec<usize> = (0..parts.len()).collect();
        for (earlier, later) in again {
            let place = home.get(earlier).copied().unwrap_or(earlier);
            if let Some(h) = home.get_mut(later) {
                *h = place;
            }
            if let Some(s) = source.get_mut(place) {
                *s = Some(later);
            }
            if let Some(s) = source.get_mut(later) {
                *s = None;
            }
        }
        for part in source.into_iter().flatten() {
            if out.len() > begin {
                out.push(',');
            }
            if let Some((from, to)) = parts.get(part) {
                out.push_str(written.get(from - begin..to - begin).unwrap_or(""));
            }
        }
    }
    out.push('}');
    at + 1
}

/// A `BigDecimal` without the zeros at its end, as `toString` writes it, of any length.
fn big_decimal(text: &str, out: &mut String) {
    let (negative, text) = match text.strip_prefix('-') {
        Some(t) => (true, t),
        None => (false, text),
    };
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (text.get(..at).unwrap_or(""), text.get(at + 1..).unwrap_or("")),
        None => (text, "0"),
    };
    let exponent: i64 = exponent.parse().unwrap_or(0);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0').trim_end_matches('0');
    if digits.is_empty() {
        out.push('0');
        return;
    }
    let zeros = all.len() - all.trim_end_matches('0').len();
    let scale = (fraction.len() as i64).saturating_sub(exponent).saturating_sub(zeros as i64);
    let adjusted = (digits.len() as i64 - 1).saturating_sub(scale);
    if negative {
        out.push('-');
    }
    if scale >= 0 && adjusted >= -6 {
        let point = digits.len() as i64 - scale;
        if scale == 0 {
            out.push_str(digits);
        } else if point > 0 {
            let (head, tail) = digits.split_at(point as usize);
            out.push_str(head);
            out.push('.');
            out.push_str(tail);
        } else {
            out.push_str("0.");
            (point..0).for_each(|_| out.push('0'));
            out.push_str(digits);
        }
        return;
    }
    let (first, rest) = digits.split_at(1);
    out.push_str(first);
    if !rest.is_empty() {
        out.push('.');
        out.push_str(rest);
    }
    if adjusted != 0 {
        out.push('E');
        if adjusted > 0 {
            out.push('+');
        }
        number::push_i64(out, adjusted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compacted(text: &str, decimals: bool) -> String {
        let scan = Scan::new(text.as_bytes(), text.len());
        assert_eq!(scan.value(0).unwrap(), text.len());
        let mut out = String::new();
        compact(scan, 0, decimals, &mut out);
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
        push_quoted(&mut out, "q\"\\/\u{8}\u{c}\n\r\t\u{1}\u{1f}\u{7f}é😀<", true);
        assert_eq!(out, "\"q\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001F\u{7f}é\\uD83D\\uDE00<\"");
    }
}
