//! The quiet load with its fields in ROWs, and users in a JSON text of their own.

use std::io::{self, Write};

use super::generate::{number, quoted};
use super::quiet::{Events, QUIET, conditions, escaped};
use super::{Load, alerts_of};

/// The load.
pub const NESTED: Load = Load {
    name: "nested",
    doc: "The quiet load with its fields in ROW columns, and users in a text column of JSON that the rules read with JSON_VALUE.",
    rules: &[1, 41, 200, 1000],
    data: "nested",
    generate,
    job: |file, rules| {
        let alert = format!("ts, host, {USER}, {COMMAND}, {URL}");
        alerts_of(COLUMNS, "'format' = 'json'", file, &alert, conditions(rules).map(|c| nested(&c)))
    },
    flink: &[],
    ..QUIET
};

const COLUMNS: &str = "id BIGINT, ts TIMESTAMP(3), event_type STRING, host STRING, src_ip STRING, \
     net ROW<dst_ip STRING, dst_port INT, `bytes` BIGINT>, proc ROW<proc_path STRING, cmdline STRING, pid INT>, \
     http ROW<`method` STRING, url STRING, user_agent STRING, status INT>, account STRING, asset BIGINT, \
     WATERMARK FOR ts AS ts - INTERVAL '5' SECOND";
const USER: &str = "JSON_VALUE(account, '$.login.user')";
const COMMAND: &str = "proc.cmdline";
const URL: &str = "http.url";

/// A condition of the quiet load over the nested columns.
fn nested(condition: &str) -> String {
    let mut condition = condition.replace("`user`", USER);
    for (column, path) in [
        ("`dst_port`", "net.dst_port"),
        ("`bytes`", "net.`bytes`"),
        ("`proc_path`", "proc.proc_path"),
        ("`cmdline`", COMMAND),
        ("`method`", "http.`method`"),
        ("`url`", URL),
        ("`user_agent`", "http.user_agent"),
        ("`status`", "http.status"),
    ] {
        condition = condition.replace(column, path);
    }
    condition
}

fn generate(n: u64, out: &mut dyn Write) -> io::Result<()> {
    let mut events = Events::new(false);
    for _ in 0..n {
        let e = events.next();
        let text = |t: Option<&str>| quoted(t.is_some(), &escaped(t.unwrap_or_default()));
        let count = |n: Option<u32>| number(n.is_some(), n.unwrap_or_default());
        let success = e.success.map_or("null", |s| if s { "true" } else { "false" });
        let account = format!("{{\"login\": {{\"user\": \"{}\", \"success\": {success}}}}}", e.user);
        writeln!(
            out,
            "{{\"id\":{},\"ts\":\"{}\",\"event_type\":\"{}\",\"host\":\"{}\",\"src_ip\":\"{}\",\"net\":{{\"dst_ip\":{},\"dst_port\":{},\"bytes\":{}}},\"proc\":{{\"proc_path\":{},\"cmdline\":{},\"pid\":{}}},\"http\":{{\"method\":{},\"url\":{},\"user_agent\":{},\"status\":{}}},\"account\":{},\"asset\":{}}}",
            e.id,
            e.ts,
            e.kind,
            e.host,
            e.src_ip,
            text(e.dst_ip.as_deref()),
            count(e.dst_port),
            e.bytes,
            text(Some(&e.proc_path)),
            text(e.cmdline.as_deref()),
            e.pid,
            text(e.method),
            text(e.url.as_deref()),
            text(e.user_agent),
            count(e.status),
            text(Some(&account)),
            e.asset,
        )?;
    }
    Ok(())
}
