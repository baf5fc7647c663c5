//! Partition directories: `dt=2024-01-01/hour=5`, with Hive's escapes in names.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use millstream_text::number::{parse_f32, parse_f64};
use millstream_text::temporal::{days_from_civil, push_date};
use millstream_types::{DataType, Fault, TypeKind, Value};

/// A name with the characters escaped as `%2F` that Hive (and so Flink) escapes.
pub(super) fn escape(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if (c as u32) < 0x20 || c == '\u{7f}' || "\"#%'*/:=?\\{[]^".contains(c) {
            out.push_str(&format!("%{:02X}", c as u32));
        } else {
            out.push(c);
        }
    }
    out
}

/// A name with its escapes undone, each to the character of that code, as in Flink; what is no escape stays.
pub(super) fn unescape(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('%') {
        out.push_str(rest.get(..at).unwrap_or(""));
        rest = rest.get(at..).unwrap_or("");
        let code = rest.get(1..3).and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match code {
            Some(code) => {
                out.push(char::from(code));
                rest = rest.get(3..).unwrap_or("");
            }
            None => {
                out.push('%');
                rest = rest.get(1..).unwrap_or("");
            }
        }
    }
    out.push_str(rest);
    out
}

/// A column's name as a key of a chunk's metadata, which lives as long as the process: there are only as many as partition columns
/// were ever declared.
pub(super) fn metadata_key(column: &str) -> &'static str {
    static KEYS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut keys = KEYS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(key) = keys.get(column) {
        return key;
    }
    let key: &'static str = Box::leak(Box::from(column));
    keys.insert(key);
    key
}

/// Whether the values of a type can stand in a directory's name.
pub(super) fn check(name: &str, data_type: &DataType) -> Result<(), Fault> {
    match &data_type.kind {
        TypeKind::Char(_)
        | TypeKind::VarChar(_)
        | TypeKind::Boolean
        | TypeKind::TinyInt
        | TypeKind::SmallInt
        | TypeKind::Int
        | TypeKind::BigInt
        | TypeKind::Float
        | TypeKind::Double
        | TypeKind::Date => Ok(()),
        _ => Err(Fault::not_yet(format!("partition column '{name}' of type {}", data_type.kind))
            .hint("partition by a column of a string, integer, BOOLEAN, FLOAT, DOUBLE or DATE type")),
    }
}

/// A value as text in a directory's name, not escaped yet; `None`: the default partition.
pub(super) fn text_of(value: &Value, data_type: &DataType) -> Option<String> {
    let mut out = String::new();
    match value {
        Value::Null => return None,
        Value::String(s) => out.push_str(s),
        Value::Boolean(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Int(days) if data_type.kind == TypeKind::Date => {
            push_date(&mut out, i32::try_from(*days).ok()?)
        }
        Value::Int(i) => out.push_str(&i.to_string()),
        Value::Float(f) if data_type.kind == TypeKind::Float => {
            millstream_text::number::push_f32(&mut out, *f as f32)
        }
        Value::Float(f) => millstream_text::number::push_f64(&mut out, *f),
        _ => return None,
    }
    (!out.is_empty()).then_some(out)
}

/// The value that a directory's name stands for.
pub(super) fn value_of(text: &str, column: &str, data_type: &DataType) -> Result<Value, Fault> {
    let wrong = || {
        Fault::user(
            "bad-partition",
            format!("'{text}' is no value of partition column '{column}', a {}", data_type.kind),
        )
        .hint("rename the directory, or declare the column as STRING")
    };
    let in_range = |low: i64, high: i64| {
        text.parse::<i64>().ok().filter(|i| (low..=high).contains(i)).map(Value::Int).ok_or_else(wrong)
    };
    match &data_type.kind {
        TypeKind::Char(_) | TypeKind::VarChar(_) => Ok(Value::String(text.into())),
        TypeKind::Boolean => match text.to_ascii_lowercase().as_str() {
            "true" => Ok(Value::Boolean(true)),
            "false" => Ok(Value::Boolean(false)),
            _ => Err(wrong()),
        },
        TypeKind::TinyInt => in_range(i64::from(i8::MIN), i64::from(i8::MAX)),
        TypeKind::SmallInt => in_range(i64::from(i16::MIN), i64::from(i16::MAX)),
        TypeKind::Int => in_range(i64::from(i32::MIN), i64::from(i32::MAX)),
        TypeKind::BigInt => in_range(i64::MIN, i64::MAX),
        TypeKind::Float => parse_f32(text).map(|f| Value::Float(f64::from(f))).map_err(|_| wrong()),
        TypeKind::Double => parse_f64(text).map(Value::Float).map_err(|_| wrong()),
        TypeKind::Date => date(text).map(Value::Int).ok_or_else(wrong),
        _ => Err(Fault::internal(format!("partition column of type {}", data_type.kind))),
    }
}

fn date(text: &str) -> Option<i64> {
    let mut parts = text.splitn(3, '-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let number = |t: &str| t.bytes().all(|b| b.is_ascii_digit()).then(|| t.parse::<i64>().ok()).flatten();
    let (year, month, day) = (number(year)?, number(month)?, number(day)?);
    let days = days_from_civil(year, month, day);
    let shown = millstream_text::temporal::civil_from_days(days);
    ((i64::from(shown.1), i64::from(shown.2)) == (month, day)).then_some(days)
}

/// The text that a path gives for a partition column: the value of its innermost `column=value` directory.
pub(super) fn find(path: &Path, column: &str) -> Option<String> {
    let directories = path.parent()?.components().rev();
    directories.filter_map(|c| c.as_os_str().to_str()).find_map(|name| {
        let (key, value) = name.split_once('=')?;
        (unescape(key) == column).then(|| unescape(value))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        for name in ["a b", "a/b=c", "50%", "x:y", "é{", "%2", "%zz", "\u{1}"] {
            assert_eq!(unescape(&escape(name)), name);
        }
        assert_eq!(escape("a/b:c"), "a%2Fb%3Ac");
        assert_eq!(unescape("100%"), "100%");
        assert_eq!(unescape("%é"), "%é");
    }

    #[test]
    fn values_of_directories() {
        let path = Path::new("/x/dt=2024-02-29/h=05/f.csv");
        assert_eq!(find(path, "dt").as_deref(), Some("2024-02-29"));
        assert_eq!(find(path, "h").as_deref(), Some("05"));
        assert_eq!(find(path, "z"), None);
        let date = TypeKind::Date.nullable();
        assert_eq!(value_of("2024-02-29", "dt", &date).unwrap(), Value::Int(19_782));
        assert!(value_of("2024-02-30", "dt", &date).is_err());
        assert_eq!(value_of("05", "h", &DataType::int()).unwrap(), Value::Int(5));
        assert!(value_of("x", "h", &DataType::int()).is_err());
        assert_eq!(text_of(&Value::Int(19_782), &date).as_deref(), Some("2024-02-29"));
        assert_eq!(text_of(&"".into(), &DataType::string()), None);
    }
}
