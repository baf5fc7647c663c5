//! Publishes part files, and removes what earlier starts left behind.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use millstream_flow::{BoxFuture, Committable, Committer, Spawner, WriterContext};
use millstream_types::Fault;

use super::fault::io_fault;
use super::part::{Closed, start_of, sync_directory};
use super::run_lock::{RunLock, clean_left};
use crate::waiting::blocking;

/// What a committable's text says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Commit {
    /// Rename a part file to its visible name.
    Publish(Closed),
    /// INSERT OVERWRITE: remove everything in a directory but the visible files of this job.
    Replace { directory: PathBuf, keep: String },
}

impl Commit {
    pub fn to_committable(&self) -> Committable {
        let text = |p: &Path| escape(&p.to_string_lossy());
        Committable(match self {
            Commit::Publish(c) => {
                format!("publish\t{}\t{}\t{}", text(&c.temporary), text(&c.visible), c.size)
            }
            Commit::Replace { directory, keep } => format!("replace\t{}\t{}", text(directory), escape(keep)),
        })
    }

    pub fn read(committable: &Committable) -> Result<Self, Fault> {
        let parts: Vec<&str> = committable.0.split('\t').collect();
        let commit = match parts.as_slice() {
            ["publish", temporary, visible, size] => size.parse().ok().map(|size| {
                Commit::Publish(Closed {
                    temporary: unescape(temporary).into(),
                    visible: unescape(visible).into(),
                    size,
                })
            }),
            ["replace", directory, keep] => {
                Some(Commit::Replace { directory: unescape(directory).into(), keep: unescape(keep) })
            }
            _ => None,
        };
        commit.ok_or_else(|| Fault::internal(format!("'{}' is no committable of files", committable.0)))
    }

    /// Whether it was done. A temporary name that is gone was renamed; the visible file may have been taken away by its consumer since.
    fn is_done(&self) -> Result<bool, Fault> {
        match self {
            Commit::Publish(closed) => {
                if closed.temporary.symlink_metadata().is_ok() {
                    return Ok(false);
                }
                // Without its directory nothing is known: a disk may not be mounted.
                match closed.temporary.parent() {
                    Some(directory) if !directory.is_dir() => Err(Fault::external(
                        "output-missing",
                        format!("the directory '{}' with prepared output is gone", directory.display()),
                    )
                    .hint("mount or restore it and start the job again")),
                    _ => Ok(true),
                }
            }
            Commit::Replace { directory, keep } => Ok(replaced(directory, keep)?.is_empty()),
        }
    }

    pub fn run(&self) -> Result<(), Fault> {
        if self.is_done()? {
            return Ok(());
        }
        match self {
            Commit::Publish(closed) => publish(closed),
            Commit::Replace { directory, keep } => {
                for path in replaced(directory, keep)? {
                    let removed = if path.is_dir() && !path.is_symlink() {
                        fs::remove_dir_all(&path)
                    } else {
                        fs::remove_file(&path)
                    };
                    removed.map_err(|e| io_fault("remove", &path, &e))?;
                }
                sync_directory(directory)
            }
        }
    }
}

fn publish(closed: &Closed) -> Result<(), Fault> {
    let size = fs::metadata(&closed.temporary).map_err(|e| io_fault("read", &closed.temporary, &e))?.len();
    if size != closed.size {
        return Err(Fault::external(
            "output-damaged",
            format!(
                "'{}' was prepared with {} bytes and has {size}",
                closed.temporary.display(),
                closed.size
            ),
        )
        .hint("restore the file, or start the job from an older checkpoint with --allow-duplicates"));
    }
    // Names are used once; a file that is there under this one is somebody else's.
    if closed.visible.symlink_metadata().is_ok() {
        return Err(Fault::external(
            "output-exists",
            format!("'{}' exists already", closed.visible.display()),
        )
        .hint("move it away and start the job again"));
    }
    fs::rename(&closed.temporary, &closed.visible).map_err(|e| io_fault("rename", &closed.temporary, &e))?;
    closed.visible.parent().map_or(Ok(()), sync_directory)
}

