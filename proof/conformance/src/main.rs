//! Runs what real Flink answered against Millstream.
//!
//! ```text
//! conformance scalar|shuffle|queries|ddl PATH [--failures FILE] [--known FILE] [--extensions FILE] [--only TEXT] [--parallelism N] [--set OPTION=VALUE] [--verbose]
//! ```
//! PATH is a file or folder in the formats of `proof/conformance/README.md`. Prints passed and failed by group, and as its last line
//! `N passed, M failed`. With `--known` the exit code is 0 only if the failing cases are exactly those that the file lists (`id  reason`; at a
//! parallelism, without those of which only the order of rows differs); with
//! `--extensions` the cases of that file are forms that Millstream accepts on purpose although Flink refuses them.

// Indexing a JSON value gives null where there is nothing; it never panics.
#![allow(clippy::indexing_slicing)]

mod answer;
mod ddl;
mod known;
mod queries;
mod report;
mod scalar;
mod shuffle;
mod value;

use std::process::ExitCode;

use report::Report;

struct Arguments {
    command: String,
    path: String,
    failures: Option<String>,
    known: Option<String>,
    extensions: Option<String>,
    only: Option<String>,
    parallelism: Option<String>,
    verbose: bool,
    /// Session options for `queries`.
    options: Vec<(String, String)>,
}

fn arguments() -> Result<Arguments, String> {
    let mut words = std::env::args().skip(1);
    let mut positional = Vec::new();
    let mut a = Arguments {
        command: String::new(),
        path: String::new(),
        failures: None,
        known: None,
        extensions: None,
        only: None,
        parallelism: None,
        verbose: false,
        options: Vec::new(),
    };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} needs a value"));
        match word.as_str() {
            "--failures" => a.failures = Some(value()?),
            "--known" => a.known = Some(value()?),
            "--extensions" => a.extensions = Some(value()?),
            "--only" => a.only = Some(value()?),
            "--parallelism" => a.parallelism = Some(value()?),
            "--set" => {
                let given = value()?;
                let (key, value) = given.split_once('=').ok_or("--set takes option=value")?;
                a.options.push((key.to_string(), value.to_string()));
            }
            "--verbose" => a.verbose = true,
            _ => positional.push(word),
        }
    }
    let mut positional = positional.into_iter();
    match (positional.next(), positional.next()) {
        (Some(command), Some(path)) => Ok(Arguments { command, path, ..a }),
        _ => Err("usage: conformance scalar|shuffle|queries|ddl PATH [--failures FILE] [--known FILE] [--extensions FILE] [--only TEXT]".into()),
    }
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<bool, String> {
    let a = arguments()?;
    let extensions = a.extensions.as_deref().map(known::read).transpose()?.unwrap_or_default();
    let mut report = Report::new(a.verbose);
    let wanted = |id: &str| a.only.as_deref().is_none_or(|o| id.contains(o));
    // A panic is a failure of its case, told in one line.
    std::panic::set_hook(Box::new(|_| {}));
    match a.command.as_str() {
        "scalar" => scalar::run(&a.path, &wanted, &extensions, &mut report)?,
        "shuffle" => shuffle::run(&a.path, &wanted, &mut report)?,
        "queries" => queries::run(&a.path, &wanted, a.parallelism.as_deref(), &a.options, &mut report)?,
        "ddl" => ddl::run(&a.path, &wanted, &extensions, &mut report)?,
        other => return Err(format!("unknown command '{other}'")),
    }
    if let Some(file) = &a.failures {
        report.write_failures(file)?;
    }
    let fine = match &a.known {
        Some(file) => {
            let mut known = known::read(file)?;
            if a.parallelism.is_some() {
                // Rows of parallel tasks are compared in any order, so that order is no difference.
                known.retain(|_, why| !why.contains("order of its rows"));
            }
            report.compare_known(&known)
        }
        None => report.failed() == 0,
    };
    report.print();
    Ok(fine)
}
