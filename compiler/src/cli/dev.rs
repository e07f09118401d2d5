//! `mcpc dev`

use super::{Outcome, Specs, Streams, counted, studio};
use crate::check::check;
use crate::dev::{self, CallLines, Dev, Loaded, Mock, Recorded, Seen, ServerLines, Wake, Watcher};
use crate::files::disk::{self, Disk};
use crate::render::{KnownFindings, TextFormat, render_changes};
use crate::servers::Programs;
use crate::studio::{Places, Studio, Subject, Workspace};
use anyhow::Context;
use mcp_bundle::wire_enums::ProtocolVersion;
use mcp_diagnostics::visible::one_line;
use mcp_edge::process::{self, BindError, Bound, Listener, Options};
use std::io::{ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::sync_channel;

/// Serve specs to MCP clients, reloading on change
///
/// Errors appear as you save; the last good version keeps serving, and a reload drops no call.
/// With `--mock` it needs no network. Ctrl-C stops it.
///
/// Exit codes: 0 stopped, 2 could not start.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    specs: Specs,
    /// Answer calls from the examples of the specs; nothing is sent, and variables need no value
    #[arg(long)]
    mock: bool,
    /// Where to listen; port 0 takes any free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080", value_parser = address)]
    listen: SocketAddr,
    /// Read variables from this file of `NAME=value` lines; the environment takes precedence;
    /// repeatable
    #[arg(long, value_name = "FILE")]
    env_file: Vec<PathBuf>,
    /// The `mcpServers` file with the programs of MCP servers over `stdio`; nothing is started
    /// without it
    #[arg(long, value_name = "FILE", conflicts_with = "mock")]
    mcp_servers: Option<PathBuf>,
    /// Allow `--listen` on an address that other machines can reach: there is no authentication
    #[arg(long)]
    allow_remote: bool,
    /// Serve the page of `mcpc studio` too; prints its URL
    #[arg(long)]
    studio: bool,
    /// Where the page is, on a loopback address; port 0 takes any free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8090", value_parser = address,
        requires = "studio")]
    studio_listen: SocketAddr,
    /// The page changes no file
    #[arg(long, requires = "studio")]
    read_only: bool,
    /// How to print findings
    #[arg(long, value_enum, default_value_t = TextFormat::Human)]
    format: TextFormat,
    /// Print the arguments and the URL of each call, requests that are refused, and the log of MCP servers
    #[arg(short, long)]
    verbose: bool,
}

/// Names that a message lists at most.
const LISTED_NAMES: usize = 5;

/// Hints that wait to be looked at.
const WAITING_EVENTS: usize = 64;

/// Threads that serve: a few are plenty for one person.
const MAX_THREADS: usize = 4;

/// One reading of the specs.
struct Round {
    seen: Seen,
    end: End,
}

enum End {
    Serving(Loaded),
    /// The specs have errors, which are printed.
    Refused,
    /// Some file cannot be read, which is printed.
    Incomplete,
    Failed(anyhow::Error),
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    arguments.specs.refuse_stdin()?;
    let bound = bind(arguments)?;
    let address = bound.addresses().first().copied().unwrap_or(arguments.listen);
    let calls = CallLines { write: write_line, verbose: arguments.verbose };
    ServerLines { write: write_line, verbose: arguments.verbose }.show();
    let mock = arguments.mock.then(|| Mock::new(write_line));
    let file = arguments.mcp_servers.as_deref();
    let programs = file.map(Programs::read).transpose()?.unwrap_or_default();
    let page = arguments.studio.then(|| page(arguments, programs.clone())).transpose()?;
    let dev = Dev::new(address, mock, programs, Arc::new(calls))?;
    let (events, received) = sync_channel(WAITING_EVENTS);
    let Specs { paths, config } = &arguments.specs;
    let mut watcher = Watcher::new(paths, config.as_deref(), events.clone());

    let mut known = KnownFindings::default();
    let secrets = page.as_ref().and_then(Page::secrets);
    let mut round = read(&dev, &watcher, arguments, secrets.as_deref(), &mut known, streams)?;
    match round.end {
        End::Serving(_) | End::Refused => {}
        End::Incomplete => return Ok(Outcome::Incomplete),
        End::Failed(error) => return Err(error),
    }
    dev::stop_on_signal(events).context("signals cannot be received")?;
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    let options = Options { threads, ..Options::default() };
    let running = process::start(Arc::clone(dev.edge()), bound, options);
    let url = page.as_ref().map(|page| page.url.as_str());
    let mut printed = write_start(arguments, address, url, &round, streams);
    while printed.is_ok()
        && let Wake::Changed(names) = watcher.wait(&round.seen, &received)
    {
        printed = read(&dev, &watcher, arguments, secrets.as_deref(), &mut known, streams).and_then(|next| {
            round = next;
            if let Some(page) = &page {
                page.studio.refresh();
            }
            write_change(&dev, &round, &names, streams)
        });
    }
    running.stop();
    drop(page);
    printed.map(|()| Outcome::Clean)
}

