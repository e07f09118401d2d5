//! The edge in somebody else's proxy: the example with a real `ProxyHttp`, which also proxies a website.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use mcpc_tests::{Client, LONG, Process, TOKEN, Upstream};
use mcpc_tests::{answer, build, call, get, json, modern, post, raw, start, tools_of};
use rmcp::model::{CallToolRequestParams, ClientConfig, ProtocolVersion};
use rmcp::model::{ServerNotification, SubscriptionFilter};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientLifecycleMode, ClientServiceExt};
use serde_json::json;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Instant;

/// The example, a website behind it and an API behind its tools.
struct Site {
    address: SocketAddr,
    process: Process,
    website: Upstream,
    api: Upstream,
    folder: tempfile::TempDir,
}

impl Site {
    /// Serves one tool, `first`, with this configuration beside the bundle.
    fn start(config: &str) -> Site {
        let (website, api) = (Upstream::start(), Upstream::start());
        let folder = tempfile::tempdir().unwrap();
        build(&tools_of(&api, &["first"]), &folder.path().join("served.mcpk"));
        write_config(&folder, config);
        let edge_toml = folder.path().join("edge.toml").display().to_string();
        let deadline = Instant::now() + LONG;
        loop {
            // Pingora opens the listener itself, so the port is chosen for it; somebody else may be quicker.
            let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
            let arguments = [edge_toml.clone(), address.to_string(), website.address.to_string()];
            let mut process = start("examples/plugin", arguments);
            while !process.has_left() {
                if TcpStream::connect(address).is_ok() {
                    return Site { address, process, website, api, folder };
                }
                assert!(Instant::now() < deadline, "{}", process.log());
                std::thread::yield_now();
            }
            assert!(Instant::now() < deadline, "{}", process.log());
        }
    }

    fn client(&self) -> Client {
        Client::connect(self.address)
    }

    fn replace(&self, tools: &[&str]) {
        let next = self.folder.path().join("next.mcpk");
        build(&tools_of(&self.api, tools), &next);
        std::fs::rename(next, self.folder.path().join("served.mcpk")).unwrap();
    }
}

fn write_config(folder: &tempfile::TempDir, config: &str) {
    std::fs::write(folder.path().join("edge.toml"), format!("bundle = \"served.mcpk\"\n{config}")).unwrap();
}

#[tokio::test]
async fn a_real_client_lists_calls_and_is_notified_of_changes() {
    let site = Site::start("");
    let mode = ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] };
    let transport = StreamableHttpClientTransport::from_uri(format!("http://{}/mcp", site.address));
    let client = ClientConfig::default().serve_with_lifecycle(transport, mode).await.unwrap();
    let names = async || -> Vec<String> {
        client.list_all_tools().await.unwrap().into_iter().map(|tool| tool.name.into_owned()).collect()
    };
    assert_eq!(names().await, ["first"]);
    site.api.answers(json(r#"{"id":7}"#));
    let result = client.call_tool(CallToolRequestParams::new("first")).await.unwrap();
    let [block] = result.content.as_slice() else { panic!("{result:?}") };
    assert_eq!(block.as_text().unwrap().text, r#"{"id":7}"#);
    assert_eq!(site.api.request(0).header("authorization"), [format!("Bearer {TOKEN}")]);

    let filter = SubscriptionFilter::builder().tools_list_changed().build();
    let mut subscription = client.listen(filter).await.unwrap();
    site.replace(&["first", "second"]);
    let told = tokio::time::timeout(LONG, subscription.next()).await.unwrap().unwrap().unwrap();
    assert!(matches!(told, ServerNotification::ToolListChangedNotification(_)), "{told:?}");
    assert_eq!(names().await, ["first", "second"]);
    subscription.cancel().await.unwrap();
    client.cancel().await.unwrap();
    assert_eq!(site.website.count(), 0);
}

#[test]
fn everything_else_reaches_the_website_untouched() {
    let site = Site::start("");
    site.website.always_answers(answer(200, "text/html", "<h1>hello</h1>"));
    let mut client = site.client();
    let page = client.ask(get("/", &[]));
    assert_eq!((page.status, page.body.as_str()), (200, "<h1>hello</h1>"));
    // On one connection with calls, in any order.
    assert_eq!(client.ask(call("first", json!({}))).text(), "{}");
    let body = "{\"a\": [1, 2]}";
    for (number, path) in ["/mcpx", "/form", "/api/v1/other", "/a/mcp"].into_iter().enumerate() {
        assert_eq!(client.ask(post(path, &[], body)).body, "<h1>hello</h1>");
        let request = site.website.request(number + 1);
        assert_eq!((request.line(), request.body()), (format!("POST {path} HTTP/1.1"), body.to_owned()));
    }
    assert_eq!(client.ask(call("first", json!({}))).text(), "{}");
    assert_eq!((site.website.count(), site.api.count()), (5, 2));
}

#[test]
fn streams_report_changes_and_end_with_the_server() {
    let site = Site::start("");
    let mut listener = site.client();
    listener.send(modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})));
    assert!(listener.event().contains("notifications/subscriptions/acknowledged"));
    site.replace(&["first", "second"]);
    assert!(listener.event().contains("notifications/tools/list_changed"));
    site.process.signal("TERM");
    let last = listener.event();
    assert!(last.contains("\"resultType\":\"complete\""), "{last}");
}

