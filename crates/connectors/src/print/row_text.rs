//! Rows as Flink's `Row#toString` gives them: each value is its Java object's text, nested rows carry a kind of their own.
//!
//! Entries of a map stand in the map's own order; Flink's order is that of a hash table and says nothing.

use millstream_text::number::{push_decimal_scientific, push_f32, push_f64, push_i64, push_padded};
use millstream_text::temporal::{DateTime, civil_from_days};
use millstream_types::{Batch, DataType, IntervalField, TypeKind, Value};

/// Appends a row with its kind, `+I[1, a, null]`.
pub fn push_row(out: &mut String, batch: &Batch, row: usize) {
    out.push_str(batch.kind(row).symbol());
    let columns = batch.columns.iter().zip(&batch.schema.fields);
    let values = columns.map(|(c, f)| (Value::from_array(c.as_ref(), row, &f.data_type), &f.data_type));
    push_list(out, values, |out, (value, data_type)| push_value(out, &value, data_type));
}

fn push_list<T>(out: &mut String, items: impl Iterator<Item = T>, mut push: impl FnMut(&mut String, T)) {
    out.push('[');
    for (i, item) in items.enumerate() {
        if i > 0 {
            out.push_str(", ");
        }
        push(out, item);
    }
    out.push(']');
}

fn push_value(out: &mut String, value: &Value, data_type: &DataType) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Boolean(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(i) => push_int(out, *i, &data_type.kind),
        Value::Float(f) if data_type.kind == TypeKind::Float => push_f32(out, *f as f32),
        Value::Float(f) => push_f64(out, *f),
        Value::Decimal(d) => {
            let scale = if let TypeKind::Decimal { scale, .. } = data_type.kind { scale } else { 0 };
            push_decimal_scientific(out, *d, scale);
        }
        Value::String(s) => out.push_str(s),
        // Java's bytes are signed.
        Value::Bytes(b) => push_list(out, b.iter(), |out, b| push_i64(out, i64::from(*b as i8))),
        Value::Array(items) => {
            if let TypeKind::Array(element) = &data_type.kind {
                push_list(out, items.iter(), |out, v| push_value(out, v, element));
            }
        }
        Value::Map(entries) => {
            let count = TypeKind::Int.not_null();
            let (key, item) = match &data_type.kind {
                TypeKind::Map(key, item) => (&**key, &**item),
                TypeKind::Multiset(element) => (&**element, &count),
                _ => return,
            };
            out.push('{');
            for (i, (k, v)) in entries.iter().enumerate() {
                if i > 0 {
                    out.push_str(", ");
                }
                push_value(out, k, key);
                out.push('=');
                push_value(out, v, item);
            }
            out.push('}');
        }
        Value::Row(values) => {
            if let TypeKind::Row(fields) = &data_type.kind {
                out.push_str("+I");
                push_list(out, values.iter().zip(fields.iter()), |out, (v, f)| {
                    push_value(out, v, &f.data_type)
                });
            }
        }
    }
}

fn push_int(out: &mut String, value: i64, kind: &TypeKind) {
    match kind {
        TypeKind::Date => push_local_date(out, value),
        TypeKind::Time(_) => push_local_time(out, value.rem_euclid(86_400_000) * 1_000_000),
        TypeKind::Timestamp(precision, _) => {
            let time = DateTime::from_column(value, *precision);
            push_local_date(out, time.days);
            out.push('T');
            push_local_time(out, time.nanos);
        }
        TypeKind::TimestampLtz(precision, _) => {
            let time = DateTime::from_column(value, *precision);
            push_local_date(out, time.days);
            out.push('T');
            push_clock(out, time.nanos, true);
            push_fraction(out, time.nanos % 1_000_000_000);
            out.push('Z');
        }
        TypeKind::IntervalYearMonth(from, to, _) => push_period(out, value, *from, *to),
        TypeKind::IntervalDayTime(..) => push_duration(out, value),
        _ => push_i64(out, value),
    }
}

/// `LocalDate#toString`: `2020-02-29`, `-0001-01-01`, `+10000-01-01`.
fn push_local_date(out: &mut String, days: i64) {
    let (year, month, day) = civil_from_days(days);
    if year > 9999 {
        out.push('+');
    } else if year < 0 {
        out.push('-');
    }
    push_padded(out, year.unsigned_abs(), 4);
    out.push('-');
    push_padded(out, u64::from(month), 2);
    out.push('-');
    push_padded(out, u64::from(day), 2);
}

/// `LocalTime#toString`: seconds only if there are any, `10:20`, `10:20:30`, `10:20:30.500`.
fn push_local_time(out: &mut String, nanos: i64) {
    let fraction = nanos % 1_000_000_000;
    push_clock(out, nanos, nanos / 1_000_000_000 % 60 != 0 || fraction != 0);
    push_fraction(out, fraction);
}

fn push_clock(out: &mut String, nanos: i64, seconds: bool) {
    let second = (nanos / 1_000_000_000).unsigned_abs();
    push_padded(out, second / 3600, 2);
    out.push(':');
    push_padded(out, second / 60 % 60, 2);
    if seconds {
        out.push(':');
        push_padded(out, second % 60, 2);
    }
}

/// Three, six or nine digits, as many as are needed.
fn push_fraction(out: &mut String, nanos: i64) {
    let nanos = nanos.unsigned_abs();
    if nanos == 0 {
        return;
    }
    out.push('.');
    if nanos.is_multiple_of(1_000_000) {
        push_padded(out, nanos / 1_000_000, 3);
    } else if nanos.is_multiple_of(1000) {
        push_padded(out, nanos / 1000, 6);
    } else {
        push_padded(out, nanos, 9);
    }
}

/// `Period#toString`: `P1Y2M`, `P0D`.
fn push_period(out: &mut String, months: i64, from: IntervalField, to: IntervalField) {
    let (years, months) = match (from, to) {
        (IntervalField::Month, _) => (0, months),
        (_, IntervalField::Month) => (months / 12, months % 12),
        _ => (months / 12, 0),
    };
    if (years, months) == (0, 0) {
        out.push_str("P0D");
        return;
    }
    out.push('P');
    for (count, unit) in [(years, 'Y'), (months, 'M')] {
        if count != 0 {
            push_i64(out, count);
            out.push(unit);
        }
    }
}

/// `Duration#toString`: `PT1H2M3.5S`, `PT-0.5S`, `PT0S`.
fn push_duration(out: &mut String, millis: i64) {
    if millis == 0 {
        out.push_str("PT0S");
        return;
    }
    out.push_str("PT");
    // All parts carry the sign.
    for (count, unit) in [(millis / 3_600_000, 'H'), (millis / 60_000 % 60, 'M')] {
        if count != 0 {
            push_i64(out, count);
            out.push(unit);
        }
    }
    let rest = millis % 60_000;
    if rest == 0 {
        return;
    }
    if rest < 0 {
        out.push('-');
    }
    let rest = rest.unsigned_abs();
    push_i64(out, (rest / 1000) as i64);
    let fraction = rest % 1000;
    if fraction != 0 {
        out.push('.');
        let mut digits = String::new();
        push_padded(&mut digits, fraction, 3);
        out.push_str(digits.trim_end_matches('0'));
    }
    out.push('S');
}
