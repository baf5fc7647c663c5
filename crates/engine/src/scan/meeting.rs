//! Jobs meet: a task that reads for one job comes to stand where the shared reader of the source stands, and hands its job over.
//!
//! It asks where that reader is and reads up to there. When it is close, it asks again, and the shared reader waits for it. A shared reader
//! waits only as long as a person would not notice, and not at all for a job that is far behind.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use millstream_expr::{Expr, ExprKind};
use millstream_flow::Offset;
use millstream_plan::WatermarkSpec;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::group::{GroupColumn, Making};
use super::sharing::{Found, Lead, SharedScans};
use super::splits::Splits;
use super::standing::{Standing, Target, standing};
use super::subscription::Command;
use super::task::{ScanTask, Subscriber};
use super::watermark::WatermarkTracker;
use crate::checkpoint::ManifestSplit;

/// How long the shared reader waits for a job that is close.
const PATIENCE: Duration = Duration::from_millis(100);
/// How long a job that begins waits for its turn among hundreds.
const GATHERING: Duration = Duration::from_secs(5);
/// How long a job that begins waits for others that begin behind it: hundreds that are restored stand close to each other, and one reader is to
/// take them all along.
const PATIENT: Duration = Duration::from_secs(2);
/// Until the next look of a job that waits.
const SOON: Duration = Duration::from_millis(20);
/// A way that took longer than this is not close.
const CLOSE: Duration = Duration::from_millis(50);
/// Until the next look for others.
const LOOK: Duration = Duration::from_millis(200);
/// Until the next look where the other one has to come here.
const LATER: Duration = Duration::from_secs(1);

/// A task asks the shared reader where it is.
pub struct Meet {
    answer: oneshot::Sender<Meeting>,
    /// It is close, and wants to come.
    wait: bool,
}

/// Where the shared reader is.
pub(super) struct Meeting {
    position: Vec<ManifestSplit>,
    /// It waits for the job to be handed over here.
    come: Option<oneshot::Sender<Box<Arrival>>>,
}

/// A job that comes to the shared reader, which stands where the job stands.
pub(super) struct Arrival {
    pub(super) subscriber: Subscriber,
    pub(super) trackers: Vec<(Arc<WatermarkSpec>, WatermarkTracker)>,
    pub(super) columns: Vec<GroupColumn>,
    pub(super) making: Making,
    /// Where the job stands.
    pub(super) position: Vec<ManifestSplit>,
    /// What its coordinator has said and nobody has done yet.
    pub(super) pending: VecDeque<Command>,
}

/// What a task is to others.
pub(super) enum Role {
    /// Nobody can read this source with it.
    Alone,
    /// Others come to it.
    Leads(Lead),
    /// It comes to others.
    Follows(Follow),
}

/// How a task comes to others.
pub(super) struct Follow {
    scans: SharedScans,
    next_look: Instant,
    close: bool,
    /// How often it came too late.
    misses: u32,
    /// Until when it would rather wait than read ahead of others.
    patient: Instant,
    /// It stands where the others have to come, and waits for them.
    waits: bool,
    asked: Option<Asked>,
    approach: Option<Approach>,
}

/// The shared reader was asked where it is.
struct Asked {
    leader: mpsc::UnboundedSender<Command>,
    answer: oneshot::Receiver<Meeting>,
    when: Instant,
}

/// The way to where the shared reader was.
struct Approach {
    targets: Vec<Target>,
    leader: mpsc::UnboundedSender<Command>,
    come: Option<oneshot::Sender<Box<Arrival>>>,
    began: Instant,
    moved: Instant,
}

impl Role {
    /// The answer of the shared reader, when it was asked. Cancel-safe.
    pub(super) async fn answer(&mut self) -> Option<Meeting> {
        match self {
            Role::Follows(Follow { asked: Some(asked), .. }) => (&mut asked.answer).await.ok(),
            _ => std::future::pending().await,
        }
    }

    /// Whether the shared reader was asked.
    pub(super) fn asked(&self) -> bool {
        matches!(self, Role::Follows(Follow { asked: Some(_), .. }))
    }
}

impl Follow {
    /// Looks for others from some time on.
    pub(super) fn new(scans: SharedScans, from: Instant) -> Self {
        // Whoever has read nothing is close to those that have not, either.
        let patient = from + PATIENT;
        Follow {
            scans,
            next_look: from,
            close: true,
            misses: 0,
            patient,
            waits: false,
            asked: None,
            approach: None,
        }
    }
}

