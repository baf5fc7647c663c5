//! The one public error of the product.

use std::error::Error;
use std::fmt;

use crate::Span;

/// Whose move it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// The text, an option or the data is wrong; the user changes it.
    User,
    /// Flink has it, Millstream does not yet. Never counts as an answer.
    NotYet,
    /// Something outside: a disk, a broker, a database.
    External,
    /// A mistake in Millstream.
    Internal,
}

/// Whether trying the same again can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Retry {
    /// It fails the same way every time.
    Never,
    /// It may pass later.
    Backoff,
}

/// An error as a user sees it: what happened, where, and what to do. Small (one pointer), so that results stay cheap.
#[derive(Clone, PartialEq, Eq)]
pub struct Fault(Box<Inner>);

#[derive(Clone, PartialEq, Eq)]
struct Inner {
    kind: FaultKind,
    retry: Retry,
    code: &'static str,
    message: String,
    span: Option<Span>,
    place: Option<String>,
    hint: Option<String>,
}

impl Fault {
    /// A fault of a kind. `code` is a short stable word of the error index (`parse`, `unknown-table`, `bad-record`, …).
    pub fn new(kind: FaultKind, code: &'static str, message: impl Into<String>) -> Self {
        Fault(Box::new(Inner {
            kind,
            retry: Retry::Never,
            code,
            message: message.into(),
            span: None,
            place: None,
            hint: None,
        }))
    }

    /// The user's text, option or data is wrong.
    pub fn user(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(FaultKind::User, code, message)
    }

    /// Flink has it, this version does not: "not supported yet: …".
    pub fn not_yet(what: impl fmt::Display) -> Self {
        Self::new(FaultKind::NotYet, "not-yet", format!("not supported yet: {what}"))
    }

    /// Something outside the process failed.
    pub fn external(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(FaultKind::External, code, message)
    }

    /// A mistake in Millstream.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(FaultKind::Internal, "internal", message)
    }

    /// Sets the place in the statement's text, if none is set yet (the innermost place is the best one).
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        if self.0.span.is_none() {
            self.0.span = Some(span);
        }
        self
    }

    /// Moves the place by a number of bytes: from a statement to the text that holds it.
    #[must_use]
    pub fn shifted(mut self, by: usize) -> Self {
        if let Some(s) = self.0.span {
            self.0.span = Some(Span::new(s.start as usize + by, s.end as usize + by));
        }
        self
    }

    /// Sets a place outside the text: a file and line, a topic and offset, an option. Further places are put in front
    /// (`orders.jsonl line 7: field 'id'`).
    #[must_use]
    pub fn in_place(mut self, place: impl fmt::Display) -> Self {
        self.0.place = Some(match self.0.place.take() {
            Some(inner) => format!("{place}: {inner}"),
            None => place.to_string(),
        });
        self
    }

    /// Says what to do about it, if nothing is said yet.
    #[must_use]
    pub fn hint(mut self, hint: impl fmt::Display) -> Self {
        if self.0.hint.is_none() {
            self.0.hint = Some(hint.to_string());
        }
        self
    }

    /// Says that trying again may help.
    #[must_use]
    pub fn retryable(mut self) -> Self {
        self.0.retry = Retry::Backoff;
        self
    }

    /// Whose move it is.
    pub fn kind(&self) -> FaultKind {
        self.0.kind
    }

    /// Whether trying again may help.
    pub fn retry(&self) -> Retry {
        self.0.retry
    }

    /// The word in the error index.
    pub fn code(&self) -> &'static str {
        self.0.code
    }

    /// What happened, without place and hint.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The place in the statement's text.
    pub fn span(&self) -> Option<Span> {
        self.0.span
    }

    /// The place outside the text.
    pub fn place(&self) -> Option<&str> {
        self.0.place.as_deref()
    }

    /// What to do about it.
    pub fn remedy(&self) -> Option<&str> {
        self.0.hint.as_deref()
    }

    /// The whole message for a person: `origin` names the text (a file), the line is shown with carets below the place.
    pub fn render(&self, origin: &str, text: &str) -> String {
        let mut out = format!("error: {}\n", self.0.message);
        if let Some(place) = &self.0.place {
            out.push_str(&format!("  in {place}\n"));
        }
        if let Some(span) = self.0.span {
            let (line, column) = span.line_column(text);
            out.push_str(&format!(" --> {origin}:{line}:{column}\n"));
            let source = text.lines().nth(line - 1).unwrap_or("").replace('\t', " ");
            let number = line.to_string();
            let pad = " ".repeat(number.len());
            let width = text
                .get(span.start as usize..(span.end as usize).min(text.len()))
                .map_or(1, |s| s.lines().next().unwrap_or("").chars().count())
                .max(1);
            // A line of a generated rule can be hundreds of kilobytes: show a window of it.
            let (shown, offset) = window(&source, column - 1, width);
            let carets = "^".repeat(width.min(shown.chars().count().saturating_sub(offset)).max(1));
            out.push_str(&format!("{pad} |\n{number} | {shown}\n{pad} | {}{carets}\n", " ".repeat(offset)));
        }
        if let Some(hint) = &self.0.hint {
            out.push_str(&format!("help: {hint}\n"));
        }
        out
    }
}

