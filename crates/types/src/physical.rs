//! What each logical type is in Arrow.
//!
//! | Flink | Arrow |
//! |---|---|
//! | BOOLEAN, integers, FLOAT, DOUBLE | the same |
//! | DECIMAL(p, s) | `Decimal128(p, s)` |
//! | CHAR, VARCHAR, STRING | `Utf8` |
//! | BINARY, VARBINARY, BYTES, BITMAP, RAW | `Binary` |
//! | VARIANT | `Utf8` (its JSON text) |
//! | DATE | `Date32` |
//! | TIME(p) | `Time32(ms)` |
//! | TIMESTAMP(p), p ≤ 6 | `Timestamp(µs)`; p > 6: `Timestamp(ns)`, which holds the years 1677 to 2262 |
//! | TIMESTAMP_LTZ(p) | as TIMESTAMP, with zone `+00:00` |
//! | INTERVAL of months / of time | `Interval(YearMonth)` / `Duration(ms)` |
//! | ARRAY | `List` |
//! | MAP, MULTISET | `List` of `Struct(key, value)`: Arrow's Map forbids NULL keys (a multiset's values are its counts, INT) |
//! | ROW, structured types | `Struct` |
//! | NULL | `Null` |

use std::sync::Arc;

use arrow::datatypes::{DataType as Arrow, Field as ArrowField, IntervalUnit, TimeUnit};

use crate::{DataType, TypeKind};

impl TypeKind {
    /// The Arrow type that holds values of this kind.
    pub fn to_arrow(&self) -> Arrow {
        match self {
            TypeKind::Boolean => Arrow::Boolean,
            TypeKind::TinyInt => Arrow::Int8,
            TypeKind::SmallInt => Arrow::Int16,
            TypeKind::Int => Arrow::Int32,
            TypeKind::BigInt => Arrow::Int64,
            TypeKind::Float => Arrow::Float32,
            TypeKind::Double => Arrow::Float64,
            TypeKind::Decimal { precision, scale } => Arrow::Decimal128(*precision, *scale as i8),
            TypeKind::Char(_) | TypeKind::VarChar(_) | TypeKind::Variant => Arrow::Utf8,
            TypeKind::Binary(_) | TypeKind::VarBinary(_) | TypeKind::Bitmap | TypeKind::Raw(_) => {
                Arrow::Binary
            }
            TypeKind::Date => Arrow::Date32,
            TypeKind::Time(_) => Arrow::Time32(TimeUnit::Millisecond),
            TypeKind::Timestamp(p, _) => Arrow::Timestamp(unit(*p), None),
            TypeKind::TimestampLtz(p, _) => Arrow::Timestamp(unit(*p), Some("+00:00".into())),
            TypeKind::IntervalYearMonth(..) => Arrow::Interval(IntervalUnit::YearMonth),
            TypeKind::IntervalDayTime(..) => Arrow::Duration(TimeUnit::Millisecond),
            TypeKind::Array(e) => Arrow::List(Arc::new(e.arrow_field("item"))),
            TypeKind::Map(k, v) => map(k, v),
            TypeKind::Multiset(e) => map(e, &TypeKind::Int.not_null()),
            TypeKind::Row(fields) | TypeKind::Structured(_, fields) => {
                Arrow::Struct(fields.iter().map(|f| Arc::new(f.data_type.arrow_field(&f.name))).collect())
            }
            TypeKind::Null | TypeKind::Descriptor => Arrow::Null,
        }
    }

    /// Whether timestamps of this kind count nanoseconds (else microseconds).
    pub fn counts_nanos(&self) -> bool {
        matches!(self, TypeKind::Timestamp(p, _) | TypeKind::TimestampLtz(p, _) if *p > 6)
    }
}

impl DataType {
    /// The Arrow type that holds values of this type.
    pub fn to_arrow(&self) -> Arrow {
        self.kind.to_arrow()
    }

    /// The Arrow field of a column of this type. Arrow fields are always nullable: nullability is the plan's business,
    /// and kernels must not have to agree on it.
    pub fn arrow_field(&self, name: &str) -> ArrowField {
        ArrowField::new(name, self.to_arrow(), true)
    }
}

fn unit(precision: u8) -> TimeUnit {
    if precision > 6 { TimeUnit::Nanosecond } else { TimeUnit::Microsecond }
}

fn map(key: &DataType, value: &DataType) -> Arrow {
    // Not Arrow's Map: that forbids NULL keys, which Flink's maps may have.
    let entries = vec![key.arrow_field("key"), value.arrow_field("value")];
    Arrow::List(Arc::new(ArrowField::new("entries", Arrow::Struct(entries.into()), true)))
}