/// What INSERT OVERWRITE removes from a directory.
fn replaced(directory: &Path, keep: &str) -> Result<Vec<PathBuf>, Fault> {
    let entries = match fs::read_dir(directory) {
        Ok(entries) => entries,
        Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(io_fault("list", directory, &e)),
    };
    let mut out = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|e| io_fault("list", directory, &e))?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !name.starts_with(['.', '_']) && !name.starts_with(keep) {
            out.push(entry.path());
        }
    }
    out.sort();
    Ok(out)
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n")
}

fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match (c, if c == '\\' { chars.next() } else { None }) {
            ('\\', Some('t')) => out.push('\t'),
            ('\\', Some('n')) => out.push('\n'),
            ('\\', Some(other)) => out.push(other),
            (c, _) => out.push(c),
        }
    }
    out
}

#[derive(Debug)]
pub(super) struct FileCommitter {
    pub directory: PathBuf,
    pub spawner: Arc<dyn Spawner>,
    /// Held until everything is committed.
    pub _lock: HeldLock,
}

/// The locks of a run without checkpoints, one for each of its writers.
pub(super) type HeldLock = Arc<Mutex<Vec<Arc<RunLock>>>>;

impl Committer for FileCommitter {
    fn commit<'a>(&'a self, committable: &'a Committable) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(async move {
            let commit = Commit::read(committable)?;
            blocking(&*self.spawner, "commit files", move || commit.run()).await
        })
    }

    fn is_committed<'a>(&'a self, committable: &'a Committable) -> BoxFuture<'a, Result<bool, Fault>> {
        Box::pin(async move { Commit::read(committable)?.is_done() })
    }

    fn clean<'a>(
        &'a self,
        context: &'a WriterContext,
        keep: &'a [Committable],
    ) -> BoxFuture<'a, Result<(), Fault>> {
        Box::pin(async move {
            let mut kept = Vec::new();
            for committable in keep {
                if let Commit::Publish(closed) = Commit::read(committable)? {
                    kept.push(closed.temporary);
                }
            }
            if !context.checkpoints {
                let directory = self.directory.clone();
                return blocking(&*self.spawner, "clean files", move || clean_left(&directory)).await;
            }
            let (directory, job, start) = (self.directory.clone(), context.job.clone(), context.start);
            blocking(&*self.spawner, "clean files", move || clean(&directory, &job, start, &kept)).await
        })
    }
}

/// Removes the temporary files of the job's earlier starts, below `directory`, but for those that are kept. Another sink of the job may
/// write below it too: what the restored manifest has for that one must be committed by now, or be among `keep`.
fn clean(directory: &Path, job: &str, start: u64, keep: &[PathBuf]) -> Result<(), Fault> {
    remove_below(directory, &|path, name| {
        start_of(name, job).is_some_and(|s| s < start) && !keep.iter().any(|k| k == path)
    })
}

/// Removes the files below a directory that are to go, by path and name.
pub(super) fn remove_below(directory: &Path, goes: &dyn Fn(&Path, &str) -> bool) -> Result<(), Fault> {
    let mut open = vec![directory.to_path_buf()];
    while let Some(directory) = open.pop() {
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
            Err(e) => return Err(io_fault("list", &directory, &e)),
        };
        for entry in entries {
            let entry = entry.map_err(|e| io_fault("list", &directory, &e))?;
            let (path, name) = (entry.path(), entry.file_name());
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                open.push(path);
            } else if goes(&path, &name.to_string_lossy()) {
                match fs::remove_file(&path) {
                    Err(e) if e.kind() != io::ErrorKind::NotFound => {
                        return Err(io_fault("remove", &path, &e));
                    }
                    _ => {}
                }
            }
        }
    }
    Ok(())
}
