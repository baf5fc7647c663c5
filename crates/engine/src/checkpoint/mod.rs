//! Checkpoints: one manifest holds the job's id, offsets, watermarks, state and prepared outputs.
//!
//! Manifests of a job are one numbered sequence over all its starts. Each is created conditionally: whoever finds its number taken stops
//! before it commits. Files without a manifest are ignored; a damaged manifest is a fault.

mod manifest;
mod storage;

pub use manifest::{Manifest, ManifestOperator, ManifestScan, ManifestSink, ManifestSplit};
pub use storage::{CheckpointStorage, LocalStorage, Restore, restored};
