//! Sinks: write, prepare, commit.
//!
//! The contract (exactly-once): between two barriers the engine calls [`Writer::write`]. At the barrier of checkpoint n it calls
//! [`Writer::prepare`], whose [`Committable`]s become part of the manifest. When the manifest is durable it calls [`Committer::commit`] for
//! each, which must be idempotent. After a restore it asks [`Committer::is_committed`] for the restored manifest's committables and commits
//! those that are not. Checkpoint n + 1 begins only when everything of n is committed.
//!
//! Without checkpoints a writer gets one `prepare` at the end of bounded input; unbounded jobs call it by time and size
//! (at-least-once).

use std::fmt::Debug;

use millstream_types::{Batch, Fault};

use crate::BoxFuture;

/// Output that is written but not visible yet; the sink's own text, kept in the manifest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Committable(pub String);

/// A planned sink of a table.
pub trait Sink: Send + Sync + Debug {
    /// Opens a writer.
    fn writer<'a>(&'a self, context: &'a WriterContext) -> BoxFuture<'a, Result<Box<dyn Writer>, Fault>>;

    /// Commits what writers prepared; `None` for sinks whose output is visible at once (print, blackhole).
    fn committer(&self) -> Option<Box<dyn Committer>>;
}

/// Which writer it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriterContext {
    /// The job's id, minted in its first checkpoint (or at its start, without checkpoints).
    pub job: String,
    /// Number of this start of the job, from 1: names of temporary output carry it.
    pub start: u64,
    /// Number of the writer among all of the job, from 0: names of temporary output carry it, too.
    pub subtask: usize,
    /// Its number among the writers of its INSERT, from 0.
    pub index: usize,
    /// How many writers its INSERT has.
    pub parallelism: usize,
    /// Whether the job takes checkpoints.
    pub checkpoints: bool,
}

/// Writes rows.
pub trait Writer: Send {
    /// Writes the rows of a batch, in order. Waits while the outside is slow.
    fn write<'a>(&'a mut self, batch: &'a Batch) -> BoxFuture<'a, Result<(), Fault>>;

    /// Makes all that was written durable, but not visible: the part of the checkpoint's manifest. Also rows that went out at once
    /// (a terminal) are flushed here.
    fn prepare(&mut self, checkpoint: u64) -> BoxFuture<'_, Result<Vec<Committable>, Fault>>;

    /// Called between batches every second or so: time for rolling by time. Says whether the writer would like a `prepare` soon.
    fn wants_prepare(&self, now_millis: i64) -> bool {
        let _ = now_millis;
        false
    }

    /// Throws away what is not prepared; called when the job fails or is stopped at once.
    fn abort(&mut self) -> BoxFuture<'_, Result<(), Fault>>;
}

/// Makes prepared output visible.
pub trait Committer: Send + Sync {
    /// Makes it visible. Called again after a restart: doing it twice must be the same as once.
    fn commit<'a>(&'a self, committable: &'a Committable) -> BoxFuture<'a, Result<(), Fault>>;

    /// Whether it was committed before the restart.
    fn is_committed<'a>(&'a self, committable: &'a Committable) -> BoxFuture<'a, Result<bool, Fault>>;

    /// Removes leftovers of earlier starts of the job; called after this start owns its number. `keep` are committables of the
    /// restored manifest.
    fn clean<'a>(
        &'a self,
        context: &'a WriterContext,
        keep: &'a [Committable],
    ) -> BoxFuture<'a, Result<(), Fault>>;
}
