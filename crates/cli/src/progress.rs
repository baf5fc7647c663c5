//! The progress line, and the table at the end of a job.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::sync::Arc;

use millstream::{JobReport, Progress};
use millstream_types::Clock;

/// Shows on stderr how a job goes on, if that is a terminal.
pub struct ProgressLine {
    clock: Arc<dyn Clock>,
    started: u64,
    shown: bool,
    enabled: bool,
}

impl ProgressLine {
    /// A line for a job that starts now.
    pub fn new(clock: Arc<dyn Clock>, quiet: bool) -> Self {
        let started = clock.monotonic_nanos();
        ProgressLine { clock, started, shown: false, enabled: !quiet && std::io::stderr().is_terminal() }
    }

    /// Seconds since the start.
    pub fn seconds(&self) -> f64 {
        (self.clock.monotonic_nanos() - self.started) as f64 / 1e9
    }

    /// Draws it anew.
    pub fn draw(&mut self, progress: &Progress) {
        if !self.enabled {
            return;
        }
        let records = Progress::get(&progress.records);
        let rows: u64 = progress.sinks.iter().map(|s| Progress::get(&s.rows)).sum();
        let bad = Progress::get(&progress.bad_records);
        let rate = records as f64 / self.seconds().max(0.001);
        let checkpoints = Progress::get(&progress.checkpoints);
        eprint!(
            "\r\x1b[K{records} events  {rate:.0}/s  {rows} rows written  {bad} bad  {checkpoints} checkpoints"
        );
        let _ = std::io::stderr().flush();
        self.shown = true;
    }

    /// Takes the line away.
    pub fn clear(&mut self) {
        if self.shown {
            eprint!("\r\x1b[K");
            self.shown = false;
        }
    }
}

/// What a job did, on stderr.
pub fn summary(report: &JobReport, seconds: f64) {
    let progress = &report.progress;
    // Names are full ones; what everybody leaves out when writing is left out here, too.
    let short =
        |name: &str| name.strip_prefix("default_catalog.default_database.").unwrap_or(name).to_string();
    // Hundreds of rules that write one table are one line.
    let mut tables: Vec<(String, u64)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for sink in &progress.sinks {
        let place = *places.entry(sink.name.as_str()).or_insert(tables.len());
        if place == tables.len() {
            tables.push((short(&sink.name), 0));
        }
        if let Some((_, rows)) = tables.get_mut(place) {
            *rows += Progress::get(&sink.rows);
        }
    }
    let width = tables.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max("table".len());
    eprintln!("{:<width$}  {:>12}", "table", "rows");
    for (name, rows) in &tables {
        eprintln!("{name:<width$}  {rows:>12}");
    }
    let records = Progress::get(&progress.records);
    eprintln!();
    eprintln!("events read      {records}");
    eprintln!("bad records      {}", Progress::get(&progress.bad_records));
    if Progress::get(&progress.ignored) > 0 {
        eprintln!("ignored          {}", Progress::get(&progress.ignored));
    }
    eprintln!("seconds          {seconds:.2}");
    eprintln!("events a second  {:.0}", records as f64 / seconds.max(0.001));
    if let Some(kilobytes) = peak_resident() {
        eprintln!("peak memory      {} MB", kilobytes / 1024);
    }
}

/// The process's peak resident memory in kilobytes, where the system tells.
fn peak_resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}
