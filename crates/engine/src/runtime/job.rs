//! Launching a job, and the handle to it.

use std::fmt;
use std::sync::Arc;

use millstream_expr::EvalContext;
use millstream_flow::{Committable, Committer, Environment, MemoryBudget, WriterContext};
use millstream_operators::KEY_GROUPS;
use millstream_plan::{JobPlan, Op, TableSpec};
use millstream_types::{Batch, Fault};
use tokio::sync::{mpsc, watch};

use super::Parts;
use super::build::{Built, VALUES, build};
use super::coordinator::{CoordinatedSink, Coordinator};
use super::progress::Progress;
use crate::checkpoint::{CheckpointStorage, Manifest, ManifestOperator, ManifestScan, Restore, restored};
use crate::exchange::Activity;
use crate::scan::SharedScans;

/// Finds the table that takes bad records, by its name.
pub type FindTable = Arc<dyn Fn(&str) -> Result<Arc<TableSpec>, Fault> + Send + Sync>;

/// What a job needs besides its plan.
#[derive(Clone)]
pub struct JobContext {
    /// Connectors and formats.
    pub parts: Arc<dyn Parts>,
    /// Clock, randomness, spawner.
    pub environment: Environment,
    /// Limit of what the job holds in memory, in bytes.
    pub memory: usize,
    /// `pipeline.name`.
    pub name: String,
    /// Where the rows of a SELECT go.
    pub collect: Option<mpsc::Sender<Batch>>,
    /// Where manifests are kept; `None`: no checkpoints.
    pub storage: Option<Arc<dyn CheckpointStorage>>,
    /// Milliseconds between two checkpoints; `None`: only one at the end.
    pub checkpoint_interval: Option<u64>,
    /// Checkpoints to keep.
    pub retained: usize,
    /// What to begin with.
    pub restore: Restore,
    /// Finds tables for dead letters.
    pub find_table: FindTable,
    /// Go on where another job over the same sources has stopped, instead of `restore`: each source that both read is read on from there, others
    /// from their start. The other job's output is committed.
    pub successor_of: Option<JobPosition>,
    /// The jobs that read sources together with this one; `None`: it reads by itself.
    pub scans: Option<SharedScans>,
}

impl fmt::Debug for JobContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JobContext")
            .field("name", &self.name)
            .field("restore", &self.restore)
            .finish_non_exhaustive()
    }
}

/// How a job is to stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopMode {
    /// Read no further, take a last checkpoint, commit.
    Drain,
    /// Throw away what is not committed.
    Now,
}

/// How a job ended.
#[derive(Debug, Clone)]
pub enum Completion {
    /// All input was read and all output is committed.
    Finished,
    /// It was stopped.
    Stopped,
    /// It failed.
    Failed {
        /// Position of the statement that it belongs to.
        statement: Option<usize>,
        /// Why.
        fault: Fault,
    },
}

/// Where the sources of a job stood when it ended by itself or was drained; empty for one that failed or was stopped at once. Another job can go
/// on from there ([`JobContext::successor_of`]).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobPosition(pub(super) Vec<ManifestScan>);

impl JobPosition {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What is known when a job has ended.
#[derive(Debug, Clone)]
pub struct JobReport {
    /// How it ended.
    pub completion: Completion,
    /// Its counters.
    pub progress: Arc<Progress>,
    /// The most bytes that its channels and state held at once.
    pub peak_memory: usize,
    /// Where its sources stood.
    pub position: JobPosition,
}

/// A running job.
#[derive(Debug)]
pub struct JobHandle {
    control: mpsc::UnboundedSender<StopMode>,
    done: watch::Receiver<Option<(Completion, JobPosition)>>,
    progress: Arc<Progress>,
    budget: MemoryBudget,
    activity: Activity,
    /// What a person should know about the start (which checkpoint it goes on from).
    pub notes: Vec<String>,
}

impl JobHandle {
    /// Asks the job to stop.
    pub fn stop(&self, mode: StopMode) {
        let _ = self.control.send(mode);
    }

