//! Small connectors and formats: enough of each kind for the planner's tests.
#![allow(dead_code)]

use std::sync::Arc;

use millstream_flow::{
    ChangelogMode, ConnectorCard, FormatCard, Guarantee, MetadataColumn, OptionCard, OptionKind, Options,
    SinkCard, SourceCard,
};
use millstream_plan::catalog::Cards;
use millstream_plan::statement::SessionState;

const fn option(key: &'static str, kind: OptionKind, required: bool) -> OptionCard {
    OptionCard { key, aliases: &[], kind, default: None, required, secret: false, doc: "As its name says." }
}

const SOURCE: SourceCard = SourceCard { bounded: |_| false, changes: ChangelogMode::Append, lookup: false };
const SINK: SinkCard = SinkCard {
    changes: ChangelogMode::Append,
    guarantee: |_, _| Guarantee::AtLeastOnce,
    partitions: false,
    overwrite: false,
};

static DATAGEN: ConnectorCard = ConnectorCard {
    name: "datagen",
    aliases: &["random"],
    doc: "Makes rows.",
    options: &[
        option("rows-per-second", OptionKind::Integer, false),
        option("number-of-rows", OptionKind::Integer, false),
        option("fields.#.kind", OptionKind::OneOf(&["random", "sequence"]), false),
        option("fields.#.start", OptionKind::Text, false),
        option("fields.#.end", OptionKind::Text, false),
        option("fields.#.min", OptionKind::Text, false),
        option("fields.#.max", OptionKind::Text, false),
    ],
    metadata: &[],
    format: false,
    source: Some(SourceCard {
        bounded: |o: &Options| o.get("number-of-rows").is_some(),
        changes: ChangelogMode::Append,
        lookup: false,
    }),
    sink: None,
};

static BLACKHOLE: ConnectorCard = ConnectorCard {
    name: "blackhole",
    aliases: &[],
    doc: "Takes rows and forgets them.",
    options: &[],
    metadata: &[],
    format: false,
    source: None,
    sink: Some(SinkCard { changes: ChangelogMode::Retract, ..SINK }),
};

static PRINT: ConnectorCard = ConnectorCard {
    name: "print",
    aliases: &[],
    doc: "Prints rows.",
    options: &[
        option("print-identifier", OptionKind::Text, false),
        option("standard-error", OptionKind::Boolean, false),
        option("sink.parallelism", OptionKind::Integer, false),
    ],
    metadata: &[],
    format: false,
    source: None,
    sink: Some(SinkCard { changes: ChangelogMode::Retract, ..SINK }),
};

static FILESYSTEM: ConnectorCard = ConnectorCard {
    name: "filesystem",
    aliases: &["file"],
    doc: "Reads and writes files.",
    options: &[
        OptionCard {
            aliases: &["filePath"],
            doc: "The file or folder.",
            ..option("path", OptionKind::Text, true)
        },
        option("source.monitor-interval", OptionKind::Duration, false),
        option("sink.rolling-policy.file-size", OptionKind::MemorySize, false),
    ],
    metadata: &[MetadataColumn {
        key: "file.path",
        data_type: "STRING NOT NULL",
        writable: false,
        doc: "The file.",
    }],
    format: true,
    source: Some(SourceCard { bounded: |o| o.get("source.monitor-interval").is_none(), ..SOURCE }),
    sink: Some(SinkCard { partitions: true, overwrite: true, ..SINK }),
};

