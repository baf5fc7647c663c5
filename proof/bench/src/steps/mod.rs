//! What each step of a scan costs an event, beside a loop by hand that does only that step.
//!
//! The product's steps are its own parts (the file source, the JSON decoder, the rule index), called one by one on the same chunks, so that
//! each can be measured alone; what is left of a whole job (watermarks, each query's rows, channels, sinks) is the last line.

mod by_hand;
mod product;

use crate::cost::cpu_seconds;
use crate::loads::load;
use crate::run::{events_file, run_job};
use by_hand::ByHand;
use product::Product;

/// CPU-seconds that each step is repeated for, at least: the system counts them in hundredths.
const LONG_ENOUGH: f64 = 1.0;

/// `bench steps [--rules N] [--events N]`.
pub fn run(words: &[&str]) -> Result<(), String> {
    let (mut rules, mut events) = (200, 100_000);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match *word {
            "--rules" => rules = crate::count(value()?)?,
            "--events" => events = crate::count(value()?)?.max(1000),
            other => return Err(format!("unknown option {other}")),
        }
    }
    let directory = std::env::temp_dir().join("millstream-bench");
    std::fs::create_dir_all(&directory).map_err(|e| format!("{}: {e}", directory.display()))?;
    let quiet = load("quiet")?;
    let file = events_file(&directory, quiet, events)?;
    let path = file.display().to_string();
    let empty = directory.join(format!("empty-{}.jsonl", std::process::id()));
    std::fs::write(&empty, "").map_err(|e| e.to_string())?;
    let sql = (quiet.job)(&path, rules);
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|e| e.to_string())?;
    let mut product = runtime.block_on(Product::new(&sql, &path))?;
    let hand = ByHand::new(&path, rules)?;
    let mut table = Table { events: events as f64, sum: 0.0 };
    println!("quiet, {rules} rules, {events} events: nanoseconds of CPU an event");
    println!("{:<34} {:>10} {:>10} {:>7}", "step", "here", "by hand", "ratio");

    let read = measured(|| product.read())?;
    table.line("read: bytes into records", read, measured(|| hand.read())?);
    let validate = measured(|| product.cut(false))?;
    table.line("validate: UTF-8 and JSON syntax", validate, measured(|| Ok(hand.validate()))?);
    let cut = measured(|| product.cut(true))? - validate;
    table.line("cut: the fields that are read", cut.max(0.0), measured(|| Ok(hand.cut()))?);
    let rowtime = measured(|| product.rowtimes())?;
    table.line("rowtime: built for all rows", rowtime, measured(|| Ok(hand.rowtimes()))?);
    let (verified, watched) = product.clocks();
    let rules_cost = measured(|| product.evaluate())?;
    // Both by the wall clock, so that what else the machine does counts for both alike.
    let (verified, watched) = (product.clocks().0 - verified, product.clocks().1 - watched);
    let verify = rules_cost * verified as f64 / watched.max(1) as f64;
    table.line("index: rows that may hit a rule", rules_cost - verify, measured(|| Ok(hand.index()))?);
    let candidates = product.candidates();
    table.line("verify: rules on those rows", verify, measured(|| Ok(hand.verify(&candidates)))?);
    let survivors = product.survivors();
    let build = measured(|| product.build(&survivors))?;
    table.line("build: columns of rows that hit", build, measured(|| Ok(hand.build(&survivors)))?);

    let nothing = (quiet.job)(&empty.display().to_string(), rules);
    let start = measured(|| run_job(&nothing, &[]).map(drop))?;
    let whole = measured(|| run_job(&sql, &[]).map(drop))? - start;
    let rest = whole - table.sum;
    println!("{:<34} {:>10.0}", "the rest: watermarks, outputs, sinks", rest / table.events * 1e9);
    println!("{:<34} {:>10.0}", "a whole job, without its start", whole / table.events * 1e9);
    println!(
        "{} of {events} events hit a rule; {} pairs of rule and event were verified",
        survivors.iter().map(Vec::len).sum::<usize>(),
        candidates.len()
    );
    std::fs::remove_file(&empty).map_err(|e| e.to_string())
}

struct Table {
    events: f64,
    /// Seconds of the product's steps so far.
    sum: f64,
}

impl Table {
    fn line(&mut self, name: &str, here: f64, hand: f64) {
        self.sum += here;
        let nanos = |seconds: f64| seconds / self.events * 1e9;
        println!("{name:<34} {:>10.1} {:>10.1} {:>7.2}", nanos(here), nanos(hand), here / hand.max(1e-12));
    }
}

/// CPU-seconds of one call.
fn measured<T>(mut work: impl FnMut() -> Result<T, String>) -> Result<f64, String> {
    std::hint::black_box(work()?);
    let (start, mut calls) = (cpu_seconds(), 0u32);
    loop {
        std::hint::black_box(work()?);
        calls += 1;
        let used = cpu_seconds() - start;
        if used >= LONG_ENOUGH {
            return Ok(used / f64::from(calls));
        }
    }
}
