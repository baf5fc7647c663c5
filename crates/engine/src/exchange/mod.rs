//! Channels between the tasks of a job: bounded in bytes, so that back-pressure is the default.

mod activity;
mod channel;
mod merge;

pub use activity::{Activity, Underway};
pub use channel::{Receiver, Sender, channel};
pub use merge::{InputStates, Merged, Merger};
