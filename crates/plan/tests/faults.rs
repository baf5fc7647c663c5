//! Golden texts of faults: a wrong statement, what is said about it, and, where the remedy can be followed by writing something else, the text
//! that comes of following it, which must then be right.
//!
//! `data/faults.txt` holds the cases; with the variable `UPDATE_GOLDEN` set, the messages in it are written anew.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)] // a test fails by panicking

mod cards;

use millstream_plan::statement::check_script;

/// Tables that the cases may use.
const BASE: &str = "
CREATE TABLE orders (id INT, name STRING, price DECIMAL(10, 2), ts TIMESTAMP(3),
  WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ('connector' = 'datagen');
CREATE TABLE alerts (id INT, name STRING) WITH ('connector' = 'blackhole');
CREATE TABLE events (a INT, b STRING) WITH ('connector' = 'filesystem', 'path' = '/tmp/in', 'format' = 'json');
CREATE VIEW named AS SELECT id, name FROM orders;
";

struct Case {
    name: String,
    sql: String,
    message: String,
    remedy: Option<String>,
}

fn cases(text: &str) -> Vec<Case> {
    text.split("\n=== ")
        .skip(1)
        .map(|part| {
            let (name, rest) = part.split_once('\n').unwrap();
            let (sql, rest) = rest.split_once("\n--- message\n").unwrap();
            let (message, remedy) = match rest.split_once("\n--- remedy\n") {
                Some((m, r)) => (m, Some(r.trim_end().to_string())),
                None => (rest, None),
            };
            Case {
                name: name.trim().to_string(),
                sql: sql.to_string(),
                message: message.trim_end().to_string(),
                remedy,
            }
        })
        .collect()
}

fn check(sql: &str) -> String {
    let mut state = cards::session();
    let base = check_script(&mut state, BASE);
    assert!(base.faults.is_empty(), "{:?}", base.faults);
    let checked = check_script(&mut state, sql);
    let all = checked.faults.iter().chain(&checked.warnings);
    all.map(|f| f.render("job.sql", sql)).collect::<String>().trim_end().to_string()
}

#[test]
fn wrong_statements_are_explained() {
    explain_faults("faults.txt");
}

#[test]
fn wrong_queries_are_explained() {
    explain_faults("query-faults.txt");
}

fn explain_faults(file: &str) {
    let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap();
    let mut written = text.split("\n=== ").next().unwrap().to_string();
    let mut differences = Vec::new();
    for case in cases(&text) {
        let message = check(&case.sql);
        written.push_str(&format!("\n=== {}\n{}\n--- message\n{message}\n", case.name, case.sql));
        if message != case.message {
            differences.push(format!("{}: expected\n{}\nbut it is\n{message}\n", case.name, case.message));
        }
        if message.is_empty() {
            differences.push(format!("{}: nothing is wrong with it", case.name));
        }
        if let Some(remedy) = &case.remedy {
            written.push_str(&format!("--- remedy\n{remedy}\n"));
            let left = check(remedy);
            if !left.is_empty() {
                differences.push(format!("{}: following the remedy gives\n{left}\n", case.name));
            }
        }
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(path, written).unwrap();
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
