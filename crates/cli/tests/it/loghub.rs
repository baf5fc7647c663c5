//! System logs of eight kinds, read by one grok pattern each: the patterns of `docs/log-parsing.md`, on lines of the same shapes and, when `MILLSTREAM_TEST_DATA`
//! names the folder that holds `loghub`, on the whole files. Lines end with CR LF, as the files' do.

use serde_json::{Value, json};

use crate::Dir;

const PAGE: &str = include_str!("../../../../docs/log-parsing.md");

/// A field, and which lines have it.
type Sometimes = (&'static str, fn(&str) -> bool);
/// A line, and what is read of it.
type Line = (&'static str, fn() -> Value);

/// A kind of log.
struct Log {
    /// The file's name is this and `_2k.log`.
    name: &'static str,
    pattern: &'static str,
    /// The SQL that reads the time.
    happened: &'static str,
    /// Fields of every line.
    always: &'static [&'static str],
    /// Fields of the lines for which a condition holds.
    sometimes: &'static [Sometimes],
    /// Lines and what is read of them.
    lines: &'static [Line],
}

const LOGS: &[Log] = &[
    Log {
        name: "Apache",
        pattern: r"^\[%{HTTPDERROR_DATE:ts}\] \[%{LOGLEVEL:level}\] (?:\[client %{IP:client}\] )?%{GREEDYDATA:message}$",
        happened: "TO_TIMESTAMP(g.ts, 'EEE MMM dd HH:mm:ss yyyy')",
        always: &["ts", "level", "message"],
        sometimes: &[("client", |line| line.contains("[client "))],
        lines: &[
            (
                "[Wed Jun 07 01:02:03 2006] [notice] child 77 is up",
                || json!({"happened": "2006-06-07 01:02:03", "level": "notice", "client": null, "message": "child 77 is up"}),
            ),
            (
                "[Wed Jun 07 23:02:03 2006] [error] [client 10.9.8.7] no such page: /x [y]",
                || json!({"happened": "2006-06-07 23:02:03", "level": "error", "client": "10.9.8.7", "message": "no such page: /x [y]"}),
            ),
        ],
    },
    Log {
        name: "HDFS",
        pattern: r"^(?<ts>\d{6} \d{6}) %{INT:thread:int} %{LOGLEVEL:level} %{JAVACLASS:component}: %{GREEDYDATA:message}$",
        happened: "TO_TIMESTAMP(g.ts, 'yyMMdd HHmmss')",
        always: &["ts", "thread", "level", "component", "message"],
        sometimes: &[],
        lines: &[("090102 030405 17 WARN dfs.Store$Reader: 10.0.0.1:50 sent block b_-7: late", || {
            json!({"happened": "2009-01-02 03:04:05", "thread": 17, "level": "WARN", "component": "dfs.Store$Reader",
                "message": "10.0.0.1:50 sent block b_-7: late"})
        })],
    },
    Log {
        name: "HealthApp",
        pattern: r"^(?<ts>\d{8}-\d{1,2}:\d{1,2}:\d{1,2}):%{INT:millis:int}\|%{WORD:component}\|%{INT:process:int}\|%{GREEDYDATA:message}$",
        happened: "TO_TIMESTAMP(g.ts, 'yyyyMMdd-H:m:s') + g.millis * INTERVAL '0.001' SECOND",
        always: &["ts", "millis", "component", "process", "message"],
        sometimes: &[],
        lines: &[
            (
                "20180203-4:5:6:7|Walk_X|40|steps=5##6",
                || json!({"happened": "2018-02-03 04:05:06.007", "component": "Walk_X", "process": 40, "message": "steps=5##6"}),
            ),
            (
                "20180203-14:15:16:987|Walk_|40| a | b",
                || json!({"happened": "2018-02-03 14:15:16.987", "component": "Walk_", "process": 40, "message": " a | b"}),
            ),
        ],
    },
    Log {
        name: "Linux",
        pattern: r"^%{SYSLOGTIMESTAMP:ts} %{HOSTNAME:host} +(?<component>[\w./-]+(?: (?:[\d.]+|root))?)(?:\((?<module>[\w-]+)\))?(?:\[%{POSINT:process:int}\])?: +%{GREEDYDATA:message}$",
        happened: "TO_TIMESTAMP('2005 ' || g.ts, 'yyyy MMM ppd HH:mm:ss')",
        always: &["ts", "host", "component", "message"],
        sometimes: &[
            ("process", |line| line.contains("]: ")),
            ("module", |line| line.contains("(pam_unix)")),
        ],
        lines: &[
            ("Mar  9 10:11:12 box sshd(pam_unix)[123]: failed; user= rhost=10.0.0.1 ", || {
                json!({"happened": "2005-03-09 10:11:12", "host": "box", "component": "sshd", "module": "pam_unix", "process": 123,
                    "message": "failed; user= rhost=10.0.0.1 "})
            }),
            (
                "Mar 19 10:11:12 box syslogd 2.0.1: again.",
                || json!({"happened": "2005-03-19 10:11:12", "component": "syslogd 2.0.1", "module": null, "process": null, "message": "again."}),
            ),
            (
                "Mar 19 10:11:12 box kernel:  e820: 0000 (usable)",
                || json!({"component": "kernel", "message": "e820: 0000 (usable)"}),
            ),
            (
                "Mar 19 10:11:12 box  -- root[9]: on tty1",
                || json!({"component": "-- root", "process": 9, "message": "on tty1"}),
            ),
        ],
    },
    Log {
        name: "OpenSSH",
        pattern: r"^%{SYSLOGTIMESTAMP:ts} %{HOSTNAME:host} %{PROG:component}\[%{POSINT:process:int}\]: (?<message>(?:(?<level>error|fatal): )?%{GREEDYDATA})$",
        happened: "TO_TIMESTAMP('2016 ' || g.ts, 'yyyy MMM ppd HH:mm:ss')",
        always: &["ts", "host", "component", "process", "message"],
        sometimes: &[("level", |line| line.contains("]: error: ") || line.contains("]: fatal: "))],
        lines: &[
            ("Aug  1 02:03:04 gate sshd[5]: No user x from 10.0.0.2", || {
                json!({"happened": "2016-08-01 02:03:04", "host": "gate", "component": "sshd", "process": 5, "level": null,
                    "message": "No user x from 10.0.0.2"})
            }),
            (
                "Aug 11 02:03:04 gate sshd[55]: fatal: gone [preauth]",
                || json!({"happened": "2016-08-11 02:03:04", "process": 55, "level": "fatal", "message": "fatal: gone [preauth]"}),
            ),
        ],
    },
    Log {
        name: "Proxifier",
        pattern: r"^\[(?<ts>\d\d\.\d\d %{TIME})\] (?<process>[\w. -]+?)(?: \*(?<bits>64))? - %{GREEDYDATA:message}$",
        happened: "TO_TIMESTAMP('2016.' || g.ts, 'yyyy.MM.dd HH:mm:ss')",
        always: &["ts", "process", "message"],
        sometimes: &[("bits", |line| line.contains(" *64 - "))],
        lines: &[
            (
                "[02.03 04:05:06] a-b c.exe *64 - x.org:80 open - now",
                || json!({"happened": "2016-02-03 04:05:06", "process": "a-b c.exe", "bits": "64", "message": "x.org:80 open - now"}),
            ),
            (
                "[02.03 04:05:06] c.exe - x.org:80 close, 7 bytes",
                || json!({"process": "c.exe", "bits": null, "message": "x.org:80 close, 7 bytes"}),
            ),
        ],
    },
    Log {
        name: "Windows",
        pattern: r"^%{TIMESTAMP_ISO8601:ts}, %{LOGLEVEL:level} +%{WORD:component} +%{GREEDYDATA:message}$",
        happened: "TO_TIMESTAMP(g.ts)",
        always: &["ts", "level", "component", "message"],
        sometimes: &[],
        lines: &[(
            "2017-08-09 10:11:12, Error                 CSI    0001@2017/8/9 done, C:\\x",
            || json!({"happened": "2017-08-09 10:11:12", "level": "Error", "component": "CSI", "message": "0001@2017/8/9 done, C:\\x"}),
        )],
    },
    Log {
        name: "Zookeeper",
        pattern: r"^%{TIMESTAMP_ISO8601:ts} - %{LOGLEVEL:level} +\[(?<thread>[\w.$:/()\[\]=, -]*):%{JAVACLASS:component}@%{INT:position:int}\] - %{GREEDYDATA:message}$",
        happened: "TO_TIMESTAMP(g.ts, 'yyyy-MM-dd HH:mm:ss,SSS')",
        always: &["ts", "level", "thread", "component", "position", "message"],
        sometimes: &[],
        lines: &[
            ("2016-01-02 03:04:05,678 - WARN  [Peer[id=2]/0:0:0:0:0:0:0:1:99:Vote@31] - [a] - late", || {
                json!({"happened": "2016-01-02 03:04:05.678", "level": "WARN", "thread": "Peer[id=2]/0:0:0:0:0:0:0:1:99", "component": "Vote",
                    "position": 31, "message": "[a] - late"})
            }),
            (
                "2016-01-02 03:04:05,678 - INFO  [Run(s:0 p:-1)::Do$It@5] - x",
                || json!({"level": "INFO", "thread": "Run(s:0 p:-1):", "component": "Do$It", "position": 5, "message": "x"}),
            ),
        ],
    },
];

impl Log {
    /// Every line of a file with what the pattern reads of it; a line that it does not read has NULL.
    fn read(&self, dir: &Dir, path: &str) -> Vec<Value> {
        let sql = format!(
            "CREATE TABLE logs (line STRING) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'raw');
             SELECT line, g.*, {} AS happened FROM logs LEFT JOIN LATERAL TABLE(GROK(line, '{}')) AS g ON TRUE",
            self.happened, self.pattern
        );
        let ran = dir.run(&["run", "-e", &sql, "-o", "json"]);
        assert_eq!(ran.code, Some(0), "{}: {}", self.name, ran.err);
        ran.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
    }
}

#[test]
fn each_kind_of_line() {
    let dir = Dir::new();
    for log in LOGS {
        let lines: Vec<&str> = log.lines.iter().map(|(line, _)| *line).collect();
        // CR LF between lines, and a CR alone behind the last one: none of them is part of a message.
        let path = dir.write(&format!("{}.log", log.name), format!("{}\r", lines.join("\r\n")));
        let rows = log.read(&dir, path.to_str().unwrap());
        assert_eq!(rows.len(), lines.len(), "{}", log.name);
        for (row, (line, expected)) in rows.iter().zip(log.lines) {
            assert_eq!(row["line"], *line);
            for (field, value) in expected().as_object().unwrap() {
                assert_eq!(row[field], *value, "{}: {field} of {line}", log.name);
            }
        }
    }
}

#[test]
fn only_the_message_takes_anything() {
    for log in LOGS {
        let anything = ["GREEDYDATA", "DATA", ".*", ".+", r"\S", "NOTSPACE"];
        let head = log.pattern.split("message").next().unwrap();
        let head = head.trim_end_matches("%{GREEDYDATA:");
        for part in anything {
            assert!(!head.contains(part), "{}: {part} in {head}", log.name);
        }
    }
}

#[test]
fn the_manual_has_the_patterns() {
    for log in LOGS {
        let cell = |text: &str| format!("`{}`", text.replace('|', "\\|"));
        assert!(
            PAGE.contains(&cell(log.pattern)),
            "docs/log-parsing.md has another pattern for {}",
            log.name
        );
        assert!(PAGE.contains(&cell(log.happened)), "docs/log-parsing.md has another time for {}", log.name);
    }
}

#[test]
fn the_full_files() {
    let Some(data) = std::env::var("MILLSTREAM_TEST_DATA").ok().filter(|d| !d.is_empty()) else { return };
    let dir = Dir::new();
    for log in LOGS {
        let path = format!("{data}/loghub/{}_2k.log", log.name);
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        let rows = log.read(&dir, &path);
        assert_eq!(rows.len(), lines, "{}", log.name);
        let (read, missed): (Vec<&Value>, Vec<&Value>) = rows.iter().partition(|r| !r["message"].is_null());
        println!("{}: {} of {lines} lines read", log.name, read.len());
        assert!(read.len() * 100 >= lines * 99, "{}: {:?}", log.name, missed.first());
        for row in read {
            let filled =
                |field: &str| row[field].is_number() || row[field].as_str().is_some_and(|t| !t.is_empty());
            let line = row["line"].as_str().unwrap();
            assert!(filled("happened"), "{}: the time of {line}", log.name);
            for field in log.always.iter().filter(|f| **f != "message") {
                assert!(filled(field), "{}: {field} of {line}", log.name);
            }
            for (field, condition) in log.sometimes {
                assert_eq!(filled(field), condition(line), "{}: {field} of {line}", log.name);
            }
            assert!(!row["message"].as_str().unwrap().ends_with('\r'), "{line}");
        }
    }
}
