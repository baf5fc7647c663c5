//! Reads a source once for all its subscribers: raw records → cut the fields that are read → watermarks and rules → build the columns of the rows
//! that survive → each subscriber's output.
//!
//! Subscribers (the queries of a statement set, jobs of one process) join and leave at a batch boundary. Offsets and barriers are per job.

mod aim;
mod bad;
mod claims;
mod control;
mod cut;
mod deliver;
mod group;
mod input;
mod meeting;
mod parting;
mod route;
mod separate;
mod sharing;
mod splits;
mod standing;
mod subscription;
mod survivors;
mod task;
#[cfg(test)]
mod tests;
mod watermark;

pub use claims::SplitPool;
pub use group::GroupSpec;
pub(crate) use group::{connector_options, format_of};
pub use route::ScanRoute;
pub use sharing::{Held, SharedScans};
pub use subscription::{Command, SubscribedScan, Subscription};
pub use task::ScanTask;
