//! Connectors: where tables are read from and written to, one room each, and the one visible list.
//!
//! A room holds `mod.rs` (what it is, its card), `options.rs` (its options, read once), `source.rs` and `sink.rs` where it has them, and
//! `tests.rs`. A connector delivers raw records and never decodes them, and writes what an encoder gave it.
//!
//! This crate must never know which operator follows, how bytes are decoded, or SQL. All waiting of a job happens here and in the
//! engine's runtime.

pub mod blackhole;
pub mod datagen;
pub mod filesystem;
mod framing;
pub mod print;
pub mod stdio;
pub mod stepping;
mod terminal;
#[cfg(test)]
mod testing;
mod waiting;

use millstream_flow::Connector;
use millstream_types::Fault;

/// All connectors of this build, by name.
pub fn connectors() -> &'static [&'static dyn Connector] {
    &[
        &blackhole::Blackhole,
        &datagen::Datagen,
        &filesystem::Filesystem,
        &print::Print,
        &stdio::Stdin,
        &stdio::Stdout,
    ]
}

fn no_source(connector: &str) -> Fault {
    Fault::user("no-source", format!("the connector '{connector}' cannot be read"))
        .hint("use the table as the target of INSERT INTO only")
}

fn no_sink(connector: &str) -> Fault {
    Fault::user("no-sink", format!("the connector '{connector}' cannot be written"))
        .hint("use the table in FROM only")
}
