//! The quiet load, which the product is made for: many rules with literals of their own, up to 1.2 % of the events hit.

use std::collections::HashSet;
use std::io::{self, Write};

use super::attacks::{ATTACKS, Trace};
use super::generate::{Rng, event_time, ip, number, pick, quoted, timestamp};
use super::words::{AGENTS, PORTS, STATUS, TYPES, USERS};
use super::{COLUMNS, Load, alerts, flink_counts};

/// The load as it is measured.
pub const QUIET: Load = Load {
    name: "quiet",
    doc: "Rules with literals of their own, up to 1.2 % of the events hit; events of 414 bytes.",
    rules: &[1, 10, 41, 200, 1000, 5000],
    events: 1_000_000,
    data: "quiet",
    generate: |n, out| events(n, false, out),
    job: |file, rules| alerts(COLUMNS, "'format' = 'json'", file, conditions(rules)),
    expected: |events, rules| flink_counts("quiet", events, rules),
    flink: &[(1, 159_235.0), (41, 33_978.0), (200, 8_102.0)],
};

/// The same, lines looked at only as far as the rules need.
pub const NEEDED: Load = Load {
    name: "quiet-needed",
    doc: "The quiet load with `json.validate` = `needed`.",
    rules: &[200],
    job: |file, rules| {
        alerts(COLUMNS, "'format' = 'json', 'json.validate' = 'needed'", file, conditions(rules))
    },
    ..QUIET
};

/// The conditions of the first rules.
pub fn conditions(rules: u64) -> impl Iterator<Item = String> {
    let words = Words::new();
    (0..rules).map(move |i| words.rule(i))
}

const CONSONANTS: &[u8] = b"bcdfghjklmnpqrstvwxz";
const VOWELS: &[u8] = b"aeiouy";
/// Rules below this number have planted events.
pub const PLANTED: u64 = 5000;
const BENIGN: usize = 4096;

/// The words that events and rules are made of.
#[derive(Debug)]
pub struct Words(Vec<String>);

impl Words {
    /// Different words of 5 to 9 letters: syllables of consonant, vowel and mostly a consonant.
    pub fn new() -> Self {
        let wanted = 3 * PLANTED as usize + BENIGN;
        let mut rng = Rng::new(2026);
        let mut seen = HashSet::new();
        let mut words = Vec::with_capacity(wanted);
        while words.len() < wanted {
            let r = rng.next();
            let mut word = String::new();
            for k in 0..2 + (r & 1) {
                let x = r >> (1 + 15 * k);
                word.push(char::from(pick(CONSONANTS, x & 255)));
                word.push(char::from(pick(VOWELS, (x >> 8) & 15)));
                if (x >> 11) & 1 == 1 || k == 0 {
                    word.push(char::from(pick(CONSONANTS, ((x >> 12) & 7) * 2 + (x & 1))));
                }
            }
            if seen.insert(word.clone()) {
                words.push(word);
            }
        }
        Words(words)
    }

    /// A word that no rule looks for.
    pub fn benign(&self, i: u64) -> &str {
        self.0.get((i % BENIGN as u64) as usize).map_or("", String::as_str)
    }

    /// A word that a rule looks for.
    pub fn of_rule(&self, i: u64) -> &str {
        let count = (self.0.len() - BENIGN) as u64;
        self.0.get(BENIGN + (i % count) as usize).map_or("", String::as_str)
    }

    /// The condition of rule `i`.
    pub fn rule(&self, i: u64) -> String {
        let (a, b, c) = (self.of_rule(3 * i), self.of_rule(3 * i + 1), self.of_rule(3 * i + 2));
        let m = i / 10;
        let mut s = match i % 10 {
            0 => format!(
                r"REGEXP(`cmdline`, '(?i)\b{a}(\.exe)?\s.*-e(nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{{16,}}')"
            ),
            3 => format!(r"REGEXP(`url`, '/{a}-[0-9]+\.(php|aspx?)$')"),
            6 => format!(r"REGEXP(`proc_path`, '(?i)\\(temp|public)\\{a}[^\\]*\.exe$')"),
            1 => format!("`cmdline` LIKE '%{a} {b}%'"),
            4 => format!(r"`proc_path` LIKE '%\{a}.exe'"),
            7 => format!("`url` LIKE 'https://{a}.%'"),
            2 => format!("`user` = '{a}' AND `host` LIKE 'host-{}%'", m % 2),
            5 => format!(
                "`user` IN ('{a}', '{b}', '{c}') AND `dst_port` IN ({}, {})",
                pick(&PORTS, m % 16),
                pick(&PORTS, (m + 5) % 16)
            ),
            8 => format!("`bytes` > {} AND `dst_port` = {}", 1_047_500 + i % 1000, pick(&PORTS, m % 16)),
            _ => {
                format!("`status` = {} AND `method` = 'GET' AND `url` LIKE '%/{a}/%'", pick(&STATUS, m % 16))
            }
        };
        if i % 7 == 3 {
            s.push_str(&format!(" AND (`user_agent` IS NULL OR NOT (`user_agent` LIKE '%{c}%'))"));
        }
        s
    }
}

