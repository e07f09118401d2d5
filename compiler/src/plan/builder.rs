//! Interns what tools share.

use super::limits;
use super::link::Linker;
use super::{DEFAULT_CONNECT_TIMEOUT_MS, Tool, credential};
use crate::language::json::Json;
use crate::language::variables::Variable;
use crate::spec::{Endpoint, UpstreamSpec};
use crate::template::Compiled;
use mcp_bundle::plan::{
    Contents, Credential, HttpPlan, LimitsPlan, ListEntry, Manifest, McpServer, Part, Policy, SharedLimit,
    SharedLimits, ToolLimits, ToolPlan, Toolset, Upstream, UpstreamLimits,
};
use mcp_bundle::strings::{PoolBuilder, StrId};
use mcp_bundle::wire_enums::{PartKind, Scheme, WhenAway};
use std::collections::BTreeMap;

#[derive(Debug)]
pub struct Builder {
    strings: PoolBuilder,
    /// Sorted.
    variables: Vec<String>,
    upstreams: Vec<Known>,
    tool_limits: Vec<ToolLimits>,
    lenient: Vec<u32>,
    shared_rates: Vec<SharedLimit>,
    policies: Interner<Policy>,
    templates: Linker,
    patterns: Interner<StrId>,
    schemas: Interner<StrId>,
}

/// An upstream with all that is said of it: those that differ in one of these are others. What has its index, has 0.
#[derive(Debug, PartialEq)]
struct Known {
    upstream: Upstream,
    credential: Option<Credential>,
    limits: Option<UpstreamLimits>,
    /// Edges share its places.
    shared: Option<WhenAway>,
    server: Option<McpServer>,
}

/// Values by number; equal values have one number.
#[derive(Debug)]
struct Interner<T> {
    values: Vec<T>,
    index: BTreeMap<T, u32>,
}

impl<T: Ord + Clone> Interner<T> {
    fn new() -> Interner<T> {
        Interner { values: Vec::new(), index: BTreeMap::new() }
    }

    fn intern(&mut self, value: T) -> u32 {
        *self.index.entry(value).or_insert_with_key(|value| {
            self.values.push(value.clone());
            self.values.len() as u32 - 1
        })
    }
}

impl Builder {
    pub fn new(variables: Vec<String>) -> Builder {
        Builder {
            strings: PoolBuilder::new(),
            variables,
            upstreams: Vec::new(),
            tool_limits: Vec::new(),
            lenient: Vec::new(),
            shared_rates: Vec::new(),
            policies: Interner::new(),
            templates: Linker::default(),
            patterns: Interner::new(),
            schemas: Interner::new(),
        }
    }

    pub fn intern(&mut self, text: &str) -> StrId {
        self.strings.intern(text)
    }

    pub fn literal(&mut self, text: &str) -> Part {
        Part::literal(self.intern(text))
    }

    pub fn variable(&self, variable: &Variable) -> Part {
        match variable {
            Variable::TenantId => Part { kind: PartKind::TenantId, id: 0 },
            Variable::PrincipalSub => Part { kind: PartKind::PrincipalSub, id: 0 },
            Variable::Named(name) => {
                let index = self.variables.binary_search(name);
                debug_assert!(index.is_ok(), "all variables are collected before planning");
                Part::variable(index.unwrap_or_default() as u32)
            }
        }
    }

    pub fn policy(&mut self, policy: Policy) -> u32 {
        self.policies.intern(policy)
    }

    pub fn pattern(&mut self, pattern: &str) -> u32 {
        let pattern = self.intern(pattern);
        self.patterns.intern(pattern)
    }

    pub fn schema(&mut self, schema: &Json) -> u32 {
        let text = self.intern(&schema.to_text());
        self.schemas.intern(text)
    }

    /// The number of a template's program.
    pub fn template(&mut self, compiled: &Compiled) -> u32 {
        let variables = &self.variables;
        let variable = |name: &str| {
            let index = variables.binary_search_by(|known| known.as_str().cmp(name));
            debug_assert!(index.is_ok(), "all variables are collected before planning");
            index.unwrap_or_default() as u32
        };
        self.templates.link(&mut self.strings, variable, compiled)
    }

    pub fn template_part(&mut self, compiled: &Compiled) -> Part {
        Part::template(self.template(compiled))
    }

    /// The upstream of a tool: its spec's, or the origin of its absolute endpoint.
    pub fn upstream(&mut self, tool: Tool<'_>, url: &Endpoint) -> Option<u32> {
        let connect = tool.upstream.and_then(|u| u.connect_timeout_ms);
        let connect_timeout_ms = connect.unwrap_or(DEFAULT_CONNECT_TIMEOUT_MS);
        let is_database = tool.upstream.is_some_and(|u| u.is_database);
        let own_name = tool.upstream.map(|upstream| upstream.name.value.as_str());
        let auth = tool.upstream.and_then(|upstream| upstream.auth.as_ref());
        let credential = auth.and_then(|auth| credential::plan(self, auth));
        let upstream = self.place(own_name, url, connect_timeout_ms, is_database)?;
        let limits = limits::of_upstream(tool.upstream);
        let shared = tool.upstream.and_then(limits::shared_places);
        Some(self.add_upstream(Known { upstream, credential, limits, shared, server: None }))
    }

