//! What the product hands the engine: connectors, formats, and the real clock, randomness and spawner.

use std::fmt::Debug;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use millstream_flow::{BoxFuture, Connector, Format, Spawner};
use millstream_types::{Clock, Random, SeededRandom};

/// The connectors and formats of the product, by name.
pub trait Parts: Send + Sync + Debug {
    /// The connector of a primary name.
    fn connector(&self, name: &str) -> Option<&dyn Connector>;
    /// The format of a name.
    fn format(&self, name: &str) -> Option<&'static dyn Format>;
}

/// The machine's clock.
#[derive(Debug)]
pub struct SystemClock(Instant);

impl SystemClock {
    /// A clock whose monotonic part starts at 0 now.
    #[allow(clippy::disallowed_methods)] // this is the one place where the machine's clock is read
    pub fn new() -> Self {
        SystemClock(Instant::now())
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for SystemClock {
    #[allow(clippy::disallowed_methods)] // this is the one place where the machine's clock is read
    fn now_millis(&self) -> i64 {
        match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(d) => i64::try_from(d.as_millis()).unwrap_or(i64::MAX),
            Err(e) => -i64::try_from(e.duration().as_millis()).unwrap_or(i64::MAX),
        }
    }

    fn monotonic_nanos(&self) -> u64 {
        u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// Randomness seeded from the clock, the process and the address space: for RAND, UUID and job ids, not for secrets.
#[derive(Debug)]
pub struct SystemRandom(SeededRandom);

impl SystemRandom {
    /// A generator with a seed of its own.
    #[allow(clippy::disallowed_methods)] // the seed is the one place where the machine's clock is read
    pub fn new() -> Self {
        static STARTS: AtomicU64 = AtomicU64::new(0);
        let here = &raw const STARTS as u64;
        let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos() as u64);
        let mut seed = nanos ^ here.rotate_left(32) ^ (u64::from(std::process::id()) << 16);
        seed ^= STARTS.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        SystemRandom(SeededRandom::new(seed))
    }
}

impl Default for SystemRandom {
    fn default() -> Self {
        Self::new()
    }
}

impl Random for SystemRandom {
    fn next_u64(&self) -> u64 {
        self.0.next_u64()
    }
}

/// Starts tasks on a tokio runtime, and on workers of its own: threads with a runtime each, made when they are first asked for.
#[derive(Debug, Clone)]
pub struct TokioSpawner {
    runtime: tokio::runtime::Handle,
    workers: Arc<Mutex<Vec<Option<Worker>>>>,
}

/// A thread that runs tasks until this is dropped.
#[derive(Debug)]
struct Worker {
    runtime: tokio::runtime::Handle,
    _ends: tokio::sync::oneshot::Sender<()>,
}

impl TokioSpawner {
    /// A spawner on this runtime.
    pub fn new(handle: tokio::runtime::Handle) -> Self {
        TokioSpawner { runtime: handle, workers: Arc::default() }
    }

    /// The runtime of a worker; the main one if there can be no thread.
    fn worker(&self, number: usize) -> tokio::runtime::Handle {
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        if workers.len() <= number {
            workers.resize_with(number + 1, || None);
        }
        let Some(slot) = workers.get_mut(number) else { return self.runtime.clone() };
        if slot.is_none() {
            *slot = Worker::start(number).ok();
        }
        slot.as_ref().map_or_else(|| self.runtime.clone(), |w| w.runtime.clone())
    }
}

impl Worker {
    fn start(number: usize) -> std::io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (ends, ended) = tokio::sync::oneshot::channel();
        std::thread::Builder::new().name(format!("worker-{number}")).spawn(move || {
            let _ = runtime.block_on(ended);
            // Blocking reads of a pipe may never end.
            runtime.shutdown_background();
        })?;
        Ok(Worker { runtime: handle, _ends: ends })
    }
}

impl Spawner for TokioSpawner {
    fn spawn(&self, _: &str, task: BoxFuture<'static, ()>) {
        self.runtime.spawn(task);
    }

    fn spawn_on(&self, worker: usize, _: &str, task: BoxFuture<'static, ()>) {
        self.worker(worker).spawn(task);
    }

    fn blocking(&self, _: &str, work: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()> {
        let running = self.runtime.spawn_blocking(work);
        Box::pin(async move {
            // A panic of the work is seen by its owner, whose channel closes.
            let _ = running.await;
        })
    }

    fn sleep(&self, millis: u64) -> BoxFuture<'static, ()> {
        let _entered = self.runtime.enter();
        Box::pin(tokio::time::sleep(Duration::from_millis(millis)))
    }
}
