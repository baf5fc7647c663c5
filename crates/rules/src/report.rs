//! What each rule costs, and why.

use std::fmt;

/// How the rows are chosen on which a rule is evaluated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Anchoring {
    /// It has no condition.
    EveryRow,
    /// Its condition is never TRUE.
    Never,
    /// By tests of fields, each one told for people (`cmdline contains 'whoami'`, with `#3` for a column's position), one of which must hold.
    Anchors(Vec<String>),
    /// It is evaluated on every row: the reason, and what would help.
    Plain(String),
}

/// A rule's cost so far.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleReport {
    /// The rule's id.
    pub rule: usize,
    /// How its rows are chosen.
    pub anchoring: Anchoring,
    /// Whether the anchors decide the rule, so that nothing is left to evaluate.
    pub decided: bool,
    /// Rows that were looked at.
    pub rows: u64,
    /// Rows on which it was evaluated (or decided).
    pub candidates: u64,
    /// Rows on which it was TRUE.
    pub hits: u64,
    /// Time of its own evaluation in nanoseconds, shared predicates divided among those that share them; `None`: not measured.
    pub nanos: Option<u64>,
    /// Evaluations of conditions on one text column that were not done, because the value had come before; of all rules that share them.
    pub remembered: u64,
}

impl fmt::Display for Anchoring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Anchoring::EveryRow => f.write_str("takes every row"),
            Anchoring::Never => f.write_str("is never TRUE"),
            Anchoring::Anchors(anchors) => write!(f, "by {}", anchors.join(" or ")),
            Anchoring::Plain(reason) => write!(f, "on every row: {reason}"),
        }
    }
}

impl fmt::Display for RuleReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} rows, {} hits; {}", self.candidates, self.rows, self.hits, self.anchoring)?;
        if self.decided {
            f.write_str(" (which decides it)")?;
        }
        if self.remembered > 0 {
            write!(f, "; {} evaluations were remembered", self.remembered)?;
        }
        let share = self.candidates as f64 / self.rows.max(1) as f64;
        if matches!(self.anchoring, Anchoring::Anchors(_)) && share > 0.1 && self.hits * 10 < self.candidates
        {
            f.write_str("; this text is common: a rarer literal in the condition would save its evaluation")?;
        }
        Ok(())
    }
}
