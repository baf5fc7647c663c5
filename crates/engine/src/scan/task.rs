//! The task that reads one source for its subscribers: the loop over reads and commands.
//!
//! What it does with a read stands in `cut` (records into slices), `deliver` (rules, and the output of every subscriber), `aim` (what is read for
//! the subscribers there are) and `control` (commands, barriers, the end). Jobs come to a task by `meeting` and leave it by `parting`.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use millstream_expr::EvalContext;
use millstream_flow::{BadRecord, Element, Read, Spawner};
use millstream_plan::WatermarkSpec;
use millstream_rules::{Outcome, RuleSet, rule_set};
use millstream_types::{Fault, Slices};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::deliver::Source;
use super::group::GroupSpec;
use super::meeting::{Follow, Role};
use super::route::ScanRoute;
use super::sharing::SharedScans;
use super::splits::Splits;
use super::subscription::{Command, Subscription};
use super::watermark::WatermarkTracker;
use crate::checkpoint::ManifestSplit;
use crate::exchange::Underway;
use crate::runtime::Progress;

/// Reads a source until its subscribers are gone.
pub struct ScanTask {
    pub(super) spec: GroupSpec,
    pub(super) splits: Splits,
    pub(super) restored: bool,
    pub(super) drained: bool,
    /// The sending end of `commands`, for those that come here.
    pub(super) own: mpsc::UnboundedSender<Command>,
    pub(super) commands: mpsc::UnboundedReceiver<Command>,
    /// Commands that came with a job, before those that are sent from now on.
    pub(super) backlog: VecDeque<Command>,
    pub(super) role: Role,
    pub(super) spawner: Arc<dyn Spawner>,
    /// In the order of their rules' ids.
    pub(super) subscribers: Vec<Subscriber>,
    /// Whether there has been a subscriber.
    pub(super) served: bool,
    pub(super) rules: Box<dyn RuleSet>,
    /// Ids from here on were not given yet.
    pub(super) next_rule: usize,
    /// Ids of rules that the set does not have yet, and those that it still has, until the next read.
    pub(super) fresh: Vec<usize>,
    pub(super) gone: Vec<usize>,
    /// Columns of the group that the decoder reads.
    pub(super) decoded: Vec<usize>,
    /// Columns of the group that are cut whatever the rules want.
    pub(super) always_cut: Vec<usize>,
    /// Of the rules, when `want` was made.
    pub(super) generation: u64,
    pub(super) trackers: Vec<(Arc<WatermarkSpec>, WatermarkTracker)>,
    /// Physical columns that are cut from every record.
    pub(super) want: Vec<usize>,
    pub(super) eval: EvalContext,
    // Kept between chunks for their memory.
    pub(super) slices: Slices,
    pub(super) bad: Vec<BadRecord>,
    pub(super) outcomes: Vec<(usize, Outcome)>,
    pub(super) ignored: u64,
    /// A job's elements that are still to be sent when the task begins are under way.
    pub(super) owed: Option<Underway>,
}

/// A job's scans over the source.
pub(super) struct Subscriber {
    pub(super) subscription: Subscription,
    /// For each scan its tracker, and the watermark that was sent last.
    pub(super) trackers: Vec<Option<usize>>,
    pub(super) sent: Vec<i64>,
    /// The scans whose watermarks reach anything that looks at them.
    pub(super) watched: Vec<usize>,
    /// Id of its first rule; each scan has one.
    pub(super) first_rule: usize,
    /// What its channels had no room for, in order.
    pub(super) unsent: VecDeque<(usize, Element)>,
    /// How long others have waited for its channels lately.
    pub(super) waited: Duration,
    /// Until when `waited` is counted.
    pub(super) waited_until: Option<Instant>,
    /// Splits that the job has not read and will not read: gone before it began.
    pub(super) unknown: Vec<usize>,
    /// How often it could not keep up.
    pub(super) parted: u32,
}

/// Why a subscriber has to go.
pub(super) struct Failure {
    pub(super) subscriber: usize,
    pub(super) statement: Option<usize>,
    pub(super) fault: Fault,
}

impl ScanTask {
    /// A scan of a source, from its start or from a checkpoint's position. With `shared`, others may read with it.
    ///
    /// # Errors
    /// When the rules cannot be set up.
    pub fn new(
        spec: GroupSpec,
        restored: Option<&[ManifestSplit]>,
        eval: EvalContext,
        spawner: Arc<dyn Spawner>,
        shared: Option<SharedScans>,
    ) -> Result<Self, Fault> {
        let splits = match spec.claims.clone() {
            Some(claims) => Splits::claimed(spec.source.clone(), claims),
            None => Splits::new(spec.source.clone(), restored),
        };
        let decoded = (0..spec.columns.len()).collect();
        let (own, commands) = mpsc::unbounded_channel();
        // The time of a batch job's start is part of what its expressions mean.
        let shared = shared.filter(|_| !eval.batch);
        let rules = rule_set(&[], spec.indexed)?;
        Ok(ScanTask {
            spec,
            splits,
            restored: restored.is_some(),
            drained: false,
            own,
            commands,
            backlog: VecDeque::new(),
            role: shared.map_or(Role::Alone, |s| Role::Follows(Follow::new(s, Instant::now()))),
            spawner,
            subscribers: Vec::new(),
            served: false,
            rules,
            next_rule: 0,
            fresh: Vec::new(),
            gone: Vec::new(),
            decoded,
            always_cut: Vec::new(),
            generation: 0,
            trackers: Vec::new(),
            want: Vec::new(),
            eval,
            slices: Slices::default(),
            bad: Vec::new(),
            outcomes: Vec::new(),
            ignored: 0,
            owed: None,
        })
    }

