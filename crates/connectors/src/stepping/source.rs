//! The inside of stepping tables: readers that give one record at a time.

use std::cmp::Ordering;
use std::pin::pin;
use std::sync::Arc;

use bytes::Bytes;
use millstream_flow::{
    BoxFuture, Offset, RawChunk, Read, RecordSpan, Source, SourceSpec, Spawner, Split, SplitReader,
};
use millstream_types::{Batch, Fault, SchemaRef};

use super::handle::{Progress, Record, Tables};
use super::options::is_bounded;
use crate::waiting::{LONGEST_WAIT, before};

/// A planned stepping table.
#[derive(Debug)]
pub(super) struct SteppingSource {
    table: String,
    schema: SchemaRef,
    rows: bool,
    bounded: bool,
    tables: Arc<Tables>,
    spawner: Arc<dyn Spawner>,
}

impl SteppingSource {
    pub fn new(spec: SourceSpec, rows: bool, tables: Arc<Tables>) -> Self {
        SteppingSource {
            bounded: is_bounded(&spec.options),
            table: spec.table,
            schema: spec.schema,
            rows,
            tables,
            spawner: spec.environment.spawner,
        }
    }
}

impl Source for SteppingSource {
    fn is_bounded(&self) -> bool {
        self.bounded
    }

    fn discover<'a>(&'a self, known: &'a [Split]) -> BoxFuture<'a, Result<Vec<Split>, Fault>> {
        let split = Split { id: self.table.as_str().into(), payload: String::new() };
        Box::pin(async move { Ok(if known.is_empty() { vec![split] } else { Vec::new() }) })
    }

    fn reads_in_sequence(&self) -> bool {
        true
    }

    fn is_replayable(&self) -> bool {
        true
    }

    fn order(&self, a: &Offset, b: &Offset) -> Option<Ordering> {
        Some(a.part("records")?.cmp(&b.part("records")?))
    }

    fn open<'a>(
        &'a self,
        _: &'a Split,
        from: Option<&'a Offset>,
    ) -> BoxFuture<'a, Result<Box<dyn SplitReader>, Fault>> {
        Box::pin(async move {
            let next =
                usize::try_from(from.and_then(|o| o.part("records")).unwrap_or(0)).unwrap_or(usize::MAX);
            Ok(Box::new(SteppingReader {
                number: self.tables.open(&self.table, next),
                table: self.table.clone(),
                schema: self.schema.clone(),
                rows: self.rows,
                tables: Arc::clone(&self.tables),
                spawner: Arc::clone(&self.spawner),
                next,
                end: usize::MAX,
            }) as Box<dyn SplitReader>)
        })
    }
}

struct SteppingReader {
    number: u64,
    table: String,
    schema: SchemaRef,
    rows: bool,
    tables: Arc<Tables>,
    spawner: Arc<dyn Spawner>,
    next: usize,
    /// Records from here on are not to be given.
    end: usize,
}

enum Look {
    Record(Record),
    Nothing,
    End,
}

impl SteppingReader {
    /// The next record if there is one.
    fn look(&mut self) -> Look {
        let (number, next) = (self.number, self.next);
        let (look, changed) = self.tables.look(&self.table, |t| {
            let look = match t.records.get(next) {
                Some(record) => Look::Record(record.clone()),
                None if t.ended => Look::End,
                None => Look::Nothing,
            };
            let progress = match look {
                Look::Record(_) => Progress { delivered: next + 1, asking: false },
                _ => Progress { delivered: next, asking: true },
            };
            let changed = t.readers.get(&number) != Some(&progress) || matches!(look, Look::End);
            (look, changed.then_some(progress))
        });
        if let Some(progress) = changed {
            self.tables.with(&self.table, |t| {
                t.readers.insert(number, progress);
                t.finished |= matches!(look, Look::End);
            });
        }
        look
    }

    async fn read(&mut self) -> Result<Read, Fault> {
        if self.next >= self.end {
            return Ok(Read::Nothing);
        }
        let tables = Arc::clone(&self.tables);
        let mut limit = self.spawner.sleep(LONGEST_WAIT);
        loop {
            // Before the look, so that a record that is pushed between the two is not slept through.
            let mut changed = pin!(tables.changed.notified());
            match self.look() {
                Look::Record(record) => return self.deliver(record),
                Look::End => return Ok(Read::End),
                Look::Nothing => {}
            }
            if before(changed.as_mut(), limit.as_mut()).await.is_none() {
                return Ok(Read::Nothing);
            }
        }
    }

    fn deliver(&mut self, record: Record) -> Result<Read, Fault> {
        let position = self.next as u64;
        self.next += 1;
        match (record, self.rows) {
            (Record::Raw(data), false) => {
                let end =
                    u32::try_from(data.len()).map_err(|_| Fault::internal("a stepped record of 4 GB"))?;
                Ok(Read::Records(RawChunk {
                    data: Bytes::from(data),
                    records: vec![RecordSpan { start: 0, end }],
                    first_position: position + 1,
                    ..RawChunk::default()
                }))
            }
            (Record::Row(kind, values), true) => {
                Ok(Read::Rows(Batch::from_rows(self.schema.clone(), &[(kind, values)])?))
            }
            (Record::Raw(_), true) => Err(mismatch(&self.table, "a raw record", "stepping")),
            (Record::Row(..), false) => Err(mismatch(&self.table, "a row", "stepping-rows")),
        }
    }
}

fn mismatch(table: &str, what: &str, connector: &str) -> Fault {
    Fault::user("wrong-record", format!("{what} was pushed to table '{table}'"))
        .hint(format!("declare the table with 'connector' = '{connector}'"))
}

impl SplitReader for SteppingReader {
    fn next(&mut self) -> BoxFuture<'_, Result<Read, Fault>> {
        Box::pin(self.read())
    }

    fn offset(&self) -> Offset {
        Offset::of(&[("records", self.next as u64)])
    }

    fn stop_at(&mut self, end: Option<&Offset>) -> bool {
        let Some(end) = end else {
            self.end = usize::MAX;
            return true;
        };
        match end.part("records").and_then(|r| usize::try_from(r).ok()).filter(|r| *r >= self.next) {
            Some(records) => {
                self.end = records;
                true
            }
            None => false,
        }
    }
}

impl Drop for SteppingReader {
    fn drop(&mut self) {
        self.tables.with(&self.table, |t| {
            t.readers.remove(&self.number);
        });
    }
}
