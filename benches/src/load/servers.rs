//! The servers of a comparison: the upstream, and those between it and the generator.

use super::configs;
use super::cores::Cores;
use super::process::{Program, Server, free_address, sibling};
use super::spec;
use crate::AnyError;
use crate::credentials::{self, Credentials};
use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Where nginx finds what it serves as a file, below the folder.
pub const FILE: &str = "list.json";
/// What `mcp-edge` serves. It watches the folder, so nothing else is written there.
pub const BUNDLE: &str = "bundle/load.mcpk";
/// Where the files are that say who may call, below the folder. It watches that one, too.
pub const CREDENTIALS: &str = "credentials";
/// Where the lines of its audit log go, below the folder.
pub const AUDIT: &str = "audit.jsonl";

/// A process that answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    Upstream,
    Nginx,
    Passthrough,
    Edge,
    EdgeOff,
    EdgeAuth,
    EdgeOn,
    AxumHyper,
    Rmcp,
    RmcpProxy,
    FastMcp,
    TypeScript,
}

/// What all servers are started with.
#[derive(Debug)]
pub struct Setup {
    /// Of each server.
    pub threads: u16,
    /// Where the servers under test run.
    pub tested: Cores,
    /// Where the upstream runs, and the generator.
    pub others: Cores,
    /// Where `benches/run` has put the Python and npm packages.
    pub tools: PathBuf,
}

/// Running servers. Dropping stops them.
#[derive(Debug)]
pub struct Servers {
    running: BTreeMap<Role, Server>,
    pub credentials: Credentials,
    /// Configurations and logs; removed last.
    pub folder: TempDir,
}

impl Servers {
    /// Starts the upstream and those that play these roles.
    pub async fn start(roles: &BTreeSet<Role>, setup: &Setup) -> Result<Servers, AnyError> {
        let folder = TempDir::new()?;
        // nginx's workers may run as another user.
        std::fs::set_permissions(folder.path(), PermissionsExt::from_mode(0o755))?;
        let place = folder.path().join(CREDENTIALS);
        std::fs::create_dir(&place)?;
        let credentials = credentials::write(&place)?;
        let mut servers = Servers { running: BTreeMap::new(), credentials, folder };
        let upstream = free_address()?;
        let bundle = servers.folder.path().join(BUNDLE);
        std::fs::create_dir_all(bundle.with_file_name(""))?;
        std::fs::write(bundle, spec::bundle(upstream)?)?;
        servers.add(Role::Upstream, upstream, upstream, setup).await?;
        for role in roles.iter().filter(|role| **role != Role::Upstream) {
            servers.add(*role, free_address()?, upstream, setup).await?;
        }
        Ok(servers)
    }

    pub fn get(&self, role: Role) -> Result<&Server, AnyError> {
        self.running.get(&role).ok_or_else(|| format!("`{}` is not started", role.name()).into())
    }

    async fn add(
        &mut self,
        role: Role,
        address: SocketAddr,
        upstream: SocketAddr,
        setup: &Setup,
    ) -> Result<(), AnyError> {
        let admin = free_address()?;
        let program = role.program(self.folder.path(), address, upstream, admin, setup)?;
        let cores = if role == Role::Upstream { &setup.others } else { &setup.tested };
        let log = self.folder.path().join(format!("{}.log", role.name()));
        let mut server = program.start(cores, address, &log).await?;
        if role == Role::EdgeOn {
            server.metrics = Some(admin);
            server.also_empties(self.folder.path().join(AUDIT));
        }
        self.running.insert(role, server);
        Ok(())
    }
}

impl Role {
    pub const fn name(self) -> &'static str {
        match self {
            Role::Upstream => "upstream",
            Role::Nginx => "nginx",
            Role::Passthrough => "passthrough",
            Role::Edge => "edge",
            Role::EdgeOff => "edge-off",
            Role::EdgeAuth => "edge-auth",
            Role::EdgeOn => "edge-on",
            Role::AxumHyper => "axum_hyper",
            Role::Rmcp => "rmcp_reqwest",
            Role::RmcpProxy => "rmcp_proxy",
            Role::FastMcp => "fastmcp",
            Role::TypeScript => "typescript",
        }
    }

    /// Some cannot be had on every machine.
    pub fn is_installed(self, setup: &Setup) -> bool {
        match self {
            Role::Nginx => Command::new("nginx").arg("-v").stderr(Stdio::null()).status().is_ok(),
            Role::FastMcp => setup.python().is_file(),
            Role::TypeScript => setup.script().is_file(),
            _ => true,
        }
    }

    fn program(
        self,
        folder: &Path,
        address: SocketAddr,
        upstream: SocketAddr,
        admin: SocketAddr,
        setup: &Setup,
    ) -> Result<Program, AnyError> {
        let threads = setup.threads;
        let usual = [address.to_string(), upstream.to_string(), threads.to_string()];
        Ok(match self {
            Role::Upstream => Program::new(sibling(self.name())?, [address.to_string(), threads.to_string()]),
            Role::Passthrough | Role::AxumHyper | Role::Rmcp | Role::RmcpProxy => {
                Program::new(sibling(self.name())?, usual)
            }
            Role::Nginx => {
                let config = folder.join("nginx.conf");
                std::fs::write(&config, configs::nginx(folder, threads, address, upstream))?;
                Program::new("nginx", ["-c", &config.display().to_string(), "-e", "stderr"])
            }
            Role::Edge | Role::EdgeOff | Role::EdgeAuth | Role::EdgeOn => {
                let config = folder.join(format!("{}.toml", self.name()));
                std::fs::write(&config, configs::edge(self, threads, address, admin))?;
                let (name, value) = spec::VARIABLE;
                Program::new(sibling("mcp-edge")?, ["--config", &config.display().to_string()])
                    .with(name, value)
            }
            Role::FastMcp => {
                let given = format!("--host {} --port {} --workers {threads}", address.ip(), address.port());
                let fast = "--loop uvloop --http httptools --no-access-log --log-level warning --app-dir";
                let words =
                    "-m uvicorn fastmcp_server:app".split(' ').chain(given.split(' ')).chain(fast.split(' '));
                let tools = setup.tools.display().to_string();
                Program::new(setup.python(), words.chain([tools.as_str()])).with("UPSTREAM", upstream)
            }
            Role::TypeScript => {
                let script = setup.script().display().to_string();
                Program::new("node", std::iter::once(script).chain(usual)).with("NODE_ENV", "production")
            }
        })
    }
}

impl Setup {
    pub fn python(&self) -> PathBuf {
        self.tools.join("venv/bin/python")
    }

    fn script(&self) -> PathBuf {
        self.tools.join("npm/typescript_server.mjs")
    }
}
