//! A server that says what a test wants, and an edge in front of it.
#![cfg(test)]

use http::Request;
use mcp_bundle::definition::{Pin, canonical};
use mcp_bundle::format::{self, Trust};
use mcp_edge::Edge;
use mcp_edge::activation::Activation;
use mcp_edge::admin::Admin;
use mcp_edge::edge::Hooks;
use mcp_edge::request::head::Head;
use mcp_edge::request::identity::Peer;
use mcp_edge::request::reply::Reply;
use mcp_edge::request::route::Route;
use mcp_edge::serving::Answered;
use mcp_edge::settings::Settings;
use mcp_edge::upstream::{Network, Upstream};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, mpsc};

/// A request as it arrived.
#[derive(Debug, Clone)]
pub struct Asked {
    pub verb: String,
    pub headers: Vec<(String, String)>,
    pub body: Value,
}

impl Asked {
    pub fn method(&self) -> &str {
        self.body["method"].as_str().unwrap_or_default()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// The response with this result.
    pub fn result(&self, result: Value) -> Say {
        Say::Json(200, json!({ "jsonrpc": "2.0", "id": self.body["id"], "result": result }).to_string())
    }

    pub fn error(&self, status: u16, code: i64, message: &str) -> Say {
        let error = json!({ "code": code, "message": message });
        Say::Json(status, json!({ "jsonrpc": "2.0", "id": self.body["id"], "error": error }).to_string())
    }
}

/// What the server says.
#[derive(Debug, Clone)]
pub enum Say {
    Json(u16, String),
    /// The same with a header.
    With(u16, (&'static str, &'static str), String),
    /// Events, in chunks; then the stream ends, or the connection breaks.
    Events(Vec<String>, bool),
}

type Script = Box<dyn Fn(&Asked) -> Option<Say> + Send + Sync>;

pub struct Server {
    pub address: SocketAddr,
    pub asked: Arc<Mutex<Vec<Asked>>>,
    pub connections: Arc<Mutex<usize>>,
    pub arrivals: mpsc::Receiver<Asked>,
    /// What it lists.
    pub tools: Arc<Mutex<Vec<Value>>>,
    /// While it is set, the server takes connections and ends them without a word.
    pub is_down: Arc<AtomicBool>,
}

pub const MODERN: &str = "2026-07-28";

/// What most scripts leave to the server: the revision, and the list of its tools.
fn usual(asked: &Asked, version: &str, tools: &[Value]) -> Say {
    let discover = json!({ "resultType": "complete", "supportedVersions": [MODERN], "capabilities": { "tools": {} },
        "ttlMs": 0, "cacheScope": "private",
        "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "scripted", "version": "1" } } });
    let initialize = json!({ "protocolVersion": version, "capabilities": { "tools": {} },
        "serverInfo": { "name": "scripted", "version": "1" } });
    match asked.method() {
        "server/discover" if version == MODERN => asked.result(discover),
        "initialize" if version != MODERN => match asked.result(initialize) {
            Say::Json(status, text) => Say::With(status, ("mcp-session-id", "s-1"), text),
            other => other,
        },
        "notifications/initialized" => Say::Json(202, String::new()),
        // Two pages.
        "tools/list" if asked.body["params"]["cursor"].is_null() && tools.len() > 1 => {
            asked.result(json!({ "tools": tools[..1], "nextCursor": "2" }))
        }
        "tools/list" if tools.len() > 1 => asked.result(json!({ "tools": tools[1..] })),
        "tools/list" => asked.result(json!({ "tools": tools })),
        "tools/call" => asked.result(json!({ "content": [{ "type": "text", "text": "fine" }] })),
        "" => Say::Json(405, String::new()),
        _ if version == MODERN => asked.error(404, -32601, "Method not found"),
        _ => asked.error(400, -32000, "Bad Request: no valid session"),
    }
}

impl Server {
    /// `script` answers what it wants to; the rest is as usual for a server of this revision.
    pub fn start(
        version: &'static str,
        tools: Vec<Value>,
        script: impl Fn(&Asked) -> Option<Say> + Send + Sync + 'static,
    ) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, arrivals) = mpsc::channel();
        let (asked, connections) = (Arc::<Mutex<Vec<Asked>>>::default(), Arc::<Mutex<usize>>::default());
        let (tools, is_down) = (Arc::new(Mutex::new(tools)), Arc::<AtomicBool>::default());
        let script: Arc<Script> = Arc::new(Box::new(script));
        let server = Server {
            address,
            asked: Arc::clone(&asked),
            connections: Arc::clone(&connections),
            arrivals,
            tools: Arc::clone(&tools),
            is_down: Arc::clone(&is_down),
        };
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                *connections.lock().unwrap() += 1;
                let (asked, sender, tools, script) =
                    (Arc::clone(&asked), sender.clone(), Arc::clone(&tools), Arc::clone(&script));
                let is_down = Arc::clone(&is_down);
                std::thread::spawn(move || {
                    let mut stream = BufReader::new(stream);
                    while let Some(request) = read(&mut stream) {
                        if is_down.load(SeqCst) {
                            return;
                        }
                        asked.lock().unwrap().push(request.clone());
                        let said = script(&request);
                        let said = said.unwrap_or_else(|| usual(&request, version, &tools.lock().unwrap()));
                        let _ = sender.send(request);
                        if !say(stream.get_mut(), &said) {
                            return;
                        }
                    }
                });
            }
        });
        server
    }

    /// Waits for a request with this method.
    pub fn wait_for(&self, method: &str) -> Asked {
        loop {
            let asked = self.arrivals.recv_timeout(std::time::Duration::from_secs(60)).expect(method);
            if asked.method() == method {
                return asked;
            }
        }
    }

    pub fn count(&self, method: &str) -> usize {
        self.asked.lock().unwrap().iter().filter(|asked| asked.method() == method).count()
    }
}

