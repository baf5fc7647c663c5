//! Files whose rows carry a `seq`: they are read in its order over all files of a query, each row going all the way through before the next.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use millstream::flow::{
    BoxFuture, Connector, ConnectorCard, Offset, RawChunk, Read, RecordSpan, Sink, SinkSpec, Source,
    SourceSpec, Split, SplitReader,
};
use millstream::types::Fault;

/// Turns of the runtime after which everything that a row caused has happened: more than any query has tasks.
const SETTLED: usize = 100;

/// Stands in for the `filesystem` connector.
#[derive(Debug, Default)]
pub struct PacedFiles {
    pace: Arc<Mutex<Pace>>,
}

/// Rows of all files that are still to come.
#[derive(Debug, Default)]
struct Pace {
    waiting: BTreeSet<i64>,
    quiet: usize,
}

fn lock(pace: &Mutex<Pace>) -> MutexGuard<'_, Pace> {
    pace.lock().unwrap_or_else(PoisonError::into_inner)
}

#[derive(Debug)]
struct PacedFile {
    path: String,
    pace: Arc<Mutex<Pace>>,
}

struct PacedReader {
    rows: std::vec::IntoIter<(i64, String)>,
    next: Option<(i64, String)>,
    read: u64,
    pace: Arc<Mutex<Pace>>,
}

impl Connector for PacedFiles {
    fn card(&self) -> &'static ConnectorCard {
        millstream_connectors::filesystem::Filesystem.card()
    }

    fn source(&self, spec: SourceSpec) -> Result<Arc<dyn Source>, Fault> {
        let path = spec.options.get("path").unwrap_or("").to_string();
        for (seq, _) in rows(&path)? {
            lock(&self.pace).waiting.insert(seq);
        }
        Ok(Arc::new(PacedFile { path, pace: self.pace.clone() }))
    }

    fn sink(&self, spec: SinkSpec) -> Result<Arc<dyn Sink>, Fault> {
        millstream_connectors::filesystem::Filesystem.sink(spec)
    }
}

fn rows(path: &str) -> Result<Vec<(i64, String)>, Fault> {
    let text = std::fs::read_to_string(path).map_err(|e| Fault::external("file", format!("{path}: {e}")))?;
    text.lines()
        .filter(|l| !l.trim().is_empty())
        .map(|line| {
            let row: serde_json::Value =
                serde_json::from_str(line).map_err(|e| Fault::user("bad-record", format!("{path}: {e}")))?;
            let seq =
                row["seq"].as_i64().ok_or_else(|| Fault::user("bad-record", format!("{path}: no seq")))?;
            Ok((seq, line.to_string()))
        })
        .collect()
}

impl Source for PacedFile {
    fn is_bounded(&self) -> bool {
        true
    }

    fn discover<'a>(&'a self, known: &'a [Split]) -> BoxFuture<'a, Result<Vec<Split>, Fault>> {
        let found = if known.is_empty() {
            vec![Split { id: self.path.as_str().into(), payload: String::new() }]
        } else {
            Vec::new()
        };
        Box::pin(async move { Ok(found) })
    }

    fn reads_in_sequence(&self) -> bool {
        true
    }

    fn open<'a>(
        &'a self,
        _: &'a Split,
        _: Option<&'a Offset>,
    ) -> BoxFuture<'a, Result<Box<dyn SplitReader>, Fault>> {
        Box::pin(async move {
            let mut rows = rows(&self.path)?.into_iter();
            let next = rows.next();
            Ok(Box::new(PacedReader { rows, next, read: 0, pace: self.pace.clone() }) as Box<dyn SplitReader>)
        })
    }
}

impl SplitReader for PacedReader {
    fn next(&mut self) -> BoxFuture<'_, Result<Read, Fault>> {
        Box::pin(async move {
            let Some((seq, _)) = &self.next else {
                lock(&self.pace).quiet = 0;
                return Ok(Read::End);
            };
            loop {
                {
                    let mut pace = lock(&self.pace);
                    pace.quiet += 1;
                    if pace.quiet > SETTLED && pace.waiting.first() == Some(seq) {
                        pace.waiting.remove(seq);
                        pace.quiet = 0;
                        break;
                    }
                }
                tokio::task::yield_now().await;
            }
            let line = self.next.take().map(|(_, line)| line).unwrap_or_default();
            self.next = self.rows.next();
            self.read += 1;
            Ok(Read::Records(RawChunk {
                records: vec![RecordSpan { start: 0, end: line.len() as u32 }],
                data: line.into_bytes().into(),
                first_position: self.read,
                ..RawChunk::default()
            }))
        })
    }

    fn offset(&self) -> Offset {
        Offset::of(&[("rows", self.read)])
    }
}
