//! Every end of every message, through every interface, is observed exactly once.

use crate::support::{Bench, OTHER, SPEC, head, modern};
use mcp_edge::edge::Hooks;
use mcp_edge::observe::Observer;
use mcp_edge::observe::record::{AnswerRecord, CallRecord, Refusal};
use mcp_edge::request::facts::RequestFacts;
use mcp_edge::request::head::Head;
use mcp_edge::request::identity::{Authenticator, Caller, Identity, Peer, Verdict};
use mcp_edge::settings::AuditSettings;
use mcp_edge::telemetry::audit::Audit;
use mcp_edge::upstream::UpstreamError;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// One line for each observation, and the audit log of the same messages.
#[derive(Debug)]
struct Seen {
    lines: Mutex<Vec<String>>,
    folder: tempfile::TempDir,
    audit: Arc<Audit>,
    /// Lines of the log that were looked at.
    audited: Mutex<usize>,
}

impl Default for Seen {
    fn default() -> Seen {
        let folder = tempfile::tempdir().unwrap();
        let (file, flush) = (Some(folder.path().join("audit.jsonl")), Duration::from_secs(3600));
        let settings = AuditSettings { file, flush, ..AuditSettings::default() };
        let audit = Audit::start(&settings).unwrap().unwrap();
        Seen { lines: Mutex::default(), folder, audit, audited: Mutex::default() }
    }
}

impl Seen {
    fn add(&self, request: &RequestFacts<'_>, line: String) {
        let protocol = request.protocol.map_or("-", |version| version.as_str());
        let caller = request.caller.tenant().unwrap_or("nobody");
        self.lines.lock().unwrap().push(format!("{line} {protocol} {caller}"));
    }

    /// What was observed since the last time. Each call and each refusal of it has exactly one line in the audit log, and
    /// nothing else has any.
    fn take(&self) -> Vec<String> {
        let seen = std::mem::take(&mut *self.lines.lock().unwrap());
        self.audit.flush();
        let text = std::fs::read_to_string(self.folder.path().join("audit.jsonl")).unwrap();
        let mut audited = self.audited.lock().unwrap();
        let lines: Vec<String> = text.lines().skip(*audited).map(audit_line).collect();
        *audited += lines.len();
        let expected = seen.iter().filter(|line| line.starts_with("call ") || line.starts_with("refused "));
        assert_eq!(lines, expected.cloned().collect::<Vec<_>>());
        seen
    }
}

/// As the other observer tells it.
fn audit_line(line: &str) -> String {
    let line: Value = serde_json::from_str(line).unwrap();
    let text = |name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let or = |name: &str, other: &str| line[name].as_str().unwrap_or(other).to_owned();
    let reasons = line["reasons"].as_array().map(Vec::as_slice).unwrap_or_default();
    let reasons: Vec<&str> = reasons.iter().filter_map(Value::as_str).collect();
    let what = match text("event").as_str() {
        "call" => {
            assert_eq!((text("toolset"), text("arguments_sha256").len()), ("shop".to_owned(), 64));
            format!("call {} {} {}", text("tool"), text("outcome"), reasons.join("+"))
        }
        event => format!("{event} {} {}", text("reason"), line["status"]),
    };
    format!("{what} {} {}", or("protocol", "-"), or("tenant", "nobody"))
}

impl Observer for Seen {
    fn call(&self, record: &CallRecord<'_>) {
        let reasons: Vec<&str> = record.problems.iter().map(|problem| problem.kind.as_str()).collect();
        let outcome = record.outcome.as_str();
        assert_eq!(record.toolset(), Some("shop"));
        assert!(record.request.revision.is_some());
        self.add(&record.request, format!("call {} {outcome} {}", record.tool, reasons.join("+")));
    }

    fn refused(&self, refusal: &Refusal<'_>) {
        self.add(&refusal.request, format!("refused {} {}", refusal.failure.name(), refusal.status));
    }

    fn listed(&self, record: &AnswerRecord<'_>) {
        assert!(record.response_bytes > 0);
        self.add(&record.request, "listed".to_owned());
    }

