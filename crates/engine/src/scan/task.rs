//! The task that reads one source for its subscribers.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use arrow::array::{ArrayRef, UInt32Array};
use arrow::compute;
use millstream_expr::{EvalContext, EvalError};
use millstream_flow::{BadRecord, Barrier, Element, MAX_WATERMARK, MIN_WATERMARK, RawChunk, Read, Watermark};
use millstream_plan::WatermarkSpec;
use millstream_rules::index::IndexedRules;
use millstream_rules::{Hits, Outcome, Rule, RuleSet};
use millstream_types::{Batch, Fault, Origin, RowKind, Slices};
use tokio::sync::mpsc;

use super::bad::{BadPolicy, dead_letters, located};
use super::group::{GroupColumn, GroupSpec};
use super::input::{ChunkInput, Content};
use super::splits::Splits;
use super::subscription::{Command, Subscription};
use super::watermark::WatermarkTracker;
use crate::checkpoint::{ManifestScan, ManifestSplit};
use crate::exchange::Activity;
use crate::runtime::{Event, Progress, RuleCost, TaskState};

/// Reads a source until its subscribers are gone.
pub struct ScanTask {
    spec: GroupSpec,
    splits: Splits,
    restored: bool,
    drained: bool,
    commands: mpsc::UnboundedReceiver<Command>,
    subscribers: Vec<Subscriber>,
    rules: Box<dyn RuleSet>,
    /// For each rule its subscriber, and its scan there.
    rule_scans: Vec<(usize, usize)>,
    /// Columns of the group that are cut whatever the rules want.
    always_cut: Vec<usize>,
    /// Of the rules, when `want` was made.
    generation: u64,
    trackers: Vec<(WatermarkSpec, WatermarkTracker)>,
    /// Physical columns that are cut from every record.
    want: Vec<usize>,
    eval: EvalContext,
    progress: Arc<Progress>,
    activity: Activity,
    // Kept between chunks for their memory.
    slices: Slices,
    bad: Vec<BadRecord>,
    outcomes: Vec<(usize, Outcome)>,
    ignored: u64,
}

struct Subscriber {
    subscription: Subscription,
    /// For each scan its tracker, and the watermark that was sent last.
    trackers: Vec<Option<usize>>,
    sent: Vec<i64>,
}

/// Why a subscriber has to go.
struct Failure {
    subscriber: usize,
    statement: Option<usize>,
    fault: Fault,
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

    async fn begin(&mut self) -> Result<(), Fault> {
        if !(self.restored && self.spec.source.is_bounded()) {
            self.splits.discover().await?;
        }
        self.open().await
    }

    async fn rediscover(&mut self) -> Result<(), Fault> {
        self.splits.discover().await?;
        self.open().await
    }

