//! Tools of MCP servers.

use super::arguments::Arguments;
use super::builder::Builder;
use super::{Tool, body, request};
use mcp_bundle::plan::{HttpPlan, McpPlan, McpServer};

pub fn plan(builder: &mut Builder, tool: Tool<'_>, arguments: &Arguments) -> Option<McpPlan> {
    let (spec, upstream) = (tool.spec.mcp.as_ref()?, tool.upstream?);
    let server = upstream.server.as_ref()?;
    let message = request::to_server(builder, tool, arguments)?;
    let program = server.program.as_ref().map(|program| builder.intern(&program.value));
    let planned = McpServer { transport: server.transport, request: message.clone(), program };
    let (upstream, server) = builder.server(upstream, planned)?;
    let name = spec.name.as_ref().map_or(tool.spec.label(), |name| &name.value);
    Some(McpPlan {
        server,
        request: HttpPlan { upstream, body: body::plan(builder, tool.spec, arguments), ..message },
        name: builder.intern(name),
        definition: builder.intern(tool.spec.definition()?),
        on_drift: spec.on_drift,
    })
}
