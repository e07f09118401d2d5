//! Whatever bytes a request body holds, its envelope is read as serde_json reads it, or refused.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mcp_bundle::envelope::{Body, Id, Message, Params, read};
use mcp_bundle::json::{Kind, Tape};
use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;
use std::fmt;

const DEPTH: usize = 64;
const BATCH: usize = 8;

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

/// The pieces are those of a tree of values. A message with a duplicate member is not served.
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

/// What is said of the places of arguments is so: another reads the same values there, one by one.
fn assert_places(params: &Params<'_>) {
    let Some(arguments) = params.arguments.filter(|arguments| arguments.kind == Kind::Object) else { return };
    let tape = &params.argument_tape;
    let mut pieces = Vec::new();
    collect(serde_json::from_str(arguments.text).expect("arguments are JSON"), &mut pieces);
    let Some(places) = tape.all() else { return assert!(pieces.len() > Tape::MOST) };
    assert_eq!(places.len(), pieces.len());
    for (place, piece) in places.iter().zip(pieces) {
        let found = place.of(tape.text());
        // The same place, not only the same text.
        assert!(std::ptr::eq(found.text, piece), "{found:?} is not {piece}");
        assert_eq!(piece.bytes().next().and_then(Kind::of_first_byte), Some(found.kind));
        assert_eq!(found.escaped, found.kind == Kind::String && piece.contains('\\'));
    }
}

/// Everything in an array or object, in the order of the text, as slices of the text.
fn collect<'a>(container: &'a RawValue, pieces: &mut Vec<&'a str>) {
    struct Pieces<'p, 'a>(&'p mut Vec<&'a str>);

    impl<'de: 'a, 'a> Visitor<'de> for Pieces<'_, 'a> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an array or an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some((key, value)) = map.next_entry::<&RawValue, &RawValue>()? {
                self.0.push(key.get());
                self.0.push(value.get());
                collect(value, self.0);
            }
            Ok(())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
            while let Some(element) = elements.next_element::<&RawValue>()? {
                self.0.push(element.get());
                collect(element, self.0);
            }
            Ok(())
        }
    }

    if container.get().starts_with(['[', '{']) {
        let mut reader = serde_json::Deserializer::from_str(container.get());
        reader.deserialize_any(Pieces(pieces)).expect("a part of JSON is JSON");
    }
}
