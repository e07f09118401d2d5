//! `rmcp`, the Rust SDK, as a client of the edge. The other SDKs are in `tests/clients`.
#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails here fails the test")]

use rmcp::model::{CallToolRequestParams, CallToolResult, ClientConfig, ErrorCode, ProtocolVersion};
use rmcp::model::{ServerNotification, SubscriptionFilter};
use rmcp::service::{RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient, ServiceExt};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

const LONGEST_WAIT: Duration = Duration::from_secs(20);

type Client = RunningService<RoleClient, ClientConfig>;

#[tokio::test]
async fn rmcp_discovers_2026_07_28_and_calls_tools() {
    let upstream = Upstream::start();
    let edge = spawn_edge(&spec(upstream.address));
    let mode = ClientLifecycleMode::Auto {
        preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        legacy_version: Some(ProtocolVersion::V_2025_11_25),
    };
    let transport = StreamableHttpClientTransport::from_uri(edge.url.as_str());
    let client = ClientConfig::default().serve_with_lifecycle(transport, mode).await.unwrap();
    assert_eq!(client.peer_info().unwrap().protocol_version, ProtocolVersion::V_2026_07_28);
    call_all_tools(&client).await;
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn rmcp_that_asks_for_2026_07_28_in_a_handshake_gets_2025_11_25() {
    let upstream = Upstream::start();
    let edge = spawn_edge(&spec(upstream.address));
    let transport = StreamableHttpClientTransport::from_uri(edge.url.as_str());
    let client = ClientConfig::default().serve(transport).await.unwrap();
    assert_eq!(client.peer_info().unwrap().protocol_version, ProtocolVersion::V_2025_11_25);
    call_all_tools(&client).await;
    client.cancel().await.unwrap();
}

#[tokio::test]
async fn rmcp_is_notified_when_a_new_bundle_changes_the_list() {
    let upstream = Upstream::start();
    let edge = spawn_edge(&spec(upstream.address));
    let mode = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    let transport = StreamableHttpClientTransport::from_uri(edge.url.as_str());
    let client = ClientConfig::default().serve_with_lifecycle(transport, mode).await.unwrap();
    assert_eq!(names(&client).await, ["add", "fail", "greet"]);

    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut subscription = client.listen(filter).await.unwrap();
    assert_eq!(subscription.acknowledged().tools_list_changed, Some(true));
    edge.replace_bundle(&format!("{}{ADDED}", spec(upstream.address)));
    let told = tokio::time::timeout(LONGEST_WAIT, subscription.next()).await.unwrap().unwrap().unwrap();
    assert!(matches!(told, ServerNotification::ToolListChangedNotification(_)), "{told:?}");
    assert_eq!(names(&client).await, ["add", "added", "fail", "greet"]);
    subscription.cancel().await.unwrap();
    client.cancel().await.unwrap();
}

async fn call_all_tools(client: &Client) {
    assert_eq!(names(client).await, ["add", "fail", "greet"]);

    let sum = call(client, "add", json!({"a": 2, "b": 3})).await.unwrap();
    assert_eq!(text(&sum), "2 + 3 = 5");
    assert_eq!(sum.structured_content, Some(json!({"a": 2, "b": 3, "sum": 5})));

    let greeting = call(client, "greet", json!({"name": "Zoë aus 東京"})).await.unwrap();
    assert_eq!(text(&greeting), "Hello, Zo%C3%AB%20aus%20%E6%9D%B1%E4%BA%AC!");

    for (name, arguments) in [("fail", json!({})), ("add", json!({"a": "two", "b": 3}))] {
        let failed = call(client, name, arguments).await.unwrap();
        assert_eq!(failed.is_error, Some(true), "{failed:?}");
        assert!(!text(&failed).is_empty());
    }
    match call(client, "no_such_tool", json!({})).await {
        Err(ServiceError::McpError(error)) => assert_eq!(error.code, ErrorCode::INVALID_PARAMS),
        other => panic!("an unknown tool is a JSON-RPC error, not {other:?}"),
    }
}

async fn names(client: &Client) -> Vec<String> {
    client.list_all_tools().await.unwrap().into_iter().map(|tool| tool.name.into_owned()).collect()
}

async fn call(client: &Client, name: &'static str, arguments: Value) -> Result<CallToolResult, ServiceError> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    client.call_tool(CallToolRequestParams::new(name).with_arguments(arguments)).await
}

/// The only block of a result.
fn text(result: &CallToolResult) -> &str {
    match result.content.as_slice() {
        [block] => &block.as_text().unwrap().text,
        blocks => panic!("one block is expected, not {blocks:?}"),
    }
}

fn spec(upstream: SocketAddr) -> String {
    format!(
        r#"
[toolset]
name = "demo"

[upstream.demo]
url = "http://{upstream}"

[[tool]]
name = "add"
description = "Add two whole numbers."
upstream = "demo"
method = "GET"
endpoint = "/add"
response_template = "{{{{ .a }}}} + {{{{ .b }}}} = {{{{ .sum }}}}"
output_schema.type = "object"
output_schema.required = ["sum"]
output_schema.properties = {{ a.type = "integer", b.type = "integer", sum.type = "integer" }}
parameters = [
  {{ name = "a", type = "integer", description = "One", required = true, position = "query" }},
  {{ name = "b", type = "integer", description = "Another", required = true, position = "query" }},
]

[[tool]]
name = "fail"
description = "Fail."
upstream = "demo"
method = "GET"
endpoint = "/fail"

[[tool]]
name = "greet"
description = "Greet someone."
upstream = "demo"
method = "GET"
endpoint = "/greet"
parameters = [{{ name = "name", description = "Who", required = true, position = "query", mcp_header = "Name" }}]
"#
    )
}

const ADDED: &str = r#"
[[tool]]
name = "added"
description = "Show that the list has changed."
respond = "added"
"#;

/// A running `mcp-edge`; stopped when dropped.
struct Edge {
    url: String,
    process: Child,
    folder: tempfile::TempDir,
}

/// Builds a bundle of a spec and serves it with the real binary, which watches the file.
fn spawn_edge(spec_text: &str) -> Edge {
    let folder = tempfile::tempdir().unwrap();
    let bundle = folder.path().join("served.mcpk");
    build(folder.path(), spec_text, &bundle);
    let mut process = Command::new(binary("mcp-edge"))
        .arg(&bundle)
        .args(["--listen", "127.0.0.1:0", "--admin", "off"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines().map_while(Result::ok);
    let mut said = Vec::new();
    let origin = lines.by_ref().find_map(|line| {
        let found = origin_in(&line);
        said.push(line);
        found
    });
    // Whatever it says later must not block it.
    std::thread::spawn(move || lines.for_each(drop));
    let Some(origin) = origin else {
        let _ = process.kill();
        let _ = process.wait();
        panic!("`mcp-edge` did not say where it listens:\n{}", said.join("\n"));
    };
    Edge { url: format!("{origin}/mcp"), process, folder }
}

impl Edge {
    /// Puts another bundle in the place of the served one, in one step.
    fn replace_bundle(&self, spec_text: &str) {
        let next = self.folder.path().join("next.mcpk");
        build(self.folder.path(), spec_text, &next);
        std::fs::rename(next, self.folder.path().join("served.mcpk")).unwrap();
    }
}

impl Drop for Edge {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn build(folder: &Path, spec_text: &str, bundle: &Path) {
    let spec = folder.join("spec.toml");
    std::fs::write(&spec, spec_text).unwrap();
    let built = Command::new(binary("mcpc")).arg("build").arg(spec).arg("-o").arg(bundle).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
}

/// A binary of the workspace, which lies beside this test's own folder.
fn binary(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.parent().unwrap().parent().unwrap().join(name);
    assert!(path.is_file(), "run the tests of the whole workspace: `{}` is not built", path.display());
    path
}

fn origin_in(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("http://127.0.0.1:")?;
    let port: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some(format!("http://127.0.0.1:{port}"))
}

/// The HTTP API behind the tools; stopped when dropped.
struct Upstream {
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Upstream {
    fn start() -> Upstream {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let stopped = Arc::new(AtomicBool::new(false));
        let stop = Arc::clone(&stopped);
        let accept = move || {
            for stream in listener.incoming().map_while(Result::ok) {
                if stop.load(Ordering::SeqCst) {
                    break;
                }
                std::thread::spawn(move || answer(stream));
            }
        };
        Upstream { address, stopped, thread: Some(std::thread::spawn(accept)) }
    }
}

impl Drop for Upstream {
    fn drop(&mut self) {
        self.stopped.store(true, Ordering::SeqCst);
        // Wakes the thread, which then sees that it shall stop.
        let _ = TcpStream::connect(self.address);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Answers one request of a connection, which a GET without a body is.
fn answer(mut stream: TcpStream) {
    let _ = stream.set_read_timeout(Some(LONGEST_WAIT));
    let mut lines = BufReader::new(stream.try_clone().unwrap().take(16 * 1024)).lines().map_while(Result::ok);
    let Some(first) = lines.next() else { return };
    lines.take_while(|line| !line.is_empty()).for_each(drop);
    let target = first.split(' ').nth(1).unwrap_or_default();
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let argument = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(key, _)| *key == name).map_or("", |(_, value)| value)
    };
    let number = |name: &str| argument(name).parse::<i64>().unwrap_or_default();
    let (status, kind, body) = match path {
        "/add" => {
            let (a, b) = (number("a"), number("b"));
            ("200 OK", "application/json", json!({"a": a, "b": b, "sum": a + b}).to_string())
        }
        "/greet" => ("200 OK", "text/plain", format!("Hello, {}!", argument("name"))),
        _ => ("500 Internal Server Error", "text/plain", "it always fails".to_owned()),
    };
    let length = body.len();
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}"
    );
}
