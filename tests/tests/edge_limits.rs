//! Every limit on calls, met: what a model reads, what programs read, and what is counted.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "what fails here fails the test")]

use mcp_edge::edge::Hooks;
use mcp_edge::limits::{CallerLimits, Rate, bucket};
use mcp_edge::request::failure::Failure;
use mcp_edge::request::head::Head;
use mcp_edge::request::identity::{Authenticator, Caller, Identity, Peer, Verdict};
use mcpc_tests::{Answer, World, answer, call, get, json, legacy, modern, post, raw, spec};
use serde_json::json;
use std::sync::Arc;

const GET: &str = "method = \"GET\"\nendpoint = \"/x\"";

/// Whoever says its name is it; names of tenants have limits.
#[derive(Debug)]
struct ByName;

impl Authenticator for ByName {
    fn authenticate<'a>(&'a self, head: &'a Head, _peer: &'a Peer) -> Verdict<'a> {
        let name = head.headers.one("x-name").ok().flatten().unwrap_or_default();
        let name = String::from_utf8_lossy(name).into_owned();
        let rarely = Some(Rate::new(1, 3600, 1));
        let limits = match name.as_str() {
            "rare" => CallerLimits { rate: rarely, ..CallerLimits::NONE },
            name if name.starts_with("pair") => {
                CallerLimits { rate: Some(Rate::new(1, 3600, 2)), ..CallerLimits::NONE }
            }
            "key" => CallerLimits { key_rate: rarely, key: bucket("key/ci"), ..CallerLimits::NONE },
            "single" => CallerLimits { calls_in_flight: Some(1), ..CallerLimits::NONE },
            _ => CallerLimits::NONE,
        };
        let mut identity = Identity::default();
        (identity.tenant, identity.limits) = (Some(name), limits);
        Verdict::Ready(Ok(Caller::Known(Arc::new(identity))))
    }
}

fn with_callers(tools: &str) -> World {
    World::with_hooks(tools, Hooks { authenticator: Some(Arc::new(ByName)), ..Hooks::default() })
}

/// The same request by somebody.
fn by(name: &str, request: Vec<u8>) -> Vec<u8> {
    let text = String::from_utf8(request).unwrap();
    text.replacen("\r\n", &format!("\r\nx-name: {name}\r\n"), 1).into_bytes()
}

fn api_call(tool: &str) -> Vec<u8> {
    post("/api/v1/mcp/tools/call", &[], json!({"name": tool, "arguments": {}}).to_string())
}

/// A result that says when to try again; those seconds.
fn limited(said: &Answer, reason: &str, text: &str) -> u64 {
    assert!(said.is_error(), "{}", said.body);
    let error = &said.result()["_meta"]["mcp-edge/error"];
    assert_eq!(error["reason"], reason, "{}", said.body);
    let seconds = error["retry_after_seconds"].as_u64().unwrap();
    assert_eq!(said.text(), text.replace("{}", &seconds.to_string()));
    seconds
}

const RATE_TEXT: &str = "Rate limit reached. Try again in {} s.";

#[test]
fn a_tool_has_a_rate() {
    let rate = "rate = { calls = 1, seconds = 3600, burst = 2 }";
    let world = World::new(&spec(&[("t", &format!("{GET}\n{rate}")), ("free", GET)]));
    world.upstream.always_answers(json("{}"));
    assert!(!world.call("t", json!({})).is_error());
    assert!(!world.legacy_call("t", json!({})).is_error());
    for said in [world.call("t", json!({})), world.legacy_call("t", json!({}))] {
        assert_eq!(said.status, 200);
        assert!((3590..=3600).contains(&limited(&said, "rate_of_tool", RATE_TEXT)));
    }
    let said = world.invoke("t", json!({}));
    assert_eq!((said.status, &said.json()["error_type"]), (429, &json!("SERVICE_ERROR")));
    assert_eq!(
        said.header("retry-after").unwrap(),
        said.json()["details"]["retry_after_seconds"].to_string()
    );
    let said = world.ask(api_call("t"));
    assert_eq!((said.status, &said.json()["isError"]), (429, &json!(true)), "{}", said.body);
    assert!(said.header("retry-after").is_some());
    assert!(!world.call("free", json!({})).is_error(), "other tools have nothing to do with it");
    assert_eq!(world.upstream.count(), 3);
    assert_eq!(world.metric("mcp_edge_limit_hits_total{limit=\"rate_of_tool\"}"), 4);
    assert_eq!(world.metric("mcp_edge_calls_total{tool=\"t\",outcome=\"rate_limited\"}"), 4);
    // A new bundle does not forget what was asked.
    world.activate(&spec(&[("t", &format!("{GET}\n{rate}"))]));
    assert!(world.call("t", json!({})).is_error());
}

