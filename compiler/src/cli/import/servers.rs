//! Imports of MCP servers: their tools are listed, and a person chooses.

use super::{sources, write};
use crate::cli::{Outcome, Streams, environment};
use crate::servers;
use std::path::PathBuf;

/// What is taken, and where it goes.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// Folder of the specs, one file for each server
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub output: PathBuf,
    /// Take all tools
    #[arg(long, conflicts_with = "tool")]
    pub all: bool,
    /// Take this tool, by the server's name for it; repeatable
    #[arg(long, value_name = "NAME")]
    pub tool: Vec<String>,
    /// What the names of the tools begin with; `''` for nothing [default: the server's name]
    #[arg(long, value_name = "PREFIX")]
    pub prefix: Option<String>,
    /// Read variables from this file of `NAME=value` lines; the environment takes precedence;
    /// repeatable
    #[arg(long, value_name = "FILE")]
    pub env_file: Vec<String>,
    /// Seconds that a server may take to start and to list its tools
    #[arg(long, value_name = "SECONDS", default_value_t = servers::PATIENCE.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub timeout: u64,
    /// Replace files that are there
    #[arg(long)]
    pub force: bool,
}

pub fn run_one(one: &sources::One, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let variables = environment::read(&one.options.env_file)?;
    write::import(sources::one(one, variables)?, &one.options, streams)
}

pub fn run_file(file: &sources::File, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let variables = environment::read(&file.options.env_file)?;
    write::import(sources::file(file, variables)?, &file.options, streams)
}
