//! Writes what a check found: one file for each format, all from the same values.
//!
//! A renderer decides nothing: it adds no finding, drops none and keeps their order.

mod concise;
mod excerpt;
mod github;
mod human;
mod json;
mod sarif;
mod summary;
mod uri;
mod visible;

pub(crate) use visible::{one_line, shown, visible};

use crate::check::Report;
use crate::diagnostic::{Applicability, Diagnostic, Fix, Severity};
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
        Format::Human => human::write(report, color, &mut out),
        Format::Concise => concise::write(report, &mut out),
        Format::Json => json::write(report, &mut out),
        Format::Sarif => sarif::write(report, &mut out),
        Format::Github => github::write(report, &mut out),
    }?;
    out.flush()
}

/// The word that all formats share.
fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

/// A finding in one text, for formats that have a single message.
fn full_text(diagnostic: &Diagnostic) -> String {
    let notes = diagnostic.notes.iter().map(|note| format!("\nnote: {note}"));
    let help = diagnostic.help.iter().map(|help| format!("\nhelp: {help}"));
    std::iter::once(diagnostic.message.clone()).chain(notes).chain(help).collect()
}

/// What stands above a patch.
fn fix_title<'d>(diagnostic: &'d Diagnostic, fix: &Fix) -> &'d str {
    match (&diagnostic.help, fix.applicability) {
        (Some(help), _) => help,
        (None, Applicability::Safe) => "`--fix` writes it so",
        (None, Applicability::DisplayOnly) => "it may be meant so",
    }
}
