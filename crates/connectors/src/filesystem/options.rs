//! The options of a filesystem table, read once.

use std::path::PathBuf;

use millstream_flow::{OptionCard, OptionKind, Options};
use millstream_types::Fault;

use super::compression::Compression;
use crate::framing::{DEFAULT_MAX_RECORD, MOST_MAX_RECORD};

const TEXT: OptionCard = OptionCard {
    key: "",
    aliases: &[],
    kind: OptionKind::Text,
    default: None,
    required: false,
    secret: false,
    doc: "",
};

const WRITTEN: &[&str] = &["none", "gzip", "zstd", "deflate"];
const COMPRESSIONS: &[&str] = &["auto", "none", "gzip", "zstd", "deflate"];

/// The card's options.
pub(super) const OPTIONS: &[OptionCard] = &[
    OptionCard {
        key: "path",
        aliases: &["filePath"],
        required: true,
        doc: "The file or directory, as a path or a `file://` URI. A source also takes a pattern: `*`, `?`, `[a-z]`, `{a,b}` within a \
              name, `**` for any directories. A directory is read with everything below it, in the order of the paths; names that \
              begin with `.` or `_` are skipped. A sink takes a directory.",
        ..TEXT
    },
    OptionCard {
        key: "source.monitor-interval",
        kind: OptionKind::Duration,
        doc: "How often the path is looked at for new files; the table then has no end. Not set: it is looked at once, at the start.",
        ..TEXT
    },
    OptionCard {
        key: "source.path.regex-pattern",
        doc: "A Java regular expression that the whole absolute path of a file below `path` must match.",
        ..TEXT
    },
    OptionCard {
        key: "source.compression",
        kind: OptionKind::OneOf(COMPRESSIONS),
        default: Some("auto"),
        doc: "How files are compressed; `auto`: as their ending says (.gz, .gzip, .zst, .zstd, .deflate).",
        ..TEXT
    },
    OptionCard {
        key: "source.max-record-size",
        kind: OptionKind::MemorySize,
        default: Some("64 mb"),
        doc: "The largest record that is read; a larger one fails the job with its file and line. At most 1 gb.",
        ..TEXT
    },
    OptionCard {
        key: "source.report-statistics",
        kind: OptionKind::OneOf(&["all", "none"]),
        default: Some("all"),
        doc: "Taken for compatibility; no plan depends on a file's statistics.",
        ..TEXT
    },
    OptionCard {
        key: "partition.default-name",
        default: Some("__DEFAULT_PARTITION__"),
        doc: "The name of the partition that holds NULL and the empty string.",
        ..TEXT
    },
    OptionCard {
        key: "sink.rolling-policy.file-size",
        kind: OptionKind::MemorySize,
        default: Some("128 mb"),
        doc: "A part file is closed when it is this large.",
        ..TEXT
    },
    OptionCard {
        key: "sink.rolling-policy.rollover-interval",
        kind: OptionKind::Duration,
        default: Some("30 min"),
        doc: "Without checkpoints, part files of unbounded input become visible when they have been open this long. With checkpoints \
              each checkpoint closes and publishes its files.",
        ..TEXT
    },
    OptionCard {
        key: "sink.rolling-policy.check-interval",
        kind: OptionKind::Duration,
        default: Some("1 min"),
        doc: "How long a file may be overdue at most; files are looked at every second, which is at least as often.",
        ..TEXT
    },
    OptionCard {
        key: "sink.compression",
        kind: OptionKind::OneOf(WRITTEN),
        default: Some("none"),
        doc: "How part files are compressed; their names then end in .gz, .zst or .deflate.",
        ..TEXT
    },
    OptionCard {
        key: "sink.shuffle-by-partition.enable",
        kind: OptionKind::Boolean,
        default: Some("false"),
        doc: "Sends the rows of a partition to one writer, for fewer files.",
        ..TEXT
    },
    OptionCard { key: "sink.parallelism", kind: OptionKind::Integer, doc: "Number of writers.", ..TEXT },
    OptionCard {
        key: "auto-compaction",
        kind: OptionKind::Boolean,
        default: Some("false"),
        doc: "Merges the small files of a checkpoint. Not supported yet.",
        ..TEXT
    },
    OptionCard {
        key: "compaction.file-size",
        kind: OptionKind::MemorySize,
        doc: "Size of merged files. Not supported yet.",
        ..TEXT
    },
    OptionCard {
        key: "sink.partition-commit.trigger",
        kind: OptionKind::OneOf(&["process-time", "partition-time"]),
        default: Some("process-time"),
        doc: "When a partition is said to be complete. Not supported yet.",
        ..TEXT
    },
    OptionCard {
        key: "sink.partition-commit.delay",
        kind: OptionKind::Duration,
        default: Some("0 s"),
        doc: "How long after that. Not supported yet.",
        ..TEXT
    },
    OptionCard {
        key: "sink.partition-commit.watermark-time-zone",
        default: Some("UTC"),
        doc: "The zone in which partition times are read. Not supported yet.",
        ..TEXT
    },
    OptionCard {
        key: "sink.partition-commit.policy.kind",
        doc: "What marks a complete partition (`success-file`). Not supported yet.",
        ..TEXT
    },
    OptionCard {
        key: "sink.partition-commit.policy.class",
        doc: "A Java class for that. Not supported.",
        ..TEXT
    },
    OptionCard {
        key: "sink.partition-commit.success-file.name",
        default: Some("_SUCCESS"),
        doc: "The name of that file. Not supported yet.",
        ..TEXT
    },
    OptionCard {
        key: "partition.time-extractor.kind",
        default: Some("default"),
        doc: "How a partition's time is found. Not supported yet.",
        ..TEXT
    },
    OptionCard {
        key: "partition.time-extractor.class",
        doc: "A Java class for that. Not supported.",
        ..TEXT
    },
    OptionCard {
        key: "partition.time-extractor.timestamp-pattern",
        doc: "The pattern of a partition's time. Not supported yet.",
        ..TEXT
    },
];