/// A part of `line` of at most 160 characters around `column`, and where `column` is in it.
fn window(line: &str, column: usize, width: usize) -> (String, usize) {
    const MOST: usize = 160;
    if line.chars().count() <= MOST {
        return (line.to_string(), column);
    }
    let from = column.saturating_sub(MOST.saturating_sub(width.min(MOST)) / 2);
    let mut shown: String = line.chars().skip(from).take(MOST).collect();
    let mut offset = column - from;
    if from > 0 {
        shown.insert_str(0, "...");
        offset += 3;
    }
    if line.chars().count() > from + MOST {
        shown.push_str("...");
    }
    (shown, offset)
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(place) = &self.0.place {
            write!(f, "{place}: ")?;
        }
        f.write_str(&self.0.message)?;
        if let Some(hint) = &self.0.hint {
            write!(f, " ({hint})")?;
        }
        Ok(())
    }
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fault[{:?} {} {:?}] {}", self.0.kind, self.0.code, self.0.span, self)
    }
}

impl Error for Fault {}

/// The candidate nearest to a misspelt name (case does not count), if one is near enough to suggest.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // Nobody misspells names this long, and the comparison takes time that grows with them.
    if name.len() > 200 {
        return None;
    }
    let wanted: Vec<char> = name.to_lowercase().chars().collect();
    let allowed = (wanted.len() / 3).max(1);
    candidates
        .into_iter()
        .map(|c| (distance(&wanted, &c.to_lowercase().chars().collect::<Vec<_>>()), c))
        .filter(|(d, _)| *d <= allowed)
        .min_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.cmp(b.1)))
        .map(|(_, c)| c)
}

/// Edit distance with swaps of neighbours counted as one (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let at = |v: &[usize], k: usize| v.get(k).copied().unwrap_or(usize::MAX - 1);
            let mut best =
                (at(&last, j) + usize::from(x != y)).min(at(&last, j + 1) + 1).min(at(&row, j) + 1);
            if i > 0 && j > 0 && a.get(i - 1) == Some(y) && b.get(j - 1) == Some(x) {
                best = best.min(at(&before, j - 1) + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().unwrap_or(a.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renders_line_and_carets() {
        let text = "SELECT a\nFROM orderz";
        let f = Fault::user("unknown-table", "table 'orderz' does not exist")
            .at(Span::new(14, 20))
            .hint("did you mean 'orders'?");
        let out = f.render("job.sql", text);
        assert!(out.contains("job.sql:2:6"), "{out}");
        assert!(out.contains("2 | FROM orderz\n  |      ^^^^^^"), "{out}");
        assert!(out.contains("help: did you mean 'orders'?"), "{out}");
    }

    #[test]
    fn long_lines_are_windowed() {
        let text = format!("SELECT {}oops{}", "a".repeat(5000), "b".repeat(5000));
        let out = Fault::user("parse", "x").at(Span::new(5007, 5011)).render("t", &text);
        assert!(out.lines().all(|l| l.len() < 200), "{out}");
        assert!(out.contains("oops"));
    }

    #[test]
    fn suggests_near_names_only() {
        assert_eq!(nearest("formt", ["path", "format", "connector"]), Some("format"));
        assert_eq!(nearest("pth", ["path", "format"]), Some("path"));
        assert_eq!(nearest("whatever", ["path", "format"]), None);
    }
}