    /// A way to stop it from elsewhere (a signal handler).
    pub fn stopper(&self) -> impl Fn(StopMode) + Send + Sync + 'static {
        let control = self.control.clone();
        move |mode| {
            let _ = control.send(mode);
        }
    }

    /// Whether everything that the sources have given so far has reached the sinks. A source that waits for more input is not under way, so a
    /// test that feeds rows one by one asks this between them.
    pub fn is_drained(&self) -> bool {
        self.activity.is_drained()
    }

    /// Its counters.
    pub fn progress(&self) -> &Arc<Progress> {
        &self.progress
    }

    /// Waits for its end.
    pub async fn wait(mut self) -> JobReport {
        let completion = match self.done.wait_for(Option::is_some).await {
            Ok(done) => done.clone(),
            Err(_) => None,
        };
        let (completion, position) = completion.unwrap_or_else(|| {
            let fault = Fault::internal("the job's coordinator is gone");
            (Completion::Failed { statement: None, fault }, JobPosition::default())
        });
        JobReport { completion, position, progress: self.progress.clone(), peak_memory: self.budget.peak() }
    }
}

/// Starts a job: makes sources and sinks, restores, and lets it run.
///
/// # Errors
/// With the position of the statement that is to blame: wrong options, an operator that this version cannot run, a checkpoint that does not fit.
pub async fn launch(mut plan: JobPlan, context: JobContext) -> Result<JobHandle, (Option<usize>, Fault)> {
    let nowhere = |f: Fault| (None, f);
    let budget = MemoryBudget::new(context.memory);
    let mut notes = Vec::new();
    let (begin, from) = match &context.storage {
        None => {
            if context.restore != Restore::None {
                return Err(nowhere(
                    Fault::user(
                        "no-checkpoints",
                        "there is nothing to restore from: the job takes no checkpoints",
                    )
                    .hint("SET 'execution.checkpointing.dir' = 'a directory'"),
                ));
            }
            (Manifest::new(new_id(&context), context.name.clone(), KEY_GROUPS), None)
        }
        Some(storage) => begin(&context, storage.as_ref(), &plan, &mut notes).map_err(nowhere)?,
    };
    // Without checkpoints, too, a successor knows where to go on.
    let position = context.successor_of.clone().map(|p| Manifest { scans: p.0, ..begin.clone() });
    let eval = EvalContext {
        clock: context.environment.clock.clone(),
        random: context.environment.random.clone(),
        zone: plan.settings.zone.clone(),
        query_start: context.environment.clock.now_millis(),
        batch: plan.settings.batch,
    };
    let job_number = context.environment.random.next_u64();
    let (events_in, events) = mpsc::unbounded_channel();
    let (cancel, cancelled) = watch::channel(false);
    let built = build(
        &mut plan,
        &context,
        &begin,
        position.as_ref().or(from.as_ref()),
        &eval,
        &budget,
        job_number,
        &events_in,
        &cancelled,
    )
    .await?;
    drop(events_in);
    let Built { scans, operators, pools, sinks, progress, activity } = built;

    // The number is ours now: what the restored checkpoint prepared is committed, then older leftovers go. First all commits, then all
    // cleaning: two sinks may share a directory, and cleaning must not take what another sink has still to commit.
    let kept: Vec<Committable> = from
        .iter()
        .flat_map(|m| m.sinks.iter().flat_map(|s| s.committables.iter().cloned().map(Committable)))
        .collect();
    // Not through the sinks themselves: their writers belong to one task.
    let committing: Vec<(String, Arc<dyn Committer>, WriterContext)> =
        sinks.iter().filter_map(|s| Some((s.id.clone(), s.committer.clone()?, s.context.clone()))).collect();
    for (id, committer, _) in &committing {
        let own = from.as_ref().and_then(|m| m.sinks.iter().find(|s| s.id == *id));
        for committable in own.iter().flat_map(|s| s.committables.iter().cloned().map(Committable)) {
            if !committer.is_committed(&committable).await.map_err(nowhere)? {
                committer.commit(&committable).await.map_err(nowhere)?;
            }
        }
    }
    for (_, committer, context) in &committing {
        committer.clean(context, &kept).await.map_err(nowhere)?;
    }

    let (control, control_in) = mpsc::unbounded_channel();
    let (done_in, done) = watch::channel(None);
    let handle = JobHandle { control, done, progress: progress.clone(), budget, activity, notes };
    if let Some(m) = from.filter(|m| m.finished) {
        if let Some(storage) = &context.storage {
            prune(storage.as_ref(), begin.number, context.retained).map_err(nowhere)?;
        }
        let position = JobPosition(m.scans);
        let _ = done_in.send(Some((Completion::Finished, position)));
        return Ok(handle);
    }
    let coordinator = Coordinator {
        job: job_number,
        scans: scans.iter().map(|s| s.route.clone()).collect(),
        operators: operators.iter().map(|(o, _)| o.number).collect(),
        pools,
        sinks: sinks
            .iter()
            .map(|s| CoordinatedSink {
                id: s.id.clone(),
                name: s.task.op.name.clone(),
                committer: s.committer.clone(),
            })
            .collect(),
        events,
        control: control_in,
        cancel,
        storage: context.storage.clone().map(|s| (s, begin)),
        interval: context.checkpoint_interval,
        retained: context.retained,
        clock: context.environment.clock.clone(),
        progress,
        position: JobPosition::default(),
    };
    let spawner = context.environment.spawner.clone();
    let run = |worker: Option<usize>, name: &str, task| match worker {
        Some(worker) => spawner.spawn_on(worker, name, task),
        None => spawner.spawn(name, task),
    };
    for sink in sinks {
        run(sink.worker, "sink", Box::pin(sink.task.run()));
    }
    for (operator, worker) in operators {
        run(worker, "operators", Box::pin(operator.run()));
    }
    for scan in scans {
        run(scan.worker, "scan", Box::pin(scan.task.run()));
    }
    // The workers are there as long as the job.
    let workers = spawner.clone();
    spawner.spawn(
        "coordinator",
        Box::pin(async move {
            let ended = coordinator.run().await;
            drop(workers);
            let _ = done_in.send(Some(ended));
        }),
    );
    Ok(handle)
}

