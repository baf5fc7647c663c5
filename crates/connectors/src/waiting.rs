//! Waiting without a runtime's own macros: connectors are handed a spawner and know no other clock.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use millstream_flow::Spawner;
use millstream_types::Fault;

/// Longest wait of a reader, in milliseconds: barriers and stops must not be held up by a quiet source.
pub(crate) const LONGEST_WAIT: u64 = 100;

/// The output of `work`, or `None` when `limit` ends first. `work` is not dropped and can be waited for again.
pub(crate) async fn before<T>(
    mut work: Pin<&mut (dyn Future<Output = T> + Send)>,
    mut limit: Pin<&mut (dyn Future<Output = ()> + Send)>,
) -> Option<T> {
    std::future::poll_fn(|context| {
        if let Poll::Ready(output) = work.as_mut().poll(context) {
            return Poll::Ready(Some(output));
        }
        limit.as_mut().poll(context).map(|()| None)
    })
    .await
}

/// Runs blocking work away from the tasks and gives its result.
pub(crate) async fn blocking<T: Send + 'static>(
    spawner: &dyn Spawner,
    name: &str,
    work: impl FnOnce() -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let slot = Arc::new(Mutex::new(None));
    let filled = Arc::clone(&slot);
    spawner
        .blocking(
            name,
            Box::new(move || {
                let result = work();
                *filled.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
            }),
        )
        .await;
    let result = slot.lock().unwrap_or_else(PoisonError::into_inner).take();
    result.unwrap_or_else(|| Err(Fault::internal(format!("background work '{name}' ended without a result"))))
}
