//! An edge without sockets: spec text in, requests by hand, a fixed upstream.

use http::Request;
use mcp_bundle::format::{self, Trust};
use mcp_edge::Edge;
use mcp_edge::catalog::BuildError;
use mcp_edge::edge::Hooks;
use mcp_edge::request::head::Head;
use mcp_edge::request::identity::Peer;
use mcp_edge::request::reply::{BodyKind, Reply};
use mcp_edge::request::route::Route;
use mcp_edge::serving::Answered;
use mcp_edge::serving::events::EventStream;
use mcp_edge::settings::{Access, Settings};
use mcp_edge::tenants::Directory;
use mcp_edge::upstream::{Exchange, FixedAnswers, Received, Upstream, UpstreamError};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

pub const SPEC: &str = r#"
[toolset]
name = "shop"
title = "Demo shop"
instructions = "Orders of the demo shop."

[upstream.shop]
url = "https://shop.example/v1"

[[tool]]
name = "get_order"
description = "Returns one order of the demo shop by its id."
upstream = "shop"
method = "GET"
endpoint = "/orders/{orderId}"
[[tool.parameters]]
name = "orderId"
type = "string"
description = "The order's id."
required = true
position = "path"

[[tool]]
name = "hello"
description = "Says hello to whoever calls, without an upstream."
respond = "Hello."

[[tool]]
name = "routed"
description = "Returns what is known about a region, which is mirrored in a header."
upstream = "shop"
method = "GET"
endpoint = "/regions"
[[tool.parameters]]
name = "region"
type = "string"
description = "The region's name."
position = "query"
mcp_header = "Region"
[[tool.parameters]]
name = "limit"
type = "integer"
description = "How many there may be."
position = "query"
mcp_header = "Limit"

[[tool]]
name = "stock"
description = "Returns how many pieces of each item there are in stock."
upstream = "shop"
method = "GET"
endpoint = "/stock"
output_schema = { type = "object", properties = { pens = { type = "integer" } }, required = ["pens"] }
"#;

pub const OTHER: &str = r#"
[toolset]
name = "other"

[[tool]]
name = "bye"
description = "Says goodbye to whoever calls, without an upstream."
respond = "Bye."
"#;

