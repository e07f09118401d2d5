//! Whole lines of the log, as a process writes them.

use mcpc_tests::{Client, Upstream, build, call, json, mcp_edge};
use serde_json::{Value, json};

const SPEC: &str = r#"
[upstream.api]
url = "UPSTREAM"

[[tool]]
name = "order"
description = "Does what the test asks for."
upstream = "api"
method = "GET"
endpoint = "/order"
response_template = """
Order {{ .id }}
{{ index .items 5 }}"""
"#;

/// A16: the line of a call says where and why rendering failed, and nothing of the response.
#[test]
fn a_render_error_is_in_the_line_of_its_call() {
    let folder = tempfile::tempdir().unwrap();
    let upstream = Upstream::start();
    upstream.always_answers(json(r#"{"id":"hunter2","items":["hunter3"]}"#));
    let bundle = folder.path().join("orders.mcpk");
    build(&SPEC.replace("UPSTREAM", &format!("http://{}", upstream.address)), &bundle);
    let bundle = bundle.display().to_string();
    let mut edge = mcp_edge([&bundle, "--listen", "127.0.0.1:0", "--admin", "off", "--log-format", "json"]);
    let mut client = Client::connect(edge.address());
    let called = client.ask(call("order", json!({})));
    assert!(called.is_error() && called.body.contains("hunter2"), "{}", called.body);
    // The end writes what is left.
    drop(client);
    edge.signal("TERM");
    edge.exit();
    let log = edge.log();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains("\"tool\":\"order\"")).collect();
    let [line] = lines.as_slice() else { panic!("one line for one call: {log}") };
    let mut line: Value = serde_json::from_str(line).unwrap();
    let members = line.as_object_mut().unwrap();
    // These differ from run to run.
    for name in ["timestamp", "request_id", "peer", "revision", "total_us", "upstream_us", "response_bytes"] {
        assert!(members.remove(name).is_some(), "{name} in {log}");
    }
    let error = "response_template: line 2, column 4: `index`: … is out of range, the list has … element";
    let expected = json!({
        "level": "WARN", "message": "call", "target": "mcp_edge::call",
        "tool": "order", "toolset": "orders", "protocol": "2026-07-28",
        "outcome": "unusable_answer", "reason": "template_render", "error": error,
        "upstream": upstream.address.to_string(), "upstream_status": 200, "attempts": 1, "request_bytes": 2,
    });
    assert_eq!(line, expected);
    assert!(!log.contains("hunter"), "{log}");
}
