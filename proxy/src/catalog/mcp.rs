//! The MCP servers of a bundle, and its tools at them.

use crate::limits::Limiter;
use crate::programs::Program;
use crate::settings::Settings;
use crate::upstream::credentials::Credentials;
use crate::upstream::mcp::http::HttpTarget;
use crate::upstream::mcp::pin::PinnedTool;
use crate::upstream::mcp::server::Way;
use crate::upstream::mcp::servers::ServerKey;
use crate::upstream::mcp::stdio::StdioConnector;
use crate::upstream::mcp::tool::McpTool;
use crate::upstream::mcp::{SseConnector, Supervised};
use crate::upstream::{Network, Origin, Upstream};
use mcp_bundle::bind::Request;
use mcp_bundle::plan::{Contents, McpServer, VariableSite};
use mcp_bundle::wire_enums::Transport;
use std::sync::Arc;
use std::time::Duration;

/// The tools at MCP servers, which go on connecting as long as these are there.
#[derive(Debug, Default)]
pub(crate) struct McpTools {
    /// Indexed like the contents' tools; empty if there are none.
    tools: Vec<Option<Box<McpTool>>>,
    servers: Vec<Arc<Supervised>>,
}

/// What servers are reached with.
pub(crate) struct Means<'a> {
    pub upstream: &'a Upstream,
    pub variables: &'a [Box<str>],
    pub origins: &'a [Arc<Origin>],
    pub credentials: &'a Credentials,
    pub limiter: &'a Limiter,
    pub settings: &'a Settings,
    /// Those that are programs; indexed like the contents' servers.
    pub programs: Vec<Option<Program>>,
}

impl McpTools {
    /// Servers begin to connect; nothing waits for that. Without a network there are none.
    pub(super) fn build(contents: &Contents, means: &Means<'_>) -> McpTools {
        let Upstream::Network(network) = means.upstream else { return McpTools::default() };
        let servers = contents.servers.iter().enumerate();
        let servers =
            servers.map(|(index, server)| match means.programs.get(index).and_then(Option::as_ref) {
                Some(program) => Some(start_program(contents, server, program, network, means)),
                None => start(contents, server, network, means),
            });
        let servers: Vec<Arc<Supervised>> = servers.collect::<Option<_>>().unwrap_or_default();
        if servers.is_empty() {
            return McpTools::default();
        }
        let text = |id| contents.strings.get(id);
        let tools = contents.tools.iter().map(|tool| {
            let plan = tool.mcp()?;
            let supervised = Arc::clone(servers.get(plan.server as usize)?);
            let pin = PinnedTool::new(text(tool.name), text(plan.name), text(plan.definition), plan.on_drift);
            supervised.server.compare(&pin);
            let has_content_type = plan.request.body.content_type.is_some();
            // Variables are where secrets are kept, and what is bound to them is in the body.
            let is_sensitive = tool.parameters.iter().any(|parameter| parameter.sensitive)
                || tool.variables(contents).any(|found| found.site == VariableSite::Body);
            Some(Box::new(McpTool::new(supervised, Arc::new(pin), has_content_type, is_sensitive)))
        });
        McpTools { tools: tools.collect(), servers }
    }

    #[inline]
    pub fn get(&self, tool: usize) -> Option<&McpTool> {
        self.tools.get(tool)?.as_deref()
    }

    /// These are what is served from now on: their servers compare them.
    pub fn activate(&self) {
        for supervised in &self.servers {
            let of_server = |tool: &&McpTool| Arc::ptr_eq(&tool.supervised, supervised);
            let tools = self.tools.iter().flatten().map(|tool| &**tool).filter(of_server);
            supervised.server.pin(tools.map(|tool| Arc::clone(&tool.pin)).collect());
        }
    }

    pub fn servers(&self) -> &[Arc<Supervised>] {
        &self.servers
    }
}

/// A program is another server if anything about it is another.
fn start_program(
    contents: &Contents,
    server: &McpServer,
    program: &Program,
    network: &Network,
    means: &Means<'_>,
) -> Arc<Supervised> {
    let name = contents.upstream_name(server.request.upstream as usize).unwrap_or_default();
    let longest = means.settings.limits.response_body;
    let mut parts = vec![vec![server.transport.tag()], longest.to_string().into()];
    parts.extend(program.parts());
    let way = || Way::Channel(Arc::new(StdioConnector::new(name, program.clone(), longest)));
    let supervised = network.servers.get(ServerKey { name: name.to_owned(), parts }, way);
    supervised.server.set_poll(means.settings.mcp.poll);
    supervised
}

/// `None` for a server whose upstream is not in the contents, which no bundle has that was read.
fn start(
    contents: &Contents,
    server: &McpServer,
    network: &Network,
    means: &Means<'_>,
) -> Option<Arc<Supervised>> {
    let index = server.request.upstream as usize;
    let name = contents.upstream_name(index)?;
    let (upstream, origin) = (contents.upstreams.get(index)?, means.origins.get(index)?);
    let request = Request::of_server(contents, &server.request, means.variables);
    let authority = contents.strings.get(upstream.authority);
    let credential = means.credentials.get(server.request.upstream).cloned();
    let connect_timeout = Duration::from_millis(upstream.connect_timeout_ms.into());
    let parts = vec![
        vec![server.transport.tag()],
        format!("{:p} {connect_timeout:?} {:?}", Arc::as_ptr(origin), credential.as_ref().map(Arc::as_ptr))
            .into(),
        authority.as_bytes().to_vec(),
        request.target.clone(),
        request.head().to_vec(),
    ];
    let way = || {
        let target = Arc::new(HttpTarget {
            network: network.clone(),
            origin: Arc::clone(origin),
            authority: authority.to_owned(),
            request,
            credential,
            connect_timeout,
            pool: means.settings.pool.clone(),
            budget: Arc::clone(&means.limiter.budget),
        });
        match server.transport {
            Transport::Sse => {
                Way::Channel(Arc::new(SseConnector::new(target, means.settings.limits.response_body)))
            }
            Transport::Http | Transport::Stdio => Way::Http(target),
        }
    };
    let supervised = network.servers.get(ServerKey { name: name.to_owned(), parts }, way);
    supervised.server.set_poll(means.settings.mcp.poll);
    Some(supervised)
}
