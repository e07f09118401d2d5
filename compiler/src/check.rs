//! Reads a set of files and says all that is wrong with them.

use crate::examples;
use crate::lint;
use crate::lint::rules::{INVALID_UTF8, OVERSIZED_FILE, UNREADABLE_FILE};
use crate::plan;
use crate::spec::{Config, ReadFile, ToolsetSpec, read_config, read_spec};
use mcp_bundle::plan::Contents;
use mcp_diagnostics::{Diagnostic, FileId, Severity, Sources, Span};
use std::collections::BTreeMap;

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
    /// Valid up to this many bytes.
    InvalidUtf8(usize),
    TooLarge(u64),
}

/// What to check.
#[derive(Debug, Clone, Default)]
pub struct Input {
    /// Names of the spec files, in the order of reporting.
    pub specs: Vec<String>,
    /// Name of `mcpc.toml`, if there is one.
    pub config: Option<String>,
}

/// The outcome of a run.
#[derive(Debug)]
pub struct Report {
    pub sources: Sources,
    pub config: Config,
    pub toolsets: Vec<ToolsetSpec>,
    /// Sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// How many spec files there were.
    pub files: usize,
    /// What a bundle of these specs holds, if nothing is wrong with them.
    pub contents: Option<Contents>,
}

impl Report {
    pub fn errors(&self) -> usize {
        self.count(Severity::Error)
    }

    pub fn warnings(&self) -> usize {
        self.count(Severity::Warning)
    }

    pub fn tools(&self) -> usize {
        self.toolsets.iter().map(|toolset| toolset.tools.len()).sum()
    }

    /// Some file could not be read at all, so the result says nothing about it.
    pub fn is_incomplete(&self) -> bool {
        self.diagnostics.iter().any(|d| d.is(&UNREADABLE_FILE))
    }

    fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|d| d.severity == severity).count()
    }
}

/// Checks all files of a set in one run.
pub fn check(input: &Input, files: &dyn Files) -> Report {
    let mut sources = Sources::default();
    let mut diagnostics = Vec::new();
    let config = match &input.config {
        Some(name) => {
            let file = open(name, files, &mut sources, &mut diagnostics);
            read_config(&sources, file, &mut diagnostics)
        }
        None => Config::default(),
    };
    let mut toolsets = Vec::new();
    for name in &input.specs {
        let before = diagnostics.len();
        let file = open(name, files, &mut sources, &mut diagnostics);
        if diagnostics.len() > before {
            continue;
        }
        let text = std::mem::take(&mut sources.file_mut(file).text);
        let mut beside = Beside { files, sources: &mut sources };
        toolsets.push(read_spec(name, &text, file, &mut beside, &mut diagnostics));
        sources.file_mut(file).text = text;
    }
    diagnostics.extend(lint::run(&sources, &config, &toolsets));
    let clean = |diagnostics: &[Diagnostic]| diagnostics.iter().all(|d| d.severity != Severity::Error);
    let contents = clean(&diagnostics).then(|| plan::plan(&config, &toolsets));
    if let Some(contents) = &contents {
        diagnostics.extend(examples::check(contents, &toolsets));
    }
    let contents = contents.filter(|_| clean(&diagnostics));
    diagnostics.sort_by_key(|d| (d.span.file, d.span.start, d.span.end, d.code()));
    Report { sources, config, toolsets, diagnostics, files: input.specs.len(), contents }
}

/// Reads a file, or reports why not and leaves it empty.
fn open(name: &str, files: &dyn Files, sources: &mut Sources, diagnostics: &mut Vec<Diagnostic>) -> FileId {
    let (text, problem) = match files.read(name) {
        Ok(text) => (text, None),
        Err(error) => (String::new(), Some(error)),
    };
    let file = sources.add(name, text);
    let span = Span::whole_file(file);
    match problem {
        None => {}
        Some(ReadError::Unreadable(why)) => {
            let message = format!("`{name}` cannot be read: {why}");
            diagnostics.push(Diagnostic::new(&UNREADABLE_FILE, span, message));
        }
        Some(ReadError::InvalidUtf8(valid)) => {
            let message = format!("`{name}` is not UTF-8 text: byte {} fits no character", valid + 1);
            let help = "save the file as UTF-8";
            diagnostics.push(Diagnostic::new(&INVALID_UTF8, span, message).help(help));
        }
        Some(ReadError::TooLarge(bytes)) => {
            let limit = MAX_FILE_BYTES >> 20;
            let message = format!("`{name}` has {} MiB; a spec file has at most {limit} MiB", bytes >> 20);
            let help = "split it into several files; a folder is one set";
            diagnostics.push(Diagnostic::new(&OVERSIZED_FILE, span, message).help(help));
        }
    }
    file
}

/// Reads template files beside a spec.
struct Beside<'a> {
    files: &'a dyn Files,
    sources: &'a mut Sources,
}

impl ReadFile for Beside<'_> {
    fn read(&mut self, spec: FileId, name: &str) -> Result<(FileId, String), String> {
        let spec = &self.sources.file(spec).name;
        let folder = spec.rsplit_once('/').map_or("", |(folder, _)| folder);
        let path = join(folder, name);
        let text = self.files.read_below(folder, name).map_err(|error| match error {
            ReadError::Unreadable(why) => why,
            ReadError::InvalidUtf8(_) => "it is not UTF-8 text".into(),
            ReadError::TooLarge(_) => "it is too large".into(),
        })?;
        Ok((self.sources.add(path, text.clone()), text))
    }
}

pub(crate) fn join(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
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

/// Checks files in memory: every `.toml` but `mcpc.toml` is a spec.
pub fn check_files(files: &MemoryFiles) -> Report {
    let is_config = |name: &&str| *name == "mcpc.toml";
    let specs = files.names().filter(|name| name.ends_with(".toml") && !is_config(name));
    let input = Input {
        specs: specs.map(str::to_owned).collect(),
        config: files.names().find(is_config).map(str::to_owned),
    };
    check(&input, files)
}