impl ScanTask {
    /// What the task is to others, at its start. Waits while jobs are held back.
    pub(super) async fn find_role(&mut self) {
        let Role::Follows(follow) = &self.role else { return };
        let scans = follow.scans.clone();
        let enrolled = self.spec.making.as_ref().map(|making| scans.enrol(making, self.position()));
        scans.open().await;
        // Rules see one watermark: a condition on it is a matter of its own job.
        let filters =
            self.subscribers.iter().flat_map(|s| s.subscription.scans.iter().flat_map(|s| &s.filter));
        let own_time = filters.into_iter().any(|f| reads_watermark(f));
        let (Some(making), true, false) = (&self.spec.making, self.spec.source.is_replayable(), own_time)
        else {
            self.role = Role::Alone;
            return;
        };
        // The one that is furthest behind takes the others along.
        let others = enrolled.as_ref().map_or_else(Vec::new, |e| e.others(making));
        let ahead = |o: &Vec<ManifestSplit>| standing(&self.splits, o, &*self.spec.source) == Standing::Ahead;
        if others.iter().any(ahead) {
            if let Role::Follows(follow) = &mut self.role {
                follow.waits = true;
                follow.next_look = Instant::now() + SOON;
                follow.patient = Instant::now() + PATIENT;
            }
        } else if let Found::Leads(lead) = scans.find(making, &self.own) {
            self.role = Role::Leads(lead);
        }
    }

    /// Whether the task waits for others to come to where it stands.
    pub(super) fn waits(&self) -> bool {
        matches!(&self.role, Role::Follows(follow) if follow.waits && follow.approach.is_none() && Instant::now() < follow.patient)
    }

    /// Those that begin at the same moment come before the first record is read.
    pub(super) async fn gather(&mut self) {
        if !matches!(self.role, Role::Leads(_)) {
            return;
        }
        let mut quiet = 0;
        while quiet < 3 {
            tokio::task::yield_now().await;
            quiet += 1;
            while let Ok(command) = self.commands.try_recv() {
                self.obey(command).await;
                quiet = 0;
            }
        }
    }

    /// Looks for others if it is time.
    pub(super) fn look(&mut self) {
        let Role::Follows(follow) = &mut self.role else { return };
        let now = Instant::now();
        // One that does not answer has to do with a job that hangs.
        follow.asked = follow.asked.take().filter(|a| now - a.when < LATER);
        let busy = follow.approach.is_some() || follow.asked.is_some();
        if busy || now < follow.next_look || self.subscribers.len() != 1 {
            return;
        }
        follow.next_look = now + LOOK;
        let Some(making) = &self.spec.making else { return };
        match follow.scans.find(making, &self.own) {
            Found::Leads(lead) => self.role = Role::Leads(lead),
            Found::Leader(leader) => {
                let (answer, answered) = oneshot::channel();
                if leader.send(Command::Meet(Meet { answer, wait: follow.close })).is_ok() {
                    follow.asked = Some(Asked { leader, answer: answered, when: now });
                }
            }
        }
    }

    /// Before anything is read: those that have read nothing, either, are near.
    pub(super) async fn look_at_first(&mut self) -> bool {
        self.look();
        if !self.role.asked() {
            return false;
        }
        match tokio::time::timeout(GATHERING, self.role.answer()).await {
            Ok(meeting) => self.hear(meeting),
            Err(_) => false,
        }
    }

    /// The shared reader has answered. `true`: the job is handed over, and the task has nothing left to do.
    pub(super) fn hear(&mut self, meeting: Option<Meeting>) -> bool {
        let Role::Follows(follow) = &mut self.role else { return false };
        let now = Instant::now();
        let (Some(Asked { leader, .. }), Some(meeting)) = (follow.asked.take(), meeting) else {
            follow.next_look = now + LATER;
            return false;
        };
        match (standing(&self.splits, &meeting.position, &*self.spec.source), meeting.come) {
            (Standing::Level, Some(come)) => self.arrive(come, &leader),
            (Standing::Level, None) => {
                follow.close = true;
                follow.next_look = now;
                false
            }
            (Standing::Behind(targets), come) => {
                if self.splits.stop_at(&targets) {
                    let now = Instant::now();
                    follow.approach = Some(Approach { targets, leader, come, began: now, moved: now });
                } else {
                    self.splits.go_on();
                    self.role = Role::Alone;
                }
                false
            }
            (Standing::Ahead, _) if now < follow.patient => {
                follow.waits = true;
                follow.next_look = now + SOON;
                false
            }
            (Standing::Ahead | Standing::Apart, _) => {
                follow.close = false;
                follow.waits = false;
                follow.next_look = now + LATER;
                false
            }
        }
    }

