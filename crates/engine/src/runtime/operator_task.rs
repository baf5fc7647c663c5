//! A task that takes rows from other tasks: it begins with an operator that merges several inputs.

use std::sync::Arc;

use millstream_flow::Element;
use millstream_operators::OperatorContext;
use tokio::sync::mpsc;

use super::{Chain, Event, TaskState};
use crate::exchange::{Merged, Merger, Sender};

/// Everything an operator task needs.
pub(super) struct OperatorTask {
    pub(super) number: usize,
    pub(super) merger: Merger,
    /// For each input of the merger the entry of the chain that it leads to.
    pub(super) entries: Vec<usize>,
    pub(super) chain: Chain,
    pub(super) outputs: Vec<Sender>,
    pub(super) context: Arc<OperatorContext>,
    pub(super) events: mpsc::UnboundedSender<Event>,
}

impl OperatorTask {
    pub(super) async fn run(mut self) {
        let mut emitted = Vec::new();
        let mut state = TaskState::default();
        let inputs = self.entries.iter().max().map_or(0, |last| last + 1);
        loop {
            // Watermarks, barriers and the end are merged already: the first operator hears of them on every input at once.
            let (batch_of, element) = match self.merger.next().await {
                Merged::Batch(input, batch) => (Some(input), Element::Batch(batch)),
                Merged::Watermark(w) => (None, Element::Watermark(w)),
                Merged::Idle => (None, Element::Idle),
                Merged::Barrier(b) => (None, Element::Barrier(b)),
                Merged::End => (None, Element::End),
                Merged::Gone => return,
            };
            let barrier = match &element {
                Element::Barrier(b) => Some(*b),
                _ => None,
            };
            let end = matches!(element, Element::End);
            let entries = match batch_of {
                Some(input) => self.entries.get(input).map_or(0..0, |entry| *entry..entry + 1),
                None => 0..inputs,
            };
            for entry in entries {
                let pushed = self.chain.push(entry, element.clone(), &self.context, &mut emitted, &mut state);
                if let Err((statement, fault)) = pushed {
                    let _ = self.events.send(Event::Failed { statement: Some(statement), fault });
                    return;
                }
            }
            for (channel, element) in emitted.drain(..) {
                if let Some(output) = self.outputs.get(channel)
                    && !output.send(element).await
                {
                    return;
                }
            }
            if let Some(barrier) = barrier {
                let state = std::mem::take(&mut state);
                let _ = self.events.send(Event::OperatorAck {
                    task: self.number,
                    checkpoint: barrier.checkpoint,
                    state,
                });
            }
            if end {
                return;
            }
        }
    }
}
