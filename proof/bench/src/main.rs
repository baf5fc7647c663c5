//! What Millstream costs: events per CPU-second on the loads that Flink was measured on, with its counts checked.
//!
//! ```text
//! bench generate quiet|dense|detect N FILE     made-up events
//! bench rules quiet|dense N                    the conditions, one a line
//! bench functions                              nanoseconds a row of the functions that are used most
//! bench run [--events N] [--only TEXT] [--runs K]   the table
//! ```

mod attacks;
mod cost;
mod dense;
mod functions;
mod generate;
mod patterns;
mod quiet;
mod run;
mod words;

use std::io::{BufWriter, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["generate", load, n, file] => generate(load, n, file),
        ["rules", load, n] => rules(load, n),
        ["functions"] => functions::run(),
        ["run", rest @ ..] => run::run(rest),
        _ => {
            Err("usage: bench generate quiet|dense|detect N FILE | bench rules quiet|dense N | bench functions | bench run"
                .into())
        }
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

fn generate(load: &str, n: &str, file: &str) -> Result<(), String> {
    let n = count(n)?;
    let out = std::fs::File::create(file).map_err(|e| format!("{file}: {e}"))?;
    let mut out = BufWriter::with_capacity(1 << 20, out);
    let written = match load {
        "quiet" => quiet::Words::new().events(n, false, &mut out),
        "detect" => quiet::Words::new().events(n, true, &mut out),
        "dense" => dense::events(n, &mut out),
        other => return Err(format!("no load '{other}'")),
    };
    written.and_then(|()| out.flush()).map_err(|e| format!("{file}: {e}"))
}

fn rules(load: &str, n: &str) -> Result<(), String> {
    let words = quiet::Words::new();
    for i in 0..count(n)? {
        match load {
            "quiet" => println!("{}", words.rule(i)),
            "dense" => println!("{}", dense::rule(i)),
            other => return Err(format!("no load '{other}'")),
        }
    }
    Ok(())
}
