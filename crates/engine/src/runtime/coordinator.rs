//! The coordinator of a job: starts checkpoints, writes manifests, commits, ends the job.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use millstream_flow::{Barrier, Committable, Committer};
use millstream_operators::StateWriter;
use millstream_plan::OperatorId;
use millstream_types::{Clock, Fault};
use tokio::sync::{mpsc, watch};

use super::job::{Completion, JobPosition, StopMode, prune};
use super::progress::Progress;
use crate::checkpoint::{CheckpointStorage, Manifest, ManifestScan, ManifestSink, ManifestSplit};
use crate::scan::{Command, ScanRoute, SplitPool};

/// What tasks tell the coordinator.
pub enum Event {
    /// A scan has passed a barrier on.
    ScanAck {
        /// The task.
        task: usize,
        /// The checkpoint.
        checkpoint: u64,
        /// Where reading stood.
        scan: ManifestScan,
        /// State of the operators in its chain.
        state: TaskState,
    },
    /// An operator task has passed a barrier on.
    OperatorAck {
        /// The task.
        task: usize,
        /// The checkpoint.
        checkpoint: u64,
        /// State of its operators.
        state: TaskState,
    },
    /// A sink has prepared.
    SinkAck {
        /// The sink.
        sink: usize,
        /// The checkpoint.
        checkpoint: u64,
        /// What it prepared.
        committables: Vec<Committable>,
    },
    /// A scan has nothing left to read, or was told to stop.
    ScanFinished {
        /// The task.
        task: usize,
    },
    /// A sink task has ended.
    SinkEnded,
    /// A task has failed, and with it the job.
    Failed {
        /// The statement that it belongs to.
        statement: Option<usize>,
        /// Why.
        fault: Fault,
    },
}

/// State that the operators of a task wrote at a barrier.
#[derive(Debug, Default)]
pub struct TaskState {
    /// The entries, in the order in which they were written.
    pub entries: Vec<StateEntry>,
}

/// An entry of keyed state.
#[derive(Debug)]
pub struct StateEntry {
    /// The operator.
    pub operator: OperatorId,
    /// The key group.
    pub group: u16,
    /// The state's name within the operator.
    pub name: String,
    /// The key's bytes.
    pub key: Vec<u8>,
    /// The value's bytes.
    pub value: Vec<u8>,
}

/// Takes the state of one operator.
pub struct OperatorState<'a> {
    id: OperatorId,
    state: &'a mut TaskState,
}

impl TaskState {
    /// A writer for an operator's state.
    pub fn writer(&mut self, id: OperatorId) -> OperatorState<'_> {
        OperatorState { id, state: self }
    }
}

impl StateWriter for OperatorState<'_> {
    fn put(&mut self, group: u16, name: &str, key: &[u8], value: &[u8]) -> Result<(), Fault> {
        self.state.entries.push(StateEntry {
            operator: self.id,
            group,
            name: name.to_string(),
            key: key.to_vec(),
            value: value.to_vec(),
        });
        Ok(())
    }
}

/// A sink as the coordinator sees it.
pub(super) struct CoordinatedSink {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) committer: Option<Arc<dyn Committer>>,
}

/// The coordinator's own state.
pub(super) struct Coordinator {
    pub(super) job: u64,
    pub(super) scans: Vec<ScanRoute>,
    /// Task numbers of operator tasks.
    pub(super) operators: Vec<usize>,
    /// The splits of sources that several tasks read, by the scan's id.
    pub(super) pools: Vec<(String, Arc<SplitPool>)>,
    pub(super) sinks: Vec<CoordinatedSink>,
    pub(super) events: mpsc::UnboundedReceiver<Event>,
    pub(super) control: mpsc::UnboundedReceiver<StopMode>,
    pub(super) cancel: watch::Sender<bool>,
    /// The manifest that this start began with, and where manifests go; `None`: no checkpoints.
    pub(super) storage: Option<(Arc<dyn CheckpointStorage>, Manifest)>,
    /// Milliseconds between checkpoints.
    pub(super) interval: Option<u64>,
    pub(super) retained: usize,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) progress: Arc<Progress>,
    /// Where the sources stood at the last barrier of all.
    pub(super) position: JobPosition,
}

