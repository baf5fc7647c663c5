//! Files that expressions look things up in, handed in so that planning and evaluation do no I/O of their own.

use std::fmt::Debug;

use crate::Fault;

/// Where the content of a named file comes from.
pub trait Files: Send + Sync + Debug {
    /// The whole content of a file, decompressed.
    ///
    /// # Errors
    /// External or User, naming the file: it is not there, cannot be read, is damaged.
    fn read(&self, path: &str) -> Result<Vec<u8>, Fault>;

    /// A number that is another one when the content has changed.
    ///
    /// # Errors
    /// As [`Files::read`].
    fn version(&self, path: &str) -> Result<u64, Fault>;
}

/// No files at all: every name is refused.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoFiles;

impl Files for NoFiles {
    fn read(&self, path: &str) -> Result<Vec<u8>, Fault> {
        Err(Fault::user("no-files", "this session reads no files for functions")
            .in_place(path)
            .hint("SessionBuilder::files says where files are read"))
    }

    fn version(&self, path: &str) -> Result<u64, Fault> {
        self.read(path).map(|_| 0)
    }
}
