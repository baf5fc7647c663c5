//! The options of a datagen table: for the table, and for each of its columns and what is nested in them.

use millstream_flow::{OptionCard, OptionKind, Options};
use millstream_types::{DataType, Fault, Schema, TypeKind, nearest};

const TEXT: OptionCard = OptionCard {
    key: "",
    aliases: &[],
    kind: OptionKind::Text,
    default: None,
    required: false,
    secret: false,
    doc: "",
};

/// The card's options. Behind `fields.` stands a column's name, for nested values with `.element`, `.key`, `.value` or the field's name.
pub(super) const OPTIONS: &[OptionCard] = &[
    OptionCard {
        key: "rows-per-second",
        kind: OptionKind::Integer,
        default: Some("10000"),
        doc: "Rows a second.",
        ..TEXT
    },
    OptionCard {
        key: "number-of-rows",
        kind: OptionKind::Integer,
        doc: "How many rows there are in all. Not set: no end, unless a sequence has one.",
        ..TEXT
    },
    OptionCard {
        key: "scan.parallelism",
        kind: OptionKind::Integer,
        doc: "Taken for compatibility; rows are made by one reader.",
        ..TEXT
    },
    OptionCard {
        key: "fields.#.kind",
        kind: OptionKind::OneOf(&["random", "sequence"]),
        default: Some("random"),
        doc: "Random values, or one number after the other.",
        ..TEXT
    },
    OptionCard {
        key: "fields.#.min",
        kind: OptionKind::Number,
        doc: "Smallest random number. The least of the type if not set.",
        ..TEXT
    },
    OptionCard {
        key: "fields.#.max",
        kind: OptionKind::Number,
        doc: "Largest random number. The greatest of the type if not set.",
        ..TEXT
    },
    OptionCard {
        key: "fields.#.max-past",
        kind: OptionKind::Duration,
        default: Some("0"),
        doc: "How far back random timestamps may lie.",
        ..TEXT
    },
    OptionCard {
        key: "fields.#.length",
        kind: OptionKind::Integer,
        doc: "Length of strings and bytes (100, or the type's), size of collections (3).",
        ..TEXT
    },
    OptionCard {
        key: "fields.#.var-len",
        kind: OptionKind::Boolean,
        default: Some("false"),
        doc: "Strings and bytes of any length from 1 up to below `length`.",
        ..TEXT
    },
    OptionCard { key: "fields.#.start", doc: "First number of a sequence.", ..TEXT },
    OptionCard { key: "fields.#.end", doc: "Last number of a sequence; the table ends with it.", ..TEXT },
    OptionCard {
        key: "fields.#.null-rate",
        kind: OptionKind::Number,
        default: Some("0"),
        doc: "The part of the values that is NULL, from 0 to 1.",
        ..TEXT
    },
];

/// Whether a table with these options ends.
pub(super) fn is_bounded(options: &Options) -> bool {
    options.get("number-of-rows").is_some()
        || options.iter().any(|(k, v)| k.starts_with("fields.") && k.ends_with(".kind") && v == "sequence")
}

/// Options of the table as a whole.
#[derive(Debug)]
pub(super) struct TableOptions {
    pub rows_per_second: u64,
    pub number_of_rows: Option<u64>,
}

impl TableOptions {
    pub fn read(options: &Options, schema: &Schema) -> Result<Self, Fault> {
        let rows_per_second = u64::try_from(options.integer("rows-per-second", 10_000)?).unwrap_or(0);
        if rows_per_second == 0 {
            return Err(bad("rows-per-second", "must be at least 1"));
        }
        let number_of_rows = match options.get("number-of-rows") {
            None => None,
            Some(_) => Some(
                u64::try_from(options.integer("number-of-rows", 0)?)
                    .map_err(|_| bad("number-of-rows", "must not be negative"))?,
            ),
        };
        for (key, _) in options.iter() {
            if let Some(rest) = key.strip_prefix("fields.") {
                check_name(key, rest, schema)?;
            }
        }
        Ok(TableOptions { rows_per_second, number_of_rows })
    }
}

pub(super) fn bad(key: &str, what: &str) -> Fault {
    Fault::user("bad-option", format!("option '{key}' {what}"))
}

/// An option of a column that does not exist would do nothing: it is a mistake.
fn check_name(key: &str, rest: &str, schema: &Schema) -> Result<(), Fault> {
    let known = |f: &millstream_types::Field| {
        rest.strip_prefix(&*f.name)
            .and_then(|r| r.strip_prefix('.'))
            .is_some_and(|path| is_path(path, &f.data_type))
    };
    if schema.fields.iter().any(known) {
        return Ok(());
    }
    let (column, _) = rest.split_once('.').unwrap_or((rest, ""));
    let fault = Fault::user("unknown-option", format!("option '{key}' belongs to no column of the table"));
    let names = schema.fields.iter().map(|f| &*f.name);
    Err(match nearest(column, names).filter(|n| *n != column) {
        Some(name) => fault.hint(format!("did you mean column '{name}'?")),
        None => fault.hint(
            "write 'fields.<column>.<option>' with one of kind, min, max, max-past, length, var-len, start, end, null-rate",
        ),
    })
}

fn is_path(path: &str, data_type: &DataType) -> bool {
    let options = ["kind", "min", "max", "max-past", "length", "var-len", "start", "end", "null-rate"];
    if options.contains(&path) {
        return true;
    }
    let inner = |name: &str, t: &DataType| {
        path.strip_prefix(name).and_then(|p| p.strip_prefix('.')).is_some_and(|p| is_path(p, t))
    };
    match &data_type.kind {
        TypeKind::Array(e) | TypeKind::Multiset(e) => inner("element", e),
        TypeKind::Map(k, v) => inner("key", k) || inner("value", v),
        TypeKind::Row(fields) => fields.iter().any(|f| inner(&f.name, &f.data_type)),
        _ => false,
    }
}
