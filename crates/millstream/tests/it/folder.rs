//! A folder that goes with its test.

use std::fs;
use std::path::PathBuf;

pub struct Folder(pub PathBuf);

impl Folder {
    /// An empty one, with a folder for what is read.
    pub fn new(name: &str, input: &str) -> Self {
        let path = std::env::temp_dir().join(format!("millstream-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join(input)).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
