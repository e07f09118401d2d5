//! A contender under load: one tool call by hand, with axum as the server, hyper's client and serde_json.
//!
//! `axum_hyper ADDRESS UPSTREAM THREADS`

use axum::Router;
use axum::extract::State;
use axum::routing::post;
use axum::serve::ListenerExt;
use bytes::Bytes;
use http::{Request, Response, StatusCode, header};
use http_body_util::{BodyExt, Empty, Full};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use mcpc_benches::AnyError;
use mcpc_benches::load::contenders::{Arguments, path_of, runtime};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::Arc;

// As `mcp-edge` has it, so that the comparison is not one of allocators.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[derive(Deserialize)]
struct Call<'a> {
    id: u64,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    arguments: CallArguments<'a>,
}

#[derive(Deserialize)]
struct CallArguments<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
}

#[derive(Serialize)]
struct Answer<'a> {
    jsonrpc: &'static str,
    id: u64,
    result: ToolResult<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ToolResult<'a> {
    content: [Content<'a>; 1],
    is_error: bool,
}

#[derive(Serialize)]
struct Content<'a> {
    r#type: &'static str,
    text: &'a str,
}

struct Upstream {
    client: Client<HttpConnector, Empty<Bytes>>,
    origin: String,
}

fn main() -> Result<(), AnyError> {
    let arguments = Arguments::of_this_process()?;
    runtime(arguments.threads)?.block_on(async {
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client = Client::builder(TokioExecutor::new()).pool_max_idle_per_host(1024).build(connector);
        let upstream = Arc::new(Upstream { client, origin: format!("http://{}", arguments.upstream) });
        let router = Router::new().route("/mcp", post(answer)).with_state(upstream);
        let listener = tokio::net::TcpListener::bind(arguments.address).await?;
        // Answers leave at once or not at all: a failure here shows at the next write.
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        Ok(axum::serve(listener, router).await?)
    })
}

async fn answer(State(upstream): State<Arc<Upstream>>, body: Bytes) -> Response<Full<Bytes>> {
    let (status, body) = match call(&upstream, &body).await {
        Ok(body) => (StatusCode::OK, body),
        Err(failure) => (StatusCode::INTERNAL_SERVER_ERROR, failure.to_string().into_bytes()),
    };
    let mut response = Response::new(Full::from(body));
    *response.status_mut() = status;
    let json = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

async fn call(upstream: &Upstream, body: &[u8]) -> Result<Vec<u8>, Box<dyn std::error::Error + Send + Sync>> {
    let call: Call<'_> = serde_json::from_slice(body)?;
    if call.method != "tools/call" || call.params.name != "get_300" {
        return Err("only `tools/call` of `get_300` is known".into());
    }
    let uri = format!("{}{}", upstream.origin, path_of(&call.params.arguments.id));
    let request = Request::get(uri).body(Empty::new())?;
    let answer = upstream.client.request(request).await?;
    if answer.status() != StatusCode::OK {
        return Err(format!("the upstream answered {}", answer.status()).into());
    }
    let bytes = answer.into_body().collect().await?.to_bytes();
    let content = [Content { r#type: "text", text: std::str::from_utf8(&bytes)? }];
    let result = ToolResult { content, is_error: false };
    Ok(serde_json::to_vec(&Answer { jsonrpc: "2.0", id: call.id, result })?)
}
