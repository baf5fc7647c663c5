//! `explain --rules` and `explain-event`.

use crate::Dir;

const TABLES: &str = "CREATE TABLE events (cmdline STRING, image STRING, port STRING) \
    WITH ('connector' = 'filesystem', 'path' = 'nowhere', 'format' = 'json');\n\
    CREATE TABLE alerts (cmdline STRING) WITH ('connector' = 'blackhole');\n\
    CREATE TABLE others (cmdline STRING) WITH ('connector' = 'blackhole');\n";

fn job(dir: &Dir) {
    let rules = "INSERT INTO alerts SELECT cmdline FROM events WHERE LOWER(cmdline) LIKE '%whoami%' AND NOT (image LIKE '%\\cmd.exe');\n\
        INSERT INTO others SELECT cmdline FROM events WHERE CAST(port AS INT) > 1024;\n\
        INSERT INTO alerts SELECT cmdline FROM events WHERE image IS NULL;\n";
    dir.write("job.sql", format!("{TABLES}{rules}"));
}

#[test]
fn rules_are_told_by_name_over_a_sample_behind_the_files() {
    let dir = Dir::new();
    job(&dir);
    dir.write(
        "sample.jsonl",
        "{\"cmdline\":\"WHOAMI /all\",\"image\":\"a.exe\",\"port\":\"1\"}\n{\"cmdline\":\"dir\",\"port\":\"2000\"}\n",
    );
    let ran = dir.run(&["explain", "--rules", "job.sql", "sample.jsonl"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let hits = |name: &str| {
        let line = ran.out.lines().find(|l| l.split_whitespace().next() == Some(name)).unwrap();
        line.split_whitespace().nth(2).unwrap().to_string()
    };
    assert_eq!((hits("alerts#1"), hits("alerts#2"), hits("others")), ("1".into(), "1".into(), "1".into()));
    assert!(ran.out.contains("2 records"), "{}", ran.out);
    assert_eq!(dir.run(&["explain", "--rules", "--sample", "sample.jsonl", "job.sql"]).code, Some(0));
}

#[test]
fn an_event_says_which_part_it_does_not_meet() {
    let dir = Dir::new();
    job(&dir);
    // As a person writes it: over several lines.
    dir.write(
        "event.json",
        "{\n  \"cmdline\": \"WhoAmI\",\n  \"image\": \"C:\\\\x\\\\cmd.exe\",\n  \"port\": \"x\"\n}\n",
    );
    let ran = dir.run(&["explain-event", "--rule", "alerts#1", "job.sql", "event.json"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(
        lines,
        [
            "alerts#1: FALSE",
            "  FALSE AND",
            "  TRUE    LOWER(cmdline) LIKE '%whoami%'    where cmdline is 'WhoAmI'",
            "> FALSE   NOT",
            "  TRUE      image LIKE '%\\cmd.exe'    where image is 'C:\\x\\cmd.exe'",
        ]
    );
    let ran = dir.run(&["explain-event", "--rule", "others", "job.sql", "event.json"]);
    assert!(ran.out.starts_with("others: fails\n> fails CAST(port AS INT) > 1024"), "{ran:?}");
    assert!(ran.out.contains("where port is 'x'"), "{ran:?}");
    // One event a line.
    dir.write("events.jsonl", "{\"image\":null}\n\n{\"image\":\"a\"}\n");
    let ran = dir.run(&["explain-event", "--rule", "alerts#2", "job.sql", "events.jsonl"]);
    assert_eq!(
        ran.out,
        "alerts#2: TRUE\n  TRUE  image IS NULL    where image is NULL\n\nalerts#2: FALSE\n> FALSE image IS NULL    where image is 'a'\n"
    );
}

#[test]
fn what_cannot_be_explained_is_said() {
    let dir = Dir::new();
    job(&dir);
    dir.write("event.json", "{\"cmdline\":1");
    let ran = dir.run(&["explain-event", "--rule", "alerts", "job.sql", "event.json"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.err.contains("the rules are: alerts#1, others, alerts#2"), "{ran:?}");
    let ran = dir.run(&["explain-event", "--rule", "others", "job.sql", "event.json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("event 1"), "{ran:?}");
    let ran = dir.run(&["explain-event", "--rule", "others", "job.sql", "none.json"]);
    assert!(ran.err.contains("none.json cannot be read"), "{ran:?}");
}
