//! Makes rows at the rate that was asked for.

use std::sync::Arc;

use millstream_flow::{BoxFuture, Environment, Offset, Read, Source, SourceSpec, Split, SplitReader};
use millstream_types::{Batch, Fault, SchemaRef, Value};

use super::generate::{Draw, Generator};
use super::options::{TableOptions, is_bounded};
use crate::waiting::LONGEST_WAIT;

/// Rows of a batch at most.
const MOST_ROWS: u64 = 4096;
/// Shortest wait in milliseconds: rows that come faster are made in groups.
const SHORTEST_WAIT: u64 = 5;

/// A planned datagen table.
#[derive(Debug)]
pub(super) struct DatagenSource {
    schema: SchemaRef,
    columns: Arc<[Generator]>,
    rows_per_second: u64,
    /// Rows in all.
    last: Option<u64>,
    bounded: bool,
    environment: Environment,
}

impl DatagenSource {
    pub fn new(spec: SourceSpec) -> Result<Self, Fault> {
        let options = TableOptions::read(&spec.options, &spec.schema)?;
        let mut last = options.number_of_rows;
        let mut columns = Vec::with_capacity(spec.schema.len());
        for field in &spec.schema.fields {
            let (generator, count) = Generator::of_column(&field.name, &field.data_type, &spec.options)?;
            columns.push(generator);
            last = match (last, count) {
                (Some(a), Some(b)) => Some(a.min(b)),
                (a, b) => a.or(b),
            };
        }
        Ok(DatagenSource {
            columns: columns.into(),
            rows_per_second: options.rows_per_second,
            last,
            bounded: is_bounded(&spec.options),
            schema: spec.schema,
            environment: spec.environment,
        })
    }
}

impl Source for DatagenSource {
    fn is_bounded(&self) -> bool {
        self.bounded
    }

    fn discover<'a>(&'a self, known: &'a [Split]) -> BoxFuture<'a, Result<Vec<Split>, Fault>> {
        let split = Split { id: "datagen".into(), payload: String::new() };
        Box::pin(async move { Ok(if known.is_empty() { vec![split] } else { Vec::new() }) })
    }

    fn reads_in_sequence(&self) -> bool {
        true
    }

    fn open<'a>(
        &'a self,
        _: &'a Split,
        from: Option<&'a Offset>,
    ) -> BoxFuture<'a, Result<Box<dyn SplitReader>, Fault>> {
        Box::pin(async move {
            let (next, seed) = match from {
                None => (0, self.environment.random.next_u64()),
                Some(offset) => match (offset.part("rows"), offset.part("seed")) {
                    (Some(rows), Some(seed)) => (rows, seed),
                    _ => return Err(Fault::internal(format!("'{offset}' is no offset of datagen"))),
                },
            };
            Ok(Box::new(DatagenReader {
                schema: self.schema.clone(),
                columns: Arc::clone(&self.columns),
                rows_per_second: self.rows_per_second,
                last: self.last,
                started_nanos: self.environment.clock.monotonic_nanos(),
                environment: self.environment.clone(),
                first: next,
                next,
                seed,
            }) as Box<dyn SplitReader>)
        })
    }
}

struct DatagenReader {
    schema: SchemaRef,
    columns: Arc<[Generator]>,
    rows_per_second: u64,
    last: Option<u64>,
    environment: Environment,
    started_nanos: u64,
    /// The row that this reader began with.
    first: u64,
    next: u64,
    seed: u64,
}

impl DatagenReader {
    /// Rows that may have been made by now, and the milliseconds until there is one more.
    fn due(&self) -> (u64, u64) {
        let elapsed = self.environment.clock.monotonic_nanos().saturating_sub(self.started_nanos);
        let scaled = u128::from(elapsed) * u128::from(self.rows_per_second);
        let due = u64::try_from(scaled / 1_000_000_000).unwrap_or(u64::MAX).saturating_add(1);
        let missing = 1_000_000_000 - scaled % 1_000_000_000;
        let wait = missing / u128::from(self.rows_per_second) / 1_000_000 + 1;
        (self.first.saturating_add(due), u64::try_from(wait).unwrap_or(LONGEST_WAIT))
    }

    async fn read(&mut self) -> Result<Read, Fault> {
        if self.last.is_some_and(|last| self.next >= last) {
            return Ok(Read::End);
        }
        let (mut due, wait) = self.due();
        if due <= self.next {
            self.environment.spawner.sleep(wait.clamp(SHORTEST_WAIT, LONGEST_WAIT)).await;
            due = self.due().0;
        }
        let end = due.min(self.next.saturating_add(MOST_ROWS)).min(self.last.unwrap_or(u64::MAX));
        if end <= self.next {
            return Ok(Read::Nothing);
        }
        let now = self.environment.clock.now_millis();
        let mut arrays = Vec::with_capacity(self.columns.len());
        for (i, (column, field)) in self.columns.iter().zip(&self.schema.fields).enumerate() {
            let values: Vec<Value> = (self.next..end)
                .map(|row| column.value(&mut Draw::new(self.seed, row, i as u64), row, now))
                .collect();
            arrays.push(Value::array(&values, &field.data_type)?);
        }
        let rows = (end - self.next) as usize;
        self.next = end;
        Ok(Read::Rows(Batch::new(self.schema.clone(), arrays, rows)))
    }
}

impl SplitReader for DatagenReader {
    fn next(&mut self) -> BoxFuture<'_, Result<Read, Fault>> {
        Box::pin(self.read())
    }

    fn offset(&self) -> Offset {
        Offset::of(&[("rows", self.next), ("seed", self.seed)])
    }
}
