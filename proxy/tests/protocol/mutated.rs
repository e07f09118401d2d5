//! Whatever a request says, it is answered with something well-formed.

use crate::support::{Bench, head, modern};
use proptest::prelude::*;
use serde_json::json;

/// Bodies to start from.
fn seeds() -> Vec<String> {
    let call = json!({"name": "get_order", "arguments": {"orderId": "42", "x": [1, {"y": null}]}});
    vec![
        modern("tools/call", call.clone()).1.to_string(),
        modern("tools/list", json!({"cursor": "YWZ0ZXI6Z2V0X29yZGVy"})).1.to_string(),
        modern("subscriptions/listen", json!({"notifications": {"toolsListChanged": true}})).1.to_string(),
        json!({"jsonrpc": "2.0", "id": "a", "method": "tools/call", "params": call}).to_string(),
        json!([{"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"jsonrpc": "2.0", "method": "x"}]).to_string(),
        json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"protocolVersion": "2025-11-25"}}).to_string(),
        json!({"tool_name": "get_order", "params": {"orderId": "42"}}).to_string(),
        json!({"name": "get_order", "arguments": {"orderId": "42"}}).to_string(),
    ]
}

#[derive(Debug, Clone)]
enum Change {
    Replace(usize, u8),
    Insert(usize, &'static str),
    Remove(usize, usize),
    Repeat(usize, usize),
}

fn change() -> impl Strategy<Value = Change> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        "\"",
        ":",
        ",",
        "\\",
        "\\u0000",
        "\\ud83d\\ude00",
        "null",
        "1e999",
        "-0",
        "\n",
        "\u{2028}",
        "{\"a\":",
        "\"id\":1,",
        "\"method\":\"ping\",",
        "\"_meta\":{}",
        "\"name\":\"hello\",",
        "../",
        "%00",
        "\r\nx: y",
    ]);
    prop_oneof![
        (any::<usize>(), any::<u8>()).prop_map(|(at, byte)| Change::Replace(at, byte)),
        (any::<usize>(), piece).prop_map(|(at, piece)| Change::Insert(at, piece)),
        (any::<usize>(), 1..20usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (any::<usize>(), 1..40usize).prop_map(|(at, length)| Change::Repeat(at, length)),
    ]
}

fn apply(mut body: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let place = |at: usize| at % (body.len() + 1);
        match *change {
            Change::Replace(at, byte) => {
                let at = place(at);
                body.splice(at..(at + 1).min(body.len()), [byte]);
            }
            Change::Insert(at, piece) => {
                let at = place(at);
                body.splice(at..at, piece.bytes());
            }
            Change::Remove(at, length) => {
                let at = place(at);
                body.drain(at..(at + length).min(body.len()));
            }
            Change::Repeat(at, length) => {
                let at = place(at);
                let piece = body[at..(at + length).min(body.len())].to_vec();
                body.splice(at..at, piece);
            }
        }
    }
    body
}

fn well_formed(body: &str) -> bool {
    let one = body.strip_prefix("event: message\ndata: ").and_then(|rest| rest.strip_suffix("\n\n"));
    let text = one.unwrap_or(body);
    !text.contains('\n') && serde_json::from_str::<serde_json::Value>(text).is_ok()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn mutated_bodies_get_well_formed_answers(
        seed in 0..8usize,
        changes in prop::collection::vec(change(), 0..6),
        path in prop::sample::select(vec!["/mcp", "/mcp/shop", "/mcp/invoke", "/api/v1/mcp/tools/call"]),
        version in prop::sample::select(vec!["2026-07-28", "2025-11-25", "2025-03-26", "2024-11-05", "x"]),
        accept in prop::sample::select(vec!["text/event-stream", "application/json, text/event-stream", "*/*"]),
    ) {
        let bench = Bench::shop();
        let seeds = seeds();
        let body = apply(seeds[seed].clone().into_bytes(), &changes);
        let headers = [
            ("mcp-protocol-version", version), ("accept", accept), ("mcp-method", "tools/call"), ("mcp-name", "get_order"),
        ];
        let said = bench.send(&head("POST", path, &headers), &body);
        prop_assert!([200, 202, 400, 404, 406, 500, 503].contains(&said.status), "{}", said.status);
        if said.stream.is_none() && said.status != 202 {
            prop_assert!(well_formed(&said.body), "{}", said.body);
        }
        // A second request on the same edge is not touched by the first.
        let body = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {"name": "hello"}});
        prop_assert_eq!(&bench.post(&[], &body).json()["result"]["content"][0]["text"], "Hello.");
    }
}
