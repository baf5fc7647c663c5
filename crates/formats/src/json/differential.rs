//! The decoder against a slow and plain one, on random tables and records, whole and broken.

use millstream_flow::RawChunk;
use millstream_types::{DataType, Random, SeededRandom, TypeKind, Value};

use super::Json;
use crate::testing::{chunk, decode_chunk, encode, spec};

// The plain decoder: a recursive parser into a tree, one byte at a time, and the rules on the tree.

#[derive(Debug, Clone)]
enum Tree {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree)>),
}

struct Plain<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Plain<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\r' | b'\n') = self.peek() {
            self.at += 1;
        }
    }

    fn eat(&mut self, b: u8) -> Option<()> {
        (self.peek() == Some(b)).then(|| self.at += 1)
    }

    fn tree(&mut self) -> Option<Tree> {
        match self.peek()? {
            b'{' => self.object().map(Tree::Object),
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                self.space();
                if self.eat(b']').is_some() {
                    return Some(Tree::Array(items));
                }
                loop {
                    self.space();
                    items.push(self.tree()?);
                    self.space();
                    if self.eat(b']').is_some() {
                        return Some(Tree::Array(items));
                    }
                    self.eat(b',')?;
                }
            }
            b'"' => self.text().map(Tree::Text),
            b't' => self.word("true").map(|()| Tree::Bool(true)),
            b'f' => self.word("false").map(|()| Tree::Bool(false)),
            b'n' => self.word("null").map(|()| Tree::Null),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str) -> Option<()> {
        word.bytes().try_for_each(|b| self.eat(b))
    }

    fn digits(&mut self) -> Option<()> {
        let from = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_digit()) {
            self.at += 1;
        }
        (self.at > from).then_some(())
    }

    fn number(&mut self) -> Option<Tree> {
        let from = self.at;
        let _ = self.eat(b'-');
        if self.eat(b'0').is_none() {
            self.digits()?;
        } else if self.peek().is_some_and(|b| b.is_ascii_digit()) {
            return None;
        }
        if self.eat(b'.').is_some() {
            self.digits()?;
        }
        if self.eat(b'e').or_else(|| self.eat(b'E')).is_some() {
            let _ = self.eat(b'+').or_else(|| self.eat(b'-'));
            self.digits()?;
        }
        Some(Tree::Number(String::from_utf8(self.bytes[from..self.at].to_vec()).unwrap()))
    }

    fn text(&mut self) -> Option<String> {
        self.eat(b'"')?;
        let mut units: Vec<u16> = Vec::new();
        loop {
            match self.peek()? {
                b'"' => {
                    self.at += 1;
                    // Halves of pairs become question marks.
                    return Some(char::decode_utf16(units).map(|c| c.unwrap_or('?')).collect());
                }
                b'\\' => {
                    let code = *self.bytes.get(self.at + 1)?;
                    self.at += 2;
                    units.push(match code {
                        b'"' | b'\\' | b'/' => u16::from(code),
                        b'b' => 8,
                        b'f' => 12,
                        b'n' => 10,
                        b'r' => 13,
                        b't' => 9,
                        b'u' => {
                            let hex = self.bytes.get(self.at..self.at + 4)?;
                            self.at += 4;
                            if !hex.iter().all(u8::is_ascii_hexdigit) {
                                return None;
                            }
                            u16::from_str_radix(std::str::from_utf8(hex).ok()?, 16).ok()?
                        }
                        _ => return None,
                    });
                }
                _ => {
                    let from = self.at;
                    self.at += 1;
                    while self.peek().is_some_and(|b| b & 0xC0 == 0x80) {
                        self.at += 1;
                    }
                    let text = String::from_utf8_lossy(&self.bytes[from..self.at]);
                    units.extend(text.encode_utf16());
                }
            }
        }
    }

    fn object(&mut self) -> Option<Vec<(String, Tree)>> {
        self.eat(b'{')?;
        let mut members = Vec::new();
        self.space();
        if self.eat(b'}').is_some() {
            return Some(members);
        }
        loop {
            self.space();
            let name = self.text()?;
            self.space();
            self.eat(b':')?;
            self.space();
            let value = self.tree()?;
            members.push((name, value));
            self.space();
            if self.eat(b'}').is_some() {
                return Some(members);
            }
            self.eat(b',')?;
        }
    }
}

