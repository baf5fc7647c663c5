//! Character sets that are tables: one byte, or two, a character. What each byte and pair stands for, and what each character is written as, is
//! what Java 17 answers, byte by byte and pair by pair (`tables/*.txt`).

use std::sync::OnceLock;

/// Names in lower case, a tab, and what the bytes 80 to FF stand for, one set a line; U+FFFD: nothing. The bytes below are ASCII.
const SINGLE: &str = include_str!("tables/single.txt");

/// The sets with one byte a character: their names and characters.
pub(super) fn single() -> &'static [SingleByte] {
    static SETS: OnceLock<Vec<SingleByte>> = OnceLock::new();
    SETS.get_or_init(|| {
        let sets = SINGLE.lines().filter_map(|l| l.split_once('\t'));
        let set = |(names, upper): (&'static str, &str)| {
            let upper: Vec<char> = upper.chars().collect();
            let mut back: Vec<(char, u8)> = upper.iter().copied().zip(128..=255).collect();
            back.retain(|(c, _)| *c != char::REPLACEMENT_CHARACTER);
            back.sort_unstable();
            SingleByte { names, upper, back }
        };
        sets.map(set).collect()
    })
}

/// A set with one byte a character.
pub(super) struct SingleByte {
    /// Names, the first one being Java's own.
    pub names: &'static str,
    /// What the bytes from 128 stand for.
    upper: Vec<char>,
    /// The bytes of characters, by character.
    back: Vec<(char, u8)>,
}

impl SingleByte {
    pub fn decode(&self, bytes: &[u8], out: &mut String) {
        out.extend(bytes.iter().map(|b| match b.checked_sub(128) {
            None => char::from(*b),
            Some(i) => self.upper.get(usize::from(i)).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
        }));
    }

    pub fn encode(&self, text: &str, out: &mut Vec<u8>) {
        out.extend(text.chars().map(|c| match c {
            c if c.is_ascii() => c as u8,
            c => {
                let place = self.back.binary_search_by_key(&c, |(known, _)| *known).ok();
                place.and_then(|i| self.back.get(i)).map_or(b'?', |(_, byte)| *byte)
            }
        }));
    }
}

/// A set with one or two bytes a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)] // the names are the standard's
pub enum DoubleByte {
    Gbk,
    Gb2312,
    Big5,
    ShiftJis,
    Windows31J,
    EucKr,
    Windows949,
    /// The pairs of GB18030, beside its sequences of four bytes.
    Gb18030,
}

/// What bytes and pairs stand for, and back. 0: nothing.
pub(super) struct Pairs {
    single: [u16; 256],
    pairs: Vec<u16>,
    back: Vec<u16>,
    /// Whether some pair begins with the byte.
    leads: [bool; 256],
}

impl DoubleByte {
    /// Names in lower case, Java's own first.
    pub(super) const ALL: [(DoubleByte, &'static [&'static str]); 7] = [
        (DoubleByte::Gbk, &["gbk", "cp936", "windows-936"]),
        (
            DoubleByte::Gb2312,
            &["gb2312", "gb2312-80", "gb2312-1980", "euc-cn", "euccn", "x-euc-cn", "euc_cn"],
        ),
        (DoubleByte::Big5, &["big5", "csbig5"]),
        (DoubleByte::ShiftJis, &["shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "csshiftjis"]),
        (DoubleByte::Windows31J, &["windows-31j", "ms932", "windows-932", "cswindows31j"]),
        (
            DoubleByte::EucKr,
            &[
                "euc-kr",
                "euckr",
                "euc_kr",
                "ks_c_5601-1987",
                "ksc5601-1987",
                "ksc5601_1987",
                "ksc_5601",
                "ksc5601",
                "5601",
                "cseuckr",
            ],
        ),
        (DoubleByte::Windows949, &["x-windows-949", "windows949", "windows-949", "ms949", "ms_949"]),
    ];

    /// The table, read when it is needed first.
    pub(super) fn table(self) -> &'static Pairs {
        static TABLES: [OnceLock<Pairs>; 8] = [const { OnceLock::new() }; 8];
        const GBK: &str = include_str!("tables/gbk.txt");
        let texts: &[&str] = match self {
            DoubleByte::Gbk => &[GBK],
            DoubleByte::Gb2312 => &[include_str!("tables/gb2312.txt")],
            DoubleByte::Big5 => &[include_str!("tables/big5.txt")],
            DoubleByte::ShiftJis => &[include_str!("tables/shift_jis.txt")],
            DoubleByte::Windows31J => &[include_str!("tables/windows_31j.txt")],
            DoubleByte::EucKr => &[include_str!("tables/euc_kr.txt")],
            DoubleByte::Windows949 => &[include_str!("tables/windows_949.txt")],
            // GBK's, but for some.
            DoubleByte::Gb18030 => &[GBK, super::gb18030::TABLE],
        };
        let [first, rest @ ..] = &TABLES;
        let cell = rest.get((self as usize).wrapping_sub(1)).unwrap_or(first);
        cell.get_or_init(|| Pairs::read(texts))
    }
}

