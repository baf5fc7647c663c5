//! Jobs over files that somebody appends to.

use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::time::Duration;

use millstream::types::Value;
use millstream::{Completion, JobHandle, Restore, Session, SharedScans, StopMode};
use millstream_connectors::stepping::SteppingHandle;

use crate::folder::Folder;
use crate::planned;

impl Folder {
    fn append(&self, file: &str, numbers: std::ops::Range<u64>) {
        let mut out =
            OpenOptions::new().append(true).create(true).open(self.0.join("logs").join(file)).unwrap();
        for n in numbers {
            writeln!(out, "{{\"n\":{n}}}").unwrap();
        }
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.0.join("logs").join(from), self.0.join("logs").join(to)).unwrap();
    }

    /// How often each number stands in the files that a reader sees.
    fn committed(&self) -> BTreeMap<u64, u64> {
        let mut numbers = BTreeMap::new();
        let Ok(entries) = fs::read_dir(self.0.join("out")) else { return numbers };
        for entry in entries.flatten().filter(|e| !e.file_name().to_string_lossy().starts_with('.')) {
            for line in fs::read_to_string(entry.path()).unwrap().lines() {
                let digits: String = line.chars().filter(char::is_ascii_digit).collect();
                *numbers.entry(digits.parse().unwrap()).or_default() += 1;
            }
        }
        numbers
    }

    fn job(&self, parallelism: u64) -> String {
        let at = self.0.display();
        format!(
            "SET 'parallelism.default' = '{parallelism}';\n\
             SET 'execution.checkpointing.dir' = '{at}/checkpoints';\n\
             SET 'execution.checkpointing.interval' = '10 ms';\n\
             CREATE TABLE events (n BIGINT) WITH ('connector' = 'filesystem', 'path' = '{at}/logs/*.log', 'source.follow' = 'true',\n\
             'source.monitor-interval' = '20 ms', 'source.follow.rotate-wait' = '200 ms', 'format' = 'json');\n\
             CREATE TABLE kept (n BIGINT) WITH ('connector' = 'filesystem', 'path' = '{at}/out', 'format' = 'json');\n\
             INSERT INTO kept SELECT n FROM events;\n"
        )
    }
}

async fn stopped(job: JobHandle, mode: StopMode) {
    job.stopper()(mode);
    let report = tokio::time::timeout(Duration::from_secs(20), job.wait()).await.unwrap();
    assert!(matches!(report.completion, Completion::Stopped), "{:?}", report.completion);
}

