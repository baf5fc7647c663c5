//! Texts, outputs, exit codes.

use std::io::Write;
use std::process::Stdio;

use crate::{Dir, Ran};

#[test]
fn select_without_a_table() {
    let ran = Dir::new().run(&["run", "-e", "SELECT 1 AS n, 'a,b' AS s"]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "n,s\n1,\"a,b\"\n"), "{ran:?}");
}

#[test]
fn every_output_format() {
    let dir = Dir::new();
    let sql = "SELECT a, b FROM (VALUES (1, 'x'), (2, CAST(NULL AS STRING))) AS t (a, b)";
    let out = |format: &str| dir.run(&["run", "-e", sql, "--output", format]).out;
    assert_eq!(out("json"), "{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":null}\n");
    assert_eq!(out("changelog"), "+I[1, x]\n+I[2, null]\n");
    assert_eq!(
        out("table"),
        "+---+--------+\n| a | b      |\n+---+--------+\n| 1 | x      |\n| 2 | <NULL> |\n+---+--------+\n"
    );
}

#[test]
fn a_wrong_text_runs_nothing_and_shows_every_place() {
    let dir = Dir::new();
    let sql = dir.sql(
        "job.sql",
        "CREATE TABLE o (a INT) WITH ('connector' = 'filesystem', 'path' = '{dir}/out', 'format' = 'json');\n\
         INSERT INTO o SELECT 1;\nSELEC 1;\nINSERT INTO nope SELECT 1;\n",
    );
    let ran = dir.run(&["run", sql.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("job.sql:3:1") && ran.err.contains("job.sql:4:13"), "{}", ran.err);
    assert!(ran.err.contains("SELEC 1;\n  | ^^^^^"), "{}", ran.err);
    assert!(!dir.path("out").exists());
}

#[test]
fn what_this_version_cannot_run_is_refused_before_it_starts() {
    let ran = Dir::new().run(&["run", "-e", "SELECT COUNT(*) FROM (VALUES (1)) AS t (a)"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("not supported yet"), "{}", ran.err);
}

#[test]
fn check_finds_all_faults_and_prints_json() {
    let dir = Dir::new();
    let sql = dir.sql("a.sql", "SELEC 1; SELECT nope FROM (VALUES (1)) AS t (a);");
    let ran = dir.run(&["check", sql.to_str().unwrap()]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.out.contains("2 faults"), "{}", ran.out);
    let ran = dir.run(&["check", "--json", sql.to_str().unwrap()]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json["faults"].as_array().unwrap().len(), 2);
    assert_eq!(json["faults"][1]["at"]["column"], 17, "{json}");
    let fine = dir.run(&["check", "-e", "SELECT 1"]);
    assert_eq!((fine.code, fine.out.trim()), (Some(0), "no faults"));
}

#[test]
fn explain_names_what_is_shared() {
    let dir = Dir::new();
    let sql = dir.sql(
        "job.sql",
        "CREATE TABLE e (a INT, b STRING) WITH ('connector' = 'filesystem', 'path' = '{dir}/e', 'format' = 'json');\n\
         CREATE TABLE x (a INT) WITH ('connector' = 'blackhole');\n\
         CREATE TABLE y (b STRING) WITH ('connector' = 'blackhole');\n\
         INSERT INTO x SELECT a FROM e WHERE a > 1;\nINSERT INTO y SELECT b FROM e WHERE b LIKE 'x%';\n",
    );
    let ran = dir.run(&["explain", sql.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("Scan") && ran.out.contains("Sink"), "{}", ran.out);
    let ran = dir.run(&["explain", "--json", sql.to_str().unwrap()]);
    let json: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(json[0]["sources"].as_array().unwrap().len(), 1, "{json}");
}

#[test]
fn sql_from_standard_input() {
    let dir = Dir::new();
    let mut child = dir.command(&["run", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"SELECT 7 AS n").unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "n\n7\n"));
}

#[test]
fn a_reader_that_goes_away_is_no_failure() {
    let dir = Dir::new();
    let sql = "CREATE TABLE g (n BIGINT) WITH ('connector' = 'datagen', 'fields.n.kind' = 'sequence', 'fields.n.start' = '1', \
               'fields.n.end' = '1000000', 'rows-per-second' = '1000000'); SELECT n FROM g";
    let mut child =
        dir.command(&["run", "-e", sql]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let ran = Ran::of(child.wait_with_output().unwrap());
    assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{ran:?}");
}

#[test]
fn options_come_from_the_environment_and_the_command_line() {
    let dir = Dir::new();
    dir.write("in.jsonl", "{\"a\": 1}\n");
    let sql = "CREATE TABLE e (a INT) WITH ('connector' = 'filesystem', 'path' = '${WHERE}/in.jsonl', 'format' = 'json'); SELECT a FROM e";
    let output = dir.command(&["run", "-e", sql]).env("WHERE", &dir.0).output().unwrap();
    assert_eq!(Ran::of(output).out, "a\n1\n");
    let ran = dir.run(&["run", "-e", sql]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("WHERE"), "{}", ran.err);
    let zone = dir.run(&[
        "run",
        "-D",
        "table.local-time-zone=Asia/Shanghai",
        "-e",
        "SELECT CAST(TO_TIMESTAMP_LTZ(0, 3) AS STRING) AS t",
    ]);
    assert_eq!(zone.out, "t\n\"1970-01-01 08:00:00.000\"\n", "{zone:?}");
    // None is set: the machine's.
    let sql = "SELECT CAST(TO_TIMESTAMP_LTZ(0, 3) AS STRING) AS t";
    for (tz, time) in [("Asia/Tokyo", "09:00"), (":Asia/Shanghai", "08:00"), ("no such zone", "00:00")] {
        let output = dir.command(&["run", "-e", sql]).env("TZ", tz).output().unwrap();
        assert_eq!(Ran::of(output).out, format!("t\n\"1970-01-01 {time}:00.000\"\n"), "{tz}");
    }
}

#[test]
fn functions_are_described() {
    let dir = Dir::new();
    assert!(dir.run(&["functions"]).out.lines().any(|l| l == "ABS"));
    assert!(dir.run(&["functions", "abs"]).out.contains("### ABS"));
    let ran = dir.run(&["functions", "ABSS"]);
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("did you mean ABS?"), "{}", ran.err);
}

#[test]
fn check_sees_what_run_would_refuse() {
    let dir = Dir::new();
    let insert = "CREATE TABLE p (a INT) WITH ('connector' = 'print'); INSERT INTO p VALUES (1)";
    for (options, text, expected) in [
        (&["-D", "execution.checkpointing.interval=1 s"][..], insert, "execution.checkpointing.dir"),
        (
            &["-D", "execution.checkpointing.dir=s3://a/b"],
            insert,
            "not supported yet: checkpoints in 's3://'",
        ),
        (&["-D", "execution.checkpointing.num-retained=0"], insert, "'1' or more"),
        (&[], "CREATE TABLE p (a INT) WITH ('connector' = 'print'); TRUNCATE TABLE p", "TRUNCATE TABLE"),
    ] {
        for command in ["check", "run"] {
            let ran = dir.run(&[&[command, "-e", text], options].concat());
            assert_eq!(ran.code, Some(2), "{ran:?}");
            assert!(format!("{}{}", ran.out, ran.err).contains(expected), "{ran:?}");
        }
    }
}

#[test]
fn a_warning_is_said_once() {
    let dir = Dir::new();
    let ran = dir.run(&["run", "-D", "a.b=c", "-e", "SELECT 1"]);
    assert_eq!(ran.err.matches("is not a known option").count(), 1, "{ran:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn standard_output_that_takes_nothing_is_a_failure_without_panic() {
    let dir = Dir::new();
    for arguments in [
        &["check", "-e", "SELECT 1"][..],
        &["explain", "-e", "SELECT 1"],
        &["functions"],
        &["run", "-e", "SELECT 1"],
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let ran = crate::Ran::of(dir.command(arguments).stdout(full).output().unwrap());
        assert_eq!(ran.code, Some(1), "{ran:?}");
        assert!(ran.err.contains("No space left on device") && !ran.err.contains("panicked"), "{ran:?}");
    }
}

#[test]
fn an_empty_result_shows_its_columns() {
    let dir = Dir::new();
    dir.write("in/a.csv", "1\n");
    let sql = "CREATE TABLE e (n INT) WITH ('connector' = 'filesystem', 'path' = 'in', 'format' = 'csv'); \
               SELECT n FROM e WHERE n > 1";
    let out = |format: &str| dir.run(&["run", "-e", sql, "--output", format]).out;
    assert_eq!(out("csv"), "n\n");
    assert_eq!(out("table"), "+---+\n| n |\n+---+\n");
    assert_eq!(out("json"), "");
    assert_eq!(out("changelog"), "");
}

#[test]
fn explain_names_the_file_and_the_line_of_a_fault() {
    let dir = Dir::new();
    dir.write("a.sql", "SELECT 1;\nSELECT 2;\n");
    dir.write("b.sql", "SELECT 3;\n\nSELECT x FROM nope;\n");
    let ran = dir.run(&["explain", "a.sql", "b.sql"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("b.sql:3:15"), "{}", ran.err);
}