/// A checkpoint that is under way.
struct Pending {
    barrier: Barrier,
    scans: BTreeMap<usize, ManifestScan>,
    operators: BTreeSet<usize>,
    sinks: BTreeMap<usize, Vec<Committable>>,
}

impl Coordinator {
    pub(super) async fn run(mut self) -> (Completion, JobPosition) {
        let outcome = self.work().await;
        // Sinks that have not ended throw away what is not prepared; scans end when their commands end.
        let _ = self.cancel.send(true);
        for scan in &self.scans {
            scan.send(Command::Unsubscribe { job: self.job });
        }
        self.scans.clear();
        self.wait_for_sinks().await;
        (outcome, self.position)
    }

    async fn wait_for_sinks(&mut self) {
        // A sink that hangs must not hold the end of a failed job for ever.
        let patience = tokio::time::sleep(Duration::from_secs(10));
        tokio::pin!(patience);
        let mut open = self.sinks.len();
        while open > 0 {
            tokio::select! {
                event = self.events.recv() => match event {
                    Some(Event::SinkEnded) => open -= 1,
                    Some(_) => {}
                    None => return,
                },
                () = &mut patience => return,
            }
        }
    }

    async fn work(&mut self) -> Completion {
        let mut number = self.storage.as_ref().map_or(0, |(_, m)| m.number);
        let mut pending: Option<Pending> = None;
        let mut finished: BTreeSet<usize> = BTreeSet::new();
        let mut stopping = false;
        // The handle is gone: nobody can say anything any more.
        let mut released = false;
        let mut last_started = false;
        let ticks = self.storage.is_some() && self.interval.is_some();
        let interval = Duration::from_millis(self.interval.unwrap_or(u64::from(u32::MAX)));
        let mut next = tokio::time::Instant::now() + interval;
        loop {
            if pending.is_none() && !last_started && finished.len() == self.scans.len() {
                number += 1;
                last_started = true;
                pending = Some(self.start(Barrier { checkpoint: number, last: true }));
            }
            tokio::select! {
                mode = self.control.recv(), if !released => match mode {
                    Some(StopMode::Drain) | None => {
                        released = mode.is_none();
                        stopping = true;
                        for scan in &self.scans {
                            scan.send(Command::Stop { job: self.job });
                        }
                    }
                    Some(StopMode::Now) => return Completion::Stopped,
                },
                () = tokio::time::sleep_until(next), if ticks && pending.is_none() && !last_started => {
                    number += 1;
                    next = tokio::time::Instant::now() + interval;
                    pending = Some(self.start(Barrier { checkpoint: number, last: false }));
                }
                event = self.events.recv() => {
                    let Some(event) = event else {
                        return Completion::Failed { statement: None, fault: Fault::internal("all tasks are gone") };
                    };
                    match event {
                        Event::Failed { fault, .. } if fault.code() == "cancelled" => return Completion::Stopped,
                        Event::Failed { statement, fault } => return Completion::Failed { statement, fault },
                        Event::ScanFinished { task } => { finished.insert(task); }
                        Event::SinkEnded => {}
                        Event::ScanAck { task, checkpoint, scan, state } => {
                            if let Some(fault) = refuse_state(&state) {
                                return Completion::Failed { statement: None, fault };
                            }
                            if let Some(p) = pending.as_mut().filter(|p| p.barrier.checkpoint == checkpoint) {
                                p.scans.insert(task, scan);
                            }
                        }
                        Event::OperatorAck { task, checkpoint, state } => {
                            if let Some(fault) = refuse_state(&state) {
                                return Completion::Failed { statement: None, fault };
                            }
                            if let Some(p) = pending.as_mut().filter(|p| p.barrier.checkpoint == checkpoint) {
                                p.operators.insert(task);
                            }
                        }
                        Event::SinkAck { sink, checkpoint, committables } => {
                            if let Some(p) = pending.as_mut().filter(|p| p.barrier.checkpoint == checkpoint) {
                                p.sinks.insert(sink, committables);
                            }
                        }
                    }
                }
            }
            let complete = pending.as_ref().is_some_and(|p| {
                p.scans.len() == self.scans.len()
                    && p.operators.len() == self.operators.len()
                    && p.sinks.len() == self.sinks.len()
            });
            if complete && let Some(p) = pending.take() {
                let last = p.barrier.last;
                let scans = match self.complete(p, last && !stopping).await {
                    Ok(scans) => scans,
                    Err(fault) => return Completion::Failed { statement: None, fault },
                };
                if last {
                    self.position = JobPosition(scans);
                    return if stopping { Completion::Stopped } else { Completion::Finished };
                }
            }
        }
    }