    /// The way to this task.
    pub fn route(&self) -> ScanRoute {
        ScanRoute::new(self.own.clone())
    }

    /// Runs until all subscribers are gone.
    pub async fn run(mut self) {
        // Subscribers of the first moment are there before anything is read.
        while let Some(command) = self.at_hand() {
            self.obey(command).await;
        }
        self.find_role().await;
        if let Err(fault) = self.begin().await {
            self.fail_all(&fault);
            return;
        }
        self.settle().await;
        self.owed = None;
        // Counted from look to look: commands and records that come in between must not put it off.
        let interval = self.spec.source.discovery_interval().map(Duration::from_millis);
        let mut next_discovery = Instant::now() + interval.unwrap_or_default();
        loop {
            if self.served && self.subscribers.is_empty() {
                return;
            }
            if let Some(command) = self.backlog.pop_front() {
                self.obey(command).await;
                continue;
            }
            let idle = self.drained || self.subscribers.iter().all(|s| s.subscription.stopped_at.is_some());
            if idle {
                match self.commands.recv().await {
                    Some(command) => self.obey(command).await,
                    None => return,
                }
                continue;
            }
            self.renew();
            self.look();
            if interval.is_some() && Instant::now() >= next_discovery && !self.approaches() {
                next_discovery = Instant::now() + interval.unwrap_or_default();
                if let Err(fault) = self.rediscover().await {
                    self.fail_all(&fault);
                    return;
                }
            }
            let read = tokio::select! {
                biased;
                command = self.commands.recv() => match command {
                    Some(command) => { self.obey(command).await; continue; }
                    None => return,
                },
                meeting = self.role.answer(), if self.role.asked() => {
                    if self.hear(meeting) {
                        return;
                    }
                    continue;
                }
                () = tokio::time::sleep(Duration::from_millis(10)), if self.waits() => continue,
                read = self.splits.next(), if !self.waits() => read,
                () = tokio::time::sleep_until(next_discovery), if interval.is_some() && !self.approaches() => continue,
            };
            // Until the rows are in the channels, no job is drained.
            let underway: Vec<_> = self.subscribers.iter().map(|s| s.subscription.activity.begin()).collect();
            let moved = !matches!(read, Ok((_, Read::Nothing)));
            let outcome = match read {
                Ok((split, read)) => self.take(split, read).await,
                Err(fault) => Err(fault),
            };
            if let Err(fault) = outcome {
                self.fail_all(&fault);
                return;
            }
            self.settle().await;
            drop(underway);
            if self.approaches() {
                if self.approached(moved) {
                    return;
                }
                if !self.approaches()
                    && let Err(fault) = self.open().await
                {
                    self.fail_all(&fault);
                    return;
                }
            }
            // Files are read without waiting: let the sinks work, too.
            tokio::task::yield_now().await;
        }
    }

    /// A command that is there already.
    fn at_hand(&mut self) -> Option<Command> {
        self.backlog.pop_front().or_else(|| self.commands.try_recv().ok())
    }

    /// Counts something for every job that reads.
    pub(super) fn count(&self, add: impl Fn(&Progress)) {
        for s in self.subscribers.iter().filter(|s| s.subscription.stopped_at.is_none()) {
            add(&s.subscription.progress);
        }
    }

    pub(super) async fn begin(&mut self) -> Result<(), Fault> {
        if !(self.restored && self.spec.source.is_bounded()) {
            self.splits.discover().await?;
        }
        self.gather().await;
        self.renew();
        if self.look_at_first().await {
            return Ok(());
        }
        self.open().await
    }

    pub(super) async fn rediscover(&mut self) -> Result<(), Fault> {
        self.splits.discover().await?;
        self.open().await
    }

    /// Opens what is to be read now; without anything left, a bounded source is drained.
    pub(super) async fn open(&mut self) -> Result<(), Fault> {
        if self.splits.finished() {
            self.splits.claim(false).await?;
        }
        for split in self.splits.open().await? {
            for (i, (_, tracker)) in self.trackers.iter_mut().enumerate() {
                let restored = self
                    .splits
                    .states
                    .get(split)
                    .and_then(|s| s.restored_watermarks.get(i).copied().flatten());
                tracker.begin(split, restored);
            }
        }
        if self.splits.finished() && self.splits.is_bounded() && !self.approaches() {
            self.drained = true;
            self.drain().await;
        }
        Ok(())
    }

    pub(super) async fn take(&mut self, split: usize, read: Read) -> Result<(), Fault> {
        match read {
            Read::Nothing => Ok(()),
            Read::End => {
                for (_, tracker) in &mut self.trackers {
                    tracker.finish(split);
                }
                self.open().await
            }
            Read::Records(chunk) => {
                self.count(|p| {
                    Progress::add(&p.records, chunk.records.len() as u64);
                    Progress::add(&p.bytes, chunk.data.len() as u64);
                });
                self.records(split, &chunk)
            }
            Read::Rows(batch) => {
                self.count(|p| Progress::add(&p.records, batch.rows as u64));
                let kinds = batch.kinds.clone();
                let failures = self.deliver(split, Source::Rows(&batch), batch.rows, kinds.as_deref())?;
                self.drop_failed(failures);
                Ok(())
            }
        }
    }

    pub(super) fn place(&self, split: usize) -> (Arc<str>, &'static str) {
        let id = self.splits.states.get(split).map_or_else(
            || Arc::from("?"),
            |s| match self.spec.source.shown(&s.split) {
                shown if shown.len() == s.split.id.len() => s.split.id.clone(),
                shown => Arc::from(shown),
            },
        );
        (id, self.spec.source.position_unit())
    }
}
