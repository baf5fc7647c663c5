//! The splits of a scan: which there are, where reading them stands.

use std::sync::Arc;
use std::task::Poll;

use millstream_flow::{Offset, Read, Source, Split, SplitReader};
use millstream_types::Fault;

use super::claims::Claims;
use super::standing::Target;
use crate::checkpoint::ManifestSplit;

/// A split and where reading it stands.
pub struct SplitState {
    /// The split.
    pub split: Split,
    /// Where to go on; `None`: at its start.
    pub offset: Option<Offset>,
    /// Nothing is left of it.
    pub finished: bool,
    /// Its watermarks when it was restored.
    pub restored_watermarks: Vec<Option<i64>>,
    reader: Option<Box<dyn SplitReader>>,
}

/// All splits of a source, in the order of their discovery.
pub struct Splits {
    source: Arc<dyn Source>,
    /// The splits.
    pub states: Vec<SplitState>,
    next: usize,
    /// How far to read; splits that are not named are not read on. `None`: as far as there is something.
    targets: Option<Vec<Target>>,
    /// Where other tasks read splits of the same source.
    claims: Option<Claims>,
}

impl SplitState {
    fn new(split: &ManifestSplit) -> Self {
        SplitState {
            split: Split { id: split.id.as_str().into(), payload: split.payload.clone() },
            offset: split.offset.clone().map(Offset),
            finished: split.finished,
            restored_watermarks: split.watermarks.clone(),
            reader: None,
        }
    }
}

impl Splits {
    /// No splits yet, or those of a checkpoint.
    pub fn new(source: Arc<dyn Source>, restored: Option<&[ManifestSplit]>) -> Self {
        let states = restored.unwrap_or_default().iter().map(SplitState::new).collect();
        Splits { source, states, next: 0, targets: None, claims: None }
    }

    /// Splits that are shared out among tasks: none yet.
    pub(super) fn claimed(source: Arc<dyn Source>, claims: Claims) -> Self {
        Splits { source, states: Vec::new(), next: 0, targets: None, claims: Some(claims) }
    }

    /// Takes what is left for this task, where splits are shared out.
    ///
    /// # Errors
    /// What the source says.
    pub(super) async fn claim(&mut self, look: bool) -> Result<(), Fault> {
        let busy = !self.finished();
        if let Some(claims) = &self.claims {
            self.states.extend(claims.take(look, busy).await?.iter().map(SplitState::new));
        }
        Ok(())
    }

    /// Whether nothing will come any more once all known splits are finished.
    pub fn is_bounded(&self) -> bool {
        // A task without a share of a source whose splits are all known has nothing to wait for.
        self.source.is_bounded()
            || self.claims.is_some() && self.states.is_empty() && self.source.discovery_interval().is_none()
    }

    /// Looks for new splits.
    ///
    /// # Errors
    /// What the source says.
    pub async fn discover(&mut self) -> Result<(), Fault> {
        if self.claims.is_some() {
            return self.claim(true).await;
        }
        let known: Vec<Split> = self.states.iter().map(|s| s.split.clone()).collect();
        for split in self.source.discover(&known).await? {
            self.states.push(SplitState {
                split,
                offset: None,
                finished: false,
                restored_watermarks: Vec::new(),
                reader: None,
            });
        }
        Ok(())
    }

    /// Splits that are to be read now: the first that is not finished, or all of them. Opens them; gives those that were opened now.
    ///
    /// # Errors
    /// What the source says.
    pub async fn open(&mut self) -> Result<Vec<usize>, Fault> {
        let mut opened = Vec::new();
        for (i, state) in self.states.iter_mut().enumerate().filter(|(_, s)| !s.finished) {
            let target = self.targets.as_ref().map(|t| t.iter().find(|t| t.split == i));
            if state.reader.is_none() && !matches!(target, Some(None)) {
                let mut reader = self.source.open(&state.split, state.offset.as_ref()).await?;
                if let Some(Some(Target { offset: Some(end), .. })) = target {
                    reader.stop_at(Some(end));
                }
                state.reader = Some(reader);
                opened.push(i);
            }
            if self.source.reads_in_sequence() {
                break;
            }
        }
        Ok(opened)
    }

    /// Reads no further than these targets from here on; what is not named is not read on. `false`: the source does not keep to that.
    pub fn stop_at(&mut self, targets: &[Target]) -> bool {
        self.targets = Some(targets.to_vec());
        self.states.iter_mut().enumerate().all(|(i, state)| {
            let end = match targets.iter().find(|t| t.split == i) {
                Some(target) => target.offset.clone(),
                None => state.offset.clone(),
            };
            state.reader.as_mut().is_none_or(|r| r.stop_at(end.as_ref()))
        })
    }

    /// Reads on as far as there is something.
    pub fn go_on(&mut self) {
        self.targets = None;
        for reader in self.states.iter_mut().filter_map(|s| s.reader.as_mut()) {
            reader.stop_at(None);
        }
    }

    /// Knows splits that others have found and that nobody has begun.
    pub fn adopt(&mut self, found: impl Iterator<Item = Split>) {
        for split in found {
            self.states.push(SplitState {
                split,
                offset: None,
                finished: false,
                restored_watermarks: Vec::new(),
                reader: None,
            });
        }
    }

    /// Whether every known split is finished.
    pub fn finished(&self) -> bool {
        self.states.iter().all(|s| s.finished)
    }

    /// The next read of any open split, taking turns. Cancel-safe, as readers are.
    ///
    /// # Errors
    /// What a reader says.
    pub async fn next(&mut self) -> Result<(usize, Read), Fault> {
        let count = self.states.len().max(1);
        let turn = self.next;
        let (split, read) = {
            let mut waiting: Vec<_> = self
                .states
                .iter_mut()
                .enumerate()
                .filter_map(|(i, s)| Some((i, s.reader.as_mut()?.next())))
                .collect();
            if waiting.is_empty() {
                return std::future::pending().await;
            }
            waiting.sort_by_key(|(i, _)| (i + count - turn % count) % count);
            std::future::poll_fn(|context| {
                for (i, future) in &mut waiting {
                    if let Poll::Ready(read) = future.as_mut().poll(context) {
                        return Poll::Ready(read.map(|r| (*i, r)));
                    }
                }
                Poll::Pending
            })
            .await?
        };
        self.next = split + 1;
        if let Some(state) = self.states.get_mut(split) {
            state.offset = state.reader.as_ref().map(|r| r.offset());
            if matches!(read, Read::End) {
                state.finished = true;
                state.reader = None;
            }
        }
        Ok((split, read))
    }
}
