//! What belongs to the place the edge runs in. `edge.toml` fills it; every value has a safe default.

use crate::limits::Rate;
use crate::limits::shared::{NodeAddress, StoreAddress};
use crate::programs::Program;
use mcp_bundle::origin::Origin;
use mcp_bundle::{bind, shape};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How requests are answered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settings {
    pub limits: Limits,
    pub timeouts: Timeouts,
    pub pool: PoolSettings,
    pub list: ListSettings,
    pub cache: CacheSettings,
    pub mcp: McpSettings,
    pub access: Access,
    pub interfaces: Interfaces,
    pub audit: AuditSettings,
    /// Finished calls are not counted.
    pub without_metrics: bool,
    /// Where upstreams are, by name, instead of where the bundle says.
    pub upstreams: Vec<(String, Origin)>,
    /// What shows upstreams that it is the edge, by name.
    pub client_certificates: Vec<(String, ClientFiles)>,
    /// Programs that are MCP servers, by name, as they are written: their variables have no values yet.
    pub programs: BTreeMap<String, Program>,
    /// Where edges agree about limits that they share.
    pub shared: Option<SharedSettings>,
}

/// The files of a certificate of the edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientFiles {
    /// The chain, in PEM.
    pub certificate: PathBuf,
    /// Its private key, in PEM.
    pub key: PathBuf,
}

/// A store of shared limits, as it is written: its passwords are names of variables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedSettings {
    /// One at least.
    pub nodes: Vec<NodeAddress>,
    pub is_cluster: bool,
    /// The nodes are sentinels of the service of this name.
    pub sentinel_service: Option<String>,
    pub username: Option<String>,
    pub password: Option<String>,
    pub sentinel_username: Option<String>,
    pub sentinel_password: Option<String>,
    /// What the names of all keys begin with.
    pub prefix: String,
    /// That there are at least.
    pub edges: u32,
}

impl SharedSettings {
    pub const PREFIX: &str = "mcp-edge";

    /// With the values of its variables; the name of one without a value, and the key that needs it.
    pub fn address(
        &self,
        variable: &dyn Fn(&str) -> Option<String>,
        ca_file: Option<Arc<Path>>,
    ) -> Result<StoreAddress, (String, &'static str)> {
        let value = |key, name: Option<String>| match name {
            None => Ok(None),
            Some(name) => variable(&name).map(Some).ok_or((name, key)),
        };
        let shared = self.clone();
        Ok(StoreAddress {
            nodes: shared.nodes,
            is_cluster: shared.is_cluster,
            sentinel_service: shared.sentinel_service,
            username: shared.username,
            password: value("password", shared.password)?,
            sentinel_username: shared.sentinel_username,
            sentinel_password: value("sentinel_password", shared.sentinel_password)?,
            prefix: shared.prefix,
            least_edges: shared.edges,
            ca_file,
        })
    }
}

/// What a request or an answer may hold at most; lengths in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    pub request_body: usize,
    /// Nesting of a request, the JSON-RPC message included.
    pub json_depth: usize,
    /// Requests in a batch.
    pub batch: usize,
    /// The cap of a tool's own limit, and the limit of a tool without one; after decompression.
    pub response_body: usize,
    /// Connections of clients at once; one beyond that is closed unanswered.
    pub connections: usize,
    /// Calls that wait for an upstream at once; a call beyond that is refused.
    pub calls_in_flight: usize,
    /// Bytes of bodies of all calls: requests, upstreams' answers, and results that are not sent yet.
    pub answer_bytes: usize,
    /// How often each address may ask.
    pub address_rate: Option<Rate>,
    /// Event streams that are open at once.
    pub streams: usize,
    /// Tenants that have labels of their own in metrics.
    pub metric_tenants: usize,
    pub bind: bind::Limits,
    pub shape: shape::Limits,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeouts {
    /// From a connection's start to the end of its TLS handshake.
    pub handshake: Duration,
    /// From a connection's last answer (or its start) to the end of the next request head.
    pub idle: Duration,
    /// From a request's head to the end of its body.
    pub body: Duration,
    /// For each write of an answer.
    pub write: Duration,
    /// Silence on an event stream before a comment is sent.
    pub keep_alive: Duration,
    /// How long calls in flight may take when the process is asked to shut down.
    pub grace: Duration,
}

