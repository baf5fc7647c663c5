//! Where manifests are kept.

use std::fmt::Debug;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use millstream_types::Fault;

use super::Manifest;

/// What a start of a job begins with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Restore {
    /// Nothing: a new job.
    #[default]
    None,
    /// The newest checkpoint; a new job where there is none.
    Latest,
    /// The checkpoint with this number. Going back to one that is not the newest repeats output.
    Number {
        /// Its number.
        number: u64,
        /// The user has agreed that output may be repeated.
        allow_duplicates: bool,
    },
}

/// A sequence of manifests.
pub trait CheckpointStorage: Send + Sync + Debug {
    /// Creates the manifest of a number. `Ok(false)`: the number is taken, or was: there is a greater one. A process that was asleep while its
    /// successor took the number, and removed it again as no longer retained, must not get it.
    ///
    /// # Errors
    /// External, when it cannot be made durable.
    fn create(&self, manifest: &Manifest) -> Result<bool, Fault>;

    /// The numbers that there are, ascending.
    ///
    /// # Errors
    /// External, when they cannot be listed.
    fn numbers(&self) -> Result<Vec<u64>, Fault>;

    /// The manifest of a number.
    ///
    /// # Errors
    /// External, when it is missing or damaged.
    fn read(&self, number: u64) -> Result<Manifest, Fault>;

    /// Removes a manifest; one that is gone already is no error.
    ///
    /// # Errors
    /// External, when it cannot be removed.
    fn remove(&self, number: u64) -> Result<(), Fault>;

    /// The place, for messages.
    fn place(&self) -> String;
}

/// The manifest that a start begins with.
///
/// # Errors
/// User, when the wanted checkpoint does not exist or would repeat output without consent; what [`CheckpointStorage`] says.
pub fn restored(storage: &dyn CheckpointStorage, restore: &Restore) -> Result<Option<Manifest>, Fault> {
    let numbers = storage.numbers()?;
    match restore {
        Restore::None => Ok(None),
        Restore::Latest => numbers.last().map(|n| storage.read(*n)).transpose(),
        Restore::Number { number, allow_duplicates } => {
            if !numbers.contains(number) {
                let known = numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
                return Err(Fault::user(
                    "unknown-checkpoint",
                    format!("there is no checkpoint {number} in {}", storage.place()),
                )
                .hint(if known.is_empty() {
                    "there is none at all".to_string()
                } else {
                    format!("there are: {known}")
                }));
            }
            if numbers.last() != Some(number) && !allow_duplicates {
                return Err(Fault::user(
                    "older-checkpoint",
                    format!("checkpoint {number} is not the newest one: output behind it would be repeated"),
                )
                .hint("restore with --restore latest, or add --allow-duplicates"));
            }
            storage.read(*number).map(Some)
        }
    }
}

/// Manifests as files of a local directory: written aside, made durable, then hard-linked to their name, which fails if the name is taken.
#[derive(Debug, Clone)]
pub struct LocalStorage {
    directory: PathBuf,
}

impl LocalStorage {
    /// Manifests in a directory, which is created with its parents.
    ///
    /// # Errors
    /// External, when it cannot be created.
    pub fn new(directory: impl Into<PathBuf>) -> Result<Self, Fault> {
        let directory = directory.into();
        fs::create_dir_all(&directory)
            .map_err(|e| disk(&directory, "creating the checkpoint directory", &e))?;
        Ok(LocalStorage { directory })
    }

    fn path(&self, number: u64) -> PathBuf {
        self.directory.join(format!("{number:010}.manifest"))
    }

    fn listed(&self) -> std::io::Result<Vec<u64>> {
        let mut numbers = Vec::new();
        for entry in fs::read_dir(&self.directory)? {
            let name = entry?.file_name();
            // Names that are no numbers are not ours.
            numbers.extend(name.to_str().and_then(|n| n.strip_suffix(".manifest")?.parse::<u64>().ok()));
        }
        numbers.sort_unstable();
        Ok(numbers)
    }
}

fn disk(path: &Path, what: &str, error: &std::io::Error) -> Fault {
    Fault::external("checkpoint-storage", format!("{what}: {error}")).in_place(path.display())
}

impl CheckpointStorage for LocalStorage {
    fn create(&self, manifest: &Manifest) -> Result<bool, Fault> {
        let target = self.path(manifest.number);
        let aside = self.directory.join(format!(
            ".{:010}.{}.{}.tmp",
            manifest.number,
            manifest.start,
            std::process::id()
        ));
        let write = || -> std::io::Result<bool> {
            let mut file = fs::File::create(&aside)?;
            file.write_all(&manifest.to_bytes().map_err(std::io::Error::other)?)?;
            file.sync_all()?;
            drop(file);
            match fs::hard_link(&aside, &target) {
                Ok(()) => {
                    // Who removes a manifest has a greater one already, so looking after the link misses no successor.
                    let passed = self.listed()?.last().is_some_and(|newest| *newest > manifest.number);
                    if passed {
                        fs::remove_file(&target)?;
                    }
                    fs::File::open(&self.directory)?.sync_all()?;
                    Ok(!passed)
                }
                Err(e) if e.kind() == ErrorKind::AlreadyExists => Ok(false),
                Err(e) => Err(e),
            }
        };
        let created = write();
        // What is left aside has no meaning without the link.
        let _ = fs::remove_file(&aside);
        created.map_err(|e| disk(&target, "writing the manifest", &e))
    }

    fn numbers(&self) -> Result<Vec<u64>, Fault> {
        self.listed().map_err(|e| disk(&self.directory, "listing checkpoints", &e))
    }

    fn read(&self, number: u64) -> Result<Manifest, Fault> {
        let path = self.path(number);
        let bytes = fs::read(&path).map_err(|e| disk(&path, "reading the manifest", &e))?;
        Manifest::from_bytes(&bytes).map_err(|f| f.in_place(path.display()))
    }

    fn remove(&self, number: u64) -> Result<(), Fault> {
        match fs::remove_file(self.path(number)) {
            Err(e) if e.kind() != ErrorKind::NotFound => {
                Err(disk(&self.path(number), "removing a manifest", &e))
            }
            _ => Ok(()),
        }
    }

    fn place(&self) -> String {
        self.directory.display().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_given_once() {
        let dir = std::env::temp_dir().join(format!("millstream-manifests-{}", std::process::id()));
        let storage = LocalStorage::new(&dir).unwrap();
        let mut m = Manifest::new("j".into(), "n".into(), 128);
        m.number = 7;
        assert!(storage.create(&m).unwrap());
        assert!(!storage.create(&m).unwrap(), "a successor has it already");
        assert_eq!(storage.numbers().unwrap(), [7]);
        assert_eq!(restored(&storage, &Restore::Latest).unwrap(), Some(m.clone()));
        let f = restored(&storage, &Restore::Number { number: 3, allow_duplicates: true }).unwrap_err();
        assert!(f.remedy().unwrap().contains('7'));
        m.number = 9;
        assert!(storage.create(&m).unwrap());
        storage.remove(7).unwrap();
        storage.remove(7).unwrap();
        m.number = 7;
        assert!(!storage.create(&m).unwrap(), "a successor had it, and is further by now");
        assert_eq!(storage.numbers().unwrap(), [9]);
        storage.remove(9).unwrap();
        assert_eq!(restored(&storage, &Restore::Latest).unwrap(), None);
        fs::remove_dir_all(dir).unwrap();
    }
}
