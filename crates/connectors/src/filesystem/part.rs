//! Part files: their names, writing them, and closing them so that they last.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use millstream_flow::WriterContext;
use millstream_types::Fault;

use super::compression::{Compression, FileWriter};
use super::fault::io_fault;

/// Bytes that are collected before they are written.
const BUFFER: usize = 256 << 10;
const TEMPORARY: &str = ".inprogress";

/// What all part files of a writer have in their names: `part-<job>-<start>-<subtask>`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PartNames {
    run: String,
    prefix: String,
}

impl PartNames {
    pub fn new(context: &WriterContext) -> Self {
        let run = format!("{}{}", job_prefix(&context.job), context.start);
        PartNames { prefix: format!("{run}-{}-", context.subtask), run }
    }

    /// What those of all writers of the job's start have in common.
    pub fn run(&self) -> &str {
        &self.run
    }

    /// The visible name of the part with this number. Names of two starts of a job differ, so that nothing is ever written over.
    fn visible(&self, number: u64, compression: Compression) -> String {
        format!("{}{number}{}", self.prefix, compression.ending())
    }
}

/// What the visible names of a job's part files begin with: `part-1a2b3c4d-`.
pub(super) fn job_prefix(job: &str) -> String {
    // Job ids are random; the first digits are enough to tell them apart. Whatever else somebody gives a job as its id is hashed
    // (FNV-1a), so that it cannot break out of the name.
    if job.len() >= 8 && job.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-') {
        let digits: String = job.chars().filter(|c| *c != '-').take(8).collect();
        return format!("part-{digits}-");
    }
    let hash =
        job.bytes().fold(0xcbf2_9ce4_8422_2325u64, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3));
    format!("part-{:08x}-", hash >> 32)
}

/// The start that a temporary name of this job carries; `None`: it is no temporary name of this job.
pub(super) fn start_of(name: &str, job: &str) -> Option<u64> {
    let rest = name.strip_prefix('.')?.strip_prefix(&job_prefix(job))?;
    if !rest.ends_with(TEMPORARY) {
        return None;
    }
    rest.split('-').next()?.parse().ok()
}

/// Whether a name is that of a part file that is not visible yet.
pub(super) fn is_temporary(name: &str) -> bool {
    name.starts_with(".part-") && name.ends_with(TEMPORARY)
}

/// A part file that is open.
pub(super) struct Part {
    pub temporary: PathBuf,
    pub visible: PathBuf,
    /// What compresses into the file. `None`: it is plain, and open only while something is written to it, since thousands of INSERTs have
    /// one each.
    writer: Option<FileWriter>,
    buffer: Vec<u8>,
    /// Bytes of content so far, before compression.
    pub bytes: u64,
    pub opened_millis: i64,
    /// When it was last written to, counted in writes.
    pub last_write: u64,
}

/// A part file that is closed and on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Closed {
    pub temporary: PathBuf,
    pub visible: PathBuf,
    /// Its size on disk.
    pub size: u64,
}

impl Part {
    /// Creates the next part in a directory; `number` moves on.
    pub fn create(
        directory: &Path,
        names: &PartNames,
        number: &mut u64,
        compression: Compression,
        opened_millis: i64,
    ) -> Result<Part, Fault> {
        make_directory(directory)?;
        loop {
            let name = names.visible(*number, compression);
            *number += 1;
            let visible = directory.join(&name);
            let temporary = directory.join(format!(".{name}{TEMPORARY}"));
            // Another sink of the job may write to the same directory: the first one has the name.
            let file = match OpenOptions::new().write(true).create_new(true).open(&temporary) {
                Ok(file) => file,
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(e) => return Err(io_fault("create", &temporary, &e)),
            };
            if visible.symlink_metadata().is_ok() {
                let _ = fs::remove_file(&temporary);
                continue;
            }
            let writer = match compression {
                Compression::None => None,
                _ => Some(compression.writer(file, &temporary)?),
            };
            return Ok(Part {
                temporary,
                visible,
                writer,
                buffer: Vec::new(),
                bytes: 0,
                opened_millis,
                last_write: 0,
            });
        }
    }

    /// Appends encoded rows.
    pub fn append(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.bytes += bytes.len() as u64;
        if self.buffer.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        if bytes.len() >= BUFFER {
            return self.write(bytes);
        }
        self.buffer.extend_from_slice(bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), Fault> {
        let mut buffer = std::mem::take(&mut self.buffer);
        if !buffer.is_empty() {
            self.write(&buffer)?;
        }
        buffer.clear();
        self.buffer = buffer;
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        let written = match &mut self.writer {
            Some(writer) => writer.write_all(bytes),
            None => {
                OpenOptions::new().append(true).open(&self.temporary).and_then(|mut f| f.write_all(bytes))
            }
        };
        written.map_err(|e| unwritable(&self.temporary, &e))
    }

    /// Writes what is left and waits until the disk has it.
    pub fn close(mut self) -> Result<Closed, Fault> {
        self.flush()?;
        let file = match self.writer {
            Some(writer) => writer.finish(),
            None => OpenOptions::new().append(true).open(&self.temporary),
        }
        .map_err(|e| unwritable(&self.temporary, &e))?;
        file.sync_all().map_err(|e| io_fault("sync", &self.temporary, &e))?;
        let size = file.metadata().map_err(|e| io_fault("read", &self.temporary, &e))?.len();
        Ok(Closed { temporary: self.temporary, visible: self.visible, size })
    }
}

/// Makes the names in a directory last.
pub(super) fn sync_directory(directory: &Path) -> Result<(), Fault> {
    // Windows has no such thing: a directory cannot be opened there.
    if cfg!(unix) {
        File::open(directory).and_then(|d| d.sync_all()).map_err(|e| io_fault("sync", directory, &e))?;
    }
    Ok(())
}

/// Creates a directory with those above it, and makes them last.
pub(super) fn make_directory(directory: &Path) -> Result<(), Fault> {
    if directory.is_dir() {
        return Ok(());
    }
    let mut above = Vec::new();
    let mut at = directory.parent();
    while let Some(parent) = at.filter(|p| !p.as_os_str().is_empty()) {
        above.push(parent.to_path_buf());
        if parent.exists() {
            break;
        }
        at = parent.parent();
    }
    fs::create_dir_all(directory).map_err(|e| {
        if let Some(file) = above
            .first()
            .filter(|p| p.is_file())
            .or(directory.is_file().then(|| directory.to_path_buf()).as_ref())
        {
            return Fault::user(
                "not-a-directory",
                format!("'{}' is a file, not a directory", file.display()),
            )
            .hint("a table that is written needs a directory as its 'path'");
        }
        io_fault("create", directory, &e)
    })?;
    above.iter().try_for_each(|parent| sync_directory(parent))
}

/// A part file that cannot be written on. One that is gone was taken away by a successor, who cleans what he finds of earlier starts.
fn unwritable(temporary: &Path, error: &io::Error) -> Fault {
    if error.kind() != io::ErrorKind::NotFound {
        return io_fault("write", temporary, error);
    }
    Fault::external(
        "part-gone",
        format!(
            "the unfinished file '{}' is gone: another run of this job has started, or somebody has removed it",
            temporary.display()
        ),
    )
    .hint("let one run of the job go on; what was committed is not touched")
}
