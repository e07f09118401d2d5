//! `tools/call`: what becomes of arguments and answers.

use crate::support::{Bench, head};
use mcp_edge::request::identity::Peer;
use mcp_edge::request::reply::Reply;
use mcp_edge::request::route::Route;
use mcp_edge::upstream::UpstreamError;
use serde_json::{Value, json};

fn call(bench: &Bench, name: &str, arguments: Value) -> Value {
    let params = json!({"name": name, "arguments": arguments});
    let modern = bench.modern("tools/call", params.clone());
    assert_eq!(modern.status, 200);
    let mut modern = modern.json()["result"].clone();
    let legacy = bench.legacy("tools/call", params).json()["result"].clone();
    let object = modern.as_object_mut().unwrap();
    assert_eq!(object.remove("resultType"), Some(json!("complete")));
    let mut meta = object.remove("_meta").unwrap();
    assert!(meta.as_object_mut().unwrap().remove("io.modelcontextprotocol/serverInfo").is_some());
    if meta != json!({}) {
        object.insert("_meta".to_owned(), meta);
    }
    assert_eq!(modern, legacy);
    legacy
}

#[test]
fn arguments_go_upstream_and_the_answer_comes_back() {
    let bench = Bench::shop();
    let result = call(&bench, "get_order", json!({"orderId": "4 2/x"}));
    assert_eq!(result, json!({"content": [{"type": "text", "text": "{\"pens\":3}"}]}));
    assert_eq!(bench.fake.asked.lock().unwrap()[0], "GET shop.example/v1/orders/4%202%2Fx");
}

#[test]
fn a_fixed_answer_needs_no_upstream_and_no_arguments() {
    let bench = Bench::shop();
    assert_eq!(call(&bench, "hello", json!({}))["content"][0]["text"], "Hello.");
    let said = bench.modern("tools/call", json!({"name": "hello"}));
    assert_eq!(said.json()["result"]["content"][0]["text"], "Hello.");
    let said = bench.modern("tools/call", json!({"name": "hello", "arguments": null}));
    assert_eq!(said.json()["result"]["content"][0]["text"], "Hello.");
    assert!(bench.fake.asked.lock().unwrap().is_empty());
}

#[test]
fn an_answer_of_arguments_needs_no_upstream() {
    let spec = r#"
[[tool]]
name = "greet"
description = "Greets someone by name."
respond = { go = "Hello {{ .name | upper }}{{ .mark }}" }
[[tool.parameters]]
name = "name"
description = "Who it is"
required = true
[[tool.parameters]]
name = "mark"
description = "What comes last"
default = "!"
"#;
    let bench = Bench::new(&[("greet.toml", spec)]);
    let said = call(&bench, "greet", json!({"name": "a \"b\""}));
    assert_eq!(said, json!({"content": [{"type": "text", "text": "Hello A \"B\"!"}]}));
    // The next one has nothing of the one before.
    assert_eq!(call(&bench, "greet", json!({"name": "x", "mark": "?"}))["content"][0]["text"], "Hello X?");
    assert_eq!(call(&bench, "greet", json!({"mark": "?"}))["isError"], true);
    assert!(bench.fake.asked.lock().unwrap().is_empty());
}

#[test]
fn a_tool_that_is_not_there_is_an_invalid_parameter() {
    let bench = Bench::shop();
    for name in ["nope", "", "get_order ", "GET_ORDER"] {
        let said = bench.legacy("tools/call", json!({"name": name}));
        assert_eq!((said.status, said.code()), (200, -32602), "{name}");
    }
    let said = bench.modern("tools/call", json!({"name": "nope"}));
    assert_eq!((said.status, said.code()), (200, -32602));
    assert_eq!(said.json()["error"]["message"], "Unknown tool: nope");
    // A toolset's endpoint has only its own.
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "bye"}});
    let at = |path: &str| bench.send(&head("POST", path, &[]), body.to_string().as_bytes());
    assert_eq!(at("/mcp/shop").code(), -32602);
    assert_eq!(at("/mcp/other").json()["result"]["content"][0]["text"], "Bye.");
    assert_eq!(at("/mcp/nope").status, 404);
}

#[test]
fn parameters_of_the_wrong_kind_are_protocol_errors() {
    let bench = Bench::shop();
    for params in [
        json!({}),
        json!({"name": 7}),
        json!({"name": "hello", "arguments": []}),
        json!({"name": "hello", "arguments": "x"}),
    ] {
        assert_eq!(bench.legacy("tools/call", params.clone()).code(), -32602, "{params}");
    }
}

