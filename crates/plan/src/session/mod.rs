//! The session's side of planning: options by Flink's names (SET, RESET), and what jobs and functions are told of them.

mod options;
mod settings;

pub use options::{SESSION_OPTIONS, session_option};
pub use settings::Settings;
