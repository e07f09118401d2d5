//! Fixes of a set of specs: made in memory, then written or shown as a diff.

use super::{Streams, counted};
use crate::check::{Report, check};
use crate::files::disk;
use crate::files::{Input, Overlay};
use crate::fix;
use mcp_diagnostics::visible::{one_line, visible};
use similar::TextDiff;
use std::collections::{BTreeMap, BTreeSet};
use std::io::IsTerminal;
use std::path::Path;

/// Enough for fixes that wait for one another.
const MAX_ROUNDS: usize = 8;

/// What fixing changes, by file.
#[derive(Debug, Default)]
pub struct Fixing {
    files: BTreeMap<String, Fixed>,
}

#[derive(Debug)]
struct Fixed {
    old: String,
    new: String,
    /// `spec.toml:5: MCP0101 a tool has no key `metod``
    findings: Vec<String>,
}

impl Fixing {
    /// Applies fixes until none is left. `files` and `report` are then as if they were written.
    pub fn of(input: &Input, files: &mut Overlay<'_>, report: &mut Report) -> Fixing {
        let mut fixing = Fixing::default();
        // A fix may uncover another problem.
        for _ in 0..MAX_ROUNDS {
            let changed = fix::apply(report);
            if changed.is_empty() {
                break;
            }
            let mut listed = BTreeSet::new();
            for file in changed {
                let own = file.fixed.iter().filter(|index| listed.insert(**index));
                let findings: Vec<String> = own.filter_map(|index| line(report, *index)).collect();
                let fixed = fixing.files.entry(file.name.clone()).or_insert_with(|| Fixed {
                    old: text(report, &file.name),
                    new: String::new(),
                    findings: Vec::new(),
                });
                fixed.findings.extend(findings);
                fixed.new.clone_from(&file.text);
                files.replace(&file.name, Ok(file.text));
            }
            *report = check(input, files);
        }
        fixing
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

fn text(report: &Report, name: &str) -> String {
    let file = report.sources.files().map(|(_, file)| file).find(|file| file.name == name);
    file.map(|file| file.text.clone()).unwrap_or_default()
}

fn line(report: &Report, index: usize) -> Option<String> {
    let finding = report.diagnostics.get(index)?;
    let file = one_line(&report.sources.file(finding.span.file).name);
    let line = finding.start(&report.sources).line;
    Some(format!("{file}:{line}: {} {}", finding.code(), one_line(&finding.message)))
}

/// Writes the files and lists what was fixed. Returns how many files could not be written; they
/// are named and left alone.
pub fn write_files(fixing: &Fixing, streams: &mut Streams) -> anyhow::Result<usize> {
    let (mut problems, mut unwritten) = (0, 0);
    for (name, fixed) in &fixing.files {
        match disk::rewrite(Path::new(name), &fixed.new) {
            Ok(()) => {
                problems += fixed.findings.len();
                for finding in &fixed.findings {
                    writeln!(streams.err, "fixed {finding}")?;
                }
            }
            Err(error) => {
                unwritten += 1;
                writeln!(streams.err, "error: `{name}` cannot be fixed: {}", disk::plain(&error))?;
            }
        }
    }
    if problems > 0 {
        writeln!(streams.err, "fixed {}", counted(problems, "problem"))?;
    }
    Ok(unwritten)
}

/// Prints a diff that `patch -p1` and `git apply` read.
pub fn write_diff(fixing: &Fixing, streams: &mut Streams) -> std::io::Result<()> {
    // What a file holds must not steer a terminal; a program needs the exact bytes.
    let is_terminal = std::io::stdout().is_terminal();
    for (name, Fixed { old, new, .. }) in &fixing.files {
        let (from, to) = match name.starts_with('/') {
            true => (name.clone(), name.clone()),
            false => (format!("a/{name}"), format!("b/{name}")),
        };
        let diff = TextDiff::from_lines(old, new).unified_diff().header(&from, &to).to_string();
        let diff = if is_terminal { visible(&diff) } else { diff.as_str().into() };
        write!(streams.out, "{diff}")?;
    }
    streams.out.flush()?;
    if !fixing.is_empty() {
        let problems = fixing.files.values().map(|fixed| fixed.findings.len()).sum();
        writeln!(streams.err, "`--fix` would fix {}", counted(problems, "problem"))?;
    }
    Ok(())
}
