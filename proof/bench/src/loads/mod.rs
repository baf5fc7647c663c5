//! The loads of the table, one a file. A further load is a file like the others and a line in [`LOADS`].

mod attacks;
mod csv;
mod dense;
pub mod generate;
mod nested;
mod paths;
mod patterns;
mod quiet;
mod syslog;
mod wide;
pub mod windows;
mod words;

use std::io::{self, Write};

pub use quiet::Words;

/// Events, rules over them and what is known of the outcome.
#[derive(Debug)]
pub struct Load {
    /// Its name in the table and on the command line.
    pub name: &'static str,
    /// What it stands for, a sentence or two for the page.
    pub doc: &'static str,
    /// The numbers of rules that it is measured with.
    pub rules: &'static [u64],
    /// The number of events that it is measured with, unless told otherwise.
    pub events: u64,
    /// The name of its events: loads with the same events share a file.
    pub data: &'static str,
    /// Writes events: the same number gives the same bytes on every machine.
    pub generate: fn(u64, &mut dyn Write) -> io::Result<()>,
    /// The job over a file of events: its tables, then one INSERT a rule.
    pub job: fn(file: &str, rules: u64) -> String,
    /// The rows that each rule gives on so many events, for as many rules (from the first on) as it is known; `None`: it is not known.
    pub expected: fn(events: u64, rules: u64) -> Expected,
    /// Events per CPU-second of Flink's task manager on the same events, by number of rules.
    pub flink: &'static [(u64, f64)],
}

/// The rows that rules give, if that is known.
pub type Expected = Result<Option<Vec<u64>>, String>;

/// The list.
pub const LOADS: &[&Load] = &[
    &quiet::QUIET,
    &quiet::NEEDED,
    &dense::DENSE,
    &wide::WIDE,
    &paths::PATHS,
    &nested::NESTED,
    &csv::CSV,
    &syslog::SYSLOG,
    &windows::WINDOWS,
];

/// The load of a name.
///
/// # Errors
/// When there is none.
pub fn load(name: &str) -> Result<&'static Load, String> {
    LOADS.iter().find(|l| l.name == name).copied().ok_or_else(|| {
        let names: Vec<&str> = LOADS.iter().map(|l| l.name).collect();
        format!("no load '{name}'; there are {}", names.join(", "))
    })
}

/// Events of the demo: those of the quiet load with attacks planted.
///
/// # Errors
/// When writing fails.
pub fn demo_events(n: u64, out: &mut dyn Write) -> io::Result<()> {
    quiet::events(n, true, out)
}

/// Events of the quiet load.
///
/// # Errors
/// When writing fails.
pub fn quiet_events(n: u64, out: &mut dyn Write) -> io::Result<()> {
    quiet::events(n, false, out)
}

/// The columns of security events, as the rules of several loads read them.
pub const COLUMNS: &str = "id BIGINT, ts TIMESTAMP(3), event_type STRING, host STRING, `user` STRING, src_ip STRING, dst_ip STRING, \
     dst_port INT, proc_path STRING, cmdline STRING, pid INT, `method` STRING, url STRING, user_agent STRING, status INT, \
     `bytes` BIGINT, success BOOLEAN, asset BIGINT, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND";

/// The columns of an alert, as most loads read them.
const ALERT: &str = "ts, host, `user`, cmdline, url";

/// A job over a table `events` of security events: each condition writes its alerts.
fn alerts(columns: &str, options: &str, file: &str, conditions: impl Iterator<Item = String>) -> String {
    alerts_of(columns, options, file, ALERT, conditions)
}

/// The same where the columns of an alert have to be said.
fn alerts_of(
    columns: &str,
    options: &str,
    file: &str,
    alert: &str,
    conditions: impl Iterator<Item = String>,
) -> String {
    let mut sql = format!(
        "CREATE TABLE events ({columns}) WITH ('connector' = 'filesystem', 'path' = '{file}', {options});\n\
         CREATE TABLE alerts (rule STRING, ts TIMESTAMP(3), host STRING, `user` STRING, cmdline STRING, url STRING) \
         WITH ('connector' = 'blackhole');\n"
    );
    for (i, condition) in conditions.enumerate() {
        sql.push_str(&format!("INSERT INTO alerts SELECT 'r{i}', {alert} FROM events WHERE {condition};\n"));
    }
    sql
}

/// What Flink counted for each rule on 100,000 and 1,000,000 events: `quiet` (the first 1,000 rules) or `rules` (200 dense ones).
fn flink_counts(name: &str, events: u64, rules: u64) -> Expected {
    let text = match events {
        1_000_000 => include_str!("../../data/counts-1000000.json"),
        100_000 => include_str!("../../data/counts-100000.json"),
        _ => return Ok(None),
    };
    let known: serde_json::Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let list = known.get(name).and_then(serde_json::Value::as_array).ok_or("the counts are damaged")?;
    list.iter()
        .take(rules as usize)
        .map(|n| n.as_u64().ok_or_else(|| "the counts are damaged".to_string()))
        .collect::<Result<_, _>>()
        .map(Some)
}