#[test]
fn each_tenant_has_the_rate_of_a_tool_unless_all_share_it() {
    let rate = |by: &str| format!("{GET}\nrate = {{ calls = 1, seconds = 3600, by = \"{by}\" }}");
    let world = with_callers(&spec(&[("own", &rate("tenant")), ("shared", &rate("all"))]));
    world.upstream.always_answers(json("{}"));
    let refused = |tool, name| world.ask(by(name, call(tool, json!({})))).is_error();
    assert_eq!((refused("own", "a"), refused("own", "a"), refused("own", "b")), (false, true, false));
    assert_eq!((refused("shared", "a"), refused("shared", "b")), (false, true));
}

#[test]
fn tenants_and_keys_have_rates() {
    for (name, reason) in [("rare", "rate_of_tenant"), ("key", "rate_of_key")] {
        let world = with_callers(&spec(&[("t", GET)]));
        world.upstream.always_answers(json("{}"));
        assert!(!world.ask(by(name, call("t", json!({})))).is_error());
        limited(&world.ask(by(name, call("t", json!({})))), reason, RATE_TEXT);
        // All else is refused by status.
        for request in [
            modern("tools/list", json!({})),
            modern("server/discover", json!({})),
            legacy("tools/list", &json!({})),
            legacy("initialize", &json!({"protocolVersion": "2025-06-18"})),
            get("/mcp/tools", &[]),
            get("/api/v1/mcp/tools", &[]),
        ] {
            let said = world.ask(by(name, request));
            let seconds = said.header("retry-after").map(|seconds| seconds.parse::<u32>().unwrap());
            assert!(said.status == 429 && seconds.is_some_and(|seconds| seconds > 3500), "{}", said.body);
        }
        assert!(!world.ask(by("other", call("t", json!({})))).is_error());
        assert_eq!(world.metric(&format!("mcp_edge_limit_hits_total{{limit=\"{reason}\"}}")), 7);
    }
}

fn rpc(body: &serde_json::Value) -> Vec<u8> {
    post("/mcp", &[("mcp-protocol-version", "2025-06-18")], body.to_string())
}

/// What is refused before a tool is found, on every interface.
fn wrong_requests() -> Vec<Vec<u8>> {
    let name = |name: &str| json!({"name": name, "arguments": {}});
    let wrong_name = String::from_utf8(call("t", json!({}))).unwrap().replace("mcp-name: t", "mcp-name: u");
    let odd_version = String::from_utf8(call("t", json!({}))).unwrap().replace("2026-07-28", "2099-07-28");
    vec![
        modern("tools/call", name("missing")),
        modern("tools/call", json!({"name": "t", "arguments": 7})),
        wrong_name.into_bytes(),
        odd_version.into_bytes(),
        legacy("tools/call", &name("missing")),
        legacy("tools/call", &json!({"name": "t", "arguments": []})),
        legacy("tools/call", &json!({"name": 7})),
        legacy("tools/dance", &json!({})),
        rpc(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})),
        rpc(&json!({"jsonrpc": "2.0", "id": 1, "result": {}})),
        rpc(&json!({"jsonrpc": "1.0", "id": 1, "method": "ping"})),
        rpc(&json!({"jsonrpc": "2.0", "id": {}, "method": "ping"})),
        rpc(&json!([])),
        rpc(&json!(7)),
        post("/mcp", &[], "{"),
        post("/mcp/nowhere", &[], "{}"),
        post("/messages?session=nobody", &[], "{}"),
        api_call("missing"),
        post("/api/v1/mcp/tools/call", &[], "{"),
        post("/mcp/invoke", &[], json!({"tool_name": "missing", "params": {}}).to_string()),
        post("/mcp/invoke", &[], json!({"tool_name": "t", "params": 7}).to_string()),
    ]
}