/// Of equal names the last, where the first was.
fn last_wins(members: &[(String, Tree)]) -> Vec<(String, Tree)> {
    let mut out: Vec<(String, Tree)> = Vec::new();
    for (name, value) in members {
        match out.iter_mut().find(|(n, _)| n == name) {
            Some(m) => m.1 = value.clone(),
            None => out.push((name.clone(), value.clone())),
        }
    }
    out
}

fn compact(tree: &Tree, out: &mut String) {
    match tree {
        Tree::Null => out.push_str("null"),
        Tree::Bool(b) => out.push_str(&b.to_string()),
        Tree::Number(n) if n == "-0" => out.push('0'),
        Tree::Number(n) if n.contains(['.', 'e', 'E']) => {
            let v: f64 = n.parse().unwrap();
            let mut text = String::new();
            millstream_text::number::push_f64(&mut text, v);
            out.push_str(&if v.is_finite() { text } else { format!("\"{text}\"") });
        }
        Tree::Number(n) => out.push_str(n),
        Tree::Text(t) => quoted(t, out),
        Tree::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                compact(item, out);
            }
            out.push(']');
        }
        Tree::Object(members) => {
            out.push('{');
            for (i, (name, value)) in last_wins(members).iter().enumerate() {
                out.push_str(if i > 0 { "," } else { "" });
                quoted(name, out);
                out.push(':');
                compact(value, out);
            }
            out.push('}');
        }
    }
}

fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

/// The value of a tree, `None` where it is bad and errors are not ignored.
fn read(tree: &Tree, t: &DataType, ignore: bool) -> Option<Value> {
    if matches!(tree, Tree::Null) {
        return Some(Value::Null);
    }
    let value = match (&t.kind, tree) {
        (TypeKind::VarChar(_), Tree::Text(t)) => Some(t.as_str().into()),
        (TypeKind::VarChar(_), other) => {
            let mut out = String::new();
            match other {
                Tree::Number(n) => out.push_str(n),
                other => compact(other, &mut out),
            }
            Some(out.as_str().into())
        }
        (TypeKind::Boolean, Tree::Bool(b)) => Some(Value::Boolean(*b)),
        (TypeKind::Boolean, Tree::Number(_)) => Some(Value::Boolean(false)),
        (TypeKind::Boolean, Tree::Text(t)) => {
            Some(Value::Boolean(t.trim_matches(|c| c <= ' ').to_lowercase() == "true"))
        }
        (TypeKind::Int | TypeKind::BigInt, Tree::Number(n)) if n.contains(['.', 'e', 'E']) => {
            let v: f64 = n.parse().unwrap();
            let (low, high) = if t.kind == TypeKind::Int {
                (-2_147_483_648.0, 2_147_483_647.0)
            } else {
                (-(2f64.powi(63)), 2f64.powi(63))
            };
            (v >= low && v <= high).then_some(Value::Int(v as i64))
        }
        (TypeKind::Int, Tree::Number(n)) => n.parse::<i32>().ok().map(|v| Value::Int(v.into())),
        (TypeKind::BigInt, Tree::Number(n)) => n.parse::<i64>().ok().map(Value::Int),
        (TypeKind::Int, Tree::Text(n)) => {
            n.trim_matches(|c| c <= ' ').parse::<i32>().ok().map(|v| Value::Int(v.into()))
        }
        (TypeKind::BigInt, Tree::Text(n)) => n.trim_matches(|c| c <= ' ').parse::<i64>().ok().map(Value::Int),
        (TypeKind::Double, Tree::Number(n)) => n.parse().ok().map(Value::Float),
        (TypeKind::Double, Tree::Text(n)) => millstream_text::number::parse_f64(n).ok().map(Value::Float),
        (TypeKind::Array(item), Tree::Array(items)) => items
            .iter()
            .map(|i| read(i, item, ignore))
            .collect::<Option<Vec<_>>>()
            .map(|v| Value::Array(v.into())),
        (TypeKind::Map(_, of), Tree::Object(members)) => last_wins(members)
            .iter()
            .map(|(k, v)| Some((k.as_str().into(), read(v, of, ignore)?)))
            .collect::<Option<Vec<_>>>()
            .map(|v| Value::Map(v.into())),
        (TypeKind::Row(fields), Tree::Object(members)) => fields
            .iter()
            .map(|f| match members.iter().rev().find(|(n, _)| **n == *f.name) {
                Some((_, v)) => read(v, &f.data_type, ignore),
                None => Some(Value::Null),
            })
            .collect::<Option<Vec<_>>>()
            .map(|v| Value::Row(v.into())),
        _ => None,
    };
    if value.is_none() && ignore { Some(Value::Null) } else { value }
}

