//! Connections on both sides of the edge.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use mcpc_tests::{Client, World, call, echo, get, json, post, raw, spec};
use serde_json::json;
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(200);

fn world() -> World {
    let tools = [
        (
            "echo",
            "method = \"POST\"\nendpoint = \"/echo\"\nparameters = [{ name = \"n\", type = \"integer\", description = \"N\" }]",
        ),
        ("fixed", "respond = \"Hello.\""),
    ];
    World::new(&spec(&tools))
}

#[test]
fn connections_on_both_sides_are_used_again() {
    let world = world();
    let mut client = world.client();
    for number in 0..5 {
        world.upstream.answers(json(number.to_string()));
        assert_eq!(client.ask(call("echo", json!({"n": number}))).text(), number.to_string());
    }
    assert_eq!((world.upstream.count(), world.upstream.connections()), (5, 1));
    assert_eq!(world.metric("mcp_edge_pool_opened_total"), 1);
    assert_eq!(world.metric("mcp_edge_pool_reused_total"), 4);
    // What the upstream closes is not used again, and nobody notices.
    world
        .upstream
        .answers(raw("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}").close());
    assert!(!client.ask(call("echo", json!({}))).is_error());
    assert!(!client.ask(call("echo", json!({}))).is_error());
    assert_eq!(world.upstream.connections(), 2);
    // Also if it does not say so.
    world.upstream.answers(json("{}").close());
    assert!(!client.ask(call("echo", json!({}))).is_error());
    world.upstream.wait_closed(2);
    assert!(!client.ask(call("echo", json!({}))).is_error());
    assert_eq!(world.upstream.connections(), 3);
}

#[test]
fn calls_side_by_side_do_not_get_each_others_answers() {
    let tool = "method = \"GET\"\nendpoint = \"/echo/{text}\"\nparameters = [{ name = \"text\", description = \"Text\", required = true, position = \"path\" }]";
    let world = World::new(&spec(&[("t", tool)]));
    world.upstream.always_answers(echo());
    std::thread::scope(|scope| {
        for client_number in 0..8 {
            let world = &world;
            scope.spawn(move || {
                let mut client = world.client();
                for number in 0..25 {
                    let text =
                        format!("{client_number}-{number}-{}", "x".repeat(number * client_number * 10));
                    let answer = client.ask(call("t", json!({"text": text}))).text();
                    assert_eq!(answer, format!("GET /echo/{text} HTTP/1.1"));
                }
            });
        }
    });
    assert!(world.upstream.connections() <= 8);
    assert_eq!(world.metric("mcp_edge_calls_total{tool=\"t\",outcome=\"ok\"}"), 200);
}

#[test]
fn pipelined_calls_are_answered_in_their_order() {
    let world = world();
    let mut client = world.client();
    world.upstream.answers(json("0").held());
    let requests: Vec<u8> = (0..10).flat_map(|number| call("echo", json!({"n": number}))).collect();
    client.send(requests);
    for number in 1..10 {
        world.upstream.answers(json(number.to_string()));
    }
    world.upstream.release();
    for number in 0..10 {
        assert_eq!(client.answer().text(), number.to_string());
        assert_eq!(world.upstream.request(number).body(), format!("{{\"n\":{number}}}"));
    }
}

/// A call whose body is sent in another way.
fn split(request: &[u8]) -> (String, String) {
    let text = String::from_utf8(request.to_vec()).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    let lines: Vec<&str> = head.lines().filter(|line| !line.starts_with("content-length")).collect();
    (lines.join("\r\n"), body.to_owned())
}

#[test]
fn bodies_may_come_in_chunks_and_after_a_word() {
    let world = world();
    let (head, body) = split(&call("fixed", json!({})));
    let mut client = world.client();
    let (first, second) = body.split_at(10);
    client.send(format!("{head}\r\ntransfer-encoding: chunked\r\n\r\na\r\n{first}\r\n"));
    client.send(format!("{:x};x=y\r\n{second}\r\n0\r\n\r\n", second.len()));
    assert_eq!(client.answer().text(), "Hello.");
    client.send(format!("{head}\r\ncontent-length: {}\r\nexpect: 100-continue\r\n\r\n", body.len()));
    assert_eq!(client.head_only().status, 100);
    assert_eq!(client.ask(body).text(), "Hello.");
    client.send("HEAD /mcp/tools HTTP/1.1\r\nhost: localhost\r\n\r\n");
    let head = client.head_only();
    let length = client.ask(get("/mcp/tools", &[])).body.len();
    assert_eq!((head.status, head.header("content-length")), (200, Some(length.to_string().as_str())));
}

#[test]
fn bodies_beyond_the_limit_are_refused_without_reading_them() {
    let world = World::with(&spec(&[("fixed", "respond = \"Hello.\"")]), |settings| {
        settings.limits.request_body = 1000;
    });
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    let mut declared = world.client();
    declared.send(format!("{head}content-length: 1001\r\nexpect: 100-continue\r\n\r\n"));
    let answer = declared.answer();
    assert_eq!((answer.status, answer.code()), (413, -32600));
    declared.assert_closed();
    let mut chunked = world.client();
    chunked.send(format!("{head}transfer-encoding: chunked\r\n\r\n3e9\r\n{}\r\n", "x".repeat(1001)));
    let answer = chunked.answer();
    assert_eq!((answer.status, answer.code()), (413, -32600));
    chunked.assert_closed();
    let fits = post("/mcp", &[], " ".repeat(1000));
    assert_eq!(world.ask(fits).status, 400);
}

#[test]
fn clients_that_take_too_long_are_left() {
    let tools = spec(&[("fixed", "respond = \"Hello.\"")]);
    let world = World::with(&tools, |settings| {
        settings.timeouts.idle = SHORT;
        settings.timeouts.body = SHORT;
    });
    world.client().assert_closed();
    let mut head = world.client();
    head.send("POST /mcp HTT");
    head.assert_closed();
    let mut body = world.client();
    body.send("POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{");
    assert_eq!(body.answer().status, 408);
    body.assert_closed();
}

#[test]
fn a_client_that_leaves_takes_its_call_along() {
    let world = world();
    world.upstream.answers(raw("HTTP/1.1 200 OK\r\n").until_closed());
    let mut client: Client = world.client();
    client.send(call("echo", json!({})));
    world.upstream.request(0);
    client.leave();
    world.upstream.wait_closed(1);
    // The next call is not disturbed.
    assert!(!world.call("echo", json!({})).is_error());
    assert_eq!(world.metric("mcp_edge_calls_total{tool=\"echo\",outcome=\"cancelled\"}"), 1);
    assert_eq!(world.metric("mcp_edge_calls_in_flight"), 0);
}
