//! Names, options and types as they are written.

use std::fmt;

use millstream_types::{DataType, Span};

/// One identifier. Flink's identifiers are case-sensitive, so the text is kept as it is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ident {
    /// The name without its quotes; doubled backticks are undone.
    pub value: String,
    /// Whether it stood in backticks.
    pub quoted: bool,
    /// Its place, quotes included.
    pub span: Span,
}

impl fmt::Display for Ident {
    /// The name in backticks, as Flink prints it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.value.replace('`', "``"))
    }
}

/// The name of a table, function or other object: 1 to 3 parts (catalog, database, object).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ObjectName {
    /// The parts, never empty.
    pub parts: Vec<Ident>,
    /// From the first to the last part.
    pub span: Span,
}

impl ObjectName {
    /// The last part.
    pub fn last(&self) -> &str {
        self.parts.last().map_or("", |p| p.value.as_str())
    }

    /// The parts without places.
    pub fn texts(&self) -> Vec<&str> {
        self.parts.iter().map(|p| p.value.as_str()).collect()
    }
}

impl fmt::Display for ObjectName {
    /// The parts in backticks with dots between.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, part) in self.parts.iter().enumerate() {
            if i > 0 {
                f.write_str(".")?;
            }
            part.fmt(f)?;
        }
        Ok(())
    }
}

/// A type as it is written in a column, a CAST or a RETURNING clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TypeName {
    /// The type it names.
    pub data_type: DataType,
    /// Its place, `NOT NULL` included.
    pub span: Span,
}

/// A character string with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text without quotes; doubled quotes are undone.
    pub value: String,
    /// Its place, quotes included.
    pub span: Span,
}

/// `'key' = 'value'` of a WITH, SET or hint; Blink also writes `key = 'value'`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionEntry {
    /// The key.
    pub key: Text,
    /// The value.
    pub value: Text,
}

/// One hint of `/*+ … */`: kept, whether or not anyone knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hint {
    /// Its name as written; hint names do not depend on case.
    pub name: Ident,
    /// What stands in its parentheses.
    pub args: Vec<HintArg>,
    /// Its place.
    pub span: Span,
}

impl Hint {
    /// Whether this is the hint of that name.
    pub fn is(&self, name: &str) -> bool {
        self.name.value.eq_ignore_ascii_case(name)
    }
}

/// An argument of a hint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HintArg {
    /// `'key' = 'value'` or `key = 'value'`.
    Option(OptionEntry),
    /// A table or query block: `BROADCAST(t)`.
    Name(ObjectName),
    /// A string or number.
    Literal(Text),
}
