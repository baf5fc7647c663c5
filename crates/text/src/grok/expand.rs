//! From a grok pattern to a regular expression with numbered names of groups.

use std::collections::HashMap;

use millstream_types::{Fault, nearest};

use super::library::PATTERNS;
use super::{FieldType, short};

/// Deepest chain of names in patterns of names.
const MAX_DEPTH: usize = 50;
/// Longest expression, in bytes.
const MAX_SIZE: usize = 1 << 18;

pub(super) struct Expanded {
    pub regex: String,
    /// Name and type of the field that group [`group_name`] of each position holds.
    pub fields: Vec<(String, FieldType)>,
}

/// The name of the group of a field: Java allows no `_`, `.` or `[` in names.
pub(super) fn group_name(n: usize) -> String {
    format!("grok{n}")
}

pub(super) fn expand(pattern: &str, definitions: &str) -> Result<Expanded, Fault> {
    let mut own = HashMap::new();
    for line in definitions.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let Some((name, meaning)) = line.split_once(char::is_whitespace) else {
            return Err(Fault::user("bad-grok", format!("the definition '{}' has no pattern", short(line)))
                .hint("a definition is a line of a name, a space and a pattern"));
        };
        own.insert(name, meaning.trim());
    }
    let mut expansion = Expansion { own, out: Expanded { regex: String::new(), fields: Vec::new() } };
    expansion.pattern(pattern, 0)?;
    Ok(expansion.out)
}

struct Expansion<'a> {
    own: HashMap<&'a str, &'a str>,
    out: Expanded,
}

impl<'a> Expansion<'a> {
    fn pattern(&mut self, pattern: &str, depth: usize) -> Result<(), Fault> {
        if depth > MAX_DEPTH {
            return Err(Fault::user("bad-grok", format!("the pattern '{}' leads to itself", short(pattern)))
                .hint("a definition must not use its own name"));
        }
        let mut rest = pattern;
        let mut in_class = false;
        while let Some(c) = rest.chars().next() {
            if self.out.regex.len() > MAX_SIZE {
                return Err(Fault::user(
                    "bad-grok",
                    format!("the grok pattern stands for more than {MAX_SIZE} bytes"),
                )
                .hint("use fewer or shorter definitions"));
            }
            let after = rest.get(c.len_utf8()..).unwrap_or_default();
            if c == '\\' {
                let escaped = after.chars().next().map_or(0, char::len_utf8);
                let (taken, left) = rest.split_at(1 + escaped);
                self.out.regex.push_str(taken);
                rest = left;
                continue;
            }
            if let Some((inner, left)) =
                after.strip_prefix('{').filter(|_| c == '%').and_then(|r| r.split_once('}'))
            {
                self.reference(inner, depth)?;
                rest = left;
                continue;
            }
            let named = rest.strip_prefix("(?<").filter(|r| !in_class && !r.starts_with(['=', '!']));
            if let Some((name, left)) = named.and_then(|r| r.split_once('>')) {
                self.open(name, FieldType::Text);
                rest = left;
                continue;
            }
            match c {
                '[' => in_class = true,
                ']' => in_class = false,
                _ => {}
            }
            self.out.regex.push(c);
            rest = after;
        }
        Ok(())
    }

    /// Opens the group of a field.
    fn open(&mut self, name: &str, kind: FieldType) {
        let group = group_name(self.out.fields.len());
        self.out.regex.push_str(&format!("(?<{group}>"));
        self.out.fields.push((name.to_string(), kind));
    }

    /// `NAME`, `NAME:field` or `NAME:field:type`.
    fn reference(&mut self, inner: &str, depth: usize) -> Result<(), Fault> {
        let mut parts = inner.splitn(3, ':').map(str::trim);
        let name = parts.next().unwrap_or_default();
        let meaning = self.own.get(name).copied().or_else(|| known(name));
        let Some(meaning) = meaning else {
            let fault = Fault::user("bad-grok", format!("there is no grok pattern '{}'", short(name)));
            let names = self.own.keys().copied().chain(PATTERNS.iter().map(|(n, _)| *n));
            return Err(match nearest(name, names) {
                Some(near) => fault.hint(format!("did you mean %{{{near}}}?")),
                None => fault.hint(format!("define it: SET 'grok.pattern.{}' = '...', or a line 'NAME pattern' in GROK's third argument", short(name))),
            });
        };
        match parts.next().filter(|f| !f.is_empty()) {
            None => self.out.regex.push_str("(?:"),
            Some(field) => {
                let kind = match parts.next() {
                    Some("int" | "integer") => FieldType::Int,
                    Some("long") => FieldType::Long,
                    Some("float") => FieldType::Float,
                    Some("double") => FieldType::Double,
                    Some("boolean") => FieldType::Boolean,
                    _ => FieldType::Text,
                };
                self.open(field, kind);
            }
        }
        self.pattern(meaning, depth + 1)?;
        self.out.regex.push(')');
        Ok(())
    }
}

fn known(name: &str) -> Option<&'static str> {
    PATTERNS.iter().find(|(n, _)| *n == name).map(|(_, p)| *p)
}
