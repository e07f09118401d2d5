//! Reads a set of files and reports every problem in them.

mod examples;
mod mapping;

use crate::checked::{CheckedTool, CheckedToolset};
use crate::files::{MAX_FILE_BYTES, join};
use crate::language::rules::{EMPTY_SPEC, INVALID_UTF8, OVERSIZED_FILE, UNREADABLE_FILE};
use crate::lint;
use crate::lint::{Config, read_config};
use crate::plan;
use crate::spec::{NotASpec, ReadFile, read_spec};
use mcp_bundle::plan::Contents;
use mcp_diagnostics::{Diagnostic, FileId, Severity, Sources, Span};

pub use crate::files::{Files, Input, MemoryFiles, ReadError};

/// The outcome of a run.
#[derive(Debug)]
pub struct Report {
    pub sources: Sources,
    pub config: Config,
    pub toolsets: Vec<CheckedToolset>,
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

    /// Some file could not be read at all, so the report is incomplete.
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
    let mut skipped = Vec::new();
    for name in &input.specs {
        let before = diagnostics.len();
        let file = open(name, files, &mut sources, &mut diagnostics);
        if diagnostics.len() > before {
            continue;
        }
        let text = std::mem::take(&mut sources.file_mut(file).text);
        let mut beside = Beside { files, sources: &mut sources };
        match read_spec(name, &text, file, &mut beside, &mut diagnostics) {
            Ok(toolset) => toolsets.push(toolset.map_tools(CheckedTool::new)),
            // Nobody named the file: it is just there.
            Err(kind) if kind.explain().is_some() && input.found.contains(name) => skipped.push((file, kind)),
            Err(kind) => diagnostics.extend(not_a_spec(name, file, kind)),
        }
        sources.file_mut(file).text = text;
    }
    let files = input.specs.len() - skipped.len();
    if files == 0 {
        // Otherwise nothing would be said at all.
        let finding = |(file, kind)| not_a_spec(&sources.file(file).name, file, kind);
        diagnostics.extend(skipped.into_iter().filter_map(finding));
    }
    diagnostics.extend(lint::run(&sources, &config, &toolsets));
    let clean = |diagnostics: &[Diagnostic]| diagnostics.iter().all(|d| d.severity != Severity::Error);
    let contents = clean(&diagnostics).then(|| plan::plan(&config, &toolsets));
    if let Some(contents) = &contents {
        diagnostics.extend(examples::check(contents, &toolsets));
        diagnostics.extend(mapping::check(contents, &toolsets));
    }
    let contents = contents.filter(|_| clean(&diagnostics));
    diagnostics.sort_by_key(|d| (d.span.file, d.span.start, d.span.end, d.code()));
    Report { sources, config, toolsets, diagnostics, files, contents }
}

/// The finding about a file that is plainly something else than a spec.
fn not_a_spec(name: &str, file: FileId, kind: NotASpec) -> Option<Diagnostic> {
    let (what, help) = kind.explain()?;
    let message = format!("`{name}` is {what}");
    Some(Diagnostic::new(&EMPTY_SPEC, Span::whole_file(file), message).help(help))
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
        Some(ReadError::InvalidUtf8(at)) => {
            let message = format!("invalid UTF-8 at line {}, column {}", at.line, at.column);
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
            ReadError::InvalidUtf8(at) => format!("invalid UTF-8 at line {}, column {}", at.line, at.column),
            ReadError::TooLarge(_) => "it is too large".into(),
        })?;
        Ok((self.sources.add(path, text.clone()), text))
    }
}

/// Checks files in memory: every `.toml` but `mcpc.toml` is a spec.
pub fn check_files(files: &MemoryFiles) -> Report {
    let is_config = |name: &&str| *name == "mcpc.toml";
    let specs = files.names().filter(|name| name.ends_with(".toml") && !is_config(name));
    let input = Input {
        specs: specs.map(str::to_owned).collect(),
        config: files.names().find(is_config).map(str::to_owned),
        ..Input::default()
    };
    check(&input, files)
}
