//! MaxMind DBs: GeoLite2, GeoIP2, DB-IP, IPinfo and others.

use std::fmt::{self, Write};
use std::net::IpAddr;

use maxminddb::{MaxMindDbError, PathElement, Reader};
use millstream_text::json::escape_into;
use millstream_types::Fault;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::{RegionField, bad};

/// A database in memory.
pub(crate) struct Database {
    path: String,
    reader: Reader<Vec<u8>>,
}

impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Database({})", self.path)
    }
}

/// A step to a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Index(usize),
}

/// What precedes the metadata at the end of every database.
const MARKER: &[u8] = b"\xab\xcd\xefMaxMind.com";

/// Levels that databases of cities keep at another place.
const LEVELS: [(&str, &str); 5] = [
    ("province", "subdivisions.0"),
    ("region", "subdivisions.0"),
    ("postcode", "postal.code"),
    ("timezone", "location.time_zone"),
    ("org", "autonomous_system_organization"),
];

/// The field of a name such as `city`, `country.iso_code` or `subdivisions.0.names.de`.
pub(super) fn field(name: &str) -> RegionField {
    let steps = |path: &str| {
        path.split('.')
            .map(|s| s.parse().map_or_else(|_| Step::Key(s.to_string()), Step::Index))
            .collect::<Vec<_>>()
    };
    let other = LEVELS.iter().find(|(level, _)| level.eq_ignore_ascii_case(name));
    RegionField::Path(steps(name), other.map(|(_, path)| steps(path)))
}

impl Database {
    /// Whether a file is meant to be a database: by its marker or its ending.
    pub fn is_one(path: &str, content: &[u8]) -> bool {
        let named = path.to_ascii_lowercase().ends_with(".mmdb");
        // The metadata is in the last 128 kB.
        let tail = content.get(content.len().saturating_sub(128 << 10)..).unwrap_or(content);
        named || memchr::memmem::rfind(tail, MARKER).is_some()
    }

    /// Takes the content of a file.
    ///
    /// # Errors
    /// User, when it is damaged.
    pub fn read(path: &str, content: Vec<u8>) -> Result<Self, Fault> {
        let reader = Reader::from_source(content).map_err(|e| damaged(path, &e))?;
        Ok(Database { path: path.to_string(), reader })
    }

    /// Appends the value at a path in an address's record; `false`: there is none.
    ///
    /// # Errors
    /// User, when the database is damaged there.
    pub fn push(&self, address: IpAddr, path: &[Step], out: &mut String) -> Result<bool, Fault> {
        if address.is_ipv6() && self.reader.metadata().ip_version == 4 {
            return Ok(false);
        }
        let steps: Vec<PathElement<'_>> = path
            .iter()
            .map(|s| match s {
                Step::Key(key) => PathElement::Key(key),
                Step::Index(index) => PathElement::Index(*index),
            })
            .collect();
        let found = self.reader.lookup(address).and_then(|found| found.decode_path::<Datum>(&steps));
        match found {
            Ok(Some(datum)) => {
                datum.push(out);
                Ok(true)
            }
            // A path into what is no map or list leads nowhere.
            Ok(None) | Err(MaxMindDbError::Decoding { .. }) => Ok(false),
            Err(e) => Err(damaged(&self.path, &e)),
        }
    }
}

fn damaged(path: &str, error: &MaxMindDbError) -> Fault {
    bad(path, format!("the MaxMind DB is damaged: {error}"))
        .hint("download the file again; it must be a .mmdb file")
}

/// A value of a record.
#[derive(Debug)]
enum Datum {
    Text(String),
    /// A number or a truth, as text.
    Plain(String),
    List(Vec<Datum>),
    Map(Vec<(String, Datum)>),
}

impl Datum {
    /// As the function gives it: of a thing with names the English one, texts and numbers as they are, all else as JSON.
    fn push(&self, out: &mut String) {
        match self {
            Datum::Text(t) | Datum::Plain(t) => out.push_str(t),
            Datum::Map(_) => match self.get("names").and_then(|n| n.get("en")) {
                Some(Datum::Text(name)) => out.push_str(name),
                _ => self.push_json(out),
            },
            Datum::List(_) => self.push_json(out),
        }
    }

    fn get(&self, key: &str) -> Option<&Datum> {
        match self {
            Datum::Map(entries) => entries.iter().find(|(k, _)| k == key).map(|(_, v)| v),
            _ => None,
        }
    }

    fn push_json(&self, out: &mut String) {
        match self {
            Datum::Text(t) => push_quoted(t, out),
            Datum::Plain(t) => out.push_str(t),
            Datum::List(items) => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i > 0 { "," } else { "" });
                    item.push_json(out);
                }
                out.push(']');
            }
            Datum::Map(entries) => {
                out.push('{');
                for (i, (key, value)) in entries.iter().enumerate() {
                    out.push_str(if i > 0 { "," } else { "" });
                    push_quoted(key, out);
                    out.push(':');
                    value.push_json(out);
                }
                out.push('}');
            }
        }
    }
}

fn push_quoted(text: &str, out: &mut String) {
    out.push('"');
    escape_into(text, out);
    out.push('"');
}

impl<'de> Deserialize<'de> for Datum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyDatum)
    }
}

struct AnyDatum;

fn plain<E>(value: impl fmt::Display) -> Result<Datum, E> {
    Ok(Datum::Plain(value.to_string()))
}

impl<'de> Visitor<'de> for AnyDatum {
    type Value = Datum;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_str<E>(self, v: &str) -> Result<Datum, E> {
        Ok(Datum::Text(v.to_string()))
    }

    fn visit_bytes<E>(self, v: &[u8]) -> Result<Datum, E> {
        let mut hex = String::with_capacity(v.len() * 2);
        v.iter().for_each(|b| {
            let _ = write!(hex, "{b:02X}");
        });
        Ok(Datum::Text(hex))
    }

    fn visit_bool<E>(self, v: bool) -> Result<Datum, E> {
        plain(v)
    }

    fn visit_i64<E>(self, v: i64) -> Result<Datum, E> {
        plain(v)
    }

    fn visit_u64<E>(self, v: u64) -> Result<Datum, E> {
        plain(v)
    }

    fn visit_u128<E>(self, v: u128) -> Result<Datum, E> {
        plain(v)
    }

    fn visit_f32<E>(self, v: f32) -> Result<Datum, E> {
        plain(v)
    }

    fn visit_f64<E>(self, v: f64) -> Result<Datum, E> {
        plain(v)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Datum, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Datum::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Datum, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Datum::Map(entries))
    }
}
