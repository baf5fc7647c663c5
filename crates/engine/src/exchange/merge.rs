//! Several inputs become one stream: watermarks are the minimum over inputs that are not idle, barriers are aligned.

use std::task::Poll;

use millstream_flow::{Barrier, Element, MAX_WATERMARK, MIN_WATERMARK, Watermark};
use millstream_types::Batch;

use super::Receiver;

/// What an operator with several inputs has seen of each.
#[derive(Debug)]
pub struct InputStates {
    inputs: Vec<InputState>,
    combined: i64,
}

#[derive(Debug, Clone)]
struct InputState {
    watermark: i64,
    idle: bool,
    ended: bool,
    barrier: Option<Barrier>,
}

impl InputStates {
    /// States of `count` inputs that have given nothing yet.
    pub fn new(count: usize) -> Self {
        let input = InputState { watermark: MIN_WATERMARK, idle: false, ended: false, barrier: None };
        InputStates { inputs: vec![input; count], combined: MIN_WATERMARK }
    }

    /// An input's watermark moved; gives the combined one if that moved, too.
    pub fn watermark(&mut self, input: usize, watermark: Watermark) -> Option<Watermark> {
        let state = self.inputs.get_mut(input)?;
        state.idle = false;
        state.watermark = state.watermark.max(watermark.0);
        self.combine()
    }

    /// An input is idle or has rows again.
    pub fn idle(&mut self, input: usize, idle: bool) -> Option<Watermark> {
        self.inputs.get_mut(input)?.idle = idle;
        self.combine()
    }

    /// Whether every input is idle or has ended.
    pub fn all_idle(&self) -> bool {
        self.inputs.iter().all(|i| i.idle || i.ended)
    }

    /// An input ended. `(combined watermark if it moved, whether all inputs have ended)`.
    pub fn end(&mut self, input: usize) -> (Option<Watermark>, bool) {
        if let Some(state) = self.inputs.get_mut(input) {
            state.ended = true;
            state.watermark = MAX_WATERMARK;
        }
        (self.combine(), self.inputs.iter().all(|i| i.ended))
    }

    /// A barrier came on an input; gives it when all inputs that have not ended have brought it.
    pub fn barrier(&mut self, input: usize, barrier: Barrier) -> Option<Barrier> {
        self.inputs.get_mut(input)?.barrier = Some(barrier);
        if self.inputs.iter().all(|i| i.ended || i.barrier.is_some()) {
            for i in &mut self.inputs {
                i.barrier = None;
            }
            return Some(barrier);
        }
        None
    }

    /// A barrier that only waited for inputs that have ended since.
    pub fn released(&mut self) -> Option<Barrier> {
        let barrier = self.inputs.iter().find_map(|i| i.barrier)?;
        if self.inputs.iter().all(|i| i.ended || i.barrier.is_some()) {
            for i in &mut self.inputs {
                i.barrier = None;
            }
            return Some(barrier);
        }
        None
    }

    /// Whether an input waits for the barriers of the others.
    pub fn is_blocked(&self, input: usize) -> bool {
        self.inputs.get(input).is_some_and(|i| i.barrier.is_some() || i.ended)
    }

    fn combine(&mut self) -> Option<Watermark> {
        let lowest = self.inputs.iter().filter(|i| !i.idle).map(|i| i.watermark).min()?;
        if lowest > self.combined {
            self.combined = lowest;
            return Some(Watermark(lowest));
        }
        None
    }
}

/// Receives from several channels as one.
#[derive(Debug)]
pub struct Merger {
    receivers: Vec<Receiver>,
    states: InputStates,
    next: usize,
}

/// What comes out of a merge.
#[derive(Debug)]
pub enum Merged {
    /// Rows of an input.
    Batch(usize, Batch),
    /// The combined watermark.
    Watermark(Watermark),
    /// All inputs are idle.
    Idle,
    /// An aligned barrier.
    Barrier(Barrier),
    /// All inputs have ended.
    End,
    /// An input is gone without an end: its task has failed, and the coordinator knows.
    Gone,
}

impl Merger {
    /// Merges these channels; their positions are the inputs' numbers.
    pub fn new(receivers: Vec<Receiver>) -> Self {
        let states = InputStates::new(receivers.len());
        Merger { receivers, states, next: 0 }
    }

    /// The next merged element. Cancel-safe.
    pub async fn next(&mut self) -> Merged {
        loop {
            let Some((input, element)) = self.receive().await else { return Merged::Gone };
            match element {
                Element::Batch(batch) => {
                    self.states.idle(input, false);
                    return Merged::Batch(input, batch);
                }
                Element::Watermark(w) => {
                    if let Some(w) = self.states.watermark(input, w) {
                        return Merged::Watermark(w);
                    }
                }
                Element::Idle => {
                    let moved = self.states.idle(input, true);
                    if let Some(w) = moved {
                        return Merged::Watermark(w);
                    }
                    if self.states.all_idle() {
                        return Merged::Idle;
                    }
                }
                Element::Barrier(b) => {
                    if let Some(b) = self.states.barrier(input, b) {
                        return Merged::Barrier(b);
                    }
                }
                Element::End => {
                    let (moved, all) = self.states.end(input);
                    if let Some(barrier) = self.states.released() {
                        return Merged::Barrier(barrier);
                    }
                    if all {
                        return Merged::End;
                    }
                    if let Some(w) = moved {
                        return Merged::Watermark(w);
                    }
                }
            }
        }
    }

    /// The next element of any input that does not wait for a barrier, taking turns. `None`: an input is gone.
    async fn receive(&mut self) -> Option<(usize, Element)> {
        std::future::poll_fn(|context| {
            let count = self.receivers.len();
            for step in 0..count {
                let input = (self.next + step) % count;
                if self.states.is_blocked(input) {
                    continue;
                }
                let Some(receiver) = self.receivers.get_mut(input) else { continue };
                if let Poll::Ready(element) = receiver.poll_recv(context) {
                    self.next = input + 1;
                    return Poll::Ready(element.map(|e| (input, e)));
                }
            }
            Poll::Pending
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_watermark_of_the_inputs_that_are_not_idle_counts() {
        let mut s = InputStates::new(2);
        assert_eq!(s.watermark(0, Watermark(5)), None);
        assert_eq!(s.watermark(1, Watermark(3)), Some(Watermark(3)));
        assert_eq!(s.idle(1, true), Some(Watermark(5)));
        assert_eq!(s.watermark(0, Watermark(9)), Some(Watermark(9)));
        assert_eq!(s.watermark(1, Watermark(4)), None, "a combined watermark never goes back");
    }

    #[tokio::test]
    async fn a_merge_does_not_wait_for_an_input_that_is_gone() {
        let budget = millstream_flow::MemoryBudget::new(1 << 20);
        let open = || crate::exchange::channel(1 << 10, budget.clone(), crate::exchange::Activity::default());
        let ((first, a), (second, b)) = (open(), open());
        let mut merger = Merger::new(vec![a, b]);
        assert!(first.send(Element::Barrier(Barrier { checkpoint: 1, last: false })).await);
        drop(second);
        assert!(matches!(merger.next().await, Merged::Gone));
        drop(first);
    }

    #[test]
    fn barriers_wait_for_each_other() {
        let mut s = InputStates::new(2);
        let b = Barrier { checkpoint: 1, last: false };
        assert_eq!(s.barrier(0, b), None);
        assert!(s.is_blocked(0));
        assert_eq!(s.barrier(1, b), Some(b));
        assert!(!s.is_blocked(0));
        s.end(1);
        assert_eq!(s.barrier(0, b), Some(b), "an input that has ended is not waited for");
    }
}
