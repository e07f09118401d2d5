//! Whatever bytes a request body holds, its envelope is read as serde_json reads it, or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_bundle::envelope::{Body, Id, Message, Params, read};
use mcp_bundle::json::Kind;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;

const DEPTH: usize = 64;
const BATCH: usize = 8;
/// Arguments whose places are told; of more, none is.
const FEW: usize = 8;

fuzz_target!(|bytes: &[u8]| {
    let mut place = None;
    let Ok(body) = read(bytes, DEPTH, BATCH, &mut place) else { return };
    // Also those of messages that are not served.
    match &body {
        Body::One(message) => assert_places(&message.params),
        Body::Batch(messages) => messages.iter().for_each(|message| assert_places(&message.params)),
        Body::Other => {}
    }
    let parsed = match serde_json::from_slice::<Value>(bytes) {
        Ok(parsed) => parsed,
        // Numbers of any size are JSON, but not all are floats.
        Err(error) => return assert!(error.to_string().contains("out of range"), "{error}"),
    };
    match body {
        Body::One(message) => agree(message, &parsed),
        Body::Batch(messages) => {
            assert!(messages.len() <= BATCH + 1);
            let elements = parsed.as_array().expect("a batch is an array");
            for (message, element) in messages.iter().zip(elements).filter(|(_, element)| element.is_object())
            {
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

/// The members of an object as another reads them, where they stand in its text.
struct Pieces<'a>(Vec<(&'a RawValue, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Pieces<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Pieces<'a>, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Vec<(&'de RawValue, &'de RawValue)>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(members)
            }
        }

        deserializer.deserialize_map(Members).map(Pieces)
    }
}

/// What is said of the places of arguments is so.
fn assert_places(params: &Params<'_>) {
    let places = params.argument_places.all();
    let Some(arguments) = params.arguments.filter(|arguments| arguments.kind == Kind::Object) else {
        return assert_eq!(places, Some(&[][..]));
    };
    let Pieces(members) = serde_json::from_str(arguments.text).expect("arguments are JSON");
    let Some(places) = places else { return assert!(members.len() > FEW) };
    assert!(members.len() <= FEW);
    assert_eq!(places.len(), members.len());
    for (place, (key, value)) in places.iter().zip(members) {
        for (place, piece) in [(place.key, key.get()), (place.value, value.get())] {
            let found = place.of(arguments.text);
            // The same place, not only the same text.
            assert!(std::ptr::eq(found.text, piece), "{found:?} is not {piece}");
            assert_eq!(piece.bytes().next().and_then(Kind::of_first_byte), Some(found.kind));
            assert_eq!(found.escaped, found.kind == Kind::String && piece.contains('\\'));
        }
        let name: String = serde_json::from_str(key.get()).expect("a name is a string");
        assert!(place.key.of(arguments.text).is_text(&name), "{name}");
    }
}