/// An event of the quiet load, before it is written in one form or another.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its number.
    pub id: u64,
    /// Its time as a SQL timestamp.
    pub ts: String,
    /// `process_start`, `login`, `net_conn` or `http`.
    pub kind: &'static str,
    /// Where.
    pub host: String,
    /// Who.
    pub user: String,
    /// From where.
    pub src_ip: String,
    /// To where; processes have none.
    pub dst_ip: Option<String>,
    /// To which port; processes and logins have none.
    pub dst_port: Option<u32>,
    /// The program.
    pub proc_path: String,
    /// Its command line; requests have none.
    pub cmdline: Option<String>,
    /// Its process.
    pub pid: u64,
    /// Method, URL, user agent and status of a request.
    pub method: Option<&'static str>,
    /// See `method`.
    pub url: Option<String>,
    /// See `method`.
    pub user_agent: Option<&'static str>,
    /// See `method`.
    pub status: Option<u32>,
    /// Bytes sent.
    pub bytes: u64,
    /// Whether a login succeeded.
    pub success: Option<bool>,
    /// The machine's number in an inventory.
    pub asset: u64,
    /// Numbers that further fields of an event may be made of.
    pub seeds: [u64; 4],
}

/// Events of the quiet load, one after the other.
#[derive(Debug)]
pub struct Events {
    words: Words,
    rng: Rng,
    ms: i64,
    next: u64,
    /// Attacks are planted instead of words of rules.
    detect: bool,
}

impl Events {
    /// Those of the load, or those of the demo.
    pub fn new(detect: bool) -> Self {
        Events { words: Words::new(), rng: Rng::new(4242), ms: 0, next: 0, detect }
    }

    /// The words that events are made of.
    pub fn words(&self) -> &Words {
        &self.words
    }

    /// The next event.
    #[allow(clippy::should_implement_trait)] // an endless generator is no iterator that anybody would chain
    pub fn next(&mut self) -> Event {
        let (rng, words, detect) = (&mut self.rng, &self.words, self.detect);
        let (a, b, c, d) = (rng.next(), rng.next(), rng.next(), rng.next());
        let t = event_time(&mut self.ms, a);
        let mut kind = pick(&TYPES, (a >> 9) & 7);
        let word = |shift: u32| words.benign(d >> shift);
        let (w1, w2, w3, w4, w5) = (word(0), word(12), word(24), word(36), word(48));
        let mut host = (a >> 16) % 20_000;
        let mut user = pick(&USERS, (b >> 52) & 15).to_string();
        let mut port = pick(&PORTS, (b >> 56) & 15);
        let mut status = pick(&STATUS, (c >> 57) & 15);
        let windows = (c >> 62) & 1 == 1;
        let mut path =
            if windows { format!("C:\\Program Files\\{w1}\\{w2}.exe") } else { format!("/usr/{w1}/{w2}") };
        let mut command = if windows {
            format!("{w2}.exe /{w3} --{w4}=C:\\Users\\Public\\{w5} -p {w1}")
        } else {
            format!("{w2} --{w3}={w4} /var/lib/{w5}/{w1}")
        };
        command.push_str(&format!(" --id={}", c & 0xFFFFF));
        let mut url = format!("https://{w1}.example.com/{w2}/{w3}?id={}&{w4}={w5}", (c >> 34) & 0xFFFF);
        let mut method = if c & 3 != 0 { "GET" } else { "POST" };
        let mut agent = pick(&AGENTS, (c >> 54) & 7);
        let mut failed_login = false;
        let mut target = ip(c);
        let x = rng.next();
        if detect && x % 1000 < 10 {
            let (trace, text) = pick(&ATTACKS, x >> 20);
            (kind, failed_login) = match trace {
                Trace::Command | Trace::Program => ("process_start", false),
                Trace::Request | Trace::Agent => ("http", false),
                Trace::Connection => ("net_conn", false),
                Trace::Login => ("login", true),
            };
            match trace {
                Trace::Command => command = text.to_string(),
                Trace::Program => path = text.to_string(),
                Trace::Request => url = format!("https://{w1}.example.com{text}"),
                Trace::Agent => agent = text,
                Trace::Connection => {
                    port = text.parse().unwrap_or(port);
                    target = format!("203.0.113.{}", x >> 40 & 127);
                }
                Trace::Login => user = text.to_string(),
            }
        } else if !detect && x % 1000 < 12 {
            // Low rule numbers more often.
            let r = planted(x);
            let k = r % 10;
            let (p, q, s) = (words.of_rule(3 * r), words.of_rule(3 * r + 1), words.of_rule(3 * r + 2));
            if matches!(k, 0 | 1 | 4 | 6) && kind == "http" {
                kind = "process_start";
            }
            if matches!(k, 3 | 7 | 9) {
                kind = "http";
            }
            if k == 5 && matches!(kind, "process_start" | "login") {
                kind = "net_conn";
            }
            match k {
                0 => command = format!("{p}.exe -NoProfile -enc SQBFAFgAIAAoAE4AZQB3AC0A"),
                3 => url = format!("https://{w1}.example.com/{p}-{}.php", x & 1023),
                6 => path = format!("C:\\Users\\Public\\{p}{}.exe", x & 15),
                1 => command = format!("{w1} /c {p} {q} --{w2}"),
                4 => path = format!("C:\\Tools\\{p}.exe"),
                7 => url = format!("https://{p}.example.net/{w2}"),
                2 => {
                    user = p.to_string();
                    host = r / 10 % 2 * 10_000 + host % 10_000;
                }
                5 => {
                    // The third name is never planted: the shift leaves one bit.
                    user = pick(&[p, q, s], (x >> 40) & 1).to_string();
                    port = pick(&PORTS, r / 10 % 16);
                }
                9 => {
                    url = format!("https://{w1}.example.com/{p}/{w2}");
                    status = pick(&STATUS, r / 10 % 16);
                    method = "GET";
                }
                _ => {}
            }
        }
        let (http, process, login) = (kind == "http", kind == "process_start", kind == "login");
        let id = self.next;
        self.next += 1;
        Event {
            id,
            ts: timestamp(t),
            kind,
            host: format!("host-{host:05}"),
            user,
            src_ip: ip(b),
            dst_ip: (!process).then_some(target),
            dst_port: (!(process || login)).then_some(port),
            proc_path: path,
            cmdline: (!http).then_some(command),
            pid: (c >> 20) & 0x7FFF,
            method: http.then_some(method),
            url: http.then_some(url),
            user_agent: http.then_some(agent),
            status: http.then_some(status),
            bytes: if process { 0 } else { (b >> 32) & 0xFFFFF },
            success: login.then_some(!failed_login && c & 7 != 0),
            asset: (c >> 3) % 1_000_000,
            seeds: [a, b, c, d],
        }
    }
}

