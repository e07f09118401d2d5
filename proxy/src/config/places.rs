//! Where a configuration names its files, so that a missing one is reported with its line.

use super::Problems;
use mcp_diagnostics::{Diagnostic, Sources, Span};
use std::path::{Path, PathBuf};

/// The files that `edge.toml` names, each with its place.
#[derive(Debug, Clone, Default)]
pub struct Places {
    sources: Sources,
    files: Vec<(PathBuf, Span)>,
}

/// What is wrong with one of the files that are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileProblem {
    pub path: PathBuf,
    pub message: String,
}

impl FileProblem {
    pub fn new(path: &Path, message: impl ToString) -> FileProblem {
        FileProblem { path: path.to_owned(), message: message.to_string() }
    }
}

impl Places {
    pub(super) fn new(sources: Sources, files: Vec<(PathBuf, Span)>) -> Places {
        Places { sources, files }
    }

    /// Splits problems into those of files that the configuration names, with their lines, and the rest.
    pub fn locate(&self, problems: Vec<FileProblem>) -> (Option<Problems>, Vec<String>) {
        let mut located = Vec::new();
        let mut rest = Vec::new();
        for FileProblem { path, message } in problems {
            match self.files.iter().find(|(named, _)| *named == path) {
                Some((_, span)) => located.push(Diagnostic::error(*span, message)),
                None => rest.push(message),
            }
        }
        located.sort_by_key(|problem| problem.span);
        let problems = Problems { sources: self.sources.clone(), diagnostics: located };
        ((!problems.diagnostics.is_empty()).then_some(problems), rest)
    }
}

#[cfg(test)]
mod tests {
    use crate::config::{Config, FileProblem};
    use std::path::Path;

    #[test]
    fn a_file_of_the_configuration_is_reported_with_its_line() {
        let text = "threads = 1\nsecrets = \"a.env\"\n";
        let config = Config::parse(text, "edge.toml", Path::new("conf")).unwrap();
        let problem = |path: &str| FileProblem::new(Path::new(path), format!("no `{path}`"));
        let (located, rest) = config.places.locate(vec![problem("b.env"), problem("conf/a.env")]);
        assert_eq!(located.unwrap().to_string(), "edge.toml:2:11: no `conf/a.env`");
        assert_eq!(rest, ["no `b.env`"]);
    }
}
