//! New bundles while calls are in flight.

use mcpc_tests::{Client, LONG, World, call, json, modern, raw, spec};
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

fn version(word: &str) -> String {
    let tool =
        format!("method = \"GET\"\nendpoint = \"/{word}\"\nresponse_template = \"{word} {{{{ .id }}}}\"");
    spec(&[("t", &tool)])
}

#[test]
fn a_call_ends_with_the_bundle_that_it_began_with() {
    let world = World::new(&version("old"));
    let answer = "HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\n{\"id\":1}";
    world.upstream.answers(raw(answer).held());
    let mut early = world.client();
    early.send(call("t", json!({})));
    assert_eq!(world.upstream.request(0).line(), "GET /old HTTP/1.1");
    world.activate(&version("new"));
    world.upstream.answers(json(r#"{"id":2}"#));
    assert_eq!(world.call("t", json!({})).text(), "new 2");
    assert_eq!(world.upstream.request(1).line(), "GET /new HTTP/1.1");
    world.upstream.release();
    assert_eq!(early.answer().text(), "old 1");
    // Connections belong to the upstream, not to a bundle.
    world.activate(&version("newest"));
    world.upstream.answers(json(r#"{"id":3}"#));
    assert_eq!(world.call("t", json!({})).text(), "newest 3");
    assert_eq!(world.upstream.connections(), 2);
}

#[test]
fn clients_that_listen_hear_of_new_tools_only() {
    let world = World::new(&version("a"));
    let mut listener = world.client();
    listener.send(modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})));
    let mut next = || {
        let message: serde_json::Value = serde_json::from_str(&listener.event()).unwrap();
        message["method"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(next(), "notifications/subscriptions/acknowledged");
    world.activate(&version("b"));
    world.activate(&format!(
        "{}{}",
        version("b"),
        "[[tool]]\nname = \"u\"\ndescription = \"Says hello to everyone.\"\nrespond = \"u\"\n"
    ));
    assert_eq!(next(), "notifications/tools/list_changed");
    let listed = world.ask(modern("tools/list", json!({}))).result();
    assert_eq!(listed["tools"].as_array().unwrap().len(), 2);
}

#[test]
fn no_call_is_lost_while_bundles_change() {
    const CLIENTS: usize = 4;
    let world = World::new(&version("a"));
    world.upstream.always_answers(json(r#"{"id":1}"#));
    let done = AtomicBool::new(false);
    let answered: [AtomicUsize; CLIENTS] = Default::default();
    let count = || answered.iter().map(|count| count.load(Ordering::SeqCst)).min().unwrap();
    std::thread::scope(|scope| {
        for counter in &answered {
            scope.spawn(|| {
                let mut client = Client::connect(world.address);
                while !done.load(Ordering::SeqCst) {
                    let text = client.ask(call("t", json!({}))).text();
                    assert!(text == "a 1" || text == "b 1", "{text}");
                    counter.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        let stop = Stop(&done);
        for number in 0..50 {
            world.activate(&version(if number % 2 == 0 { "b" } else { "a" }));
        }
        let (mut client, deadline) = (world.client(), Instant::now() + LONG);
        while count() == 0 {
            assert!(Instant::now() < deadline, "a client is not served");
            client.ask(call("t", json!({})));
        }
        drop(stop);
    });
    assert_eq!(world.metric("mcp_edge_calls_in_flight"), 0);
}

/// Ends the clients also when something fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}
