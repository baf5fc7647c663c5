//! Grok: lines taken apart by patterns with names, `%{IP:client} %{WORD:verb}`.
//!
//! `%{NAME}` stands for a pattern of the [library](library::PATTERNS), `%{NAME:field}` also keeps what it matched as a field, and
//! `%{NAME:field:type}` says which type the field has. Everything else is a regular expression of Java, whose named groups
//! `(?<field>…)` are fields, too. A pattern is looked for anywhere in a line, as grok does elsewhere. The library has the usual
//! names; its expressions are written so that they run in linear time, and quoted fields of the log formats come without their
//! quotes.

mod expand;
mod library;
#[cfg(test)]
mod tests;

use millstream_types::Fault;

use crate::regex::{Locations, Pattern};

pub use library::PATTERNS;

/// The type that a field was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FieldType {
    /// None, or a name that means text.
    Text,
    /// `int`, `integer`
    Int,
    /// `long`
    Long,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `boolean`
    Boolean,
}

/// A field of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// Its type; of several places with one name the first one's.
    pub kind: FieldType,
    /// The groups that hold it: the first one that took part counts.
    groups: Vec<usize>,
}

/// A compiled grok pattern.
#[derive(Clone)]
pub struct Grok {
    pattern: Pattern,
    fields: Vec<Field>,
}

impl std::fmt::Debug for Grok {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Grok({})", self.pattern.as_str())
    }
}

impl Grok {
    /// Compiles a pattern. `definitions` are further named patterns, one a line: a name, white space, a pattern; they come before
    /// the library's.
    ///
    /// # Errors
    /// User (`bad-grok`): an unknown name, names that lead to themselves, no field, or what is no regular expression.
    pub fn compile(pattern: &str, definitions: &str) -> Result<Self, Fault> {
        let expanded = expand::expand(pattern, definitions)?;
        let compiled = Pattern::compile(&expanded.regex).map_err(|e| {
            Fault::user(
                "bad-grok",
                format!("the grok pattern '{}' is no regular expression: {e}", short(pattern)),
            )
            .hint("write special characters with a backslash: \\[ \\] \\( \\)")
        })?;
        let index = |name: &str| compiled.group_names().iter().find(|(n, _)| n == name).map(|(_, i)| *i);
        let mut fields: Vec<Field> = Vec::new();
        for (n, (name, kind)) in expanded.fields.into_iter().enumerate() {
            let Some(group) = index(&expand::group_name(n)) else { continue };
            match fields.iter_mut().find(|f| f.name == name) {
                Some(known) => known.groups.push(group),
                None => fields.push(Field { name, kind, groups: vec![group] }),
            }
        }
        if fields.is_empty() {
            return Err(Fault::user(
                "bad-grok",
                format!("the grok pattern '{}' names no field", short(pattern)),
            )
            .hint("write %{NAME:field}, for instance %{IP:client}"));
        }
        Ok(Grok { pattern: compiled, fields })
    }

    /// The fields in the order of their first places.
    pub fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// The regular expression that the pattern stands for.
    pub fn regex(&self) -> &Pattern {
        &self.pattern
    }

    /// Room for [`Grok::read`], to be used from line to line.
    pub fn locations(&self) -> Locations {
        self.pattern.locations()
    }

    /// Looks for the pattern in a line; [`Field::of`] then gives the fields.
    ///
    /// # Errors
    /// User, when a pattern with look-around or back-references takes too many steps.
    pub fn read(&self, line: &str, into: &mut Locations) -> Result<bool, Fault> {
        self.pattern.captures_at(line, 0, into)
    }
}

impl Field {
    /// The field's text in a line that was read; `None` when its places took no part.
    pub fn of<'t>(&self, line: &'t str, at: &Locations) -> Option<&'t str> {
        let (from, to) = self.groups.iter().find_map(|g| at.get(*g))?;
        line.get(from..to)
    }
}

/// The first characters of a pattern, for messages.
fn short(pattern: &str) -> String {
    pattern.chars().take(100).collect()
}
