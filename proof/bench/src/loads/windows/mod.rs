//! The load of real rule sets: detection rules for Windows logs turned into SQL the plain way, and made-up events for them.
//!
//! The shape is that of 2,818 public rules: how many predicates, columns and literals of which form and length a rule has. The texts are made up.
//! [`Statistics`] says what came out, and a test holds it to the shape.

use std::collections::HashMap;
use std::io::{self, Write};

mod classes;
mod events;
mod literals;
mod rules;
mod statistics;

use events::Events;
use rules::RuleSet;
pub use statistics::Statistics;

use super::{Expected, Load};

/// Rules of the whole set.
const RULES: usize = 2_818;

/// The load.
pub const WINDOWS: Load = Load {
    name: "windows",
    doc: "rules and events in the shape of 2,818 public detection rules for Windows logs (`bench rules windows --stats` says how they come out): \
          200 columns, 43,000 predicates, the largest condition 348 kB; events of 2.3 kB with 20 to 60 of 300 keys, 1 % of them hit. The \
          rows of each rule are those that the made-up events were made for, told by a loop over the rules that shares nothing with the product.",
    rules: &[100, 1_000, 2_818],
    events: 1_000_000,
    data: "windows",
    generate: events,
    job,
    expected,
    flink: &[],
};

fn events(n: u64, out: &mut dyn Write) -> io::Result<()> {
    let set = RuleSet::new();
    let mut events = Events::new(&set);
    (0..n).try_for_each(|_| events.write(out).map(|_| ()))
}

fn job(file: &str, rules: u64) -> String {
    let set = RuleSet::new();
    let columns: Vec<String> = set
        .names
        .iter()
        .enumerate()
        .map(|(i, name)| format!("`{name}` {}", if i == 0 { "INT" } else { "STRING" }))
        .collect();
    let mut sql = format!(
        "CREATE TABLE events ({}) WITH ('connector' = 'filesystem', 'path' = '{file}', 'format' = 'json');\n\
         CREATE TABLE alerts (`rule` STRING, `EventID` INT, `Image` STRING, `CommandLine` STRING, `User` STRING, `TargetObject` STRING) \
         WITH ('connector' = 'blackhole');\n",
        columns.join(", ")
    );
    for (i, rule) in set.rules.iter().take(rules as usize).enumerate() {
        sql.push_str(&format!(
            "INSERT INTO alerts SELECT 'r{i}', `EventID`, `Image`, `CommandLine`, `User`, `TargetObject` FROM events WHERE {};\n",
            rule.sql(&set.names)
        ));
    }
    sql
}

/// The truth about the events takes a while, so it is kept beside them.
fn expected(events: u64, rules: u64) -> Expected {
    let file = std::env::temp_dir().join("millstream-bench").join(format!("windows-{events}.rows"));
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(_) => {
            let counts = truth(events).map_err(|e| e.to_string())?;
            let text: String = counts.iter().map(|c| format!("{c}\n")).collect();
            std::fs::write(&file, &text).map_err(|e| format!("{}: {e}", file.display()))?;
            text
        }
    };
    let counts: Result<Vec<u64>, _> = text.lines().take(rules as usize).map(str::parse).collect();
    counts.map(Some).map_err(|e| format!("{}: {e}", file.display()))
}

/// The rows of each rule.
fn truth(n: u64) -> io::Result<Vec<u64>> {
    let set = RuleSet::new();
    let mut events = Events::new(&set);
    let mut counts = vec![0u64; set.rules.len()];
    // Rules by the event number that they ask for.
    let mut by_number: HashMap<Option<u32>, Vec<usize>> = HashMap::new();
    for (i, rule) in set.rules.iter().enumerate() {
        by_number.entry(rule.number).or_default().push(i);
    }
    for _ in 0..n {
        let event = events.write(&mut io::sink())?;
        for i in [Some(event.number), None].iter().filter_map(|k| by_number.get(k)).flatten() {
            if let (Some(rule), Some(count)) = (set.rules.get(*i), counts.get_mut(*i)) {
                *count += u64::from(rule.hits(event.number, event.texts));
            }
        }
    }
    Ok(counts)
}
