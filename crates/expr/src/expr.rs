//! The expression tree that the binder builds and the optimizer rewrites.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use millstream_types::{DataType, Span, Value};

use crate::{KernelRef, Keywords, Volatility};

/// A typed expression over the columns of one input. Equality ignores spans.
#[derive(Debug, Clone)]
pub struct Expr {
    /// What it does.
    pub kind: ExprKind,
    /// Type of its value, with derived nullability.
    pub data_type: DataType,
    /// Place in the statement, for messages.
    pub span: Option<Span>,
}

/// The forms of expressions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// An input column.
    Column(usize),
    /// A constant.
    Literal(Value),
    /// All of these, evaluated from left to right, a later one only on rows where no earlier one is FALSE.
    And(Vec<Expr>),
    /// Any of these, evaluated from left to right, a later one only on rows where no earlier one is TRUE.
    Or(Vec<Expr>),
    /// Three-valued negation.
    Not(Box<Expr>),
    /// Searched CASE: the value of the first branch whose condition is TRUE. Branches and the default have the CASE's type.
    /// Values are evaluated only on rows that reach them.
    Case {
        /// Conditions and values.
        branches: Box<[(Expr, Expr)]>,
        /// The ELSE value.
        otherwise: Box<Expr>,
    },
    /// Conversion to the expression's type.
    Cast {
        /// What is converted.
        input: Box<Expr>,
        /// What to do with what cannot be converted.
        mode: CastMode,
    },
    /// A field of a ROW, by position.
    Field {
        /// The row.
        input: Box<Expr>,
        /// Position of the field.
        index: usize,
    },
    /// A function. Shared: a condition is held by the plan, the scan and the rules, and is mostly calls.
    Call(Arc<CallExpr>),
}

/// How a cast treats what it cannot convert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CastMode {
    /// CAST: fails the job.
    Cast,
    /// TRY_CAST: gives NULL.
    TryCast,
    /// Inserted by the binder (operands of an operator, columns of a UNION): rules of Flink's implicit casts.
    Implicit,
    /// Inserted by the binder before a sink: additionally pads and trims by `table.exec.sink.type-length-enforcer`'s rule.
    Assign,
}

/// A call of a bound function. Equality and hash ignore the kernel: name, keywords, arguments and type decide it.
#[derive(Debug, Clone)]
pub struct CallExpr {
    /// The function's primary name.
    pub name: Arc<str>,
    /// Arguments, implicit casts included.
    pub args: Vec<Expr>,
    /// Keyword clauses (`EXTRACT`'s unit, `JSON_VALUE`'s ON EMPTY …).
    pub keywords: Keywords,
    /// Whether it may be folded, shared, moved.
    pub volatility: Volatility,
    /// Whether some value of its arguments makes it fail. A filter must not be moved across it: an error has to come where Flink raises it.
    pub fallible: bool,
    /// The evaluation.
    pub kernel: KernelRef,
}

impl PartialEq for CallExpr {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name && self.keywords == other.keywords && self.args == other.args
    }
}

impl Eq for CallExpr {}

impl Hash for CallExpr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
        self.keywords.hash(state);
        self.args.hash(state);
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.data_type == other.data_type && self.kind == other.kind
    }
}

impl Eq for Expr {}

impl Hash for Expr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.data_type.hash(state);
        self.kind.hash(state);
    }
}

impl Expr {
    /// An expression without a place.
    pub fn new(kind: ExprKind, data_type: DataType) -> Self {
        Expr { kind, data_type, span: None }
    }

    /// An input column.
    pub fn column(index: usize, data_type: DataType) -> Self {
        Expr::new(ExprKind::Column(index), data_type)
    }

    /// A constant.
    pub fn literal(value: impl Into<Value>, data_type: DataType) -> Self {
        Expr::new(ExprKind::Literal(value.into()), data_type)
    }

    /// TRUE or FALSE.
    pub fn boolean(value: bool) -> Self {
        Expr::literal(value, DataType::boolean().with_nullable(false))
    }

    /// The same expression at a place.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// The constant, if it is one.
    pub fn as_literal(&self) -> Option<&Value> {
        match &self.kind {
            ExprKind::Literal(v) => Some(v),
            _ => None,
        }
    }

