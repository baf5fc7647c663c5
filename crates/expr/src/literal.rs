//! Points in time as literals of SQL.

use millstream_text::temporal::{DateTime, push_date, push_time, push_timestamp};
use millstream_types::TypeKind;

/// A DATE, TIME, TIMESTAMP or TIMESTAMP_LTZ, as columns count them, as an expression of SQL; `None`: it is of another type.
pub fn temporal_literal(count: i64, kind: &TypeKind) -> Option<String> {
    let mut out = String::new();
    match kind {
        TypeKind::Date => {
            out.push_str("DATE '");
            push_date(&mut out, i32::try_from(count).ok()?);
        }
        TypeKind::Time(precision) => {
            out.push_str("TIME '");
            // A literal needs no digits behind the point.
            push_time(&mut out, i32::try_from(count).ok()?, if count % 1000 == 0 { 0 } else { *precision });
        }
        TypeKind::Timestamp(precision, _) => {
            out.push_str("TIMESTAMP '");
            push_timestamp(&mut out, DateTime::from_column(count, *precision), *precision);
        }
        TypeKind::TimestampLtz(precision, _) => {
            let moment = DateTime::from_column(count, *precision);
            let millis = moment.days * 86_400_000 + moment.nanos / 1_000_000;
            if moment.nanos % 1_000_000 == 0 {
                return Some(format!("TO_TIMESTAMP_LTZ({millis}, 3)"));
            }
            out.push_str("TIMESTAMP_LTZ '");
            push_timestamp(&mut out, moment, *precision);
            out.push('Z');
        }
        _ => return None,
    }
    out.push('\'');
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_in_time() {
        for (count, kind, text) in [
            (19_782, TypeKind::Date, "DATE '2024-02-29'"),
            (45_000_000, TypeKind::Time(0), "TIME '12:30:00'"),
            (45_000_500, TypeKind::Time(3), "TIME '12:30:00.5'"),
            (1_500_000, TypeKind::timestamp(3), "TIMESTAMP '1970-01-01 00:00:01.500'"),
            (-1, TypeKind::timestamp(9), "TIMESTAMP '1969-12-31 23:59:59.999999999'"),
            (1_500_000, TypeKind::timestamp_ltz(3), "TO_TIMESTAMP_LTZ(1500, 3)"),
            (1_500_001, TypeKind::timestamp_ltz(6), "TIMESTAMP_LTZ '1970-01-01 00:00:01.500001Z'"),
        ] {
            assert_eq!(temporal_literal(count, &kind).as_deref(), Some(text));
        }
        assert_eq!(temporal_literal(1, &TypeKind::Int), None);
    }
}
