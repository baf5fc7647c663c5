//! Tables of addresses as text: lines of ranges and columns, between commas, tabs, bars or semicolons.
//!
//! A line begins with a network (`10.0.0.0/8`), a range (`10.0.0.1-10.0.0.9`), an address, or two addresses, which may be numbers as in IP2Location's files. The
//! first line names the columns, unless it begins with an address, too. ip2region's text (`first|last|country|region|province|city|isp`) has no such line.

use std::collections::HashMap;
use std::net::IpAddr;

use millstream_types::{Fault, nearest};

use super::bad;
use super::ranges::Ranges;

/// A table.
#[derive(Debug)]
pub(crate) struct Table {
    path: String,
    columns: Vec<String>,
    v4: Ranges<u32>,
    v6: Ranges<u128>,
    /// Texts, each once; the first one is empty and stands for NULL.
    texts: Vec<Box<str>>,
    /// Positions of texts, row by row.
    cells: Vec<u32>,
}

const IP2REGION: [&str; 5] = ["country", "region", "province", "city", "isp"];

/// How a line says its range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// In one column.
    One,
    /// In two.
    Two,
}

/// First and last address, of one kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Span {
    V4(u32, u32),
    V6(u128, u128),
}

impl Table {
    /// Reads a text.
    ///
    /// # Errors
    /// User, with the file and the line.
    pub fn read(path: &str, content: &[u8]) -> Result<Self, Fault> {
        let text = std::str::from_utf8(content).map_err(|_| {
            bad(path, "the file is neither a MaxMind DB nor a text in UTF-8".into()).hint(FORM)
        })?;
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let lines = text.lines().enumerate().map(|(i, line)| (i + 1, line));
        let mut lines = lines.filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#')).peekable();
        let Some((_, first)) = lines.peek() else {
            return Err(bad(path, "the file has no lines".into()).hint(FORM));
        };
        let separator = ['\t', '|', ';', ',']
            .into_iter()
            .max_by_key(|s| first.matches(*s).count())
            .filter(|s| first.contains(*s))
            .ok_or_else(|| bad(path, "the first line has only one column".into()).hint(FORM))?;
        let mut cells = Vec::new();
        split(first, separator, &mut cells);
        let named = form(&cells).is_none();
        let names: Vec<String> = cells.iter().map(|c| c.trim().to_string()).collect();
        if named {
            lines.next();
        }
        let Some((number, line)) = lines.peek() else {
            return Err(bad(path, "the file has no line of addresses".into()).hint(FORM));
        };
        split(line, separator, &mut cells);
        let Some(form) = form(&cells) else {
            let found: String = line.chars().take(60).collect();
            return Err(
                bad(path, format!("line {number}: '{found}' does not begin with an address")).hint(FORM)
            );
        };
        let ahead = if form == Form::One { 1 } else { 2 };
        let columns: Vec<String> = match (named, cells.len().saturating_sub(ahead)) {
            (true, _) => names.into_iter().skip(ahead).collect(),
            (false, 5) if separator == '|' => IP2REGION.iter().map(|c| c.to_string()).collect(),
            (false, count) => (1..=count).map(|n| n.to_string()).collect(),
        };
        // ip2region writes 0 for what it does not know.
        let unknown = if !named && separator == '|' { "0" } else { "" };
        let mut table = Reader {
            known: HashMap::from([("".into(), 0)]),
            texts: vec!["".into()],
            cells: Vec::new(),
            v4: Vec::new(),
            v6: Vec::new(),
        };
        for (number, line) in lines {
            split(line, separator, &mut cells);
            let span =
                span(&cells, form).map_err(|why| bad(path, format!("line {number}: {why}")).hint(FORM))?;
            let row = u32::try_from(table.cells.len() / columns.len().max(1))
                .map_err(|_| bad(path, "the file has too many lines".into()))?;
            match span {
                Span::V4(first, last) => table.v4.push((first, last, row)),
                Span::V6(first, last) => table.v6.push((first, last, row)),
            }
            for i in 0..columns.len() {
                let cell = cells.get(ahead + i).map_or("", |c| c.trim());
                let cell = if cell == unknown { "" } else { cell };
                table.add(cell);
            }
        }
        Ok(Table {
            path: path.to_string(),
            columns,
            v4: Ranges::new(&table.v4),
            v6: Ranges::new(&table.v6),
            texts: table.texts,
            cells: table.cells,
        })
    }

    /// The position of a column.
    ///
    /// # Errors
    /// User, when there is none.
    pub fn column(&self, name: &str) -> Result<usize, Fault> {
        if let Some(i) = self.columns.iter().position(|c| c.eq_ignore_ascii_case(name)) {
            return Ok(i);
        }
        let shown: String = name.chars().take(60).collect();
        let fault = Fault::user("no-region-field", format!("'{}' has no column '{shown}'", self.path));
        Err(match nearest(name, self.columns.iter().map(String::as_str)) {
            Some(near) => fault.hint(format!("did you mean '{near}'?")),
            None => fault.hint(format!("its columns are {}", self.columns.join(", "))),
        })
    }

