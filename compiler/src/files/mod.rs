//! Where specs come from: files by name, on disk or in memory.

pub mod disk;
pub mod git;
pub mod glob;

use mcp_diagnostics::Location;
use std::collections::{BTreeMap, BTreeSet};

/// Largest file that is read.
pub const MAX_FILE_BYTES: u64 = 64 * 1024 * 1024;

/// Reads files by name. Names are as people write them, with `/`.
pub trait Files {
    fn read(&self, name: &str) -> Result<String, ReadError>;

    /// Reads a file below a folder, and refuses one that leads out of it.
    fn read_below(&self, folder: &str, name: &str) -> Result<String, ReadError> {
        self.read(&join(folder, name))
    }
}

/// Why a file has no text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadError {
    Unreadable(String),
    /// The place of the first byte that is not text.
    InvalidUtf8(Location),
    TooLarge(u64),
}

/// What to check.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// Names of the spec files, in the order of reporting.
    pub specs: Vec<String>,
    /// Those of them that nobody named: a search of a folder found them.
    pub found: BTreeSet<String>,
    /// Name of `mcpc.toml`, if there is one.
    pub config: Option<String>,
}

pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Files of which some have another text than on disk: standard input, and files with fixes that
/// are not written yet.
pub struct Overlay<'f> {
    files: &'f dyn Files,
    texts: BTreeMap<String, Result<String, ReadError>>,
}

impl<'f> Overlay<'f> {
    pub fn new(files: &'f dyn Files) -> Overlay<'f> {
        Overlay { files, texts: BTreeMap::new() }
    }

    pub fn replace(&mut self, name: &str, text: Result<String, ReadError>) {
        self.texts.insert(name.to_owned(), text);
    }
}

impl std::fmt::Debug for Overlay<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.texts.keys()).finish()
    }
}

impl Files for Overlay<'_> {
    fn read(&self, name: &str) -> Result<String, ReadError> {
        self.texts.get(name).cloned().unwrap_or_else(|| self.files.read(name))
    }

    fn read_below(&self, folder: &str, name: &str) -> Result<String, ReadError> {
        let text = self.texts.get(&join(folder, name)).cloned();
        text.unwrap_or_else(|| self.files.read_below(folder, name))
    }
}

/// Files that are only in memory, for tests and tools.
#[derive(Debug, Clone, Default)]
pub struct MemoryFiles(BTreeMap<String, String>);

impl MemoryFiles {
    pub fn one(name: &str, text: &str) -> MemoryFiles {
        MemoryFiles(BTreeMap::from([(name.to_owned(), text.to_owned())]))
    }

    pub fn add(&mut self, name: &str, text: &str) {
        self.0.insert(name.to_owned(), text.to_owned());
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

impl Files for MemoryFiles {
    fn read(&self, name: &str) -> Result<String, ReadError> {
        self.0.get(name).cloned().ok_or_else(|| ReadError::Unreadable("no such file".into()))
    }
}
