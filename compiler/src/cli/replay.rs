//! `mcpc replay`

use super::{Outcome, Streams, read_bundle, shown};
use crate::exercise::replay::{self, Format, Replayer, Report};
use crate::files::disk;
use anyhow::Context;
use mcp_bundle::format::{self, Trust};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Derive the requests of recorded calls again, or find those that another bundle would change
///
/// Reads an audit log of `mcp-edge` that was written with `arguments = "full"`. Nothing is sent.
/// Output shows secrets as `${NAME}`, never their values.
///
/// Exit codes: 0 nothing differs, 1 some calls differ, lines are broken or no call could be
/// derived, 2 could not run.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The audit log, or `-` for standard input
    #[arg(value_name = "LOG")]
    log: PathBuf,
    /// The bundle that served the calls; calls of other revisions are skipped
    #[arg(long, value_name = "BUNDLE")]
    bundle: PathBuf,
    /// Show only calls whose request this bundle would change
    #[arg(long, value_name = "BUNDLE")]
    against: Option<PathBuf>,
    /// How to print it
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let mut bundle = replayer(&arguments.bundle)?;
    let mut against = arguments.against.as_deref().map(replayer).transpose()?;
    let log = open(&arguments.log)?;
    let mut report = Report::new(arguments.format, &mut streams.out);
    let counts = replay::replay(log, &mut bundle, against.as_mut(), &mut report)?;
    if counts.calls > 0 && counts.derived == 0 {
        let revision = bundle.revision();
        writeln!(streams.err, "note: no call could be derived with revision {revision}")?;
    }
    Ok(if counts.is_clean() { Outcome::Clean } else { Outcome::Failed })
}

fn replayer(path: &Path) -> anyhow::Result<Replayer> {
    let bytes = read_bundle(path)?;
    let bundle = format::read(&bytes, &Trust::Any).with_context(|| format!("`{}`", shown(path)))?;
    Ok(Replayer::new(bundle))
}

fn open(path: &Path) -> anyhow::Result<Box<dyn BufRead>> {
    if path == Path::new("-") {
        return Ok(Box::new(std::io::stdin().lock()));
    }
    let name = disk::display(path);
    let unreadable = |error| anyhow::anyhow!("`{name}` cannot be read: {}", disk::plain(&error));
    let file = File::open(path).map_err(unreadable)?;
    anyhow::ensure!(!file.metadata().map_err(unreadable)?.is_dir(), "`{name}` is a folder, not an audit log");
    Ok(Box::new(BufReader::with_capacity(64 << 10, file)))
}
