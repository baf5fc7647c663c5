//! Which scan task of the process reads a source for all jobs that can share it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use millstream_plan::same_source;
use tokio::sync::{mpsc, watch};

use super::group::Making;
use super::subscription::Command;
use crate::checkpoint::ManifestSplit;

/// The sources that the jobs of a process read together. Jobs that are launched with clones of one share the reading, the cutting and the index
/// of rules of every source that is the same for them: the same connector with the same options that decide the data, whatever the tables are
/// called. Positions, checkpoints and watermarks stay each job's own: a job that is behind reads by itself until it stands where the shared
/// reader stands, and one whose outputs stay full is given a reader of its own.
#[derive(Debug, Clone, Default)]
pub struct SharedScans(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    leaders: Mutex<Leaders>,
    /// How many hold the jobs back.
    held: watch::Sender<usize>,
}

impl Default for Shared {
    fn default() -> Self {
        Shared { leaders: Mutex::default(), held: watch::channel(0).0 }
    }
}

#[derive(Debug, Default)]
struct Leaders {
    next: u64,
    all: Vec<Leader>,
    /// Tasks that are about to begin, and where.
    beginning: Vec<Beginning>,
}

#[derive(Debug)]
struct Beginning {
    id: u64,
    making: Making,
    position: Vec<ManifestSplit>,
}

#[derive(Debug)]
struct Leader {
    id: u64,
    making: Making,
    commands: mpsc::UnboundedSender<Command>,
}

/// Jobs that are launched wait while this is there; then they begin together, so that those at the same position share from the first record on.
#[derive(Debug)]
pub struct Held(SharedScans);

/// A task is the one that others come to; while it is there.
#[derive(Debug)]
pub(super) struct Lead {
    scans: SharedScans,
    id: u64,
}

/// A task is about to begin; while it is there.
pub(super) struct Enrolled {
    scans: SharedScans,
    id: u64,
}

/// What a task finds when it looks for others.
pub(super) enum Found {
    /// Nobody: it is the one that others come to from now on.
    Leads(Lead),
    /// The task to come to.
    Leader(mpsc::UnboundedSender<Command>),
}

impl SharedScans {
    /// Holds back jobs that are launched from now on until the guard is dropped.
    #[must_use]
    pub fn hold(&self) -> Held {
        self.0.held.send_modify(|held| *held += 1);
        Held(self.clone())
    }

    /// Waits while jobs are held back.
    pub(super) async fn open(&self) {
        let mut held = self.0.held.subscribe();
        // The sender lives as long as this does.
        let _ = held.wait_for(|held| *held == 0).await;
    }

    fn lock(&self) -> MutexGuard<'_, Leaders> {
        self.0.leaders.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says where a task will begin.
    pub(super) fn enrol(&self, making: &Making, position: Vec<ManifestSplit>) -> Enrolled {
        let mut leaders = self.lock();
        leaders.next += 1;
        let id = leaders.next;
        leaders.beginning.push(Beginning { id, making: making.clone(), position });
        Enrolled { scans: self.clone(), id }
    }

    /// The task that reads this source for all, which the asking one becomes if there is none.
    pub(super) fn find(&self, making: &Making, commands: &mpsc::UnboundedSender<Command>) -> Found {
        let mut leaders = self.lock();
        let same = |l: &&Leader| {
            !l.commands.is_closed()
                && same_source(&l.making.table, &making.table)
                && l.making.zone == making.zone
                && making.metadata.iter().all(|m| l.making.metadata.contains(m))
        };
        if let Some(leader) = leaders.all.iter().find(same) {
            return Found::Leader(leader.commands.clone());
        }
        leaders.next += 1;
        let id = leaders.next;
        leaders.all.push(Leader { id, making: making.clone(), commands: commands.clone() });
        Found::Leads(Lead { scans: self.clone(), id })
    }
}

impl Lead {
    /// What it leads in.
    pub(super) fn scans(&self) -> SharedScans {
        self.scans.clone()
    }

    /// The source has more columns now.
    pub(super) fn widened(&self, making: &Making) {
        if let Some(leader) = self.scans.lock().all.iter_mut().find(|l| l.id == self.id) {
            leader.making = making.clone();
        }
    }
}

impl Enrolled {
    /// Where others over the same source will begin; each place once.
    pub(super) fn others(&self, making: &Making) -> Vec<Vec<ManifestSplit>> {
        let mut places: Vec<Vec<ManifestSplit>> = Vec::new();
        for other in self.scans.lock().beginning.iter().filter(|b| b.id != self.id) {
            if same_source(&other.making.table, &making.table) && !places.contains(&other.position) {
                places.push(other.position.clone());
            }
        }
        places
    }
}

impl Drop for Enrolled {
    fn drop(&mut self) {
        self.scans.lock().beginning.retain(|b| b.id != self.id);
    }
}

impl Drop for Lead {
    fn drop(&mut self) {
        self.scans.lock().all.retain(|l| l.id != self.id);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.0.0.held.send_modify(|held| *held = held.saturating_sub(1));
    }
}