    /// After a read on the way to the shared reader: whether it was reached, and the job is handed over.
    pub(super) fn approached(&mut self, moved: bool) -> bool {
        let Role::Follows(follow) = &mut self.role else { return false };
        let Some(approach) = &mut follow.approach else { return false };
        let now = Instant::now();
        if moved {
            approach.moved = now;
        }
        let Splits { states, .. } = &self.splits;
        let source = &self.spec.source;
        let same = |a: &Offset, b: &Offset| source.order(a, b).is_some_and(std::cmp::Ordering::is_eq);
        approach.targets.retain(|t| {
            let Some(state) = states.get(t.split) else { return true };
            match &t.offset {
                None => !state.finished,
                Some(end) => state.finished || !state.offset.as_ref().is_some_and(|o| same(o, end)),
            }
        });
        if !approach.targets.is_empty() {
            if now - approach.moved > LATER {
                // It does not come there: what it was to read has changed.
                follow.approach = None;
                follow.next_look = now + LATER;
                self.splits.go_on();
            }
            return false;
        }
        let Some(approach) = follow.approach.take() else { return false };
        follow.close = now - approach.began < CLOSE;
        follow.waits = false;
        follow.next_look = now;
        match approach.come {
            Some(come) => {
                let arrived = self.arrive(come, &approach.leader);
                if !arrived {
                    self.splits.go_on();
                }
                arrived
            }
            None => {
                self.splits.go_on();
                false
            }
        }
    }

    /// Whether a way to the shared reader is under way.
    pub(super) fn approaches(&self) -> bool {
        matches!(&self.role, Role::Follows(Follow { approach: Some(_), .. }))
    }

    /// Hands the job over, if the shared reader still waits.
    fn arrive(
        &mut self,
        come: oneshot::Sender<Box<Arrival>>,
        leader: &mpsc::UnboundedSender<Command>,
    ) -> bool {
        let Some(making) = self.spec.making.clone() else { return false };
        let position = self.position();
        let Some(subscriber) = self.subscribers.pop() else { return false };
        let route = subscriber.subscription.route.clone();
        let mut way = route.lock();
        let mut pending = std::mem::take(&mut self.backlog);
        while let Ok(command) = self.commands.try_recv() {
            pending.push_back(command);
        }
        let arrival = Arrival {
            subscriber,
            trackers: std::mem::take(&mut self.trackers),
            columns: self.spec.columns.clone(),
            making,
            position,
            pending,
        };
        match come.send(Box::new(arrival)) {
            Ok(()) => {
                *way = leader.clone();
                true
            }
            Err(back) => {
                self.backlog = back.pending;
                self.trackers = back.trackers;
                self.subscribers.push(back.subscriber);
                if let Role::Follows(follow) = &mut self.role {
                    // It must not make the others wait again and again.
                    follow.close = false;
                    follow.next_look = Instant::now() + LATER * 2u32.saturating_pow(follow.misses);
                    follow.misses = (follow.misses + 1).min(6);
                }
                false
            }
        }
    }

    /// A task asks where this one is; it waits for a job that is close.
    pub(super) async fn meet(&mut self, meet: Meet) {
        if self.drained || !matches!(self.role, Role::Leads(_)) {
            return;
        }
        let (come, mut coming) = oneshot::channel();
        let meeting = Meeting { position: self.position(), come: meet.wait.then_some(come) };
        if meet.answer.send(meeting).is_err() || !meet.wait {
            return;
        }
        let arrival = match tokio::time::timeout(PATIENCE, &mut coming).await {
            Ok(arrival) => arrival.ok(),
            Err(_) => {
                coming.close();
                coming.try_recv().ok()
            }
        };
        if let Some(arrival) = arrival {
            self.admit(*arrival);
        }
    }
}

/// Whether a condition asks for the watermark.
fn reads_watermark(filter: &Expr) -> bool {
    let mut reads = false;
    filter.walk(&mut |e| {
        reads |= matches!(&e.kind, ExprKind::Call(call) if &*call.name == "CURRENT_WATERMARK")
    });
    reads
}
