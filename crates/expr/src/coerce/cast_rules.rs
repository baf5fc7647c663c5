//! Which casts exist.

use std::sync::Arc;

use millstream_types::{DataType, Fault, TypeKind};

use crate::cast::{LegacyCast, cast_is_fallible};
use crate::{BindContext, CallExpr, CastMode, Expr, ExprKind, Volatility};

/// Deepest nesting of types that is looked at.
const MAX_DEPTH: usize = 100;

/// Whether `CAST(x AS t)` exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CastSupport {
    /// It does.
    Yes,
    /// It does not.
    No,
    /// It does not, and for numbers and instants Flink says what to write instead.
    NumberAsInstant,
    /// As above, the other way.
    InstantAsNumber,
}

/// Whether a type can be cast to another one (`CAST`, `TRY_CAST`). Nullability does not matter.
pub fn cast_support(from: &TypeKind, to: &TypeKind) -> CastSupport {
    support(from, to, 0)
}

fn support(from: &TypeKind, to: &TypeKind, depth: usize) -> CastSupport {
    use TypeKind as K;
    if depth > MAX_DEPTH {
        return CastSupport::No;
    }
    let all = |pairs: &[(&DataType, &DataType)]| {
        if pairs.iter().all(|(f, t)| support(&f.kind, &t.kind, depth + 1) == CastSupport::Yes) {
            CastSupport::Yes
        } else {
            CastSupport::No
        }
    };
    let yes = match (from, to) {
        (K::Null, _) => !matches!(to, K::Descriptor),
        (K::Descriptor, _) | (_, K::Descriptor | K::Null) => false,
        (K::Variant, t) => matches!(t, K::Variant),
        (_, K::Char(_) | K::VarChar(_)) => true,
        (K::Char(_) | K::VarChar(_), t) => {
            t.is_numeric() || t.is_datetime() || t.is_binary() || matches!(t, K::Boolean)
        }
        (K::Boolean, t) | (t, K::Boolean) => t.is_numeric() || matches!(t, K::Boolean),
        (f, t) if f.is_numeric() && t.is_numeric() => true,
        (f, t) if f.is_integer() && t.is_interval() => true,
        (f, t) if f.is_numeric() && t.is_timestamp() => return CastSupport::NumberAsInstant,
        (f, t) if f.is_timestamp() && t.is_numeric() => return CastSupport::InstantAsNumber,
        (K::Time(_), K::Date) | (K::Date, K::Time(_)) => false,
        (f, t) if f.is_datetime() && t.is_datetime() => true,
        (K::IntervalYearMonth(..), K::IntervalYearMonth(..)) => true,
        (K::IntervalDayTime(..), K::IntervalDayTime(..)) => true,
        (K::Raw(_), t) if t.is_binary() => true,
        (f, t) if f.is_binary() && t.is_binary() => true,
        (K::Array(f), K::Array(t)) | (K::Multiset(f), K::Multiset(t)) => return all(&[(&**f, &**t)]),
        (K::Map(fk, fv), K::Map(tk, tv)) => return all(&[(&**fk, &**tk), (&**fv, &**tv)]),
        (K::Row(f) | K::Structured(_, f), K::Row(t)) => {
            if f.len() != t.len() {
                return CastSupport::No;
            }
            let pairs: Vec<_> = f.iter().zip(t.iter()).map(|(x, y)| (&x.data_type, &y.data_type)).collect();
            return all(&pairs);
        }
        (K::Bitmap, K::Bitmap) => true,
        (K::Raw(x), K::Raw(y)) => x == y,
        _ => false,
    };
    if yes { CastSupport::Yes } else { CastSupport::No }
}

/// Whether values of a type become those of another one without being asked (`LogicalTypeCasts.supportsImplicitCast`): numbers
/// to wider ones, TIMESTAMP to DATE, TIME and TIMESTAMP_LTZ and back, strings to VARCHAR, nested types item by item.
pub fn supports_implicit(from: &TypeKind, to: &TypeKind) -> bool {
    implicit(from, to, 0)
}

fn implicit(from: &TypeKind, to: &TypeKind, depth: usize) -> bool {
    use TypeKind as K;
    if depth > MAX_DEPTH {
        return false;
    }
    let child = |x: &DataType, y: &DataType| implicit(&x.kind, &y.kind, depth + 1);
    match (from, to) {
        (K::Null, t) => !matches!(t, K::Descriptor),
        (K::Char(_), K::Char(_)) | (K::Char(_) | K::VarChar(_), K::VarChar(_)) => true,
        (K::Binary(_), K::Binary(_)) | (K::Binary(_) | K::VarBinary(_), K::VarBinary(_)) => true,
        (f, K::Decimal { .. } | K::Double) => f.is_numeric(),
        (f, K::Float) => f.is_numeric() && !matches!(f, K::Double),
        (f, t) if f.is_integer() && t.is_integer() => width(f) <= width(t),
        (K::Date | K::Timestamp(..), K::Date) | (K::Time(_) | K::Timestamp(..), K::Time(_)) => true,
        (f, t) if f.is_timestamp() && t.is_timestamp() => true,
        (K::IntervalYearMonth(..), K::IntervalYearMonth(..)) => true,
        (K::IntervalDayTime(..), K::IntervalDayTime(..)) => true,
        (K::Array(f), K::Array(t)) | (K::Multiset(f), K::Multiset(t)) => child(f, t),
        (K::Map(fk, fv), K::Map(tk, tv)) => child(fk, tk) && child(fv, tv),
        (K::Row(f), K::Row(t)) => {
            f.len() == t.len() && f.iter().zip(t.iter()).all(|(x, y)| child(&x.data_type, &y.data_type))
        }
        _ => from == to,
    }
}

