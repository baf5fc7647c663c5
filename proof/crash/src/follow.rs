//! Logs that are written and rotated while the job that follows them is killed: every complete line must come out once.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use millstream_types::{Random, SeededRandom};

use crate::{Arguments, committed, compare, newest, start, write_job};

/// Kills of one job; then another one begins, so that files do not add up.
const KILLS_OF_A_JOB: u64 = 10;
/// Milliseconds that the last run may take to come to the end.
const PATIENCE: u64 = 60_000;

/// Kills jobs until it is enough.
pub fn run(a: &Arguments, random: &SeededRandom) -> Result<(), String> {
    let (mut kills, mut rotations, mut lines) = (0, 0, 0);
    while kills < a.kills {
        let most = (a.kills - kills).min(KILLS_OF_A_JOB);
        let folder = std::env::temp_dir().join(format!(
            "millstream-crash-{}-{}",
            std::process::id(),
            random.next_u64()
        ));
        fs::create_dir_all(folder.join("in")).map_err(|e| e.to_string())?;
        let mut log = Log::new(&folder, random)?;
        round(a, random, most, &folder, &mut log)?;
        kills += most;
        rotations += log.rotations;
        lines += log.written;
        fs::remove_dir_all(&folder).map_err(|e| e.to_string())?;
    }
    println!(
        "{kills} kills over {lines} lines and {rotations} rotations of followed logs: nothing lost, nothing doubled"
    );
    Ok(())
}

fn round(
    a: &Arguments,
    random: &SeededRandom,
    kills: u64,
    folder: &Path,
    log: &mut Log<'_>,
) -> Result<(), String> {
    let sql = write_job(
        folder,
        "",
        ", 'source.follow' = 'true', 'source.monitor-interval' = '20 ms', 'source.follow.rotate-wait' = '200 ms'",
        "SELECT id, host FROM events",
    )?;
    let checkpoints = folder.join("checkpoints/job");
    for _ in 0..kills {
        let before = newest(&checkpoints);
        let mut child = start(&a.millstream, &sql, folder, 1 + random.next_u64() % a.parallelism)?;
        let wanted = before + 1 + random.next_u64() % 6;
        while newest(&checkpoints) < wanted {
            if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
                return Err(format!("the job ended by itself with {status}; see {}", folder.display()));
            }
            log.step()?;
        }
        for _ in 0..random.next_u64() % 30 {
            log.step()?;
        }
        child.kill().map_err(|e| e.to_string())?;
        child.wait().map_err(|e| e.to_string())?;
        // Logs do not wait for whoever reads them.
        for _ in 0..random.next_u64() % 30 {
            log.step()?;
        }
    }
    log.complete()?;
    let mut child = start(&a.millstream, &sql, folder, a.parallelism)?;
    let expected: Vec<u64> = (0..log.written).collect();
    for _ in 0..PATIENCE / 20 {
        std::thread::sleep(Duration::from_millis(20));
        if committed(folder)?.len() >= expected.len() {
            break;
        }
    }
    // Time for what would be doubled.
    std::thread::sleep(Duration::from_millis(200));
    child.kill().map_err(|e| e.to_string())?;
    child.wait().map_err(|e| e.to_string())?;
    compare(&expected, &committed(folder)?, folder)
}

/// A log that is written in pieces that end anywhere, and rotated by renaming.
struct Log<'a> {
    folder: PathBuf,
    random: &'a SeededRandom,
    file: File,
    /// What is left to write of the last line.
    rest: Vec<u8>,
    written: u64,
    rotations: u64,
}

impl<'a> Log<'a> {
    fn new(folder: &Path, random: &'a SeededRandom) -> Result<Self, String> {
        let folder = folder.join("in");
        let file = open(&folder)?;
        Ok(Log { folder, random, file, rest: Vec::new(), written: 0, rotations: 0 })
    }

    /// A millisecond of its life.
    fn step(&mut self) -> Result<(), String> {
        let mut text = std::mem::take(&mut self.rest);
        for _ in 0..self.random.next_u64() % 20 {
            let id = self.written;
            writeln!(text, "{{\"id\":{id},\"host\":\"host-{}\"}}", id % 97).map_err(|e| e.to_string())?;
            self.written += 1;
        }
        let cut = (self.random.next_u64() % (text.len() as u64 + 1)) as usize;
        self.rest = text.split_off(cut);
        self.append(&text)?;
        if self.random.next_u64().is_multiple_of(40) {
            let aside = self.folder.join(format!("app.log.{}", self.rotations));
            fs::rename(self.folder.join("app.log"), aside).map_err(|e| e.to_string())?;
            self.rotations += 1;
            // Whoever writes notices it a little later, and begins the new file with a line.
            self.complete()?;
            self.file = open(&self.folder)?;
        }
        std::thread::sleep(Duration::from_millis(1));
        Ok(())
    }

    /// Completes the last line.
    fn complete(&mut self) -> Result<(), String> {
        let rest = std::mem::take(&mut self.rest);
        self.append(&rest)
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.file.write_all(bytes).map_err(|e| e.to_string())
    }
}

fn open(folder: &Path) -> Result<File, String> {
    OpenOptions::new().create(true).append(true).open(folder.join("app.log")).map_err(|e| e.to_string())
}
