//! What a run without checkpoints leaves behind when it crashes: nobody will go on with it, so the next start removes it.
//!
//! Such a run holds a lock file beside its part files as long as it lives. A lock file that can be locked is that of a process that is gone.
//! Where there is no lock file, or the file system has no locks, nothing is removed.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use millstream_types::Fault;

use super::committer::remove_below;
use super::fault::io_fault;
use super::part::{PartNames, is_temporary};

const LOCK: &str = ".lock";

/// Says that a run lives.
#[derive(Debug)]
pub(super) struct RunLock {
    path: PathBuf,
    _file: File,
}

/// Locks that this process holds, by their paths: thousands of INSERTs of a job write to one directory and need one.
static HELD: Mutex<Vec<(PathBuf, Weak<RunLock>)>> = Mutex::new(Vec::new());

impl RunLock {
    /// Takes the lock of a run in the table's directory, with the run's other writers; `None`, where that is not possible.
    pub fn take(directory: &Path, names: &PartNames) -> Option<Arc<RunLock>> {
        let path = directory.join(format!(".{}{LOCK}", names.run()));
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        held.retain(|(_, lock)| lock.strong_count() > 0);
        if let Some(lock) = held.iter().find(|(p, _)| *p == path).and_then(|(_, lock)| lock.upgrade()) {
            return Some(lock);
        }
        let file = OpenOptions::new().write(true).create_new(true).open(&path).ok()?;
        if file.try_lock().is_err() {
            let _ = fs::remove_file(&path);
            return None;
        }
        let lock = Arc::new(RunLock { path: path.clone(), _file: file });
        held.push((path, Arc::downgrade(&lock)));
        Some(lock)
    }
}

impl Drop for RunLock {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Removes the temporary files of runs that are gone, below a table's directory.
///
/// # Errors
/// External, when something cannot be listed or removed.
pub(super) fn clean_left(directory: &Path) -> Result<(), Fault> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(e) => return Err(io_fault("list", directory, &e)),
    };
    let mut gone = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|e| io_fault("list", directory, &e))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(writer) = name.strip_prefix(".part-").and_then(|n| n.strip_suffix(LOCK))
            && let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            gone.push((entry.path(), format!(".part-{writer}-"), file));
        }
    }
    if gone.is_empty() {
        return Ok(());
    }
    remove_below(directory, &|_, name| {
        is_temporary(name) && gone.iter().any(|(_, p, _)| name.starts_with(p.as_str()))
    })?;
    for (path, _, _locked) in gone {
        match fs::remove_file(&path) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(io_fault("remove", &path, &e)),
            _ => {}
        }
    }
    Ok(())
}
