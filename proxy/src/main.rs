//! The `mcp-edge` command.

use clap::{Parser, Subcommand};
use mcp_bundle::format::VerifyingKey;
use mcp_bundle::key_text;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Loading a bundle of many tools takes half the CPU time that it takes with glibc's allocator
/// (`docs/BENCHMARKS.md`).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The edge proxy for bundles of MCP tools. This version verifies bundles; it does not serve them yet.
#[derive(Debug, Parser)]
#[command(name = "mcp-edge", version, arg_required_else_help = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Load a bundle as the proxy would, and say what it holds and needs
    Check {
        bundle: PathBuf,
        /// Demand a signature by this public key (its text or a file); of several, one is enough
        #[arg(long, value_name = "KEY")]
        key: Vec<String>,
    },
}

fn main() -> ExitCode {
    let Command::Check { bundle, key } = Arguments::parse().command;
    match check(&bundle, &key) {
        Ok(text) => {
            // A reader that went away has seen enough.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(Failure { message, code }) => {
            let _ = writeln!(std::io::stderr(), "error: {message}");
            ExitCode::from(code)
        }
    }
}

struct Failure {
    message: String,
    code: u8,
}

fn check(bundle: &Path, keys: &[String]) -> Result<String, Failure> {
    let keys: Vec<VerifyingKey> = keys.iter().map(|key| read_key(key)).collect::<Result<_, _>>()?;
    let bundle = mcp_edge::load(bundle, &keys).map_err(|error| Failure {
        code: if matches!(error, mcp_edge::LoadError::Invalid { .. }) { 1 } else { 2 },
        message: error.to_string(),
    })?;
    let contents = &bundle.contents;
    let variables: Vec<&str> = contents.variable_names().collect();
    let needs = if variables.is_empty() { "no variables".to_owned() } else { variables.join(", ") };
    Ok(format!("revision   {}\ntools      {}\nneeds      {needs}\n", bundle.revision, contents.tools.len()))
}

fn read_key(text_or_path: &str) -> Result<VerifyingKey, Failure> {
    let failure = |message: String| Failure { message, code: 2 };
    if let Ok(key) = key_text::read_public(text_or_path) {
        return Ok(key);
    }
    let text = std::fs::read_to_string(text_or_path)
        .map_err(|error| failure(format!("key `{text_or_path}` cannot be read: {error}")))?;
    key_text::read_public(&text).map_err(|error| failure(format!("key `{text_or_path}`: {error}")))
}
