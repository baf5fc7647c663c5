//! Real shapes of logs: a web server's access log as raw lines, and its nested status documents. Samples come from a seeded generator; the full files are
//! read when `MILLSTREAM_TEST_DATA` names their folder.

use millstream_types::{Random, SeededRandom};

use crate::Dir;

const ACCESS: &str = r#"
CREATE TABLE log (line STRING) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'raw');
SELECT
  REGEXP_EXTRACT(line, '^(\S+) (\S+) (\S+) \[([^\]]+)\] "(\S+) (\S+)[^"]*" (\d{3}) (\d+|-)', 1) AS client,
  REGEXP_EXTRACT(line, '\[([^\]]+)\]', 1) AS happened,
  CAST(REGEXP_EXTRACT(line, '" (\d{3}) ', 1) AS INT) AS status,
  REGEXP_EXTRACT(line, '"([^"]*)"$', 1) AS agent
FROM log
"#;

const GROK: &str = r#"
CREATE TABLE log (line STRING) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'raw');
SELECT g.clientip, g.verb, g.agent, TO_TIMESTAMP(g.`timestamp`, 'dd/MMM/yyyy:HH:mm:ss Z') AS happened
FROM log, LATERAL TABLE(GROK(line, '%{COMBINEDAPACHELOG}')) AS g
"#;

const STATUS: &str = r#"
CREATE TABLE status (
  `timestamp` BIGINT,
  nginx_version STRING,
  connections ROW<accepted BIGINT, dropped BIGINT, active INT, idle INT>,
  server_zones MAP<STRING, ROW<requests BIGINT, responses MAP<STRING, BIGINT>>>,
  upstreams MAP<STRING, ROW<peers ARRAY<ROW<id INT, server STRING, state STRING, health_checks ROW<last_passed BOOLEAN>>>>>
) WITH ('connector' = 'filesystem', 'path' = '{path}', 'format' = 'json');
SELECT s.`timestamp`, s.connections.active, u.name, p.server, p.health_checks.last_passed
FROM status AS s
CROSS JOIN UNNEST(s.upstreams) AS u (name, upstream)
CROSS JOIN UNNEST(u.upstream.peers) AS p (id, server, state, health_checks)
"#;

fn read(dir: &Dir, sql: &str, path: &str) -> Vec<serde_json::Value> {
    let ran = dir.run(&["run", "-e", &sql.replace("{path}", path), "-o", "json"]);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    ran.out.lines().map(|l| serde_json::from_str(l).unwrap()).collect()
}

fn pick<'a>(random: &SeededRandom, list: &[&'a str]) -> &'a str {
    list[(random.next_u64() % list.len() as u64) as usize]
}

#[test]
fn access_log_as_raw_lines() {
    let random = SeededRandom::new(7);
    let mut text = String::new();
    let mut expected = Vec::new();
    for i in 0..500 {
        let client = format!("{}.{}.0.{}", 1 + random.next_u64() % 222, random.next_u64() % 256, i % 250);
        let at = format!("{:02}/May/2015:10:{:02}:{:02} +0000", 1 + i % 28, i % 60, random.next_u64() % 60);
        let status: u64 = [200, 206, 301, 304, 404, 500][(random.next_u64() % 6) as usize];
        let size = if status == 304 { "-".to_string() } else { (random.next_u64() % 100_000).to_string() };
        let path = pick(&random, &["/", "/index.html?x=\u{e9}", "/a%20b", "/images/\\x22.png"]);
        let agent = pick(&random, &["-", "Mozilla/5.0 (X11; Linux x86_64)", "curl/7.0 [en]"]);
        text.push_str(&format!(
            "{client} - - [{at}] \"GET {path} HTTP/1.1\" {status} {size} \"-\" \"{agent}\"\n"
        ));
        expected.push((client, at, status, agent));
    }
    let dir = Dir::new();
    let path = dir.write("access.log", &text);
    let rows = read(&dir, ACCESS, path.to_str().unwrap());
    assert_eq!(rows.len(), expected.len());
    for (row, (client, at, status, agent)) in rows.iter().zip(&expected) {
        assert_eq!(row["client"], *client);
        assert_eq!(row["happened"], *at);
        assert_eq!(row["status"], *status);
        assert_eq!(row["agent"], *agent);
    }
    let rows = read(&dir, GROK, path.to_str().unwrap());
    assert_eq!(rows.len(), expected.len());
    for (row, (client, _, _, agent)) in rows.iter().zip(&expected) {
        assert_eq!((row["clientip"].as_str(), row["agent"].as_str()), (Some(&**client), Some(*agent)));
        assert!(row["happened"].is_string() && row["verb"] == "GET", "{row}");
    }
}

