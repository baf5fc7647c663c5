//! Sources: splits, positions, and readers of raw records or rows.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use millstream_types::{Batch, Fault};

use crate::{BoxFuture, RawChunk};

/// A part of a source that is read in order by one reader: a file, a partition of a topic.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Split {
    /// Identifies it over restarts and is shown in messages: a path, `topic/3`.
    pub id: Arc<str>,
    /// What the connector needs to open it; opaque to the engine, kept in checkpoints.
    pub payload: String,
}

/// Where to go on in a split: connector's own text (`bytes=1024,line=7`), kept in checkpoints.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Offset(pub String);

impl fmt::Display for Offset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Offset {
    /// An offset of named numbers.
    pub fn of(parts: &[(&str, u64)]) -> Self {
        let map: BTreeMap<_, _> = parts.iter().copied().collect();
        Offset(map.iter().map(|(k, v)| format!("{k}={v}")).collect::<Vec<_>>().join(","))
    }

    /// A named number of it.
    pub fn part(&self, name: &str) -> Option<u64> {
        self.0.split(',').find_map(|p| p.strip_prefix(name)?.strip_prefix('=')?.parse().ok())
    }
}

/// A planned source of a table.
pub trait Source: Send + Sync + fmt::Debug {
    /// Whether it ends by itself.
    fn is_bounded(&self) -> bool;

    /// The splits there are now that are not in `known`, in the order in which they are to be read. An unbounded source is asked again
    /// every [`Source::discovery_interval`].
    fn discover<'a>(&'a self, known: &'a [Split]) -> BoxFuture<'a, Result<Vec<Split>, Fault>>;

    /// Milliseconds between two discoveries; `None`: once is enough.
    fn discovery_interval(&self) -> Option<u64> {
        None
    }

    /// Whether splits are read one after the other by one reader (files) or side by side (partitions).
    fn reads_in_sequence(&self) -> bool;

    /// What a record's position counts, for messages: `line`, `offset`.
    fn position_unit(&self) -> &'static str {
        "record"
    }

    /// What a split is called in messages: a path, `topic/3`.
    fn shown<'a>(&self, split: &'a Split) -> &'a str {
        &split.id
    }

    /// Whether several readers can have all of it, each from any offset: then jobs that read the same share one reader, and come to it and leave
    /// it by [`Source::order`] and [`SplitReader::stop_at`]. Else each job reads by itself.
    fn is_replayable(&self) -> bool {
        false
    }

    /// Which of two offsets of one split comes first; `None`: the source cannot tell.
    fn order(&self, a: &Offset, b: &Offset) -> Option<Ordering> {
        let _ = (a, b);
        None
    }

    /// Opens a split at an offset that its reader gave earlier, or at its start.
    fn open<'a>(
        &'a self,
        split: &'a Split,
        from: Option<&'a Offset>,
    ) -> BoxFuture<'a, Result<Box<dyn SplitReader>, Fault>>;
}

/// What one read gives.
#[derive(Debug)]
pub enum Read {
    /// Raw records, to be decoded by the scan.
    Records(RawChunk),
    /// Rows of a source that has no format (datagen, a database).
    Rows(Batch),
    /// Nothing for now; the reader waited as long as it wanted to.
    Nothing,
    /// The split has ended.
    End,
}

/// Reads one split in order.
pub trait SplitReader: Send {
    /// The next records. Waits while there are none, but not for ever: returns [`Read::Nothing`] at the latest after about 100 ms, so
    /// that barriers and stops are not held up. Cancel-safe: dropping the future loses nothing.
    fn next(&mut self) -> BoxFuture<'_, Result<Read, Fault>>;

    /// Where to go on behind everything that [`SplitReader::next`] has returned.
    fn offset(&self) -> Offset;

    /// Reads no further than an offset that another reader of the split gave, which is not before this reader's own: [`SplitReader::next`] then
    /// gives nothing more. `None`: goes on. Says whether it will keep to that.
    fn stop_at(&mut self, end: Option<&Offset>) -> bool {
        end.is_none()
    }
}
