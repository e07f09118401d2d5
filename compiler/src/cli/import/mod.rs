//! `mcpc import`

mod choose;
mod sources;
mod write;

use super::{Outcome, Streams, environment};
use std::path::PathBuf;

/// Write specs for tools of MCP servers
///
/// Connects to the servers, lists their tools, lets you choose, and writes what they say now, each with a pin. `mcpc lock`
/// compares that with the servers later. Credentials come from the environment and go into the specs as `${NAME}`.
///
/// Exit codes: 0 done, 1 some tool cannot be imported, 2 could not run, or some server could not be listed.
#[derive(Debug, clap::Args)]
#[command(max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    from: From,
}

#[derive(Debug, clap::Subcommand)]
enum From {
    Mcp(sources::One),
    McpServers(sources::File),
}

/// What is taken, and where it goes.
#[derive(Debug, clap::Args)]
struct Options {
    /// Folder of the specs, one file for each server
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    output: PathBuf,
    /// Take all tools
    #[arg(long, conflicts_with = "tool")]
    all: bool,
    /// Take this tool, by the server's name for it; repeatable
    #[arg(long, value_name = "NAME")]
    tool: Vec<String>,
    /// What the names of the tools begin with; `''` for nothing [default: the server's name]
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<String>,
    /// Read variables from this file of `NAME=value` lines; the environment takes precedence;
    /// repeatable
    #[arg(long, value_name = "FILE")]
    env_file: Vec<String>,
    /// Replace files that are there
    #[arg(long)]
    force: bool,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let options = match &arguments.from {
        From::Mcp(one) => &one.options,
        From::McpServers(file) => &file.options,
    };
    let variables = environment::read(&options.env_file)?;
    let found = match &arguments.from {
        From::Mcp(one) => sources::one(one, variables)?,
        From::McpServers(file) => sources::file(file, variables)?,
    };
    write::import(found, options, streams)
}
