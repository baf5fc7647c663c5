//! Bad input ends in a clear fault and the right exit code; what was committed stays.

use std::process::Command;

use crate::{Dir, Ran};

fn select(dir: &Dir, path: &str, more: &str) -> Ran {
    let sql = format!(
        "CREATE TABLE e (id BIGINT, s STRING) WITH ('connector' = 'filesystem', 'path' = '{}/{path}', 'format' = 'json'{more}); \
         SELECT id, s FROM e",
        dir.0.display()
    );
    dir.run(&["run", "-e", &sql, "-o", "json"])
}

#[test]
fn a_missing_file_suggests_the_nearest() {
    let dir = Dir::new();
    dir.write("events.jsonl", "");
    let ran = select(&dir, "event.jsonl", "");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("event.jsonl") && ran.err.contains("did you mean"), "{}", ran.err);
}

#[test]
fn a_bad_value_names_file_line_and_field() {
    let dir = Dir::new();
    dir.write("e.jsonl", "{\"id\":1}\n{\"id\":\"x\"}\n");
    let ran = select(&dir, "e.jsonl", "");
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.err.contains("e.jsonl, line 2") && ran.err.contains("field 'id'") && ran.err.contains("BIGINT"),
        "{}",
        ran.err
    );
    let ran = select(&dir, "e.jsonl", ", 'json.ignore-parse-errors' = 'true'");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "{\"id\":1,\"s\":null}\n{\"id\":null,\"s\":null}\n"));
    let ran = select(&dir, "e.jsonl", ", 'bad-records' = 'skip'");
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "{\"id\":1,\"s\":null}\n"));
}

#[test]
fn a_line_that_is_cut_off_and_bytes_that_are_no_text() {
    let dir = Dir::new();
    dir.write("cut.jsonl", "{\"id\":1}\n{\"id\":2");
    let ran = select(&dir, "cut.jsonl", "");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("line 2"), "{}", ran.err);
    dir.write("bytes.jsonl", b"{\"id\":1,\"s\":\"\xff\xfe\"}\n");
    let ran = select(&dir, "bytes.jsonl", "");
    assert_eq!(ran.code, Some(1));
    assert!(ran.err.contains("UTF-8"), "{}", ran.err);
}

#[test]
fn a_line_of_fifty_megabytes() {
    let dir = Dir::new();
    let long = "x".repeat(50 << 20);
    dir.write("long.jsonl", format!("{{\"id\":1,\"s\":\"{long}\"}}\n{{\"id\":2,\"s\":\"y\"}}\n"));
    let sql = format!(
        "CREATE TABLE e (id BIGINT, s STRING) WITH ('connector' = 'filesystem', 'path' = '{}/long.jsonl', 'format' = 'json'); \
         SELECT id, CHAR_LENGTH(s) AS n FROM e",
        dir.0.display()
    );
    let ran = dir.run(&["run", "-e", &sql]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "id,n\n1,52428800\n2,1\n"), "{}", ran.err);
    let capped = select(&dir, "long.jsonl", ", 'source.max-record-size' = '1 mb'");
    assert_eq!(capped.code, Some(1));
    assert!(capped.err.contains("source.max-record-size"), "{}", capped.err);
}

#[test]
fn a_full_disk_loses_nothing_that_was_committed() {
    let dir = Dir::new();
    let rows: String =
        (0..20_000).map(|i| format!("{{\"id\":{i},\"s\":\"{}\"}}\n", "z".repeat(100))).collect();
    dir.write("in.jsonl", rows);
    dir.write("out/part-old", "{\"id\":0}\n");
    let sql = dir.sql(
        "job.sql",
        "CREATE TABLE e (id BIGINT, s STRING) WITH ('connector' = 'filesystem', 'path' = '{dir}/in.jsonl', 'format' = 'json');\n\
         CREATE TABLE o (id BIGINT, s STRING) WITH ('connector' = 'filesystem', 'path' = '{dir}/out', 'format' = 'json');\n\
         INSERT INTO o SELECT id, s FROM e;\n",
    );
    // A limit on the size of files stands in for a full disk: the same write fails the same way.
    let output = Command::new("bash")
        .arg("-c")
        .arg(format!(
            "trap '' XFSZ; ulimit -f 100; exec {} run {}",
            env!("CARGO_BIN_EXE_millstream"),
            sql.display()
        ))
        .output()
        .unwrap();
    let ran = Ran::of(output);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("out") && ran.err.contains("File too large"), "{}", ran.err);
    assert_eq!(dir.lines("out"), ["{\"id\":0}"]);
    let left: Vec<_> = std::fs::read_dir(dir.path("out")).unwrap().flatten().map(|e| e.file_name()).collect();
    assert_eq!(left.len(), 1, "temporary files are removed: {left:?}");
}

#[test]
fn a_directory_that_may_not_be_read() {
    let dir = Dir::new();
    dir.write("closed/e.jsonl", "{\"id\":1}\n");
    std::fs::set_permissions(dir.path("closed"), std::os::unix::fs::PermissionsExt::from_mode(0o000))
        .unwrap();
    std::fs::set_permissions(&dir.0, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let sql = format!(
        "CREATE TABLE e (id BIGINT) WITH ('connector' = 'filesystem', 'path' = '{}/closed', 'format' = 'json'); SELECT id FROM e",
        dir.0.display()
    );
    // Root may read everything, so the command runs as nobody there; it is copied to where nobody may run it.
    let root = std::fs::metadata("/proc/self").is_ok_and(|m| std::os::unix::fs::MetadataExt::uid(&m) == 0);
    let program = dir.path("millstream");
    std::fs::copy(env!("CARGO_BIN_EXE_millstream"), &program).unwrap();
    let mut command = if root {
        let mut c = Command::new("setpriv");
        c.args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program);
        c
    } else {
        Command::new(&program)
    };
    let ran = Ran::of(command.args(["run", "-e", &sql]).current_dir("/").output().unwrap());
    std::fs::set_permissions(dir.path("closed"), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .unwrap();
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("closed") && ran.err.contains("Permission denied"), "{}", ran.err);
}

#[test]
fn a_sink_that_is_read_and_a_source_that_is_written() {
    let dir = Dir::new();
    let ran =
        dir.run(&["run", "-e", "CREATE TABLE b (a INT) WITH ('connector' = 'blackhole'); SELECT a FROM b"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    let ran = dir.run(&[
        "run",
        "-e",
        "CREATE TABLE g (a INT) WITH ('connector' = 'datagen'); INSERT INTO g SELECT 1",
    ]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
}
