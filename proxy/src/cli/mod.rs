//! The `mcp-edge` command: what was typed → what it means → what is done.
//!
//! Exit codes: 0 success, 1 a problem in the bundle or the configuration, 2 could not run.

mod check;
mod environment;
mod files;
mod init;
mod key;
mod no_command;
mod serve;
mod start;
mod tls;
mod typed;
mod variables;

use crate::config::{BundlePlace, Config, ConfigError, FileProblem, editor_schema};
use crate::telemetry::logging::{LogFormat, LogLevel};
use clap::{CommandFactory, FromArgMatches, Parser};
use environment::Environment;
use mcp_bundle::format::VerifyingKey;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Serve a bundle of MCP tools at the edge
#[derive(Debug, Parser)]
#[command(name = "mcp-edge", version, max_term_width = 100, after_help = AFTER_HELP)]
#[command(args_conflicts_with_subcommands = true)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    serve: ServeArguments,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Load a bundle or a configuration as the proxy would, and print what it contains and needs
    ///
    /// A configuration is checked with every file it names, and every variable needs a value. A bundle alone is checked
    /// without the variables of this machine: those without a value are marked, but are not an error.
    #[command(after_help = EXIT_CODES)]
    Check {
        /// A bundle (a file or a URL), or an `edge.toml`
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Require a signature by this public key (its text or a file); if repeated, by any of them
        #[arg(long, value_name = "KEY")]
        key: Vec<String>,
    },
    /// Write an `edge.toml` and a `tenants.toml` to start from, with TLS, an API key and an audit log
    Init {
        /// Where to write them
        #[arg(value_name = "FOLDER", default_value = ".")]
        folder: PathBuf,
    },
    /// Make API keys
    #[command(subcommand)]
    Key(KeyCommand),
    /// Print a JSON Schema of `edge.toml` or `tenants.toml`, for editors
    Schema {
        /// Of which file
        #[arg(value_name = "FILE", default_value = "edge")]
        file: SchemaOf,
    },
}

#[derive(Debug, clap::Subcommand)]
enum KeyCommand {
    /// Print a new API key, and the lines for the file of tenants that let it in
    ///
    /// The key is shown only once and stored nowhere: the file of tenants holds its digest.
    New {
        /// The tenant that it belongs to
        #[arg(long, value_name = "TENANT", default_value = "NAME")]
        tenant: String,
        /// Its name in logs and in the audit log
        #[arg(long, value_name = "ID", default_value = "key")]
        id: String,
    },
}

#[derive(Debug, clap::Args)]
struct ServeArguments {
    /// The bundle to serve, instead of the one in the configuration: a file, or `https://…`, `oci://…`, `s3://…`, `gs://…`
    /// or `az://…`
    #[arg(value_name = "BUNDLE")]
    bundle: Option<PathBuf>,
    /// Read the configuration from this file
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Listen on this address, without TLS, instead of those in the configuration; may be repeated
    /// [default: 127.0.0.1:8080]
    #[arg(long, value_name = "ADDRESS")]
    listen: Vec<String>,
    /// Address of the admin listener, or `off` [default: 127.0.0.1:8081]
    #[arg(long, value_name = "ADDRESS")]
    admin: Option<String>,
    /// Require a signature by this public key (its text or a file), or by one of those in the configuration; may be
    /// repeated
    #[arg(long, value_name = "KEY")]
    key: Vec<String>,
    /// `none` lets everyone call; needed to listen on an address that is not loopback
    #[arg(long, value_name = "HOW")]
    auth: Option<Auth>,
    /// Take over the listeners of the running process, at `upgrade_socket`, when it receives SIGQUIT
    #[arg(long, requires = "config")]
    upgrade: bool,
    /// The format of log lines
    #[arg(long, value_name = "FORMAT")]
    log_format: Option<LogFormat>,
    /// The least severe level that is logged
    #[arg(long, value_name = "LEVEL")]
    log_level: Option<LogLevel>,
}

#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum Auth {
    None,
}

/// The files that have a schema.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum SchemaOf {
    Edge,
    Tenants,
}

const EXIT_CODES: &str =
    "Exit codes: 0 success, 1 a problem in the bundle or the configuration, 2 could not run";

const AFTER_HELP: &str =
    "Environment: MCP_EDGE_BUNDLE, MCP_EDGE_CONFIG, MCP_EDGE_LISTEN (separated by commas), MCP_EDGE_ADMIN, \
     MCP_EDGE_LOG_FORMAT and MCP_EDGE_LOG_LEVEL stand for the options of the same names, which have precedence

Exit codes: 0 success, 1 a problem in the bundle or the configuration, 2 could not run";

/// Why the command ends early.
#[derive(Debug)]
struct CommandError {
    /// Whole lines; a plain message starts with `error: `.
    text: String,
    code: u8,
}

