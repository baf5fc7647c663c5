//! Ctrl-C.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Dir, Ran};

pub fn signal(pid: u32, name: &str) {
    assert!(Command::new("kill").args([&format!("-{name}"), &pid.to_string()]).status().unwrap().success());
}

#[allow(clippy::disallowed_methods)] // a test of a real process waits for real time
pub fn wait_until(what: &str, done: impl Fn() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(30), "{what} did not happen");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// An endless job that numbers its rows.
fn endless(dir: &Dir, checkpoints: bool) -> std::path::PathBuf {
    let set = "SET 'execution.checkpointing.dir' = '{dir}/cp';\nSET 'execution.checkpointing.interval' = '100 ms';\n";
    dir.sql(
        "endless.sql",
        &format!(
            "{}CREATE TABLE g (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '1000', 'fields.n.kind' = 'sequence', \
             'fields.n.start' = '0', 'fields.n.end' = '100000000');\n\
             CREATE TABLE o (n BIGINT) WITH ('connector' = 'filesystem', 'path' = '{{dir}}/out', 'format' = 'csv');\n\
             INSERT INTO o SELECT n FROM g;\n",
            if checkpoints { set } else { "" }
        ),
    )
}

/// The numbers in the output are 0, 1, 2, … without a gap or a repetition.
fn numbers(dir: &Dir) -> usize {
    let mut found: Vec<u64> = dir.lines("out").iter().map(|l| l.parse().unwrap()).collect();
    found.sort_unstable();
    for (i, n) in found.iter().enumerate() {
        assert_eq!(i as u64, *n, "lost or doubled rows");
    }
    found.len()
}

#[test]
fn the_first_one_commits_and_a_restored_job_goes_on() {
    let dir = Dir::new();
    let sql = endless(&dir, true);
    for round in 0..2 {
        let before = numbers(&dir);
        let child = dir
            .command(&["run", "--restore", "latest", sql.to_str().unwrap()])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait_until("a commit", || dir.lines("out").len() > before + 10);
        signal(child.id(), "INT");
        let ran = Ran::of(child.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(130), "round {round}: {ran:?}");
        assert!(numbers(&dir) > before, "round {round}");
    }
}

#[test]
fn without_checkpoints_what_was_read_is_committed() {
    let dir = Dir::new();
    let sql = endless(&dir, false);
    let child = dir.command(&["run", sql.to_str().unwrap()]).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("output", || dir.path("out").exists());
    std::thread::sleep(Duration::from_millis(300));
    signal(child.id(), "TERM");
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert!(numbers(&dir) > 10);
}

#[test]
fn a_select_ends_at_once() {
    let dir = Dir::new();
    let sql =
        "CREATE TABLE g (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '10'); SELECT n FROM g";
    let child =
        dir.command(&["run", "-e", sql]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(300));
    signal(child.id(), "INT");
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert!(ran.out.lines().count() > 1, "{ran:?}");
}

#[test]
fn rows_without_a_pause_do_not_hide_it() {
    let dir = Dir::new();
    let sql = "CREATE TABLE g (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '100000000'); SELECT n FROM g";
    // One signal in two was lost.
    for round in 0..8 {
        let mut child = dir.command(&["run", "-e", sql]).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(200));
        signal(child.id(), "INT");
        let mut ended = None;
        for _ in 0..1000 {
            ended = child.try_wait().unwrap();
            if ended.is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = child.kill();
        assert_eq!(ended.and_then(|s| s.code()), Some(130), "round {round}");
    }
}

#[test]
fn a_process_that_was_asleep_while_a_successor_took_over_commits_nothing() {
    let dir = Dir::new();
    let sql = endless(&dir, true);
    let start = || {
        dir.command(&["run", "--restore", "latest", sql.to_str().unwrap()])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let first = start();
    wait_until("a commit", || dir.lines("out").len() > 10);
    signal(first.id(), "STOP");
    let before = numbers(&dir);
    let second = start();
    // So far that the numbers next to the first one's are gone again.
    wait_until("the successor's commits", || dir.lines("out").len() > before + 500);
    signal(first.id(), "CONT");
    let ran = Ran::of(first.wait_with_output().unwrap());
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("another run of this job has started"), "{ran:?}");
    signal(second.id(), "INT");
    assert_eq!(Ran::of(second.wait_with_output().unwrap()).code, Some(130));
    numbers(&dir);
}
