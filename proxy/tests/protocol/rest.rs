//! The REST forms: `GET /api/v1/mcp/tools`, `POST /api/v1/mcp/tools/call` (requirements A10, A11), `GET /mcp/tools`, `POST /mcp/invoke` and their error
//! types (B1 to B3).

use crate::support::{Bench, Said, head};
use mcp_edge::upstream::UpstreamError;
use serde_json::{Value, json};

fn invoke(bench: &Bench, body: &Value) -> Said {
    bench.send(&head("POST", "/mcp/invoke", &[]), body.to_string().as_bytes())
}

#[test]
fn the_gateway_lists_tools_with_their_parameters() {
    let said = Bench::shop().send(&head("GET", "/mcp/tools", &[]), b"");
    let tools = said.json()["tools"].clone();
    assert_eq!(tools.as_array().unwrap().len(), 5);
    let order = &tools[1];
    assert_eq!(order["name"], "get_order");
    assert_eq!(order["description"], "Returns one order of the demo shop by its id.");
    assert_eq!(order["parameters"]["properties"]["orderId"]["type"], "string");
    assert_eq!(order.as_object().unwrap().len(), 3);
}

#[test]
fn the_gateway_invokes_a_tool() {
    let bench = Bench::shop();
    let said = invoke(&bench, &json!({"tool_name": "get_order", "params": {"orderId": "42"}}));
    assert_eq!(said.status, 200);
    let expected = json!({"success": true, "result": {"content": [{"type": "text", "text": "{\"pens\":3}"}]}, "error": null});
    assert_eq!(said.json(), expected);
}

#[test]
fn every_failure_of_the_gateway_has_a_type_and_a_status() {
    let bench = Bench::shop();
    let call = json!({"tool_name": "get_order", "params": {"orderId": "1"}});
    let check = |said: Said, status: u16, error_type: &str, reason: &str| {
        let body = said.json();
        assert_eq!(said.status, status, "{body}");
        assert_eq!(body["success"], false);
        assert_eq!(body["error_type"], error_type, "{body}");
        assert_eq!(body["details"]["reason"], reason, "{body}");
        assert!(!body["error"].as_str().unwrap().is_empty());
    };
    let raw = |text: &str| bench.send(&head("POST", "/mcp/invoke", &[]), text.as_bytes());
    check(raw("{"), 400, "VALIDATION_ERROR", "not_json");
    check(raw("[]"), 400, "VALIDATION_ERROR", "invalid_request");
    check(raw(r#"{"tool_name":"a","tool_name":"b"}"#), 400, "VALIDATION_ERROR", "invalid_request");
    check(invoke(&bench, &json!({})), 400, "VALIDATION_ERROR", "invalid_params");
    check(
        invoke(&bench, &json!({"tool_name": "hello", "params": 1})),
        400,
        "VALIDATION_ERROR",
        "invalid_params",
    );
    check(invoke(&bench, &json!({"tool_name": "nope"})), 404, "TOOL_NOT_FOUND", "unknown_tool");
    check(
        invoke(&bench, &json!({"tool_name": "get_order"})),
        400,
        "PARAMETER_ERROR",
        "missing_path_parameter",
    );
    check(bench.send(&head("GET", "/mcp/invoke", &[]), b""), 405, "VALIDATION_ERROR", "method_not_allowed");
    bench.upstream(404, "application/json", "{}");
    check(invoke(&bench, &call), 500, "SERVICE_ERROR", "upstream_status");
    bench.upstream_fails(UpstreamError::Connect("refused".to_owned()));
    check(invoke(&bench, &call), 503, "SERVICE_ERROR", "upstream_connect");
    bench.upstream_fails(UpstreamError::Timeout(5));
    check(invoke(&bench, &call), 503, "SERVICE_ERROR", "upstream_timeout");
}

#[test]
fn the_api_lists_page_by_page() {
    let bench = Bench::shop();
    let list = |query: &str| bench.send(&head("GET", &format!("/api/v1/mcp/tools{query}"), &[]), b"");
    let all = list("?tenant_id=t1").json();
    assert_eq!((&all["page"], &all["limit"], &all["total"]), (&json!(1), &json!(50), &json!(5)));
    assert_eq!(all["tools"].as_array().unwrap().len(), 5);
    assert!(all["tools"][1]["inputSchema"].is_object());
    let second = list("?page=2&limit=2").json();
    assert_eq!(second["tools"][0]["name"], "hello");
    assert_eq!(second["tools"].as_array().unwrap().len(), 2);
    assert_eq!(list("?page=9").json()["tools"], json!([]));
    let wrong = list("?page=0");
    assert_eq!((wrong.status, &wrong.json()["error_type"]), (400, &json!("VALIDATION_ERROR")));
}

#[test]
fn the_api_calls_a_tool_and_gives_the_result_as_it_is() {
    let bench = Bench::shop();
    let call =
        |body: Value| bench.send(&head("POST", "/api/v1/mcp/tools/call", &[]), body.to_string().as_bytes());
    let said = call(json!({"name": "get_order", "arguments": {"orderId": "1"}}));
    let expected = json!({"content": [{"type": "text", "text": "{\"pens\":3}"}], "isError": false});
    assert_eq!((said.status, said.json()), (200, expected));
    let said = call(json!({"name": "get_order", "arguments": {}}));
    assert_eq!((said.status, &said.json()["isError"]), (200, &json!(true)));
    let said = call(json!({"name": "nope"}));
    assert_eq!((said.status, &said.json()["error_type"]), (404, &json!("TOOL_NOT_FOUND")));
}
