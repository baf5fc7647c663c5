//! Events as JSON, and chunks of them as rules see them.

use arrow::array::{ArrayRef, UInt32Array};
use bytes::Bytes;
use millstream_flow::{Decoder, DecoderSpec, FieldSpec, Options, RawChunk, RecordSpan};
use millstream_formats::format;
use millstream_rules::RuleInput;
use millstream_types::{DataType, Fault, FieldSlices, Random, SeededRandom, Slices, TypeKind};

/// A seeded generator.
pub struct Dice {
    random: SeededRandom,
    /// The literals that events are made of besides others.
    pub literals: Vec<String>,
    /// The words that most texts are made of, where rules look for little else.
    pub words: Vec<&'static str>,
    /// The few pieces that most texts of rules and events are made of, so that they meet.
    pieces: Vec<&'static str>,
}

impl Dice {
    pub fn new(seed: u64) -> Self {
        let mut dice = Dice {
            random: SeededRandom::new(seed),
            literals: Vec::new(),
            words: Vec::new(),
            pieces: Vec::new(),
        };
        dice.pieces = (0..3 + dice.below(4)).map(|_| dice.pick(PIECES)).collect();
        dice
    }

    pub fn piece(&mut self) -> &'static str {
        let at = self.below(self.pieces.len());
        if self.one_in(8) { self.pick(PIECES) } else { self.pieces[at] }
    }

    /// One of the words.
    pub fn word(&mut self) -> &'static str {
        let at = self.below(self.words.len());
        self.words[at]
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.random.next_u64() % n as u64) as usize
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T: ?Sized>(&mut self, from: &[&'a T]) -> &'a T {
        from[self.below(from.len())]
    }
}

/// The columns: name and type.
pub fn columns() -> Vec<(&'static str, DataType)> {
    vec![
        ("a", DataType::string()),
        ("b", DataType::string()),
        ("c", TypeKind::VarChar(5).nullable()),
        ("n", DataType::int()),
        ("m", TypeKind::BigInt.nullable()),
        ("s", TypeKind::SmallInt.nullable()),
        ("d", TypeKind::Double.nullable()),
        ("e", TypeKind::Decimal { precision: 6, scale: 2 }.nullable()),
        ("t", DataType::boolean()),
        ("r", DataType::row([("x", DataType::string()), ("y", DataType::int())])),
        ("k", TypeKind::Char(3).nullable()),
        ("f", TypeKind::Float.nullable()),
        ("dt", TypeKind::Date.nullable()),
        ("tm", TypeKind::Time(0).nullable()),
        ("ts", TypeKind::timestamp(3).nullable()),
        ("tz", TypeKind::timestamp_ltz(3).nullable()),
        ("j", DataType::string()),
        ("ip", DataType::string()),
        ("mp", DataType::map(DataType::string(), DataType::string())),
        ("ar", DataType::array(DataType::string())),
    ]
}

/// Keys of `mp`, and names in the JSON texts of `j`.
pub const NAMES: &[&str] = &["user", "n", "p", "a b", "q"];

pub const ADDRESSES: &[&str] = &[
    "10.1.2.3",
    " 10.0.0.1 ",
    "10.0.0.1\n",
    "::1",
    "fe80::1",
    "10.0.0.256",
    "2001:db8::5",
    "192.168.1.1",
    "::ffff:10.1.2.3",
    "host",
    "010.1.2.3",
];

pub const DAYS: &[&str] = &["1969-12-31", "1970-01-01", "2024-02-28", "2024-02-29", "2024-01-01"];

/// What texts are made of: also what changes its length or meets ASCII when its case is changed.
pub const PIECES: &[&str] = &[
    "cmd",
    ".exe",
    "\\",
    "C:\\Users",
    "powershell",
    "-enc",
    " ",
    "\u{e4}",
    "\u{130}",
    "\u{212a}",
    "\u{df}",
    "\"",
    "/",
    "\n",
    "\t",
    "a",
    "b",
    "A",
    "B",
    "k",
    "s",
    "\u{17f}",
    "\u{1f600}",
    "abcd",
    "ABCD",
    "CmD",
    "0",
    "12",
    "-7",
    "nc -e",
    "user",
    "  ",
    "\u{7f}",
    "\u{fb01}",
    "fi",
    "'",
    "%",
    "_",
    "!",
    "é",
    "null",
    "abcdefgh",
];

/// Words that are longer than a window: with what JSON may escape in each of their windows, and letters that others become when the case changes.
pub const WORDS: &[&str] = &[
    "kali",
    "task",
    "serv",
    "powershell",
    "mimikatz",
    "x\\yz",
    "a/bc",
    "C:\\Users",
    "/etc/passwd",
    "nc -e",
    "\"q\"z",
    "s\u{fc}d\\k",
    "fi/le",
    "abcdefgh",
    "su\tdo",
    "\u{e4}\u{e4}k",
];

/// A text of words: as they are, in another case, with letters that only become theirs, without one letter, twice.
fn of_words(dice: &mut Dice) -> String {
    let mut out = String::new();
    for i in 0..1 + dice.below(3) {
        if i > 0 || dice.one_in(4) {
            out.push_str(dice.pick(&["", "", "\\", "/", " ", "\"", "x", "\u{212a}", "\u{e4}"]));
        }
        let word = dice.word();
        match dice.below(9) {
            0 => out.push_str(&word.to_uppercase()),
            1 => out.push_str(&word.to_lowercase()),
            2 | 3 => {
                for c in word.chars() {
                    out.push(match c {
                        'k' | 'K' if dice.one_in(2) => '\u{212a}',
                        's' | 'S' if dice.one_in(2) => '\u{17f}',
                        'i' if dice.one_in(4) => '\u{130}',
                        c => c,
                    });
                }
            }
            4 => {
                let gone = dice.below(word.chars().count());
                out.extend(word.chars().enumerate().filter(|(at, _)| *at != gone).map(|(_, c)| c));
            }
            5 => out.extend([word, word]),
            _ => out.push_str(word),
        }
    }
    if dice.one_in(4) {
        out.push_str(dice.pick(&["\\", "x", "/", " ", "\n"]));
    }
    out
}

pub fn text(dice: &mut Dice) -> String {
    if !dice.words.is_empty() && !dice.one_in(5) {
        return of_words(dice);
    }
    if let Some(text) = adversarial(dice) {
        return text;
    }
    let pieces = match dice.below(8) {
        0 => 0,
        1..=3 => 1,
        n => n - 2,
    };
    (0..pieces).map(|_| dice.piece()).collect()
}

/// A text made of a rule's literal: itself, nearly itself, two that overlap, one that goes on in the next field.
fn adversarial(dice: &mut Dice) -> Option<String> {
    if dice.literals.is_empty() || dice.one_in(2) {
        return None;
    }
    let at = dice.below(dice.literals.len());
    let literal: Vec<char> = dice.literals[at].chars().collect();
    let at = dice.below(literal.len().max(1));
    let cut = |range: std::ops::Range<usize>| literal.get(range).unwrap_or(&[]).iter().collect::<String>();
    let (start, rest, whole) = (cut(0..at), cut(at..literal.len()), cut(0..literal.len()));
    let other = dice.below(dice.literals.len());
    let other = dice.literals[other].clone();
    Some(match dice.below(11) {
        9 => format!("{start}{other}{rest}"),
        10 => format!("{whole}{other}"),
        0 => start,
        1 => rest,
        2 => format!("{start}{}", cut(at + 1..literal.len())),
        3 => format!("{start}{}{rest}", dice.piece()),
        4 => whole
            .chars()
            .map(|c| if c.is_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() })
            .collect(),
        5 => format!("{start}{whole}"),
        6 => format!("{}{whole}{}", dice.piece(), dice.piece()),
        7 => format!(" {whole}  "),
        _ => whole,
    })
}

