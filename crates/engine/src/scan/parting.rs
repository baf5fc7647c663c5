//! Jobs part: one whose channels stay full is given a reader of its own, so that the others do not wait for it. When it has caught up, it comes
//! back by itself.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

use super::group::GroupSpec;
use super::meeting::{Follow, Role};
use super::sharing::SharedScans;
use super::splits::Splits;
use super::task::{ScanTask, Subscriber};
use super::watermark::WatermarkTracker;

/// How long others wait at once for a job.
const PATIENCE: Duration = Duration::from_millis(100);
/// How long they wait for it in all, if it goes on like that, ...
const WAITED: Duration = Duration::from_millis(1000);
/// ... one part in this many of the time that goes by being forgiven.
const FORGIVEN: u32 = 4;
/// A job that could not keep up comes back not before this; twice as long each time.
const AWAY: Duration = Duration::from_secs(5);

impl ScanTask {
    /// Waits until what the subscribers' channels had no room for is sent. A job alone waits as long as it takes; among others, one that does not
    /// make room is given a reader of its own.
    pub(super) async fn settle(&mut self) {
        if self.subscribers.iter().all(|s| s.unsent.is_empty()) {
            return;
        }
        if self.subscribers.len() == 1 {
            let Some(s) = self.subscribers.first_mut() else { return };
            if let Role::Leads(lead) = &self.role {
                if tokio::time::timeout(PATIENCE, s.flush()).await.is_ok() {
                    return;
                }
                // Others could not come to it now: one of them is to be the one that the others come to.
                self.role = Role::Follows(Follow::new(lead.scans(), Instant::now() + PATIENCE));
                while let Ok(command) = self.commands.try_recv() {
                    if command.job().is_some() {
                        self.backlog.push_back(command);
                    }
                }
            }
            s.flush().await;
            return;
        }
        let deadline = Instant::now() + PATIENCE;
        for s in self.subscribers.iter_mut().filter(|s| !s.unsent.is_empty()) {
            let began = Instant::now();
            // What was sent when the time is over is sent; the rest is kept.
            let _ = tokio::time::timeout_at(deadline, s.flush()).await;
            let now = Instant::now();
            let passed = s.waited_until.map_or(Duration::ZERO, |until| now - until);
            s.waited = s.waited.saturating_sub(passed / FORGIVEN) + (now - began);
            s.waited_until = Some(now);
        }
        for i in (0..self.subscribers.len()).rev() {
            let slow = |s: &Subscriber| !s.unsent.is_empty() || s.waited > WAITED;
            if self.subscribers.len() > 1 && self.subscribers.get(i).is_some_and(slow) {
                self.part(i);
            }
        }
    }

    /// Gives a subscriber a task of its own that goes on where this one stands.
    fn part(&mut self, number: usize) {
        let Role::Leads(lead) = &self.role else { return };
        let scans = lead.scans();
        let Some(s) = self.subscribers.get(number) else { return };
        let position = self.position_of(s);
        let Ok(mut task) = self.branch(&scans, s) else { return };
        task.splits = Splits::new(self.spec.source.clone(), Some(&position));
        let known = |id: &str| position.iter().position(|p| p.id == id);
        // The other task has only the job's own splits.
        let places: Vec<Option<usize>> =
            self.splits.states.iter().map(|state| known(&state.split.id)).collect();
        let far = position.len();
        let places: Vec<usize> = places.into_iter().map(|p| p.unwrap_or(far)).collect();
        let mut numbers: Vec<usize> = Vec::new();
        for t in s.trackers.iter().flatten() {
            if !numbers.contains(t) {
                numbers.push(*t);
            }
        }
        for t in &numbers {
            let Some((spec, tracker)) = self.trackers.get(*t) else { return };
            let Ok(mut own) = WatermarkTracker::new(spec) else { return };
            own.follow(tracker, &places);
            task.trackers.push((spec.clone(), own));
        }
        let job = s.subscription.job;
        let mut subscriber = self.subscribers.remove(number);
        self.gone.extend(subscriber.first_rule..subscriber.first_rule + subscriber.subscription.scans.len());
        for t in subscriber.trackers.iter_mut().flatten() {
            *t = numbers.iter().position(|n| n == t).unwrap_or(0);
        }
        subscriber.unknown.clear();
        subscriber.waited = Duration::ZERO;
        subscriber.waited_until = None;
        subscriber.parted = (subscriber.parted + 1).min(10);
        let away = AWAY * 2u32.saturating_pow(subscriber.parted - 1);
        task.role = Role::Follows(Follow::new(scans, Instant::now() + away));
        let route = subscriber.subscription.route.clone();
        let mut way = route.lock();
        while let Ok(command) = self.commands.try_recv() {
            self.backlog.push_back(command);
        }
        let (theirs, ours): (VecDeque<_>, VecDeque<_>) =
            std::mem::take(&mut self.backlog).into_iter().partition(|c| c.job() == Some(job));
        self.backlog = ours;
        task.backlog = theirs;
        *way = task.own.clone();
        drop(way);
        task.owed = Some(subscriber.subscription.activity.begin());
        task.take_over(subscriber);
        self.spawner.spawn("scan", Box::pin(task.run()));
    }

    /// A task over the same source with the same columns, of which a subscriber's are decoded.
    fn branch(&self, scans: &SharedScans, s: &Subscriber) -> Result<ScanTask, millstream_types::Fault> {
        let making = self.spec.making.clone();
        let reads = s.subscription.reads();
        let spec = GroupSpec {
            name: self.spec.name.clone(),
            source: self.spec.source.clone(),
            decoder: making.as_ref().map(|m| m.decoder(&self.spec.columns, &reads)).transpose()?,
            columns: self.spec.columns.clone(),
            bad: self.spec.bad,
            indexed: self.spec.indexed,
            making,
            claims: None,
        };
        let eval = s.subscription.context.eval.clone();
        let task = ScanTask::new(spec, Some(&[]), eval, self.spawner.clone(), Some(scans.clone()))?;
        Ok(ScanTask { decoded: reads, ..task })
    }
}

impl Subscriber {
    /// Waits until everything is sent. What is sent when it is given up is sent.
    async fn flush(&mut self) {
        while let Some((channel, element)) = self.unsent.front() {
            if let Some(output) = self.subscription.outputs.get(*channel)
                && !output.room_for(element).await
            {
                // Nobody receives any more: the sink has failed, and the coordinator knows.
                self.unsent.clear();
                return;
            }
            self.send(Vec::new());
        }
    }
}
