//! Whole jobs over files.

use crate::Dir;

const SOURCE: &str = "CREATE TABLE e (id BIGINT, host STRING, port INT) WITH ('connector' = 'filesystem', 'path' = '{dir}/in', 'format' = 'json');\n";

fn sink(name: &str) -> String {
    format!(
        "CREATE TABLE {name} (id BIGINT, host STRING) WITH ('connector' = 'filesystem', 'path' = '{{dir}}/{name}', 'format' = 'json');\n"
    )
}

#[test]
fn the_inserts_of_all_files_are_one_job_that_reads_its_source_once() {
    let dir = Dir::new();
    dir.write("in/a.jsonl", "{\"id\":1,\"host\":\"a\",\"port\":22}\n{\"id\":2,\"host\":\"b\",\"port\":80}\n");
    dir.write("in/b.jsonl", "{\"id\":3,\"host\":\"c\",\"port\":22}\n");
    let tables = dir.sql("tables.sql", &format!("{SOURCE}{}{}", sink("ssh"), sink("web")));
    let first = dir.sql("first.sql", "INSERT INTO ssh SELECT id, host FROM e WHERE port = 22;");
    let second = dir.sql("second.sql", "INSERT INTO web SELECT id, host FROM e WHERE port = 80;");
    let ran = dir.run(&["run", tables.to_str().unwrap(), first.to_str().unwrap(), second.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.contains("events read      3"), "{}", ran.err);
    assert_eq!(dir.lines("ssh"), ["{\"id\":1,\"host\":\"a\"}", "{\"id\":3,\"host\":\"c\"}"]);
    assert_eq!(dir.lines("web"), ["{\"id\":2,\"host\":\"b\"}"]);
}

#[test]
fn a_statement_set_is_one_job() {
    let dir = Dir::new();
    dir.write("in/a.jsonl", "{\"id\":1,\"host\":\"a\",\"port\":22}\n");
    let set = "EXECUTE STATEMENT SET BEGIN\nINSERT INTO x SELECT id, host FROM e;\nINSERT INTO y SELECT id, UPPER(host) FROM e;\nEND;\n";
    let sql = dir.sql("job.sql", &format!("{SOURCE}{}{}{set}", sink("x"), sink("y")));
    let ran = dir.run(&["run", sql.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.err.contains("events read      1"), "{}", ran.err);
    assert_eq!(dir.lines("y"), ["{\"id\":1,\"host\":\"A\"}"]);
}

#[test]
fn a_finished_job_is_not_run_again_by_restore_and_anew_without() {
    let dir = Dir::new();
    dir.write("in/a.jsonl", "{\"id\":1,\"host\":\"a\",\"port\":22}\n");
    let sql = dir.sql(
        "job.sql",
        &format!(
            "SET 'execution.checkpointing.dir' = '{{dir}}/cp';\n{SOURCE}{}INSERT INTO x SELECT id, host FROM e;\n",
            sink("x")
        ),
    );
    let sql = sql.to_str().unwrap();
    let first = dir.run(&["run", "--restore", "latest", sql]);
    assert_eq!(first.code, Some(0), "{first:?}");
    assert!(first.err.contains("no checkpoint yet"), "{}", first.err);
    let again = dir.run(&["run", "--restore", "latest", sql]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(again.err.contains("has finished"), "{}", again.err);
    assert_eq!(dir.lines("x").len(), 1, "restoring a finished job only commits");
    let anew = dir.run(&["run", sql]);
    assert!(anew.err.contains("beginning anew"), "{}", anew.err);
    assert_eq!(dir.lines("x").len(), 2, "without --restore it is another job");
}

#[test]
fn a_checkpoint_of_another_text_is_refused() {
    let dir = Dir::new();
    dir.write("in/a.jsonl", "{\"id\":1,\"host\":\"a\",\"port\":22}\n");
    dir.write("other/a.jsonl", "{\"id\":1,\"host\":\"a\",\"port\":22}\n");
    let text = |path: &str| {
        let source = SOURCE.replace("{dir}/in", &format!("{{dir}}/{path}"));
        format!(
            "SET 'execution.checkpointing.dir' = '{{dir}}/cp';\n{source}{}INSERT INTO x SELECT id, host FROM e;\n",
            sink("x")
        )
    };
    let sql = dir.sql("job.sql", &text("in"));
    assert_eq!(dir.run(&["run", sql.to_str().unwrap()]).code, Some(0));
    let sql = dir.sql("job.sql", &text("other"));
    let ran = dir.run(&["run", "--restore", "latest", sql.to_str().unwrap()]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("reads a source that the text does not have"), "{}", ran.err);
}

#[test]
fn compressed_and_partitioned_files() {
    let dir = Dir::new();
    dir.write("in/a.jsonl", "{\"id\":1,\"host\":\"a\",\"port\":22}\n{\"id\":2,\"host\":\"b\",\"port\":80}\n");
    let sql = dir.sql(
        "job.sql",
        &format!(
            "{SOURCE}CREATE TABLE p (id BIGINT, port INT) PARTITIONED BY (port) WITH ('connector' = 'filesystem', \
             'path' = '{{dir}}/p', 'format' = 'json', 'sink.compression' = 'gzip');\n\
             INSERT INTO p SELECT id, port FROM e;\n"
        ),
    );
    let ran = dir.run(&["run", sql.to_str().unwrap()]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let read = "CREATE TABLE p (id BIGINT, port INT) PARTITIONED BY (port) WITH ('connector' = 'filesystem', 'path' = '{dir}/p', \
                'format' = 'json'); SELECT port, id FROM p"
        .replace("{dir}", &dir.0.display().to_string());
    let ran = dir.run(&["run", "-e", &read]);
    let mut lines: Vec<&str> = ran.out.lines().skip(1).collect();
    lines.sort_unstable();
    assert_eq!(lines, ["22,1", "80,2"], "{ran:?}");
}

#[test]
fn a_finished_job_says_so_when_the_text_wants_more() {
    let dir = Dir::new();
    dir.write("in/a.jsonl", "{\"id\":1,\"host\":\"a\",\"port\":22}\n");
    let text = |insert: &str| {
        format!(
            "SET 'execution.checkpointing.dir' = '{{dir}}/cp';\n{SOURCE}{}{}{insert}",
            sink("x"),
            sink("y")
        )
    };
    let first = "INSERT INTO x SELECT id, host FROM e;\n";
    let sql = dir.sql("job.sql", &text(first));
    assert_eq!(dir.run(&["run", sql.to_str().unwrap()]).code, Some(0));
    let sql = dir.sql("job.sql", &text(&format!("{first}INSERT INTO y SELECT id, host FROM e;\n")));
    let ran = dir.run(&["run", "--restore", "latest", sql.to_str().unwrap()]);
    assert_eq!(ran.code, Some(1), "y would stay empty without a word: {ran:?}");
    assert!(
        ran.err.contains("'default_catalog.default_database.y', which the job did not write"),
        "{}",
        ran.err
    );
    let anew = dir.run(&["run", sql.to_str().unwrap()]);
    assert_eq!(anew.code, Some(0), "{anew:?}");
    assert_eq!(dir.lines("y").len(), 1);
}

#[test]
fn no_two_starts_have_one_number() {
    let dir = Dir::new();
    dir.write("in/a.jsonl", "{\"id\":1,\"host\":\"a\",\"port\":22}\n");
    let sql = dir.sql(
        "job.sql",
        &format!(
            "SET 'execution.checkpointing.dir' = '{{dir}}/cp';\nSET 'execution.checkpointing.num-retained' = '9';\n\
             {SOURCE}{}INSERT INTO x SELECT id, host FROM e;\n",
            sink("x")
        ),
    );
    // Three starts that go back to the same checkpoint, the one from before anything was read.
    for restore in ["latest", "1", "1"] {
        let ran = dir.run(&["run", "--restore", restore, "--allow-duplicates", sql.to_str().unwrap()]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
    }
    let mut starts: Vec<String> = std::fs::read_dir(dir.path("x"))
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().split('-').nth(2).unwrap().to_string())
        .collect();
    starts.sort();
    starts.dedup();
    assert_eq!(starts.len(), 3, "{starts:?}");
}

#[test]
fn values_of_an_edited_text_are_told_apart() {
    let dir = Dir::new();
    let text = |values: &str| {
        format!(
            "SET 'execution.checkpointing.dir' = '{{dir}}/cp';\nSET 'execution.checkpointing.interval' = '50 ms';\n\
             CREATE TABLE g (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '10');\n\
             CREATE TABLE b (n BIGINT) WITH ('connector' = 'blackhole');\n\
             CREATE TABLE o (n BIGINT) WITH ('connector' = 'filesystem', 'path' = '{{dir}}/out', 'format' = 'csv');\n\
             INSERT INTO b SELECT n FROM g;\n{values}"
        )
    };
    let run = |values: &str, lines: &[&str]| {
        let sql = dir.sql("job.sql", &text(values));
        let child = dir
            .command(&["run", "--restore", "latest", sql.to_str().unwrap()])
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(700));
        crate::signals::signal(child.id(), "INT");
        let ran = crate::Ran::of(child.wait_with_output().unwrap());
        assert_eq!(ran.code, Some(130), "{ran:?}");
        assert_eq!(dir.lines("out"), lines);
    };
    run("INSERT INTO o VALUES (1);\n", &["1"]);
    run("INSERT INTO o VALUES (2);\nINSERT INTO o VALUES (1);\n", &["1", "2"]);
}

#[test]
fn a_sink_leaves_a_job_as_the_remedy_says() {
    let dir = Dir::new();
    let text = |second: &str| {
        format!(
            "SET 'execution.checkpointing.dir' = '{{dir}}/cp';\nSET 'execution.checkpointing.interval' = '50 ms';\n\
             CREATE TABLE g (n BIGINT) WITH ('connector' = 'datagen', 'rows-per-second' = '5000');\n\
             CREATE TABLE a (n BIGINT) WITH ('connector' = 'filesystem', 'path' = '{{dir}}/a', 'format' = 'csv');\n\
             CREATE TABLE b (n BIGINT) WITH ('connector' = 'filesystem', 'path' = '{{dir}}/b', 'format' = 'csv');\n\
             INSERT INTO a SELECT n FROM g;\n{second}"
        )
    };
    let run = |second: &str| {
        let sql = dir.sql("job.sql", &text(second));
        let child = dir
            .command(&["run", "--restore", "latest", sql.to_str().unwrap()])
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(std::time::Duration::from_millis(600));
        // One that has refused is gone already.
        let _ = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).output();
        crate::Ran::of(child.wait_with_output().unwrap())
    };
    assert_eq!(run("INSERT INTO b SELECT n FROM g;").code, Some(130));
    let refused = run("");
    assert!(refused.code == Some(1) && refused.err.contains("WHERE FALSE"), "{refused:?}");
    assert_eq!(run("INSERT INTO b SELECT n FROM g WHERE FALSE;").code, Some(130));
    let gone = run("");
    assert_eq!(gone.code, Some(130), "{gone:?}");
}