    /// Opens what is to be read now; without anything left, a bounded source is drained.
    async fn open(&mut self) -> Result<(), Fault> {
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

    async fn take(&mut self, split: usize, read: Read) -> Result<(), Fault> {
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

    async fn records(&mut self, split: usize, chunk: &RawChunk) -> Result<(), Fault> {
        if self.generation != self.rules.generation() {
            self.aim();
        }
        let Some(decoder) = &mut self.spec.decoder else {
            return Err(Fault::internal("raw records of a source without format"));
        };
        let mut slices = std::mem::take(&mut self.slices);
        let mut bad = std::mem::take(&mut self.bad);
        slices.clear();
        bad.clear();
        decoder.cut(chunk, &self.want, &mut slices, &mut bad)?;
        let ignored = decoder.ignored();
        Progress::add(&self.progress.ignored, ignored - self.ignored);
        self.ignored = ignored;
        if let Some(first) = bad.first() {
            let (id, unit) = self.place(split);
            if self.spec.bad == BadPolicy::Fail {
                return Err(located(first, chunk, &id, unit).hint(
                    "correct the record, or let the table skip such records: 'bad-records' = 'skip' or 'dead-letter' (or the format's own ignore-parse-errors)",
                ));
            }
            Progress::add(&self.progress.bad_records, bad.len() as u64);
            if self.spec.bad == BadPolicy::DeadLetter {
                self.send_dead_letters(&bad, chunk, &id).await?;
            }
        }
        let kinds = decoder_kinds(&self.spec);
        let rows = slices.rows;
        let failures = self.deliver(split, Source::Records(chunk, &slices), rows, kinds.as_deref()).await?;
        self.drop_failed(failures);
        self.slices = slices;
        self.bad = bad;
        Ok(())
    }

    async fn send_dead_letters(
        &mut self,
        bad: &[BadRecord],
        chunk: &RawChunk,
        split: &str,
    ) -> Result<(), Fault> {
        let mut letters = Vec::new();
        for s in self.subscribers.iter().filter(|s| s.subscription.stopped_at.is_none()) {
            if let Some((schema, channel)) = &s.subscription.dead_letters
                && let Some(output) = s.subscription.outputs.get(*channel)
            {
                letters.push((output.clone(), dead_letters(bad, chunk, split, schema)?));
            }
        }
        for (output, batch) in letters {
            output.send(Element::Batch(batch)).await;
        }
        Ok(())
    }

    fn place(&self, split: usize) -> (Arc<str>, &'static str) {
        let id = self.splits.states.get(split).map_or_else(|| Arc::from("?"), |s| s.split.id.clone());
        (id, self.spec.source.position_unit())
    }

    /// Watermarks, rules, and the output of every subscriber for the rows of a chunk.
    async fn deliver(
        &mut self,
        split: usize,
        source: Source<'_>,
        rows: usize,
        kinds: Option<&[RowKind]>,
    ) -> Result<Vec<Failure>, Fault> {
        let mut failures = Vec::new();
        if rows == 0 {
            return Ok(failures);
        }
        let (id, unit) = self.place(split);
        let content = match (source, &mut self.spec.decoder) {
            (Source::Records(chunk, slices), Some(decoder)) => {
                Content::Records { chunk, slices, decoder: &mut **decoder }
            }
            (Source::Rows(batch), _) => Content::Rows(batch),
            (Source::Records(..), None) => {
                return Err(Fault::internal("raw records of a source without format"));
            }
        };
        let columns: &[GroupColumn] = &self.spec.columns;
        let mut input = ChunkInput {
            content,
            rows,
            columns,
            built: vec![None; columns.len()],
            split: (&id, unit),
            watermarks: None,
        };
        let position = |row: usize| match source {
            Source::Records(chunk, slices) => chunk.position(slices.record_of(row)),
            Source::Rows(batch) => {
                batch.origin.as_ref().and_then(|o| o.positions.get(row).copied()).unwrap_or(row as u64)
            }
        };
        let located = |e: EvalError| match e.row {
            Some(row) => e.fault.in_place(format!("{id}, {unit} {}", position(row))),
            None => e.fault,
        };
        let mut before: Vec<Arc<[i64]>> = Vec::with_capacity(self.trackers.len());
        for (_, tracker) in &mut self.trackers {
            let read = build(&mut input, &tracker.columns, columns.len())?;
            before.push(tracker.advance(split, &read, rows, &self.eval).map_err(located)?);
        }
        input.watermarks = before.first().cloned();
        self.rules.evaluate(&mut input, &self.eval, &mut self.outcomes)?;

        // One building of each column for the rows that any subscriber wants.
        let mut all = false;
        let mut rank: Vec<u32> = vec![0; rows];
        let mut needed = vec![false; columns.len()];
        for (rule, outcome) in &self.outcomes {
            let Some((number, entry)) = self.rule_scans.get(*rule) else { continue };
            let Some(subscription) = self.subscribers.get(*number).map(|s| &s.subscription) else { continue };
            let Some(scan) = subscription.scans.get(*entry) else { continue };
            if subscription.stopped_at.is_some() {
                continue;
            }
            match outcome {
                Ok(Hits::Rows(r)) => r.iter().for_each(|r| mark(&mut rank, *r)),
                Ok(Hits::All) => all = true,
                Err(_) => continue,
            }
            for c in &scan.output.reads {
                if let Some(n) = needed.get_mut(*c) {
                    *n = true;
                }
            }
        }
        let wanted = rank_marked(&mut rank);
        let survivors =
            (!all && wanted.len() < rows).then(|| Survivors { rows: UInt32Array::from(wanted), rank });
        let mut built: Vec<Option<ArrayRef>> = vec![None; columns.len()];
        if survivors.as_ref().is_none_or(|s| arrow::array::Array::len(&s.rows) > 0) {
            for (c, slot) in built.iter_mut().enumerate().filter(|(c, _)| needed.get(*c) == Some(&true)) {
                *slot = Some(millstream_rules::RuleInput::column(
                    &mut input,
                    c,
                    survivors.as_ref().map(|s| &s.rows),
                )?);
            }
        }
        drop(input);

        let mut outcomes = self.outcomes.drain(..).peekable();
        for (number, subscriber) in self.subscribers.iter_mut().enumerate() {
            let mut emitted = Vec::new();
            let mut state = TaskState::default();
            let mut failed = None;
            let of_this = |rule: usize| {
                self.rule_scans.get(rule).filter(|(n, _)| *n == number).map(|(_, entry)| *entry)
            };
            while let Some((rule, outcome)) = outcomes.next_if(|(rule, _)| of_this(*rule).is_some()) {
                let (Some(entry), false, None) =
                    (of_this(rule), subscriber.subscription.stopped_at.is_some(), &failed)
                else {
                    continue;
                };
                let Some(scan) = subscriber.subscription.scans.get(entry) else { continue };
                let hits = match outcome {
                    Ok(hits) => hits,
                    Err(e) => {
                        failed = Some((scan.statement, located(e)));
                        continue;
                    }
                };
                let watermarks =
                    subscriber.trackers.get(entry).copied().flatten().and_then(|t| before.get(t));
                let made =
                    output(scan, &hits, rows, survivors.as_ref(), &built, watermarks, kinds, &self.eval);
                let mut batch = match made {
                    Ok(Some(batch)) => batch,
                    Ok(None) => continue,
                    Err(e) => {
                        failed = Some((scan.statement, located(e)));
                        continue;
                    }
                };
                batch.origin = Some(Arc::new(Origin {
                    split: id.clone(),
                    unit,
                    positions: match &hits {
                        Hits::All => (0..rows).map(position).collect(),
                        Hits::Rows(r) => r.iter().map(|r| position(*r as usize)).collect(),
                    },
                }));
                let context = subscriber.subscription.context.clone();
                let pushed = subscriber.subscription.chain.push(
                    entry,
                    Element::Batch(batch),
                    &context,
                    &mut emitted,
                    &mut state,
                );
                failed = pushed.err();
            }
            if failed.is_none() && subscriber.subscription.stopped_at.is_none() {
                failed = advance(subscriber, &self.trackers, &mut emitted, &mut state).err();
            }
            for (channel, element) in emitted {
                if let Some(output) = subscriber.subscription.outputs.get(channel) {
                    output.send(element).await;
                }
            }
            if let Some((statement, fault)) = failed {
                failures.push(Failure { subscriber: number, statement: Some(statement), fault });
            }
        }
        Ok(failures)
    }

    fn drop_failed(&mut self, failures: Vec<Failure>) {
        for f in failures.into_iter().rev() {
            if f.subscriber < self.subscribers.len() {
                let gone = self.subscribers.remove(f.subscriber);
                let _ =
                    gone.subscription.events.send(Event::Failed { statement: f.statement, fault: f.fault });
                if let Err(fault) = self.rebuild() {
                    self.fail_all(&fault);
                }
            }
        }
    }

    fn fail_all(&mut self, fault: &Fault) {
        for s in self.subscribers.drain(..) {
            let statement = s.subscription.scans.first().map(|scan| scan.statement);
            let _ = s.subscription.events.send(Event::Failed { statement, fault: fault.clone() });
        }
    }

    /// Rules, trackers and the columns to cut, for the subscribers there are now.
    fn rebuild(&mut self) -> Result<(), Fault> {
        let mut rules = Vec::new();
        let mut cut: Vec<usize> = Vec::new();
        self.rule_scans.clear();
        for (number, s) in self.subscribers.iter_mut().enumerate() {
            s.trackers.clear();
            for (entry, scan) in s.subscription.scans.iter().enumerate() {
                rules.push(Rule { id: rules.len(), predicate: scan.filter.clone() });
                self.rule_scans.push((number, entry));
                if scan.filter.is_none() {
                    cut.extend(&scan.output.reads);
                }
                let tracker = match &scan.watermark {
                    None => None,
                    Some(spec) => Some(match self.trackers.iter().position(|(known, _)| known == spec) {
                        Some(known) => known,
                        None => {
                            let mut tracker = WatermarkTracker::new(spec)?;
                            for (split, state) in self.splits.states.iter().enumerate() {
                                if !state.finished && state.offset.is_some() {
                                    tracker.begin(split, None);
                                }
                            }
                            self.trackers.push((spec.clone(), tracker));
                            self.trackers.len() - 1
                        }
                    }),
                };
                s.trackers.push(tracker);
            }
            s.sent.resize(s.subscription.scans.len(), MIN_WATERMARK);
        }
        for (_, tracker) in &self.trackers {
            cut.extend(&tracker.columns);
        }
        self.always_cut = cut;
        self.rules = Box::new(IndexedRules::new(&rules)?);
        self.aim();
        Ok(())
    }

    /// The columns to cut, by what the rules want now.
    fn aim(&mut self) {
        self.generation = self.rules.generation();
        let mut want: Vec<usize> = self
            .always_cut
            .iter()
            .copied()
            .chain(self.rules.slice_columns())
            .filter_map(|c| match self.spec.columns.get(c) {
                Some(GroupColumn::Physical(position, _)) => Some(*position),
                _ => None,
            })
            .collect();
        want.sort_unstable();
        want.dedup();
        self.want = want;
    }

    async fn obey(&mut self, command: Command) {
        match command {
            Command::Subscribe(subscription) => {
                self.subscribers.push(Subscriber {
                    subscription: *subscription,
                    trackers: Vec::new(),
                    sent: Vec::new(),
                });
                if let Err(fault) = self.rebuild() {
                    let statement = None;
                    if let Some(s) = self.subscribers.pop() {
                        let _ = s.subscription.events.send(Event::Failed { statement, fault });
                    }
                } else if self.drained {
                    self.drain().await;
                }
            }
            Command::Stop { job } => {
                let position = self.position();
                for s in self.of(job) {
                    if s.subscription.stopped_at.is_none() {
                        s.subscription.stopped_at = Some(position.clone());
                        let _ = s.subscription.events.send(Event::ScanFinished { task: s.subscription.task });
                    }
                }
            }
            Command::Barrier { job, barrier } => self.barrier(job, barrier).await,
            Command::Unsubscribe { job } => {
                self.subscribers.retain(|s| s.subscription.job != job);
                if let Err(fault) = self.rebuild() {
                    self.fail_all(&fault);
                }
            }
        }
    }

    fn of(&mut self, job: u64) -> impl Iterator<Item = &mut Subscriber> {
        self.subscribers.iter_mut().filter(move |s| s.subscription.job == job)
    }

    /// Where reading stands.
    fn position(&self) -> Vec<ManifestSplit> {
        self.splits
            .states
            .iter()
            .enumerate()
            .map(|(i, s)| ManifestSplit {
                id: s.split.id.to_string(),
                payload: s.split.payload.clone(),
                offset: s.offset.as_ref().map(ToString::to_string),
                finished: s.finished,
                watermarks: self.trackers.iter().map(|(_, t)| t.split(i)).collect(),
            })
            .collect()
    }

    async fn barrier(&mut self, job: u64, barrier: Barrier) {
        let position = self.position();
        let mut acks = Vec::new();
        for s in self.of(job) {
            let splits = s.subscription.stopped_at.clone().unwrap_or_else(|| position.clone());
            let scan = ManifestScan { id: s.subscription.id.clone(), splits };
            acks.push((s.subscription.task, s.subscription.events.clone(), scan));
        }
        let mut state = TaskState::default();
        let failed = self.push_to(job, Element::Barrier(barrier), &mut state).await;
        let mut state = Some(state);
        for (task, events, scan) in acks {
            let state = state.take().unwrap_or_default();
            let _ = events.send(Event::ScanAck { task, checkpoint: barrier.checkpoint, scan, state });
        }
        if !failed && barrier.last {
            self.publish_costs();
            self.push_to(job, Element::End, &mut TaskState::default()).await;
            self.subscribers.retain(|s| s.subscription.job != job);
        }
    }

    /// Leaves what each rule has cost for whoever asks when the job has ended.
    fn publish_costs(&self) {
        let statements: Vec<usize> = self
            .subscribers
            .iter()
            .flat_map(|s| s.subscription.scans.iter().map(|scan| scan.statement))
            .collect();
        let costs = self.rules.report().into_iter().map(|report| RuleCost {
            table: self.spec.name.clone(),
            statement: statements.get(report.rule).copied().unwrap_or(0),
            report,
        });
        self.progress.rules.lock().unwrap_or_else(PoisonError::into_inner).extend(costs);
    }

    /// Pushes an element into every entry of a job's chain and its dead-letter channel.
    async fn push_to(&mut self, job: u64, element: Element, state: &mut TaskState) -> bool {
        let mut failed = false;
        for s in self.subscribers.iter_mut().filter(|s| s.subscription.job == job) {
            let context = s.subscription.context.clone();
            let mut emitted = Vec::new();
            for entry in 0..s.subscription.scans.len() {
                let pushed = s.subscription.chain.push(entry, element.clone(), &context, &mut emitted, state);
                if let Err((statement, fault)) = pushed {
                    let _ = s.subscription.events.send(Event::Failed { statement: Some(statement), fault });
                    failed = true;
                }
            }
            if let Some((_, channel)) = &s.subscription.dead_letters {
                emitted.push((*channel, element.clone()));
            }
            for (channel, element) in emitted {
                if let Some(output) = s.subscription.outputs.get(channel) {
                    output.send(element).await;
                }
            }
        }
        failed
    }

    /// The end of bounded input: the watermark goes to the maximum, then the coordinators decide.
    async fn drain(&mut self) {
        let jobs: Vec<(u64, usize, mpsc::UnboundedSender<Event>)> = self
            .subscribers
            .iter_mut()
            .filter(|s| s.subscription.stopped_at.is_none())
            .map(|s| (s.subscription.job, s.subscription.task, s.subscription.events.clone()))
            .collect();
        let position = self.position();
        for (job, task, events) in jobs {
            self.push_to(job, Element::Watermark(Watermark(MAX_WATERMARK)), &mut TaskState::default()).await;
            for s in self.of(job) {
                s.subscription.stopped_at = Some(position.clone());
            }
            let _ = events.send(Event::ScanFinished { task });
        }
    }
}

/// Tells a subscriber's scans how far their watermarks have come.
fn advance(
    subscriber: &mut Subscriber,
    trackers: &[(WatermarkSpec, WatermarkTracker)],
    emitted: &mut Vec<(usize, Element)>,
    state: &mut TaskState,
) -> Result<(), (usize, Fault)> {
    let reached: Vec<i64> = trackers.iter().map(|(_, t)| t.combined()).collect();
    let Subscriber { subscription, trackers, sent } = subscriber;
    for (entry, (tracker, sent)) in trackers.iter().zip(sent).enumerate() {
        if !subscription.chain.takes_watermarks(entry) {
            continue;
        }
        let reached = tracker.and_then(|t| reached.get(t)).copied().unwrap_or(MIN_WATERMARK);
        if reached > *sent {
            *sent = reached;
            let element = Element::Watermark(Watermark(reached));
            subscription.chain.push(entry, element, &subscription.context, emitted, state)?;
        }
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Source<'a> {
    Records(&'a RawChunk, &'a Slices),
    Rows(&'a Batch),
}

fn decoder_kinds(spec: &GroupSpec) -> Option<Arc<[RowKind]>> {
    spec.decoder.as_ref().and_then(|d| d.kinds()).map(Arc::from)
}

/// Columns by position for all rows; positions that are not asked for hold an empty array.
fn build(input: &mut ChunkInput<'_>, wanted: &[usize], width: usize) -> Result<Vec<ArrayRef>, Fault> {
    let empty = arrow::array::new_empty_array(&arrow::datatypes::DataType::Null);
    let mut columns = vec![empty; width];
    for c in wanted {
        let array = millstream_rules::RuleInput::column(input, *c, None)?;
        if let Some(slot) = columns.get_mut(*c) {
            *slot = array;
        }
    }
    Ok(columns)
}

/// A scan's output for its hits. `survivors` are the rows for which `built` holds entries (`None`: all).
#[allow(clippy::too_many_arguments)] // all of them are of one chunk, and a struct would only rename them
fn output(
    scan: &super::SubscribedScan,
    hits: &Hits,
    rows: usize,
    survivors: Option<&Survivors>,
    built: &[Option<ArrayRef>],
    watermarks: Option<&Arc<[i64]>>,
    kinds: Option<&[RowKind]>,
    eval: &EvalContext,
) -> Result<Option<Batch>, EvalError> {
    let count = match hits {
        Hits::All => rows,
        Hits::Rows(r) => r.len(),
    };
    if count == 0 {
        return Ok(None);
    }
    let stored = survivors.map_or(rows, |s| arrow::array::Array::len(&s.rows));
    let pick = match hits {
        Hits::Rows(r) if r.len() < stored => Some(positions(r, survivors)),
        _ => None,
    };
    let mut read = Vec::with_capacity(scan.output.reads.len());
    for c in &scan.output.reads {
        let array =
            built.get(*c).and_then(Option::as_ref).ok_or_else(|| Fault::internal("column was not built"))?;
        read.push(match &pick {
            None => array.clone(),
            Some(p) => {
                compute::take(array, p, None).map_err(|e| Fault::internal(format!("taking rows: {e}")))?
            }
        });
    }
    let selected = |all: &[i64]| -> Arc<[i64]> {
        match hits {
            Hits::All => all.into(),
            Hits::Rows(r) => {
                r.iter().map(|i| all.get(*i as usize).copied().unwrap_or(MIN_WATERMARK)).collect()
            }
        }
    };
    let watermarks = watermarks.map(|w| selected(w));
    let columns = scan.output.columns(&read, count, watermarks.as_deref(), eval).map_err(|e| match hits {
        Hits::Rows(r) => e.mapped(r),
        Hits::All => e,
    })?;
    let mut batch = Batch::new(scan.output.schema.clone(), columns, count);
    batch.watermarks = watermarks;
    batch.kinds = kinds.map(|k| match hits {
        Hits::All => k.into(),
        Hits::Rows(r) => r.iter().map(|i| k.get(*i as usize).copied().unwrap_or(RowKind::Insert)).collect(),
    });
    Ok(Some(batch))
}

/// The rows of a chunk that some subscriber wants, ascending.
struct Survivors {
    rows: UInt32Array,
    /// For each of them, by its number in the chunk, its position in `rows`.
    rank: Vec<u32>,
}

fn mark(rank: &mut [u32], row: u32) {
    if let Some(r) = rank.get_mut(row as usize) {
        *r = 1;
    }
}

/// The rows that are marked; each one's mark becomes its position among them.
fn rank_marked(rank: &mut [u32]) -> Vec<u32> {
    let mut marked = Vec::new();
    for (row, r) in rank.iter_mut().enumerate().filter(|(_, r)| **r != 0) {
        *r = marked.len() as u32;
        marked.push(row as u32);
    }
    marked
}

/// Where rows are among the survivors.
fn positions(rows: &[u32], survivors: Option<&Survivors>) -> UInt32Array {
    let Some(survivors) = survivors else { return UInt32Array::from(rows.to_vec()) };
    let at = |r: &u32| survivors.rank.get(*r as usize).copied().unwrap_or(0);
    rows.iter().map(at).collect::<Vec<u32>>().into()
}
