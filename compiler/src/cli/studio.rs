//! `mcpc studio`

use super::dev::address;
use super::{Outcome, Specs, Streams};
use crate::dev::{self, Event, Wake, Watcher};
use crate::files::disk;
use crate::servers::Programs;
use crate::studio::{Places, RunningEdge, Studio, Subject, Token, Workspace};
use anyhow::Context;
use mcp_edge::process::{self, BindError, Bound, Listener};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

/// Try tools, edit specs and add MCP servers on a page in a browser
///
/// Prints the URL to open; it holds a token that is new with each start. Only this machine can
/// connect. Changes of the specs show at once. Ctrl-C stops it.
///
/// Exit codes: 0 stopped, 2 could not start.
#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[command(flatten)]
    specs: Specs,
    /// Answer calls from the examples of the specs; no call is sent, and variables need no value
    #[arg(long)]
    mock: bool,
    /// Where to listen, on a loopback address; port 0 takes any free port
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8090", value_parser = address)]
    listen: SocketAddr,
    /// Change no file
    #[arg(long)]
    read_only: bool,
    /// Read variables from this file of `NAME=value` lines; the environment takes precedence;
    /// repeatable
    #[arg(long, value_name = "FILE")]
    env_file: Vec<PathBuf>,
    /// Write keys that are typed into the page to this file [default: `.mcpc/secrets.env` in the
    /// folder of the specs]
    #[arg(long, value_name = "FILE")]
    secrets: Option<PathBuf>,
    /// The `mcpServers` file with the programs of MCP servers over `stdio`; nothing is started
    /// without it
    #[arg(long, value_name = "FILE", conflicts_with = "mock")]
    mcp_servers: Option<PathBuf>,
    /// Show a running edge by its admin listener, `http://127.0.0.1:8081`, instead of specs
    #[arg(long, value_name = "URL", conflicts_with_all = ["paths", "config", "mock", "read_only", "env_file", "secrets", "mcp_servers"])]
    edge: Option<String>,
}

/// Hints that wait to be looked at.
const WAITING_EVENTS: usize = 64;

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    let Specs { paths, config } = &arguments.specs;
    let (events, received) = sync_channel(WAITING_EVENTS);
    let subject = match &arguments.edge {
        Some(url) => Subject::Edge(RunningEdge::at(url).map_err(|why| anyhow::anyhow!(why))?),
        None => Subject::Specs(Box::new(workspace(arguments)?)),
    };
    let bound = bind(arguments.listen)?;
    let (studio, url) = studio(subject, &bound, arguments.listen)?;
    dev::stop_on_signal(events.clone()).context("signals cannot be received")?;
    let running = studio.serve(bound);
    let out = &mut streams.out;
    writeln!(out, "studio     {url}")?;
    match (&arguments.edge, studio.workspace()) {
        (Some(edge), _) => writeln!(out, "shows      the edge at {edge}")?,
        (None, Some(workspace)) => write_about(arguments, workspace, out)?,
        (None, None) => {}
    }
    writeln!(out, "\nOpen it in a browser; the token in it is new with each start. Ctrl-C stops it.\n")?;
    out.flush()?;
    match arguments.edge {
        Some(_) => wait_for_stop(&received),
        None => {
            let mut watcher = Watcher::new(paths, config.as_deref(), events);
            follow(&studio, &mut watcher, &received);
        }
    }
    running.stop();
    Ok(Outcome::Clean)
}

fn workspace(arguments: &Arguments) -> anyhow::Result<Workspace> {
    arguments.specs.refuse_stdin()?;
    let file = arguments.mcp_servers.as_deref();
    let Specs { paths, config } = &arguments.specs;
    let places = Places {
        paths: paths.clone(),
        config: config.clone(),
        env_files: arguments.env_file.clone(),
        secrets: arguments.secrets.clone(),
        programs: file.map(Programs::read).transpose()?.unwrap_or_default(),
        is_mock: arguments.mock,
        is_read_only: arguments.read_only,
    };
    if let Some(missing) = paths.iter().find(|path| !path.exists()) {
        anyhow::bail!("`{}` is not there", disk::display(missing));
    }
    let workspace = Workspace::open(places)?;
    // What cannot be read now is better known now.
    workspace.variables().map_err(|error| anyhow::anyhow!(error.message))?;
    Ok(workspace)
}

fn write_about(
    arguments: &Arguments,
    workspace: &Workspace,
    out: &mut dyn std::io::Write,
) -> anyhow::Result<()> {
    let snapshot = workspace.snapshot();
    let report = &snapshot.report;
    let toolsets = super::counted(report.toolsets.len(), "toolset");
    writeln!(out, "tools      {} in {toolsets}", super::grouped(report.tools()))?;
    if report.errors() > 0 {
        writeln!(out, "errors     {}; the page shows them", super::grouped(report.errors()))?;
    }
    let how =
        if arguments.mock { "from the examples of the specs (mock)" } else { "from the upstreams (live)" };
    writeln!(out, "answers    {how}")?;
    if arguments.read_only {
        writeln!(out, "files      are not changed")?;
    }
    Ok(())
}

/// A studio for a listener that is bound already, and the URL of its page.
pub fn studio(subject: Subject, bound: &Bound, wanted: SocketAddr) -> anyhow::Result<(Arc<Studio>, String)> {
    let address = bound.addresses().first().copied().unwrap_or(wanted);
    let studio = Studio::new(subject, Token::new()?, address.port())?;
    let url = studio.url(address);
    Ok((studio, url))
}

pub fn bind(listen: SocketAddr) -> anyhow::Result<Bound> {
    anyhow::ensure!(
        listen.ip().is_loopback(),
        "`{listen}` is reachable from other machines, and the studio edits files; listen on `127.0.0.1`"
    );
    let listener = Listener { address: listen.to_string(), tls: None };
    process::bind(&[listener]).map_err(|error| match error {
        BindError::Address { address, source } if source.kind() == ErrorKind::AddrInUse => {
            anyhow::anyhow!("`{address}` is in use: choose another address, or any free port with port 0")
        }
        BindError::Address { address, source } => {
            anyhow::anyhow!("cannot listen on `{address}`: {}; choose another address", disk::plain(&source))
        }
        other => other.into(),
    })
}

/// Reads the specs again whenever they change, until it is time to stop.
fn follow(studio: &Studio, watcher: &mut Watcher, received: &Receiver<Event>) {
    while let Some(workspace) = studio.workspace() {
        match watcher.wait(&workspace.seen(), received) {
            Wake::Changed(_) => studio.refresh(),
            Wake::Stop => return,
        }
    }
}

fn wait_for_stop(received: &Receiver<Event>) {
    while received.recv().is_ok_and(|event| event != Event::Stop) {}
}