fn read(stream: &mut BufReader<TcpStream>) -> Option<Asked> {
    let mut line = String::new();
    stream.read_line(&mut line).ok().filter(|read| *read > 0)?;
    let verb = line.split(' ').next()?.to_owned();
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        headers.push((name.to_ascii_lowercase(), value.to_owned()));
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").map_or("0", |(_, value)| value);
    let mut body = vec![0; length.parse().ok()?];
    stream.read_exact(&mut body).ok()?;
    Some(Asked { verb, headers, body: serde_json::from_slice(&body).unwrap_or_default() })
}

/// Whether the connection goes on.
fn say(stream: &mut TcpStream, said: &Say) -> bool {
    let (status, header, body) = match said {
        Say::Json(status, body) => (status, None, body),
        Say::With(status, header, body) => (status, Some(header), body),
        Say::Events(events, ends) => {
            let mut text =
                "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
                    .to_owned();
            for event in events {
                text.push_str(&format!("{:x}\r\n{event}\r\n", event.len()));
            }
            if *ends {
                text.push_str("0\r\n\r\n");
            }
            return stream.write_all(text.as_bytes()).is_ok() && *ends;
        }
    };
    let header = header.map(|(name, value)| format!("{name}: {value}\r\n")).unwrap_or_default();
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n{header}content-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all((head + body).as_bytes()).is_ok()
}

/// As a server lists it.
pub fn tool(name: &str) -> Value {
    json!({ "name": name, "description": format!("Does the {name} thing for whoever asks."),
        "inputSchema": { "type": "object", "properties": { "q": { "type": "string", "description": "What to look for." } } } })
}

/// The spec of these tools at a server.
pub fn spec(server: &Server, keys: &str, tools: &[Value], more: &str) -> String {
    let mut spec =
        format!("[upstream.wiki]\nkind = \"mcp\"\nurl = \"http://{}/mcp\"\n{keys}\n", server.address);
    for tool in tools {
        let pin = Pin::of(&canonical(tool).unwrap());
        let (name, description) = (tool["name"].as_str().unwrap(), &tool["description"]);
        spec.push_str(&format!(
            "[[tool]]\nname = \"{name}\"\ndescription = {description}\nupstream = \"wiki\"\npin = \"{pin}\"\n\
             input_schema = '''{}'''\n{more}\n",
            tool["inputSchema"]
        ));
    }
    spec
}

pub struct Bench {
    pub edge: Arc<Edge>,
    admin: Admin,
    runtime: tokio::runtime::Runtime,
}

/// The value of every variable.
pub const VALUE: &str = "hunter2-hunter2";

impl Bench {
    pub fn new(spec: &str) -> Bench {
        Bench::with(Settings::default(), spec)
    }

    pub fn with(settings: Settings, spec: &str) -> Bench {
        let upstream = Upstream::Network(Network::new(None).unwrap());
        let edge = Edge::with(settings, upstream, Hooks { observers: Vec::new(), ..Hooks::default() });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let edge = Arc::new(edge);
        let activation = Arc::new(Activation::new(Arc::clone(&edge), None));
        let admin = Admin::new(activation, "127.0.0.1:1".parse().unwrap());
        let bench = Bench { edge, admin, runtime };
        bench.activate(spec);
        bench
    }

    pub fn activate(&self, spec: &str) {
        let mut files = mcpc::check::MemoryFiles::default();
        files.add("spec.toml", spec);
        let checked = mcpc::check::check_files(&files);
        let contents = checked.contents.unwrap_or_else(|| panic!("{:?}", checked.diagnostics));
        let bytes = format::write(&contents).unwrap();
        let bundle = format::read(&bytes, &Trust::Any).unwrap();
        let catalog = self.edge.prepare(bundle, &|_| Some(VALUE.to_owned())).unwrap();
        self.edge.activate(catalog);
    }

