//! The house rules.

// Tests fail by panicking.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

mod arrows;
mod dependencies;
mod files;
mod manual;

use cargo_metadata::{Metadata, MetadataCommand};

/// What cargo knows of the workspace.
fn metadata() -> Metadata {
    MetadataCommand::new().other_options(vec!["--locked".into(), "--offline".into()]).exec().unwrap_or_else(
        |_| {
            // A machine that has not fetched anything yet.
            MetadataCommand::new().exec().expect("cargo metadata")
        },
    )
}

/// The repository's root.
fn root() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .expect("the repository's root")
}
