//! One JSON document, on one line. Scripts rely on its shape: a key is added with a reason and
//! never removed.

use crate::check::Report;
use mcp_diagnostics::{Applicability, Diagnostic, Edit, Fix, Location};
use serde::{Serialize, Serializer};
use std::io::{Result, Write};

#[derive(Serialize)]
struct Document<'r> {
    version: u32,
    diagnostics: Findings<'r>,
    summary: Summary,
}

/// Serialized one by one: a large set has many findings.
struct Findings<'r>(&'r Report);

/// One finding, as it is in the document.
#[cfg(feature = "dev")]
pub fn finding<'r>(report: &'r Report, diagnostic: &'r Diagnostic) -> impl Serialize + 'r {
    Finding::new(report, diagnostic)
}

#[derive(Serialize)]
struct Finding<'r> {
    code: &'static str,
    rule: &'static str,
    severity: &'static str,
    message: &'r str,
    file: &'r str,
    start: JsonPosition,
    end: JsonPosition,
    notes: &'r [String],
    help: Option<&'r str>,
    /// At most one today.
    fixes: Vec<JsonFix<'r>>,
}

#[derive(Serialize)]
struct JsonFix<'r> {
    message: &'r str,
    /// `safe`: `--fix` applies it. `display-only`: a person has to decide.
    applicability: &'static str,
    /// They do not overlap, and go together.
    edits: Vec<JsonEdit<'r>>,
}

/// Replaces what is between two places with a text.
#[derive(Serialize)]
struct JsonEdit<'r> {
    file: &'r str,
    start: JsonPosition,
    end: JsonPosition,
    text: &'r str,
}

/// A place as all our JSON documents write it.
#[derive(Serialize)]
pub struct JsonPosition {
    line: usize,
    column: usize,
    offset: usize,
}

#[derive(Serialize)]
struct Summary {
    files: usize,
    tools: usize,
    errors: usize,
    warnings: usize,
}

pub fn write(report: &Report, out: &mut dyn Write) -> Result<()> {
    let summary = Summary {
        files: report.files,
        tools: report.tools(),
        errors: report.errors(),
        warnings: report.warnings(),
    };
    serde_json::to_writer(&mut *out, &Document { version: 1, diagnostics: Findings(report), summary })?;
    writeln!(out)
}

impl Serialize for Findings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.diagnostics.iter().map(|diagnostic| Finding::new(self.0, diagnostic)))
    }
}

impl<'r> Finding<'r> {
    fn new(report: &'r Report, diagnostic: &'r Diagnostic) -> Finding<'r> {
        Finding {
            code: diagnostic.code(),
            rule: diagnostic.name(),
            severity: diagnostic.severity.word(),
            message: &diagnostic.message,
            file: &report.sources.file(diagnostic.span.file).name,
            start: diagnostic.start(&report.sources).into(),
            end: diagnostic.end(&report.sources).into(),
            notes: &diagnostic.notes,
            help: diagnostic.help.as_deref(),
            fixes: diagnostic.fix.iter().map(|fix| JsonFix::new(report, diagnostic, fix)).collect(),
        }
    }
}

impl<'r> JsonFix<'r> {
    fn new(report: &'r Report, diagnostic: &'r Diagnostic, fix: &'r Fix) -> JsonFix<'r> {
        let edit = |edit: &'r Edit| {
            let file = report.sources.file(edit.span.file);
            JsonEdit {
                file: &file.name,
                start: file.location(edit.span.start as usize).into(),
                end: file.location(edit.span.end as usize).into(),
                text: &edit.text,
            }
        };
        JsonFix {
            message: fix.title(diagnostic),
            applicability: match fix.applicability {
                Applicability::Safe => "safe",
                Applicability::DisplayOnly => "display-only",
            },
            edits: fix.edits.iter().map(edit).collect(),
        }
    }
}

impl From<Location> for JsonPosition {
    fn from(Location { line, column, offset }: Location) -> JsonPosition {
        JsonPosition { line, column, offset }
    }
}
