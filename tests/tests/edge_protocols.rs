//! HTTP/2 and TLS between client and edge.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use bytes::Bytes;
use mcp_edge::edge::Hooks;
use mcp_edge::observe::Observer;
use mcp_edge::observe::record::CallRecord;
use mcp_edge::process::{Listener, TlsFiles};
use mcpc_tests::{LONG, World, call, get, json, post, raw, spec, write_private};
use serde_json::{Value, json};
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use ureq::tls::{Certificate, RootCerts, TlsConfig};

const TOOL: (&str, &str) = (
    "t",
    "method = \"GET\"\nendpoint = \"/x\"\nparameters = [{ name = \"n\", type = \"integer\", description = \"N\", position = \"query\" }]",
);

/// Headers and body of a call.
fn parts(request: &[u8]) -> (Vec<(String, String)>, String) {
    let text = String::from_utf8(request.to_vec()).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let pairs = head.lines().skip(1).filter_map(|line| line.split_once(": "));
    let pairs = pairs.filter(|(name, _)| !matches!(*name, "host" | "content-length"));
    (pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(), body.to_owned())
}

async fn connect(world: &World) -> h2::client::SendRequest<Bytes> {
    let stream = tokio::net::TcpStream::connect(world.address).await.unwrap();
    let (sender, connection) = h2::client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    sender.ready().await.unwrap()
}

async fn ask(sender: &mut h2::client::SendRequest<Bytes>, request: &[u8]) -> (u16, Value) {
    let (headers, body) = parts(request);
    let mut head = http::Request::post("http://localhost/mcp");
    for (name, value) in headers {
        head = head.header(name, value);
    }
    let (answer, mut sending) = sender.send_request(head.body(()).unwrap(), false).unwrap();
    sending.send_data(Bytes::from(body), true).unwrap();
    let answer = answer.await.unwrap();
    let status = answer.status().as_u16();
    let (mut receiving, mut all) = (answer.into_body(), Vec::new());
    while let Some(data) = receiving.data().await {
        let data = data.unwrap();
        receiving.flow_control().release_capacity(data.len()).unwrap();
        all.extend_from_slice(&data);
    }
    (status, serde_json::from_slice(&all).unwrap())
}

/// The addresses of those who call.
#[derive(Debug, Default)]
struct Callers(Mutex<Vec<Option<IpAddr>>>);

impl Observer for Callers {
    fn call(&self, record: &CallRecord<'_>) {
        self.0.lock().unwrap().push(record.request.peer.address.map(|address| address.ip()));
    }
}

#[test]
fn observers_get_the_address_of_the_client_in_both_protocols() {
    let callers = Arc::new(Callers::default());
    let hooks = Hooks { observers: vec![callers.clone()], ..Hooks::default() };
    let world = World::with_hooks(&spec(&[("fixed", "respond = \"Hello.\"")]), hooks);
    world.call("fixed", json!({}));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (status, _) =
        runtime.block_on(async { ask(&mut connect(&world).await, &call("fixed", json!({}))).await });
    assert_eq!(status, 200);
    let local = Some(world.address.ip());
    assert_eq!(*callers.0.lock().unwrap(), [local, local]);
}

#[test]
fn http2_with_prior_knowledge_calls_tools_side_by_side() {
    let world = World::new(&spec(&[TOOL]));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let calls = async {
        let mut sender = connect(&world).await;
        world.upstream.answers(json("0").held());
        let (mut second, mut first) = (sender.clone(), sender.clone());
        let slow = tokio::spawn(async move { ask(&mut first, &call("t", json!({"n": 0}))).await });
        // The second call overtakes the first, whose answer is held back.
        while world.upstream.count() == 0 {
            tokio::task::yield_now().await;
        }
        world.upstream.answers(json("[1]"));
        let (status, body) = ask(&mut second, &call("t", json!({"n": 1}))).await;
        assert_eq!((status, &body["result"]["content"][0]["text"]), (200, &json!("[1]")));
        world.upstream.release();
        let (status, body) = slow.await.unwrap();
        assert_eq!((status, &body["result"]["content"][0]["text"]), (200, &json!("0")));
        let (status, body) = ask(&mut sender, &call("missing", json!({}))).await;
        assert_eq!((status, &body["error"]["code"]), (200, &json!(-32602)));
    };
    runtime.block_on(async { tokio::time::timeout(LONG, calls).await.unwrap() });
}

#[test]
fn a_stream_that_is_reset_takes_its_call_along() {
    let world = World::new(&spec(&[TOOL]));
    world.upstream.answers(raw("HTTP/1.1 200 OK\r\n").until_closed());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let calls = async {
        let mut sender = connect(&world).await;
        let mut gone = sender.clone();
        let slow = tokio::spawn(async move { ask(&mut gone, &call("t", json!({}))).await });
        while world.upstream.count() == 0 {
            tokio::task::yield_now().await;
        }
        slow.abort();
        assert!(slow.await.unwrap_err().is_cancelled());
        // The connection lives on.
        assert_eq!(ask(&mut sender, &call("t", json!({}))).await.0, 200);
    };
    runtime.block_on(async { tokio::time::timeout(LONG, calls).await.unwrap() });
    world.upstream.wait_closed(1);
    assert_eq!(world.metric("mcp_edge_calls_total{tool=\"t\",outcome=\"cancelled\"}"), 1);
}

#[test]
fn a_session_of_http_and_sse_gets_its_answers_over_its_stream() {
    let world = World::new(&spec(&[TOOL]));
    let mut stream = world.client();
    stream.send(get("/sse", &[("accept", "text/event-stream")]));
    let path = stream.event();
    world.upstream.answers(json("[5]"));
    let params = json!({"name": "t", "arguments": {"n": 5}});
    let message = json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": params});
    let taken = world.ask(post(&path, &[], message.to_string()));
    assert_eq!((taken.status, taken.body.as_str()), (202, ""));
    let answer: Value = serde_json::from_str(&stream.event()).unwrap();
    assert_eq!((&answer["id"], &answer["result"]["content"][0]["text"]), (&json!("a"), &json!("[5]")));
    stream.leave();
}

#[test]
fn a_listener_with_a_certificate_speaks_tls() {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (folder.path().join("cert.pem"), folder.path().join("key.pem"));
    std::fs::write(&certificate, made.cert.pem()).unwrap();
    write_private(&key, &made.signing_key.serialize_pem());
    let tls = Some(TlsFiles::new(certificate, key));
    let world = World::empty(Some(Listener { address: "127.0.0.1:0".to_owned(), tls }), |_| {});
    world.activate(&spec(&[TOOL]));

    let trusted = RootCerts::from(vec![Certificate::from_der(made.cert.der()).to_owned()]);
    let tls = TlsConfig::builder().root_certs(trusted).build();
    let agent = ureq::Agent::config_builder()
        .tls_config(tls)
        .proxy(None)
        .timeout_global(Some(LONG))
        .build()
        .new_agent();
    let (headers, body) = parts(&call("t", json!({"n": 1})));
    let mut request = agent.post(format!("https://localhost:{}/mcp", world.address.port()));
    for (name, value) in headers {
        request = request.header(name, value);
    }
    world.upstream.answers(json("[7]"));
    let mut answer = request.send(body.as_str()).unwrap();
    let body: Value = serde_json::from_str(&answer.body_mut().read_to_string().unwrap()).unwrap();
    assert_eq!(body["result"]["content"][0]["text"], "[7]");
    assert_eq!(world.upstream.request(0).line(), "GET /x?n=1 HTTP/1.1");
}