async fn until(what: &str, reached: impl Fn() -> bool) {
    for _ in 0..4000 {
        if reached() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("waited for {what}");
}

#[tokio::test]
async fn nothing_is_lost_or_doubled_over_rotations_and_restarts() {
    let folder = Folder::new("follow-restore", "logs");
    folder.append("a.log", 0..100);
    folder.append("b.log", 100..200);
    let mut count = 200;
    for (start, parallelism) in [1, 2, 1, 3, 2, 1].into_iter().enumerate() {
        let restore = if start == 0 { Restore::None } else { Restore::Latest };
        let mut session = Session::builder().restore(restore).build();
        let plan = planned(&mut session, &folder.job(parallelism)).await;
        let job = session.start(plan).await.unwrap();
        until("what was appended before", || folder.committed().len() as u64 == count).await;
        // While it runs, and behind its end: appended, renamed, appended under both names.
        folder.append("a.log", count..count + 10);
        folder.rename("a.log", &format!("a.{start}.old"));
        folder.append(&format!("a.{start}.old"), count + 10..count + 20);
        folder.append("a.log", count + 20..count + 30);
        count += 30;
        if start % 2 == 0 {
            until("what was appended meanwhile", || folder.committed().len() as u64 == count).await;
        }
        stopped(job, if start % 3 == 0 { StopMode::Drain } else { StopMode::Now }).await;
        folder.append("b.log", count..count + 10);
        folder.rename("b.log", &format!("b.{start}.old"));
        folder.append("b.log", count + 10..count + 20);
        count += 20;
    }
    let mut session = Session::builder().restore(Restore::Latest).build();
    let plan = planned(&mut session, &folder.job(2)).await;
    let job = session.start(plan).await.unwrap();
    until("all", || folder.committed().len() as u64 == count).await;
    stopped(job, StopMode::Drain).await;
    let numbers = folder.committed();
    assert_eq!(numbers.len() as u64, count);
    assert!(numbers.values().all(|n| *n == 1), "nothing twice");
}

fn written(handle: &SteppingHandle, table: &str) -> Vec<i64> {
    let number = |row: Vec<Value>| row[0].as_int().unwrap();
    let rows = handle.rows(&format!("default_catalog.default_database.{table}"));
    rows.into_iter().map(|(_, row)| number(row)).collect()
}

#[tokio::test]
async fn jobs_share_the_reader_of_a_followed_file() {
    let folder = Folder::new("follow-shared", "logs");
    folder.append("a.log", 0..1000);
    let handle = SteppingHandle::new();
    let scans = SharedScans::default();
    let at = folder.0.display().to_string();
    let start = async |sink: &str, condition: &str| {
        let [raw, rows] = handle.connectors();
        let mut session = Session::builder().connector(raw).connector(rows).scans(scans.clone()).build();
        let text = format!(
            "CREATE TABLE events (n BIGINT) WITH ('connector' = 'filesystem', 'path' = '{at}/logs/*.log', 'source.follow' = 'true',\n\
             'source.monitor-interval' = '20 ms', 'source.follow.rotate-wait' = '100 ms', 'format' = 'json');\n\
             CREATE TABLE {sink} (n BIGINT) WITH ('connector' = 'stepping-rows');\n\
             INSERT INTO {sink} SELECT n FROM events WHERE {condition};\n"
        );
        let plan = planned(&mut session, &text).await;
        session.start(plan).await.unwrap()
    };
    // Handles of the file that this process has open.
    let readers = |name: &str| {
        let path = format!("{at}/logs/{name}");
        let open = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
        open.filter(|fd| fs::read_link(fd.path()).is_ok_and(|to| to.to_string_lossy() == path)).count()
    };
    let linux = cfg!(target_os = "linux");
    let a = start("a", "n >= 0").await;
    until("the first job", || written(&handle, "a").len() == 1000).await;
    let b = start("b", "MOD(n, 2) = 0").await;
    until("the second job", || written(&handle, "b").len() == 500).await;
    until("one reader", || !linux || readers("a.log") == 1).await;
    folder.append("a.log", 1000..1100);
    folder.rename("a.log", "a.old");
    folder.append("a.log", 1100..1200);
    until("both jobs", || written(&handle, "a").len() == 1200 && written(&handle, "b").len() == 600).await;
    until("the renamed file's end", || !linux || readers("a.old") == 0).await;
    let c = start("c", "n >= 1150").await;
    until("the third job", || written(&handle, "c").len() == 50).await;
    until("one reader again", || !linux || readers("a.log") == 1).await;
    folder.append("a.log", 1200..1300);
    until("all jobs", || {
        written(&handle, "a").len() == 1300
            && written(&handle, "b").len() == 650
            && written(&handle, "c").len() == 150
    })
    .await;
    for job in [a, b, c] {
        stopped(job, StopMode::Now).await;
    }
    let mut all = written(&handle, "a");
    all.sort_unstable();
    assert_eq!(all, (0..1300).collect::<Vec<_>>());
}

#[tokio::test]
async fn the_manuals_example() {
    let page =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/following-logs.md")).unwrap();
    let sql = page.split("```sql\n").nth(1).unwrap().split("```").next().unwrap();
    let folder = Folder::new("follow-manual", "logs");
    let log = folder.0.join("logs/auth.log");
    fs::write(&log, "useradd[1]: new user before the start\n").unwrap();
    let at = folder.0.display().to_string();
    let sql = sql
        .replace("/var/lib/millstream", &at)
        .replace("/var/log/app", &format!("{at}/logs"))
        .replace("'print'", "'stepping-rows'");
    let handle = SteppingHandle::new();
    let [raw, rows] = handle.connectors();
    let mut session = Session::builder().connector(raw).connector(rows).build();
    let plan = planned(&mut session, &sql).await;
    let job = session.start(plan).await.unwrap();
    let table = "default_catalog.default_database.alerts";
    tokio::time::sleep(Duration::from_millis(300)).await;
    let lines = "useradd[17]: new user: name=x\nnothing\nbob : user NOT in sudoers\nsudo: bob : user NOT in sudoers\n";
    OpenOptions::new().append(true).open(&log).unwrap().write_all(lines.as_bytes()).unwrap();
    until("two alerts", || handle.rows(table).len() >= 2).await;
    stopped(job, StopMode::Drain).await;
    let mut rules: Vec<String> = handle
        .rows(table)
        .into_iter()
        .map(|(_, row)| format!("{} {}", row[0].as_str().unwrap(), row[1].as_str().unwrap()))
        .collect();
    rules.sort();
    assert_eq!(rules, ["new account auth.log", "sudo refused auth.log"]);
}
