//! What passed and what failed.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Outcomes by group.
#[derive(Default)]
pub struct Report {
    groups: BTreeMap<String, (usize, usize)>,
    failures: Vec<(String, String)>,
    notes: Vec<String>,
    verbose: bool,
}

impl Report {
    /// An empty report; a verbose one prints each failure as it comes.
    pub fn new(verbose: bool) -> Self {
        Report { verbose, ..Report::default() }
    }

    /// Adds an outcome: `Err` says why it failed.
    pub fn add(&mut self, group: &str, id: &str, outcome: Result<(), String>) {
        let counts = self.groups.entry(group.to_string()).or_default();
        match outcome {
            Ok(()) => counts.0 += 1,
            Err(why) => {
                counts.1 += 1;
                if self.verbose {
                    println!("{id}\n    {}", why.replace('\n', "\n    "));
                }
                self.failures.push((id.to_string(), why));
            }
        }
    }

    /// Adds a line that is printed before the last one.
    pub fn note(&mut self, line: String) {
        self.notes.push(line);
    }

    /// How many failed.
    pub fn failed(&self) -> usize {
        self.failures.len()
    }

    /// Writes the failures, one a line with its reason in one line.
    pub fn write_failures(&self, path: &str) -> Result<(), String> {
        let mut text = String::new();
        for (id, why) in &self.failures {
            let _ = writeln!(text, "{id}  {}", why.replace('\n', " | "));
        }
        std::fs::write(path, text).map_err(|e| format!("{path}: {e}"))
    }

    /// Whether exactly the known cases failed; prints how the two sets differ.
    pub fn compare_known(&self, known: &BTreeMap<String, String>) -> bool {
        let failed: BTreeSet<&str> = self.failures.iter().map(|(id, _)| id.as_str()).collect();
        let mut same = true;
        for (id, why) in &self.failures {
            if !known.contains_key(id) {
                println!("not known to fail: {id}\n    {}", why.replace('\n', "\n    "));
                same = false;
            }
        }
        for id in known.keys().filter(|id| !failed.contains(id.as_str())) {
            println!("known to fail, but passed (or was not run): {id}");
            same = false;
        }
        same
    }

    /// Prints the groups, the notes and the last line.
    pub fn print(&self) {
        let (mut passed, mut failed) = (0, 0);
        for (group, (p, f)) in &self.groups {
            println!("{group:<28} {p:>5} passed {f:>5} failed");
            passed += p;
            failed += f;
        }
        for note in &self.notes {
            println!("{note}");
        }
        println!("{passed} passed, {failed} failed");
    }
}
