//! What happens to a record that cannot be decoded.

use std::sync::Arc;

use millstream_flow::{BadRecord, Options, RawChunk};
use millstream_types::{Batch, Fault, RowKind, Schema, SchemaRef, Value};

/// Option `bad-records`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadPolicy {
    /// The job fails, as in Flink.
    Fail,
    /// It is counted.
    Skip,
    /// It goes to the table of `dead-letter.table`.
    DeadLetter,
}

impl BadPolicy {
    /// The policy that a table's options ask for.
    ///
    /// # Errors
    /// User, for another word, or `dead-letter` without a table.
    pub fn new(options: &Options) -> Result<Self, Fault> {
        match options.get("bad-records").unwrap_or("fail") {
            "fail" => Ok(BadPolicy::Fail),
            "skip" => Ok(BadPolicy::Skip),
            "dead-letter" if options.get("dead-letter.table").is_some() => Ok(BadPolicy::DeadLetter),
            "dead-letter" => Err(Fault::user(
                "bad-option",
                "'bad-records' = 'dead-letter' needs the option 'dead-letter.table'",
            )
            .hint("add 'dead-letter.table' = 'name of a table'")),
            other => Err(Fault::user("bad-option", format!("option 'bad-records' has the value '{other}'"))
                .hint("use 'fail', 'skip' or 'dead-letter'")),
        }
    }
}

/// The fault of a bad record, with its place.
pub fn located(bad: &BadRecord, chunk: &RawChunk, split: &str, unit: &str) -> Fault {
    bad.fault.clone().in_place(format!("{split}, {unit} {}", chunk.position(bad.record)))
}

/// Rows of a dead-letter table: the columns that it has, by name, of `reason`, `source`, `position`, `record`.
///
/// # Errors
/// User, when a column has another type than it takes.
pub fn dead_letters(
    bad: &[BadRecord],
    chunk: &RawChunk,
    split: &str,
    schema: &SchemaRef,
) -> Result<Batch, Fault> {
    let rows: Vec<(RowKind, Vec<Value>)> = bad
        .iter()
        .map(|b| {
            let row = schema
                .fields
                .iter()
                .map(|f| match &*f.name {
                    "reason" => Value::from(b.fault.message()),
                    "source" => Value::from(split),
                    "position" => Value::Int(chunk.position(b.record) as i64),
                    "record" if f.data_type.kind.is_binary() => Value::Bytes(chunk.record(b.record).into()),
                    "record" => Value::String(String::from_utf8_lossy(chunk.record(b.record)).into()),
                    _ => Value::Null,
                })
                .collect();
            (RowKind::Insert, row)
        })
        .collect();
    Batch::from_rows(Arc::new(Schema::new(schema.fields.clone())), &rows).map_err(|f| {
        Fault::user("dead-letter", format!("the dead-letter table's columns do not fit: {}", f.message()))
            .hint("declare it as (reason STRING, source STRING, position BIGINT, record STRING)")
    })
}