/// The page beside the tools.
struct Page {
    studio: Arc<Studio>,
    url: String,
    /// Serves until it is dropped.
    _running: process::Running,
}

impl Page {
    /// The file of the keys that are typed into it.
    fn secrets(&self) -> Option<PathBuf> {
        Some(self.studio.workspace()?.secrets_file())
    }
}

fn page(arguments: &Arguments, programs: Programs) -> anyhow::Result<Page> {
    let Specs { paths, config } = &arguments.specs;
    let places = Places {
        paths: paths.clone(),
        config: config.clone(),
        env_files: arguments.env_file.clone(),
        programs,
        is_mock: arguments.mock,
        is_read_only: arguments.read_only,
        ..Places::default()
    };
    let bound = studio::bind(arguments.studio_listen)?;
    let subject = Subject::Specs(Box::new(Workspace::open(places)?));
    let (studio, url) = studio::studio(subject, &bound, arguments.studio_listen)?;
    let _running = studio.serve(bound);
    Ok(Page { studio, url, _running })
}

/// Lines of threads that serve.
fn write_line(line: &str) {
    let _ = std::io::stderr().write_all(line.as_bytes());
}

/// Reads the specs, prints what is wrong and was not before, and serves them if they have no
/// errors.
fn read(
    dev: &Dev,
    watcher: &Watcher,
    arguments: &Arguments,
    secrets: Option<&Path>,
    known: &mut KnownFindings,
    streams: &mut Streams,
) -> anyhow::Result<Round> {
    let files = Recorded::new(&Disk);
    // Keys that were typed into the page are there once there are any.
    let secrets = secrets.filter(|path| path.is_file());
    let files_of_variables = arguments.env_file.iter().map(PathBuf::as_path).chain(secrets);
    let names: Vec<String> = files_of_variables.map(disk::display).collect();
    let variables = dev::read_environment(&names, &files);
    let found = watcher.discover();
    let end = match (&found, variables) {
        (Err(error), _) => End::Failed(anyhow::anyhow!("{error}")),
        (_, Err(error)) => End::Failed(error.into()),
        (Ok(input), Ok(variables)) => {
            let report = check(input, &files);
            let (format, color) = (arguments.format.into(), streams.err_color);
            render_changes(format, &report, &known.update(&report), color, &mut streams.err)?;
            match dev.load(&report, &variables) {
                _ if report.is_incomplete() => End::Incomplete,
                Ok(Some(loaded)) => End::Serving(loaded),
                Ok(None) => End::Refused,
                Err(error) => End::Failed(error.into()),
            }
        }
    };
    Ok(Round { seen: files.seen(&found), end })
}

