//! The splits of a source among the tasks that read it side by side.

use std::sync::Arc;

use millstream_flow::{Source, Split};
use millstream_types::Fault;
use tokio::sync::Mutex;

use crate::checkpoint::ManifestSplit;

/// What is known of a source's splits, and which of them nobody has taken yet. Where splits are read one after the other (files), a task takes
/// the next one when it has nothing left to read, so that tasks end together whatever the sizes; where they are read side by side
/// (partitions), each task has its share from the moment of their discovery.
#[derive(Debug)]
pub struct SplitPool {
    source: Arc<dyn Source>,
    tasks: usize,
    /// Splits of a checkpoint are all there are of a bounded source.
    restored: bool,
    state: Mutex<Known>,
}

#[derive(Debug, Default)]
struct Known {
    looked: bool,
    /// In the order of discovery, each as it was before anybody of this start read it.
    splits: Vec<ManifestSplit>,
    /// For each whether somebody has it, or nothing is left of it.
    taken: Vec<bool>,
}

impl SplitPool {
    /// The splits of a source for a number of tasks; those of a checkpoint go on where it stood.
    pub fn new(source: Arc<dyn Source>, tasks: usize, restored: Option<&[ManifestSplit]>) -> Self {
        let splits = restored.unwrap_or_default().to_vec();
        let taken = splits.iter().map(|s| s.finished).collect();
        let state = Mutex::new(Known { looked: false, splits, taken });
        SplitPool { source, tasks: tasks.max(1), restored: restored.is_some(), state }
    }

    /// All splits that are known, in the order of discovery: as the restored checkpoint had them, or new.
    pub async fn known(&self) -> Vec<ManifestSplit> {
        self.state.lock().await.splits.clone()
    }
}

/// A task's share of a source's splits.
#[derive(Debug, Clone)]
pub(super) struct Claims {
    pub(super) pool: Arc<SplitPool>,
    /// Number of the task, from 0.
    pub(super) task: usize,
}

impl Claims {
    /// What the task is to read now. `look`: looks for new splits first, where there may be any; `busy`: the task has something to read already.
    ///
    /// # Errors
    /// What the source says.
    pub(super) async fn take(&self, look: bool, busy: bool) -> Result<Vec<ManifestSplit>, Fault> {
        let SplitPool { source, tasks, restored, state } = &*self.pool;
        let mut known = state.lock().await;
        let complete = source.is_bounded() && (known.looked || *restored);
        if look && !complete {
            let so_far: Vec<Split> = known
                .splits
                .iter()
                .map(|s| Split { id: s.id.as_str().into(), payload: s.payload.clone() })
                .collect();
            for split in source.discover(&so_far).await? {
                known.splits.push(ManifestSplit {
                    id: split.id.to_string(),
                    payload: split.payload,
                    offset: None,
                    finished: false,
                    watermarks: Vec::new(),
                });
                known.taken.push(false);
            }
            known.looked = true;
        }
        let Known { splits, taken, .. } = &mut *known;
        let open = taken.iter_mut().zip(splits).enumerate().filter(|(_, (taken, _))| !**taken);
        let mut claimed = Vec::new();
        if source.reads_in_sequence() {
            for (_, (taken, split)) in open.take(usize::from(!busy)) {
                *taken = true;
                claimed.push(split.clone());
            }
        } else {
            for (_, (taken, split)) in open.filter(|(i, _)| i % tasks == self.task) {
                *taken = true;
                claimed.push(split.clone());
            }
        }
        Ok(claimed)
    }
}
