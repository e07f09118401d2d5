//! What is served where, decided from the head alone.

use crate::support::{Bench, head};
use serde_json::json;

#[test]
fn every_path_takes_its_methods_only() {
    let bench = Bench::shop();
    for (method, path, headers, status, allow) in [
        ("DELETE", "/mcp", &[][..], 405, Some("POST, GET")),
        ("PUT", "/mcp", &[], 405, Some("POST, GET")),
        ("HEAD", "/mcp", &[], 405, Some("POST, GET")),
        // GET opens a stream only for those who can read one, and the stateless revision has none.
        ("GET", "/mcp", &[], 405, Some("POST")),
        ("GET", "/mcp", &[("accept", "*/*")], 405, Some("POST")),
        (
            "GET",
            "/mcp",
            &[("accept", "text/event-stream"), ("mcp-protocol-version", "2026-07-28")],
            405,
            Some("POST"),
        ),
        ("GET", "/mcp", &[("accept", "text/event-stream")], 200, None),
        ("GET", "/sse", &[("accept", "text/event-stream")], 200, None),
        ("GET", "/sse", &[("accept", "text/html")], 406, None),
        ("POST", "/sse", &[], 405, Some("GET")),
        ("GET", "/messages", &[], 405, Some("POST")),
        ("POST", "/messages?session=x", &[], 404, None),
        ("GET", "/mcp/invoke", &[], 405, Some("POST")),
        ("POST", "/mcp/tools", &[], 405, Some("GET, HEAD")),
        ("POST", "/api/v1/mcp/tools", &[], 405, Some("GET, HEAD")),
        ("GET", "/api/v1/mcp/tools/call", &[], 405, Some("POST")),
        ("GET", "/", &[], 404, None),
        ("POST", "/mcp/", &[], 404, None),
        ("POST", "/mcp/shop/x", &[], 404, None),
        ("POST", "/mcpx", &[], 404, None),
        ("POST", "/mcp/nope", &[], 404, None),
        ("GET", "/sse/nope", &[("accept", "text/event-stream")], 404, None),
    ] {
        let said = bench.send(&head(method, path, headers), b"{}");
        assert_eq!((said.status, said.header("allow")), (status, allow), "{method} {path} {}", said.body);
    }
}

#[test]
fn only_json_is_taken() {
    let bench = Bench::shop();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    for (content_type, status) in [
        ("application/json", 200),
        ("application/json; charset=utf-8", 200),
        ("APPLICATION/JSON", 200),
        ("text/plain", 415),
        ("application/x-www-form-urlencoded", 415),
        ("application/jsonx", 415),
        ("", 415),
    ] {
        let said = bench.send(&head("POST", "/mcp", &[("content-type", content_type)]), body.as_bytes());
        assert_eq!(said.status, status, "{content_type}");
    }
}

#[test]
fn a_declared_length_beyond_the_limit_is_refused_unread() {
    let bench = Bench::shop();
    let said = bench.send(&head("POST", "/mcp", &[("content-length", "1048577")]), b"");
    assert_eq!((said.status, said.code()), (413, -32600));
}

#[test]
fn foreign_names_and_origins_are_turned_away() {
    let bench = Bench::shop();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string();
    let foreign = head("POST", "/mcp", &[("host", "evil.example")]);
    assert_eq!(bench.send(&foreign, body.as_bytes()).status, 421);
    let said = bench.send(&head("POST", "/mcp", &[("origin", "http://evil.example")]), body.as_bytes());
    assert_eq!((said.status, said.header("access-control-allow-origin")), (403, None));
    let said = bench.send(&head("POST", "/mcp", &[("origin", "http://localhost:3000")]), body.as_bytes());
    assert_eq!(
        (said.status, said.header("access-control-allow-origin")),
        (200, Some("http://localhost:3000"))
    );
}

#[test]
fn browsers_may_ask_first() {
    let bench = Bench::shop();
    let headers =
        [("origin", "http://localhost:3000"), ("access-control-request-headers", "mcp-param-region")];
    let said = bench.send(&head("OPTIONS", "/mcp", &headers), b"");
    assert_eq!(said.status, 204);
    assert_eq!(said.header("access-control-allow-methods"), Some("POST, GET"));
    assert_eq!(said.header("access-control-allow-headers"), Some("mcp-param-region"));
    assert_eq!(said.header("access-control-allow-origin"), Some("http://localhost:3000"));
}

#[test]
fn requests_that_are_turned_away_are_counted() {
    let bench = Bench::shop();
    bench.send(&head("POST", "/mcp", &[("origin", "http://evil.example")]), b"{}");
    bench.send(&head("GET", "/nowhere", &[]), b"");
    let metrics = bench.edge.metrics.encode();
    assert!(metrics.contains("mcp_edge_protocol_errors_total{code=\"-32600\"} 2"), "{metrics}");
}
