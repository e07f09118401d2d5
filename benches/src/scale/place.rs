//! What all parts share: a folder, the upstream, and the bundles that were made.

use super::process::{Process, output};
use super::{bundles, upstream};
use crate::AnyError;
use crate::load::cores::Cores;
use crate::load::process::{free_address, sibling};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpStream;

const BUNDLES: &str = "bundles";

#[derive(Debug)]
pub struct Place {
    /// Everything is done once and briefly, with at most 1,000 tools and connections.
    pub quick: bool,
    /// Where a proxy with one thread runs, and where everyone else does.
    pub tested: Cores,
    pub others: Cores,
    cores: usize,
    _upstream: Process,
    pub upstream: SocketAddr,
    folder: TempDir,
}

impl Place {
    pub async fn new(quick: bool) -> Result<Place, AnyError> {
        let (tested, others) = Cores::split(1);
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let folder = TempDir::new()?;
        // Not where logs are written: the proxy watches the folder of its bundle.
        std::fs::create_dir(folder.path().join(BUNDLES))?;
        let address = free_address()?;
        let mut command = others.command(&std::env::current_exe()?);
        command.args(["upstream", &address.to_string()]);
        let mut process = Process::start(&mut command, &folder.path().join("upstream.log"))?;
        connect(address, &mut process).await?;
        Ok(Place { quick, tested, others, cores, _upstream: process, upstream: address, folder })
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Lets this process run on any core again.
    pub fn unbind_this_process(&self) -> Result<(), AnyError> {
        if self.cores == 1 {
            return Ok(());
        }
        let (list, pid) = (format!("0-{}", self.cores - 1), std::process::id().to_string());
        match Command::new("taskset").args(["-c", "-p", &list, &pid]).stdout(Stdio::null()).status() {
            Ok(status) if !status.success() => Err("`taskset` cannot unbind this process".into()),
            // Without it nothing was bound.
            _ => Ok(()),
        }
    }

    pub fn edge_program() -> Result<PathBuf, AnyError> {
        sibling("mcp-edge")
    }

    /// A bundle of this many tools whose calls reach the upstream; made when first asked for, in a process of its own.
    pub async fn tools(&self, tools: usize) -> Result<PathBuf, AnyError> {
        self.bundle(&format!("{tools}.mcpk"), &tools.to_string()).await
    }

    /// A bundle with a tool for each of [`upstream::Length`].
    pub async fn answers(&self) -> Result<PathBuf, AnyError> {
        self.bundle("answers.mcpk", "answers").await
    }

    /// A bundle of MCP servers, of which so many are down.
    pub fn servers(&self, down: usize) -> Result<PathBuf, AnyError> {
        let path = self.folder().join(BUNDLES).join(format!("{down}-down.mcpk"));
        if !path.exists() {
            bundles::save(&bundles::servers(down, &format!("http://{}", self.upstream))?, &path)?;
        }
        Ok(path)
    }

    /// A bundle whose MCP server is a program of this name.
    pub fn program(&self, name: &str) -> Result<PathBuf, AnyError> {
        let path = self.folder().join(BUNDLES).join("program.mcpk");
        bundles::save(&bundles::program(name)?, &path)?;
        Ok(path)
    }

    async fn bundle(&self, name: &str, what: &str) -> Result<PathBuf, AnyError> {
        let path = self.folder().join(BUNDLES).join(name);
        if !path.exists() {
            let url = format!("http://{}", self.upstream);
            output(own_step().args(["bundle", what, &url]).arg(&path)).await?;
        }
        Ok(path)
    }

    /// These sizes, without the large ones in a quick run.
    pub fn sizes(&self, all: &[usize]) -> Vec<usize> {
        all.iter().copied().filter(|size| !self.quick || *size <= 1_000).collect()
    }

    pub fn rounds(&self, rounds: usize) -> usize {
        if self.quick { 1 } else { rounds }
    }

    pub fn round_time(&self) -> Duration {
        if self.quick { Duration::from_millis(400) } else { Duration::from_secs(3) }
    }
}

/// This program, for one of its steps.
pub fn own_step() -> Command {
    Command::new(std::env::current_exe().unwrap_or_default())
}

/// Connects as soon as the process listens.
pub async fn connect(address: SocketAddr, process: &mut Process) -> Result<TcpStream, AnyError> {
    /// A look at the process costs more than a try.
    const TRIES_A_LOOK: usize = 64;
    const TIME: Duration = Duration::from_secs(120);
    let begin = std::time::Instant::now();
    loop {
        for _ in 0..TRIES_A_LOOK {
            if let Ok(stream) = TcpStream::connect(address).await {
                return Ok(stream);
            }
            tokio::task::yield_now().await;
        }
        process.check()?;
        if begin.elapsed() > TIME {
            return Err(format!("nobody listens on {address}:\n{}", process.said()).into());
        }
    }
}

/// Where [`upstream`] answers with that length.
pub fn answer_tool(length: upstream::Length) -> String {
    format!("answer_{}", length.label())
}
