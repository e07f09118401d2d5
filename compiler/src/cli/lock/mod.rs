//! `mcpc lock`

mod report;
mod update;

use super::check::outcome;
use super::progress::Progress;
use super::{Outcome, Specs, Streams, environment};
use crate::check::check;
use crate::files::disk::Disk;
use crate::render::{self, render_limited};
use crate::servers::{self, Comparison, NotListed, Programs, State, Task};
use anyhow::Context;
use mcp_bundle::plan::Contents;
use std::path::PathBuf;
use std::time::Duration;

/// Compare the pins of specs with what MCP servers say now
///
/// `--check` is for CI; `--update` shows what changed, asks, and writes it into the specs. Comments and all else in them stay.
///
/// Exit codes: 0 all is as pinned, 1 some tool is not, 2 could not run, or some server could not be listed.
#[derive(Debug, clap::Args)]
#[command(group(clap::ArgGroup::new("what").required(true).args(["check", "update"])))]
pub struct Arguments {
    #[command(flatten)]
    specs: Specs,
    /// Report what changed
    #[arg(long)]
    check: bool,
    /// Show what changed, ask, and pin what the servers say now
    #[arg(long)]
    update: bool,
    /// Do not ask
    #[arg(long, requires = "update")]
    yes: bool,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Human, conflicts_with = "update")]
    format: Format,
    /// The `mcpServers` file with the programs of servers over `stdio`; nothing is started without
    /// it
    #[arg(long, value_name = "FILE")]
    mcp_servers: Option<PathBuf>,
    /// Read variables from this file of `NAME=value` lines; the environment takes precedence;
    /// repeatable
    #[arg(long, value_name = "FILE")]
    env_file: Vec<String>,
    /// Seconds that a server may take to start and to list its tools
    #[arg(long, value_name = "SECONDS", default_value_t = servers::PATIENCE.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    /// Text, for people
    Human,
    /// One JSON document
    Json,
}

/// A server of the specs, and how its tools are.
struct Server {
    name: String,
    result: Result<Comparison, NotListed>,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let input = arguments.specs.discover()?;
    let variables = environment::read(&arguments.env_file)?;
    let programs = arguments.mcp_servers.as_deref().map(Programs::read).transpose()?.unwrap_or_default();
    let checked = check(&input, &Disk);
    let state = outcome(&checked, false);
    if state != Outcome::Clean {
        render_limited(render::Format::Human, &checked, streams.err_color, &mut streams.err)?;
        return Ok(state);
    }
    let contents = checked.contents.as_ref().context("specs without errors have a plan")?;
    if contents.servers.is_empty() {
        writeln!(streams.err, "note: no tool of these specs is one of an MCP server")?;
    }
    let name = |server: usize| contents.server_name(server).unwrap_or_default().to_owned();
    let tasks: Vec<Task<&Contents>> =
        (0..contents.servers.len()).map(|server| Task { name: name(server), contents, server }).collect();
    let progress = Progress::of(tasks.len());
    let patience = Duration::from_secs(arguments.timeout);
    let listed = servers::list(&tasks, &variables, &programs, patience, &|name| progress.one_more(name));
    drop(progress);
    let results = tasks.iter().zip(listed?).map(|(task, listed)| Server {
        name: task.name.clone(),
        result: listed.map(|listed| {
            let (tools, unusable) = servers::read_all(listed.tools.iter().map(String::as_str));
            servers::compare(contents, task.server, &tools, &unusable)
        }),
    });
    let servers: Vec<Server> = results.collect();
    match arguments.format {
        Format::Human => report::write_text(&servers, &mut streams.out)?,
        Format::Json => report::write_json(&servers, &mut streams.out)?,
    }
    streams.out.flush()?;
    let open = if arguments.update {
        update::update(&input, &checked, &servers, arguments.yes, streams)?
    } else {
        different(&servers).count()
    };
    Ok(match open {
        _ if servers.iter().any(|server| server.result.is_err()) => Outcome::Incomplete,
        0 => Outcome::Clean,
        _ => Outcome::Failed,
    })
}

/// The tools that are not as pinned.
fn different(servers: &[Server]) -> impl Iterator<Item = &servers::Finding> {
    let all = servers.iter().filter_map(|server| server.result.as_ref().ok());
    all.flat_map(|comparison| &comparison.tools).filter(|finding| finding.state != State::Same)
}
