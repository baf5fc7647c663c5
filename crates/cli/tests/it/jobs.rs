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
