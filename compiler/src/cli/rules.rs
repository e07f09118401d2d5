//! `mcpc rules`

use super::{Outcome, Streams};
use crate::diff;
use crate::lint::rules;
use mcp_diagnostics::{Level, Rule};
use serde::Serialize;

/// List all rules of `check`, or all changes of `diff`
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// List the changes that `mcpc diff` reports instead
    #[arg(long)]
    changes: bool,
    /// How to print them; `markdown` is the page docs/rules.md, or docs/changes.md
    #[arg(long, value_enum, default_value_t = RulesFormat::Human)]
    format: RulesFormat,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum RulesFormat {
    Human,
    Json,
    Markdown,
}

#[derive(Serialize)]
struct Row<'a> {
    code: &'a str,
    name: &'a str,
    level: &'a str,
    /// Whether `mcpc.toml` or a spec may lower it.
    fixed: bool,
    summary: String,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    if arguments.changes {
        return changes(arguments.format, streams);
    }
    match arguments.format {
        RulesFormat::Human => {
            for rule in rules::all() {
                writeln!(
                    streams.out,
                    "{}  {:<7}  {:<28}  {}",
                    rule.code,
                    rule.level.severity().word(),
                    rule.name,
                    rule.summary()
                )?;
            }
        }
        RulesFormat::Json => {
            let rows: Vec<Row<'_>> = rules::all().map(row).collect();
            serde_json::to_writer_pretty(&mut streams.out, &rows)?;
            writeln!(streams.out)?;
        }
        RulesFormat::Markdown => write!(streams.out, "{}", rules::page())?,
    }
    Ok(Outcome::Clean)
}

#[derive(Serialize)]
struct ChangeRow {
    code: &'static str,
    name: &'static str,
    class: &'static str,
    summary: String,
}

fn changes(format: RulesFormat, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let out = &mut streams.out;
    match format {
        RulesFormat::Human => {
            for rule in diff::rules::all() {
                writeln!(
                    out,
                    "{}  {:<8}  {:<28}  {}",
                    rule.code,
                    rule.class.word(),
                    rule.name,
                    rule.summary()
                )?;
            }
        }
        RulesFormat::Json => {
            let row = |rule: &diff::ChangeRule| ChangeRow {
                code: rule.code,
                name: rule.name,
                class: rule.class.word(),
                summary: rule.summary(),
            };
            let rows: Vec<ChangeRow> = diff::rules::all().map(row).collect();
            serde_json::to_writer_pretty(&mut *out, &rows)?;
            writeln!(out)?;
        }
        RulesFormat::Markdown => write!(out, "{}", diff::rules::page())?,
    }
    Ok(Outcome::Clean)
}

fn row(rule: &'static Rule) -> Row<'static> {
    Row {
        code: rule.code,
        name: rule.name,
        level: rule.level.severity().word(),
        fixed: rule.level == Level::HardError,
        summary: rule.summary(),
    }
}
