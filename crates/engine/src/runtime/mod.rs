//! The running job: tasks joined by channels, and the coordinator that starts, checkpoints, commits and stops them.

mod build;
mod chain;
mod collect;
mod coordinator;
mod draft;
mod environment;
mod job;
mod operator_task;
mod progress;
mod sink_task;
mod sinks;
mod values;
mod zone;

pub use build::not_runnable;
pub(crate) use chain::{Chain, Target};
pub(crate) use coordinator::{Event, TaskState};
pub use environment::{Parts, SystemClock, SystemRandom, TokioSpawner};
pub use job::{Completion, JobContext, JobHandle, JobPosition, JobReport, StopMode, launch};
pub use progress::{Progress, RuleCost, SinkProgress};
pub(crate) use values::ValuesSource;
pub use zone::system_zone;