/// Status, content type and body.
type Whole = (u16, &'static str, Vec<u8>);

/// What the upstream says next, and what it was asked.
#[derive(Debug)]
pub struct Fake {
    pub answer: Mutex<Result<Whole, UpstreamError>>,
    pub asked: Mutex<Vec<String>>,
    /// Of the last request.
    pub headers: Mutex<Vec<(String, String)>>,
}

impl FixedAnswers for Fake {
    fn answer(&self, call: &Exchange<'_>, received: &mut Received) -> Result<(), UpstreamError> {
        let target = String::from_utf8_lossy(&call.request.target).into_owned();
        self.asked.lock().unwrap().push(format!("{} {}{target}", call.request.method, call.authority));
        *self.headers.lock().unwrap() =
            call.request.headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let (status, content_type, body) = self.answer.lock().unwrap().clone()?;
        received.status = status;
        received.content_type = Some(content_type.to_owned());
        received.body.extend_from_slice(&body);
        Ok(())
    }
}

pub struct Bench {
    pub edge: Arc<Edge>,
    pub fake: Arc<Fake>,
    runtime: tokio::runtime::Runtime,
}

pub struct Said {
    pub status: u16,
    pub kind: BodyKind,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
    pub stream: Option<Box<EventStream>>,
}

impl Said {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub fn code(&self) -> i64 {
        self.json()["error"]["code"].as_i64().unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}

impl Bench {
    pub fn new(specs: &[(&str, &str)]) -> Bench {
        Bench::with(specs, |_| {})
    }

    pub fn shop() -> Bench {
        Bench::new(&[("shop.toml", SPEC), ("other.toml", OTHER)])
    }

    pub fn with(specs: &[(&str, &str)], change: impl FnOnce(&mut Settings)) -> Bench {
        Bench::with_hooks(specs, change, Hooks::default())
    }

    pub fn with_hooks(specs: &[(&str, &str)], change: impl FnOnce(&mut Settings), hooks: Hooks) -> Bench {
        let mut settings =
            Settings { access: Access { loopback: true, ..Access::default() }, ..Settings::default() };
        change(&mut settings);
        let answer = Ok((200, "application/json", br#"{"pens":3}"#.to_vec()));
        let fake =
            Arc::new(Fake { answer: Mutex::new(answer), asked: Mutex::default(), headers: Mutex::default() });
        let edge = Arc::new(Edge::with(settings, Upstream::Fixed(fake.clone()), hooks));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let bench = Bench { edge, fake, runtime };
        bench.activate(specs);
        bench
    }

    pub fn activate(&self, specs: &[(&str, &str)]) {
        let directory = Arc::clone(&self.edge.serving().directory);
        self.activate_for(&directory, specs).unwrap();
    }

    /// The same for other tenants; `${NAME}` has the value `NAME's value`.
    pub fn activate_for(&self, directory: &Arc<Directory>, specs: &[(&str, &str)]) -> Result<(), BuildError> {
        let mut files = mcpc::check::MemoryFiles::default();
        specs.iter().for_each(|(name, text)| files.add(name, text));
        let report = mcpc::check::check_files(&files);
        let contents = report.contents.unwrap_or_else(|| panic!("{:?}", report.diagnostics));
        let bytes = format::write(&contents).unwrap();
        let bundle = format::read(&bytes, &Trust::Any).unwrap();
        let settings = Arc::clone(&self.edge.serving().settings);
        let value = |name: &str| (!name.starts_with("MISSING")).then(|| format!("{name}'s value"));
        self.edge.activate(self.edge.prepare_with(&settings, directory, bundle, &value)?);
        Ok(())
    }

    pub fn upstream(&self, status: u16, content_type: &'static str, body: &str) {
        *self.fake.answer.lock().unwrap() = Ok((status, content_type, body.as_bytes().to_vec()));
    }

    pub fn upstream_fails(&self, error: UpstreamError) {
        *self.fake.answer.lock().unwrap() = Err(error);
    }

    pub fn send(&self, head: &Head, body: &[u8]) -> Said {
        let mut reply = Reply::default();
        let mut stream = None;
        let serving = self.edge.serving();
        let answered = self.block_on(async {
            match self.edge.route(&serving, head, &Peer::default(), &mut reply).await {
                Route::Serve(request) => self.edge.answer(&serving, &request, head, body, &mut reply).await,
                Route::Answered => Answered::Reply,
            }
        });
        if let Answered::Stream(opened) = answered {
            stream = Some(opened);
        }
        let body = String::from_utf8(reply.body).unwrap();
        Said { status: reply.status, kind: reply.kind, headers: reply.headers, body, stream }
    }

    pub fn block_on<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime.block_on(future)
    }

    /// A POST to `/mcp` with these headers beside the usual ones.
    pub fn post(&self, headers: &[(&str, &str)], body: &Value) -> Said {
        self.send(&head("POST", "/mcp", headers), body.to_string().as_bytes())
    }

    /// A request of the newest revision with a handshake.
    pub fn legacy(&self, method: &str, params: Value) -> Said {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        self.post(&[("mcp-protocol-version", "2025-11-25")], &body)
    }

    /// A stateless request that is right in every way.
    pub fn modern(&self, method: &str, params: Value) -> Said {
        let (headers, body) = modern(method, params);
        let headers: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
        self.post(&headers, &body)
    }
}

pub fn head(method: &str, path: &str, headers: &[(&str, &str)]) -> Head {
    let mut request = Request::builder().method(method).uri(path);
    let has = |known: &str| headers.iter().any(|(name, _)| *name == known);
    if !has("host") {
        request = request.header("host", "localhost:8080");
    }
    if method == "POST" && !has("content-type") {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    Head::from(&request.body(()).unwrap().into_parts().0)
}

/// Headers and body of a stateless request.
pub fn modern(method: &str, mut params: Value) -> (Vec<(&'static str, String)>, Value) {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let mut headers = vec![
        ("mcp-protocol-version", "2026-07-28".to_owned()),
        ("mcp-method", method.to_owned()),
        ("accept", "application/json, text/event-stream".to_owned()),
    ];
    if let Some(name) = params["name"].as_str() {
        headers.push(("mcp-name", name.to_owned()));
    }
    (headers, json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}))
}
