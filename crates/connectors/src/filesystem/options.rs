//! The options of a filesystem table, read once.

use std::path::{Path, PathBuf};

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

const STARTS: &[&str] = &["beginning", "latest"];
const MISSING: &[&str] = &["fail", "skip"];

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
        key: "source.follow",
        kind: OptionKind::Boolean,
        default: Some("false"),
        doc: "Whether files are read on when somebody appends to them, as `tail -F` does; the table then has no end. Files are read side by \
              side; only lines that are complete are rows. A file that is renamed is read to its end, one that is truncated from its start. \
              New files are looked for every `source.monitor-interval`, here every second if not set. Compressed files in a directory are \
              left out.",
        ..TEXT
    },
    OptionCard {
        key: "source.follow.start",
        kind: OptionKind::OneOf(STARTS),
        default: Some("beginning"),
        doc: "Where followed files are begun that are there when the job is started for the first time; `latest`: behind the last complete \
              line. Files that come later are read from their beginning.",
        ..TEXT
    },
    OptionCard {
        key: "source.follow.rotate-wait",
        kind: OptionKind::Duration,
        default: Some("5 s"),
        doc: "How long a followed file that was renamed out of the path, or removed, is read on after it has grown for the last time: who \
              writes a log notices only after a while that it was rotated.",
        ..TEXT
    },
    OptionCard {
        key: "source.follow.missing-file",
        kind: OptionKind::OneOf(MISSING),
        default: Some("fail"),
        doc: "What happens at a restart when a followed file is gone that was not read to its end, so that lines may be lost: `fail` stops \
              the job, `skip` goes on with the others.",
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
    /// Files are read on when they grow.
    pub follow: Option<FollowOptions>,
}

/// How files are followed.
#[derive(Debug, Clone, Copy)]
pub(super) struct FollowOptions {
    /// Files of the first start are begun at their end.
    pub latest: bool,
    /// Milliseconds that a file is read on after its name is gone.
    pub rotate_wait: u64,
    /// A file that is gone at a restart is no fault.
    pub skip_missing: bool,
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
        let follow = FollowOptions::read(options)?;
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
            follow,
        })
    }
}

/// Whether the table's files are followed; a value that is no boolean is reported when the options are read.
pub(super) fn follows(options: &Options) -> bool {
    options.boolean("source.follow", false).unwrap_or(false)
}

impl FollowOptions {
    fn read(options: &Options) -> Result<Option<Self>, Fault> {
        if !options.boolean("source.follow", false)? {
            return match options.iter().find(|(key, _)| key.starts_with("source.follow.")) {
                None => Ok(None),
                Some((key, _)) => Err(Fault::user(
                    "bad-option",
                    format!("option '{key}' is set, but the files are not followed"),
                )
                .hint("add 'source.follow' = 'true', or leave the option out")),
            };
        }
        let packed = match compression(options, "source.compression", COMPRESSIONS)? {
            Some(Compression::None) => false,
            Some(_) => true,
            None => options.get("path").is_some_and(|path| is_packed(Path::new(path))),
        };
        if packed {
            return Err(Fault::user("bad-option", "a compressed file cannot be followed ('source.follow')")
                .hint("follow the file that is written, and let its compressed copies be"));
        }
        let choice =
            |key: &str, allowed: &[&str]| match options.get(key).map(|v| v.trim().to_ascii_lowercase()) {
                None => Ok(false),
                // The default stands first.
                Some(value) => allowed.iter().position(|a| *a == value).map(|i| i > 0).ok_or_else(|| {
                    Fault::user("bad-option", format!("option '{key}' has the value '{value}'"))
                        .hint(format!("set '{key}' to one of {}", allowed.join(", ")))
                }),
            };
        Ok(Some(FollowOptions {
            latest: choice("source.follow.start", STARTS)?,
            rotate_wait: options.duration("source.follow.rotate-wait", 5000)?,
            skip_missing: choice("source.follow.missing-file", MISSING)?,
        }))
    }
}

/// Whether a file's ending says that it is compressed, also in a way that cannot be read.
pub(super) fn is_packed(path: &Path) -> bool {
    !matches!(Compression::of(path), Ok(Compression::None))
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
