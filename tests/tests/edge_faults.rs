//! Upstreams that misbehave, and what must never get out.
#![expect(clippy::indexing_slicing, reason = "what fails here fails the test")]

use mcpc_tests::{Script, TOKEN, World, answer, call, get, json, raw, reply, spec};
use serde_json::json;

const TOOL: (&str, &str) = ("t", "method = \"GET\"\nendpoint = \"/x\"\ntimeout_seconds = 1");

fn check(script: Script, reason: &str, text: &str) {
    let world = World::new(&spec(&[TOOL]));
    world.upstream.always_answers(script);
    let called = world.call("t", json!({}));
    assert!(called.is_error(), "{}", called.body);
    assert_eq!(called.text(), text);
    let body = world.invoke("t", json!({})).json();
    assert_eq!((&body["details"]["reason"], &body["error"]), (&json!(reason), &json!(text)));
    world.upstream.always_answers(json("{}"));
    assert!(!world.call("t", json!({})).is_error(), "the next call is fine");
}

const CLOSED: &str = "Upstream request failed: the connection was closed before the response was complete.";
const PROTOCOL: &str = "Upstream request failed: the response is not valid HTTP.";

#[test]
fn an_answer_that_ends_early_is_not_an_answer() {
    check(raw("").close(), "upstream_closed", CLOSED);
    check(raw("HTTP/1.1 200 OK\r\ncontent-le").close(), "upstream_closed", CLOSED);
    check(raw("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello").close(), "upstream_closed", CLOSED);
    let chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n";
    check(raw(chunked).close(), "upstream_closed", CLOSED);
}

#[test]
fn what_is_not_http_is_not_an_answer() {
    check(raw("SSH-2.0-OpenSSH_9.9\r\n\r\n").close(), "upstream_protocol", PROTOCOL);
    check(raw([0xff; 64]).send("\r\n\r\n").close(), "upstream_protocol", PROTOCOL);
    check(
        raw("HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n").close(),
        "upstream_protocol",
        PROTOCOL,
    );
}

#[test]
fn an_answer_that_cannot_be_decompressed_is_not_an_answer() {
    check(
        reply("200 OK\r\ncontent-encoding: gzip", "not gzip at all"),
        "upstream_encoding",
        "Upstream request failed: could not decompress the response: the `gzip` data is damaged or cut off.",
    );
    check(
        reply("200 OK\r\ncontent-encoding: compress", "x"),
        "upstream_encoding",
        "Upstream request failed: could not decompress the response: the `content-encoding` is not one of `gzip`, `br` and `zstd`.",
    );
}

#[test]
fn an_upstream_that_stalls_costs_its_time_limit() {
    let text = "Upstream request failed: no response within 1 s. Try again later.";
    check(raw("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe").until_closed(), "upstream_timeout", text);
}

#[test]
fn an_unreachable_upstream_is_reported() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let text = spec(&[TOOL]).replace("UPSTREAM", &format!("http://127.0.0.1:{port}"));
    let world = World::new(&text);
    let called = world.call("t", json!({}));
    assert!(called.is_error());
    assert!(called.text().starts_with("Upstream request failed: could not connect: "), "{}", called.text());
    assert!(!called.text().contains(&port.to_string()), "addresses are nobody's business");
    assert_eq!(world.invoke("t", json!({})).json()["details"]["reason"], "upstream_connect");
}

#[test]
fn bytes_behind_an_answer_do_not_reach_the_next_call() {
    let world = World::new(&spec(&[TOOL]));
    let smuggled = "HTTP/1.1 200 OK\r\ncontent-length: 7\r\n\r\nevil: 1";
    world.upstream.answers(raw(format!("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi{smuggled}")));
    assert_eq!(world.call("t", json!({})).text(), "hi");
    world.upstream.answers(json("[\"good\"]"));
    assert_eq!(world.call("t", json!({})).text(), "[\"good\"]");
    assert_eq!(world.upstream.connections(), 2);
}

#[test]
fn secrets_go_upstream_and_nowhere_else() {
    let text = r#"
[upstream.api]
url = "UPSTREAM"
headers = { authorization = "Bearer ${TOKEN}" }

[[tool]]
name = "t"
description = "Sends a secret in every place there is."
upstream = "api"
method = "POST"
endpoint = "/x"
timeout_seconds = 1
parameters = [
  { name = "n", type = "integer", description = "N" },
  { name = "key", position = "query", value = "${TOKEN}" },
  { name = "member", value = "${TOKEN}" },
]
"#;
    let world = World::new(text);
    let scripts = [
        json("{}"),
        answer(401, "application/json", r#"{"error":"bad token"}"#),
        answer(500, "text/html", "<h1>broken</h1>"),
        reply("302 Found\r\nlocation: http://other.example/", ""),
        raw("garbage\r\n\r\n").close(),
        raw("").close(),
        raw("HTTP/1.1 200 OK\r\n").until_closed(),
    ];
    let mut said = String::new();
    for (number, script) in scripts.into_iter().enumerate() {
        world.upstream.answers(script);
        said.push_str(&world.call("t", json!({"n": 1})).body);
        assert_eq!(world.upstream.request(number).text().matches(TOKEN).count(), 3);
    }
    said.push_str(&world.call("t", json!({"n": "x"})).body);
    for request in [get("/mcp/tools", &[]), get("/api/v1/mcp/tools", &[])] {
        said.push_str(&world.ask(request).body);
    }
    said.push_str(&world.edge.metrics.encode());
    said.push_str(&format!("{:?}", world.edge));
    assert!(!said.contains(TOKEN), "{said}");
}

#[test]
fn what_a_client_sends_along_stays_at_the_edge() {
    let world = World::new(&spec(&[TOOL]));
    let request = String::from_utf8(call("t", json!({}))).unwrap();
    let (line, rest) = request.split_once("\r\n").unwrap();
    let own = "authorization: Bearer clients-own\r\ncookie: clients-own=1\r\nx-api-key: clients-own\r\n\
               proxy-authorization: clients-own\r\nx-forwarded-for: clients-own\r\nx-request-id: clients-own";
    let answer = world.ask(format!("{line}\r\n{own}\r\n{rest}"));
    assert!(!answer.is_error());
    let sent = world.upstream.request(0).text();
    assert!(!sent.contains("clients-own"), "{sent}");
}
