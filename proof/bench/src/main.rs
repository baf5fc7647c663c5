//! What Millstream costs: events per CPU-second on the loads that Flink was measured on, with its counts checked.
//!
//! ```text
//! bench generate LOAD|detect N FILE            made-up events
//! bench job LOAD N FILE                        the job with N rules over a file
//! bench rules windows --stats                  what the made-up rules of the load `windows` and their events look like
//! bench index LOAD N                           what the index of N rules costs: to build, to add and to take away a rule
//! bench search LOAD N EVENTS ROUNDS            what an event costs in the index of N rules
//! bench functions                              nanoseconds a row of the functions that are used most
//! bench memo                                   what remembering the answers of repeating values costs and spares
//! bench run [--events N] [--only TEXT] [--runs K] [--write]   the table; --write puts what was measured into docs/performance.md
//! bench scale, bench latency, bench steps      one core and two; from line to row; each step beside a loop by hand
//! ```
//!
//! A load is a file in `loads`.

mod cost;
mod functions;
mod index;
mod latency;
mod loads;
mod memo;
mod page;
mod run;
mod scale;
mod steps;

use std::io::{BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["generate", load, n, file] => generate(load, n, file),
        ["job", load, n, file] => job(load, n, file),
        ["rules", "windows", "--stats"] => {
            println!("{}", loads::windows::Statistics::new(20_000));
            Ok(())
        }
        ["functions"] => functions::run(),
        ["memo"] => memo::run(),
        ["search", load, n, events, rounds] => counts([n, events, rounds])
            .and_then(|[n, events, rounds]| index::search(load, n, events, rounds)),
        ["index", load, n] => count(n).and_then(|n| index::run(load, n)),
        ["run", rest @ ..] => run::run(rest),
        ["scale", rest @ ..] => scale::run(rest),
        ["latency", rest @ ..] => latency::run(rest),
        ["steps", rest @ ..] => steps::run(rest),
        _ => Err(
            "usage: bench generate LOAD|detect N FILE | bench job LOAD N FILE | bench rules windows --stats | bench index LOAD N | bench search LOAD N EVENTS ROUNDS | bench functions | bench memo | bench run | bench scale | bench latency | bench steps"
                .into(),
        ),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(1)
        }
    }
}

fn count(n: &str) -> Result<u64, String> {
    n.parse().map_err(|_| format!("'{n}' is no number"))
}

fn counts<const N: usize>(words: [&str; N]) -> Result<[u64; N], String> {
    let mut counts = [0; N];
    for (count, word) in counts.iter_mut().zip(words) {
        *count = self::count(word)?;
    }
    Ok(counts)
}

fn generate(load: &str, n: &str, file: &str) -> Result<(), String> {
    let n = count(n)?;
    let write = match load {
        "detect" => loads::demo_events,
        other => loads::load(other)?.generate,
    };
    let out = std::fs::File::create(file).map_err(|e| format!("{file}: {e}"))?;
    let mut out = BufWriter::with_capacity(1 << 20, out);
    write(n, &mut out).and_then(|()| out.flush()).map_err(|e| format!("{file}: {e}"))
}

fn job(load: &str, n: &str, file: &str) -> Result<(), String> {
    print!("{}", (loads::load(load)?.job)(file, count(n)?));
    Ok(())
}
