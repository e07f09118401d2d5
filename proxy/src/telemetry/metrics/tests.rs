use super::*;
use crate::limits::shared::NodeAddress;
use crate::observe::counts::Counts;
use crate::observe::record::tests::call_record;
use crate::observe::record::{AnswerKind, Outcome};
use crate::request::facts::RequestFacts;
use crate::request::failure::Failure;
use crate::request::head::Head;
use crate::request::id::RequestId;
use crate::request::identity::{Caller, Identity, Peer};
use crate::serving::in_flight::InFlight;
use crate::settings::SharedSettings;
use crate::upstream::credentials::TokenFetches;
use crate::upstream::mcp::server::Way;
use crate::upstream::mcp::servers::ServerKey;
use crate::upstream::mcp::{BoxFuture, Connection, Connector, McpCode, McpFailure};
use std::time::Duration;

/// Counts a call.
fn call(
    metrics: &Metrics,
    counts: &Counts,
    index: usize,
    outcome: Outcome,
    total: Duration,
    upstream: Duration,
) {
    metrics.call(&CallRecord { counts, index, total, upstream, ..call_record(&RequestId::Made(1), outcome) });
}

/// The value of the line that begins with `series`.
fn value(text: &str, series: &str) -> Option<f64> {
    let line =
        text.lines().find(|line| line.strip_prefix(series).is_some_and(|rest| rest.starts_with(' ')))?;
    line.rsplit(' ').next()?.parse().ok()
}