fn spelled(text: &str, dice: &mut Dice) -> String {
    let mut out = String::from("\"");
    let odd = dice.one_in(6);
    for c in text.chars() {
        match c {
            _ if odd && dice.one_in(3) => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    out.push_str(&format!("\\u{unit:04x}"));
                }
            }
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '/' if dice.one_in(4) => out.push_str("\\/"),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn value(name: &str, dice: &mut Dice) -> String {
    if dice.one_in(8) {
        return "null".into();
    }
    let number = |dice: &mut Dice| match dice.below(8) {
        0 => "0".to_string(),
        1 => "-7".into(),
        2 => "12".into(),
        3 => "32767".into(),
        n => (n as i64 - 3).to_string(),
    };
    match name {
        "a" | "b" | "c" | "k" => match dice.below(12) {
            0 => number(dice),
            1 => "true".into(),
            2 => "{\"x\": [1, \"cmd\"]}".into(),
            3 => "1e3".into(),
            _ => {
                let mut t = text(dice);
                if name == "c" || name == "k" {
                    t = t.chars().take(if name == "c" { 5 } else { 3 }).collect();
                }
                spelled(&t, dice)
            }
        },
        "n" => match dice.below(10) {
            0 => "2147483647".into(),
            1 => "\"12\"".into(),
            2 => "1.9".into(),
            3 => "-0".into(),
            _ => number(dice),
        },
        "m" => match dice.below(10) {
            0 => "9223372036854775807".into(),
            1 => "-9223372036854775808".into(),
            2 => "4000000000".into(),
            _ => number(dice),
        },
        "s" => number(dice),
        "d" => dice.pick(&["0.5", "-7", "12", "1e300", "-0.0", "2.25"]).into(),
        "e" => dice.pick(&["0.5", "-7", "12.00", "9999.99", "2.25", "0"]).into(),
        "t" => dice.pick(&["true", "false", "\"true\""]).into(),
        "f" => dice.pick(&["0.5", "-7", "12", "1e30", "-0.0", "0.1", "16777217"]).into(),
        "dt" => format!("\"{}\"", dice.pick(DAYS)),
        "tm" => format!("\"{}\"", dice.pick(&["00:00:00", "12:30:00.5", "23:59:59"])),
        "ts" => {
            format!("\"{} {}\"", dice.pick(DAYS), dice.pick(&["00:00:00", "12:30:00.5", "23:59:59.9999"]))
        }
        "tz" => {
            format!("\"{} {}Z\"", dice.pick(DAYS), dice.pick(&["00:00:00", "12:30:00.5", "23:59:59.9999"]))
        }
        "ip" => {
            let text = if dice.one_in(6) { text(dice) } else { dice.pick(ADDRESSES).to_string() };
            spelled(&text, dice)
        }
        "j" => {
            let json = match dice.below(8) {
                0 => text(dice),
                1 => "[1, \"cmd\"]".into(),
                _ => object(dice, 2),
            };
            spelled(&json, dice)
        }
        "mp" => object(dice, 0),
        "ar" => {
            let items: Vec<String> = (0..dice.below(4)).map(|_| json_value(dice, 0)).collect();
            format!("[{}]", items.join(dice.pick(&[",", " , "])))
        }
        _ => {
            let x = json_value(dice, 1);
            let name = if dice.one_in(10) { "\\u0078" } else { "x" };
            let space = if dice.one_in(10) { " " } else { "" };
            match dice.below(10) {
                0 => "{}".into(),
                1 => format!("{{\"y\":{}}}", number(dice)),
                2 => format!("{{\"x\":\"cmd\",\"{name}\":{x}}}"),
                _ => format!("{{\"{name}\"{space}:{space}{x},\"y\":{}}}", number(dice)),
            }
        }
    }
}

/// A value in JSON; text most often.
fn json_value(dice: &mut Dice, depth: usize) -> String {
    match dice.below(12) {
        0 => dice.pick(&["4.0e2", "404", "-0", "1.50", "1E+3", "12345678901234567890"]).into(),
        1 => dice.pick(&["true", "false", "null"]).into(),
        2 | 3 if depth > 0 => object(dice, depth - 1),
        4..=6 => {
            let t = text(dice);
            let units = |c: char| {
                c.encode_utf16(&mut [0; 2]).iter().map(|u| format!("\\u{u:04x}")).collect::<String>()
            };
            format!("\"{}\"", t.chars().map(units).collect::<String>())
        }
        _ => {
            let t = text(dice);
            spelled(&t, dice)
        }
    }
}

fn object(dice: &mut Dice, depth: usize) -> String {
    let space = if dice.one_in(4) { " " } else { "" };
    let fields: Vec<String> = (0..dice.below(4))
        .map(|_| {
            let name = if dice.one_in(2) { "user" } else { dice.pick(NAMES) };
            let value = json_value(dice, depth);
            // Names may be escaped as well as values.
            let name = match name.strip_prefix('u') {
                Some(rest) if dice.one_in(4) => format!("\"\\u0075{rest}\""),
                _ => spelled(name, dice),
            };
            format!("{name}{space}:{space}{value}")
        })
        .collect();
    format!("{{{}}}", fields.join(&format!(",{space}")))
}

/// A line: fields in any order, absent, twice.
pub fn event(dice: &mut Dice) -> String {
    let mut fields = Vec::new();
    for (name, _) in columns() {
        if dice.one_in(8) {
            continue;
        }
        for _ in 0..1 + usize::from(dice.one_in(20)) {
            let spelled = if dice.one_in(40) {
                format!("\\u{:04x}{}", name.as_bytes()[0], &name[1..])
            } else {
                name.into()
            };
            let space = if dice.one_in(10) { " " } else { "" };
            fields.push(format!("\"{spelled}\"{space}:{space}{}", value(name, dice)));
        }
    }
    if dice.one_in(3) {
        fields.reverse();
    }
    format!("{{{}}}", fields.join(","))
}

/// A chunk, cut.
pub struct Chunk {
    chunk: RawChunk,
    decoder: Box<dyn Decoder>,
    slices: Slices,
    /// Whether rules see slices at all.
    pub raw: bool,
}

impl Chunk {
    pub fn new(lines: &[String], want: &[usize], raw: bool) -> Self {
        let mut data = Vec::new();
        let mut records = Vec::new();
        for line in lines {
            let start = data.len() as u32;
            data.extend_from_slice(line.as_bytes());
            records.push(RecordSpan { start, end: data.len() as u32 });
            data.push(b'\n');
        }
        let chunk = RawChunk { data: Bytes::from(data), records, ..RawChunk::default() };
        let fields: Vec<FieldSpec> = columns()
            .into_iter()
            .map(|(name, data_type)| FieldSpec { name: name.into(), data_type, paths: Vec::new() })
            .collect();
        let spec = DecoderSpec {
            read: (0..fields.len()).collect(),
            columns: fields,
            options: Options::default(),
            zone: "UTC".into(),
            clock: std::sync::Arc::new(millstream_types::ManualClock::default()),
        };
        let mut decoder = format("json").unwrap().decoder(spec).unwrap();
        let (mut slices, mut bad) = (Slices::default(), Vec::new());
        decoder.cut(&chunk, want, &mut slices, &mut bad).unwrap();
        assert!(bad.is_empty(), "{:?}", bad[0]);
        Chunk { chunk, decoder, slices, raw }
    }

    /// A row's record.
    pub fn line(&self, row: usize) -> String {
        String::from_utf8_lossy(self.chunk.record(self.slices.record_of(row))).into_owned()
    }
}

impl RuleInput for Chunk {
    fn rows(&self) -> usize {
        self.slices.rows
    }

    fn field(&self, column: usize) -> Option<(&Slices, &FieldSlices)> {
        self.slices.column(column).filter(|_| self.raw).map(|f| (&self.slices, f))
    }

    fn column(&mut self, column: usize, rows: Option<&UInt32Array>) -> Result<ArrayRef, Fault> {
        let all = UInt32Array::from_iter_values(0..self.slices.rows as u32);
        self.decoder.build(&self.chunk, &self.slices, column, rows.unwrap_or(&all)).map_err(|b| b.fault)
    }

    fn watermarks(&self) -> Option<&[i64]> {
        None
    }
}
