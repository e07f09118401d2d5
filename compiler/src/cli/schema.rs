//! `mcpc schema`

use super::{Outcome, Streams};
use crate::language::editor_schema;
use crate::language::keys;

/// Print a JSON Schema of the spec language, for editors
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// Print the schema of `mcpc.toml` instead
    #[arg(long)]
    config: bool,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let table = if arguments.config { &keys::CONFIG } else { &keys::ROOT };
    serde_json::to_writer_pretty(&mut streams.out, &editor_schema::of_table(table))?;
    writeln!(streams.out)?;
    Ok(Outcome::Clean)
}