/// The rule that a planted event hits.
pub fn planted(x: u64) -> u64 {
    (PLANTED as f64).powf(((x >> 20) & 0xFFFFF) as f64 / 1_048_576.0) as u64 - 1
}

/// A text within a JSON string.
pub fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

impl Event {
    /// Its fields as members of a JSON object, without the braces.
    pub fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        let text = |t: Option<&str>| quoted(t.is_some(), &escaped(t.unwrap_or_default()));
        let count = |n: Option<u32>| number(n.is_some(), n.unwrap_or_default());
        write!(
            out,
            "\"id\":{},\"ts\":\"{}\",\"event_type\":\"{}\",\"host\":\"{}\",\"user\":\"{}\",\"src_ip\":\"{}\",\"dst_ip\":{},\"dst_port\":{},\"proc_path\":{},\"cmdline\":{},\"pid\":{},\"method\":{},\"url\":{},\"user_agent\":{},\"status\":{},\"bytes\":{},\"success\":{},\"asset\":{}",
            self.id,
            self.ts,
            self.kind,
            self.host,
            self.user,
            self.src_ip,
            text(self.dst_ip.as_deref()),
            count(self.dst_port),
            text(Some(&self.proc_path)),
            text(self.cmdline.as_deref()),
            self.pid,
            text(self.method),
            text(self.url.as_deref()),
            text(self.user_agent),
            count(self.status),
            self.bytes,
            self.success.map_or("null", |s| if s { "true" } else { "false" }),
            self.asset,
        )
    }
}

/// Writes `n` events. Those of the demo (`detect`) have attacks planted instead of words of rules, and a nested ROW, ARRAY and MAP.
pub fn events(n: u64, detect: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut events = Events::new(detect);
    for _ in 0..n {
        let event = events.next();
        out.write_all(b"{")?;
        event.write_json(out)?;
        if detect {
            let [a, b, _, d] = event.seeds;
            write!(
                out,
                ",\"agent\":{{\"name\":\"sensor-{}\",\"version\":[{},{},{}],\"tags\":[\"{}\",\"{}\"],\"labels\":{{\"zone\":\"zone-{}\",\"tier\":\"{}\"}}}}",
                a % 50,
                1 + (a >> 20) % 3,
                (a >> 24) % 10,
                (a >> 30) % 20,
                events.words().benign(d),
                pick(&["edge", "core", "dmz", "lab"], b >> 10),
                (b >> 20) % 8,
                pick(&["gold", "silver", "bronze"], b >> 30),
            )?;
        }
        out.write_all(b"}\n")?;
    }
    Ok(())
}

impl Default for Words {
    fn default() -> Self {
        Self::new()
    }
}
