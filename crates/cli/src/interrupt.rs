//! Ctrl-C, and the request to end that a service manager sends.

use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::INTERRUPTED;

/// Listens from its making on: a signal that comes while nobody asks is kept for the next who does.
pub struct Interrupts {
    signals: Vec<Signal>,
}

impl Interrupts {
    /// Begins to listen. Where the system refuses, the signals keep their usual effect.
    pub fn new() -> Self {
        let kinds = [SignalKind::interrupt(), SignalKind::terminate()];
        Interrupts { signals: kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect() }
    }

    /// Waits for the next one. Cancel-safe.
    pub async fn next(&mut self) {
        std::future::poll_fn(|context| {
            let mut come = std::task::Poll::Pending;
            for signal in &mut self.signals {
                if signal.poll_recv(context).is_ready() {
                    come = std::task::Poll::Ready(());
                }
            }
            come
        })
        .await;
    }

    /// Lets the next one end the process at once: what is not committed is thrown away at the next restore.
    #[allow(clippy::disallowed_methods)] // the command owns the process
    pub fn end_at_next(mut self) {
        tokio::spawn(async move {
            self.next().await;
            std::process::exit(i32::from(INTERRUPTED));
        });
    }
}

/// Waits for the first one; for ever, when it has come already.
pub async fn first(interrupts: &mut Option<Interrupts>) {
    match interrupts {
        Some(interrupts) => interrupts.next().await,
        None => std::future::pending().await,
    }
}