fn new_id(context: &JobContext) -> String {
    format!("{:016x}", context.environment.random.next_u64())
}

/// Takes the next number of the sequence for this start. Gives the manifest that it begins with, and the one that was restored.
fn begin(
    context: &JobContext,
    storage: &dyn CheckpointStorage,
    plan: &JobPlan,
    notes: &mut Vec<String>,
) -> Result<(Manifest, Option<Manifest>), Fault> {
    let newest = storage.numbers()?.last().copied();
    if let Some(position) = &context.successor_of {
        // What its predecessor wrote is committed; only where the sources stand is taken from it.
        let last = newest.map(|n| storage.read(n)).transpose()?;
        let job = last.map_or_else(|| new_id(context), |m| m.job);
        let mut begin = Manifest::new(job, context.name.clone(), KEY_GROUPS);
        begin.restored_from = newest;
        let known = |id: &str| plan.scan_groups.iter().any(|g| scan_id(g) == id) || id.starts_with(VALUES);
        begin.scans = position.0.iter().filter(|s| known(&s.id)).cloned().collect();
        return Ok((take_number(context, storage, plan, newest, begin)?, None));
    }
    let from = restored(storage, &context.restore)?;
    match (&from, &context.restore, newest) {
        (Some(m), _, _) if m.finished => {
            notes.push(format!("checkpoint {} says that the job has finished: nothing to read", m.number))
        }
        (Some(m), _, _) if m.scans.is_empty() => {
            notes.push(format!("checkpoint {} was made before anything was read: beginning anew", m.number))
        }
        (Some(m), _, _) => notes.push(format!("going on from checkpoint {}", m.number)),
        (None, Restore::None, Some(n)) => notes.push(format!(
            "beginning anew, although {} has checkpoints up to {n}; --restore latest would go on from there",
            storage.place()
        )),
        (None, Restore::None, None) => {}
        (None, _, _) => notes.push(format!("no checkpoint yet in {}: beginning anew", storage.place())),
    }
    let begin = match &from {
        Some(m) => {
            for scan in &m.scans {
                let known = plan.scan_groups.iter().any(|g| scan_id(g) == scan.id);
                if !known && !scan.id.starts_with(VALUES) {
                    return Err(Fault::user(
                        "checkpoint-mismatch",
                        "the checkpoint reads a source that the text does not have (any more)",
                    )
                    .hint("restore with the text that wrote it, or begin anew with --restore none"));
                }
            }
            let known = super::build::sink_ids(plan);
            if let Some(gone) = m.sinks.iter().find(|s| !s.committables.is_empty() && !known.contains(&s.id))
            {
                return Err(Fault::user(
                    "checkpoint-mismatch",
                    format!("the checkpoint holds output of '{}' that may not be committed yet, but the text does not write it any more", gone.name),
                )
                .hint("keep its INSERT with WHERE FALSE until the job has taken a checkpoint; then leave it out"));
            }
            let sinks = plan.nodes.iter().filter_map(|n| match &n.op {
                Op::Sink(sink) => Some(sink.name.as_str()),
                _ => None,
            });
            for (name, _) in sinks.zip(&known).filter(|(_, id)| m.sinks.iter().all(|s| s.id != **id)) {
                if m.finished {
                    return Err(Fault::user(
                        "checkpoint-mismatch",
                        format!("checkpoint {} says that the job has finished, but the text writes '{name}', which the job did not write", m.number),
                    )
                    .hint("run it without --restore; if it is another job, give it a name of its own: -D pipeline.name=…"));
                }
                if !m.scans.is_empty() {
                    notes.push(format!("'{name}' is new in the text: it gets what is read from here on"));
                }
            }
            Manifest { restored_from: Some(m.number), ..m.clone() }
        }
        None => Manifest::new(new_id(context), context.name.clone(), KEY_GROUPS),
    };
    // What the restored manifest prepared is in `begin`, too; a crash from here on finds it there.
    Ok((take_number(context, storage, plan, newest, begin)?, from))
}