#[test]
fn what_is_refused_before_it_is_a_call_counts_once() {
    let world = with_callers(&spec(&[("t", GET)]));
    world.upstream.always_answers(json("{}"));
    for (number, request) in wrong_requests().into_iter().enumerate() {
        let ask = |request: Vec<u8>| world.ask(by(&format!("pair {number}"), request));
        let shown = String::from_utf8_lossy(&request).into_owned();
        let first = ask(request.clone());
        assert_ne!(first.status, 429, "{shown}");
        let good = ask(call("t", json!({})));
        assert!(!good.is_error(), "only one of two has counted: {shown}\n{}", good.body);
        let last = ask(request);
        assert_eq!(last.status, 429, "{shown}\n{}", last.body);
        assert!(last.header("retry-after").unwrap().parse::<u32>().unwrap() > 3500, "{shown}");
    }
}

#[test]
fn messages_of_a_session_and_of_a_batch_count_each() {
    let world = with_callers(&spec(&[("t", GET)]));
    let mut stream = world.client();
    stream.send(by("pair s", get("/sse", &[("accept", "text/event-stream")])));
    let target = stream.event();
    for expected in ["Parse error", "Too many requests"] {
        assert_eq!(world.ask(by("pair s", post(&target, &[], "{"))).status, 202);
        let event = stream.event();
        assert!(event.contains(expected), "{event}");
    }
    let unknown = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "missing"}});
    let batch = json!([unknown, unknown, unknown]).to_string();
    let said = world.ask(by("pair b", post("/mcp", &[("mcp-protocol-version", "2025-03-26")], batch)));
    let answers = said.json();
    let codes: Vec<i64> =
        answers.as_array().unwrap().iter().map(|answer| answer["error"]["code"].as_i64().unwrap()).collect();
    assert_eq!(codes, [-32602, -32602, -32603], "{}", said.body);
}

/// Lets nobody in.
#[derive(Debug)]
struct Nobody;

impl Authenticator for Nobody {
    fn authenticate<'a>(&'a self, _head: &'a Head, _peer: &'a Peer) -> Verdict<'a> {
        Verdict::Ready(Err(Failure::Unauthenticated { challenge: "Bearer".to_owned(), reason: "no" }))
    }
}

#[test]
fn attempts_to_get_in_count_for_the_address() {
    let hooks = Hooks { authenticator: Some(Arc::new(Nobody)), ..Hooks::default() };
    let rate = Some(Rate::new(1, 3600, 2));
    let world = World::empty_with_hooks(None, |settings| settings.limits.address_rate = rate, hooks);
    world.activate(&spec(&[("t", GET)]));
    for status in [401, 401, 429, 429] {
        assert_eq!(world.call("t", json!({})).status, status);
    }
    assert_eq!(world.metric("mcp_edge_limit_hits_total{limit=\"rate_of_address\"}"), 2);
    assert_eq!(world.metric("mcp_edge_refused_total{reason=\"unauthenticated\"}"), 2);
    assert_eq!(world.metric("mcp_edge_refused_total{reason=\"too_many_requests\"}"), 2);
}

#[test]
fn an_address_has_a_rate() {
    let world = World::with(&spec(&[("t", GET)]), |settings| {
        settings.limits.address_rate = Some(Rate::new(1, 3600, 2));
    });
    world.upstream.always_answers(json("{}"));
    assert!(!world.call("t", json!({})).is_error());
    assert_eq!(world.ask(modern("tools/list", json!({}))).status, 200);
    limited(&world.call("t", json!({})), "rate_of_address", RATE_TEXT);
    assert_eq!(world.ask(modern("tools/list", json!({}))).status, 429);
    assert_eq!(world.metric("mcp_edge_limit_hits_total{limit=\"rate_of_address\"}"), 2);
}

