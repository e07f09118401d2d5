//! A contender under load: one tool call with the official Rust SDK on axum, and reqwest. No sessions, JSON answers.
//!
//! `rmcp_reqwest ADDRESS UPSTREAM THREADS`

use axum::Router;
use axum::serve::ListenerExt;
use mcpc_benches::AnyError;
use mcpc_benches::load::contenders::{Arguments, path_of, runtime};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::sync::Arc;

// As `mcp-edge` has it, so that the comparison is not one of allocators.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Clone)]
struct Tools {
    client: reqwest::Client,
    origin: Arc<str>,
}

impl Tools {
    async fn get(&self, id: &str) -> Result<String, reqwest::Error> {
        let url = format!("{}{}", self.origin, path_of(id));
        self.client.get(url).send().await?.error_for_status()?.text().await
    }
}

impl ServerHandler for Tools {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let id =
            request.arguments.as_ref().and_then(|arguments| arguments.get("id")).and_then(|id| id.as_str());
        let id = id.filter(|_| request.name == "get_300");
        let id = id.ok_or_else(|| ErrorData::invalid_params("only `get_300` with an `id` is known", None))?;
        let text = self.get(id).await.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

fn main() -> Result<(), AnyError> {
    let arguments = Arguments::of_this_process()?;
    runtime(arguments.threads)?.block_on(async {
        let client = reqwest::Client::builder().no_proxy().pool_max_idle_per_host(1024).build()?;
        let tools = Tools { client, origin: format!("http://{}", arguments.upstream).into() };
        let config =
            StreamableHttpServerConfig::default().with_legacy_session_mode(false).with_json_response(true);
        let sessions = Arc::new(NeverSessionManager::default());
        let service = StreamableHttpService::new(move || Ok(tools.clone()), sessions, config);
        let router = Router::new().route_service("/mcp", service);
        let listener = tokio::net::TcpListener::bind(arguments.address).await?;
        // Answers leave at once or not at all: a failure here shows at the next write.
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        Ok(axum::serve(listener, router).await?)
    })
}
