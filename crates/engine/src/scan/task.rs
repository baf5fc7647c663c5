//! The task that reads one source for its subscribers: the loop over reads and commands.
//!
//! What it does with a read stands in `cut` (records into slices), `deliver` (rules, and the output of every subscriber), `aim` (what is read for
//! the subscribers there are) and `control` (commands, barriers, the end).

use std::sync::Arc;
use std::time::Duration;

use millstream_expr::EvalContext;
use millstream_flow::{BadRecord, Read};
use millstream_plan::WatermarkSpec;
use millstream_rules::index::IndexedRules;
use millstream_rules::{Outcome, RuleSet};
use millstream_types::{Fault, Slices};
use tokio::sync::mpsc;

use super::deliver::Source;
use super::group::GroupSpec;
use super::splits::Splits;
use super::subscription::{Command, Subscription};
use super::watermark::WatermarkTracker;
use crate::checkpoint::ManifestSplit;
use crate::exchange::Activity;
use crate::runtime::Progress;

/// Reads a source until its subscribers are gone.
pub struct ScanTask {
    pub(super) spec: GroupSpec,
    pub(super) splits: Splits,
    pub(super) restored: bool,
    pub(super) drained: bool,
    pub(super) commands: mpsc::UnboundedReceiver<Command>,
    pub(super) subscribers: Vec<Subscriber>,
    pub(super) rules: Box<dyn RuleSet>,
    /// For each rule its subscriber, and its scan there.
    pub(super) rule_scans: Vec<(usize, usize)>,
    /// Columns of the group that are cut whatever the rules want.
    pub(super) always_cut: Vec<usize>,
    /// Of the rules, when `want` was made.
    pub(super) generation: u64,
    pub(super) trackers: Vec<(WatermarkSpec, WatermarkTracker)>,
    /// Physical columns that are cut from every record.
    pub(super) want: Vec<usize>,
    pub(super) eval: EvalContext,
    pub(super) progress: Arc<Progress>,
    pub(super) activity: Activity,
    // Kept between chunks for their memory.
    pub(super) slices: Slices,
    pub(super) bad: Vec<BadRecord>,
    pub(super) outcomes: Vec<(usize, Outcome)>,
    pub(super) ignored: u64,
}

pub(super) struct Subscriber {
    pub(super) subscription: Subscription,
    /// For each scan its tracker, and the watermark that was sent last.
    pub(super) trackers: Vec<Option<usize>>,
    pub(super) sent: Vec<i64>,
}

/// Why a subscriber has to go.
pub(super) struct Failure {
    pub(super) subscriber: usize,
    pub(super) statement: Option<usize>,
    pub(super) fault: Fault,
}

impl ScanTask {
    /// A scan of a source, from its start or from a checkpoint's position.
    pub fn new(
        spec: GroupSpec,
        restored: Option<&[ManifestSplit]>,
        commands: mpsc::UnboundedReceiver<Command>,
        eval: EvalContext,
        progress: Arc<Progress>,
        activity: Activity,
    ) -> Result<Self, Fault> {
        let splits = Splits::new(spec.source.clone(), restored);
        Ok(ScanTask {
            spec,
            splits,
            restored: restored.is_some(),
            drained: false,
            commands,
            subscribers: Vec::new(),
            rules: Box::new(IndexedRules::new(&[])?),
            rule_scans: Vec::new(),
            always_cut: Vec::new(),
            generation: 0,
            trackers: Vec::new(),
            want: Vec::new(),
            eval,
            progress,
            activity,
            slices: Slices::default(),
            bad: Vec::new(),
            outcomes: Vec::new(),
            ignored: 0,
        })
    }

    /// Runs until all subscribers are gone.
    pub async fn run(mut self) {
        // Subscribers of the first moment are there before anything is read.
        while let Ok(command) = self.commands.try_recv() {
            self.obey(command).await;
        }
        if let Err(fault) = self.begin().await {
            self.fail_all(&fault);
            return;
        }
        // Counted from look to look: commands and records that come in between must not put it off.
        let interval = self.spec.source.discovery_interval().map(Duration::from_millis);
        let mut next_discovery = tokio::time::Instant::now() + interval.unwrap_or_default();
        loop {
            let idle = self.drained || self.subscribers.iter().all(|s| s.subscription.stopped_at.is_some());
            if idle {
                match self.commands.recv().await {
                    Some(command) => self.obey(command).await,
                    None => return,
                }
                continue;
            }
            if interval.is_some() && tokio::time::Instant::now() >= next_discovery {
                next_discovery = tokio::time::Instant::now() + interval.unwrap_or_default();
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
                read = self.splits.next() => read,
                () = tokio::time::sleep_until(next_discovery), if interval.is_some() => continue,
            };
            // Until the rows are in the channels, the job is not drained.
            let underway = self.activity.begin();
            let outcome = match read {
                Ok((split, read)) => self.take(split, read).await,
                Err(fault) => Err(fault),
            };
            if let Err(fault) = outcome {
                self.fail_all(&fault);
                return;
            }
            drop(underway);
            // Files are read without waiting: let the sinks work, too.
            tokio::task::yield_now().await;
        }
    }

    pub(super) async fn begin(&mut self) -> Result<(), Fault> {
        if !(self.restored && self.spec.source.is_bounded()) {
            self.splits.discover().await?;
        }
        self.open().await
    }

    pub(super) async fn rediscover(&mut self) -> Result<(), Fault> {
        self.splits.discover().await?;
        self.open().await
    }

    /// Opens what is to be read now; without anything left, a bounded source is drained.
    pub(super) async fn open(&mut self) -> Result<(), Fault> {
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
        if self.splits.finished() && self.spec.source.is_bounded() {
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
                Progress::add(&self.progress.records, chunk.records.len() as u64);
                Progress::add(&self.progress.bytes, chunk.data.len() as u64);
                self.records(split, &chunk).await
            }
            Read::Rows(batch) => {
                Progress::add(&self.progress.records, batch.rows as u64);
                let kinds = batch.kinds.clone();
                let failures =
                    self.deliver(split, Source::Rows(&batch), batch.rows, kinds.as_deref()).await?;
                self.drop_failed(failures);
                Ok(())
            }
        }
    }

    pub(super) fn place(&self, split: usize) -> (Arc<str>, &'static str) {
        let id = self.splits.states.get(split).map_or_else(|| Arc::from("?"), |s| s.split.id.clone());
        (id, self.spec.source.position_unit())
    }
}