/// Removes what is no longer retained. Only the newest start deletes.
pub(super) fn prune(storage: &dyn CheckpointStorage, number: u64, retained: usize) -> Result<(), Fault> {
    let numbers = storage.numbers()?;
    if numbers.last() == Some(&number) {
        for old in numbers.iter().rev().skip(retained.max(1)) {
            storage.remove(*old)?;
        }
    }
    Ok(())
}

/// Makes a start's first manifest the next of the sequence.
fn take_number(
    context: &JobContext,
    storage: &dyn CheckpointStorage,
    plan: &JobPlan,
    newest: Option<u64>,
    mut begin: Manifest,
) -> Result<Manifest, Fault> {
    begin.number = newest.unwrap_or(0) + 1;
    // Counting on from the restored manifest would give two starts one number where an older checkpoint is restored, and names of
    // output carry it.
    begin.start = begin.number;
    begin.created = context.environment.clock.now_millis();
    begin.operators = plan
        .nodes
        .iter()
        .map(|n| ManifestOperator {
            id: format!("{:016x}", n.id.0),
            upstream: format!("{:016x}", n.upstream),
            name: super::build::operator_name(&n.op).to_string(),
        })
        .collect();
    if !storage.create(&begin)? {
        return Err(Fault::external(
            "job-taken-over",
            format!("checkpoint {} exists already: another run of this job has started", begin.number),
        )
        .hint("only one run of a job may use a checkpoint directory"));
    }
    Ok(begin)
}

/// Identity of a scan group in manifests: what it reads.
pub(super) fn scan_id(group: &millstream_plan::ScanGroup) -> String {
    format!("{:016x}", millstream_plan::source_identity(&group.table))
}
