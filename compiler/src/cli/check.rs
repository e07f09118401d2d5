//! `mcpc check`

use super::{Outcome, Specs, Streams, counted};
use crate::check::{Report, check};
use crate::disk::{self, Disk};
use crate::fix;
use crate::render::{Format, render};
use anyhow::Context;
use std::path::Path;

/// Say all that is wrong with the specs
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    specs: Specs,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
    /// Fail on warnings too
    #[arg(long, value_name = "WHAT")]
    deny: Option<Deny>,
    /// Mend what can be mended without changing what a spec means, then check again
    #[arg(long)]
    fix: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum Deny {
    Warnings,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let input = arguments.specs.discover()?;
    let mut report = check(&input, &Disk);
    if arguments.fix {
        let fixed = write_fixes(&report)?;
        if fixed > 0 {
            writeln!(streams.err, "mended {}", counted(fixed, "problem"))?;
            report = check(&input, &Disk);
        }
    }
    render(arguments.format, &report, streams.out_color, &mut streams.out)?;
    Ok(outcome(&report, arguments.deny.is_some()))
}

pub fn outcome(report: &Report, deny_warnings: bool) -> Outcome {
    if report.is_incomplete() {
        Outcome::Incomplete
    } else if report.errors() > 0 || (deny_warnings && report.warnings() > 0) {
        Outcome::Failed
    } else {
        Outcome::Clean
    }
}

fn write_fixes(report: &Report) -> anyhow::Result<usize> {
    let mut applied = 0;
    for file in fix::apply(report) {
        let path = Path::new(&file.name);
        let mode = std::fs::metadata(path).map(|metadata| metadata.permissions());
        disk::write_atomically(path, file.text.as_bytes(), false)
            .with_context(|| format!("`{}` cannot be written", file.name))?;
        if let Ok(mode) = mode {
            std::fs::set_permissions(path, mode)?;
        }
        applied += file.applied;
    }
    Ok(applied)
}
