//! Writes what a check found: one file for each format, all from the same values.
//!
//! A renderer decides nothing: it adds no finding, drops none and keeps their order.

mod changes;
mod concise;
pub(crate) mod github;
mod json;
mod limit;
pub(crate) mod sarif;
mod summary;
pub(crate) mod uri;

pub use changes::{Changes, KnownFindings};
pub(crate) use json::JsonPosition;
#[cfg(feature = "dev")]
pub(crate) use json::finding as finding_document;

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

/// The formats for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum TextFormat {
    /// With the source and a suggested patch
    Human,
    /// One line for each finding
    Concise,
}

/// Writes all of a report. Only [`Format::Human`] uses colour.
pub fn render(format: Format, report: &Report, color: bool, out: &mut dyn Write) -> Result<()> {
    let mut out = BufWriter::new(out);
    match format {
        Format::Human | Format::Concise => {
            write_text(format, report, &report.diagnostics, &summary::of(report), color, &mut out)
        }
        Format::Json => json::write(report, &mut out),
        Format::Sarif => sarif::write(report, &mut out),
        Format::Github => github::write(report, &mut out),
    }?;
    out.flush()
}

/// The same, but the formats for people have only the first findings of each rule.
pub fn render_limited(format: Format, report: &Report, color: bool, out: &mut dyn Write) -> Result<()> {
    match format {
        Format::Human | Format::Concise => {
            let summary = summary::of(report);
            write_limited(format, report, &report.diagnostics, &summary, color, &mut BufWriter::new(out))
        }
        Format::Json | Format::Sarif | Format::Github => render(format, report, color, out),
    }
}

/// Writes the findings that were not there before, and how many were.
pub fn render_changes(
    format: Format,
    report: &Report,
    changes: &Changes,
    color: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let mut out = BufWriter::new(out);
    let unchanged = changes.unchanged();
    match (changes.new.is_empty(), &unchanged) {
        (true, None) => Ok(()),
        (true, Some(unchanged)) => writeln!(out, "{unchanged}"),
        (false, unchanged) => {
            let mut summary = summary::of(report);
            if let Some(unchanged) = unchanged {
                summary = format!("{summary}; {unchanged}");
            }
            write_limited(format, report, &changes.new, &summary, color, &mut out)
        }
    }?;
    out.flush()
}

fn write_limited(
    format: Format,
    report: &Report,
    diagnostics: &[Diagnostic],
    summary: &str,
    color: bool,
    out: &mut dyn Write,
) -> Result<()> {
    let (shown, more) = limit::limited(diagnostics);
    write_text(format, report, &shown, summary, color, out)?;
    for line in more {
        writeln!(out, "{line}")?;
    }
    out.flush()
}

fn write_text(
    format: Format,
    report: &Report,
    diagnostics: &[Diagnostic],
    summary: &str,
    color: bool,
    out: &mut dyn Write,
) -> Result<()> {
    match format {
        Format::Concise => concise::write(&report.sources, diagnostics, out),
        _ => human::write(&report.sources, diagnostics, summary, color, out),
    }
}

impl From<TextFormat> for Format {
    fn from(format: TextFormat) -> Format {
        match format {
            TextFormat::Human => Format::Human,
            TextFormat::Concise => Format::Concise,
        }
    }
}

/// A number with its thousands separated.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A finding in one text, for formats that have a single message.
fn full_text(diagnostic: &Diagnostic) -> String {
    let notes = diagnostic.notes.iter().map(|note| format!("\nnote: {note}"));
    let help = diagnostic.help.iter().map(|help| format!("\nhelp: {help}"));
    std::iter::once(diagnostic.message.clone()).chain(notes).chain(help).collect()
}
