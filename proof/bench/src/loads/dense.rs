//! The dense load: 12 patterns used again and again; at 41 rules 84 % of the events hit.

use std::io::{self, Write};

use super::generate::{Rng, event_time, ip, number, pick, quoted, timestamp};
use super::patterns::{EQS, LIKES, REGEX};
use super::words::{CMDS, HOSTN, PATHS, PORTS, PROCS, STATUS, TYPES, UAS, USERS};
use super::{COLUMNS, Load, alerts, flink_counts};

/// The load as it is measured.
pub const DENSE: Load = Load {
    name: "dense",
    doc: "12 patterns used again and again; at 41 rules 84 % of the events hit, 2.1 rows an event; at 200 rules 9 rows an event.",
    rules: &[1, 41, 200],
    events: 1_000_000,
    data: "dense",
    generate: events,
    job: |file, rules| alerts(COLUMNS, "'format' = 'json'", file, (0..rules).map(rule)),
    expected: |events, rules| flink_counts("rules", events, rules),
    flink: &[(1, 234_741.0), (41, 38_321.0), (200, 8_944.0)],
};

/// Writes `n` events.
pub fn events(n: u64, out: &mut dyn Write) -> io::Result<()> {
    let mut rng = Rng::new(42);
    let mut ms = 0i64;
    for i in 0..n {
        let (a, b, c) = (rng.next(), rng.next(), rng.next());
        let t = event_time(&mut ms, a);
        let kind = pick(&TYPES, (a >> 9) & 7);
        let p = (a >> 12) & 15;
        let path = pick(&PATHS, (c >> 30) & 15).replace("%d", &((c >> 34) & 0xFFFF).to_string());
        let (http, process, login) = (kind == "http", kind == "process_start", kind == "login");
        writeln!(
            out,
            "{{\"id\":{i},\"ts\":\"{}\",\"event_type\":\"{kind}\",\"host\":\"host-{:05}\",\"user\":\"{}\",\"src_ip\":\"{}\",\"dst_ip\":{},\"dst_port\":{},\"proc_path\":\"{}\",\"cmdline\":{},\"pid\":{},\"method\":{},\"url\":{},\"user_agent\":{},\"status\":{},\"bytes\":{},\"success\":{},\"asset\":{}}}",
            timestamp(t),
            (a >> 16) % 20_000,
            pick(&USERS, (b >> 52) & 15),
            ip(b),
            quoted(!process, &ip(c)),
            number(!(process || login), pick(&PORTS, (b >> 56) & 15)),
            pick(&PROCS, p),
            quoted(!http, &format!("{} --id={}", pick(&CMDS, p), c & 0xFFFFF)),
            (c >> 20) & 0x7FFF,
            quoted(http, if c & 3 != 0 { "GET" } else { "POST" }),
            quoted(http, &format!("https://{}{path}", pick(&HOSTN, (c >> 50) & 7))),
            quoted(http, pick(&UAS, (c >> 54) & 7)),
            number(http, pick(&STATUS, (c >> 57) & 15)),
            if process { 0 } else { (b >> 32) & 0xFFFFF },
            success(login, c),
            (c >> 3) % 1_000_000,
        )?;
    }
    Ok(())
}

/// Whether a login succeeded.
fn success(login: bool, c: u64) -> &'static str {
    match (login, c & 7) {
        (false, _) => "null",
        (true, 0) => "false",
        (true, _) => "true",
    }
}

/// The condition of rule `i`.
pub fn rule(i: u64) -> String {
    let (k, m) = (i % 10, i / 10);
    match k {
        0 | 3 | 6 => {
            let (field, pattern) = pick(&REGEX, m * 3 + k / 3);
            let more = if i >= 40 { format!(" AND `pid` % {} <> 0", 2 + i % 7) } else { String::new() };
            format!("REGEXP(`{field}`, '{}'){more}", pattern.replace('\'', "''"))
        }
        1 | 4 | 7 => {
            let (field, pattern) = pick(&LIKES, m * 3 + k / 3);
            let more =
                if i >= 40 { format!(" AND `user` <> '{}'", pick(&USERS, i % 16)) } else { String::new() };
            format!("`{field}` LIKE '{pattern}'{more}")
        }
        2 => {
            let (field, value) = pick(&EQS, m);
            format!("`{field}` = '{value}' AND `host` LIKE 'host-{}%'", m % 10)
        }
        5 => {
            let users: Vec<String> = (0..3).map(|j| format!("'{}'", pick(&USERS, (m + j) % 16))).collect();
            let ports = pick(&["22, 3389, 445", "4444, 3333", "25, 5432, 53", "8080, 8443"], m % 4);
            format!("`user` IN ({}) AND `dst_port` IN ({ports})", users.join(", "))
        }
        8 => format!("`bytes` > {} AND `dst_port` <> 443", 900_000 + 5000 * m),
        _ => format!("`status` >= 400 AND `status` < {} AND `method` = 'GET'", 404 + m),
    }
}
