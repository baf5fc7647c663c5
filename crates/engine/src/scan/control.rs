//! Commands at batch boundaries: subscribers come and go, barriers pass, input ends.

use std::collections::VecDeque;
use std::sync::PoisonError;
use std::time::Duration;

use millstream_flow::{Barrier, Element, MAX_WATERMARK, Watermark};
use millstream_types::Fault;

use super::subscription::Command;
use super::task::{Failure, ScanTask, Subscriber};
use crate::checkpoint::{ManifestScan, ManifestSplit};
use crate::runtime::{Event, RuleCost, TaskState};

impl ScanTask {
    pub(super) async fn obey(&mut self, command: Command) {
        match command {
            Command::Subscribe(subscription) => {
                self.subscribers.push(Subscriber {
                    subscription: *subscription,
                    trackers: Vec::new(),
                    sent: Vec::new(),
                    watched: Vec::new(),
                    first_rule: 0,
                    unsent: VecDeque::new(),
                    waited: Duration::ZERO,
                    waited_until: None,
                    unknown: Vec::new(),
                    parted: 0,
                });
                self.served = true;
                if let Err(fault) = self.listen() {
                    if let Some(s) = self.subscribers.pop() {
                        let _ = s.subscription.events.send(Event::Failed { statement: None, fault });
                    }
                } else if self.drained {
                    self.drain().await;
                }
            }
            Command::Stop { job } => {
                for i in 0..self.subscribers.len() {
                    let Some(s) = self.subscribers.get(i) else { continue };
                    if s.subscription.job != job || s.subscription.stopped_at.is_some() {
                        continue;
                    }
                    let position = self.position_of(s);
                    if let Some(s) = self.subscribers.get_mut(i) {
                        s.subscription.stopped_at = Some(position);
                        let _ = s.subscription.events.send(Event::ScanFinished { task: s.subscription.task });
                    }
                }
            }
            Command::Barrier { job, barrier } => self.barrier(job, barrier).await,
            Command::Unsubscribe { job } => self.leave(|s| s.subscription.job == job),
            Command::Meet(meet) => self.meet(meet).await,
        }
    }

    /// Subscribers go; their rules and trackers go before the next read.
    pub(super) fn leave(&mut self, goes: impl Fn(&Subscriber) -> bool) {
        for s in self.subscribers.iter().filter(|s| goes(s)) {
            self.gone.extend(s.first_rule..s.first_rule + s.subscription.scans.len());
        }
        self.subscribers.retain(|s| !goes(s));
    }

    pub(super) fn drop_failed(&mut self, failures: Vec<Failure>) {
        for f in failures.into_iter().rev() {
            let Some(s) = self.subscribers.get(f.subscriber) else { continue };
            let job = s.subscription.job;
            let _ = s.subscription.events.send(Event::Failed { statement: f.statement, fault: f.fault });
            self.leave(|s| s.subscription.job == job);
        }
    }

    pub(super) fn fail_all(&mut self, fault: &Fault) {
        for s in self.subscribers.drain(..) {
            self.gone.extend(s.first_rule..s.first_rule + s.subscription.scans.len());
            let statement = s.subscription.scans.first().map(|scan| scan.statement);
            let _ = s.subscription.events.send(Event::Failed { statement, fault: fault.clone() });
        }
    }

    /// Where reading stands.
    pub(super) fn position(&self) -> Vec<ManifestSplit> {
        self.splits
            .states
            .iter()
            .map(|s| ManifestSplit {
                id: s.split.id.to_string(),
                payload: s.split.payload.clone(),
                offset: s.offset.as_ref().map(ToString::to_string),
                finished: s.finished,
                watermarks: Vec::new(),
            })
            .collect()
    }

    /// Where reading stands for a subscriber: its own splits, its own watermarks in the order of its declarations.
    pub(super) fn position_of(&self, subscriber: &Subscriber) -> Vec<ManifestSplit> {
        let mut trackers: Vec<usize> = Vec::new();
        for t in subscriber.trackers.iter().flatten() {
            if !trackers.contains(t) {
                trackers.push(*t);
            }
        }
        let mut position = self.position();
        for (i, split) in position.iter_mut().enumerate() {
            split.watermarks =
                trackers.iter().map(|t| self.trackers.get(*t).and_then(|(_, t)| t.split(i))).collect();
        }
        let mut number = 0;
        position.retain(|_| {
            number += 1;
            !subscriber.unknown.contains(&(number - 1))
        });
        position
    }

    async fn barrier(&mut self, job: u64, barrier: Barrier) {
        let mut acks = Vec::new();
        for s in self.subscribers.iter().filter(|s| s.subscription.job == job) {
            let splits = s.subscription.stopped_at.clone().unwrap_or_else(|| self.position_of(s));
            let scan = ManifestScan { id: s.subscription.id.clone(), splits };
            acks.push((s.subscription.task, s.subscription.events.clone(), scan));
        }
        let mut state = TaskState::default();
        let failed = self.push_to(job, Element::Barrier(barrier), &mut state);
        let mut state = Some(state);
        for (task, events, scan) in acks {
            let state = state.take().unwrap_or_default();
            let _ = events.send(Event::ScanAck { task, checkpoint: barrier.checkpoint, scan, state });
        }
        if !failed && barrier.last {
            self.publish_costs(job);
            self.push_to(job, Element::End, &mut TaskState::default());
            self.settle().await;
            self.leave(|s| s.subscription.job == job);
        } else {
            self.settle().await;
        }
    }

    /// Leaves what each rule of a job has cost for whoever asks when the job has ended.
    fn publish_costs(&self, job: u64) {
        let reports = self.rules.report();
        for s in self.subscribers.iter().filter(|s| s.subscription.job == job) {
            let costs = reports.iter().filter_map(|report| {
                let entry = report.rule.checked_sub(s.first_rule)?;
                Some(RuleCost {
                    table: s.subscription.table.clone(),
                    statement: s.subscription.scans.get(entry)?.statement,
                    report: report.clone(),
                })
            });
            s.subscription.progress.rules.lock().unwrap_or_else(PoisonError::into_inner).extend(costs);
        }
    }

    /// Pushes an element into every entry of a job's chain and its dead-letter channel.
    fn push_to(&mut self, job: u64, element: Element, state: &mut TaskState) -> bool {
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
            s.send(emitted);
        }
        failed
    }

    /// The end of bounded input: the watermark goes to the maximum, then the coordinators decide.
    pub(super) async fn drain(&mut self) {
        for i in 0..self.subscribers.len() {
            let Some(s) = self.subscribers.get(i) else { continue };
            if s.subscription.stopped_at.is_some() {
                continue;
            }
            let (job, task, events) =
                (s.subscription.job, s.subscription.task, s.subscription.events.clone());
            let position = self.position_of(s);
            self.push_to(job, Element::Watermark(Watermark(MAX_WATERMARK)), &mut TaskState::default());
            if let Some(s) = self.subscribers.get_mut(i) {
                s.subscription.stopped_at = Some(position);
            }
            let _ = events.send(Event::ScanFinished { task });
        }
        self.settle().await;
    }
}
