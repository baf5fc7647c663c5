//! The type in which several types meet.

use millstream_types::{DataType, IntervalField, RowField, TimeAttribute, TypeKind};

use super::Digits;

/// Deepest nesting of types that is merged; deeper ones have no common type.
const MAX_DEPTH: usize = 100;

/// How FLOAT and DOUBLE meet; it tells operators from functions.
#[derive(Clone, Copy, PartialEq)]
enum Floats {
    /// The validator gives both 15 digits, so that the first one stays: `FLOAT + DOUBLE` is FLOAT.
    First,
    /// DOUBLE.
    Wider,
}

/// The type in which the branches of a CASE, the rows of VALUES, the sides of a set operation, the items of an ARRAY or the
/// operands of an operator meet; `None`: they do not (`Illegal mixing of types`). Nullable if one of them is. Not what function
/// arguments such as COALESCE's do: see [`argument_type`].
pub fn common_type(types: &[DataType]) -> Option<DataType> {
    merge_all(types, Floats::First)
}

/// The type in which the arguments of COALESCE, IFNULL, ARRAY_CONCAT and the like meet (Flink's "common type" strategy).
pub fn argument_type(types: &[DataType]) -> Option<DataType> {
    merge_all(types, Floats::Wider)
}

fn merge_all(types: &[DataType], floats: Floats) -> Option<DataType> {
    let (first, rest) = types.split_first()?;
    let mut merged = first.clone();
    for t in rest {
        merged = merge(&merged, t, floats, 0)?;
    }
    Some(merged)
}

fn merge(a: &DataType, b: &DataType, floats: Floats, depth: usize) -> Option<DataType> {
    let nullable =
        a.nullable || b.nullable || matches!(a.kind, TypeKind::Null) || matches!(b.kind, TypeKind::Null);
    Some(merge_kind(&a.kind, &b.kind, floats, depth)?.nullable().with_nullable(nullable))
}

fn merge_kind(a: &TypeKind, b: &TypeKind, floats: Floats, depth: usize) -> Option<TypeKind> {
    use TypeKind as K;
    if a == b {
        return Some(a.clone());
    }
    if depth > MAX_DEPTH {
        return None;
    }
    if a.is_numeric() && b.is_numeric() {
        return numeric(a, b, floats);
    }
    let child = |x: &DataType, y: &DataType| merge(x, y, floats, depth + 1).map(Box::new);
    Some(match (a, b) {
        (K::Null, x) | (x, K::Null) => x.clone(),
        (K::Char(x) | K::VarChar(x), K::Char(y) | K::VarChar(y)) => K::VarChar((*x).max(*y)),
        (K::Binary(x) | K::VarBinary(x), K::Binary(y) | K::VarBinary(y)) => K::VarBinary((*x).max(*y)),
        (K::Time(x), K::Time(y)) => K::Time((*x).max(*y)),
        (K::Timestamp(x, _), K::Timestamp(y, _)) => K::Timestamp((*x).max(*y), attribute(a, b)),
        (K::TimestampLtz(x, _), K::TimestampLtz(y, _)) => K::TimestampLtz((*x).max(*y), attribute(a, b)),
        (K::Timestamp(x, _), K::TimestampLtz(y, _)) | (K::TimestampLtz(x, _), K::Timestamp(y, _)) => {
            K::timestamp_ltz((*x).max(*y))
        }
        // A function's arguments meet in the type that the others are cast to implicitly: a timestamp to its date or its time.
        (K::Date, K::Timestamp(..)) | (K::Timestamp(..), K::Date) if floats == Floats::Wider => K::Date,
        (t @ K::Time(_), K::Timestamp(..)) | (K::Timestamp(..), t @ K::Time(_))
            if floats == Floats::Wider =>
        {
            t.clone()
        }
        (K::IntervalYearMonth(f, t, p), K::IntervalYearMonth(f2, t2, p2)) => {
            K::IntervalYearMonth((*f).min(*f2), (*t).max(*t2), (*p).max(*p2))
        }
        (K::IntervalDayTime(f, t, p, s), K::IntervalDayTime(f2, t2, p2, s2)) => {
            let from: IntervalField = (*f).min(*f2);
            K::IntervalDayTime(from, (*t).max(*t2), (*p).max(*p2), (*s).max(*s2))
        }
        (K::Array(x), K::Array(y)) => K::Array(child(x, y)?),
        (K::Multiset(x), K::Multiset(y)) => K::Multiset(child(x, y)?),
        (K::Map(k, v), K::Map(k2, v2)) => K::Map(child(k, k2)?, child(v, v2)?),
        (K::Row(x), K::Row(y)) if x.len() == y.len() => {
            let fields = x
                .iter()
                .zip(y.iter())
                .map(|(f, g)| {
                    Some(RowField {
                        name: f.name.clone(),
                        data_type: *child(&f.data_type, &g.data_type)?,
                        comment: f.comment.clone(),
                    })
                })
                .collect::<Option<Vec<_>>>()?;
            K::Row(fields.into())
        }
        _ => return None,
    })
}

/// A time attribute survives only if both sides carry the same one.
fn attribute(a: &TypeKind, b: &TypeKind) -> TimeAttribute {
    if a.time_attribute() == b.time_attribute() { a.time_attribute() } else { TimeAttribute::None }
}

fn numeric(a: &TypeKind, b: &TypeKind, floats: Floats) -> Option<TypeKind> {
    use TypeKind as K;
    Some(match (a, b) {
        (K::Float | K::Double, K::Float | K::Double) => match floats {
            Floats::First => a.clone(),
            Floats::Wider => K::Double,
        },
        (K::Decimal { .. }, x) | (x, K::Decimal { .. }) if x.is_approximate() => K::Double,
        (x @ (K::Float | K::Double), _) | (_, x @ (K::Float | K::Double)) => x.clone(),
        _ => {
            let (x, y) = (Digits::of(a)?, Digits::of(b)?);
            if a.is_integer() && b.is_integer() {
                if x.precision >= y.precision { a.clone() } else { b.clone() }
            } else {
                x.union(y).to_kind()
            }
        }
    })
}
