//! Event streams: changes of the list, and the HTTP+SSE transport.

use crate::support::{Bench, OTHER, SPEC, head};
use futures::FutureExt;
use serde_json::{Value, json};

/// The data of one event.
fn data(event: &[u8]) -> Value {
    let text = std::str::from_utf8(event).unwrap();
    let data = text.strip_prefix("event: message\ndata: ").and_then(|rest| rest.strip_suffix("\n\n"));
    serde_json::from_str(data.unwrap_or_else(|| panic!("{text}"))).unwrap()
}

#[test]
fn a_subscription_is_acknowledged_and_gets_only_changes() {
    let bench = Bench::shop();
    let wanted = json!({"notifications": {"toolsListChanged": true, "promptsListChanged": true}});
    let mut stream = bench.modern("subscriptions/listen", wanted).stream.unwrap();
    let meta = json!({"io.modelcontextprotocol/subscriptionId": 1});
    let opening = data(&stream.opening);
    assert_eq!(opening["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(opening["params"], json!({"notifications": {"toolsListChanged": true}, "_meta": meta}));

    // The same tools again are not a change.
    bench.activate(&[("shop.toml", SPEC), ("other.toml", OTHER)]);
    assert!(stream.next().now_or_never().is_none());
    bench.activate(&[("other.toml", OTHER)]);
    let event = data(&bench.block_on(stream.next()).unwrap());
    assert_eq!(
        event,
        json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed", "params": {"_meta": meta}})
    );
    assert_eq!(data(&stream.closing)["result"], json!({"resultType": "complete", "_meta": meta}));
}

#[test]
fn a_subscription_to_nothing_stays_silent() {
    let bench = Bench::shop();
    let mut stream = bench.modern("subscriptions/listen", json!({"notifications": {}})).stream.unwrap();
    assert_eq!(data(&stream.opening)["params"]["notifications"], json!({}));
    bench.activate(&[("other.toml", OTHER)]);
    assert!(stream.next().now_or_never().is_none());
    let said = bench.modern("subscriptions/listen", json!({}));
    assert_eq!((said.status, said.code()), (400, -32602));
}

#[test]
fn older_clients_hear_of_changes_on_their_stream() {
    let bench = Bench::shop();
    let mut stream =
        bench.send(&head("GET", "/mcp", &[("accept", "text/event-stream")]), b"").stream.unwrap();
    bench.activate(&[("other.toml", OTHER)]);
    let event = data(&bench.block_on(stream.next()).unwrap());
    assert_eq!(event, json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}));
}

#[test]
fn streams_are_bounded() {
    let bench = Bench::with(&[("shop.toml", SPEC)], |settings| settings.limits.streams = 1);
    let open = || bench.send(&head("GET", "/mcp", &[("accept", "text/event-stream")]), b"");
    let first = open();
    assert!(first.stream.is_some());
    let second = open();
    assert!(second.stream.is_none());
    assert_eq!((second.status, second.header("retry-after")), (503, Some("1")));
    let said = bench.modern("subscriptions/listen", json!({"notifications": {}}));
    assert_eq!((said.status, said.code()), (200, -32603));
    drop(first);
    assert!(open().stream.is_some());
}

#[test]
fn a_session_gets_its_answers_over_its_stream() {
    let bench = Bench::shop();
    let mut stream =
        bench.send(&head("GET", "/sse", &[("accept", "text/event-stream")]), b"").stream.unwrap();
    let opening = String::from_utf8(stream.opening.clone()).unwrap();
    let path = opening.strip_prefix("event: endpoint\ndata: ").unwrap().trim_end().to_owned();
    let mut ask = |body: Value| {
        let said = bench.send(&head("POST", &path, &[]), body.to_string().as_bytes());
        assert_eq!((said.status, said.body.as_str()), (202, ""));
        data(&bench.block_on(stream.next()).unwrap())
    };
    let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2024-11-05"}});
    assert_eq!(ask(hello)["result"]["protocolVersion"], "2024-11-05");
    let answer = ask(json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "hello"}}));
    assert_eq!(answer["result"]["content"][0]["text"], "Hello.");
    assert_eq!(ask(json!("x"))["error"]["code"], -32600);
    drop(stream);
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    assert_eq!(
        bench.send(&head("POST", &path, &[]), body.as_bytes()).status,
        404,
        "the session ended with its stream"
    );
}

#[test]
fn a_session_takes_no_more_messages_than_it_can_answer() {
    let bench = Bench::shop();
    let mut stream =
        bench.send(&head("GET", "/sse", &[("accept", "text/event-stream")]), b"").stream.unwrap();
    let opening = String::from_utf8(stream.opening.clone()).unwrap();
    let path = opening.strip_prefix("event: endpoint\ndata: ").unwrap().trim_end().to_owned();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let post = || bench.send(&head("POST", &path, &[]), body.as_bytes()).status;
    let taken = (0..100).take_while(|_| post() == 202).count();
    assert_eq!((taken, post()), (32, 503));
    // An answer that is read makes room again.
    assert_eq!(data(&bench.block_on(stream.next()).unwrap())["id"], 1);
    assert_eq!(post(), 202);
}
