//! The `filesystem` connector: files of a directory, read and written.
//!
//! As a source each file is a split; offsets are the bytes of content (decompressed) and the line. Files that somebody appends to can be
//! followed (`follow`), which Flink has not: its monitored directories take whole files. For a table with PARTITIONED BY
//! columns a chunk's `metadata` has, behind the metadata columns that were asked for, one entry for each partition column in their
//! order: its key is the column's name, its one value is of the column's type and holds for all records.
//!
//! As a sink it writes part files under hidden names, publishes them by rename when the checkpoint that holds them is durable, and so
//! loses nothing and doubles nothing. Flink's documentation: "FileSystem SQL Connector".

mod committer;
mod compression;
mod fault;
mod files;
mod follow;
mod glob;
mod list;
mod options;
mod part;
mod partition;
mod run_lock;
mod sink;
mod source;
#[cfg(test)]
mod tests;

pub use files::LocalFiles;

use std::sync::Arc;

use millstream_flow::{
    ChangelogMode, Connector, ConnectorCard, Guarantee, MetadataColumn, Sink, SinkCard, SinkSpec, Source,
    SourceCard, SourceSpec,
};
use millstream_types::Fault;

const fn metadata(key: &'static str, data_type: &'static str, doc: &'static str) -> MetadataColumn {
    MetadataColumn { key, data_type, writable: false, doc }
}

const METADATA: &[MetadataColumn] = &[
    metadata("file.path", "STRING NOT NULL", "The absolute path of the file."),
    metadata("file.name", "STRING NOT NULL", "The last name of the path."),
    metadata("file.size", "BIGINT NOT NULL", "Its size in bytes when it was found."),
    metadata("file.modification-time", "TIMESTAMP_LTZ(3) NOT NULL", "When it was last written."),
];

static CARD: ConnectorCard = ConnectorCard {
    name: "filesystem",
    aliases: &["file"],
    doc: "Reads files of lines (plain or compressed) from a file, a directory or a pattern, and writes part files to a directory.",
    options: options::OPTIONS,
    metadata: METADATA,
    format: true,
    source: Some(SourceCard {
        bounded: |options| options.get("source.monitor-interval").is_none() && !options::follows(options),
        changes: ChangelogMode::Append,
        lookup: false,
    }),
    sink: Some(SinkCard {
        changes: ChangelogMode::Append,
        guarantee: |_, checkpoints| if checkpoints { Guarantee::ExactlyOnce } else { Guarantee::AtLeastOnce },
        partitions: true,
        overwrite: true,
    }),
};

/// The `filesystem` connector.
#[derive(Debug)]
pub struct Filesystem;

impl Connector for Filesystem {
    fn card(&self) -> &'static ConnectorCard {
        &CARD
    }

    fn source(&self, spec: SourceSpec) -> Result<Arc<dyn Source>, Fault> {
        let files = source::FileSource::new(&spec)?;
        Ok(match files.options.follow {
            Some(how) => Arc::new(follow::FollowSource::new(files, how, spec.environment.spawner)),
            None => Arc::new(files),
        })
    }

    fn sink(&self, spec: SinkSpec) -> Result<Arc<dyn Sink>, Fault> {
        Ok(Arc::new(sink::FileSink::new(spec)?))
    }
}
