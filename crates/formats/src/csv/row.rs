//! Finding the fields of a row, as Jackson's CSV reader does.

use super::options::CsvOptions;

/// A field as it stands: its text's place, and whether it has to be rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// Of a quoted field the inside.
    pub start: usize,
    pub end: usize,
    pub quoted: bool,
    /// Whether it has doubled quotes or escapes.
    pub rewrite: bool,
}

impl Found {
    /// The field's text: in the data, or rewritten into `room`.
    pub fn text<'a>(&self, options: &CsvOptions, data: &'a [u8], room: &'a mut Vec<u8>) -> &'a [u8] {
        let raw = data.get(self.start..self.end).unwrap_or_default();
        if !self.rewrite {
            return raw;
        }
        room.clear();
        rewrite(options, raw, self.quoted, room);
        room
    }
}

/// Why a row is no CSV, with the place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wrong {
    pub at: usize,
    pub what: &'static str,
}

/// The fields of the row that begins at `at`, into `fields`; gives where the next row begins. A row ends at a line break outside
/// quotes, or at `end`.
pub(super) fn fields(
    options: &CsvOptions,
    data: &[u8],
    at: usize,
    end: usize,
    fields: &mut Vec<Found>,
) -> Result<usize, Wrong> {
    fields.clear();
    let data = data.get(..end).unwrap_or(data);
    let byte = |at: usize| data.get(at).copied();
    let mut at = at;
    loop {
        let mut begin = at;
        if options.trim {
            while byte(begin).is_some_and(|b| b == b' ' || (b == b'\t' && options.delimiter != b'\t')) {
                begin += 1;
            }
        }
        if options.quote.is_some() && byte(begin) == options.quote {
            let (field, behind) = quoted(options, data, begin)?;
            fields.push(field);
            at = behind;
        } else {
            let mut rewrite = false;
            let rest = data.get(begin..).unwrap_or_default();
            let mut here = match options.escape {
                Some(_) => begin,
                None => memchr::memchr3(options.delimiter, b'\n', b'\r', rest).map_or(end, |i| begin + i),
            };
            while let Some(b) = byte(here) {
                if b == options.delimiter || matches!(b, b'\n' | b'\r') {
                    break;
                }
                if Some(b) == options.escape {
                    rewrite = true;
                    here += 1;
                    if here >= end {
                        return Err(Wrong { at: here, what: "an escaped character is missing" });
                    }
                }
                here += 1;
            }
            at = here.min(end);
            let mut stop = at;
            if options.trim {
                while stop > begin && data.get(stop - 1).is_some_and(|b| *b <= b' ') {
                    stop -= 1;
                }
            }
            fields.push(Found { start: begin, end: stop, quoted: false, rewrite });
        }
        match byte(at) {
            Some(b) if b == options.delimiter => at += 1,
            Some(b'\r') if byte(at + 1) == Some(b'\n') => return Ok(at + 2),
            Some(_) => return Ok(at + 1),
            None => return Ok(end),
        }
    }
}

/// The quoted field that begins at `open`, and where the delimiter or line break behind it is.
fn quoted(options: &CsvOptions, data: &[u8], open: usize) -> Result<(Found, usize), Wrong> {
    let quote = options.quote.unwrap_or(b'"');
    let mut rewrite = false;
    let mut at = open + 1;
    let escape = options.escape.unwrap_or(quote);
    loop {
        let rest = data.get(at..).unwrap_or_default();
        at += memchr::memchr2(quote, escape, rest).unwrap_or(rest.len());
        match data.get(at) {
            None => return Err(Wrong { at: open, what: "a closing quote is missing" }),
            Some(b) if Some(*b) == options.escape && *b != quote => {
                rewrite = true;
                at += 2;
            }
            Some(b) if *b == quote => {
                if data.get(at + 1) == Some(&quote) {
                    rewrite = true;
                    at += 2;
                    continue;
                }
                break;
            }
            Some(_) => at += 1,
        }
    }
    let field = Found { start: open + 1, end: at, quoted: true, rewrite };
    let mut behind = at + 1;
    loop {
        match data.get(behind) {
            Some(b) if *b == options.delimiter || matches!(b, b'\n' | b'\r') => break,
            None => break,
            Some(b) if *b <= b' ' => behind += 1,
            Some(_) => return Err(Wrong { at: behind, what: "a delimiter is missing behind a quote" }),
        }
    }
    Ok((field, behind))
}

/// Appends a field's text where it has doubled quotes or escapes.
fn rewrite(options: &CsvOptions, raw: &[u8], quoted: bool, out: &mut Vec<u8>) {
    let mut rest = raw;
    while let [b, tail @ ..] = rest {
        rest = tail;
        if Some(*b) == options.escape {
            if let [c, tail @ ..] = rest {
                out.push(match c {
                    b'0' => 0,
                    b'n' => b'\n',
                    b'r' => b'\r',
                    b't' => b'\t',
                    other => *other,
                });
                rest = tail;
            }
            continue;
        }
        out.push(*b);
        if quoted
            && Some(*b) == options.quote
            && let [c, tail @ ..] = rest
            && c == b
        {
            rest = tail;
        }
    }
}