#[test]
fn nested_status_documents() {
    let random = SeededRandom::new(8);
    let mut text = String::new();
    let mut expected = Vec::new();
    for i in 0..100u64 {
        let mut upstreams = Vec::new();
        for u in 0..1 + random.next_u64() % 3 {
            let mut peers = Vec::new();
            for p in 0..random.next_u64() % 4 {
                let passed = random.next_u64().is_multiple_of(2);
                peers.push(serde_json::json!({
                    "id": p, "server": format!("10.0.{u}.{p}:80"), "backup": p == 1, "state": pick(&random, &["up", "down"]),
                    "responses": {"1xx": 0, "2xx": i}, "health_checks": {"checks": 5, "last_passed": passed},
                }));
                expected.push((1_446_249_499_322 + i, format!("up-{u}"), format!("10.0.{u}.{p}:80"), passed));
            }
            upstreams.push((format!("up-{u}"), serde_json::json!({"peers": peers, "keepalive": 0})));
        }
        let document = serde_json::json!({
            "version": 6, "nginx_version": "1.9.4", "timestamp": 1_446_249_499_322u64 + i,
            "connections": {"accepted": 8_995_031u64 + i, "dropped": 0, "active": 2, "idle": 29},
            "server_zones": {"a.org": {"requests": i, "responses": {"2xx": i, "total": i}}},
            "upstreams": upstreams.into_iter().collect::<serde_json::Map<_, _>>(),
        });
        text.push_str(&format!("{document}\n"));
    }
    let dir = Dir::new();
    let path = dir.write("status.jsonl", &text);
    let rows = read(&dir, STATUS, path.to_str().unwrap());
    assert_eq!(rows.len(), expected.len());
    for (row, (timestamp, name, server, passed)) in rows.iter().zip(&expected) {
        assert_eq!(row["timestamp"], *timestamp);
        assert_eq!(row["active"], 2);
        assert_eq!(row["name"], *name);
        assert_eq!(row["server"], *server);
        assert_eq!(row["last_passed"], *passed);
    }
}

#[test]
fn the_full_files() {
    let Some(data) = std::env::var("MILLSTREAM_TEST_DATA").ok().filter(|d| !d.is_empty()) else { return };
    let dir = Dir::new();
    let rows = read(&dir, ACCESS, &format!("{data}/apache_access.log"));
    assert_eq!(rows.len(), 10_000);
    assert!(
        rows.iter().all(|r| r["happened"].is_string() && r["status"].is_number()),
        "every line has a time and a status"
    );
    let rows = read(&dir, GROK, &format!("{data}/apache_access.log"));
    assert_eq!(rows.len(), 10_000);
    assert!(rows.iter().all(|r| ["clientip", "verb", "agent", "happened"].iter().all(|f| r[f].is_string())));
    let text = std::fs::read_to_string(format!("{data}/nginx_plus.jsonl")).unwrap();
    let peers: usize = text
        .lines()
        .map(|l| serde_json::from_str::<serde_json::Value>(l).unwrap())
        .map(|d| {
            d["upstreams"]
                .as_object()
                .unwrap()
                .values()
                .map(|u| u["peers"].as_array().unwrap().len())
                .sum::<usize>()
        })
        .sum();
    let rows = read(&dir, STATUS, &format!("{data}/nginx_plus.jsonl"));
    assert_eq!(rows.len(), peers);
    assert!(rows.iter().all(|r| r["server"].is_string()));
}
