//! `mcpc init`

use super::{Outcome, Streams};
use crate::files::disk;
use anyhow::Context;
use std::path::PathBuf;

/// Write a commented spec to start from
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The file to write
    #[arg(value_name = "FILE", default_value = "example.toml")]
    file: PathBuf,
}

/// The starter spec.
pub const STARTER: &str = include_str!("starter.toml");

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let name = disk::display(&arguments.file);
    if arguments.file.exists() {
        anyhow::bail!("`{name}` already exists; choose another name");
    }
    disk::write_atomically(&arguments.file, STARTER.as_bytes(), false)
        .map_err(|error| anyhow::anyhow!(disk::plain(&error)))
        .with_context(|| format!("`{name}` cannot be written"))?;
    writeln!(streams.out, "wrote {name}")?;
    writeln!(
        streams.out,
        "check it with `mcpc check {name}`, build a bundle with `mcpc build {name} -o tools.mcpk`"
    )?;
    Ok(Outcome::Clean)
}
