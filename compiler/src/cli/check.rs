//! `mcpc check`

use super::fixing::Fixing;
use super::{Outcome, Specs, Streams, fixing};
use crate::check::{Report, check};
use crate::files::disk::{self, Disk};
use crate::files::{Input, Overlay};
use crate::render::{Format, render, render_limited};
use std::path::Path;

/// Report every problem in the specs
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
    /// Apply all fixes that are safe, list them, and check again
    #[arg(long)]
    fix: bool,
    /// Print what `--fix` would change as a unified diff, and write nothing
    #[arg(long, conflicts_with = "fix")]
    diff: bool,
    /// Print every finding; otherwise the formats for people show the first 20 of each rule
    #[arg(long)]
    all: bool,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum Deny {
    Warnings,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let mut files = Overlay::new(&Disk);
    let input = if arguments.specs.is_stdin()? {
        anyhow::ensure!(
            !arguments.fix,
            "`--fix` cannot write to standard input; `--diff` shows what it would change"
        );
        files.replace(STDIN, disk::read_stdin());
        let config =
            arguments.specs.config.as_deref().or(Some(Path::new(disk::CONFIG_NAME)).filter(|p| p.is_file()));
        let specs = vec![STDIN.to_owned()];
        Input { specs, config: config.map(disk::display), ..Input::default() }
    } else {
        arguments.specs.discover()?
    };
    let is_text = matches!(arguments.format, Format::Human | Format::Concise);
    anyhow::ensure!(
        is_text || !arguments.diff,
        "`--diff` prints a diff, which no other `--format` has; `--format json` has the edits as `fixes`"
    );
    let mut report = check(&input, &files);
    let deny_warnings = arguments.deny.is_some();
    if arguments.diff {
        let fixing = Fixing::of(&input, &mut files, &mut report);
        fixing::write_diff(&fixing, streams)?;
        if !report.diagnostics.is_empty() {
            print(arguments, &report, streams.err_color, &mut streams.err)?;
        }
        return Ok(match outcome(&report, deny_warnings) {
            Outcome::Clean if !fixing.is_empty() => Outcome::Failed,
            outcome => outcome,
        });
    }
    let mut unwritten = 0;
    if arguments.fix {
        let fixing = Fixing::of(&input, &mut files, &mut report);
        unwritten = fixing::write_files(&fixing, streams)?;
        if unwritten > 0 {
            report = check(&input, &Disk);
        }
    }
    print(arguments, &report, streams.out_color, &mut streams.out)?;
    Ok(if unwritten > 0 { Outcome::Incomplete } else { outcome(&report, deny_warnings) })
}

/// The name of what is read from standard input.
const STDIN: &str = "<stdin>";

fn print(
    arguments: &Arguments,
    report: &Report,
    color: bool,
    out: &mut dyn std::io::Write,
) -> std::io::Result<()> {
    let render = if arguments.all { render } else { render_limited };
    render(arguments.format, report, color, out)
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
