//! What changes for tools of Unla, beside what changes for all tools of Go templates.

use crate::import::codes::codes;

codes! {
    pub ROUTES = "routes", "Where callers find the tools is for the edge to say: `/mcp/NAME` for the toolset.";
    pub TENANT = "tenant", "Tenants are for the configuration of the edge.";
    pub PROXY = "outbound-proxy", "Requests go to the API itself; a proxy between them is for the place where the edge runs.";
    pub PROMPT = "prompt", "The edge serves tools; a prompt has no place in a spec.";
    pub MCP_SERVER = "mcp-server", "The tools of an MCP server are listed when it runs, so `mcpc import mcp` imports them.";
    pub SERVED_ONCE = "served-once", "Several servers have the tool; a tool belongs to one toolset.";
}
