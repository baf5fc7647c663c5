//! `kill -9` at random moments: a filter job with checkpoints, file to file, must lose nothing and double nothing.
//!
//! ```text
//! crash MILLSTREAM [--kills N] [--seed S] [--parallelism P] [--follow]
//! ```
//! Real processes. Each round starts the command with `--restore latest`, waits for a checkpoint of this start (some rounds do not wait: a kill before the
//! first checkpoint must be survived, too), then kills it after a random time. After the last kill the job runs to its end, and the files that it has
//! committed are compared with what went in, row by row. Prints how the kills were spread. With `--follow` the job follows logs that are
//! written and rotated all the while (`follow`).

mod follow;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use millstream_types::{Random, SeededRandom};

/// Events of a run: enough to read for some seconds at the throttled pace.
const EVENTS: u64 = 400_000;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(1)
        }
    }
}

struct Arguments {
    millstream: PathBuf,
    kills: u64,
    seed: u64,
    /// The most tasks a source is read by; each start has another number up to it.
    parallelism: u64,
    /// Follow logs that are rotated, rather than read files that are there.
    follow: bool,
}

fn arguments() -> Result<Arguments, String> {
    let mut words = std::env::args().skip(1);
    let mut a = Arguments { millstream: PathBuf::new(), kills: 20, seed: 1, parallelism: 1, follow: false };
    while let Some(word) = words.next() {
        let mut number =
            || words.next().and_then(|n| n.parse().ok()).ok_or_else(|| format!("{word} needs a number"));
        match word.as_str() {
            "--kills" => a.kills = number()?,
            "--seed" => a.seed = number()?,
            "--parallelism" => a.parallelism = number()?.max(1),
            "--follow" => a.follow = true,
            path => a.millstream = path.into(),
        }
    }
    if a.millstream.as_os_str().is_empty() {
        Err("usage: crash MILLSTREAM [--kills N] [--seed S] [--parallelism P] [--follow]".into())
    } else {
        Ok(a)
    }
}

fn run() -> Result<(), String> {
    let a = arguments()?;
    let random = SeededRandom::new(a.seed);
    if a.follow {
        return follow::run(&a, &random);
    }
    let (mut kills, mut rounds) = (0, 0);
    let mut spread = Spread::default();
    while kills < a.kills {
        rounds += 1;
        let left = a.kills - kills;
        kills += round(&a, &random, left.min(8), &mut spread)?;
        if rounds > a.kills * 4 {
            return Err("the job ends before it can be killed: too few events".into());
        }
    }
    spread.print();
    println!("{kills} kills in {rounds} jobs: nothing lost, nothing doubled");
    Ok(())
}

/// When the kills came.
#[derive(Default)]
struct Spread {
    before_first: usize,
    by_checkpoints: BTreeMap<u64, usize>,
    shares: Vec<u64>,
}

impl Spread {
    fn print(&self) {
        println!("kills before the first checkpoint of their start: {}", self.before_first);
        let list: Vec<String> = self.by_checkpoints.iter().map(|(n, k)| format!("{n}: {k}")).collect();
        println!("kills by checkpoints since their start: {}", list.join(", "));
        let shares: Vec<String> = self.shares.iter().map(|s| format!("{s}%")).collect();
        println!("committed output at the kills: {}", shares.join(" "));
    }
}

