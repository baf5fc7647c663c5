//! The `millstream` command: `run`, `check`, `explain`, `explain-event`, `functions`. It only wires the library to a terminal.
//!
//! It must never know how anything is computed.

mod arguments;
mod check;
mod explain;
mod explain_event;
mod functions;
mod interrupt;
mod output;
mod progress;
mod run;
mod text;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use arguments::{Arguments, Command};

/// Everything was done.
const DONE: u8 = 0;
/// The job failed.
const FAILED: u8 = 1;
/// The text, or the command line, is wrong.
const WRONG_TEXT: u8 = 2;
/// Stopped by Ctrl-C.
const INTERRUPTED: u8 = 130;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    // One thread is enough for a job, and a runtime of one thread starts in microseconds.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(e) => {
            eprintln!("error: the runtime does not start: {e}");
            return ExitCode::from(FAILED);
        }
    };
    let code = runtime.block_on(async {
        match arguments.command {
            Command::Run(a) => run::run(a).await,
            Command::Check(a) => check::check(&a),
            Command::Explain(a) => explain::explain(a).await,
            Command::ExplainEvent(a) => explain_event::explain_event(a),
            Command::Functions(a) => functions::functions(&a),
        }
    });
    // Blocking work that still waits (a read of the terminal) must not hold up the end.
    runtime.shutdown_background();
    ExitCode::from(code)
}