static KAFKA: ConnectorCard = ConnectorCard {
    name: "kafka",
    aliases: &["kafka010", "kafka011"],
    doc: "Reads and writes topics.",
    options: &[
        option("topic", OptionKind::Text, true),
        OptionCard {
            aliases: &["bootstrap.servers"],
            doc: "Brokers, as host:port, separated by commas.",
            ..option("properties.bootstrap.servers", OptionKind::Text, true)
        },
        option("properties.group.id", OptionKind::Text, false),
        OptionCard { secret: true, ..option("sasl.credentials", OptionKind::Text, false) },
        option("scan.startup.mode", OptionKind::OneOf(&["earliest-offset", "latest-offset"]), false),
        option("commit-interval", OptionKind::Duration, false),
        option("fetch-share", OptionKind::Number, false),
    ],
    metadata: &[
        MetadataColumn { key: "offset", data_type: "BIGINT NOT NULL", writable: false, doc: "The offset." },
        MetadataColumn {
            key: "timestamp",
            data_type: "TIMESTAMP_LTZ(3) NOT NULL",
            writable: true,
            doc: "The record's time.",
        },
    ],
    format: true,
    source: Some(SOURCE),
    sink: Some(SINK),
};

static UPSERT_DB: ConnectorCard = ConnectorCard {
    name: "upsert-db",
    aliases: &["rds"],
    doc: "Writes by key.",
    options: &[
        OptionCard { aliases: &["url"], ..option("address", OptionKind::Text, true) },
        OptionCard { aliases: &["tableName"], ..option("table-name", OptionKind::Text, false) },
        OptionCard { secret: true, ..option("password", OptionKind::Text, false) },
    ],
    metadata: &[],
    format: false,
    source: Some(SourceCard { lookup: true, ..SOURCE }),
    sink: Some(SinkCard { changes: ChangelogMode::Upsert, ..SINK }),
};

static JSON: FormatCard = FormatCard {
    name: "json",
    doc: "One JSON object a record.",
    options: &[
        option("ignore-parse-errors", OptionKind::Boolean, false),
        option("fail-on-missing-field", OptionKind::Boolean, false),
        option("timestamp-format.standard", OptionKind::OneOf(&["SQL", "ISO-8601"]), false),
    ],
    metadata: &[],
    decodes: Some(ChangelogMode::Append),
    encodes: Some(ChangelogMode::Append),
    by_position: false,
};

static CSV: FormatCard = FormatCard {
    name: "csv",
    doc: "Separated values.",
    options: &[
        option("field-delimiter", OptionKind::Text, false),
        option("null-literal", OptionKind::Text, false),
        option("ignore-parse-errors", OptionKind::Boolean, false),
        option("allow-comments", OptionKind::Boolean, false),
        option("quote-character", OptionKind::Text, false),
        option("disable-quote-character", OptionKind::Boolean, false),
        option("escape-character", OptionKind::Text, false),
        option("array-element-delimiter", OptionKind::Text, false),
    ],
    metadata: &[],
    decodes: Some(ChangelogMode::Append),
    encodes: Some(ChangelogMode::Append),
    by_position: true,
};

static CHANGES: FormatCard = FormatCard {
    name: "debezium-json",
    doc: "Changes of a database.",
    options: &[],
    metadata: &[],
    decodes: Some(ChangelogMode::Retract),
    encodes: None,
    by_position: false,
};

static CANAL: FormatCard = FormatCard { name: "canal-json", ..CHANGES };
static MAXWELL: FormatCard = FormatCard { name: "maxwell-json", ..CHANGES };

static RAW: FormatCard = FormatCard {
    name: "raw",
    doc: "One column: the record.",
    options: &[option("charset", OptionKind::Text, false), option("endianness", OptionKind::Text, false)],
    metadata: &[],
    decodes: Some(ChangelogMode::Append),
    encodes: Some(ChangelogMode::Append),
    by_position: true,
};

/// The cards.
pub fn cards() -> Cards {
    Cards {
        connectors: vec![&DATAGEN, &BLACKHOLE, &PRINT, &FILESYSTEM, &KAFKA, &UPSERT_DB],
        formats: vec![&JSON, &CSV, &CHANGES, &CANAL, &MAXWELL, &RAW],
    }
}

/// A new session; the variable `BROKERS` is set.
pub fn session() -> SessionState {
    let variables = |name: &str| (name == "BROKERS").then(|| "one:9092".to_string());
    SessionState::new(cards(), Arc::new(variables))
}
