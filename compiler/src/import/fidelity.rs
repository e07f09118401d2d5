//! The fidelity report: what became of every member of a source.

use crate::render::grouped;
use mcp_diagnostics::visible::one_line;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{Result, Write};

/// Places that the text shows for each kind of finding; the JSON has all of them.
const SHOWN: usize = 5;

/// What became of a value of the source; of two, the greater one is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// Nobody asked for it.
    LeftOut,
    Kept,
    /// It is in the specs, but not as it was, or it does not matter for calls.
    Changed,
    /// It is not in the specs.
    Refused,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// A JSON pointer into the source.
    pub place: String,
    pub fate: Fate,
    /// Empty for what is kept.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub code: &'static str,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// How many values it is about.
    pub members: usize,
}

/// What became of a source. The numbers are of values without members.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fidelity {
    pub findings: Vec<Finding>,
    pub kept: usize,
    pub changed: usize,
    pub refused: usize,
    pub left_out: usize,
}

/// The tools of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct ToolCount {
    pub imported: usize,
    pub refused: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum ReportFormat {
    /// What changed and what was refused, for people
    Text,
    /// One JSON document with a finding for every part of the source
    Json,
}

#[derive(Serialize)]
struct Document<'r> {
    version: u32,
    format: &'r str,
    source: &'r str,
    coverage_percent: f64,
    kept: usize,
    changed: usize,
    refused: usize,
    left_out: usize,
    tools: ToolCount,
    files: &'r [String],
    findings: &'r [Finding],
}

/// What a report is about.
#[derive(Debug, Clone, Copy)]
pub struct About<'r> {
    pub format: &'r str,
    pub source: &'r str,
    pub tools: ToolCount,
    pub files: &'r [String],
}

impl Fidelity {
    pub(super) fn add(&mut self, finding: Finding) {
        match finding.fate {
            Fate::Kept => self.kept += finding.members,
            Fate::Changed => self.changed += finding.members,
            Fate::Refused => self.refused += finding.members,
            Fate::LeftOut => self.left_out += finding.members,
        }
        self.findings.push(finding);
    }

    /// Values that are not kept as they were.
    pub(super) fn others(&self) -> usize {
        self.changed + self.refused + self.left_out
    }

    /// How much of what was asked for is in the specs, in per mille, rounded down: 1000 is everything.
    pub fn per_mille(&self) -> usize {
        let all = self.kept + self.changed + self.refused;
        (1000 * (self.kept + self.changed)).checked_div(all).unwrap_or(1000)
    }

    pub fn write(&self, about: &About<'_>, format: ReportFormat, out: &mut dyn Write) -> Result<()> {
        match format {
            ReportFormat::Text => self.write_text(about, out),
            ReportFormat::Json => self.write_json(about, out),
        }
    }

    fn write_json(&self, about: &About<'_>, out: &mut dyn Write) -> Result<()> {
        let document = Document {
            version: 1,
            format: about.format,
            source: about.source,
            coverage_percent: self.per_mille() as f64 / 10.0,
            kept: self.kept,
            changed: self.changed,
            refused: self.refused,
            left_out: self.left_out,
            tools: about.tools,
            files: about.files,
            findings: &self.findings,
        };
        serde_json::to_writer(&mut *out, &document)?;
        writeln!(out)
    }

    fn write_text(&self, about: &About<'_>, out: &mut dyn Write) -> Result<()> {
        let per_mille = self.per_mille();
        writeln!(
            out,
            "{}: {}.{} % of what was asked for is in the specs",
            one_line(about.source),
            per_mille / 10,
            per_mille % 10
        )?;
        let number = |number: usize| grouped(number);
        writeln!(
            out,
            "values: {} kept, {} changed, {} refused, {} left out",
            number(self.kept),
            number(self.changed),
            number(self.refused),
            number(self.left_out)
        )?;
        let ToolCount { imported, refused } = about.tools;
        writeln!(out, "tools: {} imported, {} refused", number(imported), number(refused))?;
        for (fate, title) in
            [(Fate::Refused, "refused"), (Fate::Changed, "changed"), (Fate::LeftOut, "left out")]
        {
            self.write_group(fate, title, out)?;
        }
        Ok(())
    }

    /// The findings of one fate, by their codes.
    fn write_group(&self, fate: Fate, title: &str, out: &mut dyn Write) -> Result<()> {
        let mut by_code: BTreeMap<&str, Vec<&Finding>> = BTreeMap::new();
        for finding in self.findings.iter().filter(|finding| finding.fate == fate) {
            by_code.entry(finding.code).or_default().push(finding);
        }
        for (code, findings) in by_code {
            writeln!(out, "\n{title}: {code} ({})", grouped(findings.len()))?;
            for Finding { place, why, .. } in findings.iter().take(SHOWN) {
                let place = if place.is_empty() { "the document" } else { place };
                writeln!(out, "  {}: {}", one_line(place), one_line(why))?;
            }
            let more = findings.len().saturating_sub(SHOWN);
            if more > 0 {
                writeln!(out, "  and {} more; `--format json` has them all", grouped(more))?;
            }
        }
        Ok(())
    }
}