/// A record's row; `Err`: refused; `Ok(None)`: nothing.
fn plain(record: &[u8], columns: &[(&str, DataType)], ignore: bool) -> Result<Option<Vec<Value>>, ()> {
    if record.is_empty() {
        return Ok(None);
    }
    let mut p = Plain { bytes: record, at: 0 };
    if record.starts_with(b"\xEF\xBB\xBF") {
        p.at = 3;
    }
    p.space();
    let members = p.object().ok_or(())?;
    std::str::from_utf8(&record[..p.at]).map_err(|_| ())?;
    columns
        .iter()
        .map(|(name, t)| match members.iter().rev().find(|(n, _)| n == name) {
            Some((_, tree)) => read(tree, t, ignore).ok_or(()),
            None => Ok(Value::Null),
        })
        .collect::<Result<Vec<_>, _>>()
        .map(Some)
}

// Random tables and records.

struct Dice(SeededRandom);

impl Dice {
    fn roll(&self, n: usize) -> usize {
        (self.0.next_u64() % n as u64) as usize
    }

    fn pick<'a, T: ?Sized>(&self, of: &[&'a T]) -> &'a T {
        of[self.roll(of.len())]
    }

    fn data_type(&self, depth: usize) -> DataType {
        match self.roll(if depth == 0 { 5 } else { 8 }) {
            0 => DataType::int(),
            1 => DataType::bigint(),
            2 => DataType::double(),
            3 => DataType::boolean(),
            4 => DataType::string(),
            5 => DataType::array(self.data_type(depth - 1)),
            6 => DataType::map(DataType::string(), self.data_type(depth - 1)),
            _ => DataType::row([("x", self.data_type(depth - 1)), ("é", self.data_type(depth - 1))]),
        }
    }

    fn space(&self) -> &'static str {
        self.pick(&["", "", "", "", " ", "  ", "\t", "\r\n "])
    }

    fn string(&self) -> String {
        let mut out = String::from("\"");
        for _ in 0..self.pick::<[usize]>(&[&[0], &[3], &[3], &[20], &[70]])[0] {
            out.push_str(self.pick(&[
                "a",
                "B",
                "7",
                " ",
                "-",
                "é",
                "日",
                "😀",
                "\\\\",
                "\\\"",
                "\\n",
                "\\/",
                "\\u0041",
                "\\ud83d\\ude00",
                "\\ud83d",
                "\\u00e9",
                "\u{1}",
                "\t",
                "{",
                "}",
                ",",
                ":",
                "[",
                "x",
                "y",
                "z",
            ]));
        }
        out.push('"');
        out
    }

    fn number(&self) -> String {
        match self.roll(8) {
            0 => "0".into(),
            1 => "-0".into(),
            2 => format!("{}", self.0.next_u64() as i64),
            3 => format!("{}.{}", self.roll(100), self.roll(1000)),
            4 => format!("-{}e{}", self.roll(100), self.roll(30)),
            5 => format!("{}99", self.0.next_u64()),
            6 => format!("{}", (self.0.next_u64() as i32)),
            _ => format!("{}", self.roll(1000)),
        }
    }

    fn any(&self, depth: usize) -> String {
        match self.roll(if depth == 0 { 5 } else { 7 }) {
            0 => "null".into(),
            1 => self.pick(&["true", "false"]).into(),
            2 => self.number(),
            3 => self.string(),
            4 => {
                self.pick(&["\"12\"", "\" -7 \"", "\"TRUE\"", "\"1.5\"", "\"\"", "\"NaN\"", "\"+3\""]).into()
            }
            5 => {
                let items: Vec<_> = (0..self.roll(4))
                    .map(|_| format!("{}{}{}", self.space(), self.any(depth - 1), self.space()))
                    .collect();
                format!("[{}]", items.join(","))
            }
            _ => self.object(&["x", "é", "k", "\\u0078"], depth - 1),
        }
    }

    /// A value that mostly fits a type.
    fn fitting(&self, t: &DataType, depth: usize) -> String {
        if self.roll(12) == 0 {
            return self.any(depth);
        }
        match &t.kind {
            TypeKind::Int => format!("{}", self.0.next_u64() as i32 >> self.roll(31)),
            TypeKind::BigInt => format!("{}", self.0.next_u64() as i64 >> self.roll(63)),
            TypeKind::Double => self.number(),
            TypeKind::Boolean => self.pick(&["true", "false"]).into(),
            TypeKind::Array(item) => {
                let items: Vec<_> = (0..self.roll(4)).map(|_| self.fitting(item, depth)).collect();
                format!("[{}]", items.join(self.pick(&[",", ", ", " ,"])))
            }
            TypeKind::Map(_, of) => {
                let members: Vec<_> = (0..self.roll(4))
                    .map(|_| format!("{}:{}", self.string(), self.fitting(of, depth)))
                    .collect();
                format!("{{{}}}", members.join(","))
            }
            TypeKind::Row(fields) => {
                let members: Vec<_> = fields
                    .iter()
                    .filter(|_| self.roll(5) > 0)
                    .map(|f| format!("\"{}\": {}", f.name, self.fitting(&f.data_type, depth)))
                    .collect();
                format!("{{{}}}", members.join(","))
            }
            _ => self.string(),
        }
    }

    fn object(&self, names: &[&str], depth: usize) -> String {
        let members: Vec<_> = (0..self.roll(5))
            .map(|_| format!("\"{}\":{}{}", self.pick(names), self.space(), self.any(depth)))
            .collect();
        format!("{{{}}}", members.join(","))
    }

    /// A record of a table: mostly in order and fitting.
    fn record(&self, columns: &[(&str, DataType)]) -> Vec<u8> {
        let mut members = Vec::new();
        let odd = self.roll(4) == 0;
        for (name, t) in columns {
            if odd && self.roll(6) == 0 {
                continue;
            }
            if odd && self.roll(6) == 0 {
                members.push(format!("{}:{}", self.string(), self.any(3)));
            }
            let space = if odd { self.space() } else { "" };
            let name = if odd && self.roll(8) == 0 { name.replace('a', "\\u0061") } else { name.to_string() };
            members.push(format!("{space}\"{name}\"{space}:{space}{}{space}", self.fitting(t, 2)));
            if odd && self.roll(8) == 0 {
                members.push(format!("\"{name}\":{}", self.fitting(t, 2)));
            }
        }
        let last = members.len().max(1);
        if odd && self.roll(3) == 0 && !members.is_empty() {
            members.swap(self.roll(last), 0);
        }
        let mut record = format!("{{{}}}", members.join(",")).into_bytes();
        match self.roll(14) {
            0 => record.truncate(self.roll(record.len() + 1)),
            1 => {
                let at = self.roll(record.len());
                record[at] = self.0.next_u64() as u8;
            }
            2 => {
                let at = self.roll(record.len());
                record.insert(
                    at,
                    *self.pick::<[u8]>(&[b"\"", b"\\", b",", b"}", b"{", b"\xFF", b"0"]).first().unwrap(),
                );
            }
            3 => record.extend_from_slice(self.pick::<[u8]>(&[
                b" ",
                b"}",
                b" trailing",
                b",",
                b"\xFF",
                b"\\",
                b"\"",
            ])),
            4 if self.roll(4) == 0 => record = b"\xEF\xBB\xBF".iter().chain(&record).copied().collect(),
            _ => {}
        }
        record
    }
}

