//! Whole files for functions that look things up.

use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;
use std::time::UNIX_EPOCH;

use millstream_types::{Fault, Files};

use super::compression::Compression;
use super::fault::io_fault;
use super::options::local_path;

/// The machine's files: a path or a `file://` URI; `.gz`, `.zst` and `.deflate` are decompressed.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalFiles;

impl Files for LocalFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, Fault> {
        let path = located(path)?;
        let file = File::open(&path).map_err(|e| io_fault("read", &path, &e))?;
        if file.metadata().is_ok_and(|m| m.is_dir()) {
            return Err(
                Fault::user("not-a-file", format!("'{}' is a directory", path.display())).hint("name a file")
            );
        }
        let mut content = Vec::new();
        Compression::of(&path)?
            .reader(file, &path)?
            .read_to_end(&mut content)
            .map_err(|e| io_fault("read", &path, &e))?;
        Ok(content)
    }

    fn version(&self, path: &str) -> Result<u64, Fault> {
        let path = located(path)?;
        let data = fs::metadata(&path).map_err(|e| io_fault("read", &path, &e))?;
        let modified = data.modified().ok().and_then(|t| t.duration_since(UNIX_EPOCH).ok());
        let nanos = modified.map_or(0, |d| d.as_nanos() as u64);
        Ok(nanos.rotate_left(17) ^ data.len())
    }
}

fn located(path: &str) -> Result<PathBuf, Fault> {
    local_path(path)
}