    /// What a column says of an address.
    pub fn get(&self, address: IpAddr, column: usize) -> Option<&str> {
        let row = match address {
            IpAddr::V4(a) => self.v4.row(a.to_bits()),
            IpAddr::V6(a) => self.v6.row(a.to_bits()),
        }?;
        let text = *self.cells.get(row * self.columns.len() + column)?;
        self.texts.get(text as usize).map(|t| &**t).filter(|t| !t.is_empty())
    }
}

const FORM: &str = "a line begins with a network (10.0.0.0/8), a range (10.0.0.1-10.0.0.9) or two addresses; the first line names the columns: network,country,city";

/// A table that is being read.
struct Reader {
    known: HashMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
    cells: Vec<u32>,
    v4: Vec<(u32, u32, u32)>,
    v6: Vec<(u128, u128, u32)>,
}

impl Reader {
    fn add(&mut self, text: &str) {
        let position = self.known.get(text).copied().unwrap_or_else(|| {
            let position = self.texts.len() as u32;
            self.texts.push(text.into());
            self.known.insert(text.into(), position);
            position
        });
        self.cells.push(position);
    }
}

/// The cells of a line; a quoted one may hold separators and doubled quotes.
fn split(line: &str, separator: char, cells: &mut Vec<String>) {
    cells.clear();
    let mut cell = String::new();
    let mut quoted = false;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' if quoted || cell.trim().is_empty() => quoted = !quoted,
            c if c == separator && !quoted => cells.push(std::mem::take(&mut cell)),
            c => cell.push(c),
        }
    }
    cells.push(cell);
}

/// How the cells of a line say their range; `None`: they do not.
fn form(cells: &[String]) -> Option<Form> {
    let first = cells.first()?;
    if let (Some(a), Some(b)) = (number(first), cells.get(1).and_then(|c| number(c)))
        && a.is_ipv4() == b.is_ipv4()
        && cells.iter().take(2).filter(|c| c.trim().parse::<IpAddr>().is_ok()).count() != 1
    {
        return Some(Form::Two);
    }
    one(first).ok().map(|_| Form::One)
}

fn span(cells: &[String], form: Form) -> Result<Span, String> {
    let first = cells.first().map_or("", |c| c.trim());
    if form == Form::One {
        return one(first);
    }
    let second = cells.get(1).map_or("", |c| c.trim());
    let (Some(a), Some(b)) = (number(first), number(second)) else {
        let wrong = if number(first).is_none() { first } else { second };
        return Err(format!("'{}' is no address", wrong.chars().take(60).collect::<String>()));
    };
    between(a, b)
}

/// The range from one address to another.
fn between(a: IpAddr, b: IpAddr) -> Result<Span, String> {
    match (a, b) {
        (IpAddr::V4(a), IpAddr::V4(b)) if a <= b => Ok(Span::V4(a.to_bits(), b.to_bits())),
        (IpAddr::V6(a), IpAddr::V6(b)) if a <= b => Ok(Span::V6(a.to_bits(), b.to_bits())),
        (a, b) if a.is_ipv4() == b.is_ipv4() => Err(format!("the range ends ({b}) before it begins ({a})")),
        (a, b) => Err(format!("{a} and {b} are not of one kind")),
    }
}

/// A network, a range or an address.
fn one(cell: &str) -> Result<Span, String> {
    let cell = cell.trim();
    let wrong = || format!("'{}' is no network, range or address", cell.chars().take(60).collect::<String>());
    if let Some((a, b)) = cell.split_once('-') {
        return between(a.trim().parse().map_err(|_| wrong())?, b.trim().parse().map_err(|_| wrong())?);
    }
    let Some((address, bits)) = cell.split_once('/') else {
        let address: IpAddr = cell.parse().map_err(|_| wrong())?;
        return between(address, address);
    };
    let bits: u32 = bits.trim().parse().map_err(|_| wrong())?;
    match address.trim().parse().map_err(|_| wrong())? {
        IpAddr::V4(a) if bits <= 32 => {
            let host = u32::MAX.checked_shr(bits).unwrap_or(0);
            Ok(Span::V4(a.to_bits() & !host, a.to_bits() | host))
        }
        IpAddr::V6(a) if bits <= 128 => {
            let host = u128::MAX.checked_shr(bits).unwrap_or(0);
            Ok(Span::V6(a.to_bits() & !host, a.to_bits() | host))
        }
        _ => Err(wrong()),
    }
}

/// An address, or its number.
fn number(cell: &str) -> Option<IpAddr> {
    let cell = cell.trim();
    if let Ok(address) = cell.parse() {
        return Some(address);
    }
    if cell.is_empty() || !cell.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let number: u128 = cell.parse().ok()?;
    Some(match u32::try_from(number) {
        Ok(n) => IpAddr::V4(n.into()),
        Err(_) => IpAddr::V6(number.into()),
    })
}
