//! What is wrong with a pattern.

use std::fmt;

use millstream_types::{Fault, FaultKind};

/// A pattern that Java 17 refuses, or that is not supported here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternError {
    /// What is wrong, in `java.util.regex.PatternSyntaxException`'s words where Java has some.
    pub message: String,
    /// Where in the pattern, in bytes.
    pub at: usize,
    /// `User` for a pattern that Java refuses too, `NotYet` for one that Java takes and this version does not.
    pub kind: FaultKind,
}

impl PatternError {
    pub(super) fn new(message: impl Into<String>, at: usize) -> Self {
        Self { message: message.into(), at, kind: FaultKind::User }
    }

    pub(super) fn not_yet(what: &str, at: usize) -> Self {
        Self { message: format!("not supported yet: {what}"), at, kind: FaultKind::NotYet }
    }

    /// Whether Java refuses the pattern too. Functions that answer NULL or FALSE for a bad pattern do so only then.
    pub fn is_bad_pattern(&self) -> bool {
        self.kind == FaultKind::User
    }
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} near index {}", self.message, self.at)
    }
}

impl std::error::Error for PatternError {}

impl From<PatternError> for Fault {
    fn from(e: PatternError) -> Self {
        Fault::new(e.kind, "bad-pattern", format!("regular expression: {e}"))
    }
}
