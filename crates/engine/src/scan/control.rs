//! Commands at batch boundaries: subscribers come and go, barriers pass, input ends.

use std::sync::PoisonError;

use millstream_flow::{Barrier, Element, MAX_WATERMARK, Watermark};
use millstream_types::Fault;
use tokio::sync::mpsc;

use super::subscription::Command;
use super::task::{Failure, ScanTask, Subscriber};
use crate::checkpoint::{ManifestScan, ManifestSplit};
use crate::runtime::{Event, RuleCost, TaskState};

impl ScanTask {
    pub(super) fn drop_failed(&mut self, failures: Vec<Failure>) {
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

    pub(super) fn fail_all(&mut self, fault: &Fault) {
        for s in self.subscribers.drain(..) {
            let statement = s.subscription.scans.first().map(|scan| scan.statement);
            let _ = s.subscription.events.send(Event::Failed { statement, fault: fault.clone() });
        }
    }

    pub(super) async fn obey(&mut self, command: Command) {
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

    pub(super) fn of(&mut self, job: u64) -> impl Iterator<Item = &mut Subscriber> {
        self.subscribers.iter_mut().filter(move |s| s.subscription.job == job)
    }

    /// Where reading stands.
    pub(super) fn position(&self) -> Vec<ManifestSplit> {
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

    pub(super) async fn barrier(&mut self, job: u64, barrier: Barrier) {
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
    pub(super) fn publish_costs(&self) {
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
    pub(super) async fn push_to(&mut self, job: u64, element: Element, state: &mut TaskState) -> bool {
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
    pub(super) async fn drain(&mut self) {
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
