//! The table of scenarios. Each runs in a process of its own, so that CPU time and peak memory are its alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use millstream::{Completion, Progress, Session};

use crate::cost::{cpu_seconds, peak_megabytes};
use crate::dense;
use crate::quiet::Words;

const COLUMNS: &str = "id BIGINT, ts TIMESTAMP(3), event_type STRING, host STRING, `user` STRING, src_ip STRING, dst_ip STRING, \
     dst_port INT, proc_path STRING, cmdline STRING, pid INT, `method` STRING, url STRING, user_agent STRING, status INT, \
     `bytes` BIGINT, success BOOLEAN, asset BIGINT, WATERMARK FOR ts AS ts - INTERVAL '5' SECOND";

/// Events per CPU-second of Flink's task manager on the same events and rules, by load and number of rules.
const FLINK: [(&str, u64, f64); 6] = [
    ("quiet", 1, 159_235.0),
    ("quiet", 41, 33_978.0),
    ("quiet", 200, 8_102.0),
    ("dense", 1, 234_741.0),
    ("dense", 41, 38_321.0),
    ("dense", 200, 8_944.0),
];

struct Options {
    events: u64,
    only: Option<String>,
    runs: usize,
}

/// Runs the table, or (called by itself) one scenario.
pub fn run(words: &[&str]) -> Result<(), String> {
    if let ["one", load, rules, events, file] = words {
        return one(load, crate::count(rules)?, crate::count(events)?, file);
    }
    let mut options = Options { events: 1_000_000, only: None, runs: 3 };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match *word {
            "--events" => options.events = crate::count(value()?)?,
            "--only" => options.only = Some((*value()?).to_string()),
            "--runs" => options.runs = crate::count(value()?)?.max(1) as usize,
            other => return Err(format!("unknown option {other}")),
        }
    }
    table(&options)
}

fn table(options: &Options) -> Result<(), String> {
    let directory = std::env::temp_dir().join("millstream-bench");
    std::fs::create_dir_all(&directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    let me = std::env::current_exe().map_err(|e| e.to_string())?;
    println!(
        "{} events; best of {} runs by CPU time; counts equal to Flink's or the figure is void",
        options.events, options.runs
    );
    println!(
        "{:<14} {:>12} {:>12} {:>8} {:>9} {:>8}  counts",
        "scenario", "events/CPU-s", "Flink", "ratio", "peak MB", "CPU s"
    );
    for (load, rules) in [
        ("quiet", 1),
        ("quiet", 41),
        ("quiet", 200),
        ("quiet", 1000),
        ("dense", 1),
        ("dense", 41),
        ("dense", 200),
    ] {
        let name = format!("{load} {rules}");
        if options.only.as_deref().is_some_and(|o| !name.contains(o)) {
            continue;
        }
        let file = events_file(&directory, load, options.events)?;
        let mut best: Option<Figures> = None;
        for _ in 0..options.runs {
            let output = Command::new(&me)
                .args([
                    "run",
                    "one",
                    load,
                    &rules.to_string(),
                    &options.events.to_string(),
                    &file.display().to_string(),
                ])
                .output()
                .map_err(|e| e.to_string())?;
            if !output.status.success() {
                return Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr)));
            }
            let figures = Figures::read(&String::from_utf8_lossy(&output.stdout)).ok_or("no figures")?;
            if best.as_ref().is_none_or(|b| figures.cpu < b.cpu) {
                best = Some(figures);
            }
        }
        let Some(f) = best else { continue };
        let rate = options.events as f64 / f.cpu;
        let flink = FLINK.iter().find(|(l, r, _)| *l == load && *r == rules).map(|(_, _, f)| *f);
        println!(
            "{name:<14} {rate:>12.0} {:>12} {:>8} {:>9.0} {:>8.2}  {}",
            flink.map_or("-".into(), |f| format!("{f:.0}")),
            flink.map_or("-".into(), |f| format!("{:.1}x", rate / f)),
            f.peak,
            f.cpu,
            f.verdict
        );
    }
    Ok(())
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

fn events_file(directory: &Path, load: &str, n: u64) -> Result<PathBuf, String> {
    let file = directory.join(format!("{load}-{n}.jsonl"));
    if !file.exists() {
        let aside = directory.join(format!("{load}-{n}.tmp"));
        crate::generate(load, &n.to_string(), &aside.display().to_string())?;
        std::fs::rename(&aside, &file).map_err(|e| e.to_string())?;
    }
    Ok(file)
}

/// Runs one scenario in this process and prints CPU seconds, peak megabytes and whether the counts are Flink's.
fn one(load: &str, rules: u64, events: u64, file: &str) -> Result<(), String> {
    let words = Words::new();
    let mut sql = format!(
        "CREATE TABLE events ({COLUMNS}) WITH ('connector' = 'filesystem', 'path' = '{file}', 'format' = 'json');\n\
         CREATE TABLE alerts (rule STRING, ts TIMESTAMP(3), host STRING, `user` STRING, cmdline STRING, url STRING) \
         WITH ('connector' = 'blackhole');\n"
    );
    for i in 0..rules {
        let condition = if load == "quiet" { words.rule(i) } else { dense::rule(i) };
        sql.push_str(&format!("INSERT INTO alerts SELECT 'r{i}', ts, host, `user`, cmdline, url FROM events WHERE {condition};\n"));
    }
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|e| e.to_string())?;
    let counts = runtime.block_on(async {
        let mut session = Session::new();
        let mut inserts = Vec::new();
        for statement in session.statements(&sql).map_err(|f| f.render("bench"))? {
            if let millstream::StatementResult::Insert(plan) =
                session.statement(&statement, &sql).await.map_err(|f| f.render("bench", &sql))?
            {
                inserts.push(*plan);
            }
        }
        let job = session.start(Session::merge(inserts)).await.map_err(|f| f.render("bench", &sql))?;
        let report = job.wait().await;
        if let Completion::Failed { fault, .. } = report.completion {
            return Err(fault.render("bench", &sql));
        }
        Ok(report.progress.sinks.iter().map(|s| Progress::get(&s.rows)).collect::<Vec<u64>>())
    })?;
    println!("{:.3} {:.1} {}", cpu_seconds(), peak_megabytes(), verdict(load, rules, events, &counts)?);
    Ok(())
}

fn verdict(load: &str, rules: u64, events: u64, counts: &[u64]) -> Result<String, String> {
    let text = match events {
        1_000_000 => include_str!("../data/counts-1000000.json"),
        100_000 => include_str!("../data/counts-100000.json"),
        _ => return Ok("not checked".into()),
    };
    let known: serde_json::Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    let name = if load == "quiet" { "quiet" } else { "rules" };
    let list = known.get(name).ok_or("the counts are damaged")?;
    for i in 0..rules as usize {
        let (flink, here) = (list.get(i).and_then(serde_json::Value::as_u64), counts.get(i).copied());
        if flink != here {
            return Err(format!("rule {i}: Flink counts {flink:?}, here {here:?}"));
        }
    }
    Ok(format!("equal ({} rows)", counts.iter().sum::<u64>()))
}