/// One job from its beginning to its end, killed up to `most` times on the way. Gives how often it was killed.
fn round(a: &Arguments, random: &SeededRandom, most: u64, spread: &mut Spread) -> Result<u64, String> {
    let folder =
        std::env::temp_dir().join(format!("millstream-crash-{}-{}", std::process::id(), random.next_u64()));
    fs::create_dir_all(folder.join("in")).map_err(|e| e.to_string())?;
    let expected = write_events(&folder, random)?;
    let sql = write_job(&folder, ", port INT", "", "SELECT id, host FROM events WHERE port < 10")?;
    let checkpoints = folder.join("checkpoints/job");
    let mut kills = 0;
    while kills < most {
        let before = newest(&checkpoints);
        let mut child = start(&a.millstream, &sql, &folder, 1 + random.next_u64() % a.parallelism)?;
        let wait_for_checkpoint = !random.next_u64().is_multiple_of(10);
        // The start itself takes a number; a checkpoint of its own is the one after it.
        let mut alive = true;
        while wait_for_checkpoint && newest(&checkpoints) < before + 2 {
            if child.try_wait().map_err(|e| e.to_string())?.is_some() {
                alive = false;
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        std::thread::sleep(Duration::from_micros(random.next_u64() % 60_000));
        if !alive || child.try_wait().map_err(|e| e.to_string())?.is_some() {
            break;
        }
        let own = newest(&checkpoints).saturating_sub(before + 1);
        child.kill().map_err(|e| e.to_string())?;
        child.wait().map_err(|e| e.to_string())?;
        kills += 1;
        if own == 0 {
            spread.before_first += 1;
        }
        *spread.by_checkpoints.entry(own).or_default() += 1;
        spread.shares.push(committed(&folder)?.values().sum::<u64>() * 100 / expected.len().max(1) as u64);
    }
    let status = start(&a.millstream, &sql, &folder, a.parallelism)?.wait().map_err(|e| e.to_string())?;
    if !status.success() {
        return Err(format!("the last run ended with {status}; its folder is {}", folder.display()));
    }
    compare(&expected, &committed(&folder)?, &folder)?;
    let left = leftovers(&folder.join("out"))?;
    if !left.is_empty() {
        return Err(format!("temporary files are left: {left:?}"));
    }
    fs::remove_dir_all(&folder).map_err(|e| e.to_string())?;
    Ok(kills)
}

/// Several files of events; gives the ids that the filter keeps.
fn write_events(folder: &Path, random: &SeededRandom) -> Result<Vec<u64>, String> {
    let mut expected = Vec::new();
    for file in 0..4 {
        let path = folder.join(format!("in/events-{file}.jsonl"));
        let mut out = std::io::BufWriter::new(fs::File::create(&path).map_err(|e| e.to_string())?);
        for i in 0..EVENTS / 4 {
            let id = file * (EVENTS / 4) + i;
            let port = random.next_u64() % 20;
            writeln!(out, "{{\"id\":{id},\"host\":\"host-{}\",\"port\":{port}}}", id % 97)
                .map_err(|e| e.to_string())?;
            if port < 10 {
                expected.push(id);
            }
        }
    }
    Ok(expected)
}

/// A job from `in` to `out`, with more columns and more options of the source.
fn write_job(folder: &Path, columns: &str, options: &str, query: &str) -> Result<PathBuf, String> {
    let path = folder.join("job.sql");
    let at = folder.display();
    let sql = format!(
        "SET 'execution.checkpointing.dir' = '{at}/checkpoints';\n\
         SET 'execution.checkpointing.interval' = '15 ms';\n\
         CREATE TABLE events (id BIGINT, host STRING{columns}) WITH ('connector' = 'filesystem', 'path' = '{at}/in', 'format' = 'json'{options});\n\
         CREATE TABLE kept (id BIGINT, host STRING) WITH ('connector' = 'filesystem', 'path' = '{at}/out', 'format' = 'json');\n\
         INSERT INTO kept {query};\n"
    );
    fs::write(&path, sql).map_err(|e| e.to_string())?;
    Ok(path)
}

fn start(millstream: &Path, sql: &Path, folder: &Path, parallelism: u64) -> Result<Child, String> {
    let log = fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(folder.join("log"))
        .map_err(|e| e.to_string())?;
    Command::new(millstream)
        .args(["run", "--restore", "latest", "-D", &format!("parallelism.default={parallelism}")])
        .arg(sql)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .map_err(|e| format!("{}: {e}", millstream.display()))
}

/// Number of the newest manifest, 0 if there is none.
fn newest(checkpoints: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(checkpoints) else { return 0 };
    entries
        .flatten()
        .filter_map(|e| e.file_name().to_str()?.strip_suffix(".manifest")?.parse().ok())
        .max()
        .unwrap_or(0)
}

/// How often each id is in the files that a reader sees (hidden ones are not there yet).
fn committed(folder: &Path) -> Result<BTreeMap<u64, u64>, String> {
    let mut ids = BTreeMap::new();
    let Ok(entries) = fs::read_dir(folder.join("out")) else { return Ok(ids) };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        let text = fs::read_to_string(entry.path()).map_err(|e| e.to_string())?;
        for line in text.lines() {
            let id = line
                .strip_prefix("{\"id\":")
                .and_then(|l| l.split(',').next())
                .and_then(|n| n.parse().ok())
                .ok_or_else(|| format!("{}: a damaged row: {line}", entry.path().display()))?;
            *ids.entry(id).or_default() += 1;
        }
    }
    Ok(ids)
}

fn compare(expected: &[u64], found: &BTreeMap<u64, u64>, folder: &Path) -> Result<(), String> {
    let lost = expected.iter().filter(|id| !found.contains_key(id)).count();
    let doubled = found.values().filter(|n| **n > 1).count();
    let foreign = found.len() + lost - expected.len();
    if lost + doubled + foreign > 0 {
        return Err(format!(
            "{lost} rows lost, {doubled} doubled, {foreign} that should not be there; see {}",
            folder.display()
        ));
    }
    Ok(())
}

fn leftovers(out: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(out).map_err(|e| e.to_string())?;
    Ok(entries
        .flatten()
        .map(|e| e.file_name().to_string_lossy().into_owned())
        .filter(|n| n.starts_with('.'))
        .collect())
}
