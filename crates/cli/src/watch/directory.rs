//! The SQL files of a directory, as a poll finds them.

use std::collections::BTreeMap;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A file that was written this short a time ago may still be written: it is looked at in the next poll.
const SETTLING_MILLIS: i64 = 100;

/// Finds what has changed from poll to poll. Time, size and content are compared, which needs nothing from the file system.
pub struct Directory {
    root: PathBuf,
    known: BTreeMap<String, Known>,
    /// Whether there has been a poll.
    polled: bool,
    /// What could not be read, so that it is told once.
    troubles: BTreeMap<PathBuf, String>,
}

struct Known {
    modified: Option<SystemTime>,
    size: u64,
    /// When it was looked at, in milliseconds since the epoch.
    seen: i64,
    text: Option<String>,
}

/// What a poll found.
pub enum Change {
    /// A job's file is new, or its text has changed.
    Text {
        /// The job.
        name: String,
        /// The file.
        path: PathBuf,
        /// Its text.
        text: String,
    },
    /// A job's file is gone.
    Gone {
        /// The job.
        name: String,
    },
    /// Something cannot be read: what runs goes on as it is.
    Trouble(String),
}

impl Directory {
    /// A directory of which nothing is known yet.
    pub fn new(root: PathBuf) -> Self {
        Directory { root, known: BTreeMap::new(), polled: false, troubles: BTreeMap::new() }
    }

    /// What has changed since the last poll, in the order of the jobs' names; `now` is the time in milliseconds since the epoch.
    ///
    /// # Errors
    /// When the directory itself cannot be read.
    pub fn poll(&mut self, now: i64) -> Result<Vec<Change>, Error> {
        let mut files = BTreeMap::new();
        let mut unread = Vec::new();
        for (name, path, folder) in list(&self.root)? {
            if !folder {
                files.extend(job_name(&name).map(|n| (n.to_string(), path)));
                continue;
            }
            match list(&path) {
                Ok(inner) => files.extend(inner.into_iter().filter_map(|(file, path, folder)| {
                    let job = job_name(&file).filter(|_| !folder)?;
                    Some((format!("{name}/{job}"), path))
                })),
                // Gone between the two looks.
                Err(e) if e.kind() == ErrorKind::NotFound => {}
                Err(e) => unread.push((format!("{name}/"), path, e)),
            }
        }
        let mut changes = Vec::new();
        let mut troubles = BTreeMap::new();
        for (_, path, error) in &unread {
            troubles.insert(path.clone(), error.to_string());
        }
        let kept = |name: &String| unread.iter().any(|(folder, ..)| name.starts_with(folder.as_str()));
        for name in self.known.keys().filter(|n| !files.contains_key(*n) && !kept(n)) {
            changes.push(Change::Gone { name: name.clone() });
        }
        self.known.retain(|n, _| files.contains_key(n) || kept(n));
        for (name, path) in files {
            match self.look(&name, &path, now) {
                Ok(Some(text)) => changes.push(Change::Text { name, path, text }),
                Ok(None) => {}
                Err(trouble) => {
                    troubles.insert(path, trouble);
                }
            }
        }
        for (path, trouble) in &troubles {
            if self.troubles.get(path) != Some(trouble) {
                changes.push(Change::Trouble(format!("{} cannot be read: {trouble}", path.display())));
            }
        }
        self.troubles = troubles;
        self.polled = true;
        Ok(changes)
    }

    /// The text of a file if it is another than before.
    fn look(&mut self, name: &str, path: &Path, now: i64) -> Result<Option<String>, String> {
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(e.to_string()),
        };
        let modified = metadata.modified().ok();
        let millis =
            modified.and_then(|m| m.duration_since(UNIX_EPOCH).ok()).map_or(0, |d| d.as_millis() as i64);
        let known = self.known.get(name);
        // Equal times say little as long as a second write can have the same one.
        let settled =
            |k: &&Known| k.modified == modified && k.size == metadata.len() && k.seen - millis > 2000;
        let settling = self.polled && (0..SETTLING_MILLIS).contains(&(now - millis));
        if known.is_some_and(|k| settled(&k)) || settling {
            return Ok(None);
        }
        let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
        let text = String::from_utf8(bytes)
            .map_err(|e| format!("it is not UTF-8 (byte {})", e.utf8_error().valid_up_to()))?;
        let same = known.and_then(|k| k.text.as_deref()) == Some(&text);
        let size = metadata.len();
        self.known.insert(name.to_string(), Known { modified, size, seen: now, text: Some(text.clone()) });
        Ok((!same).then_some(text))
    }
}

/// A job's name by its file's.
fn job_name(file: &str) -> Option<&str> {
    file.strip_suffix(".sql").filter(|n| !n.is_empty())
}

/// What a folder holds, sorted: names, paths, and whether it is a folder. Hidden entries are left out.
fn list(folder: &Path) -> Result<Vec<(String, PathBuf, bool)>, Error> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        if name.starts_with('.') {
            continue;
        }
        let path = entry.path();
        let folder = path.is_dir();
        found.push((name, path, folder));
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn told(directory: &mut Directory, now: i64) -> Vec<String> {
        let told = |c| match c {
            Change::Text { name, text, .. } => format!("{name} is {text}"),
            Change::Gone { name } => format!("{name} is gone"),
            Change::Trouble(_) => "trouble".into(),
        };
        directory.poll(now).unwrap().into_iter().map(told).collect()
    }

    #[test]
    fn files_come_change_and_go() {
        let root = std::env::temp_dir().join(format!("millstream-watch-{}", std::process::id()));
        std::fs::create_dir_all(root.join("team/deeper")).unwrap();
        let write = |name: &str, text: &[u8]| std::fs::write(root.join(name), text).unwrap();
        write("b.sql", b"1");
        write("team/a.sql", b"2");
        write("team/deeper/no.sql", b"too deep");
        write("team/.hidden.sql", b"no");
        write("readme.md", b"no");
        let mut directory = Directory::new(root.clone());
        // Far from the files' times, so that they are settled.
        let later = i64::MAX / 2;
        assert_eq!(told(&mut directory, later), ["b is 1", "team/a is 2"]);
        assert_eq!(told(&mut directory, later), [""; 0]);
        std::fs::remove_file(root.join("b.sql")).unwrap();
        write("team/a.sql", b"3 longer");
        write("c.sql", b"\xff");
        assert_eq!(told(&mut directory, later), ["b is gone", "team/a is 3 longer", "trouble"]);
        assert_eq!(told(&mut directory, later), [""; 0], "a trouble is told once");
        write("c.sql", b"4");
        std::fs::remove_dir_all(root.join("team")).unwrap();
        assert_eq!(told(&mut directory, later), ["team/a is gone", "c is 4"]);
        std::fs::remove_dir_all(&root).unwrap();
        assert!(directory.poll(later).is_err(), "nothing is stopped because the directory cannot be read");
    }
}