#[test]
fn a_tenant_has_places() {
    let world = with_callers(&spec(&[("t", GET)]));
    world.upstream.answers(raw("HTTP/1.1 204 No Content\r\n\r\n").held());
    let mut first = world.client();
    first.send(by("single", call("t", json!({}))));
    world.upstream.request(0);
    let text = "You have too many calls in flight. Wait for some of them to end, then try again.";
    limited(&world.ask(by("single", call("t", json!({})))), "tenant_in_flight", text);
    world.upstream.always_answers(json("{}"));
    assert!(!world.ask(by("other", call("t", json!({})))).is_error());
    world.upstream.release();
    assert!(!first.answer().is_error());
    assert!(!world.ask(by("single", call("t", json!({})))).is_error());
    assert_eq!(world.metric("mcp_edge_limit_hits_total{limit=\"tenant_in_flight\"}"), 1);
}

fn with_upstream(keys: &str, tools: &[(&str, &str)]) -> String {
    spec(tools).replacen("url = \"UPSTREAM\"", &format!("url = \"UPSTREAM\"\n{keys}"), 1)
}

/// Waits until a metric has a value.
fn wait_for(world: &World, sample: &str, value: u64) {
    while world.metric(sample) != value {
        std::thread::yield_now();
    }
}

#[test]
fn an_upstream_has_places_and_a_queue() {
    let world = World::new(&with_upstream("max_in_flight = 1\nqueue = 1", &[("t", GET)]));
    world.upstream.always_answers(raw("HTTP/1.1 204 No Content\r\n\r\n").held());
    let mut clients: Vec<_> = (0..2).map(|_| world.client()).collect();
    clients[0].send(call("t", json!({})));
    world.upstream.request(0);
    clients[1].send(call("t", json!({})));
    wait_for(&world, "mcp_edge_upstream_queue{upstream=\"api\"}", 1);
    let text = "The upstream of this tool has too many calls in flight. Try again in a moment.";
    limited(&world.call("t", json!({})), "upstream_in_flight", text);
    assert_eq!(world.upstream.count(), 1, "the second one waits");
    world.upstream.release();
    world.upstream.request(1);
    world.upstream.release();
    assert!(clients.iter_mut().all(|client| !client.answer().is_error()));
    assert_eq!(world.metric("mcp_edge_upstream_queue{upstream=\"api\"}"), 0);
    assert_eq!(world.metric("mcp_edge_calls_total{tool=\"t\",outcome=\"overloaded\"}"), 1);
    // A client that leaves the queue leaves its place to others.
    world.upstream.answers(raw("HTTP/1.1 204 No Content\r\n\r\n").held());
    let mut first = world.client();
    first.send(call("t", json!({})));
    world.upstream.request(2);
    let mut second = world.client();
    second.send(call("t", json!({})));
    wait_for(&world, "mcp_edge_upstream_queue{upstream=\"api\"}", 1);
    second.leave();
    wait_for(&world, "mcp_edge_upstream_queue{upstream=\"api\"}", 0);
    world.upstream.release();
    assert!(!first.answer().is_error());
}

#[test]
fn an_upstream_that_fails_is_left_alone() {
    let breaker = "[upstream.api.breaker]\nfailures = 3\nseconds = 3600";
    let world = World::new(&with_upstream(breaker, &[("t", GET), ("u", GET)]));
    world.upstream.always_answers(answer(404, "text/plain", "no such thing"));
    (0..5).for_each(|_| assert!(world.call("t", json!({})).is_error()));
    assert_eq!(world.metric("mcp_edge_breaker_state{upstream=\"api\"}"), 0, "it answers");
    world.upstream.always_answers(answer(503, "text/plain", "come back later"));
    (0..3).for_each(|_| assert!(world.call("t", json!({})).is_error()));
    let asked = world.upstream.count();
    assert_eq!(world.metric("mcp_edge_breaker_state{upstream=\"api\"}"), 2);
    let text = "The upstream of this tool keeps failing and is left alone. Try again in {} s.";
    assert!(limited(&world.call("u", json!({})), "upstream_unavailable", text) > 3500);
    let said = world.invoke("t", json!({}));
    assert_eq!((said.status, &said.json()["details"]["reason"]), (503, &json!("upstream_unavailable")));
    assert!(said.header("retry-after").is_some());
    assert_eq!(world.upstream.count(), asked, "nothing is sent");
    assert_eq!(world.metric("mcp_edge_limit_hits_total{limit=\"upstream_unavailable\"}"), 2);
    assert_eq!(world.metric("mcp_edge_calls_total{tool=\"u\",outcome=\"upstream_unavailable\"}"), 1);
    // A new bundle with the same upstream does not ask it either; one that does without a breaker does.
    world.activate(&with_upstream(breaker, &[("v", GET)]));
    limited(&world.call("v", json!({})), "upstream_unavailable", text);
    world.activate(&with_upstream("breaker = false", &[("v", GET)]));
    world.upstream.always_answers(json("{}"));
    assert!(!world.call("v", json!({})).is_error());
}