    fn answered(&self, record: &AnswerRecord<'_>) {
        self.add(&record.request, format!("answered {:?}", record.kind));
    }
}

/// The tenant is what the request says it is.
#[derive(Debug)]
struct ByHeader;

impl Authenticator for ByHeader {
    fn authenticate<'a>(&'a self, head: &'a Head, _peer: &'a Peer) -> Verdict<'a> {
        let tenant = head.headers.first("x-tenant").map(|name| String::from_utf8_lossy(name).into_owned());
        let caller = move || {
            let Some(tenant) = tenant else { return Ok(Caller::Anonymous) };
            let principal = Some(format!("someone of {tenant}"));
            Ok(Caller::Known(Arc::new(Identity::new(Some(tenant), principal))))
        };
        // Both ways to say it.
        if head.method == http::Method::GET {
            Verdict::Ready(caller())
        } else {
            Verdict::Pending(Box::pin(async move { caller() }))
        }
    }
}

fn watched() -> (Bench, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let observers = vec![seen.clone() as Arc<dyn Observer>, seen.audit.clone()];
    let hooks = Hooks { authenticator: Some(Arc::new(ByHeader)), observers };
    let specs = [("shop.toml", SPEC), ("other.toml", OTHER)];
    (Bench::with_hooks(&specs, |settings| settings.limits.streams = 2, hooks), seen)
}

const V: &str = "2025-11-25";