fn write_start(
    arguments: &Arguments,
    address: SocketAddr,
    studio: Option<&str>,
    round: &Round,
    streams: &mut Streams,
) -> anyhow::Result<()> {
    let url = format!("http://{}/mcp", reachable(address));
    let out = &mut streams.out;
    writeln!(out, "serving    {url}")?;
    if let Some(studio) = studio {
        writeln!(out, "studio     {studio}")?;
    }
    match &round.end {
        End::Serving(loaded) => {
            let toolsets = counted(loaded.toolsets, "toolset");
            writeln!(out, "tools      {} in {toolsets}", super::grouped(loaded.tools))?;
        }
        _ => writeln!(out, "tools      none until the errors are fixed")?,
    }
    let how =
        if arguments.mock { "from the examples of the specs (mock)" } else { "from the upstreams (live)" };
    writeln!(out, "answers    {how}")?;
    if !address.ip().is_loopback() {
        writeln!(out, "open       other machines can reach it, and there is no authentication")?;
    }
    writeln!(out, "\nAdd it to a client, by command or by configuration:\n")?;
    writeln!(out, "  claude mcp add --transport http mcpc-dev {url}")?;
    writeln!(out, r#"  {{ "mcpServers": {{ "mcpc-dev": {{ "type": "http", "url": "{url}" }} }} }}"#)?;
    writeln!(out, "\nOr send a request yourself:\n")?;
    // Without a version, the server must assume one that has no `structuredContent`.
    let version = ProtocolVersion::V20251125;
    let list = r#"'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'"#;
    writeln!(out, "  curl -s {url} -H 'content-type: application/json' \\")?;
    writeln!(out, "    -H 'mcp-protocol-version: {version}' -d {list}")?;
    writeln!(out, "\nSpecs reload when they change. Ctrl-C stops it.\n")?;
    out.flush()?;
    if let End::Serving(loaded) = &round.end {
        write_notes(loaded, streams)?;
    }
    Ok(())
}

fn write_change(dev: &Dev, round: &Round, names: &[String], streams: &mut Streams) -> anyhow::Result<()> {
    if let End::Serving(loaded) = &round.end {
        writeln!(streams.err, "reloaded: {} ({})", counted(loaded.tools, "tool"), list(names))?;
        return write_notes(loaded, streams);
    }
    if let End::Failed(error) = &round.end {
        writeln!(streams.err, "error: {error:#}")?;
    }
    let what = match dev.edge().catalog() {
        Some(_) => "the last good version keeps serving",
        None => "nothing is served until this is fixed",
    };
    writeln!(streams.err, "not reloaded: {what}")?;
    Ok(())
}

/// What some tools cannot do without upstreams or callers.
fn write_notes(loaded: &Loaded, streams: &mut Streams) -> anyhow::Result<()> {
    let Loaded { unanswered, unidentified, .. } = loaded;
    if !unanswered.is_empty() {
        let what = "no example has a response, so calls get status 501";
        writeln!(streams.err, "note: {}: {what}", list(unanswered))?;
    }
    if !unidentified.is_empty() {
        let what = "calls are refused: `${tenant.id}` and `${principal.sub}` have no value in `mcpc dev`";
        writeln!(streams.err, "note: {}: {what}", list(unidentified))?;
    }
    Ok(())
}

fn bind(arguments: &Arguments) -> anyhow::Result<Bound> {
    let listen = arguments.listen;
    if !listen.ip().is_loopback() && !arguments.allow_remote {
        anyhow::bail!(
            "`{listen}` is reachable from other machines, and there is no authentication; listen on \
             `127.0.0.1`, or allow it with `--allow-remote`"
        );
    }
    let listener = Listener { address: listen.to_string(), tls: None };
    process::bind(&[listener]).map_err(|error| match error {
        BindError::Address { address, source } if source.kind() == ErrorKind::AddrInUse => {
            anyhow::anyhow!(
                "`{address}` is in use: choose another address with `--listen`, or any free port with port 0"
            )
        }
        BindError::Address { address, source } => {
            let why = disk::plain(&source);
            anyhow::anyhow!("cannot listen on `{address}`: {why}; choose another address with `--listen`")
        }
        other => other.into(),
    })
}

pub fn address(text: &str) -> Result<SocketAddr, String> {
    let numeric = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    numeric.parse().map_err(|_| "expected an IP address and a port, such as `127.0.0.1:8080`".to_owned())
}

/// An address that a client on this machine can use.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address.ip() {
            IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
            IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
        });
    }
    address
}

/// The first few names.
fn list(names: &[String]) -> String {
    let shown: Vec<String> =
        names.iter().take(LISTED_NAMES).map(|name| one_line(name).into_owned()).collect();
    match names.len().saturating_sub(LISTED_NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_numbers_or_localhost() {
        assert_eq!(address("localhost:0").unwrap(), "127.0.0.1:0".parse().unwrap());
        assert_eq!(address("[::1]:80").unwrap(), "[::1]:80".parse().unwrap());
        for wrong in ["", "8080", "localhost", "127.0.0.1", "example.com:80", "127.0.0.1:99999"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_address_for_everyone_is_shown_as_one_to_go_to() {
        assert_eq!(reachable("0.0.0.0:1".parse().unwrap()).to_string(), "127.0.0.1:1");
        assert_eq!(reachable("[::]:1".parse().unwrap()).to_string(), "[::1]:1");
        assert_eq!(reachable("10.0.0.1:1".parse().unwrap()).to_string(), "10.0.0.1:1");
    }

    #[test]
    fn long_lists_of_names_are_cut() {
        let names: Vec<String> = ["a", "b", "c", "d", "e", "f", "g"].map(str::to_owned).into();
        assert_eq!(list(&names), "a, b, c, d, e and 2 more");
        assert_eq!(list(names.get(..2).unwrap()), "a, b");
    }
}
