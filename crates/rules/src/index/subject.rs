//! What stands on the two sides of a test: a column below cheap wrappers, and constants.

use millstream_expr::{CastMode, Expr, ExprKind};
use millstream_types::{TypeKind, Value};

use super::atom::Case;

/// A column, perhaps in another case, perhaps with its ends cut off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Subject {
    pub(super) column: usize,
    pub(super) case: Case,
    /// Whether it is the text itself; else a part of it.
    pub(super) whole: bool,
}

/// The text column behind an expression, if its value is the column's text or a part of it, and NULL exactly where the column is.
/// A COALESCE with an empty text counts too: there `nulls` says that NULL becomes the empty text.
pub(super) fn text_subject(expr: &Expr) -> Option<(Subject, bool)> {
    if !expr.data_type.kind.is_string() {
        return None;
    }
    match &expr.kind {
        ExprKind::Column(column) => {
            Some((Subject { column: *column, case: Case::Exact, whole: true }, false))
        }
        // Between strings; a shorter type may cut the end off, CHAR may append spaces.
        ExprKind::Cast { input, mode } if *mode != CastMode::Assign => {
            let (subject, nulls) = text_subject(input)?;
            match (&input.data_type.kind, &expr.data_type.kind) {
                (TypeKind::VarChar(n), TypeKind::VarChar(m)) => {
                    Some((Subject { whole: subject.whole && n <= m, ..subject }, nulls))
                }
                _ => None,
            }
        }
        ExprKind::Call(call) => match (&*call.name, call.args.as_slice()) {
            ("LOWER", [inner]) => cased(inner, Case::Lower),
            ("UPPER", [inner]) => cased(inner, Case::Upper),
            ("TRIM" | "LTRIM" | "RTRIM" | "BTRIM", [inner, rest @ ..]) => {
                // A set that is not constant could be NULL.
                let constant = rest.iter().all(|r| constant_text(r).is_some());
                let (subject, nulls) = text_subject(inner).filter(|_| constant)?;
                Some((Subject { whole: false, ..subject }, nulls))
            }
            ("COALESCE" | "IFNULL" | "NVL", [inner, default]) if constant_text(default) == Some("") => {
                text_subject(inner).map(|(s, _)| (s, true))
            }
            _ => None,
        },
        _ => None,
    }
}

fn cased(inner: &Expr, case: Case) -> Option<(Subject, bool)> {
    let (subject, nulls) = text_subject(inner)?;
    // Letters beyond ASCII may change twice.
    (subject.case == Case::Exact).then_some((Subject { case, ..subject }, nulls))
}

/// The text of a constant, also below a cast between strings that keeps it.
pub(super) fn constant_text(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Literal(v) if expr.data_type.kind.is_string() => v.as_str(),
        ExprKind::Cast { input, .. } if expr.data_type.kind == TypeKind::STRING => constant_text(input),
        _ => None,
    }
}

/// The column of whole numbers behind an expression, below casts that keep the number.
pub(super) fn integer_subject(expr: &Expr) -> Option<usize> {
    match &expr.kind {
        ExprKind::Column(column) if expr.data_type.kind.is_integer() => Some(*column),
        ExprKind::Cast { input, .. } if keeps_integer(&input.data_type.kind, &expr.data_type.kind) => {
            integer_subject(input)
        }
        _ => None,
    }
}

fn width(kind: &TypeKind) -> Option<u8> {
    Some(match kind {
        TypeKind::TinyInt => 3,
        TypeKind::SmallInt => 5,
        TypeKind::Int => 10,
        TypeKind::BigInt => 19,
        _ => return None,
    })
}

fn keeps_integer(from: &TypeKind, to: &TypeKind) -> bool {
    let Some(digits) = width(from) else { return false };
    match to {
        TypeKind::Decimal { precision, scale } => precision.saturating_sub(*scale) >= digits,
        other => width(other).is_some_and(|w| w >= digits),
    }
}

/// A constant number: digits and scale.
pub(super) fn constant_number(expr: &Expr) -> Option<(i128, u32)> {
    match &expr.kind {
        ExprKind::Literal(Value::Int(i)) if expr.data_type.kind.is_integer() => Some((i128::from(*i), 0)),
        ExprKind::Literal(Value::Decimal(d)) => match expr.data_type.kind {
            TypeKind::Decimal { scale, .. } => Some((*d, u32::from(scale))),
            _ => None,
        },
        ExprKind::Cast { input, .. } if keeps_integer(&input.data_type.kind, &expr.data_type.kind) => {
            constant_number(input)
        }
        _ => None,
    }
}
