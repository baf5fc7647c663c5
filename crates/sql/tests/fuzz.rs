//! Mutated statements: no panic, no hang, no overflow on a stack of 2 MB, and every place lies inside the text.
//!
//! `MILLSTREAM_FUZZ` is the number of texts (5,000 by default).

// A test that stops at once says best what is wrong.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use millstream_sql::{parse_expression, parse_script, parse_statement};
use serde_json::Value;

/// A small generator of its own, so that a seed always gives the same texts.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }
}

const WORDS: &[&str] = &[
    "(",
    ")",
    "((",
    "))",
    ",",
    ";",
    ".",
    "'",
    "`",
    "\"",
    "/*+",
    "*/",
    "/*",
    "--",
    "\n",
    "*",
    "=",
    "<",
    ">",
    "||",
    "[",
    "]",
    "{",
    "}",
    "-",
    "+",
    "NOT",
    "AND",
    "OR",
    "BETWEEN",
    "IN",
    "IS",
    "NULL",
    "CASE",
    "WHEN",
    "END",
    "SELECT",
    "FROM",
    "WHERE",
    "VALUES",
    "TABLE",
    "LATERAL",
    "JOIN",
    "ON",
    "UNION",
    "EXISTS",
    "OVER",
    "ROW",
    "ARRAY",
    "MAP",
    "CAST",
    "AS",
    "INTERVAL",
    "DAY",
    "LIKE",
    "ESCAPE",
    "MATCH_RECOGNIZE",
    "PATTERN",
    "WITH",
    "GROUP",
    "BY",
    "ORDER",
    "LIMIT",
    "EMIT",
    "x",
    "t.a",
    "1",
    "1.5e3",
    "'s'",
    "U&'\\00e9'",
    "X'0a'",
    "日本",
    "é",
    "=>",
    "->",
    "?",
    "^",
    "$",
    "POSITION(",
    "f(",
    "INSERT INTO",
    "EXECUTE STATEMENT SET BEGIN",
    "SET",
    "FINAL",
    "DEFAULT",
    "DISTINCT",
    "GROUPING SETS",
    "NATURAL",
    "UESCAPE",
];

fn corpus() -> Vec<String> {
    let mut all = Vec::new();
    for data in [include_str!("data/statements.jsonl"), include_str!("data/queries.jsonl")] {
        for line in data.lines() {
            let v: Value = serde_json::from_str(line).unwrap();
            all.push(v["sql"].as_str().unwrap().to_string());
        }
    }
    all
}

/// Pieces of a text: words, blanks, single signs.
fn pieces(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let class = |c: char| {
        if c.is_alphanumeric() || c == '_' {
            1
        } else if c.is_whitespace() {
            2
        } else {
            3
        }
    };
    let mut last = 0;
    for c in text.chars() {
        let this = class(c);
        match all.last_mut() {
            Some(piece) if this == last && this != 3 => piece.push(c),
            _ => all.push(c.to_string()),
        }
        last = this;
    }
    all
}

fn mutate(dice: &mut Dice, corpus: &[String]) -> String {
    let mut all = pieces(&corpus[dice.roll(corpus.len())]);
    for _ in 0..=dice.roll(5) {
        if all.is_empty() {
            break;
        }
        let at = dice.roll(all.len());
        match dice.roll(8) {
            0 => drop(all.remove(at)),
            1 => all.insert(at, all[at].clone()),
            2 => {
                let other = dice.roll(all.len());
                all.swap(at, other);
            }
            3 => all.truncate(at),
            4 => {
                let to = (at + 1 + dice.roll(20)).min(all.len());
                let part: Vec<String> = all[at..to].to_vec();
                for _ in 0..dice.roll(200) {
                    all.splice(at..at, part.iter().cloned());
                    if all.len() > 20_000 {
                        break;
                    }
                }
            }
            5 => {
                let other = pieces(&corpus[dice.roll(corpus.len())]);
                let from = dice.roll(other.len());
                all.splice(at..at, other[from..].iter().cloned());
            }
            _ => all.insert(at, format!(" {} ", WORDS[dice.roll(WORDS.len())])),
        }
    }
    all.concat()
}

/// Every place that a tree's debug output names.
fn spans(debug: &str) -> impl Iterator<Item = (usize, usize)> + '_ {
    debug.split("Span { start: ").skip(1).map(|rest| {
        let (start, rest) = rest.split_once(", end: ").unwrap();
        let (end, _) = rest.split_once(' ').unwrap();
        (start.parse().unwrap(), end.parse().unwrap())
    })
}

fn check(text: &str, whole: bool) {
    let (statements, faults) = parse_script(text);
    for fault in &faults {
        let span = fault.span().unwrap_or_else(|| panic!("no place: {fault:?} in {text}"));
        assert!(text.get(span.start as usize..span.end as usize).is_some(), "{fault:?} in {text}");
        let rendered = fault.render("fuzz.sql", text);
        assert!(rendered.lines().all(|l| l.chars().count() < 1000), "{rendered}");
    }
    for statement in &statements {
        assert!(text.get(statement.span.start as usize..statement.span.end as usize).is_some(), "{text}");
        if whole {
            for (start, end) in spans(&format!("{statement:?}")) {
                assert!(start <= end && text.get(start..end).is_some(), "{start}..{end} in {text}");
            }
        }
    }
    let _ = parse_statement(text);
    let _ = parse_expression(text);
}

#[test]
fn mutated_statements() {
    let run = || {
        let corpus = corpus();
        for text in &corpus {
            check(text, true);
        }
        let count = std::env::var("MILLSTREAM_FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(5_000);
        let mut dice = Dice(20_260_101);
        for i in 0..count {
            let text = mutate(&mut dice, &corpus);
            check(&text, i % 16 == 0);
        }
    };
    std::thread::Builder::new().stack_size(2 << 20).spawn(run).unwrap().join().unwrap();
}
