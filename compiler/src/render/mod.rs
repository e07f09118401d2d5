//! Writes what a check found: one file for each format, all from the same values.
//!
//! A renderer decides nothing: it adds no finding, drops none and keeps their order.

mod concise;
mod github;
mod json;
mod sarif;
mod summary;
mod uri;

pub(crate) use json::JsonPosition;

use crate::check::Report;
use mcp_diagnostics::{Diagnostic, human};
use std::io::{BufWriter, Result, Write};

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// With the source and a suggested patch, for people
    Human,
    /// One line for each finding
    Concise,
    /// One JSON document
    Json,
    /// A SARIF 2.1.0 log, for code scanning
    Sarif,
    /// Workflow commands, which become annotations on GitHub
    Github,
}

/// Writes a report. Only [`Format::Human`] knows colour.
pub fn render(format: Format, report: &Report, color: bool, out: &mut dyn Write) -> Result<()> {
    let mut out = BufWriter::new(out);
    match format {
        Format::Human => {
            human::write(&report.sources, &report.diagnostics, &summary::of(report), color, &mut out)
        }
        Format::Concise => concise::write(report, &mut out),
        Format::Json => json::write(report, &mut out),
        Format::Sarif => sarif::write(report, &mut out),
        Format::Github => github::write(report, &mut out),
    }?;
    out.flush()
}

/// A finding in one text, for formats that have a single message.
fn full_text(diagnostic: &Diagnostic) -> String {
    let notes = diagnostic.notes.iter().map(|note| format!("\nnote: {note}"));
    let help = diagnostic.help.iter().map(|help| format!("\nhelp: {help}"));
    std::iter::once(diagnostic.message.clone()).chain(notes).chain(help).collect()
}
