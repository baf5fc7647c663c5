//! Taking a line apart. Nothing is copied: a line is places in its bytes.

use super::time::{Stamp, bsd, iso};

/// A place in the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    pub start: usize,
    pub end: usize,
}

/// The parts of a line; what it does not have is `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Line {
    pub priority: Option<u8>,
    pub time: Option<Place>,
    pub stamp: Option<Stamp>,
    pub hostname: Option<Place>,
    pub app_name: Option<Place>,
    pub procid: Option<Place>,
    pub msgid: Option<Place>,
    pub structured: Option<Place>,
    pub message: Option<Place>,
}

/// Why a line is no syslog, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wrong {
    pub what: &'static str,
    pub at: usize,
}

/// The line without what its end may have: CR, LF, NUL.
pub(super) fn without_end(bytes: &[u8]) -> &[u8] {
    let mut line = bytes;
    while let [rest @ .., b'\r' | b'\n' | 0] = line {
        line = rest;
    }
    line
}

/// Takes a line (without its end) apart.
pub(super) fn parse(line: &[u8]) -> Result<Line, Wrong> {
    let mut out = Line::default();
    let mut at = 0;
    if line.first() == Some(&b'<')
        && let Some((priority, end)) = priority(line)
    {
        out.priority = Some(priority);
        at = end;
    }
    if line.get(at..at + 2) == Some(b"1 ") && (out.priority.is_some() || iso(line, at + 2).is_some()) {
        new_form(line, at + 2, &mut out)?;
    } else {
        old_form(line, at, &mut out)?;
    }
    Ok(out)
}

/// `<PRI>`: the number and where it ends.
fn priority(line: &[u8]) -> Option<(u8, usize)> {
    let close = line.iter().take(5).position(|b| *b == b'>')?;
    let digits = line.get(1..close).filter(|d| !d.is_empty() && d.iter().all(u8::is_ascii_digit))?;
    let value = digits.iter().fold(0u32, |v, d| v * 10 + u32::from(d - b'0'));
    u8::try_from(value).ok().filter(|v| *v <= 191).map(|v| (v, close + 1))
}

/// Where the word at `at` ends.
fn word(line: &[u8], at: usize) -> usize {
    memchr::memchr(b' ', line.get(at..).unwrap_or_default()).map_or(line.len(), |i| at + i)
}

/// RFC 5424, behind the version.
fn new_form(line: &[u8], mut at: usize, out: &mut Line) -> Result<(), Wrong> {
    let place =
        |start: usize, end: usize| (line.get(start..end) != Some(b"-")).then_some(Place { start, end });
    let next = |at: usize| -> Result<(usize, usize), Wrong> {
        let end = word(line, at);
        if end == at {
            return Err(Wrong { what: "a part of the header is missing", at });
        }
        Ok((end, (end + 1).min(line.len())))
    };
    let (end, behind) = next(at)?;
    if let Some(time) = place(at, end) {
        let (stamp, stop) =
            iso(line, at).filter(|(_, stop)| *stop == end).ok_or(Wrong { what: "this is no time", at })?;
        debug_assert_eq!(stop, end);
        (out.time, out.stamp) = (Some(time), Some(stamp));
    }
    at = behind;
    for part in [&mut out.hostname, &mut out.app_name, &mut out.procid, &mut out.msgid] {
        let (end, behind) = next(at)?;
        *part = place(at, end);
        at = behind;
    }
    let end = structured(line, at)?;
    out.structured = place(at, end);
    if end < line.len() {
        let mut start = end + 1;
        // The mark of UTF-8 is no part of the message.
        if line.get(start..start + 3) == Some(b"\xEF\xBB\xBF") {
            start += 3;
        }
        out.message = Some(Place { start, end: line.len() });
    }
    Ok(())
}

/// Where the structured data at `at` end.
fn structured(line: &[u8], at: usize) -> Result<usize, Wrong> {
    let closed = |end: usize| line.get(end).is_none_or(|b| *b == b' ');
    if line.get(at) == Some(&b'-') && closed(at + 1) {
        return Ok(at + 1);
    }
    let mut walk = Elements { line, at };
    while walk.element()?.is_some() {
        while walk.parameter()?.is_some() {}
    }
    if walk.at == at || !closed(walk.at) {
        return Err(Wrong { what: "these are no structured data", at: walk.at });
    }
    Ok(walk.at)
}

/// A walk over structured data: elements, and the parameters of each.
pub(super) struct Elements<'a> {
    pub line: &'a [u8],
    pub at: usize,
}

