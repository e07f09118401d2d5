//! `mcpc check`

use super::{Outcome, Specs, Streams, counted};
use crate::check::{Report, check};
use crate::files::disk::{self, Disk};
use crate::fix;
use crate::render::{Format, render};
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

/// Enough for fixes that wait for one another.
const MAX_FIX_ROUNDS: usize = 8;

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum Deny {
    Warnings,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let input = arguments.specs.discover()?;
    let mut report = check(&input, &Disk);
    let mut unwritten = 0;
    if arguments.fix {
        let mut mended = 0;
        // Mending one thing may show another.
        for _ in 0..MAX_FIX_ROUNDS {
            let fixed = write_fixes(&report, streams, &mut unwritten)?;
            if fixed == 0 {
                break;
            }
            mended += fixed;
            report = check(&input, &Disk);
        }
        if mended > 0 {
            writeln!(streams.err, "mended {}", counted(mended, "problem"))?;
        }
    }
    render(arguments.format, &report, streams.out_color, &mut streams.out)?;
    let outcome = outcome(&report, arguments.deny.is_some());
    Ok(if unwritten > 0 { Outcome::Incomplete } else { outcome })
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

/// Writes the mended files and returns how many fixes were applied; a file that cannot be written is named and left.
fn write_fixes(report: &Report, streams: &mut Streams, unwritten: &mut usize) -> anyhow::Result<usize> {
    let mut applied = 0;
    for file in fix::apply(report) {
        match disk::rewrite(Path::new(&file.name), &file.text) {
            Ok(()) => applied += file.applied,
            Err(error) => {
                *unwritten += 1;
                writeln!(streams.err, "error: `{}` cannot be mended: {}", file.name, disk::plain(&error))?;
            }
        }
    }
    Ok(applied)
}
