//! Which files a path means.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use millstream_types::Fault;

use super::fault::{io_fault, nearby};
use super::follow::Identity;
use super::glob::{Glob, is_pattern};

/// A file that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    /// Its absolute path.
    pub path: PathBuf,
    /// Its size in bytes.
    pub size: u64,
    /// When it was last written, in milliseconds since the epoch.
    pub modified_millis: i64,
    /// Which file it is, whatever its name.
    pub identity: Identity,
}

/// The files of a path (a file, a directory, a pattern), sorted by path.
pub(super) fn list(path: &Path) -> Result<Vec<Found>, Fault> {
    let path = std::path::absolute(path).map_err(|e| io_fault("find", path, &e))?;
    let mut out = Vec::new();
    match fs::metadata(&path) {
        Ok(meta) if meta.is_dir() => walk(&path, None, &mut out)?,
        Ok(meta) if waits(&meta) => {
            return Err(Fault::user(
                "not-a-file",
                format!("'{}' is a pipe or socket, not a file", path.display()),
            )
            .hint("read pipes with the connector 'stdin'"));
        }
        // What the user names is read, also if its name is one that a directory would hide.
        Ok(meta) => out.push(found(path, &meta)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => match path.to_str().filter(|t| is_pattern(t)) {
            Some(text) => {
                // The directories before the first name with a pattern in it are taken as they are.
                let fixed: Vec<&str> = text.split('/').take_while(|name| !is_pattern(name)).collect();
                let base = PathBuf::from(format!("{}/", fixed.join("/")));
                let glob = Glob::new(text)?;
                if !base.is_dir() {
                    return Err(Fault::user(
                        "file-not-found",
                        format!("the directory '{}' does not exist", base.display()),
                    )
                    .hint(nearby(&base)));
                }
                walk(&base, Some(&glob), &mut out)?;
            }
            None => return Err(io_fault("find", &path, &e)),
        },
        Err(e) => return Err(io_fault("read", &path, &e)),
    }
    out.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(out)
}

fn found(path: PathBuf, meta: &fs::Metadata) -> Found {
    let modified_millis = meta
        .modified()
        .ok()
        .and_then(|t| t.duration_since(UNIX_EPOCH).ok())
        .and_then(|d| i64::try_from(d.as_millis()).ok())
        .unwrap_or(0);
    Found { path, size: meta.len(), modified_millis, identity: Identity::of(meta) }
}

/// Whether a read may have to wait for somebody who writes.
fn waits(meta: &fs::Metadata) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let file_type = meta.file_type();
        file_type.is_fifo() || file_type.is_socket()
    }
    #[cfg(not(unix))]
    {
        let _ = meta;
        false
    }
}

fn is_hidden(name: &str) -> bool {
    name.starts_with(['.', '_'])
}

fn walk(root: &Path, glob: Option<&Glob>, out: &mut Vec<Found>) -> Result<(), Fault> {
    let mut open = vec![root.to_path_buf()];
    // Directories reached by links, so that a link to its own parent ends.
    let mut linked: HashSet<PathBuf> = HashSet::new();
    while let Some(directory) = open.pop() {
        let entries = match fs::read_dir(&directory) {
            Ok(entries) => entries,
            Err(e) if e.kind() == io::ErrorKind::NotFound && directory != root => continue,
            Err(e) => return Err(io_fault("list", &directory, &e)),
        };
        for entry in entries {
            let entry = entry.map_err(|e| io_fault("list", &directory, &e))?;
            let path = entry.path();
            if is_hidden(&entry.file_name().to_string_lossy()) {
                continue;
            }
            let is_link = entry.file_type().is_ok_and(|t| t.is_symlink());
            let meta = match fs::metadata(&path) {
                Ok(meta) => meta,
                // It went away since it was listed, or is a link to nothing.
                Err(e) if e.kind() == io::ErrorKind::NotFound => continue,
                Err(e) => return Err(io_fault("read", &path, &e)),
            };
            if meta.is_dir() {
                let fresh = !is_link || fs::canonicalize(&path).is_ok_and(|target| linked.insert(target));
                if fresh {
                    open.push(path);
                }
            } else if meta.is_file() && glob.is_none_or(|g| path.to_str().is_some_and(|t| g.matches(t))) {
                out.push(found(path, &meta));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    fn names(dir: &TempDir, pattern: &str) -> Vec<String> {
        let base = std::path::absolute(dir.path()).unwrap();
        let files = list(&dir.path().join(pattern)).unwrap();
        files.iter().map(|f| f.path.strip_prefix(&base).unwrap().to_str().unwrap().to_string()).collect()
    }

    #[test]
    fn directories_patterns_and_hidden_names() {
        let dir = TempDir::new();
        for name in ["b.csv", "a/x.csv", "a/y.json", "_tmp/z.csv", ".hidden", "a/_SUCCESS", "a/deep/er/q.csv"]
        {
            dir.file(name, "x");
        }
        assert_eq!(names(&dir, ""), ["a/deep/er/q.csv", "a/x.csv", "a/y.json", "b.csv"]);
        assert_eq!(names(&dir, "a/*.csv"), ["a/x.csv"]);
        assert_eq!(names(&dir, "**/*.csv"), ["a/deep/er/q.csv", "a/x.csv", "b.csv"]);
        assert_eq!(names(&dir, "{b,a/y}.*"), ["a/y.json", "b.csv"]);
        assert_eq!(names(&dir, ".hidden"), [".hidden"]);
        assert!(names(&dir, "*.parquet").is_empty());
    }

    #[test]
    fn a_literal_name_wins_over_a_pattern() {
        let dir = TempDir::new();
        dir.file("a[1].csv", "x");
        dir.file("a1.csv", "x");
        assert_eq!(names(&dir, "a[1].csv"), ["a[1].csv"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_to_parents_end() {
        let dir = TempDir::new();
        dir.file("d/x", "x");
        std::os::unix::fs::symlink(dir.path(), dir.path().join("d/loop")).unwrap();
        std::os::unix::fs::symlink("/nowhere", dir.path().join("d/dangling")).unwrap();
        assert_eq!(names(&dir, "").last().unwrap(), "d/x");
        assert!(names(&dir, "").len() <= 2);
    }

    #[cfg(unix)]
    #[test]
    fn sockets_are_no_files() {
        let dir = TempDir::new();
        let path = dir.path().join("s");
        let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert_eq!(list(&path).unwrap_err().code(), "not-a-file");
        assert!(names(&dir, "").is_empty());
    }

    #[test]
    fn missing_files_name_their_neighbours() {
        let dir = TempDir::new();
        dir.file("orders.jsonl", "x");
        let fault = list(&dir.path().join("order.jsonl")).unwrap_err();
        assert_eq!(fault.code(), "file-not-found");
        assert!(fault.remedy().unwrap().contains("orders.jsonl"), "{fault}");
        let fault = list(&dir.path().join("nothing/like/it.csv")).unwrap_err();
        assert!(fault.remedy().unwrap().contains("orders.jsonl"), "{fault}");
        let fault = list(&dir.path().join("nothing/*.csv")).unwrap_err();
        assert!(fault.to_string().contains("nothing"), "{fault}");
    }
}
