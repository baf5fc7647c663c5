//! The format `syslog` from SQL.

use std::sync::Arc;

use millstream::Session;
use millstream::types::{ManualClock, Value};

use crate::rows;

/// 2026-01-02 00:00:00.
const JANUARY: i64 = 1_767_312_000_000;

#[tokio::test]
async fn lines_are_columns_and_their_year_comes_from_the_clock() {
    let path = std::env::temp_dir().join(format!("millstream-syslog-{}", std::process::id()));
    let lines = [
        "<86>Dec 31 23:59:59 web-1 sshd[7]: Failed password for invalid user mallory from 10.0.0.9 port 22 ssh2",
        "not syslog at all",
        "<86>Jan  1 00:00:01 web-1 sshd[7]: Failed password for invalid user bob from 10.0.0.8 port 22 ssh2",
        "<34>1 2026-01-01T00:00:02Z db-1 postgres 99 - - FATAL: no route",
    ];
    std::fs::write(&path, lines.join("\n")).unwrap();
    let mut session = Session::builder().clock(Arc::new(ManualClock::new(JANUARY))).build();
    let table = format!(
        "CREATE TABLE logs (`timestamp` TIMESTAMP(3), facility STRING, severity INT, hostname STRING, app_name STRING, message STRING) \
         WITH ('connector' = 'filesystem', 'path' = '{}', 'format' = 'syslog', 'bad-records' = 'skip')",
        path.display()
    );
    session.execute(&table).await.unwrap();
    let texts = |found: Vec<(_, Vec<Value>)>| -> Vec<String> {
        found.iter().map(|(_, r)| r[0].as_str().unwrap_or("").to_string()).collect()
    };
    let all = "SELECT CONCAT_WS(' ', CAST(`timestamp` AS STRING), facility, CAST(severity AS STRING), hostname, app_name) FROM logs";
    assert_eq!(
        texts(rows(&mut session, all).await),
        [
            "2025-12-31 23:59:59.000 authpriv 6 web-1 sshd",
            "2026-01-01 00:00:01.000 authpriv 6 web-1 sshd",
            "2026-01-01 00:00:02.000 auth 2 db-1 postgres",
        ]
    );
    let users = "SELECT g.who FROM logs, LATERAL TABLE(GROK(message, 'invalid user %{USERNAME:who} from %{IP:client}')) AS g \
                 WHERE app_name = 'sshd' AND g.who = 'mallory'";
    assert!(session.explain(users).unwrap().to_text().contains("screen=[message LIKE '%mallory%']"));
    assert_eq!(texts(rows(&mut session, users).await), ["mallory"]);
    std::fs::remove_file(&path).unwrap();
}
