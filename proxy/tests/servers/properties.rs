//! What holds for all calls.
#![cfg(test)]

use crate::support::{Asked, Bench, MODERN, Say, Server, spec, tool};
use mcp_bundle::definition::{Pin, canonical};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};

fn block() -> impl Strategy<Value = Value> {
    prop_oneof![
        ".{0,40}".prop_map(|text| json!({ "type": "text", "text": text })),
        "[A-Za-z0-9+/]{0,40}"
            .prop_map(|data| json!({ "type": "image", "data": data, "mimeType": "image/png" })),
        (".{0,20}", "[a-z]{1,8}").prop_map(|(text, name)| {
            json!({ "type": "resource", "resource": { "uri": format!("test://{name}"), "text": text } })
        }),
    ]
}

#[test]
fn property_5_a_call_brings_back_what_the_server_wrote_or_says_that_it_failed() {
    let answer = Arc::new(Mutex::new(Value::Null));
    let said = Arc::clone(&answer);
    let script = move |asked: &Asked| {
        (asked.method() == "tools/call").then(|| asked.result(said.lock().unwrap().clone()))
    };
    let tools = vec![tool("search")];
    let server = Server::start(MODERN, tools.clone(), script);
    let bench = Bench::new(&spec(&server, "", &tools, ""));
    let mut runner = TestRunner::new(Config { cases: 128, failure_persistence: None, ..Config::default() });
    let cases = (prop::collection::vec(block(), 0..5), any::<bool>(), ".{0,30}");
    let property = |(content, is_error, question): (Vec<Value>, bool, String)| {
        *answer.lock().unwrap() = json!({ "content": content, "isError": is_error });
        let result = bench.call("search", json!({ "q": question }), MODERN);
        prop_assert_eq!(&result["content"], &Value::from(content));
        prop_assert_eq!(result["isError"] == true, is_error);
        let asked = server.wait_for("tools/call");
        prop_assert_eq!(&asked.body["params"]["arguments"], &json!({ "q": question }));
        Ok(())
    };
    runner.run(&cases, property).unwrap();
}

/// A server that is busy once, for a tool with these keys.
fn busy_once(keys: &str) -> (Server, Value) {
    let busy = Mutex::new(true);
    let script = move |asked: &Asked| {
        let is_busy = asked.method() == "tools/call" && std::mem::take(&mut *busy.lock().unwrap());
        is_busy.then(|| Say::With(503, ("retry-after", "0"), String::new()))
    };
    let tools = vec![tool("search")];
    let server = Server::start(MODERN, tools.clone(), script);
    let bench = Bench::new(&spec(&server, "", &tools, keys));
    let result = bench.call("search", json!({}), MODERN);
    (server, result)
}

#[test]
fn property_8_only_what_may_be_repeated_is_tried_again() {
    for keys in [
        "annotations = { readOnlyHint = true }",
        "annotations = { idempotentHint = true }",
        "idempotent = true",
    ] {
        let (server, result) = busy_once(keys);
        assert_eq!(result["content"][0]["text"], "fine", "{keys}: {result}");
        assert_eq!(server.count("tools/call"), 2, "{keys}");
    }
    let (server, result) = busy_once("");
    assert_eq!(result["_meta"]["mcp-edge/error"]["code"], "MCP_UNREACHABLE", "{result}");
    assert_eq!(server.count("tools/call"), 1);
}

#[test]
fn a_hundred_servers_that_are_down_affect_only_their_own_tools() {
    let search = tool("search");
    let server = Server::start(MODERN, vec![search.clone()], |_| None);
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let pin = Pin::of(&canonical(&search).unwrap());
    let one = |name: &str, number: usize, address: std::net::SocketAddr| {
        format!(
            "[upstream.{name}{number}]\nkind = \"mcp\"\nurl = \"http://{address}/mcp/{number}\"\n\
             [[tool]]\nname = \"{name}{number}_search\"\nmcp_tool = \"search\"\nupstream = \"{name}{number}\"\n\
             description = {}\ninput_schema = '''{}'''\npin = \"{pin}\"\n",
            search["description"], search["inputSchema"]
        )
    };
    let servers = (0..100).map(|number| one("up", number, server.address) + &one("down", number, nobody));
    let bench = Bench::new(&servers.collect::<String>());
    for number in 0..100 {
        let result = bench.call(&format!("up{number}_search"), json!({}), MODERN);
        assert_eq!(result["content"][0]["text"], "fine", "{number}: {result}");
        let result = bench.call(&format!("down{number}_search"), json!({}), MODERN);
        assert_eq!(result["_meta"]["mcp-edge/error"]["code"], "MCP_UNREACHABLE", "{number}: {result}");
    }
}
