//! Finds the ends of records in a growing buffer.

use memchr::{memchr, memchr2, memchr3, memmem};
use millstream_flow::{Framing, RecordSpan};

/// A record that was found.
pub(super) struct Found {
    /// Where it is in the buffer, without its delimiter.
    pub span: RecordSpan,
    /// How many lines it takes.
    pub lines: u64,
}

/// Where the search stands.
pub(super) struct Scanner {
    rule: Rule,
    delimiter: Vec<u8>,
    /// Start of the record that is open.
    start: usize,
    /// Bytes before this are searched; may be behind the data when an escaped byte is still to come.
    scanned: usize,
}

enum Rule {
    Byte(u8),
    Bytes(Box<memmem::Finder<'static>>),
    Quoted {
        quote: u8,
        escape: Option<u8>,
        /// Where it is known, quotes open only behind it (or at the record's start).
        separator: Option<u8>,
        inside: bool,
        lines: u64,
    },
}

impl Rule {
    fn quoted(quote: u8, escape: Option<u8>, separator: Option<u8>) -> Self {
        // The quote as its own escape is the doubled quote, which needs no rule.
        let escape = escape.filter(|e| *e != quote);
        Rule::Quoted { quote, escape, separator, inside: false, lines: 0 }
    }
}

impl Scanner {
    pub fn new(framing: &Framing) -> Self {
        let (rule, delimiter) = match framing {
            Framing::Lines { delimiter } => match delimiter.as_slice() {
                [byte] => (Rule::Byte(*byte), delimiter),
                _ => (Rule::Bytes(Box::new(memmem::Finder::new(delimiter).into_owned())), delimiter),
            },
            Framing::QuotedLines { delimiter, quote, escape } => {
                (Rule::quoted(*quote, *escape, None), delimiter)
            }
            Framing::QuotedFields { delimiter, separator, quote, escape } => {
                (Rule::quoted(*quote, *escape, Some(*separator)), delimiter)
            }
        };
        Scanner { rule, delimiter: delimiter.clone(), start: 0, scanned: 0 }
    }

    /// Start of the record that is open: everything before it is found.
    pub fn start(&self) -> usize {
        self.start
    }

    /// Bytes of the delimiter, with a `\r` that may belong to it.
    pub fn delimiter_length(&self) -> usize {
        self.delimiter.len() + 1
    }

    /// The first `bytes` bytes of the buffer are gone.
    pub fn moved(&mut self, bytes: usize) {
        self.start = self.start.saturating_sub(bytes);
        self.scanned = self.scanned.saturating_sub(bytes);
    }

    /// The next record that ends in `data`.
    pub fn next(&mut self, data: &[u8]) -> Option<Found> {
        let at = self.find(data)?;
        let found = self.found(data, at);
        self.start = at + self.delimiter.len();
        self.scanned = self.start;
        Some(found)
    }

    /// What is left at the end of the stream.
    pub fn last(&mut self, data: &[u8]) -> Option<Found> {
        if data.len() <= self.start {
            return None;
        }
        let found = self.found(data, data.len());
        self.start = data.len();
        self.scanned = data.len();
        Some(found)
    }

    fn found(&mut self, data: &[u8], end: usize) -> Found {
        let mut behind = end;
        if self.delimiter == b"\n" && behind > self.start && data.get(behind - 1) == Some(&b'\r') {
            behind -= 1;
        }
        let lines = match &mut self.rule {
            Rule::Quoted { lines, inside, .. } => {
                *inside = false;
                1 + std::mem::take(lines)
            }
            _ => 1,
        };
        Found { span: RecordSpan { start: self.start as u32, end: behind as u32 }, lines }
    }

    /// Where the next delimiter begins.
    fn find(&mut self, data: &[u8]) -> Option<usize> {
        let rest = data.get(self.scanned..)?;
        match &mut self.rule {
            Rule::Byte(byte) => {
                let at = memchr(*byte, rest).map(|at| self.scanned + at);
                if at.is_none() {
                    self.scanned = data.len();
                }
                at
            }
            Rule::Bytes(finder) => {
                let at = finder.find(rest).map(|at| self.scanned + at);
                if at.is_none() {
                    // The end of the data may be the beginning of a delimiter.
                    let back = self.delimiter.len().saturating_sub(1);
                    self.scanned = data.len().saturating_sub(back).max(self.scanned);
                }
                at
            }
            Rule::Quoted { quote, escape, separator, inside, lines } => {
                let first = self.delimiter.first().copied().unwrap_or(b'\n');
                let last = self.delimiter.last().copied().unwrap_or(b'\n');
                loop {
                    let rest = data.get(self.scanned..)?;
                    let hit = if *inside {
                        memchr3(*quote, escape.unwrap_or(*quote), last, rest)
                    } else {
                        memchr2(*quote, first, rest)
                    };
                    let Some(at) = hit.map(|at| self.scanned + at) else {
                        self.scanned = data.len();
                        return None;
                    };
                    let byte = data.get(at).copied().unwrap_or(0);
                    if byte == *quote && *inside {
                        match data.get(at + 1) {
                            // A doubled quote may be cut in two here.
                            None => {
                                self.scanned = at;
                                return None;
                            }
                            Some(next) if next == quote => {
                                self.scanned = at + 2;
                                continue;
                            }
                            Some(_) => *inside = false,
                        }
                    } else if byte == *quote {
                        let before = at.checked_sub(1).filter(|_| at > self.start).and_then(|i| data.get(i));
                        *inside = separator.is_none_or(|s| before.is_none_or(|b| *b == s));
                    } else if *inside && Some(byte) == *escape {
                        self.scanned = at + 2;
                        continue;
                    } else if *inside {
                        *lines += 1;
                    } else {
                        let tail = data.get(at..).unwrap_or_default();
                        if tail.starts_with(&self.delimiter) {
                            return Some(at);
                        }
                        if self.delimiter.starts_with(tail) {
                            self.scanned = at;
                            return None;
                        }
                    }
                    self.scanned = at + 1;
                }
            }
        }
    }
}
