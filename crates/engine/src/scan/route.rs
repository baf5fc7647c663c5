//! The way from a job's coordinator to the task that reads for it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::mpsc;

use super::subscription::Command;

/// Where a coordinator's commands for one of its scans go. The task changes when the job meets others or parts from them; the order of the
/// commands stays.
#[derive(Debug, Clone)]
pub struct ScanRoute(Arc<Mutex<mpsc::UnboundedSender<Command>>>);

impl ScanRoute {
    /// A route to a task.
    pub fn new(task: mpsc::UnboundedSender<Command>) -> Self {
        ScanRoute(Arc::new(Mutex::new(task)))
    }

    /// Sends a command; a task that is gone has told the coordinator why.
    pub fn send(&self, command: Command) {
        let _ = self.lock().send(command);
    }

    /// Holds commands back while the job changes tasks.
    pub(super) fn lock(&self) -> MutexGuard<'_, mpsc::UnboundedSender<Command>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
