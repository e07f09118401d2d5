//! A contender under load: a proxy of the official Rust SDK, its server on axum in front of its client on reqwest. It hands on
//! calls and results as they are. No sessions, JSON answers.
//!
//! `rmcp_proxy ADDRESS UPSTREAM THREADS`

use axum::Router;
use axum::serve::ListenerExt;
use mcpc_benches::AnyError;
use mcpc_benches::load::contenders::{Arguments, runtime};
use rmcp::model::{CallToolRequestParams, CallToolResponse, ClientConfig, ServerCapabilities, ServerConfig};
use rmcp::service::{Peer, RequestContext};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleClient, RoleServer, ServerHandler, ServiceExt};
use std::sync::Arc;

// As `mcp-edge` has it, so that the comparison is not one of allocators.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Clone)]
struct Proxy(Peer<RoleClient>);

impl ServerHandler for Proxy {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let result = self.0.call_tool(request).await;
        Ok(result.map_err(|error| ErrorData::internal_error(error.to_string(), None))?.into())
    }
}

fn main() -> Result<(), AnyError> {
    let arguments = Arguments::of_this_process()?;
    runtime(arguments.threads)?.block_on(async {
        let url = format!("http://{}/mcp", arguments.upstream);
        let client = ClientConfig::default().serve(StreamableHttpClientTransport::from_uri(url)).await?;
        let proxy = Proxy(client.peer().clone());
        let config =
            StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
        let sessions = Arc::new(NeverSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(proxy.clone()), sessions, config);
        let router = Router::new().route_service("/mcp", service);
        let listener = tokio::net::TcpListener::bind(arguments.address).await?;
        // Answers leave at once or not at all: a failure here shows at the next write.
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        Ok(axum::serve(listener, router).await?)
    })
}