#[test]
fn a_client_that_leaves_cancels_its_call() {
    let site = Site::start("");
    site.api.answers(raw("").until_closed());
    let mut client = site.client();
    client.send(call("first", json!({})));
    site.api.request(0);
    client.leave();
    site.api.wait_closed(1);
    assert_eq!(site.client().ask(call("first", json!({}))).text(), "{}");
}

#[test]
fn bodies_are_limited_and_the_limit_is_reloaded() {
    let site = Site::start("[limits]\nrequest_body = \"1KiB\"\n");
    let long = call("first", json!({"a": "x".repeat(2000)}));
    let refused = site.client().ask(&long);
    assert_eq!((refused.status, refused.header("connection")), (413, Some("close")));
    let mut chunked = site.client();
    chunked.send("POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n");
    chunked.send("transfer-encoding: chunked\r\n\r\n800\r\n");
    chunked.send("x".repeat(0x800));
    assert_eq!(chunked.answer().status, 413);

    write_config(&site.folder, "[limits]\nrequest_body = \"4KiB\"\n");
    site.process.signal("HUP");
    let mut client = site.client();
    let deadline = Instant::now() + LONG;
    // It is long for an argument, too, but that is another matter.
    while client.ask(&long).status == 413 {
        assert!(Instant::now() < deadline, "{}", site.process.log());
        client = site.client();
    }
    assert_eq!(site.client().ask(&long).status, 200);
}

#[test]
fn a_client_that_waits_gets_100_continue() {
    let site = Site::start("");
    let message = call("first", json!({}));
    let text = String::from_utf8(message).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let mut client = site.client();
    client.send(format!("{head}\r\nexpect: 100-continue\r\n\r\n"));
    assert_eq!(client.head_only().status, 100);
    client.send(body);
    assert_eq!(client.answer().text(), "{}");
    // What is refused by its head alone is not waited for.
    client.send("POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: text/plain\r\n");
    client.send("content-length: 5\r\nexpect: 100-continue\r\n\r\n");
    let refused = client.answer();
    assert_eq!((refused.status, refused.header("connection")), (415, Some("close")));
}

#[test]
fn pages_of_the_web_are_refused_as_elsewhere() {
    let site = Site::start("");
    let mut client = site.client();
    let foreign = post("/mcp", &[("origin", "https://evil.example")], "{}");
    assert_eq!(client.ask(foreign).status, 403);
    // The body was read, so the connection is of use.
    assert_eq!(client.ask(call("first", json!({}))).text(), "{}");
}
