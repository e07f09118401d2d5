//! Runs calls of one caller on an edge without sockets, so that callgrind can count their instructions. Each stage does what the
//! one before does, and one thing more; the differences are what `benches/caller/run` prints.
#![expect(clippy::print_stdout, reason = "its output is its purpose")]

use http::Request;
use mcp_bundle::format::{self, Trust};
use mcp_edge::Edge;
use mcp_edge::edge::Hooks;
use mcp_edge::jwt::Issuers;
use mcp_edge::request::head::Head;
use mcp_edge::request::identity::Peer;
use mcp_edge::request::reply::Reply;
use mcp_edge::request::route::Route;
use mcp_edge::serving::Serving;
use mcp_edge::settings::Settings;
use mcp_edge::tenants::api_key::{KeyDigest, generate};
use mcp_edge::tenants::{self, Directory, Mode};
use mcp_edge::upstream::{Exchange, FixedAnswers, Received, Upstream, UpstreamError};
use std::hint::black_box;
use std::sync::Arc;
use tokio::runtime::Runtime;

/// Why nothing can be measured.
type AnyError = Box<dyn std::error::Error>;

/// What calls pass, one more from stage to stage.
const STAGES: [&str; 4] = ["call", "identity", "admission", "record"];
/// Calls before those that count: buffers have grown then, and the caller is known.
const WARM_UP: usize = 200;
/// Calls that count.
const CALLS: usize = 100;

const TOOL: &str = r#"
[upstream.shop]
url = "https://shop.example/v1"
[[tool]]
name = "get_order"
description = "Returns one order of the shop by its id."
upstream = "shop"
method = "GET"
endpoint = "/orders/{orderId}"
parameters = [{ name = "orderId", type = "string", description = "The order's id", position = "path", required = true }]
"#;

const RATE: &str = "rate = { calls = 1000000, seconds = 1 }\n";

const BODY: &str = r#"{"jsonrpc":"2.0","id":17,"method":"tools/call","params":{"name":"get_order","arguments":{"orderId":"ord-42"}}}"#;

const USAGE: &str = "usage: caller list | caller run STAGE";

fn main() -> Result<(), AnyError> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["list"] => println!("{CALLS}\n{}", STAGES.join("\n")),
        ["run", stage] => {
            let stage = STAGES.iter().position(|known| known == stage).ok_or(USAGE)?;
            let place = Place::new(stage)?;
            (0..WARM_UP).try_for_each(|_| place.call())?;
            measured(&mut || (0..CALLS).try_for_each(|_| place.call()))?;
        }
        _ => return Err(USAGE.into()),
    }
    Ok(())
}

/// callgrind counts from here on, and only here: `run` names this function.
#[inline(never)]
fn measured(work: &mut dyn FnMut() -> Result<(), AnyError>) -> Result<(), AnyError> {
    work()
}

struct Place {
    edge: Edge,
    head: Head,
    runtime: Runtime,
}

#[derive(Debug)]
struct Order;

impl FixedAnswers for Order {
    fn answer(&self, _call: &Exchange<'_>, received: &mut Received) -> Result<(), UpstreamError> {
        received.status = 200;
        received.content_type = Some("application/json".to_owned());
        received.body.extend_from_slice(br#"{"id":"ord-42","status":"shipped"}"#);
        Ok(())
    }
}

impl Place {
    fn new(stage: usize) -> Result<Place, AnyError> {
        let [knows, admits, records] = [1, 2, 3].map(|least| stage >= least);
        let key = generate().ok_or("no randomness")?;
        let hooks = Hooks { authenticator: None, observers: Vec::new() };
        let settings = Settings { without_metrics: !records, ..Settings::default() };
        let edge = Edge::with(settings, Upstream::Fixed(Arc::new(Order)), hooks);

        let spec = if admits { format!("{TOOL}{RATE}") } else { TOOL.to_owned() };
        let report = mcpc::check::check_files(&mcpc::check::MemoryFiles::one("spec.toml", &spec));
        let contents = report.contents.ok_or("the spec is wrong")?;
        let bundle = format::read(&format::write(&contents)?, &Trust::Any)?;
        let rate = if admits { RATE } else { "" };
        let tenants = format!(
            "[tenant.acme]\ntoolsets = [\"*\"]\n{rate}[[tenant.acme.keys]]\nid = \"ci\"\ndigest = \"{}\"\n",
            KeyDigest::of(key.as_bytes())
        );
        let mode = if knows { Mode::Required } else { Mode::None };
        let file = tenants::parse(&tenants, "tenants.toml").map_err(|problems| problems.render(false))?;
        let directory = Directory::new(mode, None, file, Issuers::default());
        let settings = Arc::clone(&edge.serving().settings);
        edge.activate(edge.prepare_with(&settings, &Arc::new(directory), bundle, &|_| None)?);

        let request = Request::post("/mcp")
            .header("host", "localhost:8080")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("authorization", format!("Bearer {key}"))
            .header("mcp-protocol-version", "2025-11-25")
            .header("x-request-id", "0e37df36-f698-11e6-8dd4-cb9ced3df976");
        let head = Head::from(&request.body(())?.into_parts().0);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(Place { edge, head, runtime })
    }

    fn call(&self) -> Result<(), AnyError> {
        let (mut reply, serving) = (Reply::default(), self.edge.serving());
        self.runtime.block_on(self.answer(&serving, &mut reply));
        let is_good = reply.status == 200 && reply.body.windows(7).any(|bytes| bytes == b"shipped");
        if is_good { Ok(()) } else { Err(String::from_utf8_lossy(&reply.body).into()) }
    }

    async fn answer(&self, serving: &Serving, reply: &mut Reply) {
        let (head, body) = (black_box(&self.head), black_box(BODY.as_bytes()));
        if let Route::Serve(request) = self.edge.route(serving, head, &Peer::default(), reply).await {
            self.edge.answer(serving, &request, head, body, reply).await;
        }
    }
}