fn rpc(id: u32, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

fn call(name: &str, arguments: Value) -> Value {
    rpc(1, "tools/call", json!({"name": name, "arguments": arguments}))
}

#[test]
fn every_message_of_mcp_is_observed_once() {
    let (bench, seen) = watched();
    let order = json!({"orderId": "1"});
    let sent = |body: Value| bench.post(&[("mcp-protocol-version", V)], &body);
    for (body, expected) in [
        (call("get_order", order.clone()), "call get_order ok  2025-11-25 nobody"),
        (call("hello", json!({})), "call hello ok  2025-11-25 nobody"),
        (
            call("get_order", json!({"orderId": 1, "x": 2})),
            "call get_order invalid_arguments unknown_argument+wrong_type 2025-11-25 nobody",
        ),
        (call("missing", json!({})), "refused unknown_tool 200 2025-11-25 nobody"),
        (rpc(1, "tools/call", json!({})), "refused invalid_params 200 2025-11-25 nobody"),
        (rpc(1, "tools/list", json!({})), "listed 2025-11-25 nobody"),
        (rpc(1, "tools/list", json!({"cursor": "x"})), "refused bad_cursor 200 2025-11-25 nobody"),
        (rpc(1, "tools/dance", json!({})), "refused unknown_method 200 2025-11-25 nobody"),
        (rpc(1, "ping", json!({})), "answered Ping 2025-11-25 nobody"),
        (rpc(1, "initialize", json!({"protocolVersion": V})), "answered Initialize 2025-11-25 nobody"),
        (rpc(1, "initialize", json!({})), "refused invalid_params 200 2025-11-25 nobody"),
        (json!({"jsonrpc": "2.0", "method": "notifications/initialized"}), "answered Notification - nobody"),
        (json!({"jsonrpc": "2.0", "id": 1, "result": {}}), "answered Notification - nobody"),
        (json!({"jsonrpc": "1.0", "id": 1, "method": "ping"}), "refused invalid_request 400 - nobody"),
        (json!(1), "refused invalid_request 400 - nobody"),
        (json!([]), "refused invalid_request 400 - nobody"),
        (json!([rpc(1, "ping", json!({}))]), "refused invalid_request 400 - nobody"),
    ] {
        sent(body.clone());
        let mut lines = seen.take();
        // The order of problems is the binder's.
        if let Some(line) = lines.first_mut() {
            *line = line.replace("wrong_type+unknown_argument", "unknown_argument+wrong_type");
        }
        assert_eq!(lines, [expected], "{body}");
    }
    bench.send(&head("POST", "/mcp", &[]), b"{");
    assert_eq!(seen.take(), ["refused not_json 400 - nobody"]);
    bench.upstream_fails(UpstreamError::Closed);
    sent(call("get_order", order));
    assert_eq!(seen.take(), ["call get_order upstream_failed  2025-11-25 nobody"]);
}

#[test]
fn every_stateless_message_is_observed_once() {
    let (bench, seen) = watched();
    for (method, params, expected) in [
        ("tools/call", json!({"name": "hello"}), "call hello ok  2026-07-28 nobody"),
        ("tools/call", json!({"name": "nope"}), "refused unknown_tool 200 2026-07-28 nobody"),
        ("tools/list", json!({}), "listed 2026-07-28 nobody"),
        ("server/discover", json!({}), "answered Discover 2026-07-28 nobody"),
        ("ping", json!({}), "refused unknown_method 404 2026-07-28 nobody"),
        ("subscriptions/listen", json!({"notifications": {}}), "answered Stream 2026-07-28 nobody"),
        ("subscriptions/listen", json!({}), "refused invalid_params 400 2026-07-28 nobody"),
    ] {
        drop(bench.modern(method, params));
        assert_eq!(seen.take(), [expected], "{method}");
    }
    let (mut headers, body) = modern("tools/list", json!({}));
    headers.retain(|(name, _)| *name != "mcp-method");
    let headers: Vec<(&str, &str)> = headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    bench.post(&headers, &body);
    assert_eq!(seen.take(), ["refused header_mismatch 400 2026-07-28 nobody"]);
}

#[test]
fn every_message_of_a_batch_is_observed_once() {
    let (bench, seen) = watched();
    let batch = json!([
        call("hello", json!({})),
        call("missing", json!({})),
        rpc(2, "initialize", json!({"protocolVersion": V})),
        {"jsonrpc": "2.0", "method": "notifications/x"},
        rpc(3, "tools/list", json!({})),
    ]);
    bench.post(&[("mcp-protocol-version", "2025-03-26")], &batch);
    assert_eq!(
        seen.take(),
        [
            "call hello ok  2025-03-26 nobody",
            "refused unknown_tool 200 2025-03-26 nobody",
            "refused invalid_request 400 - nobody",
            "answered Notification - nobody",
            "listed 2025-03-26 nobody",
        ]
    );
}

#[test]
fn messages_that_come_too_late_in_a_batch_are_observed_once() {
    let seen = Arc::new(Seen::default());
    let observers = vec![seen.clone() as Arc<dyn Observer>, seen.audit.clone()];
    let hooks = Hooks { observers, ..Hooks::default() };
    let bench =
        Bench::with_hooks(&[("shop.toml", SPEC)], |settings| settings.limits.response_body = 10, hooks);
    let mut batch: Vec<Value> = (0..4).map(|id| rpc(id, "ping", json!({}))).collect();
    batch.push(call("hello", json!({})));
    batch.push(json!({"jsonrpc": "2.0", "method": "notifications/x"}));
    bench.post(&[("mcp-protocol-version", "2025-03-26")], &json!(batch));
    let lines = seen.take();
    assert_eq!(lines.len(), 6);
    assert_eq!(
        lines.get(4..).unwrap(),
        ["refused batch_too_large 200 - nobody", "answered Notification - nobody"]
    );
}

#[test]
fn every_request_of_the_rest_forms_is_observed_once() {
    let (bench, seen) = watched();
    for (method, path, body, expected) in [
        ("GET", "/mcp/tools", "", "listed - acme"),
        ("GET", "/api/v1/mcp/tools?limit=1", "", "listed - acme"),
        ("GET", "/api/v1/mcp/tools?limit=0", "", "refused invalid_params 400 - acme"),
        ("POST", "/mcp/invoke", r#"{"tool_name":"hello"}"#, "call hello ok  - acme"),
        ("POST", "/mcp/invoke", r#"{"tool_name":"nope"}"#, "refused unknown_tool 404 - acme"),
        ("POST", "/mcp/invoke", "{", "refused not_json 400 - acme"),
        ("POST", "/api/v1/mcp/tools/call", r#"{"name":"hello"}"#, "call hello ok  - acme"),
        (
            "POST",
            "/api/v1/mcp/tools/call",
            r#"{"name":"get_order"}"#,
            "call get_order invalid_arguments missing_path_parameter - acme",
        ),
        ("POST", "/api/v1/mcp/tools/call", "[]", "refused invalid_request 400 - acme"),
        // Refused by the head alone, before anyone asks who it is.
        ("GET", "/mcp/invoke", "", "refused method_not_allowed 405 - nobody"),
        ("GET", "/nothing", "", "refused unknown_path 404 - nobody"),
        ("POST", "/mcp/nope", "{}", "refused unknown_toolset 404 - acme"),
    ] {
        bench.send(&head(method, path, &[("x-tenant", "acme")]), body.as_bytes());
        assert_eq!(seen.take(), [expected], "{method} {path} {body}");
    }
}

#[test]
fn every_message_of_a_session_is_observed_once_and_a_session_has_one_caller() {
    let (bench, seen) = watched();
    let events = ("accept", "text/event-stream");
    let mut stream = bench.send(&head("GET", "/sse", &[events, ("x-tenant", "acme")]), b"").stream.unwrap();
    assert_eq!(seen.take(), ["answered Stream - acme"]);
    let opening = String::from_utf8(stream.opening.clone()).unwrap();
    let path = opening.strip_prefix("event: endpoint\ndata: ").unwrap().trim_end().to_owned();
    let post = |tenant: &str, body: &str| {
        let headers = [("x-tenant", tenant)];
        let headers: &[(&str, &str)] = if tenant.is_empty() { &[] } else { &headers };
        bench.send(&head("POST", &path, headers), body.as_bytes()).status
    };
    let hello = call("hello", json!({})).to_string();
    for (body, expected) in [
        (hello.as_str(), "call hello ok  2024-11-05 acme"),
        (&call("missing", json!({})).to_string(), "refused unknown_tool 200 2024-11-05 acme"),
        (&rpc(1, "tools/list", json!({})).to_string(), "listed 2024-11-05 acme"),
        ("{", "refused not_json 400 - acme"),
        ("1", "refused invalid_request 400 - acme"),
    ] {
        assert_eq!(post("acme", body), 202);
        bench.block_on(stream.next()).unwrap();
        assert_eq!(seen.take(), [expected], "{body}");
    }
    // For another caller, and for one who does not say, there is no such session.
    for (tenant, line) in
        [("other", "refused unknown_session 404 - other"), ("", "refused unknown_session 404 - nobody")]
    {
        assert_eq!(post(tenant, &hello), 404);
        assert_eq!(seen.take(), [line]);
    }
}

#[test]
fn streams_are_observed_when_they_open_or_cannot() {
    let (bench, seen) = watched();
    let open = || bench.send(&head("GET", "/mcp", &[("accept", "text/event-stream")]), b"");
    let (_first, _second, third) = (open(), open(), open());
    assert!(third.stream.is_none());
    assert_eq!(
        seen.take(),
        ["answered Stream - nobody", "answered Stream - nobody", "refused too_many_streams 503 - nobody"]
    );
}

#[test]
fn only_those_who_see_a_change_hear_of_it() {
    let bench = Bench::shop();
    let open = |path| bench.send(&head("GET", path, &[("accept", "text/event-stream")]), b"").stream.unwrap();
    let (mut all, mut shop, mut other) = (open("/mcp"), open("/mcp/shop"), open("/mcp/other"));
    bench.activate(&[("shop.toml", SPEC), ("other.toml", &OTHER.replace("goodbye", "farewell"))]);
    bench.block_on(async {
        assert!(all.next().await.is_some());
        assert!(other.next().await.is_some());
        use futures::FutureExt;
        assert!(shop.next().now_or_never().is_none());
        assert!(all.next().now_or_never().is_none(), "each change is told once");
    });
}
