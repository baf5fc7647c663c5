//! GB18030: GBK's pairs, but for some, and sequences of four bytes for everything else.

use std::sync::OnceLock;

use super::tables::{DoubleByte, push_code};

/// Pairs that are not GBK's; behind `@` runs of sequences of four bytes: the first one's number, its character, how many.
pub(super) const TABLE: &str = include_str!("tables/gb18030.txt");
/// The number of the sequence of U+10000.
const SUPPLEMENTARY: u32 = 189_000;

/// Runs of numbers and characters, both ascending within a run.
fn runs() -> &'static [(u32, u32, u32)] {
    static RUNS: OnceLock<Vec<(u32, u32, u32)>> = OnceLock::new();
    RUNS.get_or_init(|| {
        let lines = TABLE.lines().filter_map(|l| l.strip_prefix('@'));
        let run = |line: &str| {
            let mut parts = line.split(' ');
            let number = parts.next()?.parse().ok()?;
            Some((number, u32::from_str_radix(parts.next()?, 16).ok()?, parts.next()?.parse().ok()?))
        };
        lines.filter_map(run).collect()
    })
}

/// The character of a sequence's number.
fn character(number: u32) -> Option<char> {
    if number >= SUPPLEMENTARY {
        return char::from_u32(0x10000 + number - SUPPLEMENTARY);
    }
    let runs = runs();
    let behind = runs.partition_point(|(first, ..)| *first <= number);
    let (first, start, count) = runs.get(behind.checked_sub(1)?)?;
    let at = number - first;
    if at < *count { char::from_u32(start + at) } else { None }
}

/// The number of a character's sequence.
fn number(c: char) -> Option<u32> {
    let code = u32::from(c);
    if code >= 0x10000 {
        return Some(SUPPLEMENTARY + code - 0x10000);
    }
    runs()
        .iter()
        .find(|(_, start, count)| (*start..start + count).contains(&code))
        .map(|(first, start, _)| first + code - start)
}

/// Appends the text of bytes; what is no character becomes U+FFFD, as often as in Java.
pub(super) fn decode(bytes: &[u8], out: &mut String) {
    let pairs = DoubleByte::Gb18030.table();
    let mut rest = bytes;
    while let [first, behind @ ..] = rest {
        let (c, taken) = match (first, behind) {
            (0..0x80, _) => (Some(char::from(*first)), 1),
            (0x80 | 0xff, _) => (None, 1),
            (_, []) => (None, 1),
            (_, [second @ 0x30..=0x39, third, fourth, ..]) => match (third, fourth) {
                (0x81..=0xfe, 0x30..=0x39) => {
                    let of = |byte: &u8, from: u8| u32::from(byte - from);
                    let number = (of(first, 0x81) * 10 + of(second, 0x30)) * 1260
                        + of(third, 0x81) * 10
                        + of(fourth, 0x30);
                    (character(number), 4)
                }
                (0x81..=0xfe, _) => (None, 4),
                _ => (None, 3),
            },
            // A sequence that the end cuts off.
            (_, [0x30..=0x39, ..]) => (None, rest.len()),
            (_, [second, ..]) => match pairs.two(*first, *second) {
                Some(c) => (Some(c), 2),
                None => (None, if *second < 0x30 { 1 } else { 2 }),
            },
        };
        out.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
        rest = rest.get(taken..).unwrap_or_default();
    }
}

/// Appends the bytes of a text: every character has some.
pub(super) fn encode(text: &str, out: &mut Vec<u8>) {
    let pairs = DoubleByte::Gb18030.table();
    for c in text.chars() {
        match (pairs.code(c), number(c)) {
            (Some(code), _) => push_code(code, out),
            (None, Some(n)) => out.extend([
                0x81 + (n / 12_600) as u8,
                0x30 + (n / 1260 % 10) as u8,
                0x81 + (n / 10 % 126) as u8,
                0x30 + (n % 10) as u8,
            ]),
            (None, None) => out.push(b'?'),
        }
    }
}