pub fn main() -> ExitCode {
    let typed: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(failure) = no_command::find(&typed) {
        return failure.end();
    }
    // The environment may say all that is needed.
    let is_told = Environment::of_process().has_something_to_serve();
    let command = Arguments::command().arg_required_else_help(!is_told);
    let arguments = command.try_get_matches().and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match arguments {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are results; everything else is a usage error.
            let code = if error.use_stderr() { 2 } else { 0 };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    let result = match arguments.command {
        Some(Command::Check { file, key }) => check::run(&file, &key),
        Some(Command::Init { folder }) => init::run(&folder),
        Some(Command::Key(KeyCommand::New { tenant, id })) => key::new(&tenant, &id),
        Some(Command::Schema { file: SchemaOf::Edge }) => Ok(editor_schema::edge()),
        Some(Command::Schema { file: SchemaOf::Tenants }) => Ok(editor_schema::tenants()),
        None => {
            let mut serve = arguments.serve;
            let completed = Environment::of_process().complete(&mut serve);
            completed.and_then(|()| serve::run(&serve)).map(|()| String::new())
        }
    };
    match result {
        Ok(text) => {
            // A broken pipe is fine: its reader has seen enough.
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(failure) => failure.end(),
    }
}

impl CommandError {
    /// There is a problem in what was given.
    fn wrong(message: impl std::fmt::Display) -> CommandError {
        CommandError { text: format!("error: {message}\n"), code: 1 }
    }

    /// It could not run at all.
    fn cannot_run(message: impl std::fmt::Display) -> CommandError {
        CommandError { text: format!("error: {message}\n"), code: 2 }
    }

    /// Problems of files, with their lines where the configuration names them.
    fn of_files(config: &Config, problems: Vec<FileProblem>) -> CommandError {
        let (located, rest) = config.places.locate(problems);
        let text = located.map(|problems| problems.render(wants_color())).unwrap_or_default();
        CommandError { text, code: 1 }.and(&rest)
    }

    /// The same failure, with the line of the configuration that names the file, if one does.
    fn located(self, config: &Config, file: &Path) -> CommandError {
        let code = self.code;
        match config.places.locate(vec![FileProblem::new(file, self.message())]) {
            (Some(problems), _) => CommandError { text: problems.render(wants_color()), code },
            (None, _) => self,
        }
    }

    /// More messages after it.
    fn and(mut self, messages: &[String]) -> CommandError {
        self.text.extend(messages.iter().map(|message| format!("error: {message}\n")));
        self
    }

    /// Its first message alone.
    fn message(&self) -> String {
        self.text.trim_start_matches("error: ").trim_end().to_owned()
    }

    fn end(self) -> ExitCode {
        let _ = std::io::stderr().write_all(self.text.as_bytes());
        ExitCode::from(self.code)
    }

    /// As an event, for those who read only the log.
    fn logged(self) -> CommandError {
        tracing::error!(error = self.message(), "could not run");
        CommandError { text: String::new(), code: self.code }
    }

    fn help(mut self, help: &str) -> CommandError {
        self.text.push_str(&format!("help: {help}\n"));
        self
    }

    fn note(mut self, note: &str) -> CommandError {
        self.text.push_str(&format!("note: {note}\n"));
        self
    }
}

impl From<ConfigError> for CommandError {
    fn from(error: ConfigError) -> CommandError {
        match error {
            ConfigError::Wrong(problems) => CommandError { text: problems.render(wants_color()), code: 1 },
            ConfigError::Exposed { .. } => CommandError::cannot_run(error)
                .help("listen on `127.0.0.1`, or add `--auth none` to allow everyone"),
            ConfigError::Untrusted { .. } => CommandError::wrong(error)
                .help("add `keys = [\"mcpc-ed25519:…\"]` to the configuration, or `--key KEY`; `mcpc keygen` makes one"),
            ConfigError::OpenedByHand => {
                CommandError::cannot_run(error).help("remove one of them, or write `mode = \"none\"` there")
            }
            ConfigError::NoBundle => CommandError::cannot_run(error)
                .help("name one: `mcp-edge BUNDLE`, or `bundle = \"…\"` in the configuration"),
            error => CommandError::cannot_run(error),
        }
    }
}

/// The bundle of a configuration, as it would be served.
fn load_bundle(config: &Config, place: &BundlePlace) -> Result<mcp_bundle::format::Bundle, CommandError> {
    let loaded = match place {
        BundlePlace::File(path) => crate::load(path, &config.keys),
        BundlePlace::Remote(location) => crate::load_remote(location, config.source_options(), &config.keys),
    };
    loaded.map_err(|error| bundle_failure(&error, &place.path()))
}

fn read_place(text: &Path) -> Result<BundlePlace, CommandError> {
    BundlePlace::parse(text, Path::new("")).map_err(|error| {
        CommandError::cannot_run(format!("the bundle cannot be used: {error}")).help(error.help)
    })
}

fn bundle_failure(error: &crate::LoadError, path: &Path) -> CommandError {
    match error {
        crate::LoadError::Invalid { .. } if has_toml_name(path) => {
            CommandError::wrong(error).help("to use a configuration, write `--config FILE`")
        }
        crate::LoadError::Invalid { .. } => CommandError::wrong(error),
        crate::LoadError::Source(_) => CommandError::cannot_run(error),
    }
}

fn read_keys(keys: &[String]) -> Result<Vec<VerifyingKey>, CommandError> {
    let read = |key: &String| {
        let read = crate::config::read_key(key, Path::new(""));
        read.map_err(|reason| CommandError::cannot_run(format!("`--key`: {reason}")))
    };
    keys.iter().map(read).collect()
}

fn read_config(path: Option<&Path>) -> Result<Config, CommandError> {
    Ok(path.map(Config::load).transpose()?.unwrap_or_default())
}

fn has_toml_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "toml")
}

fn wants_color() -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    std::io::stderr().is_terminal() && !set("NO_COLOR") && !dumb
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Arguments::command().debug_assert();
    }
}
