//! The revisions with a handshake.

use crate::support::{Bench, head};
use serde_json::{Value, json};

fn initialize(bench: &Bench, version: &str) -> Value {
    let params =
        json!({"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let body = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
    let said = bench.post(&[], &body);
    assert_eq!(said.status, 200);
    said.json()["result"].clone()
}

#[test]
fn initialize_answers_with_the_same_version_or_the_newest_that_has_a_handshake() {
    let bench = Bench::shop();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        assert_eq!(initialize(&bench, version)["protocolVersion"], version);
    }
    for version in ["2026-07-28", "1.0", ""] {
        assert_eq!(initialize(&bench, version)["protocolVersion"], "2025-11-25", "{version}");
    }
    let result = initialize(&bench, "2025-11-25");
    assert_eq!(result["capabilities"], json!({"tools": {"listChanged": true}}));
    assert_eq!(result["serverInfo"]["name"], "tools");
    assert_eq!(result.get("resultType"), None);
    assert_eq!(bench.legacy("initialize", json!({})).code(), -32602);
}

#[test]
fn errors_travel_with_status_200_and_results_have_no_modern_members() {
    let bench = Bench::shop();
    let said = bench.legacy("prompts/list", json!({}));
    assert_eq!((said.status, said.code()), (200, -32601));
    let said = bench.legacy("ping", json!({}));
    assert_eq!(said.json(), json!({"jsonrpc": "2.0", "id": 1, "result": {}}));
    let said = bench.legacy("tools/list", json!({}));
    let result = said.json()["result"].clone();
    assert_eq!(result.as_object().unwrap().keys().collect::<Vec<_>>(), ["tools"]);
}

#[test]
fn a_version_that_is_not_served_is_a_bad_request() {
    let bench = Bench::shop();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let said = bench.post(&[("mcp-protocol-version", "1.0")], &body);
    assert_eq!((said.status, said.code()), (400, -32600));
    assert_eq!(bench.post(&[("mcp-protocol-version", "2024-11-05")], &body).status, 200);
    // Before the handshake a client may say anything.
    let hello =
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "x"}});
    assert_eq!(bench.post(&[("mcp-protocol-version", "1.0")], &hello).status, 200);
}

#[test]
fn notifications_and_answers_are_accepted() {
    let bench = Bench::shop();
    for body in [
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 7, "result": {}}),
        json!({"jsonrpc": "2.0", "id": 7, "error": {"code": 1, "message": "x"}}),
    ] {
        let said = bench.post(&[("mcp-protocol-version", "2025-11-25")], &body);
        assert_eq!((said.status, said.body.as_str()), (202, ""), "{body}");
    }
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(bench.post(&[("mcp-protocol-version", "v999")], &note).status, 400);
}

#[test]
fn older_revisions_see_fewer_members_of_a_tool() {
    let bench = Bench::shop();
    let list = |version: &str| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
        let said = bench.post(&[("mcp-protocol-version", version)], &body);
        let tools = said.json()["result"]["tools"].clone();
        tools.as_array().unwrap().iter().find(|tool| tool["name"] == "stock").unwrap().clone()
    };
    assert_eq!(list("2024-11-05").get("outputSchema"), None);
    assert_eq!(list("2025-03-26").get("outputSchema"), None);
    assert!(list("2025-06-18").get("outputSchema").is_some());
}

#[test]
fn batches_are_answered_where_the_revision_has_them() {
    let bench = Bench::shop();
    let ping = |id: u32| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let hello = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {"name": "hello"}});
    let said = bench.post(&[], &json!([ping(1), note, hello, ping(2), 5]));
    assert_eq!(said.status, 200);
    let answers = said.json();
    let ids: Vec<&Value> = answers.as_array().unwrap().iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [&json!(1), &json!(9), &json!(2), &Value::Null]);
    assert_eq!(answers[1]["result"]["content"][0]["text"], "Hello.");
    assert_eq!(answers[3]["error"]["code"], -32600);

    assert_eq!(bench.post(&[], &json!([note, note])).status, 202);
    let start =
        json!([{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "x"}}]);
    assert_eq!(bench.post(&[], &start).json()[0]["error"]["code"], -32600);
    for (headers, body) in [
        (&[("mcp-protocol-version", "2025-06-18")][..], json!([ping(1)])),
        (&[("mcp-protocol-version", "2026-07-28")], json!([ping(1)])),
        (&[], json!([])),
        (&[], json!(vec![ping(1); 33])),
    ] {
        let said = bench.post(headers, &body);
        assert_eq!((said.status, said.code()), (400, -32600), "{headers:?}");
    }
}

#[test]
fn a_batch_may_answer_no_more_than_one_call() {
    let bench =
        Bench::with(&[("shop.toml", crate::support::SPEC)], |settings| settings.limits.response_body = 100);
    let call =
        |id: u32| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "hello"}});
    let answers = bench.post(&[], &json!((0..10).map(call).collect::<Vec<_>>())).json();
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), 10);
    assert!(answers[..4].iter().all(|answer| answer["result"]["content"][0]["text"] == "Hello."));
    assert!(answers[4..].iter().all(|answer| answer["error"]["code"] == -32603));
}

#[test]
fn one_post_may_ask_for_an_event_instead_of_json() {
    let bench = Bench::shop();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let ask = |accept: &str| bench.send(&head("POST", "/mcp", &[("accept", accept)]), body.as_bytes());
    let said = ask("text/event-stream");
    assert_eq!(said.kind, mcp_edge::request::reply::BodyKind::Events);
    assert_eq!(said.body, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n");
    for accept in ["application/json, text/event-stream", "*/*", "text/html"] {
        assert_eq!(ask(accept).kind, mcp_edge::request::reply::BodyKind::Json, "{accept}");
    }
    // Problems of a request are reported in JSON.
    let said = bench.send(&head("POST", "/mcp", &[("accept", "text/event-stream")]), b"{");
    assert_eq!((said.status, said.code()), (400, -32700));
}
