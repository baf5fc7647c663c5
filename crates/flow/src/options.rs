//! Options of a table, a format, a session.

use std::collections::BTreeMap;
use std::sync::Arc;

use millstream_types::Fault;

/// Options by key. Getters name the option in their faults. Cheap to clone: thousands of statements have the same ones.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Options {
    values: Arc<BTreeMap<String, String>>,
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Options {
    fn from_iter<T: IntoIterator<Item = (K, V)>>(pairs: T) -> Self {
        Options { values: Arc::new(pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect()) }
    }
}

impl Options {
    /// The value of an option.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.values.get(key).map(String::as_str)
    }

    /// Sets an option.
    pub fn set(&mut self, key: impl Into<String>, value: impl Into<String>) {
        Arc::make_mut(&mut self.values).insert(key.into(), value.into());
    }

    /// Takes an option away.
    pub fn remove(&mut self, key: &str) -> Option<String> {
        Arc::make_mut(&mut self.values).remove(key)
    }

    /// All of them, sorted by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.values.iter().map(|(k, v)| (k.as_str(), v.as_str()))
    }

    /// The options behind a prefix, without it: `json.fail-on-missing-field` is `fail-on-missing-field` of `json.`.
    pub fn with_prefix(&self, prefix: &str) -> Options {
        self.iter().filter_map(|(k, v)| Some((k.strip_prefix(prefix)?, v))).collect()
    }

    /// A `true` or `false` option.
    ///
    /// # Errors
    /// User, when it is neither.
    pub fn boolean(&self, key: &str, default: bool) -> Result<bool, Fault> {
        self.parsed(key, default, parse_boolean, "true or false")
    }

    /// A whole number.
    ///
    /// # Errors
    /// User, when it is none.
    pub fn integer(&self, key: &str, default: i64) -> Result<i64, Fault> {
        self.parsed(key, default, |v| v.trim().parse().ok(), "a whole number")
    }

    /// A duration in milliseconds.
    ///
    /// # Errors
    /// User, when it is none.
    pub fn duration(&self, key: &str, default_millis: u64) -> Result<u64, Fault> {
        self.parsed(key, default_millis, parse_duration, "a duration such as '10 s', '1 min' or '500 ms'")
    }

    /// A size in bytes.
    ///
    /// # Errors
    /// User, when it is none.
    pub fn memory_size(&self, key: &str, default_bytes: u64) -> Result<u64, Fault> {
        self.parsed(key, default_bytes, parse_memory_size, "a size such as '64 mb'")
    }

    fn parsed<T>(
        &self,
        key: &str,
        default: T,
        parse: impl Fn(&str) -> Option<T>,
        wanted: &str,
    ) -> Result<T, Fault> {
        match self.get(key) {
            None => Ok(default),
            Some(text) => parse(text).ok_or_else(|| {
                Fault::user(
                    "bad-option",
                    format!("option '{key}' has the value '{text}', which is not {wanted}"),
                )
                .hint(format!("set '{key}' to {wanted}"))
            }),
        }
    }
}

/// `true` or `false`, in any case.
pub fn parse_boolean(text: &str) -> Option<bool> {
    match text.trim().to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// A duration in milliseconds, in the spellings of Flink's `TimeUtils`: a number (milliseconds without unit) and a unit.
pub fn parse_duration(text: &str) -> Option<u64> {
    let (number, unit) = split_unit(text)?;
    let (mul, div) = match unit.as_str() {
        "d" | "day" | "days" => (86_400_000, 1),
        "h" | "hour" | "hours" => (3_600_000, 1),
        "m" | "min" | "minute" | "minutes" => (60_000, 1),
        "s" | "sec" | "second" | "seconds" => (1000, 1),
        "" | "ms" | "milli" | "millis" | "millisecond" | "milliseconds" => (1, 1),
        "µs" | "us" | "micro" | "micros" | "microsecond" | "microseconds" => (1, 1000),
        "ns" | "nano" | "nanos" | "nanosecond" | "nanoseconds" => (1, 1_000_000),
        _ => return None,
    };
    Some(number.checked_mul(mul)? / div)
}

/// A size in bytes, in the spellings of Flink's `MemorySize`: a number (bytes without unit) and a unit, powers of 1,024.
pub fn parse_memory_size(text: &str) -> Option<u64> {
    let (number, unit) = split_unit(text)?;
    let shift = match unit.as_str() {
        "" | "b" | "bytes" => 0,
        "k" | "kb" | "kibibytes" => 10,
        "m" | "mb" | "mebibytes" => 20,
        "g" | "gb" | "gibibytes" => 30,
        "t" | "tb" | "tebibytes" => 40,
        _ => return None,
    };
    number.checked_mul(1u64 << shift)
}

fn split_unit(text: &str) -> Option<(u64, String)> {
    let text = text.trim();
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at_checked(end)?;
    Some((number.parse().ok()?, unit.trim().to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_and_sizes() {
        assert_eq!(parse_duration("10 s"), Some(10_000));
        assert_eq!(parse_duration("1min"), Some(60_000));
        assert_eq!(parse_duration("7"), Some(7));
        assert_eq!(parse_duration("x"), None);
        assert_eq!(parse_memory_size("64 mb"), Some(64 << 20));
        assert_eq!(parse_memory_size("12"), Some(12));
        assert_eq!(parse_memory_size("1 zb"), None);
    }

    #[test]
    fn a_bad_value_names_the_option() {
        let o: Options = [("parallelism", "many")].into_iter().collect();
        let f = o.integer("parallelism", 1).unwrap_err();
        assert!(f.to_string().contains("'parallelism'"), "{f}");
    }
}
