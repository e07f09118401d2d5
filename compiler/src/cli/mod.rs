//! The command line: what was typed, and what it means.
//!
//! Exit codes: 0 clean, 1 findings or failed checks, 2 could not run. Results go to standard output,
//! messages to standard error.

mod build;
mod check;
mod completions;
#[cfg(feature = "dev")]
mod dev;
mod diff;
#[cfg(feature = "dev")]
mod environment;
mod explain;
mod fixing;
mod import;
mod init;
mod inspect;
mod keygen;
mod keys_file;
mod left_out;
#[cfg(feature = "dev")]
mod lock;
#[cfg(any(feature = "dev", feature = "remote"))]
mod progress;
#[cfg(feature = "remote")]
mod push;
mod remote;
mod replay;
mod rules;
mod schema;
mod stats;
#[cfg(feature = "dev")]
mod studio;
mod test;
mod try_tool;
mod verify;

use crate::files::disk;
use crate::render::grouped;
use anyhow::Context;
use clap::{Parser, Subcommand};
use mcp_sources::Location;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Compile HTTP APIs into verified MCP tools, and serve them at the edge.
#[derive(Debug, Parser)]
#[command(name = "mcpc", version, max_term_width = 100, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Check(check::Arguments),
    Test(test::Arguments),
    Try(try_tool::Arguments),
    #[cfg(feature = "dev")]
    Dev(dev::Arguments),
    #[cfg(feature = "dev")]
    Studio(studio::Arguments),
    Import(import::Arguments),
    #[cfg(feature = "dev")]
    Lock(lock::Arguments),
    Build(build::Arguments),
    Diff(diff::Arguments),
    Stats(stats::Arguments),
    #[cfg(feature = "remote")]
    Push(push::Arguments),
    Inspect(inspect::Arguments),
    Verify(verify::Arguments),
    Replay(replay::Arguments),
    Keygen(keygen::Arguments),
    Explain(explain::Arguments),
    Rules(rules::Arguments),
    Schema(schema::Arguments),
    Init(init::Arguments),
    Completions(completions::Arguments),
}

/// Which specs a command is about.
#[derive(Debug, clap::Args)]
struct Specs {
    /// Spec files, and folders to search for `*.toml`; `mcpc check -` reads standard input
    #[arg(value_name = "PATH", default_value = ".")]
    paths: Vec<PathBuf>,
    /// Use this configuration instead of the `mcpc.toml` beside the specs
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Specs {
    fn discover(&self) -> anyhow::Result<crate::check::Input> {
        self.refuse_stdin()?;
        Ok(disk::discover(&self.paths, self.config.as_deref())?)
    }

    /// Whether the spec comes from standard input.
    fn is_stdin(&self) -> anyhow::Result<bool> {
        let is_stdin = self.paths.iter().any(|path| path.as_os_str() == "-");
        anyhow::ensure!(
            !is_stdin || self.paths.len() == 1,
            "`-` reads one spec from standard input; check other paths separately"
        );
        Ok(is_stdin)
    }

    fn refuse_stdin(&self) -> anyhow::Result<()> {
        anyhow::ensure!(
            !self.is_stdin()?,
            "only `mcpc check` reads a spec from standard input; give the path of a file"
        );
        Ok(())
    }
}

/// How a command that could run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Clean,
    /// Findings, or a check that failed.
    Failed,
    /// Some input could not be read.
    Incomplete,
}

impl Outcome {
    fn code(self) -> u8 {
        match self {
            Outcome::Clean => 0,
            Outcome::Failed => 1,
            Outcome::Incomplete => 2,
        }
    }
}

/// The streams of a command.
struct Streams {
    out: Box<dyn Write>,
    err: Box<dyn Write>,
    /// Colour results, messages.
    out_color: bool,
    err_color: bool,
}

pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are results; everything else is a usage error.
            let code = if error.use_stderr() { 2 } else { 0 };
            let _ = match left_out::message(&error) {
                Some(message) => std::io::stderr().write_all(message.as_bytes()),
                None => error.print(),
            };
            return ExitCode::from(code);
        }
    };
    let mut streams = Streams {
        // Not locked for the whole run: the threads of `dev` write too.
        out: Box::new(std::io::BufWriter::new(std::io::stdout())),
        err: Box::new(std::io::stderr()),
        out_color: wants_color(&std::io::stdout()),
        err_color: wants_color(&std::io::stderr()),
    };
    let result = run(arguments.command, &mut streams).and_then(|outcome| {
        streams.out.flush()?;
        Ok(outcome)
    });
    match result {
        Ok(outcome) => ExitCode::from(outcome.code()),
        // The reader of our output has seen enough.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(streams.err, "error: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run(command: Command, streams: &mut Streams) -> anyhow::Result<Outcome> {
    match command {
        Command::Check(arguments) => check::run(&arguments, streams),
        Command::Test(arguments) => test::run(&arguments, streams),
        Command::Try(arguments) => try_tool::run(&arguments, streams),
        #[cfg(feature = "dev")]
        Command::Dev(arguments) => dev::run(&arguments, streams),
        #[cfg(feature = "dev")]
        Command::Studio(arguments) => studio::run(&arguments, streams),
        Command::Import(arguments) => import::run(&arguments, streams),
        #[cfg(feature = "dev")]
        Command::Lock(arguments) => lock::run(&arguments, streams),
        Command::Build(arguments) => build::run(&arguments, streams),
        Command::Diff(arguments) => diff::run(&arguments, streams),
        Command::Stats(arguments) => stats::run(&arguments, streams),
        #[cfg(feature = "remote")]
        Command::Push(arguments) => push::run(&arguments, streams),
        Command::Inspect(arguments) => inspect::run(&arguments, streams),
        Command::Verify(arguments) => verify::run(&arguments, streams),
        Command::Replay(arguments) => replay::run(&arguments, streams),
        Command::Keygen(arguments) => keygen::run(&arguments, streams),
        Command::Explain(arguments) => explain::run(&arguments, streams),
        Command::Rules(arguments) => rules::run(&arguments, streams),
        Command::Schema(arguments) => schema::run(&arguments, streams),
        Command::Init(arguments) => init::run(&arguments, streams),
        Command::Completions(arguments) => completions::run(&arguments, streams),
    }
}

fn wants_color(stream: &impl IsTerminal) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    stream.is_terminal() && !set("NO_COLOR") && !dumb
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| {
        let io = cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind);
        // Its source is not the IO error that it wraps.
        io.or_else(|| cause.downcast_ref::<serde_json::Error>()?.io_error_kind())
    };
    error.chain().any(|cause| kind(cause) == Some(std::io::ErrorKind::BrokenPipe))
}

/// A bundle's name in messages: without what is secret in a URL.
fn shown(path: &Path) -> String {
    match path.to_str().and_then(Location::find) {
        Some(Ok(location)) => location.to_string(),
        _ => disk::display(path),
    }
}

/// A bundle's bytes, from a file or a URL, within the format's limit.
fn read_bundle(path: &Path) -> anyhow::Result<Vec<u8>> {
    if let Some(found) = path.to_str().and_then(Location::find) {
        return remote::fetch(&remote::location(found)?);
    }
    let name = disk::display(path);
    let context = || format!("`{name}` cannot be read");
    let size =
        std::fs::metadata(path).map_err(|e| anyhow::anyhow!(disk::plain(&e))).with_context(context)?.len();
    let limit = mcp_bundle::format::MAX_FILE_LENGTH;
    if size > limit {
        anyhow::bail!("`{name}` has {} MiB; the limit for bundles is {} MiB", size >> 20, limit >> 20);
    }
    std::fs::read(path).map_err(|e| anyhow::anyhow!(disk::plain(&e))).with_context(context)
}

/// `1 tool`, `2 tools`.
fn counted(number: usize, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(
            (grouped(7), grouped(1234), grouped(1_234_567)),
            ("7".into(), "1,234".into(), "1,234,567".into())
        );
        assert_eq!(counted(1, "tool"), "1 tool");
        assert_eq!(counted(0, "tool"), "0 tools");
    }
}
