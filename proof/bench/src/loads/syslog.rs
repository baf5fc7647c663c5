//! Syslog of web servers and sshd; the rules read parts of the messages by grok.

use std::io::{self, Write};

use super::generate::{Rng, event_time, ip, pick};
use super::quiet::{QUIET, Words, planted};
use super::words::{AGENTS, PORTS, USERS};
use super::{Expected, Load};

/// The load.
pub const SYSLOG: Load = Load {
    name: "syslog",
    doc: "Syslog lines (RFC 3164) of web servers and sshd; the rules test parts that GROK gives of the messages, with words and addresses of their own.",
    rules: &[1, 41, 200, 1000],
    data: "syslog",
    generate,
    job,
    expected,
    flink: &[],
    ..QUIET
};

const WEB: &str = "%{IPORHOST:client} - %{USERNAME:account} \\[%{HTTPDATE:at}\\] \"%{WORD:verb} %{NOTSPACE:request} HTTP/%{NUMBER:version}\" %{INT:status} %{INT:size} \"%{DATA:referrer}\" \"%{DATA:agent}\"";
const LOGIN: &str =
    "Failed password for invalid user %{USERNAME:account} from %{IP:client} port %{INT:port} ssh2";

fn job(file: &str, rules: u64) -> String {
    let words = Words::new();
    let mut sql = format!(
        "CREATE TABLE logs (`timestamp` TIMESTAMP(3), severity STRING, hostname STRING, app_name STRING, procid STRING, message STRING, \
         WATERMARK FOR `timestamp` AS `timestamp` - INTERVAL '5' SECOND) \
         WITH ('connector' = 'filesystem', 'path' = '{file}', 'format' = 'syslog', 'syslog.year' = '2024');\n\
         CREATE TABLE alerts (rule STRING, ts TIMESTAMP(3), host STRING, client STRING, account STRING, message STRING) \
         WITH ('connector' = 'blackhole');\n"
    );
    for i in 0..rules {
        let word = words.of_rule(i);
        let (pattern, condition) = match i % 4 {
            0 => (WEB, format!("g.request LIKE '%/{word}/%' AND g.status = '404'")),
            1 => (WEB, format!("g.agent LIKE '%{word}/%'")),
            2 => (WEB, format!("g.client = '{}' AND g.verb = 'POST'", address(i))),
            _ => (LOGIN, format!("g.account = '{word}'")),
        };
        sql.push_str(&format!(
            "INSERT INTO alerts SELECT 'r{i}', l.`timestamp`, l.hostname, g.client, g.account, l.message FROM logs AS l, \
             LATERAL TABLE(GROK(l.message, '{pattern}')) AS g WHERE {condition};\n"
        ));
    }
    sql
}

/// The address that a rule looks for: no made-up one has 203 in front.
fn address(rule: u64) -> String {
    format!("203.0.{}.{}", 100 + rule / 250, rule % 250 + 1)
}

/// A line, and the rule that it hits.
struct Lines {
    words: Words,
    rng: Rng,
    ms: i64,
}

impl Lines {
    fn new() -> Self {
        Lines { words: Words::new(), rng: Rng::new(5424), ms: 0 }
    }

    fn next(&mut self) -> (String, Option<u64>) {
        let (a, b, c, x) = (self.rng.next(), self.rng.next(), self.rng.next(), self.rng.next());
        let t = event_time(&mut self.ms, a) / 1000;
        let (day, hour, minute, second) = (t / 86_400 + 1, t / 3600 % 24, t / 60 % 60, t % 60);
        let rule = (x % 1000 < 12).then(|| planted(x));
        let word = |shift: u32| self.words.benign(b >> shift);
        let own = rule.map(|r| (r % 4, self.words.of_rule(r)));
        let web = match own {
            Some((kind, _)) => kind != 3,
            None => a >> 60 < 11,
        };
        let head = format!(
            "May {day:>2} {hour:02}:{minute:02}:{second:02} host-{:05} {}[{}]:",
            (a >> 16) % 20_000,
            if web { "nginx" } else { "sshd" },
            (c >> 20) & 0x7FFF
        );
        if !web {
            let line = match own {
                Some((_, name)) => {
                    format!(
                        "<86>{head} Failed password for invalid user {name} from {} port {} ssh2",
                        ip(c),
                        c >> 48
                    )
                }
                None if c & 3 == 0 => {
                    format!(
                        "<86>{head} Failed password for invalid user {} from {} port {} ssh2",
                        word(0),
                        ip(c),
                        c >> 48
                    )
                }
                None if c & 3 == 1 => format!(
                    "<86>{head} Accepted publickey for {} from {} port {} ssh2",
                    pick(&USERS, b),
                    ip(c),
                    c >> 48
                ),
                None => format!("<86>{head} Disconnected from {} port {}", ip(c), pick(&PORTS, c >> 50)),
            };
            return (line, rule);
        }
        let (mut client, mut verb) = (ip(c), if c & 3 != 0 { "GET" } else { "POST" });
        let mut request = format!("/{}/{}/{}?id={}", word(0), word(12), word(24), (c >> 34) & 0xFFFF);
        let mut status = pick(&super::words::STATUS, c >> 57);
        let mut agent = pick(&AGENTS, c >> 54).to_string();
        match (own, rule) {
            (Some((0, name)), _) => (request, status) = (format!("/{}/{name}/{}", word(0), word(12)), 404),
            (Some((1, name)), _) => agent = format!("{name}/1.0 ({})", word(36)),
            (Some(_), Some(r)) => (client, verb) = (address(r), "POST"),
            _ => {}
        }
        let line = format!(
            "<190>{head} {client} - {} [{day:02}/May/2024:{hour:02}:{minute:02}:{second:02} +0000] \"{verb} {request} HTTP/1.1\" {status} {} \"https://{}.example.com/\" \"{agent}\"",
            pick(&USERS, b >> 52),
            (b >> 32) & 0xFFFF,
            word(40),
        );
        (line, rule)
    }
}

fn generate(n: u64, out: &mut dyn Write) -> io::Result<()> {
    let mut lines = Lines::new();
    for _ in 0..n {
        writeln!(out, "{}", lines.next().0)?;
    }
    Ok(())
}

/// What was planted: no other line has a rule's word or address.
fn expected(events: u64, rules: u64) -> Expected {
    let mut lines = Lines::new();
    let mut counts = vec![0; rules as usize];
    for _ in 0..events {
        if let (_, Some(rule)) = lines.next()
            && let Some(count) = counts.get_mut(rule as usize)
        {
            *count += 1;
        }
    }
    Ok(Some(counts))
}