#[test]
fn a_breaker_is_there_without_being_asked_for() {
    let world = World::new(&spec(&[("t", GET)]));
    world.upstream.always_answers(raw("").close());
    (0..10).for_each(|_| assert!(world.call("t", json!({})).is_error()));
    let said = world.call("t", json!({}));
    assert_eq!(said.result()["_meta"]["mcp-edge/error"]["reason"], "upstream_unavailable");
}

#[test]
fn an_upstream_that_closes_what_it_kept_is_not_left_alone() {
    const KEPT: usize = 12;
    let world = World::new(&spec(&[("t", "method = \"POST\"\nendpoint = \"/x\"")]));
    // So many calls at once, so many connections are kept.
    world.upstream.always_answers(json("{}").held());
    let mut clients: Vec<_> = (0..KEPT).map(|_| world.client()).collect();
    clients.iter_mut().for_each(|client| client.send(call("t", json!({}))));
    world.upstream.request(KEPT - 1);
    (0..KEPT).for_each(|_| world.upstream.release());
    clients.iter_mut().for_each(|client| assert!(!client.answer().is_error()));
    // When it is reloaded it closes them, and requests are on their way.
    world.upstream.always_answers(raw("").close());
    for _ in 0..KEPT {
        let said = world.call("t", json!({}));
        assert_eq!(said.result()["_meta"]["mcp-edge/error"]["reason"], "upstream_closed");
    }
    assert_eq!(world.upstream.connections(), KEPT, "all of them were kept ones");
    world.upstream.always_answers(json("{}"));
    assert!(!world.call("t", json!({})).is_error());
}

#[test]
fn the_bytes_of_all_bodies_are_bounded() {
    const LONG: usize = 600 << 10;
    let world = World::with(&spec(&[("t", GET)]), |settings| settings.limits.answer_bytes = 1 << 20);
    let body = "x".repeat(LONG);
    let head = format!("HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: {LONG}\r\n\r\n");
    // The first answer stops after its head, but its room is taken.
    world.upstream.answers(raw(&head).hold().send(&body));
    let mut first = world.client();
    first.send(call("t", json!({})));
    while world.metric("mcp_edge_answer_bytes") < (LONG - (16 << 10)) as u64 {
        std::thread::yield_now();
    }
    world.upstream.always_answers(raw(&head).send(&body));
    let text = "The server holds too many large responses. Try again in a moment, or ask for less.";
    limited(&world.call("t", json!({})), "answer_bytes", text);
    assert_eq!(world.metric("mcp_edge_limit_hits_total{limit=\"answer_bytes\"}"), 1);
    // A long request has to find room, too.
    let said = world.call("t", json!({"q": "x".repeat(LONG)}));
    assert_eq!((said.status, said.code(), said.header("retry-after")), (503, -32603, Some("1")));
    assert_eq!(world.metric("mcp_edge_limit_hits_total{limit=\"answer_bytes\"}"), 2);
    // One that waits gets its turn.
    let mut second = world.client();
    second.send(call("t", json!({})));
    world.upstream.release();
    assert!(!first.answer().is_error());
    assert!(!second.answer().is_error());
    wait_for(&world, "mcp_edge_answer_bytes", 0);
    assert_eq!(world.metric("mcp_edge_breaker_state{upstream=\"api\"}"), 0, "the upstream is not to blame");
}

#[test]
fn one_answer_alone_may_have_more_than_there_is() {
    let world = World::with(&spec(&[("t", GET)]), |settings| settings.limits.answer_bytes = 1000);
    world.upstream.always_answers(answer(200, "text/plain", "x".repeat(500_000)));
    for _ in 0..3 {
        assert!(!world.call("t", json!({})).is_error());
    }
    wait_for(&world, "mcp_edge_answer_bytes", 0);
}
