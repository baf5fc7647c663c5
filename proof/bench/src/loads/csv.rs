//! The quiet load as CSV, quoted as Flink's writer quotes it.

use std::io::{self, Write};

use super::quiet::{Events, QUIET, conditions};
use super::{COLUMNS, Load, alerts};

/// The load.
pub const CSV: Load = Load {
    name: "csv",
    doc: "The quiet load as CSV.",
    rules: &[1, 41, 200, 1000],
    data: "csv",
    generate,
    job: |file, rules| alerts(COLUMNS, "'format' = 'csv', 'csv.null-literal' = ''", file, conditions(rules)),
    flink: &[],
    ..QUIET
};

fn generate(n: u64, out: &mut dyn Write) -> io::Result<()> {
    let mut events = Events::new(false);
    for _ in 0..n {
        let e = events.next();
        let count = |n: Option<u32>| n.map_or(String::new(), |n| n.to_string());
        let fields = [
            e.id.to_string(),
            text(&e.ts),
            text(e.kind),
            text(&e.host),
            text(&e.user),
            text(&e.src_ip),
            text(e.dst_ip.as_deref().unwrap_or("")),
            count(e.dst_port),
            text(&e.proc_path),
            text(e.cmdline.as_deref().unwrap_or("")),
            e.pid.to_string(),
            text(e.method.unwrap_or("")),
            text(e.url.as_deref().unwrap_or("")),
            text(e.user_agent.unwrap_or("")),
            count(e.status),
            e.bytes.to_string(),
            e.success.map_or(String::new(), |s| s.to_string()),
            e.asset.to_string(),
        ];
        writeln!(out, "{}", fields.join(","))?;
    }
    Ok(())
}

/// Long texts and those with spaces, commas, quotes or backslashes are quoted.
fn text(text: &str) -> String {
    const LONG: usize = 24;
    if text.len() > LONG || text.bytes().any(|b| b <= b',' || b == b'\\') {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_string()
    }
}
