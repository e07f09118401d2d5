//! `mcpc import`

#[cfg(feature = "dev")]
mod choose;
mod document;
mod gateways;
mod openapi;
mod rest;
#[cfg(feature = "dev")]
mod servers;
#[cfg(feature = "dev")]
mod sources;
#[cfg(feature = "dev")]
mod write;

use super::{Outcome, Streams};
use crate::import::gateways::{agentgateway, apisix, envoy, kong, postman, tool_json};

/// Write specs for what you have: documents, configurations of gateways, MCP servers
///
/// Documents are read from files and never from the network. A fidelity report says what became of each part of them: kept,
/// changed, refused. What is written has no errors in `mcpc check`. Credentials become `${NAME}`.
///
/// Exit codes: 0 done, 1 some tool cannot be imported, 2 could not run, or some server could not be listed.
#[derive(Debug, clap::Args)]
#[command(max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    from: From,
}

#[derive(Debug, clap::Subcommand)]
enum From {
    Openapi(Box<openapi::Arguments>),
    /// Write specs for the OpenAPI targets of agentgateway
    Agentgateway(gateways::Wrapped),
    /// Write specs for the plugin `openapi-to-mcp` of APISIX
    Apisix(gateways::Wrapped),
    /// Write specs for the tools of Envoy's filter `mcp_json_rest_bridge`
    Envoy(document::Document),
    /// Write a spec for the tools of Kong's plugin `ai-mcp-proxy`, from a file as decK writes it
    Kong(document::Document),
    /// Write specs for a Postman collection of version 2.1
    Postman(document::Document),
    /// Write a spec for tools as JSON configurations store them: `{"HTTP": {"endpoint", "method", …}}`
    ToolJson(document::Document),
    Higress(rest::Higress),
    Unla(rest::Unla),
    #[cfg(feature = "dev")]
    Mcp(sources::One),
    #[cfg(feature = "dev")]
    McpServers(sources::File),
}

pub fn run(arguments: &Arguments, streams: &mut Streams) -> anyhow::Result<Outcome> {
    match arguments.from {
        From::Openapi(ref arguments) => openapi::run(arguments, streams),
        From::Agentgateway(ref wrapped) => {
            gateways::run_wrapped("agentgateway", agentgateway::targets, wrapped, streams)
        }
        From::Apisix(ref wrapped) => gateways::run_wrapped("apisix", apisix::targets, wrapped, streams),
        From::Envoy(ref document) => gateways::run("envoy", envoy::import, document, streams),
        From::Kong(ref document) => gateways::run("kong", kong::import, document, streams),
        From::Postman(ref document) => gateways::run("postman", postman::import, document, streams),
        From::ToolJson(ref document) => gateways::run("tool-json", tool_json::import, document, streams),
        From::Higress(ref higress) => rest::higress(higress, streams),
        From::Unla(ref unla) => rest::unla(unla, streams),
        #[cfg(feature = "dev")]
        From::Mcp(ref one) => servers::run_one(one, streams),
        #[cfg(feature = "dev")]
        From::McpServers(ref file) => servers::run_file(file, streams),
    }
}