/// Connections to upstreams that wait for their next call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolSettings {
    /// For each upstream and thread.
    pub idle_connections: usize,
    pub idle: Duration,
    /// How long the addresses of a name are used before it is looked up again.
    pub dns: Duration,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListSettings {
    /// Tools on a page of `tools/list`. Some clients read only the first page.
    pub page: usize,
    /// How long clients may use a list without asking again.
    pub ttl: Duration,
}

/// Which interfaces are served; the paths of the others do not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interfaces {
    /// `/mcp` and `/mcp/{toolset}`.
    pub mcp: bool,
    /// `/sse`, `/sse/{toolset}` and `/messages`.
    pub sse: bool,
    /// `/api/v1/mcp/…`, `/mcp/tools` and `/mcp/invoke`.
    pub rest: bool,
}

/// One line for each call and each refusal, in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditSettings {
    /// `None`: there is no audit log.
    pub file: Option<PathBuf>,
    pub arguments: AuditArguments,
    pub when_full: WhenFull,
    /// How long a line may wait for others before it is written.
    pub flush: Duration,
    /// Bytes of lines that may wait.
    pub queue: usize,
}

/// What is written of the arguments of a call. Values of `sensitive` parameters never are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AuditArguments {
    /// Their digest only.
    #[default]
    None,
    /// Their names, and the kinds of their values.
    Redacted,
    /// All of them.
    Full,
}

/// What happens to requests when lines cannot be written as fast as they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WhenFull {
    /// They wait, and are refused if that takes too long: no call is without its line.
    #[default]
    Wait,
    /// They go on, and their lines are only counted.
    Drop,
}

impl AuditArguments {
    pub const WORDS: [(&str, AuditArguments); 3] = [
        ("none", AuditArguments::None),
        ("redacted", AuditArguments::Redacted),
        ("full", AuditArguments::Full),
    ];
}

impl WhenFull {
    pub const WORDS: [(&str, WhenFull); 2] = [("wait", WhenFull::Wait), ("drop", WhenFull::Drop)];
}

/// Upstreams' answers that are used again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CacheSettings {
    /// All of them together; 0 keeps none.
    pub bytes: usize,
}

/// MCP servers that tools come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpSettings {
    /// How often their tools are compared with what was reviewed, beside when they say that something changed.
    pub poll: Duration,
}

/// Who may talk to the public listener. Names are lower case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    /// Every listener is on a loopback address: only local names are good then, which stops DNS rebinding.
    pub loopback: bool,
    /// `Host` headers that are answered, without ports; empty: any, or the local names if `loopback`.
    pub hosts: Vec<String>,
    /// `Origin` headers that are answered, beside that of a known `Host`; empty: local ones, if `loopback`.
    pub origins: Vec<String>,
}

impl Default for Interfaces {
    fn default() -> Interfaces {
        Interfaces { mcp: true, sse: true, rest: true }
    }
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            request_body: 1 << 20,
            json_depth: 64,
            batch: 32,
            response_body: 10 << 20,
            connections: 10_000,
            calls_in_flight: 10_000,
            answer_bytes: 512 << 20,
            address_rate: None,
            streams: 1024,
            metric_tenants: 100,
            bind: bind::Limits::default(),
            shape: shape::Limits::default(),
        }
    }
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            handshake: Duration::from_secs(10),
            idle: Duration::from_secs(75),
            body: Duration::from_secs(30),
            write: Duration::from_secs(30),
            keep_alive: Duration::from_secs(15),
            grace: Duration::from_secs(30),
        }
    }
}

impl Default for AuditSettings {
    fn default() -> AuditSettings {
        AuditSettings {
            file: None,
            arguments: AuditArguments::default(),
            when_full: WhenFull::default(),
            flush: Duration::from_secs(1),
            queue: 8 << 20,
        }
    }
}

impl Default for PoolSettings {
    fn default() -> PoolSettings {
        PoolSettings { idle_connections: 1024, idle: Duration::from_secs(55), dns: Duration::from_secs(30) }
    }
}

impl Default for CacheSettings {
    fn default() -> CacheSettings {
        CacheSettings { bytes: 64 << 20 }
    }
}

impl Default for McpSettings {
    fn default() -> McpSettings {
        McpSettings { poll: Duration::from_secs(300) }
    }
}

impl Default for ListSettings {
    fn default() -> ListSettings {
        ListSettings { page: 1000, ttl: Duration::from_secs(60) }
    }
}
