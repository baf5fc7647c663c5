//! How the two sides of a comparison meet.

use millstream_types::{Fault, TypeKind};

use super::Comparison;
use crate::binding::{convert, null_of};
use crate::coerce::{Digits, common_type};
use crate::{Call, Expr};

/// Both operands, converted so that the kernel can compare them.
pub(super) fn pair(call: &Call<'_>, op: Comparison) -> Result<(Expr, Expr), Fault> {
    call.expect(2, 2, &forms(op))?;
    meet(call, call.arg(0)?, call.arg(1)?, op, false)
}

fn forms(op: Comparison) -> String {
    format!("<COMPARABLE_TYPE> {} <COMPARABLE_TYPE>", op.symbol())
}

/// As [`pair`], for two expressions of a call. `strings_count`: numbers are compared with text (IN does, `=` does not).
pub(in crate::functions::scalar) fn meet(
    call: &Call<'_>,
    a: &Expr,
    b: &Expr,
    op: Comparison,
    strings_count: bool,
) -> Result<(Expr, Expr), Fault> {
    use TypeKind as K;
    let both = |kind: K| (convert(a.clone(), kind.clone()), convert(b.clone(), kind));
    let as_they_are = || (a.clone(), b.clone());
    let (x, y) = (&a.data_type.kind, &b.data_type.kind);
    let refuse = || call.refuse(&forms(op));
    Ok(match (x, y) {
        (K::Null, K::Null) => (null_of(K::Boolean), null_of(K::Boolean)),
        (K::Null, _) => (null_of(y.clone()), b.clone()),
        (_, K::Null) => (a.clone(), null_of(x.clone())),
        (K::Float, K::Float) => as_they_are(),
        _ if x.is_numeric() && y.is_numeric() => {
            if *x == K::Float && y.is_integer() || *y == K::Float && x.is_integer() {
                both(K::Float)
            } else if x.is_approximate() || y.is_approximate() {
                both(K::Double)
            } else if x.is_integer() && y.is_integer() {
                both(common_type(&[a.data_type.clone(), b.data_type.clone()]).ok_or_else(refuse)?.kind)
            } else {
                // Decimals keep their own scales: a common type could be too narrow for both.
                (exact(a), exact(b))
            }
        }
        _ if x.is_string() && y.is_string() || x.is_binary() && y.is_binary() => as_they_are(),
        _ if x.is_string() && y.is_numeric() || x.is_numeric() && y.is_string() => {
            if op.is_equality() && !strings_count {
                let short = |k: &K| if k.is_string() { root(k) } else { k.to_string() };
                return Err(Fault::user(
                    "implicit-cast",
                    format!(
                        "implicit type conversion between {} and {} is not supported now",
                        short(x),
                        short(y)
                    ),
                )
                .at(call.span)
                .hint(format!("write CAST(... AS {})", if x.is_string() { y } else { x })));
            }
            both(if x.is_string() { y.clone() } else { x.clone() })
        }
        _ if x.is_string() && (y.is_datetime() || matches!(y, K::Boolean)) => both(y.plain()),
        _ if y.is_string() && (x.is_datetime() || matches!(x, K::Boolean)) => both(x.plain()),
        (K::Boolean, K::Boolean) | (K::Date, K::Date) | (K::Time(_), K::Time(_)) => as_they_are(),
        (K::Timestamp(..), K::Timestamp(..)) | (K::TimestampLtz(..), K::TimestampLtz(..)) => as_they_are(),
        (K::Timestamp(p, _), K::TimestampLtz(..)) => (convert(a.clone(), K::timestamp_ltz(*p)), b.clone()),
        (K::TimestampLtz(..), K::Timestamp(p, _)) => (a.clone(), convert(b.clone(), K::timestamp_ltz(*p))),
        (K::IntervalYearMonth(..), K::IntervalYearMonth(..)) => as_they_are(),
        (K::IntervalDayTime(..), K::IntervalDayTime(..)) => as_they_are(),
        (K::Variant, K::Variant) | (K::Bitmap, K::Bitmap) | (K::Raw(_), K::Raw(_))
            if op.is_equality() && x == y =>
        {
            as_they_are()
        }
        (K::Structured(..), K::Structured(..)) if op.is_equality() && x == y => as_they_are(),
        (K::Array(_), K::Array(_))
        | (K::Map(..), K::Map(..))
        | (K::Multiset(_), K::Multiset(_))
        | (K::Row(_), K::Row(_)) => {
            if !op.is_equality() {
                return Err(Fault::user(
                    "not-comparable",
                    format!("Comparable type expected, but was '{}'", a.data_type),
                )
                .at(call.span)
                .hint("compare the parts"));
            }
            both(common_type(&[a.data_type.clone(), b.data_type.clone()]).ok_or_else(refuse)?.kind)
        }
        _ => return Err(refuse()),
    })
}

fn root(kind: &TypeKind) -> String {
    if matches!(kind, TypeKind::Char(_)) { "CHAR".into() } else { "VARCHAR".into() }
}

/// An integer as the DECIMAL of its range; a DECIMAL as it is.
fn exact(expr: &Expr) -> Expr {
    match Digits::of(&expr.data_type.kind) {
        Some(d) => convert(expr.clone(), d.to_kind()),
        None => expr.clone(),
    }
}