fn width(kind: &TypeKind) -> u8 {
    match kind {
        TypeKind::TinyInt => 1,
        TypeKind::SmallInt => 2,
        TypeKind::Int => 4,
        _ => 8,
    }
}

/// Whether a query's column may be written to a sink's column: the implicit casts. Nullability is the business of
/// `table.exec.sink.not-null-enforcer`.
pub fn assignable(from: &DataType, to: &DataType) -> bool {
    supports_implicit(&from.kind, &to.kind)
}

/// The expression as a value of another type, where an implicit cast exists. The nullability of `to` does not matter: the result
/// is nullable if the expression is.
///
/// # Errors
/// User (`implicit-cast`), when there is no implicit cast.
pub fn implicit_cast(expr: Expr, to: &DataType) -> Result<Expr, Fault> {
    if expr.data_type.kind.same_as(&to.kind) {
        return Ok(expr);
    }
    if !supports_implicit(&expr.data_type.kind, &to.kind) {
        let fault = Fault::user(
            "implicit-cast",
            format!(
                "implicit type conversion between {} and {} is not supported",
                expr.data_type.kind, to.kind
            ),
        )
        .hint(format!("write CAST(... AS {})", to.kind));
        return Err(placed(fault, &expr));
    }
    Ok(cast(expr, &to.kind, CastMode::Implicit))
}

/// `CAST(expr AS to)` or `TRY_CAST`. A CAST's result is nullable if the expression is; a TRY_CAST's always. Under the legacy cast
/// behaviour (`table.exec.legacy-cast-behaviour`) CAST gives NULL for what it cannot convert.
///
/// # Errors
/// User (`cast`), when Flink has no such cast; NotYet, where Flink has it and Millstream does not.
pub fn explicit_cast(
    expr: Expr,
    to: &DataType,
    mode: CastMode,
    context: &BindContext,
) -> Result<Expr, Fault> {
    let from = &expr.data_type.kind;
    let fault = match cast_support(from, &to.kind) {
        CastSupport::Yes => None,
        CastSupport::No => Some(Fault::user(
            "cast",
            format!("Cast function cannot convert value of type {from} to type {}", to.kind),
        )),
        CastSupport::NumberAsInstant => {
            let name =
                if matches!(to.kind, TypeKind::TimestampLtz(..)) { "TIMESTAMP_LTZ" } else { "TIMESTAMP" };
            Some(
                Fault::user("cast", format!("The cast from NUMERIC type to {name} type is not allowed"))
                    .hint("use TO_TIMESTAMP_LTZ(number, 3), or 0 for seconds"),
            )
        }
        CastSupport::InstantAsNumber => {
            let name = if matches!(from, TypeKind::TimestampLtz(..)) { "TIMESTAMP_LTZ" } else { "TIMESTAMP" };
            Some(
                Fault::user("cast", format!("The cast from {name} type to NUMERIC type is not allowed"))
                    .hint("use UNIX_TIMESTAMP(CAST(x AS STRING))"),
            )
        }
    };
    if let Some(fault) = fault {
        return Err(placed(fault, &expr));
    }
    if context.legacy_cast && mode == CastMode::Cast && !from.same_as(&to.kind) {
        return Ok(legacy(expr, to));
    }
    if from.same_as(&to.kind) && mode == CastMode::Cast {
        // Time attributes do not survive a cast; names of fields become the target's.
        return Ok(if from == &to.kind { expr } else { cast(expr, &to.kind, mode) });
    }
    Ok(cast(expr, &to.kind, mode))
}

fn placed(fault: Fault, expr: &Expr) -> Fault {
    match expr.span {
        Some(span) => fault.at(span),
        None => fault,
    }
}

fn cast(expr: Expr, to: &TypeKind, mode: CastMode) -> Expr {
    let nullable =
        expr.data_type.nullable || mode == CastMode::TryCast || matches!(expr.data_type.kind, TypeKind::Null);
    let span = expr.span;
    let data_type = to.clone().nullable().with_nullable(nullable);
    Expr { kind: ExprKind::Cast { input: Box::new(expr), mode }, data_type, span }
}

fn legacy(expr: Expr, to: &DataType) -> Expr {
    let span = expr.span;
    let nullable =
        expr.data_type.nullable || cast_is_fallible(&expr.data_type.kind, &to.kind, CastMode::Cast);
    let kernel = Arc::new(LegacyCast { from: expr.data_type.clone(), to: to.clone() });
    let call = CallExpr {
        name: "LEGACY_CAST".into(),
        args: vec![expr],
        keywords: Vec::new(),
        volatility: Volatility::Immutable,
        fallible: false,
        kernel,
    };
    Expr { kind: ExprKind::Call(Arc::new(call)), data_type: to.clone().with_nullable(nullable), span }
}
