//! Going through all matches: replacing, splitting, counting, as `java.util.regex.Matcher` and `String.split` do.

use std::borrow::Cow;

use millstream_types::Fault;

use super::{Found, Locations, Pattern};

/// The matches of a pattern in a text, from left to right. As in Java, an empty match right after another match counts.
pub struct Matches<'p, 't> {
    pattern: &'p Pattern,
    text: &'t str,
    next: usize,
    last: usize,
    done: bool,
}

impl Iterator for Matches<'_, '_> {
    type Item = Result<Found, Fault>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        match self.pattern.find_from(self.text, self.next, self.last) {
            Ok(Some(found)) => {
                (self.next, self.last) = (after(self.text, found), found.1);
                Some(Ok(found))
            }
            Ok(None) => {
                self.done = true;
                None
            }
            Err(e) => {
                self.done = true;
                Some(Err(e))
            }
        }
    }
}

/// Where the search after a match begins: at its end, and a character further if it was empty.
fn after(text: &str, (start, end): Found) -> usize {
    if start < end {
        return end;
    }
    end + text.get(end..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8)
}

impl Pattern {
    /// All matches.
    pub fn find_all<'p, 't>(&'p self, text: &'t str) -> Matches<'p, 't> {
        Matches { pattern: self, text, next: 0, last: 0, done: false }
    }

    /// Calls `each` with the groups of every match, until it says `false`.
    pub fn captures_all(
        &self,
        text: &str,
        into: &mut Locations,
        mut each: impl FnMut(&Locations) -> bool,
    ) -> Result<(), Fault> {
        let (mut next, mut last) = (0, 0);
        while self.captures_from(text, next, last, into)? {
            let Some(found) = into.get(0) else { break };
            (next, last) = (after(text, found), found.1);
            if !each(into) {
                break;
            }
        }
        Ok(())
    }

    /// Number of matches.
    pub fn count(&self, text: &str) -> Result<usize, Fault> {
        self.find_all(text).try_fold(0, |n, m| m.map(|_| n + 1))
    }

    /// Replaces every match by a text, taken literally (Flink's REGEXP_REPLACE).
    pub fn replace_all<'t>(&self, text: &'t str, literal: &str) -> Result<Cow<'t, str>, Fault> {
        let mut out: Option<String> = None;
        let mut copied = 0;
        for found in self.find_all(text) {
            let (start, end) = found?;
            let out = out.get_or_insert_with(|| String::with_capacity(text.len()));
            out.push_str(text.get(copied..start).unwrap_or_default());
            out.push_str(literal);
            copied = end;
        }
        Ok(finish(text, out, copied))
    }

    /// Replaces every match as `Matcher.replaceAll` does: `$1` and `${name}` are groups, a backslash quotes. A bad reference
    /// is an error only where there is a match, as in Java.
    pub fn replace_all_groups<'t>(&self, text: &'t str, replacement: &str) -> Result<Cow<'t, str>, Fault> {
        let mut out: Option<String> = None;
        let mut copied = 0;
        let mut parts: Option<Vec<Part>> = None;
        let mut locations = self.locations();
        let (mut next, mut last) = (0, 0);
        while self.captures_from(text, next, last, &mut locations)? {
            let Some(found) = locations.get(0) else { break };
            (next, last) = (after(text, found), found.1);
            let parts = match &mut parts {
                Some(parts) => parts,
                None => parts.insert(self.parts(replacement)?),
            };
            let out = out.get_or_insert_with(|| String::with_capacity(text.len()));
            out.push_str(text.get(copied..found.0).unwrap_or_default());
            for part in parts {
                match part {
                    Part::Text(t) => out.push_str(t),
                    Part::Group(i) => {
                        if let Some((start, end)) = locations.get(*i) {
                            out.push_str(text.get(start..end).unwrap_or_default());
                        }
                    }
                }
            }
            copied = found.1;
        }
        Ok(finish(text, out, copied))
    }

    /// Cuts as `String.split(regex)` does: no empty first part for an empty match at the start, no empty parts at the end.
    pub fn split<'t>(&self, text: &'t str) -> Result<Vec<&'t str>, Fault> {
        let mut parts = Vec::new();
        let mut from = 0;
        let mut any = false;
        for found in self.find_all(text) {
            let (start, end) = found?;
            if from == 0 && start == 0 && end == 0 {
                continue;
            }
            any = true;
            parts.push(text.get(from..start).unwrap_or_default());
            from = end;
        }
        if !any {
            return Ok(vec![text]);
        }
        parts.push(text.get(from..).unwrap_or_default());
        while parts.last().is_some_and(|p| p.is_empty()) {
            parts.pop();
        }
        Ok(parts)
    }

    fn parts(&self, replacement: &str) -> Result<Vec<Part>, Fault> {
        let bad = |message: String| Err(Fault::user("bad-replacement", message));
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut chars = replacement.chars().peekable();
        while let Some(c) = chars.next() {
            let group = match c {
                '\\' => match chars.next() {
                    Some(c) => {
                        text.push(c);
                        continue;
                    }
                    None => return bad("character to be escaped is missing".to_string()),
                },
                '$' => match chars.next() {
                    None => return bad("Illegal group reference: group index is missing".to_string()),
                    Some('{') => {
                        let mut name = String::new();
                        while let Some(c) = chars.next_if(char::is_ascii_alphanumeric) {
                            name.push(c);
                        }
                        if name.is_empty() || chars.next() != Some('}') {
                            return bad("named capturing group is missing trailing '}'".to_string());
                        }
                        if name.starts_with(|c: char| c.is_ascii_digit()) {
                            return bad(format!(
                                "capturing group name {{{name}}} starts with digit character"
                            ));
                        }
                        match self.group_names().iter().find(|(n, _)| *n == name) {
                            Some((_, i)) => *i,
                            None => return bad(format!("No group with name {{{name}}}")),
                        }
                    }
                    Some(c) => {
                        let Some(digit) = c.to_digit(10) else {
                            return bad("Illegal group reference".to_string());
                        };
                        let mut group = digit as usize;
                        while let Some(more) = chars.peek().and_then(|c| c.to_digit(10)) {
                            let longer = group * 10 + more as usize;
                            if longer > self.group_count() {
                                break;
                            }
                            group = longer;
                            chars.next();
                        }
                        if group > self.group_count() {
                            return bad(format!("No group {group}"));
                        }
                        group
                    }
                },
                c => {
                    text.push(c);
                    continue;
                }
            };
            parts.push(Part::Text(std::mem::take(&mut text)));
            parts.push(Part::Group(group));
        }
        parts.push(Part::Text(text));
        Ok(parts)
    }
}

/// A part of a replacement.
enum Part {
    Text(String),
    Group(usize),
}

fn finish(text: &str, out: Option<String>, copied: usize) -> Cow<'_, str> {
    match out {
        None => Cow::Borrowed(text),
        Some(mut out) => {
            out.push_str(text.get(copied..).unwrap_or_default());
            Cow::Owned(out)
        }
    }
}
