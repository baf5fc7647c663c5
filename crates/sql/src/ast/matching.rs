//! MATCH_RECOGNIZE.

use millstream_types::Span;

use super::{Expr, Ident, OrderItem};

/// `MATCH_RECOGNIZE (…)`.
#[derive(Debug, Clone, PartialEq)]
pub struct MatchRecognize {
    /// PARTITION BY.
    pub partition_by: Vec<Expr>,
    /// ORDER BY.
    pub order_by: Vec<OrderItem>,
    /// MEASURES expr AS name.
    pub measures: Vec<(Expr, Ident)>,
    /// ONE ROW (the default) or ALL ROWS PER MATCH.
    pub rows: Option<RowsPerMatch>,
    /// AFTER MATCH SKIP; past the last row if missing.
    pub after: Option<AfterMatch>,
    /// `^` at the pattern's beginning.
    pub anchored_start: bool,
    /// `$` at the pattern's end.
    pub anchored_end: bool,
    /// PATTERN.
    pub pattern: Pattern,
    /// WITHIN interval.
    pub within: Option<Expr>,
    /// SUBSET name = (variables).
    pub subsets: Vec<(Ident, Vec<Ident>)>,
    /// DEFINE variable AS condition.
    pub defines: Vec<(Ident, Expr)>,
    /// Its place.
    pub span: Span,
}

/// How many rows a match gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RowsPerMatch {
    One,
    All,
}

/// Where matching goes on.
#[derive(Debug, Clone, PartialEq)]
pub enum AfterMatch {
    /// SKIP PAST LAST ROW.
    PastLastRow,
    /// SKIP TO NEXT ROW.
    NextRow,
    /// SKIP TO FIRST variable.
    First(Ident),
    /// `SKIP TO [LAST] variable`.
    Last(Ident),
}

/// A pattern of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Pattern {
    /// The form.
    pub kind: PatternKind,
    /// Its place.
    pub span: Span,
}

/// Forms of a pattern.
#[derive(Debug, Clone, PartialEq)]
pub enum PatternKind {
    /// A variable.
    Variable(Ident),
    /// One after the other, two or more.
    Sequence(Vec<Pattern>),
    /// One of them, two or more.
    Alternation(Vec<Pattern>),
    /// `p*`, `p+?`, `p{2,3}`.
    Repeat {
        /// What is repeated.
        pattern: Box<Pattern>,
        /// At least.
        min: u32,
        /// At most; None for no bound.
        max: Option<u32>,
        /// With `?`: as few as possible.
        reluctant: bool,
    },
    /// `PERMUTE(p, q)`.
    Permute(Vec<Pattern>),
    /// `{- p -}`.
    Exclude(Box<Pattern>),
}
