//! Requests that cannot be served, as each interface and the metrics report them.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use mcp_edge::edge::Hooks;
use mcp_edge::request::failure::Failure;
use mcp_edge::request::head::Head;
use mcp_edge::request::identity::{Authenticator, Caller, Peer, Verdict};
use mcpc_tests::{World, call, get, legacy, modern, post, spec};
use serde_json::json;
use std::sync::Arc;

/// How a request is refused: by MCP with a status and a code, by REST with a status and a type.
struct Refused {
    failure: Failure,
    mcp: Option<(Vec<u8>, u16, i64)>,
    rest: Option<(Vec<u8>, u16, &'static str)>,
}

/// A variant without a row does not compile, and one that no row of [`refusals`] provokes fails the test.
fn number(failure: &Failure) -> usize {
    match failure {
        Failure::NotJson(_) => 0,
        Failure::InvalidRequest(_) => 1,
        Failure::InvalidParams(_) => 2,
        Failure::UnknownMethod(_) => 3,
        Failure::UnknownTool(_) => 4,
        Failure::BadCursor => 5,
        Failure::HeaderMismatch(_) => 6,
        Failure::UnsupportedVersion(_) => 7,
        Failure::NotAcceptable(_) => 8,
        Failure::TooManyStreams => 9,
        Failure::NotReady => 10,
        Failure::BodyTooLarge(_) => 11,
        Failure::UnsupportedMediaType => 12,
        Failure::ForbiddenOrigin => 13,
        Failure::MisdirectedHost => 14,
        Failure::UnknownPath => 15,
        Failure::MethodNotAllowed(_) => 16,
        Failure::UnknownToolset(_) => 17,
        Failure::BatchTooLarge => 18,
        Failure::Unauthenticated { .. } => 19,
        Failure::Forbidden { .. } => 20,
        Failure::TooManyRequests { .. } => 21,
        Failure::UnknownSession => 22,
        Failure::SessionBusy => 23,
        Failure::AuditFull => 24,
        Failure::CredentialInQuery => 25,
        Failure::Overloaded => 26,
        Failure::IssuerUnavailable => 27,
    }
}

/// A good call with one word replaced.
fn with(from: &str, to: &str) -> Vec<u8> {
    let request = String::from_utf8(call("fixed", json!({}))).unwrap();
    assert!(request.contains(from));
    let (head, body) = request.split_once("\r\n\r\n").unwrap();
    let (head, body) = (head.replace(from, to), body.replace(from, to));
    let length = format!("content-length: {}", body.len());
    let head: Vec<&str> =
        head.lines().map(|line| if line.starts_with("content-length") { &length } else { line }).collect();
    format!("{}\r\n\r\n{body}", head.join("\r\n")).into_bytes()
}

fn invoke(body: &str) -> Vec<u8> {
    post("/mcp/invoke", &[], body)
}

/// Provoked at an edge that takes 1000 bytes and no event streams.
fn refusals() -> Vec<Refused> {
    const VALIDATION: &str = "VALIDATION_ERROR";
    let row = |failure, mcp, rest| Refused { failure, mcp, rest };
    let origin = &[("origin", "https://evil.example")][..];
    let text = &[("content-type", "text/plain")][..];
    let large = "x".repeat(1001);
    let no_host = |request: Vec<u8>| {
        String::from_utf8(request).unwrap().replace("host: localhost", "host: evil.example").into_bytes()
    };
    vec![
        row(
            Failure::NotJson(String::new()),
            Some((post("/mcp", &[], "{"), 400, -32700)),
            Some((invoke("{"), 400, VALIDATION)),
        ),
        row(
            Failure::InvalidRequest(""),
            Some((post("/mcp", &[], "1"), 400, -32600)),
            Some((invoke("[]"), 400, VALIDATION)),
        ),
        row(
            Failure::InvalidParams("".into()),
            Some((modern("tools/call", json!({"arguments": {}})), 400, -32602)),
            Some((invoke("{}"), 400, VALIDATION)),
        ),
        row(
            Failure::UnknownMethod(String::new()),
            Some((modern("tools/dance", json!({})), 404, -32601)),
            None,
        ),
        row(
            Failure::UnknownTool(String::new()),
            Some((call("missing", json!({})), 200, -32602)),
            Some((invoke(r#"{"tool_name":"missing"}"#), 404, "TOOL_NOT_FOUND")),
        ),
        row(Failure::BadCursor, Some((modern("tools/list", json!({"cursor": "x"})), 200, -32602)), None),
        row(
            Failure::HeaderMismatch(String::new()),
            Some((with("mcp-name: fixed", "mcp-name: other"), 400, -32020)),
            None,
        ),
        row(
            Failure::UnsupportedVersion(String::new()),
            Some((with("2026-07-28", "v999"), 400, -32022)),
            None,
        ),
        row(
            Failure::NotAcceptable(""),
            Some((get("/sse", &[("accept", "application/json")]), 406, -32600)),
            None,
        ),
        row(
            Failure::TooManyStreams,
            Some((modern("subscriptions/listen", json!({"notifications": {}})), 200, -32603)),
            None,
        ),
        row(
            Failure::BodyTooLarge(0),
            Some((post("/mcp", &[], &large), 413, -32600)),
            Some((invoke(&large), 413, VALIDATION)),
        ),
        row(
            Failure::UnsupportedMediaType,
            Some((post("/mcp", text, "{}"), 415, -32600)),
            Some((post("/mcp/invoke", text, "{}"), 415, VALIDATION)),
        ),
        row(
            Failure::ForbiddenOrigin,
            Some((post("/mcp", origin, "{}"), 403, -32600)),
            Some((post("/mcp/invoke", origin, "{}"), 403, VALIDATION)),
        ),
        row(
            Failure::MisdirectedHost,
            Some((no_host(post("/mcp", &[], "{}")), 421, -32600)),
            Some((no_host(invoke("{}")), 421, VALIDATION)),
        ),
        row(
            Failure::UnknownPath,
            Some((get("/", &[]), 404, -32600)),
            Some((get("/api/v2", &[]), 404, VALIDATION)),
        ),
        row(
            Failure::MethodNotAllowed(""),
            Some((get("/mcp", &[]), 405, -32600)),
            Some((get("/mcp/invoke", &[]), 405, VALIDATION)),
        ),
        row(Failure::UnknownToolset(String::new()), Some((post("/mcp/nope", &[], "{}"), 404, -32600)), None),
        // An element of a batch among others: `proxy/tests/protocol/legacy.rs`.
        row(Failure::BatchTooLarge, None, None),
        row(
            Failure::Unauthenticated { challenge: String::new(), reason: "" },
            Some((get("/sse", &[("x-test", "401"), ("accept", "text/event-stream")]), 401, -32600)),
            Some((post("/mcp/invoke", &[("x-test", "401")], "{}"), 401, VALIDATION)),
        ),
        row(
            Failure::Forbidden { challenge: String::new(), reason: "" },
            Some((post("/mcp", &[("x-test", "403")], "{}"), 403, -32600)),
            Some((post("/mcp/invoke", &[("x-test", "403")], "{}"), 403, VALIDATION)),
        ),
        row(
            Failure::TooManyRequests { retry_after_seconds: 7 },
            Some((post("/mcp", &[("x-test", "429")], "{}"), 429, -32603)),
            Some((post("/mcp/invoke", &[("x-test", "429")], "{}"), 429, "SERVICE_ERROR")),
        ),
        row(Failure::UnknownSession, Some((post("/messages?session=nope", &[], "{}"), 404, -32600)), None),
        // A session that is full: `proxy/tests/protocol/streams.rs`.
        row(Failure::SessionBusy, None, None),
        // A log that nobody reads: `proxy/tests/command/audit/`.
        row(Failure::AuditFull, None, None),
        row(
            Failure::CredentialInQuery,
            Some((post("/mcp", &[("x-test", "400")], "{}"), 400, -32600)),
            Some((post("/mcp/invoke", &[("x-test", "400")], "{}"), 400, VALIDATION)),
        ),
        row(
            Failure::IssuerUnavailable,
            Some((post("/mcp", &[("x-test", "503")], "{}"), 503, -32603)),
            Some((post("/mcp/invoke", &[("x-test", "503")], "{}"), 503, "SERVICE_ERROR")),
        ),
        // While others hold all bytes: `tests/tests/edge_limits.rs`.
        row(Failure::Overloaded, None, None),
        // Before the first bundle.
        row(
            Failure::NotReady,
            Some((call("fixed", json!({})), 503, -32603)),
            Some((invoke("{}"), 503, "SERVICE_ERROR")),
        ),
    ]
}

/// Refuses who asks to be refused.
#[derive(Debug)]
struct AsAsked;

impl Authenticator for AsAsked {
    fn authenticate<'a>(&'a self, head: &'a Head, _peer: &'a Peer) -> Verdict<'a> {
        let challenge = "bearer resource_metadata=\"https://tools.example/x\"".to_owned();
        Verdict::Ready(match head.headers.first("x-test") {
            Some(b"400") => Err(Failure::CredentialInQuery),
            Some(b"401") => Err(Failure::Unauthenticated { challenge, reason: "no" }),
            Some(b"403") => Err(Failure::Forbidden { challenge, reason: "no" }),
            Some(b"429") => Err(Failure::TooManyRequests { retry_after_seconds: 7 }),
            Some(b"503") => Err(Failure::IssuerUnavailable),
            _ => Ok(Caller::Anonymous),
        })
    }
}

#[test]
fn a_refusal_says_what_to_do_in_a_header() {
    let world = World::with_hooks(&spec(&[("fixed", "respond = \"Hello.\"")]), hooks());
    for (asked, header, value) in [
        ("401", "www-authenticate", "bearer resource_metadata=\"https://tools.example/x\""),
        ("403", "www-authenticate", "bearer resource_metadata=\"https://tools.example/x\""),
        ("429", "retry-after", "7"),
        ("503", "retry-after", "1"),
    ] {
        for path in ["/mcp", "/mcp/invoke"] {
            let said = world.ask(post(path, &[("x-test", asked)], "{}"));
            assert_eq!((said.status.to_string().as_str(), said.header(header)), (asked, Some(value)));
        }
    }
}

#[test]
fn an_unknown_caller_is_answered_before_the_body_is_sent() {
    let world = World::with_hooks(&spec(&[("fixed", "respond = \"Hello.\"")]), hooks());
    let head = "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                x-test: 401\r\ncontent-length: 1000\r\n\r\n";
    let said = world.ask(head);
    assert_eq!((said.status, said.code()), (401, -32600));
}

fn hooks() -> Hooks {
    Hooks { authenticator: Some(Arc::new(AsAsked)), ..Hooks::default() }
}

#[test]
fn every_refusal_has_a_status_a_code_and_a_count() {
    let change = |settings: &mut mcp_edge::settings::Settings| {
        settings.limits.request_body = 1000;
        settings.limits.streams = 0;
    };
    let ready = World::empty_with_hooks(None, change, hooks());
    ready.activate(&spec(&[("fixed", "respond = \"Hello.\"")]));
    let empty = World::empty(None, change);
    let mut seen = Vec::new();
    for Refused { failure, mcp, rest } in refusals() {
        let name = failure.name();
        let world = if failure == Failure::NotReady { &empty } else { &ready };
        let count = |code: i64| world.metric(&format!("mcp_edge_protocol_errors_total{{code=\"{code}\"}}"));
        let code = i64::from(failure.code());
        let before = count(code);
        let named = || world.metric(&format!("mcp_edge_refused_total{{reason=\"{name}\"}}"));
        let named_before = named();
        if let Some((request, status, expected)) = &mcp {
            let said = world.ask(request);
            assert_eq!(
                (said.status, said.code(), code),
                (*status, *expected, *expected),
                "{name}: {}",
                said.body
            );
            assert_eq!(count(code), before + 1, "{name}");
        }
        if let Some((request, status, error_type)) = &rest {
            let said = world.ask(request);
            let body = said.json();
            assert_eq!((said.status, &body["success"]), (*status, &json!(false)), "{name}: {body}");
            assert_eq!((&body["error_type"], &body["details"]["reason"]), (&json!(error_type), &json!(name)));
        }
        let asked = u64::from(mcp.is_some()) + u64::from(rest.is_some());
        assert_eq!(named(), named_before + asked, "{name}");
        assert!(Failure::NAMES.contains(&name), "{name}");
        seen.push(number(&failure));
    }
    seen.sort_unstable();
    assert_eq!(seen, (0..=27).collect::<Vec<_>>());
    // Clients with a handshake take other statuses than 200 for a broken transport.
    for (request, code) in [
        (legacy("tools/dance", &json!({})), -32601),
        (legacy("tools/call", &json!({"name": "missing"})), -32602),
        (legacy("tools/call", &json!({})), -32602),
    ] {
        let said = ready.ask(request);
        assert_eq!((said.status, said.code()), (200, code));
    }
}