#[test]
fn calls_are_counted_by_tool_and_outcome() {
    let metrics = Metrics::default();
    let tools = metrics.calls().of(["get_order"].into_iter());
    for outcome in [Outcome::Ok, Outcome::Ok, Outcome::UpstreamTimeout] {
        call(&metrics, &tools, 0, outcome, Duration::from_millis(12), Duration::from_millis(10));
    }
    let text = metrics.encode();
    assert_eq!(value(&text, r#"mcp_edge_calls_total{tool="get_order",outcome="ok"}"#), Some(2.0), "{text}");
    assert_eq!(
        value(&text, r#"mcp_edge_calls_total{tool="get_order",outcome="upstream_timeout"}"#),
        Some(1.0)
    );
    assert!(!text.contains("outcome=\"overloaded\""), "what never happened has no line: {text}");
    assert!(text.ends_with("# EOF\n"));
}

#[test]
fn latency_is_split_into_upstream_and_proxy() {
    let metrics = Metrics::default();
    let tools = metrics.calls().of(["a"].into_iter());
    call(&metrics, &tools, 0, Outcome::Ok, Duration::from_millis(12), Duration::from_millis(10));
    call(&metrics, &tools, 0, Outcome::Ok, Duration::from_secs(60), Duration::ZERO);
    let text = metrics.encode();
    assert_eq!(value(&text, "mcp_edge_call_duration_seconds_sum"), Some(60.012));
    assert_eq!(value(&text, "mcp_edge_call_duration_seconds_count"), Some(2.0));
    assert_eq!(value(&text, "mcp_edge_call_upstream_duration_seconds_sum"), Some(0.01));
    assert_eq!(value(&text, "mcp_edge_call_proxy_duration_seconds_sum"), Some(60.002));
    let bucket =
        |bound: &str| value(&text, &format!("mcp_edge_call_duration_seconds_bucket{{le=\"{bound}\"}}"));
    assert_eq!(
        (bucket("0.01"), bucket("0.025"), bucket("30.0")),
        (Some(0.0), Some(1.0), Some(1.0)),
        "{text}"
    );
    assert_eq!(bucket("+Inf"), Some(2.0));
}

#[test]
fn a_tool_keeps_its_counters_over_bundles_until_it_is_gone() {
    let metrics = Metrics::default();
    let series = r#"mcp_edge_calls_total{tool="a",outcome="ok"}"#;
    let count = |tools: &Counts, tool| {
        call(&metrics, tools, tool, Outcome::Ok, Duration::ZERO, Duration::ZERO);
    };
    let first = metrics.calls().of(["a", "b"].into_iter());
    metrics.activated(&"r1", ["a", "b"].into_iter(), 3);
    count(&first, 0);
    // The next one has it elsewhere; both are called for a while, from several threads.
    let second = metrics.calls().of(["0", "a", "b"].into_iter());
    std::thread::scope(|scope| {
        scope.spawn(|| count(&first, 0));
        scope.spawn(|| count(&second, 1));
    });
    count(&second, 1);
    assert_eq!(value(&metrics.encode(), series), Some(4.0));
    drop(first);
    assert_eq!(value(&metrics.encode(), series), Some(4.0));
    count(&second, 1);
    count(&second, 7);
    drop(second);
    assert_eq!(value(&metrics.encode(), series), Some(5.0));
    metrics.activated(&"r2", ["b"].into_iter(), 0);
    let text = metrics.encode();
    assert!(!text.contains(r#"tool="a""#), "{text}");
    assert_eq!(value(&text, r#"mcp_edge_bundle_info{revision="r2"}"#), Some(1.0), "{text}");
    assert_eq!(value(&text, "mcp_edge_tools"), Some(1.0));
    assert_eq!(value(&text, "mcp_edge_activations_total"), Some(2.0));
}

#[test]
fn the_rest_is_counted_too() {
    let metrics = Metrics::default();
    let request = call_record(&RequestId::Made(1), Outcome::Ok).request;
    metrics.listed(&AnswerRecord { request, kind: AnswerKind::List, response_bytes: 2 });
    let failure = &Failure::UnknownMethod("x".to_owned());
    metrics.refused(&Refusal { request, head: &Head::default(), failure, status: 404 });
    metrics.activation_failed();
    let in_flight = Arc::new(InFlight::default());
    let seen = Arc::clone(&in_flight);
    metrics.observe_gauges(move || Gauges {
        calls_in_flight: seen.count(),
        streams: 2,
        pool: Some(PoolStats { idle: 3, opened: 5, reused: 8, failed: 2 }),
    });
    let stats = AuditStats { queued: 7, written: 6, dropped: 5, failed: 4, flushes: 3, is_failing: true };
    metrics.observe_audit(move || stats);
    metrics.activated(&"r1", ["a"].into_iter(), 9);
    let guard = in_flight.enter(10);
    let text = metrics.encode();
    for (series, wanted) in [
        ("mcp_edge_lists_total", 1.0),
        (r#"mcp_edge_protocol_errors_total{code="-32601"}"#, 1.0),
        (r#"mcp_edge_protocol_errors_total{code="other"}"#, 0.0),
        ("mcp_edge_failed_activations_total", 1.0),
        ("mcp_edge_pool_idle", 3.0),
        ("mcp_edge_pool_opened_total", 5.0),
        ("mcp_edge_pool_reused_total", 8.0),
        ("mcp_edge_calls_in_flight", 1.0),
        ("mcp_edge_streams", 2.0),
        ("mcp_edge_templates", 9.0),
        ("mcp_edge_audit_queue_bytes", 7.0),
        ("mcp_edge_audit_written_total", 6.0),
        ("mcp_edge_audit_dropped_total", 5.0),
        ("mcp_edge_audit_failed_writes_total", 4.0),
        ("mcp_edge_audit_flushes_total", 3.0),
        ("mcp_edge_audit_failing", 1.0),
    ] {
        assert_eq!(value(&text, series), Some(wanted), "{series} in {text}");
    }
    drop(guard);
    assert_eq!(value(&metrics.encode(), "mcp_edge_calls_in_flight"), Some(0.0));
}

#[test]
fn binding_and_rendering_are_measured_where_a_call_was() {
    let metrics = Metrics::default();
    let id = RequestId::Made(1);
    metrics.call(&call_record(&id, Outcome::Ok));
    let (bind, render) = (Some(Duration::from_nanos(1_500)), Some(Duration::from_secs(1)));
    metrics.call(&CallRecord { bind, render, ..call_record(&id, Outcome::Ok) });
    let text = metrics.encode();
    for (series, wanted) in [
        ("mcp_edge_call_duration_seconds_count", 2.0),
        ("mcp_edge_call_bind_duration_seconds_count", 1.0),
        ("mcp_edge_call_bind_duration_seconds_sum", 1.5e-6),
        (r#"mcp_edge_call_bind_duration_seconds_bucket{le="0.000001"}"#, 0.0),
        (r#"mcp_edge_call_bind_duration_seconds_bucket{le="0.000002"}"#, 1.0),
        (r#"mcp_edge_call_render_duration_seconds_bucket{le="0.1"}"#, 0.0),
        (r#"mcp_edge_call_render_duration_seconds_bucket{le="+Inf"}"#, 1.0),
    ] {
        assert_eq!(value(&text, series), Some(wanted), "{series} in {text}");
    }
}

/// The names in a text: `mcp_edge_…`, without what a histogram's series add.
fn names(text: &str) -> std::collections::BTreeSet<String> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let names = words.filter(|word| word.starts_with("mcp_edge_"));
    names.map(|name| name.trim_end_matches("_bucket").to_owned()).collect()
}

/// A server that is never there.
#[derive(Debug)]
struct Down;

impl Connector for Down {
    fn connect(&self) -> BoxFuture<'_, Result<Arc<dyn Connection>, McpFailure>> {
        Box::pin(async { Err(McpFailure::new(McpCode::Unreachable, "down")) })
    }
}

#[test]
fn the_dashboard_the_alerts_and_the_docs_name_metrics_that_exist() {
    let metrics = Metrics::default();
    let tools = metrics.calls().of(["a"].into_iter());
    call(&metrics, &tools, 0, Outcome::Ok, Duration::ZERO, Duration::ZERO);
    metrics.observe_gauges(|| Gauges { pool: Some(PoolStats::default()), ..Gauges::default() });
    metrics.observe_audit(AuditStats::default);
    let issuer = "https://id.example".to_owned();
    metrics.observe_issuers(move || vec![IssuerStats { issuer: issuer.clone(), fetched: 1, failed: 0 }]);
    metrics.source_is(Some(SourceFacts::default()));
    let tokens = TokenFetches::default();
    tokens.add("crm", "ok");
    metrics.observe_tokens(tokens);
    let servers = Servers::default();
    let key = ServerKey { name: "wiki".to_owned(), parts: Vec::new() };
    let _wiki = servers.get(key, || Way::Channel(Arc::new(Down)));
    metrics.observe_servers(servers);
    let limiter = Arc::<Limiter>::default();
    let _gate = limiter.gates.gate(&("api".to_owned(), "https://api.example".to_owned()), None, None);
    // A store of shared limits that is away.
    let store = SharedSettings {
        nodes: vec![NodeAddress::parse("redis://127.0.0.1:1").unwrap()],
        is_cluster: false,
        sentinel_service: None,
        username: None,
        password: None,
        sentinel_username: None,
        sentinel_password: None,
        prefix: SharedSettings::PREFIX.to_owned(),
        edges: 1,
    };
    limiter.shared.follow(Some(&store.address(&|_| None, None).unwrap()));
    metrics.observe_limits(&limiter, &Arc::new(AnswerCache::new(0)));
    metrics.activated(&"r1", ["a"].into_iter(), 0);
    of_tenants(&metrics, &["acme"], 1);
    refuse(&metrics, "acme");
    let text = metrics.encode();
    let series = |line: &str| line.split(['{', ' ']).next().unwrap_or_default().to_owned();
    let known: Vec<String> = text.lines().filter(|line| !line.starts_with('#')).map(series).collect();
    let is_known = |name: &str| {
        let is_histogram = || known.iter().any(|series| series.strip_suffix("_bucket") == Some(name));
        known.iter().any(|series| series == name) || is_histogram()
    };
    for (file, text) in [
        ("grafana.json", include_str!("../../../../docs/operations/grafana.json")),
        ("alerts.yaml", include_str!("../../../../docs/operations/alerts.yaml")),
        ("OPERATIONS.md", include_str!("../../../../docs/OPERATIONS.md")),
    ] {
        let names = names(text);
        assert!(!names.is_empty(), "{file}");
        for name in names {
            assert!(is_known(&name), "{file} names `{name}`, which is not in\n{text}");
        }
    }
    // And the other way round: each has its row.
    let docs = names(include_str!("../../../../docs/OPERATIONS.md"));
    for name in known {
        let base = name.trim_end_matches("_bucket").trim_end_matches("_sum").trim_end_matches("_count");
        assert!(docs.contains(base), "`{base}` is not in docs/OPERATIONS.md");
    }
    let board = include_str!("../../../../docs/operations/grafana.json");
    serde_json::from_str::<serde_json::Value>(board).unwrap();
    for part in ["mcp_edge_source_", "mcp_edge_shared_"] {
        assert!(board.contains(part), "no panel has {part}");
    }
}

/// Each tenant makes one call more than the one before.
fn of_tenants(metrics: &Metrics, names: &[&str], most_labels: usize) {
    metrics.knows_tenants(names.iter().copied(), most_labels);
    let counts = metrics.tenant_calls().of(names.iter().copied());
    for (index, _) in names.iter().enumerate() {
        for _ in 0..=index {
            let record = call_record(&RequestId::Made(1), Outcome::Ok);
            metrics.call(&CallRecord { tenant_counts: Some((&counts, index)), ..record });
        }
    }
}

fn refuse(metrics: &Metrics, tenant: &str) {
    let caller = Caller::Known(Arc::new(Identity::new(Some(tenant.to_owned()), None)));
    let (request_id, peer) = (&RequestId::Made(1), &Peer::default());
    let (toolset, revision, protocol) = (None, None, None);
    let request = RequestFacts { request_id, caller: &caller, peer, toolset, revision, protocol };
    metrics.refused(&Refusal { request, head: &Head::default(), failure: &Failure::NotReady, status: 503 });
}

#[test]
fn the_first_tenants_that_call_have_labels_and_keep_them() {
    let metrics = Metrics::default();
    let calls = |text: &str, tenant: &str| {
        value(text, &format!("mcp_edge_tenant_calls_total{{tenant=\"{tenant}\",outcome=\"ok\"}}"))
    };
    let refused = |text: &str, tenant: &str| {
        value(text, &format!("mcp_edge_tenant_refused_total{{tenant=\"{tenant}\"}}"))
    };
    metrics.knows_tenants(["a", "b", "c"].into_iter(), 2);
    refuse(&metrics, "c");
    // Nobody's, or of someone who was made up.
    refuse(&metrics, "made-up");
    assert_eq!(refused(&metrics.encode(), "c"), Some(1.0));
    of_tenants(&metrics, &["a", "b", "c"], 2);
    let text = metrics.encode();
    let seen = ["a", "b", "c", "other"].map(|tenant| calls(&text, tenant));
    assert_eq!(seen, [Some(1.0), None, Some(3.0), Some(2.0)], "{text}");
    assert!(!text.contains("made-up"));

    // One leaves, and another has its place.
    of_tenants(&metrics, &["b", "c", "d"], 2);
    let text = metrics.encode();
    let seen = ["a", "b", "c", "d", "other"].map(|tenant| calls(&text, tenant));
    assert_eq!(seen, [None, Some(3.0), Some(5.0), None, Some(3.0)], "{text}");
    assert_eq!(refused(&text, "c"), Some(1.0));
}

#[test]
fn ten_thousand_tenants_have_no_more_series_than_the_limit() {
    let metrics = Metrics::default();
    let names: Vec<String> = (0..10_000).map(|index| format!("t{index}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    metrics.knows_tenants(names.iter().copied(), 100);
    let counts = metrics.tenant_calls().of(names.iter().copied());
    for index in 0..names.len() {
        let record = call_record(&RequestId::Made(1), Outcome::Ok);
        metrics.call(&CallRecord { tenant_counts: Some((&counts, index)), ..record });
    }
    let text = metrics.encode();
    assert_eq!(text.lines().filter(|line| line.starts_with("mcp_edge_tenant_calls_total{")).count(), 101);
    assert_eq!(value(&text, r#"mcp_edge_tenant_calls_total{tenant="other",outcome="ok"}"#), Some(9_900.0));
    metrics.knows_tenants(names.iter().copied(), 0);
    assert!(!metrics.encode().contains("tenant"));
}
