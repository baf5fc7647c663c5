//! Optimized plan in, running job out: `scan` (reading, cutting, the rules, building what survives), `exchange` (channels between tasks),
//! `checkpoint` (manifests and their storage), `runtime` (tasks, chains of operators, sinks, the coordinator).
//!
//! This crate must never know SQL text, names of connectors or formats (it is handed them by [`Parts`]), or who asked for the job. All waiting
//! of a job happens in connectors and in `runtime`.

mod checkpoint;
mod exchange;
mod runtime;
mod scan;

pub use checkpoint::{
    CheckpointStorage, LocalStorage, Manifest, ManifestOperator, ManifestScan, ManifestSink, ManifestSplit,
    Restore,
};
pub use millstream_rules::{Anchoring, RuleReport};
pub use runtime::{
    Completion, JobContext, JobHandle, JobPosition, JobReport, Parts, Progress, RuleCost, SinkProgress,
    StopMode, SystemClock, SystemRandom, TokioSpawner, launch, not_runnable, system_zone,
};
pub use scan::{Held, SharedScans};