    fn start(&self, barrier: Barrier) -> Pending {
        for scan in &self.scans {
            scan.send(Command::Barrier { job: self.job, barrier });
        }
        Pending { barrier, scans: BTreeMap::new(), operators: BTreeSet::new(), sinks: BTreeMap::new() }
    }

    /// Positions of tasks that share a source become one. A split that nobody had read at the barrier stands where it stood at the start.
    async fn joined(&self, scans: impl Iterator<Item = ManifestScan>) -> Vec<ManifestScan> {
        let mut out: Vec<ManifestScan> = Vec::new();
        for scan in scans {
            match out.iter_mut().find(|s| s.id == scan.id && self.pools.iter().any(|(id, _)| *id == s.id)) {
                Some(place) => place.splits.extend(scan.splits),
                None => out.push(scan),
            }
        }
        for (id, pool) in &self.pools {
            for scan in out.iter_mut().filter(|s| s.id == *id) {
                let mut read: BTreeMap<String, ManifestSplit> =
                    std::mem::take(&mut scan.splits).into_iter().map(|s| (s.id.clone(), s)).collect();
                scan.splits =
                    pool.known().await.into_iter().map(|s| read.remove(&s.id).unwrap_or(s)).collect();
            }
        }
        out
    }

    /// Everything has answered: make the manifest durable, then commit, then forget older manifests. Gives where the sources stood.
    async fn complete(&mut self, pending: Pending, finished: bool) -> Result<Vec<ManifestScan>, Fault> {
        let scans = self.joined(pending.scans.into_values()).await;
        if let Some((storage, base)) = &self.storage {
            let mut sinks: Vec<ManifestSink> = Vec::new();
            for (i, sink) in self.sinks.iter().enumerate() {
                let committables = pending.sinks.get(&i).into_iter().flatten().map(|c| c.0.clone());
                // Writers of one INSERT have one place, so that there may be another number of them after a restore.
                match sinks.iter_mut().find(|s| s.id == sink.id) {
                    Some(place) => place.committables.extend(committables),
                    None => sinks.push(ManifestSink {
                        id: sink.id.clone(),
                        name: sink.name.clone(),
                        committables: committables.collect(),
                    }),
                }
            }
            let manifest = Manifest {
                number: pending.barrier.checkpoint,
                created: self.clock.now_millis(),
                finished,
                scans: scans.clone(),
                sinks,
                ..base.clone()
            };
            if !storage.create(&manifest)? {
                return Err(Fault::external(
                    "job-taken-over",
                    format!(
                        "checkpoint {} exists already: another run of this job has started",
                        manifest.number
                    ),
                )
                .hint("only one run of a job may use a checkpoint directory"));
            }
        }
        for (i, committables) in &pending.sinks {
            if let Some(committer) = self.sinks.get(*i).and_then(|s| s.committer.as_ref()) {
                for committable in committables {
                    committer.commit(committable).await?;
                }
            }
        }
        Progress::add(&self.progress.checkpoints, 1);
        if let Some((storage, _)) = &self.storage {
            prune(storage.as_ref(), pending.barrier.checkpoint, self.retained)?;
        }
        Ok(scans)
    }
}

/// Keyed state goes into checkpoint files with the first operators that have any.
fn refuse_state(state: &TaskState) -> Option<Fault> {
    let entry = state.entries.first()?;
    let bytes = entry.key.len() + entry.value.len();
    Some(Fault::not_yet("checkpoints of operators with state").in_place(format!(
        "operator {:016x}, state '{}', key group {}, {bytes} bytes",
        entry.operator.0, entry.name, entry.group
    )))
}
