//! A channel of elements that holds a bounded number of bytes.

use std::sync::Arc;

use millstream_flow::{Charge, Element, MemoryBudget};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::activity::{Activity, Underway};

/// Bytes that an element costs besides its columns; keeps streams of tiny batches bounded, too.
const ELEMENT_COST: usize = 256;

/// The sending end.
#[derive(Debug, Clone)]
pub struct Sender {
    queue: mpsc::UnboundedSender<Box<Envelope>>,
    room: Arc<Semaphore>,
    capacity: usize,
    budget: MemoryBudget,
    activity: Activity,
}

/// The receiving end.
#[derive(Debug)]
pub struct Receiver {
    queue: mpsc::UnboundedReceiver<Box<Envelope>>,
    /// The element that was given last is being worked on until the next one is asked for.
    working: Option<Underway>,
}

/// Boxed on its way: a queue has room for 32 of them from the start, and thousands of rules have a queue each.
#[derive(Debug)]
struct Envelope {
    element: Element,
    _room: Option<OwnedSemaphorePermit>,
    _charge: Option<Charge>,
    underway: Underway,
}

/// A channel that holds about `capacity` bytes, charged to the job's budget. A single larger batch passes when it is empty.
pub fn channel(capacity: usize, budget: MemoryBudget, activity: Activity) -> (Sender, Receiver) {
    let (tx, rx) = mpsc::unbounded_channel();
    let capacity = capacity.clamp(1024, u32::MAX as usize);
    let room = Arc::new(Semaphore::new(capacity));
    (Sender { queue: tx, room, capacity, budget, activity }, Receiver { queue: rx, working: None })
}

impl Sender {
    /// Sends an element if there is room for it, and gives it back if there is none. To a receiver that is gone it is sent, too.
    pub fn try_send(&self, element: Element) -> Result<(), Element> {
        let underway = self.activity.begin();
        let (room, charge) = match &element {
            Element::Batch(batch) => {
                let bytes = batch.memory() + ELEMENT_COST;
                let permits = bytes.min(self.capacity) as u32;
                match self.room.clone().try_acquire_many_owned(permits) {
                    Ok(room) => (Some(room), Some(self.budget.charge(bytes))),
                    Err(_) if self.queue.is_closed() => (None, None),
                    Err(_) => return Err(element),
                }
            }
            _ => (None, None),
        };
        let _ = self.queue.send(Box::new(Envelope { element, _room: room, _charge: charge, underway }));
        Ok(())
    }

    /// Waits until there is room for an element. `false`: nobody receives any more.
    pub async fn room_for(&self, element: &Element) -> bool {
        let Element::Batch(batch) = element else { return !self.queue.is_closed() };
        let permits = (batch.memory() + ELEMENT_COST).min(self.capacity) as u32;
        tokio::select! {
            room = self.room.acquire_many(permits) => room.is_ok() && !self.queue.is_closed(),
            () = self.queue.closed() => false,
        }
    }

    /// Sends an element, waiting while the channel is full. `false`: nobody receives any more.
    pub async fn send(&self, element: Element) -> bool {
        let underway = self.activity.begin();
        let (room, charge) = match &element {
            Element::Batch(batch) => {
                let bytes = batch.memory() + ELEMENT_COST;
                let permits = bytes.min(self.capacity) as u32;
                match self.room.clone().acquire_many_owned(permits).await {
                    Ok(room) => (Some(room), Some(self.budget.charge(bytes))),
                    Err(_) => return false,
                }
            }
            // Watermarks and barriers must pass a full channel's worth of waiting only once, behind the batches before them.
            _ => (None, None),
        };
        self.queue.send(Box::new(Envelope { element, _room: room, _charge: charge, underway })).is_ok()
    }
}

impl Receiver {
    /// Polls for the next element; `None`: all senders are gone. The room of an element is given back here: the receiver works on one at a time.
    pub fn poll_recv(&mut self, context: &mut std::task::Context<'_>) -> std::task::Poll<Option<Element>> {
        self.working = None;
        self.queue.poll_recv(context).map(|envelope| {
            envelope.map(|e| {
                self.working = Some(e.underway);
                e.element
            })
        })
    }
}
