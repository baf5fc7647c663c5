//! Planning thousands of rules: the time grows with the rules, not with their square, and a condition of thousands of terms needs no more
//! stack than a small one.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a test fails by panicking

mod cards;

use std::fmt::Write;

use millstream_plan::JobPlan;
use millstream_plan::statement::{Planned, merge_jobs};

const TABLES: &str = "CREATE TABLE events (id BIGINT, host STRING, cmdline STRING, image STRING, port INT) WITH ('connector' = 'datagen');
     CREATE TABLE alerts (rule STRING, host STRING) WITH ('connector' = 'blackhole');\n";

/// Plans a text's INSERTs as one job.
fn plan(text: &str) -> JobPlan {
    let mut state = cards::session();
    let (statements, faults) = millstream_sql::parse_script(text);
    assert!(faults.is_empty(), "{faults:?}");
    let mut inserts = Vec::new();
    for statement in &statements {
        match state.execute(statement, text) {
            Ok(Planned::Insert(plan)) => inserts.push(*plan),
            Ok(_) => {}
            Err(fault) => panic!("{}", fault.render("test", text)),
        }
    }
    merge_jobs(inserts)
}

/// Rules on one source, each with texts of its own.
fn on_one_source(rules: usize) -> String {
    let mut text = TABLES.to_string();
    for i in 0..rules {
        writeln!(
            text,
            "INSERT INTO alerts SELECT 'r{i}', host FROM events WHERE LOWER(cmdline) LIKE '%word{i}%' AND (port IN ({i}, 22) OR (image LIKE '%{i}.exe') IS NOT TRUE);"
        )
        .unwrap();
    }
    text
}

/// Rules that each have a source and a sink of their own.
fn on_own_sources(rules: usize) -> String {
    let mut text = String::new();
    for i in 0..rules {
        writeln!(
            text,
            "CREATE TABLE e{i} (id BIGINT, host STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '{i}');
             CREATE TABLE a{i} (host STRING) WITH ('connector' = 'blackhole');
             INSERT INTO a{i} SELECT host FROM e{i} WHERE id > {i};"
        )
        .unwrap();
    }
    text
}

/// Nanoseconds that this thread has computed, as the system counts them.
fn computed() -> u64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    text.split_whitespace().next().unwrap().parse().unwrap()
}

/// The least of three measurements: what else the machine does only adds.
fn cost(text: &str) -> u64 {
    let once = || {
        let before = computed();
        plan(text);
        computed() - before
    };
    (0..3).map(|_| once()).min().unwrap()
}

#[test]
#[cfg(target_os = "linux")]
fn four_times_the_rules_cost_about_four_times_as_much() {
    for (name, rules) in
        [("one source", on_one_source as fn(usize) -> String), ("own sources", on_own_sources)]
    {
        let (few, many) = (cost(&rules(250)), cost(&rules(1000)));
        let ratio = many as f64 / few as f64;
        // A square would be 16.
        assert!(ratio < 7.0, "{name}: {few} ns for 250 rules, {many} ns for 1,000: {ratio:.1} times as much");
    }
}

#[test]
fn rules_on_one_source_are_one_scan_group() {
    let job = plan(&on_one_source(100));
    assert_eq!((job.scan_groups.len(), job.sinks.len()), (1, 100));
    assert_eq!(job.scan_groups[0].scans.len(), 100);
    let job = plan(&on_own_sources(20));
    assert_eq!((job.scan_groups.len(), job.sinks.len()), (20, 20));
}

#[test]
fn a_condition_of_thousands_of_terms_is_planned_on_a_small_stack() {
    let mut condition = "port = 1 AND (".to_string();
    for i in 0..4433 {
        let shape = ["LIKE '%", "LIKE '", "= '"][i % 3];
        let close = if i % 3 == 2 { "" } else { "%" };
        write!(condition, "LOWER(cmdline) {shape}a text of some length that number {i} is about{close}' OR ")
            .unwrap();
        if i % 10 == 0 {
            write!(
                condition,
                "((image LIKE '%{i}' OR image LIKE '{i}%') IS NOT TRUE AND host <> 'h{i}') OR "
            )
            .unwrap();
        }
    }
    condition.push_str("FALSE)");
    assert!(condition.len() > 348_000, "{}", condition.len());
    let text = format!("{TABLES}INSERT INTO alerts SELECT 'r', host FROM events WHERE {condition};");
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let job = thread.spawn(move || plan(&text)).unwrap().join().unwrap();
    assert_eq!(job.sinks.len(), 1);
}
