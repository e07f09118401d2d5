//! The quick way of binding: which calls go it, and that it writes what the careful way writes.
//!
//! Each [`Built::bind`] compares the two; this makes sure that there is something to compare.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a failed helper is a failed test"
)]
#![expect(dead_code, reason = "the plan language serves several tests")]

mod bind_support;

use bind_support::{Built, tool};
use mcp_bundle::bind::Request;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::json;
use std::sync::LazyLock;

/// Path, query and headers, with all that the quick way knows to check there.
fn listing() -> Built {
    tool("GET", "/v1/{id}/x/{day}")
        .with("path", "id", json!({"type": "string", "maxLength": 12}))
        .with("path", "day", json!({"type": ["integer", "string"], "default": 7, "minimum": 1, "maximum": 31}))
        .with("query", "state", json!({"enum": ["open", "closed", 3, true], "default": "open"}))
        .with("query", "repeated", json!({"type": "array", "items": {"type": "string", "minLength": 1}, "style": "repeat"}))
        .with("query", "commas", json!({"type": "array", "items": {"type": "integer", "minimum": 0}, "maxItems": 3, "style": "comma"}))
        .with("query", "pipes", json!({"type": "array", "style": "pipe"}))
        .with("query", "spaces", json!({"type": "array", "style": "space", "default": [1, 2]}))
        .with("query", "page", json!({"type": "integer", "exclusiveMinimum": 0, "exclusiveMaximum": 100, "wire": "p[]"}))
        .with("query", "ratio", json!({"type": "number", "minimum": 0, "maximum": 1}))
        .with("query", "half", json!({"type": "number", "minimum": 0.5}))
        .with("header", "trace", json!({"format": "uuid", "type": "string"}))
        .with("header", "short", json!({"type": ["string", "number"], "default": "none"}))
        .fixed("query", "fixed", "a b")
        .fixed("header", "authorization", "Bearer ${KEY}")
        .build()
}

/// A JSON body, with nested checks.
fn creating() -> Built {
    tool("POST", "/v1/records")
        .body("json")
        .with("body", "title", json!({"type": "string", "minLength": 2, "maxLength": 8}))
        .with("body", "note", json!({"type": ["string", "null"]}))
        .with("body", "city", json!({"type": "string", "wire": "shipping.address.city"}))
        .with("body", "zip", json!({"pattern": "^[0-9]{5}$", "wire": "shipping.zip", "default": "12345"}))
        .with("body", "amount", json!({"type": "number", "minimum": 0, "exclusiveMaximum": 1000}))
        .with("body", "free", json!({}))
        .with(
            "body",
            "items",
            json!({"type": "array", "minItems": 1, "items": {
                "type": "object",
                "properties": {
                    "sku": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]+$"},
                    "quantity": {"type": "integer", "minimum": 1},
                    "a_name_of_more_than_sixteen_bytes": {"type": "boolean"},
                },
                "required": ["sku"],
                "additionalProperties": false,
                "maxProperties": 2,
            }}),
        )
        .fixed("header", "authorization", "Bearer ${KEY}")
        .build()
}

static TOOLS: LazyLock<[Built; 2]> = LazyLock::new(|| [listing(), creating()]);

#[test]
fn usual_calls_go_the_quick_way() {
    let [listing, creating] = &*TOOLS;
    for arguments in [
        r#"{"id":"a b"}"#,
        r#"{ "id" : "x" , "day" : 31, "page": 99 }"#,
        r#"{"id":"x","day":"monday","state":"closed","repeated":["a","b c"],"commas":[1,2,3],"pipes":[],"spaces":[null,"ü"]}"#,
        r#"{"id":"x","state":3,"ratio":0.25,"trace":"0e37df36-f698-11e6-8dd4-cb9ced3df976","short":1.5e3,"spaces":[]}"#,
    ] {
        let is_quick = listing.is_quick(arguments);
        // A default that is a list is left to the careful way.
        assert_eq!(is_quick, arguments.contains("spaces"), "{arguments}");
        listing.ok(arguments);
    }
    for arguments in [
        "{}",
        r#"{"title":"pens","note":"say \"hi\"","city":"Oslo","amount":12.50,"items":[{"sku":"PEN-1","quantity":3},{"sku":"INK-22"}]}"#,
        r#"{"items":[{"a_name_of_more_than_sixteen_bytes":true,"sku":"PEN-1"}],"zip":"54321","free":[1,[2,["x"]]]}"#,
    ] {
        assert!(creating.is_quick(arguments), "{arguments}");
        creating.ok(arguments);
    }
}

