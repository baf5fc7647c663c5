//! Cards: what connectors and formats can do, for the planner and for the manual. Documentation lives here, where it is defined.

use crate::Options;

/// An option of a connector, a format or the session.
#[derive(Debug, Clone, Copy)]
pub struct OptionCard {
    /// Its key; for a format without the format's prefix. `fields.#.kind`: `#` stands for a column's name.
    pub key: &'static str,
    /// Other keys that mean the same (Blink's spellings).
    pub aliases: &'static [&'static str],
    /// What its value looks like.
    pub kind: OptionKind,
    /// The value if it is not given, as text.
    pub default: Option<&'static str>,
    /// Whether it must be given.
    pub required: bool,
    /// Whether its value is never printed.
    pub secret: bool,
    /// What it does, in a sentence or two.
    pub doc: &'static str,
}

/// What an option's value looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionKind {
    /// Any text.
    Text,
    /// `true` or `false`.
    Boolean,
    /// A whole number.
    Integer,
    /// A number.
    Number,
    /// `10 s`, `1 min`, `500 ms`.
    Duration,
    /// `128 mb`.
    MemorySize,
    /// One of some words.
    OneOf(&'static [&'static str]),
}

/// Which changes an edge carries or a sink takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ChangelogMode {
    /// Only `+I`.
    Append,
    /// `+I`, `+U`, `-D` by key.
    Upsert,
    /// `+I`, `-U`, `+U`, `-D`.
    Retract,
}

/// What a sink promises after a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guarantee {
    /// Nothing lost, nothing doubled, with checkpoints.
    ExactlyOnce,
    /// Nothing lost.
    AtLeastOnce,
    /// Nothing is promised (a terminal).
    None,
}

/// A metadata column that a connector offers.
#[derive(Debug, Clone, Copy)]
pub struct MetadataColumn {
    /// Its key, as in `METADATA FROM 'key'`.
    pub key: &'static str,
    /// Its type, in Flink's spelling.
    pub data_type: &'static str,
    /// Whether it can also be written.
    pub writable: bool,
    /// What it is.
    pub doc: &'static str,
}

/// What a connector can do as a source.
#[derive(Debug, Clone, Copy)]
pub struct SourceCard {
    /// Whether a table with these options ends by itself.
    pub bounded: fn(&Options) -> bool,
    /// Changes of a source of rows (a format may say otherwise for raw records).
    pub changes: ChangelogMode,
    /// Whether it can be used as a lookup table.
    pub lookup: bool,
}

/// What a connector can do as a sink.
#[derive(Debug, Clone, Copy)]
pub struct SinkCard {
    /// The most that it takes: an append-only sink refuses updates.
    pub changes: ChangelogMode,
    /// What it promises, with and without checkpoints.
    pub guarantee: fn(&Options, checkpoints: bool) -> Guarantee,
    /// Whether it writes PARTITIONED BY tables.
    pub partitions: bool,
    /// Whether INSERT OVERWRITE is possible.
    pub overwrite: bool,
}

/// What a connector is.
#[derive(Debug, Clone, Copy)]
pub struct ConnectorCard {
    /// Its name, as in `'connector' = 'name'`.
    pub name: &'static str,
    /// Other names (Blink's types).
    pub aliases: &'static [&'static str],
    /// What it connects to, in a sentence or two.
    pub doc: &'static str,
    /// Its options, besides `connector` and the format's.
    pub options: &'static [OptionCard],
    /// Metadata columns.
    pub metadata: &'static [MetadataColumn],
    /// Whether records are bytes that a format decodes (`format` is required) or rows.
    pub format: bool,
    /// As a source.
    pub source: Option<SourceCard>,
    /// As a sink.
    pub sink: Option<SinkCard>,
}

/// What a format is.
#[derive(Debug, Clone, Copy)]
pub struct FormatCard {
    /// Its name, as in `'format' = 'name'`.
    pub name: &'static str,
    /// What it reads and writes.
    pub doc: &'static str,
    /// Its options; in a table they stand behind the format's name and a dot.
    pub options: &'static [OptionCard],
    /// Metadata columns that it adds.
    pub metadata: &'static [MetadataColumn],
    /// Changes that decoding gives; `None`: it cannot read.
    pub decodes: Option<ChangelogMode>,
    /// Changes that encoding takes; `None`: it cannot write.
    pub encodes: Option<ChangelogMode>,
    /// Whether it finds columns by their position in the record: two tables then read the same only if they declare the same columns.
    pub by_position: bool,
}

/// Options of every table that is read as raw records: the scan's, not a connector's.
pub const SCAN_OPTIONS: &[OptionCard] = &[
    OptionCard {
        key: "bad-records",
        aliases: &[],
        kind: OptionKind::OneOf(&["fail", "skip", "dead-letter"]),
        default: Some("fail"),
        required: false,
        secret: false,
        doc: "What happens to a record that the format cannot decode: `fail` stops the job (Flink's way), `skip` counts it, \
              `dead-letter` writes it to the table named by `dead-letter.table`.",
    },
    OptionCard {
        key: "dead-letter.table",
        aliases: &[],
        kind: OptionKind::Text,
        default: None,
        required: false,
        secret: false,
        doc: "The table that takes bad records. Its columns are any of reason STRING, source STRING, position BIGINT, record STRING.",
    },
];
