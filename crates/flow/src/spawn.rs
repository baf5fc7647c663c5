//! How background work is started: handed in, so that a whole job can run under a simulated scheduler.

use std::fmt::Debug;
use std::future::Future;
use std::pin::Pin;

/// A boxed future.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Starts tasks.
pub trait Spawner: Send + Sync + Debug {
    /// Runs a future to its end in the background.
    fn spawn(&self, name: &str, task: BoxFuture<'static, ()>);
    /// Runs a future to its end on the worker of this number, from 0: tasks of different numbers can have a core each, those of one number are
    /// close to each other. Where there are no workers, as [`Spawner::spawn`] does.
    fn spawn_on(&self, worker: usize, name: &str, task: BoxFuture<'static, ()>) {
        let _ = worker;
        self.spawn(name, task);
    }
    /// Runs blocking work (compression, a slow disk) away from the tasks; the future ends with it.
    fn blocking(&self, name: &str, work: Box<dyn FnOnce() + Send>) -> BoxFuture<'static, ()>;
    /// Ends after a time.
    fn sleep(&self, millis: u64) -> BoxFuture<'static, ()>;
}
