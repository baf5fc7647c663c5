//! Where lines for people and pipes go.

use std::fmt::Debug;
use std::io::{self, ErrorKind, Write};
use std::sync::Arc;

use millstream_flow::Spawner;
use millstream_types::Fault;

use crate::waiting::blocking;

/// Something that bytes are shown on.
pub(crate) trait Terminal: Send + Sync + Debug {
    /// Writes all of the bytes, and does not keep them back.
    fn show(&self, bytes: &[u8]) -> io::Result<()>;
}

/// The process's standard output.
#[derive(Debug)]
pub(crate) struct StandardOutput;

/// The process's standard error.
#[derive(Debug)]
pub(crate) struct StandardError;

impl Terminal for StandardOutput {
    fn show(&self, bytes: &[u8]) -> io::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(bytes)?;
        out.flush()
    }
}

impl Terminal for StandardError {
    fn show(&self, bytes: &[u8]) -> io::Result<()> {
        io::stderr().lock().write_all(bytes)
    }
}

/// Shows bytes away from the tasks, since whoever reads the pipe may be slow. Gives the emptied buffer back.
pub(crate) async fn show(
    spawner: &dyn Spawner,
    terminal: &Arc<dyn Terminal>,
    mut bytes: Vec<u8>,
) -> Result<Vec<u8>, Fault> {
    if bytes.is_empty() {
        return Ok(bytes);
    }
    let terminal = Arc::clone(terminal);
    blocking(spawner, "terminal", move || match terminal.show(&bytes) {
        Ok(()) => {
            bytes.clear();
            Ok(bytes)
        }
        Err(e) if e.kind() == ErrorKind::BrokenPipe => {
            Err(Fault::external("broken-pipe", "whoever reads the output has closed it")
                .hint("keep the reading command running, or write to a table of the filesystem connector"))
        }
        Err(e) => Err(Fault::external("io", format!("cannot write to the terminal: {e}"))),
    })
    .await
}

/// A terminal that remembers.
#[cfg(test)]
#[derive(Debug, Default)]
pub(crate) struct Remembered(pub std::sync::Mutex<Vec<u8>>);

#[cfg(test)]
impl Terminal for Remembered {
    fn show(&self, bytes: &[u8]) -> io::Result<()> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(())
    }
}