fn tables(dice: &Dice) -> Vec<(&'static str, DataType)> {
    let names = ["a", "id", "cmdline", "a_rather_long_name_of_a_field_indeed", "日本", "x.y", "b c", "z"];
    names.iter().take(1 + dice.roll(names.len())).map(|n| (*n, dice.data_type(2))).collect()
}

fn run(seed: u64, records: usize) {
    let dice = Dice(SeededRandom::new(seed));
    let columns = tables(&dice);
    let all: Vec<Vec<u8>> = (0..records).map(|_| dice.record(&columns)).collect();
    for ignore in [false, true] {
        let pairs: &[(&str, &str)] = if ignore { &[("ignore-parse-errors", "true")] } else { &[] };
        let spec = spec(&columns, pairs);
        let want: Vec<usize> = (0..columns.len()).filter(|_| dice.roll(2) == 0).collect();
        // Chunks of any size, records with and without something between them; a backslash there escapes nothing in the next one.
        let mut chunks: Vec<RawChunk> = Vec::new();
        let mut rest: Vec<&[u8]> = all.iter().map(Vec::as_slice).collect();
        while !rest.is_empty() {
            let n = (1 + dice.roll(rest.len())).min(1 + dice.roll(40));
            let part: Vec<&[u8]> = rest.drain(..n.min(rest.len())).collect();
            chunks.push(chunk(&part, dice.pick::<[u8]>(&[b"\n", b"", b"\"x\":1}", b"\\", b"\\\\\""])));
        }
        let out = decode_chunk(&Json, &spec, &chunks, &want).unwrap();
        let mut rows = out.records.iter().zip(&out.rows).peekable();
        let mut bad = out.bad.iter().peekable();
        for (i, record) in all.iter().enumerate() {
            let shown = || {
                format!(
                    "seed {seed} ignore {ignore} record {i}: {}\n{columns:?}",
                    String::from_utf8_lossy(record)
                )
            };
            let row = rows.next_if(|r| *r.0 == i).map(|r| r.1);
            let fault = bad.next_if(|b| b.record == i);
            match plain(record, &columns, ignore) {
                Ok(Some(expected)) => assert_eq!(row, Some(&expected), "{}", shown()),
                Ok(None) => assert!(row.is_none() && fault.is_none(), "{}", shown()),
                Err(()) => {
                    assert_eq!(row, None, "{}", shown());
                    assert_eq!(fault.is_some(), !ignore, "{}", shown());
                }
            }
        }
        // What was read is written, and read again as the same.
        if !out.rows.is_empty() {
            let text = encode(&Json, &columns, &[], &out.rows).unwrap();
            let lines: Vec<&[u8]> = text.iter().map(String::as_bytes).collect();
            let again = decode_chunk(&Json, &spec, &[chunk(&lines, b"\n")], &want).unwrap();
            assert_eq!(again.rows, out.rows, "seed {seed}");
        }
    }
}

#[test]
fn random_records() {
    for seed in 0..60 {
        run(seed, 60);
    }
    // The long form takes minutes.
    if std::env::var_os("MILLSTREAM_LONG").is_some() {
        for seed in 1000..4000 {
            run(seed, 200);
        }
    }
}
