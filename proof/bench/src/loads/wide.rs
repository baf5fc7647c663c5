//! The quiet load with 60 fields and 2 kB an event: what rules do not read is most of it.

use std::io::{self, Write};

use super::generate::{Rng, ip, pick};
use super::quiet::{Events, QUIET, conditions};
use super::{COLUMNS, Load, alerts};

/// The load.
pub const WIDE: Load = Load {
    name: "wide",
    doc: "The quiet load with 60 fields and 2 kB an event; the rules read 12 of the columns.",
    rules: &[1, 41, 200, 1000],
    data: "wide",
    generate,
    job: |file, rules| {
        let further: Vec<String> = (0..FURTHER).map(|i| format!("{} {}", name(i), kind(i))).collect();
        alerts(&format!("{}, {COLUMNS}", further.join(", ")), "'format' = 'json'", file, conditions(rules))
    },
    flink: &[],
    ..QUIET
};

/// Fields besides the 18 of the quiet load.
const FURTHER: usize = 42;

fn name(i: usize) -> String {
    const SUBJECTS: [&str; 7] = ["process", "parent", "logon", "session", "device", "sensor", "rule"];
    const PARTS: [&str; 6] = ["name", "hash", "address", "count", "label", "path"];
    format!("{}_{}", pick(&SUBJECTS, i as u64), pick(&PARTS, i as u64 / 7))
}

fn kind(i: usize) -> &'static str {
    if i / 7 == 3 { "BIGINT" } else { "STRING" }
}

fn generate(n: u64, out: &mut dyn Write) -> io::Result<()> {
    let mut events = Events::new(false);
    let mut rng = Rng::new(60);
    for _ in 0..n {
        let event = events.next();
        out.write_all(b"{")?;
        for i in 0..FURTHER {
            if i == FURTHER / 2 {
                event.write_json(out)?;
                out.write_all(b",")?;
            }
            let r = rng.next();
            let words = events.words();
            let (v, w) = (words.benign(r), words.benign(r >> 12));
            write!(out, "\"{}\":", name(i))?;
            match i / 7 {
                0 => write!(out, "\"{v}-{w}\"")?,
                1 => write!(out, "\"{r:016x}{:016x}\"", r.rotate_left(17) ^ 0x5DEE_CE66)?,
                2 => write!(out, "\"{}\"", ip(r))?,
                3 => write!(out, "{}", r % 100_000)?,
                4 => write!(out, "\"{v} {w} {} {}\"", words.benign(r >> 24), words.benign(r >> 36))?,
                _ => write!(out, "\"/var/lib/{v}/{w}/{}.dat\"", words.benign(r >> 24))?,
            }
            if i + 1 < FURTHER {
                out.write_all(b",")?;
            }
        }
        out.write_all(b"}\n")?;
    }
    Ok(())
}