impl Pairs {
    /// Lines of a byte or pair in hexadecimal and what it and those behind it stand for; `-` pairs that no character is written as;
    /// `+` characters that are written as what stands for another one. Later texts change what earlier ones say.
    fn read(texts: &[&str]) -> Self {
        let mut table = Pairs {
            single: std::array::from_fn(|b| if b < 128 { b as u16 } else { 0 }),
            pairs: vec![0; 1 << 16],
            back: vec![0; 1 << 16],
            leads: [false; 256],
        };
        let hex = |t: &str| usize::from_str_radix(t, 16).unwrap_or(0);
        let mut one_way = Vec::new();
        let mut extra = Vec::new();
        for (code, meaning) in texts.iter().flat_map(|t| t.split('\n')).filter_map(|l| l.split_once(' ')) {
            match code {
                "-" => one_way.extend(meaning.split(' ').map(hex)),
                "+" => extra.extend(
                    meaning.split(' ').filter_map(|p| p.split_once('=')).map(|(c, p)| (hex(c), hex(p))),
                ),
                code if code.starts_with('@') => {}
                code => {
                    let units = if code.len() == 2 { &mut table.single[..] } else { &mut table.pairs[..] };
                    for (place, unit) in units.iter_mut().skip(hex(code)).zip(meaning.encode_utf16()) {
                        *place = unit;
                    }
                }
            }
        }
        let one_way: std::collections::HashSet<usize> = one_way.into_iter().collect();
        for (code, unit) in table.pairs.iter().enumerate().filter(|(_, u)| **u != 0) {
            if let Some(lead) = table.leads.get_mut(code >> 8) {
                *lead = true;
            }
            if let Some(place) = table.back.get_mut(usize::from(*unit)).filter(|_| !one_way.contains(&code)) {
                *place = code as u16;
            }
        }
        let singles = table
            .single
            .iter()
            .enumerate()
            .skip(128)
            .filter(|(_, u)| **u != 0)
            .map(|(b, u)| (usize::from(*u), b));
        for (unit, code) in singles.chain(extra) {
            if let Some(place) = table.back.get_mut(unit) {
                *place = code as u16;
            }
        }
        table
    }

    /// What a byte alone stands for.
    pub fn one(&self, byte: u8) -> Option<char> {
        let unit = self.single.get(usize::from(byte)).copied().unwrap_or(0);
        (unit != 0 || byte == 0).then(|| char::from_u32(u32::from(unit)))?
    }

    /// What a pair stands for.
    pub fn two(&self, lead: u8, trail: u8) -> Option<char> {
        let unit = *self.pairs.get(usize::from(lead) << 8 | usize::from(trail))?;
        if unit == 0 { None } else { char::from_u32(u32::from(unit)) }
    }

    /// Appends the text of bytes. What is no pair counts as one wrong character; its second byte counts again where it can begin or be a
    /// character, as in Java.
    pub fn decode(&self, bytes: &[u8], out: &mut String) {
        let mut rest = bytes;
        loop {
            rest = match rest {
                [] => return,
                [byte, behind @ ..] => match (self.one(*byte), behind) {
                    (Some(c), _) => {
                        out.push(c);
                        behind
                    }
                    (None, [trail, after @ ..]) => match self.two(*byte, *trail) {
                        Some(c) => {
                            out.push(c);
                            after
                        }
                        None => {
                            out.push(char::REPLACEMENT_CHARACTER);
                            let leads = |b: u8| self.leads.get(usize::from(b)).copied().unwrap_or(false);
                            let again = !leads(*byte) || leads(*trail) || self.one(*trail).is_some();
                            if again { behind } else { after }
                        }
                    },
                    (None, []) => {
                        out.push(char::REPLACEMENT_CHARACTER);
                        behind
                    }
                },
            };
        }
    }

    /// The byte or pair of a character.
    pub fn code(&self, c: char) -> Option<u16> {
        if c.is_ascii() {
            return Some(c as u16);
        }
        self.back.get(c as usize).copied().filter(|code| *code != 0)
    }

    /// Appends the bytes of a text; a character that the set does not have becomes `?`.
    pub fn encode(&self, text: &str, out: &mut Vec<u8>) {
        for c in text.chars() {
            match self.code(c) {
                Some(code) => push_code(code, out),
                None => out.push(b'?'),
            }
        }
    }
}

/// Appends a byte or a pair.
pub(super) fn push_code(code: u16, out: &mut Vec<u8>) {
    match code.to_be_bytes() {
        [0, byte] => out.push(byte),
        pair => out.extend(pair),
    }
}
