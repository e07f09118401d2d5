//! Answers that are used again.
#![expect(clippy::indexing_slicing, reason = "what fails here fails the test")]

use mcpc_tests::{Answer, World, answer, call, json, spec};
use serde_json::{Value, json};

const TOOL: &str = r#"
    method = "GET"
    endpoint = "/x"
    parameters = [{ name = "q", type = "string", description = "Q", position = "query" }]
"#;

fn cached(more: &str) -> String {
    spec(&[("t", &format!("{TOOL}\n{more}"))])
}

fn note(said: &Answer) -> Value {
    said.result()["_meta"]["mcp-edge/cache"].clone()
}

#[test]
fn an_answer_is_used_again_in_every_interface() {
    let world = World::new(&cached("cache_seconds = 3600"));
    world.upstream.always_answers(json(r#"{"a":1}"#));
    let first = world.call("t", json!({"q": "a"}));
    assert_eq!((first.is_error(), note(&first)), (false, Value::Null));
    for said in [world.call("t", json!({"q": "a"})), world.legacy_call("t", json!({"q": "a"}))] {
        assert_eq!(said.text(), first.text());
        assert_eq!(note(&said)["hit"], true, "{}", said.body);
        assert!(note(&said)["age_seconds"].is_u64() && note(&said).get("stale").is_none());
    }
    assert_eq!(world.invoke("t", json!({"q": "a"})).json()["success"], true);
    assert_eq!(world.upstream.count(), 1);
    assert!(!world.call("t", json!({"q": "b"})).is_error());
    assert_eq!(world.upstream.count(), 2, "another request is another answer");
    assert_eq!(world.metric("mcp_edge_cache_hits_total"), 3);
    assert_eq!(world.metric("mcp_edge_cache_misses_total"), 2);
    assert!(world.metric("mcp_edge_cache_bytes") > 14);
}

#[test]
fn a_swap_drops_what_changed_and_only_that() {
    let world = World::new(&cached("cache_seconds = 3600"));
    world.upstream.always_answers(json(r#"{"a":1}"#));
    world.call("t", json!({}));
    // The answer is made into another result from now on, without being asked for again.
    world.activate(&cached("cache_seconds = 3600\nresponse_template = \"A is {{ .a }}.\""));
    let said = world.call("t", json!({}));
    assert_eq!((said.text().as_str(), world.upstream.count()), ("A is 1.", 1));
    world.activate(&cached("cache_seconds = 3600\nheaders = { X-New = \"1\" }"));
    world.call("t", json!({}));
    assert_eq!(world.upstream.count(), 2, "another request");
    world.activate(&cached(""));
    world.call("t", json!({}));
    assert_eq!(world.upstream.count(), 3, "no cache");
}

#[test]
fn errors_are_never_kept() {
    let world = World::new(&cached("cache_seconds = 3600\noutput_schema = { type = \"object\" }"));
    world.upstream.answers(answer(500, "text/plain", "no"));
    world.upstream.answers(answer(404, "text/plain", "no"));
    world.upstream.answers(json("[]"));
    world.upstream.always_answers(json("{}"));
    for _ in 0..3 {
        assert!(world.call("t", json!({})).is_error());
    }
    assert!(!world.call("t", json!({})).is_error());
    assert_eq!(note(&world.call("t", json!({})))["hit"], true);
    assert_eq!(world.upstream.count(), 4);
}

#[test]
fn one_call_asks_for_all_and_hands_over_if_it_is_cancelled() {
    let world = World::new(&cached("cache_seconds = 3600"));
    world.upstream.always_answers(json("{}").held());
    let mut clients: Vec<_> = (0..4).map(|_| world.client()).collect();
    clients[0].send(call("t", json!({})));
    world.upstream.request(0);
    for client in &mut clients[1..] {
        client.send(call("t", json!({})));
    }
    // All four are at work, and one of them asks.
    while world.metric("mcp_edge_calls_in_flight") < 4 {
        std::thread::yield_now();
    }
    let first = clients.remove(0);
    first.leave();
    world.upstream.request(1);
    world.upstream.release();
    world.upstream.release();
    assert!(clients.iter_mut().all(|client| !client.answer().is_error()));
    assert_eq!(world.upstream.count(), 2);
}

#[test]
fn an_old_answer_serves_if_the_upstream_fails() {
    let world = World::new(&cached("cache = { seconds = 1, stale_if_error_seconds = 3600 }"));
    world.upstream.answers(json(r#"{"a":1}"#));
    world.upstream.always_answers(answer(503, "text/plain", "no"));
    let first = world.call("t", json!({}));
    assert!(!first.is_error());
    // As soon as it is old, the upstream is asked, fails, and the old answer serves.
    let said = loop {
        let said = world.call("t", json!({}));
        assert!(!said.is_error(), "{}", said.body);
        if note(&said)["stale"] == true {
            break said;
        }
    };
    assert_eq!(said.text(), first.text());
    assert_eq!((&note(&said)["hit"], world.upstream.count()), (&json!(true), 2));
    assert!(note(&said)["age_seconds"].as_u64().unwrap() >= 1);
    assert!(world.metric("mcp_edge_cache_stale_total") >= 1);
}

#[test]
fn without_memory_nothing_is_kept() {
    let world = World::with(&cached("cache_seconds = 3600"), |settings| settings.cache.bytes = 0);
    world.upstream.always_answers(json("{}"));
    for count in 1..4 {
        assert!(!world.call("t", json!({})).is_error());
        assert_eq!(world.upstream.count(), count);
    }
}