/// Options of a source.
#[derive(Debug)]
pub(super) struct SourceOptions {
    pub path: PathBuf,
    /// Milliseconds between two looks at the path; `None`: the table is bounded.
    pub monitor_interval: Option<u64>,
    pub regex: Option<String>,
    /// `None`: as the file's ending says.
    pub compression: Option<Compression>,
    pub max_record: u64,
    pub default_partition: String,
}

/// Options of a sink.
#[derive(Debug)]
pub(super) struct SinkOptions {
    pub path: PathBuf,
    pub file_size: u64,
    pub rollover_millis: u64,
    pub compression: Compression,
    pub default_partition: String,
}

impl SourceOptions {
    pub fn read(options: &Options) -> Result<Self, Fault> {
        let monitor_interval = match options.get("source.monitor-interval") {
            None => None,
            Some(_) => match options.duration("source.monitor-interval", 0)? {
                0 => {
                    return Err(Fault::user("bad-option", "'source.monitor-interval' is 0")
                        .hint("set it to a duration such as '10 s', or leave it out for a bounded table"));
                }
                millis => Some(millis),
            },
        };
        let max_record = options.memory_size("source.max-record-size", DEFAULT_MAX_RECORD)?;
        if max_record == 0 || max_record > MOST_MAX_RECORD {
            return Err(Fault::user("bad-option", format!("'source.max-record-size' is {max_record} bytes"))
                .hint("set it to a size between '1 b' and '1 gb'"));
        }
        Ok(SourceOptions {
            path: path(options)?,
            monitor_interval,
            regex: options.get("source.path.regex-pattern").map(str::to_string),
            compression: compression(options, "source.compression", COMPRESSIONS)?,
            max_record,
            default_partition: default_partition(options),
        })
    }
}

impl SinkOptions {
    pub fn read(options: &Options) -> Result<Self, Fault> {
        if options.boolean("auto-compaction", false)? {
            return Err(Fault::not_yet("compaction of part files ('auto-compaction')")
                .hint("leave 'auto-compaction' out; a longer checkpoint interval gives larger files"));
        }
        if options.get("sink.partition-commit.policy.kind").is_some() {
            return Err(Fault::not_yet("partition commit policies ('sink.partition-commit.policy.kind')")
                .hint(
                    "leave the 'sink.partition-commit.*' options out; files appear whole, at each checkpoint",
                ));
        }
        Ok(SinkOptions {
            path: path(options)?,
            file_size: options.memory_size("sink.rolling-policy.file-size", 128 << 20)?.max(1),
            rollover_millis: options.duration("sink.rolling-policy.rollover-interval", 30 * 60_000)?,
            compression: compression(options, "sink.compression", WRITTEN)?.unwrap_or(Compression::None),
            default_partition: default_partition(options),
        })
    }
}

fn default_partition(options: &Options) -> String {
    options.get("partition.default-name").unwrap_or("__DEFAULT_PARTITION__").to_string()
}

fn compression(options: &Options, key: &str, allowed: &[&str]) -> Result<Option<Compression>, Fault> {
    let Some(value) = options.get(key).map(|v| v.trim().to_ascii_lowercase()) else { return Ok(None) };
    if !allowed.contains(&value.as_str()) {
        return Err(Fault::user("bad-option", format!("option '{key}' has the value '{value}'"))
            .hint(format!("set '{key}' to one of {}", allowed.join(", "))));
    }
    Ok(match value.as_str() {
        "gzip" => Some(Compression::Gzip),
        "zstd" => Some(Compression::Zstd),
        "deflate" => Some(Compression::Deflate),
        "none" => Some(Compression::None),
        _ => None,
    })
}

fn path(options: &Options) -> Result<PathBuf, Fault> {
    let Some(text) = options.get("path").filter(|p| !p.is_empty()) else {
        return Err(Fault::user("missing-option", "the filesystem connector needs the option 'path'")
            .hint("add 'path' = '/a/file/or/directory'"));
    };
    local_path(text).map_err(|f| f.in_place("option 'path'"))
}

/// The local path of a path or a `file://` URI.
pub(super) fn local_path(text: &str) -> Result<PathBuf, Fault> {
    let local = match text.split_once(':') {
        Some(("file", rest)) => match rest.strip_prefix("//") {
            // file:///path and file://host/path: only the local host is meant.
            Some(rest) => rest.strip_prefix("localhost").filter(|r| r.starts_with('/')).unwrap_or(rest),
            None => rest,
        },
        Some((scheme, rest))
            if rest.starts_with("//")
                && !scheme.is_empty()
                && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)) =>
        {
            return Err(Fault::not_yet(format!("the file system '{scheme}'"))
                .hint("use a local path or a file:// URI"));
        }
        _ => text,
    };
    if !text.starts_with("file:") || local.starts_with('/') {
        return Ok(PathBuf::from(local));
    }
    Err(Fault::user(
        "bad-option",
        format!("'{text}' names the host '{}'", local.split('/').next().unwrap_or("")),
    )
    .hint(format!("write three slashes: 'file:///{local}'")))
}