impl Elements<'_> {
    fn wrong<T>(&self) -> Result<T, Wrong> {
        Err(Wrong { what: "these are no structured data", at: self.at })
    }

    /// The next element's name; `None` behind the last one.
    pub fn element(&mut self) -> Result<Option<Place>, Wrong> {
        if self.line.get(self.at) != Some(&b'[') {
            return Ok(None);
        }
        self.at += 1;
        self.name(b"] ").map(Some)
    }

    fn name(&mut self, ends: &[u8]) -> Result<Place, Wrong> {
        let start = self.at;
        while self.line.get(self.at).is_some_and(|b| *b > b' ' && *b != b'"' && !ends.contains(b)) {
            self.at += 1;
        }
        if self.at == start { self.wrong() } else { Ok(Place { start, end: self.at }) }
    }

    /// The next parameter of the element: its name, and its value as it is written; `None` behind the last one.
    pub fn parameter(&mut self) -> Result<Option<(Place, Place)>, Wrong> {
        while self.line.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        if self.line.get(self.at) == Some(&b']') {
            self.at += 1;
            return Ok(None);
        }
        let name = self.name(b"=] ")?;
        if self.line.get(self.at..self.at + 2) != Some(b"=\"") {
            return self.wrong();
        }
        self.at += 2;
        let start = self.at;
        loop {
            match self.line.get(self.at) {
                None => return self.wrong(),
                Some(b'\\') => self.at += 2,
                Some(b'"') => break,
                Some(_) => self.at += 1,
            }
        }
        let value = Place { start, end: self.at };
        self.at += 1;
        Ok(Some((name, value)))
    }
}

/// RFC 3164, and what is written like it.
fn old_form(line: &[u8], mut at: usize, out: &mut Line) -> Result<(), Wrong> {
    let begin = at;
    let skip = |mut at: usize| {
        while line.get(at) == Some(&b' ') {
            at += 1;
        }
        at
    };
    at = skip(at);
    // Routers mark times that are not set or not in step with a star or a dot.
    let marked = at + usize::from(matches!(line.get(at), Some(b'*' | b'.')));
    match bsd(line, marked).or_else(|| iso(line, marked)) {
        Some((stamp, end)) if line.get(end).is_none_or(|b| matches!(b, b' ' | b':')) => {
            out.time = Some(Place { start: marked, end });
            out.stamp = Some(stamp);
            at = skip(end + usize::from(line.get(end) == Some(&b':')));
        }
        _ if out.priority.is_some() => at = begin,
        _ => return Err(Wrong { what: "neither a priority nor a time begins the line", at: 0 }),
    }
    // A name that is a tag by its looks is none of a host; without a time there is no host either.
    if out.stamp.is_some() && at < line.len() && tag(line, at).is_none() {
        let end = word(line, at);
        if end > at {
            out.hostname = Some(Place { start: at, end });
        }
        at = skip(end);
    }
    if let Some(tag) = tag(line, at) {
        out.app_name = Some(tag.name);
        out.procid = tag.procid;
        at = tag.end + usize::from(line.get(tag.end) == Some(&b' '));
    }
    out.message = Some(Place { start: at.min(line.len()), end: line.len() });
    Ok(())
}

/// The name of a program with its process.
struct Tag {
    name: Place,
    procid: Option<Place>,
    /// Behind the colon.
    end: usize,
}

/// `name:`, `name[process]:` or `name[process]` and a space.
fn tag(line: &[u8], at: usize) -> Option<Tag> {
    let mut end = at;
    loop {
        match line.get(end) {
            // A colon within a name (`a::b`) or an address (`fe80::1`) ends none.
            Some(b':') if end > at && line.get(end + 1).is_none_or(|b| *b == b' ') => {
                return Some(Tag { name: Place { start: at, end }, procid: None, end: end + 1 });
            }
            Some(b'[') if end > at => break,
            Some(b' ') | None => return None,
            Some(_) => end += 1,
        }
    }
    let close = end + line.get(end..)?.iter().take(64).position(|b| matches!(b, b']' | b' '))?;
    if line.get(close) != Some(&b']') {
        return None;
    }
    let behind = match line.get(close + 1) {
        Some(b':') => close + 2,
        Some(b' ') | None => close + 1,
        Some(_) => return None,
    };
    let inside = Place { start: end + 1, end: close };
    let procid = (inside.end > inside.start).then_some(inside);
    Some(Tag { name: Place { start: at, end }, procid, end: behind })
}