#[test]
fn rare_calls_and_wrong_ones_go_the_careful_way() {
    let [listing, creating] = &*TOOLS;
    let spaces = r#","spaces":[1]}"#;
    for arguments in [
        r#"{"id":"a.b""#,
        r#"{"id":"""#,
        r#"{"id":"é""#,
        r#"{"id":"a\u0062""#,
        r#"{"i\u0064":"a""#,
        r#"{"id":"x","id":"y""#,
        r#"{"day":1"#,
        r#"{"id":"x","day":32"#,
        r#"{"id":"x","day":-1"#,
        r#"{"id":"x","day":1.0"#,
        r#"{"id":"x","page":100"#,
        r#"{"id":"x","page":0"#,
        r#"{"id":"x","ratio":1.1"#,
        r#"{"id":"x","half":7"#,
        r#"{"id":"x","short":"a\nb""#,
        r#"{"id":"x","short":"é""#,
        r#"{"id":"x","commas":[1,2,3,4]"#,
        r#"{"id":"x","pipes":[[1]]"#,
        r#"{"id":"x","other":1"#,
        r#"{"id":null"#,
    ] {
        let arguments = format!("{arguments}{spaces}");
        assert!(!listing.is_quick(&arguments), "{arguments}");
        let _ = listing.bind(arguments.as_bytes(), &mut Request::new());
    }
    for arguments in [
        r#"{"title":"p"}"#,
        r#"{"title":"far too long"}"#,
        r#"{"note":null}"#,
        r#"{"amount":-0}"#,
        r#"{"amount":1000}"#,
        r#"{"zip":"1234"}"#,
        r#"{"items":[]}"#,
        r#"{"items":[{}]}"#,
        r#"{"items":[{"sku":"PEN-1","sku":"PEN-1"}]}"#,
        r#"{"items":[{"sku":"PEN-1","x":1}]}"#,
        r#"{"items":[{"sku":"PEN-1","quantity":1,"a_name_of_more_than_sixteen_bytes":true}]}"#,
        r#"{"items":{"sku":"PEN-1"}}"#,
        r#"{"free":{"a":1}}"#,
        r#"{"free":[{"a":1}]}"#,
    ] {
        assert!(!creating.is_quick(arguments), "{arguments}");
        let _ = creating.bind(arguments.as_bytes(), &mut Request::new());
    }
}

#[test]
fn limits_hold_on_the_quick_way() {
    let mut tool = creating();
    tool.limits.body = r#"{"shipping":{"zip":"12345"},"title":"pens"}"#.len();
    assert!(tool.is_quick(r#"{"title":"pens"}"#));
    assert!(!tool.is_quick(r#"{"title":"pens!"}"#));
    tool.limits.arguments = 1;
    assert!(!tool.is_quick(r#"{"title":"p1","city":""}"#));

    let mut tool = listing();
    tool.limits.target = tool.target(r#"{"id":"x","pipes":[1,2],"spaces":[]}"#).len();
    assert!(tool.is_quick(r#"{"id":"x","pipes":[1,2],"spaces":[]}"#));
    assert!(!tool.is_quick(r#"{"id":"x","pipes":[1,22],"spaces":[]}"#));
    tool.limits.path_value = 3;
    assert!(!tool.is_quick(r#"{"id":"four","spaces":[]}"#));
    tool.limits.header_value = 60;
    let arguments = |length| format!(r#"{{"id":"x","short":"{}","spaces":[]}}"#, "a".repeat(length));
    assert!(tool.is_quick(&arguments(60)));
    assert!(!tool.is_quick(&arguments(61)));
}

/// Values that are good for some parameter, and some that are not.
fn value() -> impl Strategy<Value = &'static str> {
    select(vec![
        r#""x""#,
        r#""a b""#,
        r#""open""#,
        r#""closed""#,
        r#""pens""#,
        r#""é""#,
        r#""a.b""#,
        r#""say \"hi\"""#,
        r#""54321""#,
        r#""0e37df36-f698-11e6-8dd4-cb9ced3df976""#,
        r#""""#,
        "1",
        "3",
        "31",
        "99",
        "100",
        "0",
        "-1",
        "0.5",
        "0.50",
        "12.50",
        "999.9",
        "1e2",
        "1.0",
        "100000000000000000",
        "1000000000000000000000",
        "true",
        "false",
        "null",
        "[]",
        "[1]",
        "[1,2,3]",
        r#"["a","b c"]"#,
        "[null,1]",
        r#"["a",[1]]"#,
        r#"[ "a" , 2 ]"#,
        "{}",
        r#"{"a":1}"#,
        r#"[{"sku":"PEN-1"}]"#,
        r#"[{"sku":"PEN-1","quantity":3},{"sku":"INK-22"}]"#,
        r#"[{"quantity":3}]"#,
        r#"[{"sku":"pen"}]"#,
        r#"[{"sku":"PEN-1","a_name_of_more_than_sixteen_bytes":false}]"#,
        r#"[{"sku":"PEN-1","sku":"PEN-1"}]"#,
    ])
}

/// Arguments with some of the names, in any order.
fn arguments(names: &'static [&'static str]) -> impl Strategy<Value = String> {
    let chosen = subsequence(names, 0..=names.len()).prop_shuffle();
    (chosen, prop::collection::vec(value(), names.len())).prop_map(|(names, values)| {
        let members = names.iter().zip(values).map(|(name, value)| format!("\"{name}\":{value}"));
        format!("{{{}}}", members.collect::<Vec<_>>().join(","))
    })
}

const LISTING: &[&str] = &[
    "id", "day", "state", "repeated", "commas", "pipes", "spaces", "page", "ratio", "half", "trace", "short",
];
const CREATING: &[&str] = &["title", "note", "city", "zip", "amount", "free", "items"];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_ways_write_the_same_target_and_headers(arguments in arguments(LISTING)) {
        let _ = TOOLS[0].bind(arguments.as_bytes(), &mut Request::new());
    }

    #[test]
    fn both_ways_write_the_same_body(arguments in arguments(CREATING)) {
        let _ = TOOLS[1].bind(arguments.as_bytes(), &mut Request::new());
    }
}
