//! `mcpc completions`

use super::{Outcome, Streams};
use clap::CommandFactory;

/// Print a completion script for a shell
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    // The generator panics when its writer fails, so it gets one that cannot.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut super::Arguments::command(), "mcpc", &mut script);
    streams.out.write_all(&script)?;
    Ok(Outcome::Clean)
}
