//! Whatever bytes a request body holds, its envelope is read as serde_json reads it, or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_bundle::envelope::{Body, Id, Message, read};
use serde_json::Value;

const DEPTH: usize = 64;
const BATCH: usize = 8;

fuzz_target!(|bytes: &[u8]| {
    let Ok(body) = read(bytes, DEPTH, BATCH) else { return };
    let parsed = match serde_json::from_slice::<Value>(bytes) {
        Ok(parsed) => parsed,
        // Numbers of any size are JSON, but not all are floats.
        Err(error) => return assert!(error.to_string().contains("out of range"), "{error}"),
    };
    match body {
        Body::One(message) => agree(&message, &parsed),
        Body::Batch(messages) => {
            assert!(messages.len() <= BATCH + 1);
            let elements = parsed.as_array().expect("a batch is an array");
            for (message, element) in messages.iter().zip(elements).filter(|(_, element)| element.is_object()) {
                agree(message, element);
            }
        }
        Body::Other => assert!(!parsed.is_object() && !parsed.is_array()),
    }
});

/// The pieces are those that a tree of values has; where a member stands twice, nothing is served.
fn agree(message: &Message<'_>, value: &Value) {
    if message.is_ambiguous {
        return;
    }
    let same = |piece: Option<&str>, path: &str| {
        let piece = piece.map(|text| serde_json::from_str::<Value>(text).expect("a piece is JSON"));
        assert_eq!(piece.as_ref(), value.pointer(path), "{path}");
    };
    match message.id {
        Id::Text(text) => same(Some(text), "/id"),
        Id::Absent => assert_eq!(value.get("id"), None),
        Id::Invalid => assert!(value.get("id").is_some_and(|id| !id.is_string())),
    }
    let params = &message.params;
    same(message.method.map(|value| value.text), "/method");
    assert_eq!(params.is_object, value.get("params").is_some_and(Value::is_object));
    same(params.name.map(|value| value.text), "/params/name");
    same(params.arguments.map(|value| value.text), "/params/arguments");
    same(params.cursor.map(|value| value.text), "/params/cursor");
    let meta = &params.meta;
    let version = "/params/_meta/io.modelcontextprotocol~1protocolVersion";
    same(meta.protocol_version.map(|value| value.text), version);
    assert_eq!(message.is_rpc, value.get("jsonrpc").is_some_and(|version| version == "2.0"));
}