    /// The conjunction of some conditions; TRUE for none.
    pub fn and(mut terms: Vec<Expr>) -> Self {
        match terms.len() {
            0 => Expr::boolean(true),
            1 => terms.remove(0),
            _ => {
                // What is put together is kept.
                terms.shrink_to_fit();
                let nullable = terms.iter().any(|t| t.data_type.nullable);
                Expr::new(ExprKind::And(terms), DataType::boolean().with_nullable(nullable))
            }
        }
    }

    /// Direct children, in order of evaluation.
    pub fn children(&self) -> Vec<&Expr> {
        let mut all = Vec::new();
        self.each_child(|child| all.push(child));
        all
    }

    /// Direct children, to be changed in place.
    pub fn children_mut(&mut self) -> Vec<&mut Expr> {
        let mut all = Vec::new();
        self.each_child_mut(|child| all.push(child));
        all
    }

    /// Calls for each direct child, in order of evaluation; as [`Expr::children`] without a list.
    pub fn each_child<'a>(&'a self, mut visit: impl FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Column(_) | ExprKind::Literal(_) => {}
            ExprKind::And(t) | ExprKind::Or(t) => t.iter().for_each(visit),
            ExprKind::Not(e) => visit(e),
            ExprKind::Cast { input, .. } | ExprKind::Field { input, .. } => visit(input),
            ExprKind::Case { branches, otherwise } => {
                for (condition, value) in branches {
                    visit(condition);
                    visit(value);
                }
                visit(otherwise);
            }
            ExprKind::Call(c) => c.args.iter().for_each(visit),
        }
    }

    /// Calls for each direct child, to be changed in place; as [`Expr::children_mut`] without a list.
    pub fn each_child_mut<'a>(&'a mut self, mut visit: impl FnMut(&'a mut Expr)) {
        match &mut self.kind {
            ExprKind::Column(_) | ExprKind::Literal(_) => {}
            ExprKind::And(t) | ExprKind::Or(t) => t.iter_mut().for_each(visit),
            ExprKind::Not(e) => visit(e),
            ExprKind::Cast { input, .. } | ExprKind::Field { input, .. } => visit(input),
            ExprKind::Case { branches, otherwise } => {
                for (condition, value) in branches {
                    visit(condition);
                    visit(value);
                }
                visit(otherwise);
            }
            ExprKind::Call(c) => Arc::make_mut(c).args.iter_mut().for_each(visit),
        }
    }

    /// Visits the expression and everything below it, parents first.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Expr)) {
        visit(self);
        self.each_child(|c| c.walk(visit));
    }

    /// Input columns that it reads, ascending, each once.
    pub fn columns(&self) -> Vec<usize> {
        let mut found = Vec::new();
        self.walk(&mut |e| {
            // A rule asks the same column again and again.
            if let ExprKind::Column(i) = e.kind
                && found.last() != Some(&i)
            {
                found.push(i);
            }
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Replaces the position of every input column.
    pub fn map_columns(&mut self, to: &impl Fn(usize) -> usize) {
        // What stays as it is stays shared.
        if let ExprKind::Call(call) = &self.kind
            && call.args.iter().all(|a| a.stays(to))
        {
            return;
        }
        if let ExprKind::Column(i) = &mut self.kind {
            *i = to(*i);
        }
        self.each_child_mut(|c| c.map_columns(to));
    }

    /// Whether no column of it gets another position.
    fn stays(&self, to: &impl Fn(usize) -> usize) -> bool {
        let mut stays = true;
        self.walk(&mut |e| {
            if let ExprKind::Column(i) = e.kind {
                stays &= to(i) == i;
            }
        });
        stays
    }

    /// The least steady volatility of everything in it.
    pub fn volatility(&self) -> Volatility {
        let mut least = Volatility::Immutable;
        self.walk(&mut |e| {
            if let ExprKind::Call(c) = &e.kind {
                least = least.max(c.volatility);
            }
        });
        least
    }

    /// Whether some values make it fail. A filter must not be moved across it: an error has to come where Flink raises it.
    pub fn fallible(&self) -> bool {
        let mut found = false;
        self.walk(&mut |e| {
            found |= match &e.kind {
                ExprKind::Call(c) => c.fallible,
                ExprKind::Cast { input, mode } => {
                    crate::cast::cast_is_fallible(&input.data_type.kind, &e.data_type.kind, *mode)
                }
                _ => false,
            };
        });
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_stay_small() {
        // Thousands of rules are held at once; what grows here grows them all.
        assert!(size_of::<Expr>() <= 96, "{} {}", size_of::<Expr>(), size_of::<ExprKind>());
    }
}
