//! The columns that syslog lines have, and the types that they may be declared with.

use millstream_flow::FieldSpec;
use millstream_types::{DataType, Fault, TypeKind, nearest};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// The number, or (`true`) the name.
    Facility(bool),
    /// The number, or (`true`) the name.
    Severity(bool),
    Priority,
    /// TIMESTAMP with its precision.
    Timestamp(u8),
    /// TIMESTAMP_LTZ with its precision.
    Instant(u8),
    TimeText,
    Hostname,
    AppName,
    ProcId,
    MsgId,
    StructuredText,
    StructuredMap,
    Message,
    Raw,
}

/// Names, with other names that mean the same.
const NAMES: &[(&str, &str)] = &[
    ("facility", "facility"),
    ("severity", "severity"),
    ("level", "severity"),
    ("priority", "priority"),
    ("timestamp", "timestamp"),
    ("log_time", "timestamp"),
    ("hostname", "hostname"),
    ("app_name", "app_name"),
    ("tag", "app_name"),
    ("procid", "procid"),
    ("pid", "procid"),
    ("msgid", "msgid"),
    ("structured_data", "structured_data"),
    ("message", "message"),
    ("msg", "message"),
    ("data", "message"),
    ("raw", "raw"),
];

impl Part {
    /// # Errors
    /// User, for a name that no line has, and a type that the part has not.
    pub fn of(field: &FieldSpec) -> Result<Part, Fault> {
        let found = NAMES.iter().find(|(name, _)| field.name.eq_ignore_ascii_case(name));
        let Some((_, name)) = found else {
            let lower = field.name.to_ascii_lowercase();
            let fault =
                Fault::user("bad-column", format!("column '{}': a syslog line has no such part", field.name));
            return Err(match nearest(&lower, NAMES.iter().map(|(n, _)| *n)) {
                Some(near) => fault.hint(format!("did you mean '{near}'?")),
                None => fault.hint(
                    "columns are facility, severity, priority, timestamp, hostname, app_name, procid, msgid, structured_data, message, raw",
                ),
            });
        };
        let kind = &field.data_type.kind;
        let text = matches!(kind, TypeKind::VarChar(_));
        let number =
            matches!(kind, TypeKind::Int | TypeKind::BigInt | TypeKind::SmallInt | TypeKind::TinyInt);
        let (part, takes) = match *name {
            "facility" => ((text || number).then_some(Part::Facility(text)), "STRING or INT"),
            "severity" => ((text || number).then_some(Part::Severity(text)), "STRING or INT"),
            "priority" => ((number && *kind != TypeKind::TinyInt).then_some(Part::Priority), "INT"),
            "timestamp" => (
                match kind {
                    TypeKind::Timestamp(p, _) => Some(Part::Timestamp(*p)),
                    TypeKind::TimestampLtz(p, _) => Some(Part::Instant(*p)),
                    _ => text.then_some(Part::TimeText),
                },
                "TIMESTAMP, TIMESTAMP_LTZ or STRING",
            ),
            "structured_data" => (
                if *kind == structured() {
                    Some(Part::StructuredMap)
                } else {
                    text.then_some(Part::StructuredText)
                },
                "STRING or MAP<STRING, MAP<STRING, STRING>>",
            ),
            name => (
                text.then_some(match name {
                    "hostname" => Part::Hostname,
                    "app_name" => Part::AppName,
                    "procid" => Part::ProcId,
                    "msgid" => Part::MsgId,
                    "message" => Part::Message,
                    _ => Part::Raw,
                }),
                "STRING",
            ),
        };
        part.ok_or_else(|| {
            Fault::user(
                "bad-type",
                format!("column '{}': the format 'syslog' has no {kind} here", field.name),
            )
            .hint(format!("declare it as {takes}"))
        })
    }
}

/// MAP<STRING, MAP<STRING, STRING>>.
fn structured() -> TypeKind {
    DataType::map(DataType::string(), DataType::map(DataType::string(), DataType::string())).kind
}

/// The name of a facility (RFC 5424, table 1, in the spelling of `syslog.conf`).
pub(super) fn facility(number: u8) -> &'static str {
    const NAMES: [&str; 24] = [
        "kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp",
        "ntp", "audit", "alert", "clock", "local0", "local1", "local2", "local3", "local4", "local5",
        "local6", "local7",
    ];
    NAMES.get(usize::from(number)).copied().unwrap_or("")
}

/// The name of a severity (RFC 5424, table 2, in the spelling of `syslog.conf`).
pub(super) fn severity(number: u8) -> &'static str {
    const NAMES: [&str; 8] = ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];
    NAMES.get(usize::from(number)).copied().unwrap_or("")
}
