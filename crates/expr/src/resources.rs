//! What a session lends to functions beside their arguments: grok patterns of its own and files that addresses are looked up in.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use millstream_text::grok::Grok;
use millstream_types::{Fault, Files, NoFiles};

use crate::region::Regions;

/// The tables that were read, each with the version of its file.
type Tables = Mutex<HashMap<String, (u64, Arc<Regions>)>>;

/// The resources of a session. Copies share what was read.
#[derive(Debug, Clone)]
pub struct Resources {
    files: Arc<dyn Files>,
    tables: Arc<Tables>,
    /// Grok patterns, one a line: a name, a space, a pattern. They come before the library's.
    pub grok_patterns: Arc<str>,
    /// A file of such lines.
    pub grok_file: Option<Arc<str>>,
    /// The file that IP2REGION looks into when a call names none.
    pub region_file: Option<Arc<str>>,
}

impl Default for Resources {
    fn default() -> Self {
        Resources::new(Arc::new(NoFiles))
    }
}

impl Resources {
    /// Resources whose files are read by `files`.
    pub fn new(files: Arc<dyn Files>) -> Self {
        Resources {
            files,
            tables: Arc::default(),
            grok_patterns: "".into(),
            grok_file: None,
            region_file: None,
        }
    }

    /// The same files with other patterns and names of files; what was read is shared.
    #[must_use]
    pub fn with(
        &self,
        grok_patterns: Arc<str>,
        grok_file: Option<Arc<str>>,
        region_file: Option<Arc<str>>,
    ) -> Self {
        Resources { grok_patterns, grok_file, region_file, ..self.clone() }
    }

    /// The session's grok patterns, of one name the last one counts: those of the file, then those that were set one by one.
    ///
    /// # Errors
    /// What the file gives; User, when it is no text.
    pub fn grok_definitions(&self) -> Result<String, Fault> {
        let mut all = String::new();
        if let Some(path) = &self.grok_file {
            let text = String::from_utf8(self.files.read(path)?).map_err(|_| {
                Fault::user("bad-grok", "the file of grok patterns is no text in UTF-8")
                    .in_place(path)
                    .hint("a line of it is a name, a space and a pattern")
            })?;
            all.push_str(&text);
            all.push('\n');
        }
        all.push_str(&self.grok_patterns);
        Ok(all)
    }

    /// The table of a file; it is read once, and again only when the file has changed.
    ///
    /// # Errors
    /// What the file gives; User, when it is no table of addresses.
    pub(crate) fn regions(&self, path: &str) -> Result<Arc<Regions>, Fault> {
        let version = self.files.version(path)?;
        let mut tables = self.tables.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, table)) = tables.get(path).filter(|(v, _)| *v == version) {
            return Ok(Arc::clone(table));
        }
        let table = Arc::new(Regions::read(path, self.files.read(path)?)?);
        tables.insert(path.to_string(), (version, Arc::clone(&table)));
        Ok(table)
    }
}

/// Whether a text can be the grok pattern of a name; `definitions` are the patterns that it may use beside the library's.
///
/// # Errors
/// User (`bad-grok`).
pub fn check_grok_pattern(name: &str, pattern: &str, definitions: &str) -> Result<(), Fault> {
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || "_-".contains(c)) {
        return Err(Fault::user("bad-grok", format!("'{name}' is no name of a grok pattern"))
            .hint("use letters, digits, _ and -"));
    }
    if pattern.trim().is_empty() || pattern.contains(['\n', '\r']) {
        return Err(Fault::user("bad-grok", format!("the grok pattern of {name} is not one line of text")));
    }
    Grok::compile(&format!("%{{{name}:whole}}"), &format!("{definitions}\n{name} {pattern}")).map(drop)
}
