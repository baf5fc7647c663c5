//! The visible list of session options: Flink's names, with the defaults that hold here.

use millstream_flow::{OptionCard, OptionKind};

use OptionKind::{Boolean, Duration, Integer, MemorySize, OneOf, Text};

const fn option(
    key: &'static str,
    kind: OptionKind,
    default: Option<&'static str>,
    doc: &'static str,
) -> OptionCard {
    OptionCard { key, aliases: &[], kind, default, required: false, secret: false, doc }
}

const fn renamed(
    key: &'static str,
    aliases: &'static [&'static str],
    kind: OptionKind,
    default: Option<&'static str>,
    doc: &'static str,
) -> OptionCard {
    OptionCard { key, aliases, kind, default, required: false, secret: false, doc }
}

/// Every session option that is known. Others are kept, and SET warns about them.
pub const SESSION_OPTIONS: &[OptionCard] = &[
    option(
        "execution.runtime-mode",
        OneOf(&["STREAMING", "BATCH", "AUTOMATIC"]),
        Some("STREAMING"),
        "Whether queries give changelogs of endless streams or the final rows of bounded ones.",
    ),
    option(
        "parallelism.default",
        Integer,
        Some("1"),
        "How many tasks read each source and run what follows, on a core each: they share out its splits (files, partitions), so one file is read by one. \
         The rows of a split keep their order. A checkpoint can go on at another parallelism.",
    ),
    option(
        super::super::optimize::TEXT_SCREENS,
        Boolean,
        Some("true"),
        "Whether conditions on pieces of a text (what GROK, SPLIT_INDEX, REGEXP_EXTRACT and their kin give) also screen the text itself, before it is taken apart. \
         No result depends on it; `explain` shows the screens.",
    ),
    option("pipeline.name", Text, None, "The job's name in progress and metrics."),
    renamed(
        "pipeline.max-parallelism",
        &["table.exec.resource.max-parallelism"],
        Integer,
        None,
        "Ignored: state always has 128 key groups.",
    ),
    option(
        "pipeline.auto-watermark-interval",
        Duration,
        Some("0 ms"),
        "How often watermarks are made; 0: after every row, so that lateness does not depend on the clock.",
    ),
    option("pipeline.object-reuse", Boolean, Some("false"), "Ignored: rows are columns here."),
    option(
        "pipeline.operator-chaining.enabled",
        Boolean,
        Some("true"),
        "Ignored: operators are always chained.",
    ),
    option(
        "execution.checkpointing.interval",
        Duration,
        None,
        "How often the job is saved; not set: every 10 s where there is a place for checkpoints, else never. 0: only at the end.",
    ),
    renamed(
        "execution.checkpointing.dir",
        &["state.checkpoints.dir", "execution.checkpointing.storage.dir"],
        Text,
        None,
        "Where checkpoints are written, as a URI.",
    ),
    renamed(
        "execution.checkpointing.savepoint-dir",
        &["state.savepoints.dir"],
        Text,
        None,
        "Where savepoints are written, as a URI.",
    ),
    option(
        "execution.checkpointing.mode",
        OneOf(&["EXACTLY_ONCE", "AT_LEAST_ONCE", "exactly-once", "at-least-once"]),
        Some("EXACTLY_ONCE"),
        "What the sinks promise after a crash, as far as they can.",
    ),
    option(
        "execution.checkpointing.timeout",
        Duration,
        Some("10 min"),
        "How long a checkpoint may take before it is given up.",
    ),
    option(
        "execution.checkpointing.min-pause",
        Duration,
        Some("0 ms"),
        "The least time between the end of a checkpoint and the start of the next one.",
    ),
    option(
        "execution.checkpointing.max-concurrent-checkpoints",
        Integer,
        Some("1"),
        "Ignored: one checkpoint at a time.",
    ),
    renamed(
        "execution.checkpointing.num-retained",
        &["state.checkpoints.num-retained"],
        Integer,
        Some("1"),
        "How many checkpoints are kept.",
    ),
    renamed(
        "execution.checkpointing.externalized-checkpoint-retention",
        &["execution.checkpointing.externalized-checkpoint-retention-mode"],
        OneOf(&["DELETE_ON_CANCELLATION", "RETAIN_ON_CANCELLATION", "NO_EXTERNALIZED_CHECKPOINTS"]),
        Some("RETAIN_ON_CANCELLATION"),
        "Whether checkpoints outlive a job that was stopped.",
    ),
    option(
        "execution.checkpointing.tolerable-failed-checkpoints",
        Integer,
        Some("0"),
        "How many checkpoints may fail in a row before the job fails.",
    ),
    option(
        "execution.checkpointing.unaligned.enabled",
        Boolean,
        Some("false"),
        "Ignored: barriers are aligned.",
    ),
    option(
        "execution.checkpointing.incremental",
        Boolean,
        Some("false"),
        "Whether checkpoints hold only changes.",
    ),
    renamed(
        "execution.state-recovery.path",
        &["execution.savepoint.path"],
        Text,
        None,
        "The checkpoint or savepoint that the job starts from.",
    ),
    renamed(
        "execution.state-recovery.ignore-unclaimed-state",
        &["execution.savepoint.ignore-unclaimed-state"],
        Boolean,
        Some("false"),
        "Whether state that no operator of the new text takes may be dropped.",
    ),
    renamed("state.backend.type", &["state.backend"], Text, Some("hashmap"), "Ignored: state is in memory."),
    renamed(
        "restart-strategy.type",
        &["restart-strategy"],
        Text,
        None,
        "What happens after a failure: none, fixed-delay, exponential-delay, failure-rate.",
    ),
    option(
        "restart-strategy.fixed-delay.attempts",
        Integer,
        Some("1"),
        "How often a failed job is started again.",
    ),
    option(
        "restart-strategy.fixed-delay.delay",
        Duration,
        Some("1 s"),
        "How long to wait before starting again.",
    ),
    option(
        "table.local-time-zone",
        Text,
        Some("default"),
        "The session's time zone: a name (Asia/Shanghai) or an offset (GMT+08:00); `default`: the machine's, by the variable TZ or /etc/localtime, else UTC.",
    ),
    option("table.sql-dialect", OneOf(&["default", "hive"]), Some("default"), "The dialect of statements."),
    option(
        "table.dynamic-table-options.enabled",
        Boolean,
        Some("true"),
        "Whether OPTIONS hints behind a table's name are allowed.",
    ),
    option("table.dml-sync", Boolean, Some("false"), "Whether INSERT waits for its job."),
    option(
        "table.column-expansion-strategy",
        Text,
        Some(""),
        "What `*` leaves out: EXCLUDE_ALIASED_VIRTUAL_METADATA_COLUMNS, EXCLUDE_DEFAULT_VIRTUAL_METADATA_COLUMNS.",
    ),
    option(
        "table.rtas-ctas.atomicity-enabled",
        Boolean,
        Some("false"),
        "Whether the table of a CREATE TABLE AS appears only when its job is done.",
    ),
    option(
        "table.display.max-column-width",
        Integer,
        Some("30"),
        "Characters of a column in printed results.",
    ),
    option(
        "table.builtin-catalog-name",
        Text,
        Some("default_catalog"),
        "Ignored after the session has begun.",
    ),
    option(
        "table.builtin-database-name",
        Text,
        Some("default_database"),
        "Ignored after the session has begun.",
    ),
    option(
        "table.exec.state.ttl",
        Duration,
        Some("0 ms"),
        "How long the state of a key is kept after its last change; 0: for ever.",
    ),
    option(
        "table.exec.source.idle-timeout",
        Duration,
        Some("0 ms"),
        "After which silence a split no longer holds the watermark back; 0: never.",
    ),
    option(
        "table.exec.rules.index",
        Boolean,
        Some("true"),
        "Whether the conditions on a source are looked for by one index; false: each is evaluated by itself on every record, with the same answers. For comparing.",
    ),
    option(
        "table.exec.source.cdc-events-duplicate",
        Boolean,
        Some("false"),
        "Whether a change source may repeat changes: they are then normalized by primary key.",
    ),
    option(
        "table.exec.sink.not-null-enforcer",
        OneOf(&["ERROR", "DROP"]),
        Some("ERROR"),
        "What happens to a row with NULL in a NOT NULL column of the sink.",
    ),
    option(
        "table.exec.sink.type-length-enforcer",
        OneOf(&["IGNORE", "TRIM_PAD", "ERROR"]),
        Some("IGNORE"),
        "Whether CHAR and BINARY columns of a sink are trimmed and padded to their length.",
    ),
    option(
        "table.exec.sink.nested-constraint-enforcer",
        OneOf(&["IGNORE", "ERROR"]),
        Some("IGNORE"),
        "Whether constraints of nested fields are checked.",
    ),
    option(
        "table.exec.sink.upsert-materialize",
        OneOf(&["NONE", "AUTO", "FORCE"]),
        Some("AUTO"),
        "Whether changes are put in order by the sink's primary key before they are written.",
    ),
    option(
        "table.exec.sink.keyed-shuffle",
        OneOf(&["NONE", "AUTO", "FORCE"]),
        Some("AUTO"),
        "Whether rows with equal primary key go to the same writer.",
    ),
    option(
        "table.exec.sink.rowtime-inserter",
        OneOf(&["ENABLED", "DISABLED"]),
        Some("ENABLED"),
        "Whether the rowtime is handed to the sink as the record's timestamp.",
    ),
    option(
        "table.exec.mini-batch.enabled",
        Boolean,
        Some("false"),
        "Whether changes of a key are put together.",
    ),
    option(
        "table.exec.mini-batch.allow-latency",
        Duration,
        Some("0 ms"),
        "How long changes may be held back.",
    ),
    option("table.exec.mini-batch.size", Integer, Some("-1"), "How many rows may be held back."),
    option(
        "table.exec.emit.early-fire.enabled",
        Boolean,
        Some("false"),
        "Whether windows fire before the watermark.",
    ),
    option(
        "table.exec.emit.early-fire.delay",
        Duration,
        None,
        "How often windows fire before the watermark.",
    ),
    option(
        "table.exec.emit.late-fire.enabled",
        Boolean,
        Some("false"),
        "Whether windows fire again for late rows.",
    ),
    option("table.exec.emit.late-fire.delay", Duration, None, "How often windows fire again for late rows."),
    option("table.exec.emit.allow-lateness", Duration, None, "How long a window is kept for late rows."),
    option(
        "table.exec.legacy-cast-behaviour",
        OneOf(&["ENABLED", "DISABLED"]),
        Some("DISABLED"),
        "Whether CAST gives NULL for what it cannot convert.",
    ),
    option("table.exec.rank.topn-cache-size", Integer, Some("10000"), "Ignored: state is in memory."),
    option(
        "table.exec.resource.default-parallelism",
        Integer,
        Some("-1"),
        "Parallelism of queries; -1: parallelism.default.",
    ),
    option(
        "table.exec.async-lookup.buffer-capacity",
        Integer,
        Some("100"),
        "How many lookups may be under way.",
    ),
    option("table.exec.async-lookup.timeout", Duration, Some("3 min"), "How long a lookup may take."),
    option(
        "table.exec.async-lookup.output-mode",
        OneOf(&["ORDERED", "ALLOW_UNORDERED"]),
        Some("ORDERED"),
        "Whether lookups keep the order of rows.",
    ),
    option(
        "table.exec.uid.generation",
        OneOf(&["PLAN_ONLY", "ALWAYS", "DISABLED"]),
        Some("PLAN_ONLY"),
        "Ignored.",
    ),
    option("table.exec.simplify-operator-name-enabled", Boolean, Some("true"), "Ignored."),
    option(
        "table.optimizer.agg-phase-strategy",
        OneOf(&["AUTO", "ONE_PHASE", "TWO_PHASE"]),
        Some("AUTO"),
        "Ignored: it never changes the answer.",
    ),
    option(
        "table.optimizer.distinct-agg.split.enabled",
        Boolean,
        Some("false"),
        "Ignored: it never changes the answer.",
    ),
    option(
        "table.optimizer.join-reorder-enabled",
        Boolean,
        Some("false"),
        "Ignored: joins keep their order.",
    ),
    option(
        "table.optimizer.reuse-sub-plan-enabled",
        Boolean,
        Some("true"),
        "Whether equal parts of a job run once.",
    ),
    option(
        "table.optimizer.reuse-source-enabled",
        Boolean,
        Some("true"),
        "Whether equal sources are read once.",
    ),
    option(
        "table.optimizer.source.predicate-pushdown-enabled",
        Boolean,
        Some("true"),
        "Whether filters go to the scan.",
    ),
    renamed(
        "table.optimizer.non-deterministic-update.strategy",
        &["table.optimizer.nondeterministic-update.strategy"],
        OneOf(&["IGNORE", "TRY_RESOLVE"]),
        Some("IGNORE"),
        "Whether non-deterministic values under updates are refused where they would make them wrong; only IGNORE can be set.",
    ),
    option(
        "sql-client.execution.result-mode",
        OneOf(&["TABLE", "CHANGELOG", "TABLEAU"]),
        Some("TABLE"),
        "Ignored: see the command's --output.",
    ),
    option("sql-client.execution.max-table-result.rows", Integer, Some("1000000"), "Ignored."),
    option("sql-client.verbose", Boolean, Some("false"), "Ignored."),
    option(
        "grok.pattern.#",
        Text,
        None,
        "A grok pattern of one's own, `#` being its name: `SET 'grok.pattern.ORDER' = 'o-%{INT:order:int}'`, then `GROK(line, '%{ORDER}')`. It comes before one of the library, \
         and uses only patterns that are known already.",
    ),
    option(
        "grok.patterns-file",
        Text,
        None,
        "A file of grok patterns, one a line: a name, a space, a pattern. Patterns that are set one by one come before them.",
    ),
    option(
        "ip2region.file",
        Text,
        None,
        "The table of networks that IP2REGION looks into: a text (CSV) or a MaxMind DB (.mmdb).",
    ),
    option(
        "taskmanager.memory.process.size",
        MemorySize,
        None,
        "The memory that the job may take: state, bytes in flight, what waits to be written.",
    ),
];

/// The card of an option, by its key or an older one.
pub fn session_option(key: &str) -> Option<&'static OptionCard> {
    let named = |o: &&OptionCard| match o.key.strip_suffix('#') {
        Some(prefix) => key.strip_prefix(prefix).is_some_and(|name| !name.is_empty()),
        None => o.key == key || o.aliases.contains(&key),
    };
    SESSION_OPTIONS.iter().find(named)
}
