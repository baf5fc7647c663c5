//! The table of scenarios. Each runs in a process of its own, so that CPU time and peak memory are its alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use millstream::{Completion, Progress, Session};

use crate::cost::{cpu_seconds, peak_megabytes};
use crate::loads::{LOADS, Load, load};
use crate::page;

struct Options {
    events: Option<u64>,
    only: Option<String>,
    runs: usize,
    write: bool,
}

/// Runs the table, or (called by itself) one scenario.
pub fn run(words: &[&str]) -> Result<(), String> {
    if let ["one", name, rules, events, file] = words {
        return one(load(name)?, crate::count(rules)?, crate::count(events)?, file);
    }
    let mut options = Options { events: None, only: None, runs: 3, write: false };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match *word {
            "--events" => options.events = Some(crate::count(value()?)?),
            "--only" => options.only = Some((*value()?).to_string()),
            "--runs" => options.runs = crate::count(value()?)?.max(1) as usize,
            "--write" => options.write = true,
            other => return Err(format!("unknown option {other}")),
        }
    }
    table(&options)
}

fn table(options: &Options) -> Result<(), String> {
    let directory = std::env::temp_dir().join("millstream-bench");
    std::fs::create_dir_all(&directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    println!(
        "best of {} runs by CPU time; rows of each rule as they should be, or the figure is void",
        options.runs
    );
    println!(
        "{:<18} {:>12} {:>12} {:>8} {:>9} {:>8}  counts",
        "load, rules", "events/CPU-s", "Flink", "ratio", "peak MB", "CPU s"
    );
    let mut rows = Vec::new();
    for load in LOADS {
        for rules in load.rules {
            let name = format!("{} {rules}", load.name);
            if options.only.as_deref().is_some_and(|o| !name.contains(o)) {
                continue;
            }
            let events = options.events.unwrap_or(load.events);
            let f = best(load, *rules, events, options.runs, &directory)?;
            let row = page::Row {
                name,
                rate: events as f64 / f.cpu,
                flink: load.flink.iter().find(|(r, _)| r == rules).map(|(_, f)| *f),
                peak: f.peak,
            };
            println!(
                "{:<18} {:>12.0} {:>12} {:>8} {:>9.0} {:>8.2}  {}",
                row.name,
                row.rate,
                row.flink.map_or("-".into(), |f| format!("{f:.0}")),
                row.flink.map_or("-".into(), |f| format!("{:.1}x", row.rate / f)),
                row.peak,
                f.cpu,
                f.verdict
            );
            rows.push(row);
        }
    }
    if options.write { page::write(&rows) } else { Ok(()) }
}

/// The cheapest of some runs.
fn best(load: &Load, rules: u64, events: u64, runs: usize, directory: &Path) -> Result<Figures, String> {
    let file = events_file(directory, load, events)?;
    let me = std::env::current_exe().map_err(|e| e.to_string())?;
    let mut best: Option<Figures> = None;
    for _ in 0..runs {
        let output = Command::new(&me)
            .args([
                "run",
                "one",
                load.name,
                &rules.to_string(),
                &events.to_string(),
                &file.display().to_string(),
            ])
            .output()
            .map_err(|e| e.to_string())?;
        if !output.status.success() {
            return Err(format!("{} {rules}: {}", load.name, String::from_utf8_lossy(&output.stderr)));
        }
        let figures = Figures::read(&String::from_utf8_lossy(&output.stdout)).ok_or("no figures")?;
        if best.as_ref().is_none_or(|b| figures.cpu < b.cpu) {
            best = Some(figures);
        }
    }
    best.ok_or_else(|| "no runs".into())
}

struct Figures {
    cpu: f64,
    peak: f64,
    verdict: String,
}

impl Figures {
    fn read(text: &str) -> Option<Self> {
        let mut words = text.trim().splitn(3, ' ');
        Some(Figures {
            cpu: words.next()?.parse().ok()?,
            peak: words.next()?.parse().ok()?,
            verdict: words.next()?.to_string(),
        })
    }
}

/// The file of a load's events, which is made if it is not there.
///
/// # Errors
/// When it cannot be written.
pub fn events_file(directory: &Path, load: &Load, n: u64) -> Result<PathBuf, String> {
    let file = directory.join(format!("{}-{n}", load.data));
    if !file.exists() {
        let aside = directory.join(format!("{}-{n}.{}.tmp", load.data, std::process::id()));
        crate::generate(load.name, &n.to_string(), &aside.display().to_string())?;
        std::fs::rename(&aside, &file).map_err(|e| e.to_string())?;
    }
    Ok(file)
}

/// Runs one scenario in this process and prints CPU seconds, peak megabytes and whether the counts are right.
fn one(load: &Load, rules: u64, events: u64, file: &str) -> Result<(), String> {
    let counts = run_job(&(load.job)(file, rules), &[])?;
    // Before anything that only the check costs.
    let (cpu, peak) = (cpu_seconds(), peak_megabytes());
    println!("{cpu:.3} {peak:.1} {}", verdict(load, rules, events, &counts)?);
    Ok(())
}

/// Runs the INSERTs of a script as one job, with these options; gives the rows of each.
///
/// # Errors
/// What the script or the job says.
pub fn run_job(sql: &str, options: &[(&str, &str)]) -> Result<Vec<u64>, String> {
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|e| e.to_string())?;
    runtime.block_on(async {
        let mut session = Session::new();
        for (key, value) in options {
            session.set(key, value).map_err(|f| f.to_string())?;
        }
        let mut inserts = Vec::new();
        for statement in session.statements(sql).map_err(|f| f.render("bench"))? {
            if let millstream::StatementResult::Insert(plan) =
                session.statement(&statement, sql).await.map_err(|f| f.render("bench", sql))?
            {
                inserts.push(*plan);
            }
        }
        let job = session.start(Session::merge(inserts)).await.map_err(|f| f.render("bench", sql))?;
        let report = job.wait().await;
        if let Completion::Failed { fault, .. } = report.completion {
            return Err(fault.render("bench", sql));
        }
        Ok(report.progress.sinks.iter().map(|s| Progress::get(&s.rows)).collect::<Vec<u64>>())
    })
}

/// Whether the rows of each rule are as many as they should be.
///
/// # Errors
/// When they are not.
pub fn verdict(load: &Load, rules: u64, events: u64, counts: &[u64]) -> Result<String, String> {
    let Some(expected) = (load.expected)(events, rules)? else { return Ok("not checked".into()) };
    for (i, right) in expected.iter().enumerate() {
        if counts.get(i) != Some(right) {
            return Err(format!("rule {i}: {right} rows are right, here are {:?}", counts.get(i)));
        }
    }
    let rows = counts.iter().sum::<u64>();
    Ok(match expected.len() as u64 {
        known if known < rules => format!("equal ({rows} rows; known for {known} rules)"),
        _ => format!("equal ({rows} rows)"),
    })
}