    /// The upstream and the server of a tool at an MCP server; in `server`, the upstream has no index yet.
    pub fn server(&mut self, spec: &UpstreamSpec, server: McpServer) -> Option<(u32, u32)> {
        let credential = spec.auth.as_ref().and_then(|auth| credential::plan(self, auth));
        let name = spec.name.value.as_str();
        let connect_timeout_ms = spec.connect_timeout_ms.unwrap_or(DEFAULT_CONNECT_TIMEOUT_MS);
        let upstream = match &spec.url {
            Some(url) => self.place(Some(name), &url.value, connect_timeout_ms, false)?,
            None => Upstream {
                name: self.intern(name),
                scheme: Scheme::Stdio,
                host: self.intern(""),
                port: 0,
                authority: self.intern(""),
                connect_timeout_ms,
                url: None,
                is_database: false,
            },
        };
        let limits = limits::of_upstream(Some(spec));
        let shared = limits::shared_places(spec);
        let index = self.add_upstream(Known { upstream, credential, limits, shared, server: Some(server) });
        let before = self.upstreams.iter().take(index as usize);
        Some((index, before.filter(|known| known.server.is_some()).count() as u32))
    }

    /// Where tokens come from. Its name is its origin, as that of an absolute endpoint is.
    pub fn token_server(&mut self, url: &Endpoint) -> Option<u32> {
        let own_name = url.location.as_deref();
        let upstream = self.place(own_name, url, DEFAULT_CONNECT_TIMEOUT_MS, false)?;
        Some(self.add_upstream(Known {
            upstream,
            credential: None,
            limits: None,
            shared: None,
            server: None,
        }))
    }

    fn place(
        &mut self,
        own_name: Option<&str>,
        url: &Endpoint,
        connect_timeout_ms: u32,
        is_database: bool,
    ) -> Option<Upstream> {
        Some(match (&url.origin, &url.location) {
            (Some(origin), _) => Upstream {
                name: match own_name {
                    Some(name) => self.intern(name),
                    None => self.intern(&format!("{}://{}", origin.scheme, origin.authority)),
                },
                scheme: origin.scheme,
                host: self.intern(&origin.host),
                port: origin.port,
                authority: self.intern(&origin.authority),
                connect_timeout_ms,
                url: None,
                is_database,
            },
            (None, Some(location)) => Upstream {
                name: self.intern(own_name?),
                scheme: Scheme::Https,
                host: self.intern(""),
                port: 0,
                authority: self.intern(""),
                connect_timeout_ms,
                url: Some(self.intern(location)),
                is_database,
            },
            (None, None) => return None,
        })
    }

    fn add_upstream(&mut self, upstream: Known) -> u32 {
        let known = self.upstreams.iter().position(|known| *known == upstream);
        known.unwrap_or_else(|| {
            self.upstreams.push(upstream);
            self.upstreams.len() - 1
        }) as u32
    }

    /// Limits come in the order of the tools.
    pub fn limit_tool(&mut self, limits: Option<ToolLimits>, shared: Option<SharedLimit>) {
        self.tool_limits.extend(limits);
        self.shared_rates.extend(shared);
    }

    /// Notes a tool as lenient; they come in their order.
    pub fn lenient_tool(&mut self, tool: u32) {
        self.lenient.push(tool);
    }

    pub fn finish(
        mut self,
        name: StrId,
        toolsets: Vec<Toolset>,
        tools: Vec<ToolPlan>,
        list: Vec<ListEntry>,
    ) -> Contents {
        let variables = std::mem::take(&mut self.variables);
        let manifest = Manifest {
            name,
            toolsets,
            variables: variables.iter().map(|name| self.intern(name)).collect(),
            patterns: self.patterns.values,
            schemas: self.schemas.values,
        };
        let (mut upstreams, mut credentials, mut servers) = (Vec::new(), Vec::new(), Vec::new());
        let mut limits = LimitsPlan { tools: self.tool_limits, upstreams: Vec::new() };
        let mut shared = SharedLimits { rates: self.shared_rates, places: Vec::new() };
        for (upstream, known) in (0..).zip(self.upstreams) {
            shared.places.extend(known.shared.map(|when_away| SharedLimit { of: upstream, when_away }));
            upstreams.push(known.upstream);
            credentials.extend(known.credential.map(|credential| Credential { upstream, ..credential }));
            limits.upstreams.extend(known.limits.map(|limit| UpstreamLimits { upstream, ..limit }));
            servers.extend(
                known
                    .server
                    .map(|server| McpServer { request: HttpPlan { upstream, ..server.request }, ..server }),
            );
        }
        Contents {
            strings: self.strings.finish(),
            manifest,
            upstreams,
            credentials,
            tools,
            list,
            policies: self.policies.values,
            templates: self.templates.finish(),
            limits,
            servers,
            lenient: self.lenient,
            release: None,
            shared,
        }
    }
}