#[test]
fn arguments_that_the_tool_does_not_take_are_a_result_that_says_what_to_change() {
    let bench = Bench::shop();
    let result = call(&bench, "get_order", json!({}));
    assert_eq!(result["isError"], true);
    assert!(result["content"][0]["text"].as_str().unwrap().contains("orderId"), "{result}");
    let error = |result: &Value| result["_meta"]["mcp-edge/error"].clone();
    let message = "`orderId` is required (string)";
    let problem = json!({"kind": "missing_path_parameter", "parameter": "orderId", "message": message});
    assert_eq!(error(&result), json!({"reason": "missing_path_parameter", "problems": [problem]}));
    let result = call(&bench, "get_order", json!({"orderId": "..", "x": 1}));
    assert_eq!(result["isError"], true);
    let kinds: Vec<Value> = error(&result)["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|problem| problem["kind"].clone())
        .collect();
    assert_eq!(kinds, ["unknown_argument", "invalid_path_parameter"]);
    assert!(bench.fake.asked.lock().unwrap().is_empty());
}

#[test]
fn an_upstream_that_refuses_or_fails_is_a_result_too() {
    let bench = Bench::shop();
    bench.upstream(404, "application/json", r#"{"error":"no such order"}"#);
    let result = call(&bench, "get_order", json!({"orderId": "1"}));
    assert_eq!(result["isError"], true);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("404") && text.contains("no such order"), "{text}");
    for error in [
        UpstreamError::Resolve,
        UpstreamError::Connect("connection refused".to_owned()),
        UpstreamError::Timeout(1000),
        UpstreamError::Closed,
        UpstreamError::Protocol,
        UpstreamError::TooLarge { status: 200, limit: 10 },
        UpstreamError::Encoding("unknown `x`".to_owned()),
    ] {
        bench.upstream_fails(error.clone());
        let result = call(&bench, "get_order", json!({"orderId": "1"}));
        assert_eq!(result["isError"], true, "{error}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(
            !text.contains("shop.example"),
            "the upstream's address is not the caller's business: {text}"
        );
    }
}

#[test]
fn structured_content_is_checked_and_only_sent_to_those_who_know_it() {
    let bench = Bench::shop();
    let at = |version: &str| {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "stock"}});
        bench.post(&[("mcp-protocol-version", version)], &body).json()["result"].clone()
    };
    for version in ["2025-06-18", "2025-11-25"] {
        assert_eq!(at(version)["structuredContent"], json!({"pens": 3}), "{version}");
    }
    for version in ["2024-11-05", "2025-03-26"] {
        assert_eq!(at(version).get("structuredContent"), None, "{version}");
        assert_eq!(at(version)["content"][0]["text"], "{\"pens\":3}");
    }
    bench.upstream(200, "application/json", r#"{"pens":"three"}"#);
    assert_eq!(at("2025-11-25")["isError"], true);
    assert_eq!(at("2025-11-25").get("structuredContent"), None);
}

#[test]
fn calls_beyond_the_limit_are_asked_to_retry() {
    let bench =
        Bench::with(&[("shop.toml", crate::support::SPEC)], |settings| settings.limits.calls_in_flight = 0);
    let result = bench.legacy("tools/call", json!({"name": "hello"})).json()["result"].clone();
    assert_eq!(result["isError"], true);
    assert!(result["content"][0]["text"].as_str().unwrap().contains("too many calls"));
}

#[test]
fn ids_come_back_as_they_were_written() {
    let bench = Bench::shop();
    for id in [r#""a\"\u00e9""#, "0", "-7", "123456789012345678901234567890", r#""""#] {
        let body =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"hello"}}}}"#);
        let said = bench.send(&head("POST", "/mcp", &[]), body.as_bytes());
        assert!(said.body.starts_with(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result""#)), "{}", said.body);
    }
}

/// A future is moved when it is wrapped, and lives as long as its call: one that held what is rare (a connection that is being
/// opened, HTTP/2) once took a quarter of the instructions of a call.
#[test]
fn a_call_that_waits_is_small() {
    let bench = Bench::shop();
    let head = head("POST", "/mcp", &[]);
    let mut reply = Reply::default();
    let serving = bench.edge.serving();
    let route = bench.block_on(bench.edge.route(&serving, &head, &Peer::default(), &mut reply));
    let Route::Serve(request) = route else { panic!("not served") };
    let call = bench.edge.answer(&serving, &request, &head, b"{}", &mut reply);
    assert!(size_of_val(&call) <= 6 << 10, "{} bytes", size_of_val(&call));
}
