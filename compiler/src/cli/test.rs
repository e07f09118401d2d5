//! `mcpc test`

use super::check::outcome;
use super::{Outcome, Specs, Streams};
use crate::check::{Report, check};
use crate::exercise::testing::{self, ExampleFilter, ReportFormat, Results, Selection};
use crate::files::disk::{self, Disk};
use crate::render;
use anyhow::Context;
use mcp_diagnostics::visible::one_line;
use std::io::Write;
use std::path::Path;

/// Run the examples of the specs: arguments to request, response to result
///
/// Examples run through the same code as the proxy. Keys that an example leaves out are not
/// compared.
///
/// Exit codes: 0 all pass, 1 some fail, 2 could not run.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    specs: Specs,
    /// How to print the results
    #[arg(long, value_enum, default_value_t = ReportFormat::Human)]
    format: ReportFormat,
    /// Only examples of this tool; `*` matches anything; repeatable
    #[arg(long, value_name = "NAME")]
    tool: Vec<String>,
    /// Only examples with this number in their tool, or this text in their title
    #[arg(long, value_name = "NUMBER|TITLE")]
    example: Option<String>,
    /// Update examples to match actual results, and add missing `request` and `text` keys
    #[arg(long)]
    update: bool,
    /// Fail on this too; repeatable
    #[arg(long, value_name = "WHAT")]
    deny: Vec<Deny>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Deny {
    /// Tools without an example
    Untested,
    /// Branches of templates that no example reaches
    Uncovered,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let input = arguments.specs.discover()?;
    let selection = Selection {
        tools: arguments.tool.clone(),
        example: arguments.example.as_deref().map(ExampleFilter::from_word),
    };
    let mut report = check(&input, &Disk);
    if let Some(outcome) = refused(&report, arguments.format, streams)? {
        return Ok(outcome);
    }
    selection.check(&report)?;
    let mut results = tested(&report, &selection)?;
    let mut unwritten = false;
    if arguments.update {
        unwritten = write_updates(arguments, &report, &results, streams)?;
        report = check(&input, &Disk);
        if let Some(outcome) = refused(&report, arguments.format, streams)? {
            return Ok(outcome);
        }
        results = tested(&report, &selection)?;
    }
    results.untested_fail = arguments.deny.contains(&Deny::Untested);
    results.uncovered_fail = arguments.deny.contains(&Deny::Uncovered);
    testing::render(arguments.format, &report, &results, streams.out_color, &mut streams.out)?;
    let denied = (results.untested_fail && !results.untested.is_empty())
        || (results.uncovered_fail && !results.uncovered.is_empty());
    Ok(match (unwritten, results.failed() > 0 || denied) {
        (true, _) => Outcome::Incomplete,
        (false, true) => Outcome::Failed,
        (false, false) => Outcome::Clean,
    })
}

/// Specs with errors have no examples to run: prints what `check` prints.
fn refused(report: &Report, format: ReportFormat, streams: &mut Streams) -> anyhow::Result<Option<Outcome>> {
    let outcome = outcome(report, false);
    if outcome == Outcome::Clean {
        return Ok(None);
    }
    match format {
        ReportFormat::Json => render::render(render::Format::Json, report, false, &mut streams.out)?,
        ReportFormat::Human => {
            render::render_limited(render::Format::Human, report, streams.err_color, &mut streams.err)?;
        }
        // For the CI system, and for anyone who reads its log.
        ReportFormat::Junit => {
            testing::write_refused_junit(report, &mut streams.out)?;
            render::render_limited(render::Format::Human, report, streams.err_color, &mut streams.err)?;
        }
    }
    Ok(Some(outcome))
}

fn tested(report: &Report, selection: &Selection) -> anyhow::Result<Results> {
    let contents = report.contents.as_ref().context("specs without errors have a plan")?;
    Ok(testing::run(report, contents, selection))
}

/// Writes the files and lists what changed; `true` if one could not be written.
fn write_updates(
    arguments: &Arguments,
    report: &Report,
    results: &Results,
    streams: &mut Streams,
) -> anyhow::Result<bool> {
    let updates = testing::updates(report, results);
    let mut errors = Vec::new();
    // Other formats are one document on standard output.
    let out: &mut dyn Write = match arguments.format {
        ReportFormat::Human => &mut streams.out,
        ReportFormat::Json | ReportFormat::Junit => &mut streams.err,
    };
    for file in &updates.files {
        match disk::rewrite(Path::new(&file.name), &file.text) {
            Ok(()) => {
                for change in &file.changes {
                    let label = one_line(&change.label);
                    writeln!(
                        out,
                        "updated {}:{}: {label}: {}",
                        file.name,
                        change.line,
                        change.keys.join(", ")
                    )?;
                }
            }
            Err(error) => {
                let why = disk::plain(&error);
                errors.push(format!("error: `{}` cannot be updated: {why}", file.name));
            }
        }
    }
    for stuck in &updates.stuck {
        let label = one_line(&stuck.label);
        writeln!(out, "not updated: {label}: {}: {}", one_line(&stuck.what), stuck.why)?;
    }
    for error in &errors {
        writeln!(streams.err, "{error}")?;
    }
    Ok(!errors.is_empty())
}
