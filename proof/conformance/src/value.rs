//! Values in the JSON form of the recorded answers.

use millstream::types::{DataType, TypeKind, Value};
use serde_json::{Value as Json, json};

/// The JSON form of a value (`README.md`, "Values as JSON").
pub fn to_json(value: &Value, data_type: &DataType) -> Json {
    match (value, &data_type.kind) {
        (Value::Null, _) => Json::Null,
        (Value::Boolean(b), _) => json!(b),
        (Value::Int(days), TypeKind::Date) => json!(date(*days)),
        (Value::Int(ms), TypeKind::Time(p)) => json!(time(*ms, *p)),
        (Value::Int(t), kind @ TypeKind::Timestamp(p, _)) => json!(timestamp(*t, kind.counts_nanos(), *p)),
        (Value::Int(t), kind @ TypeKind::TimestampLtz(p, _)) => {
            json!(format!("{}Z", timestamp(*t, kind.counts_nanos(), *p)))
        }
        (Value::Int(i), _) => json!(i),
        (Value::Float(f), TypeKind::Float) => float(f64::from(*f as f32)),
        (Value::Float(f), _) => float(*f),
        (Value::Decimal(d), TypeKind::Decimal { scale, .. }) => json!(decimal(*d, *scale)),
        (Value::String(s), _) => json!(&**s),
        (Value::Bytes(b), _) => json!(b.iter().map(|x| format!("{x:02x}")).collect::<String>()),
        (Value::Array(items), TypeKind::Array(e)) => items.iter().map(|i| to_json(i, e)).collect(),
        (Value::Map(entries), TypeKind::Map(k, v)) => pairs(entries, k, v),
        (Value::Map(entries), TypeKind::Multiset(e)) => pairs(entries, e, &TypeKind::Int.not_null()),
        (Value::Row(items), TypeKind::Row(fields) | TypeKind::Structured(_, fields)) => {
            items.iter().zip(fields.iter()).map(|(i, f)| to_json(i, &f.data_type)).collect()
        }
        (other, kind) => json!(format!("{other:?} as {kind}")),
    }
}

fn pairs(entries: &[(Value, Value)], k: &DataType, v: &DataType) -> Json {
    sorted(entries.iter().map(|(a, b)| json!([to_json(a, k), to_json(b, v)])).collect())
}

/// Entries in the one order that both sides of a comparison use.
fn sorted(mut entries: Vec<Json>) -> Json {
    entries.sort_by_key(Json::to_string);
    Json::Array(entries)
}

/// Whether an answer is the recorded one. Floating point numbers have a relative tolerance; the order of map entries means nothing.
pub fn same(expected: &Json, got: &Json, data_type: &DataType) -> bool {
    match (&data_type.kind, expected, got) {
        (TypeKind::Float, Json::Number(a), Json::Number(b)) => close(a, b, 1e-6),
        (TypeKind::Double, Json::Number(a), Json::Number(b)) => close(a, b, 1e-12),
        (TypeKind::Array(e), Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(x, y)| same(x, y, e))
        }
        (TypeKind::Row(fields) | TypeKind::Structured(_, fields), Json::Array(a), Json::Array(b)) => {
            a.len() == b.len()
                && a.iter().zip(b).zip(fields.iter()).all(|((x, y), f)| same(x, y, &f.data_type))
        }
        (TypeKind::Map(..) | TypeKind::Multiset(_), Json::Array(a), Json::Array(b)) => {
            sorted(a.clone()) == sorted(b.clone())
        }
        _ => expected == got,
    }
}

fn close(a: &serde_json::Number, b: &serde_json::Number, tolerance: f64) -> bool {
    match (a.to_string().parse::<f64>(), b.to_string().parse::<f64>()) {
        (Ok(a), Ok(b)) => a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs()),
        _ => false,
    }
}

fn float(f: f64) -> Json {
    if f.is_nan() {
        json!("NaN")
    } else if f.is_infinite() {
        json!(if f > 0.0 { "Infinity" } else { "-Infinity" })
    } else {
        json!(f)
    }
}

fn decimal(digits: i128, scale: u8) -> String {
    let scale = usize::from(scale);
    let sign = if digits < 0 { "-" } else { "" };
    let text = format!("{:0>width$}", digits.unsigned_abs(), width = scale + 1);
    let (whole, fraction) = text.split_at(text.len() - scale);
    if scale == 0 { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
}

/// Days since the epoch as `yyyy-mm-dd` (Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms").
fn date(days: i64) -> String {
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let day = doy - (153 * mp + 2) / 5 + 1;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + i64::from(month <= 2);
    if year < 0 {
        format!("-{:04}-{month:02}-{day:02}", -year)
    } else {
        format!("{year:04}-{month:02}-{day:02}")
    }
}

fn time(millis: i64, precision: u8) -> String {
    let (s, ms) = (millis / 1000, millis % 1000);
    let base = format!("{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
    let digits = usize::from(precision.min(3));
    if digits == 0 { base } else { format!("{base}.{}", &format!("{ms:03}")[..digits]) }
}

fn timestamp(t: i64, nanos: bool, precision: u8) -> String {
    let per_second = if nanos { 1_000_000_000 } else { 1_000_000 };
    let seconds = t.div_euclid(per_second);
    let fraction = t.rem_euclid(per_second) * if nanos { 1 } else { 1000 };
    let day = date(seconds.div_euclid(86_400));
    let s = seconds.rem_euclid(86_400);
    let base = format!("{day} {:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
    let digits = usize::from(precision.min(9));
    if digits == 0 { base } else { format!("{base}.{}", &format!("{fraction:09}")[..digits]) }
}