    /// The only server in `/status`.
    pub fn status(&self) -> Value {
        self.runtime.block_on(self.status_now())
    }

    async fn status_now(&self) -> Value {
        let request = Request::get("/status").header("host", "127.0.0.1:1");
        let reply = self.admin.answer(&Head::from(&request.body(()).unwrap().into_parts().0)).await;
        serde_json::from_slice::<Value>(&reply.body).unwrap()["mcp_servers"][0].take()
    }

    /// Waits until the only server is as is wanted.
    pub fn until_status(&self, wanted: impl Fn(&Value) -> bool) {
        self.runtime.block_on(async {
            while !wanted(&self.status_now().await) {
                tokio::task::yield_now().await;
            }
        });
    }

    /// Lets what goes on beside calls go on.
    pub fn until(&self, done: impl Fn() -> bool) {
        self.runtime.block_on(async {
            while !done() {
                tokio::task::yield_now().await;
            }
        });
    }

    /// The result of a call.
    pub fn call(&self, tool: &str, arguments: Value, version: &str) -> Value {
        let (_, body) = self.post(tool, arguments, version, json!({}));
        serde_json::from_slice::<Value>(&body).unwrap()["result"].take()
    }

    /// What comes over a session of HTTP+SSE after this message was posted, up to the answer.
    pub fn over_sse(&self, message: &Value) -> Vec<Value> {
        let head = |request: http::request::Builder| {
            let request = request
                .header("host", "localhost:8080")
                .header("content-type", "application/json")
                .header("accept", "application/json, text/event-stream");
            Head::from(&request.body(()).unwrap().into_parts().0)
        };
        self.runtime.block_on(async {
            let serving = self.edge.serving();
            let ask = async |head: &Head, body: &[u8]| {
                let mut reply = Reply::default();
                let routed = self.edge.route(&serving, head, &Peer::default(), &mut reply).await;
                let Route::Serve(request) = routed else { panic!("{reply:?}") };
                let answered = self.edge.answer(&serving, &request, head, body, &mut reply).await;
                (answered, reply)
            };
            let (Answered::Stream(mut stream), _) = ask(&head(Request::get("/sse")), b"").await else {
                panic!("no stream")
            };
            let opening = String::from_utf8(stream.opening.clone()).unwrap();
            let path = opening.split_once("data: ").unwrap().1.trim();
            let body = message.to_string();
            let (_, reply) = ask(&head(Request::post(path)), body.as_bytes()).await;
            assert_eq!(reply.status, 202, "{reply:?}");
            let mut events: Vec<Value> = Vec::new();
            while events.last().is_none_or(|event| event["id"].is_null()) {
                let bytes = stream.next().await.unwrap();
                let text = String::from_utf8(bytes.to_vec()).unwrap();
                events.push(serde_json::from_str(text.split_once("data: ").unwrap().1).unwrap());
            }
            events
        })
    }

    pub fn post(&self, tool: &str, arguments: Value, version: &str, more: Value) -> (u16, Vec<u8>) {
        let mut params = json!({ "name": tool, "arguments": arguments });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let mut request = Request::post("/mcp")
            .header("host", "localhost:8080")
            .header("content-type", "application/json")
            .header("accept", "application/json, text/event-stream")
            .header("mcp-protocol-version", version);
        if version == MODERN {
            request = request.header("mcp-method", "tools/call").header("mcp-name", tool);
            let meta = params.as_object_mut().unwrap().entry("_meta").or_insert(json!({}));
            meta["io.modelcontextprotocol/protocolVersion"] = json!(version);
            if meta["io.modelcontextprotocol/clientCapabilities"].is_null() {
                meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
            }
        }
        let head = Head::from(&request.body(()).unwrap().into_parts().0);
        let body =
            json!({ "jsonrpc": "2.0", "id": "mine", "method": "tools/call", "params": params }).to_string();
        self.runtime.block_on(async {
            let serving = self.edge.serving();
            let mut reply = Reply::default();
            let Route::Serve(request) = self.edge.route(&serving, &head, &Peer::default(), &mut reply).await
            else {
                panic!("{reply:?}")
            };
            match self.edge.answer(&serving, &request, &head, body.as_bytes(), &mut reply).await {
                Answered::Reply => (reply.status, reply.body),
                Answered::Stream(mut stream) => {
                    let mut all = stream.opening.clone();
                    while let Some(bytes) = stream.next().await {
                        all.extend_from_slice(&bytes);
                    }
                    (200, all)
                }
            }
        })
    }
}
