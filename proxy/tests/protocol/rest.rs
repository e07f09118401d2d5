//! The REST forms: `GET /api/v1/mcp/tools` and `POST /api/v1/mcp/tools/call` (requirements A10, A11),
//! `GET /mcp/tools` and `POST /mcp/invoke` (B1, B2, B5), their error types (B3), raw responses (A8) and
//! kinds of problems (A18).

use crate::support::{Bench, SPEC, Said, head};
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
    let mut body = said.json();
    assert!(body.as_object_mut().unwrap().remove("processing_time_ms").unwrap().is_u64());
    let result = json!({"content": [{"type": "text", "text": "{\"pens\":3}"}]});
    assert_eq!(body, json!({"success": true, "result": result, "error": null}));
}

#[test]
fn the_gateways_result_is_the_structured_content_where_there_is_one() {
    let bench = Bench::shop();
    let body = invoke(&bench, &json!({"tool_name": "stock"})).json();
    assert_eq!((&body["result"], &body["error"]), (&json!({"pens": 3}), &Value::Null), "{body}");
    assert!(body["processing_time_ms"].is_u64());
}

#[test]
fn the_gateway_lists_every_problem_with_its_kind() {
    let bench = Bench::shop();
    let said = invoke(&bench, &json!({"tool_name": "routed", "params": {"region": 1, "limit": "x", "y": 2}}));
    let details = said.json()["details"].clone();
    let problems = details["problems"].as_array().unwrap();
    let mut found: Vec<(&str, &str)> = problems
        .iter()
        .map(|problem| (problem["kind"].as_str().unwrap(), problem["parameter"].as_str().unwrap()))
        .collect();
    found.sort_unstable();
    assert_eq!(found, [("unknown_argument", "y"), ("wrong_type", "limit"), ("wrong_type", "region")]);
    assert!(problems.iter().all(|problem| !problem["message"].as_str().unwrap().is_empty()));
    let many: serde_json::Map<_, _> = (0..30).map(|number| (format!("x{number}"), json!(0))).collect();
    let said = invoke(&bench, &json!({"tool_name": "routed", "params": many}));
    assert_eq!(said.json()["details"]["omitted"], 10, "{}", said.body);
}

#[test]
fn a_response_that_cannot_be_rendered_is_in_the_details() {
    let spec = SPEC.replace(
        "endpoint = \"/orders/{orderId}\"\n",
        "endpoint = \"/orders/{orderId}\"\nresponse_template = \"{{ index .items 0 }}\"\n",
    );
    let bench = Bench::new(&[("shop.toml", &spec)]);
    bench.upstream(200, "application/json", r#"{"items":[]}"#);
    let said = invoke(&bench, &json!({"tool_name": "get_order", "params": {"orderId": "1"}}));
    let body = said.json();
    assert_eq!((said.status, &body["error_type"]), (500, &json!("SERVICE_ERROR")));
    assert_eq!(
        body["details"],
        json!({"reason": "template_render", "upstream_status": 200, "raw_response": "{\"items\":[]}"})
    );
    let call = json!({"name": "get_order", "arguments": {"orderId": "1"}}).to_string();
    let result = bench.send(&head("POST", "/api/v1/mcp/tools/call", &[]), call.as_bytes()).json();
    assert_eq!((&result["content"][0]["text"], &result["isError"]), (&body["error"], &json!(true)));
    assert_eq!(result["content"][1]["text"], "{\"items\":[]}");
    assert_eq!(result["_meta"]["mcp-edge/error"]["reason"], "template_render");
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
        assert!(body["user_message"].as_str().unwrap().ends_with('.'), "{body}");
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
    for status in [404, 429, 500, 501] {
        bench.upstream(status, "application/json", "{}");
        check(invoke(&bench, &call), 500, "SERVICE_ERROR", "upstream_status");
    }
    for status in [502, 503, 504] {
        bench.upstream(status, "application/json", "{}");
        check(invoke(&bench, &call), 503, "SERVICE_ERROR", "upstream_status");
    }
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
