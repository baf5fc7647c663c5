//! Rows on standard output.

use std::io::{IsTerminal, Write};

use millstream::types::{Batch, Fault};
use millstream::{OutputFormat, RowRenderer};

use crate::FAILED;
use crate::arguments::Output;

/// The format that was asked for, or what suits standard output.
pub fn format(wanted: Option<Output>) -> OutputFormat {
    match wanted {
        Some(Output::Table) => OutputFormat::Table,
        Some(Output::Json) => OutputFormat::Json,
        Some(Output::Csv) => OutputFormat::Csv,
        Some(Output::Changelog) => OutputFormat::Changelog,
        None if std::io::stdout().is_terminal() => OutputFormat::Table,
        None => OutputFormat::Csv,
    }
}

/// Prints a batch. `Ok(false)`: nobody reads any more (`| head`), which is no failure.
pub fn print(renderer: &mut RowRenderer, batch: &Batch) -> Result<bool, Fault> {
    let text = renderer.render(batch)?;
    write(&text)
}

/// Prints what comes behind the last row.
pub fn finish(renderer: &mut RowRenderer) -> Result<bool, Fault> {
    let text = renderer.finish();
    write(&text)
}

/// Prints a line that is a command's whole answer; gives the exit code. That nobody reads any more is no failure.
pub fn answer(text: &str, code: u8) -> u8 {
    match write(text.as_bytes()).and_then(|_| write(if text.ends_with('\n') { b"" } else { b"\n" })) {
        Ok(_) => code,
        Err(fault) => {
            eprintln!("error: {fault}");
            FAILED
        }
    }
}

fn write(text: &[u8]) -> Result<bool, Fault> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(e) => Err(Fault::external("output", format!("standard output: {e}"))),
    }
}
