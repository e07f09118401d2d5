//! What is accepted and what is refused, and that requests hold what the arguments said.
//!
//! Each [`Built::bind`] has a validator that is not ours look at what was accepted, and compares arguments alone with those of a
//! message.

use crate::built::Built;
use crate::support::tool;
use mcp_bundle::bind::{Arguments, Binder, Request, Scratch, Values};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use serde_json::json;
use std::sync::LazyLock;

/// Path, query and headers, with all kinds of checks.
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

fn is_bound(tool: &Built, arguments: &str) -> bool {
    tool.bind(arguments.as_bytes(), &mut Request::new()).is_ok()
}

#[test]
fn good_calls_are_bound() {
    let [listing, creating] = &*TOOLS;
    for arguments in [
        r#"{"id":"a b"}"#,
        r#"{ "id" : "x" , "day" : 31, "page": 99 }"#,
        r#"{"id":"x","day":"monday","state":"closed","repeated":["a","b c"],"commas":[1,2,3],"pipes":[],"spaces":[null,"ü"]}"#,
        r#"{"id":"x","state":3,"ratio":0.25,"trace":"0e37df36-f698-11e6-8dd4-cb9ced3df976","short":1.5e3,"spaces":[]}"#,
        r#"{"id":"a.b"}"#,
        r#"{"id":"é"}"#,
        r#"{"id":"a\u0062"}"#,
        r#"{"i\u0064":"a"}"#,
        r#"{"id":"x","day":1.0}"#,
        r#"{"id":"x","page":1e1}"#,
        r#"{"id":"x","half":7}"#,
        r#"{"id":"x","pipes":[[1]]}"#,
        r#"{"id":"x","state":30e-1}"#,
    ] {
        assert!(is_bound(listing, arguments), "{arguments}");
    }
    for arguments in [
        "{}",
        r#"{"title":"pens","note":"say \"hi\"","city":"Oslo","amount":12.50,"items":[{"sku":"PEN-1","quantity":3},{"sku":"INK-22"}]}"#,
        r#"{"items":[{"a_name_of_more_than_sixteen_bytes":true,"sku":"PEN-1"}],"zip":"54321","free":[1,[2,["x"]]]}"#,
        r#"{"note":null}"#,
        r#"{"amount":-0}"#,
        r#"{"free":{"a":1}}"#,
        r#"{"free":[{"a":1}]}"#,
    ] {
        assert!(is_bound(creating, arguments), "{arguments}");
    }
}

#[test]
fn wrong_calls_are_not_bound() {
    let [listing, creating] = &*TOOLS;
    for arguments in [
        r#"{"id":""}"#,
        r#"{"id":"x","id":"y"}"#,
        r#"{"day":1}"#,
        r#"{"id":"x","day":32}"#,
        r#"{"id":"x","day":-1}"#,
        r#"{"id":"x","page":100}"#,
        r#"{"id":"x","page":0}"#,
        r#"{"id":"x","page":1.5}"#,
        r#"{"id":"x","page":99999999999999999999999}"#,
        r#"{"id":"x","ratio":1.1}"#,
        r#"{"id":"x","half":0.4}"#,
        r#"{"id":"x","short":"a\nb"}"#,
        r#"{"id":"x","short":"é"}"#,
        r#"{"id":"x","commas":[1,2,3,4]}"#,
        r#"{"id":"x","other":1}"#,
        r#"{"id":"thirteen letters"}"#,
        r#"{"id":null}"#,
        r#"{"id":".."}"#,
    ] {
        assert!(!is_bound(listing, arguments), "{arguments}");
    }
    for arguments in [
        r#"{"title":"p"}"#,
        r#"{"title":"far too long"}"#,
        r#"{"amount":1000}"#,
        r#"{"zip":"1234"}"#,
        r#"{"items":[]}"#,
        r#"{"items":[{}]}"#,
        r#"{"items":[{"sku":"PEN-1","sku":"PEN-1"}]}"#,
        r#"{"items":[{"sku":"PEN-1","x":1}]}"#,
        r#"{"items":[{"sku":"PEN-1","quantity":1,"a_name_of_more_than_sixteen_bytes":true}]}"#,
        r#"{"items":{"sku":"PEN-1"}}"#,
        r#"{"free":{"a":1,"\u0061":2}}"#,
        r#"{"free":[{"a":{"b":1,"b":2}}]}"#,
    ] {
        assert!(!is_bound(creating, arguments), "{arguments}");
    }
}

#[test]
fn limits_hold() {
    let mut tool = creating();
    tool.limits.body = r#"{"shipping":{"zip":"12345"},"title":"pens"}"#.len();
    assert!(is_bound(&tool, r#"{"title":"pens"}"#));
    assert!(!is_bound(&tool, r#"{"title":"pens!"}"#));
    tool.limits.arguments = 1;
    assert!(!is_bound(&tool, r#"{"title":"p1","city":""}"#));

    let mut tool = listing();
    tool.limits.target = tool.target(r#"{"id":"x","pipes":[1,2],"spaces":[]}"#).len();
    assert!(is_bound(&tool, r#"{"id":"x","pipes":[1,2],"spaces":[]}"#));
    assert!(!is_bound(&tool, r#"{"id":"x","pipes":[1,22],"spaces":[]}"#));
    tool.limits.path_value = 3;
    assert!(!is_bound(&tool, r#"{"id":"four","spaces":[]}"#));
    tool.limits.header_value = 60;
    let arguments = |length| format!(r#"{{"id":"x","short":"{}","spaces":[]}}"#, "a".repeat(length));
    assert!(is_bound(&tool, &arguments(60)));
    assert!(!is_bound(&tool, &arguments(61)));
}

#[test]
fn a_caller_has_variables_of_its_own() {
    let tool = tool("GET", "/{t}")
        .with("path", "t", json!({"default": "d"}))
        .fixed("query", "key", "k${KEY}")
        .fixed("header", "authorization", "Bearer ${KEY}")
        .fixed("header", "x-tenant", "${tenant.id}")
        .build();
    let own: Vec<Box<str>> = vec!["a&b".into(), "other".into()];
    let prepared = tool.prepared();
    let (contents, matchers, limits) = (&tool.contents, &tool.matchers, &tool.limits);
    let mut binder = Binder { contents, matchers, limits, scratch: &mut Scratch::default() };
    let values = Values { variables: Some(&own), tenant_id: Some("acme"), ..Values::default() };
    let mut request = Request::new();
    binder.bind(prepared.find("get_order").unwrap(), &Arguments::EMPTY, &values, &mut request).unwrap();
    assert_eq!(request.target, b"/d?key=ka%26b");
    assert_eq!(request.head(), b"authorization: Bearer other\r\nx-tenant: acme\r\n");
}

/// Query, form and path with the same arguments, which must be found in them again.
static PLACES: LazyLock<[Built; 2]> = LazyLock::new(|| {
    let placed = |position: &str, path: &str, body: &str| {
        let placed = tool("POST", path)
            .with("path", "id", json!({"type": "string"}))
            .with(position, "text", json!({"type": "string"}))
            .with(position, "list", json!({"type": "array", "items": {"type": "string"}}))
            .with(position, "number", json!({"type": "number"}));
        placed.body(body).build()
    };
    [placed("query", "/v1/{id}", "json"), placed("body", "/v1/{id}", "form")]
});

/// What percent-encoding stands for, by a reader of its own.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first == b'%' {
            let digits = std::str::from_utf8(&after[..2]).unwrap();
            bytes.push(u8::from_str_radix(digits, 16).unwrap());
            rest = &after[2..];
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).unwrap()
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
    fn targets_and_headers_are_bound_or_refused(arguments in arguments(LISTING)) {
        let _ = TOOLS[0].bind(arguments.as_bytes(), &mut Request::new());
    }

    #[test]
    fn bodies_are_bound_or_refused(arguments in arguments(CREATING)) {
        let _ = TOOLS[1].bind(arguments.as_bytes(), &mut Request::new());
    }

    #[test]
    fn arguments_are_found_in_the_request(
        id in "[a-zé/?#&= %~-]{1,12}", text in any::<String>(), list in prop::collection::vec(any::<String>(), 0..40), number: i64,
    ) {
        let arguments = json!({"id": id, "text": text, "list": list, "number": number}).to_string();
        for (tool, is_form) in PLACES.iter().zip([false, true]) {
            let mut request = Request::new();
            let bound = tool.bind(arguments.as_bytes(), &mut request);
            prop_assert!(bound.is_ok(), "{:?}", bound);
            let target = String::from_utf8(request.target.clone()).unwrap();
            let (path, query) = target.split_once('?').unwrap_or((&target, ""));
            prop_assert_eq!(decoded(path.strip_prefix("/v1/").unwrap()), id.as_str());
            let body = String::from_utf8(request.body().unwrap().to_vec()).unwrap();
            let pairs = if is_form { body.as_str() } else { query };
            let mut wanted: Vec<(&str, String)> = list.iter().map(|item| ("list", item.clone())).collect();
            wanted.push(("number", number.to_string()));
            wanted.push(("text", text.clone()));
            let found: Vec<(&str, String)> =
                pairs.split('&').map(|pair| pair.split_once('=').unwrap()).map(|(name, value)| (name, decoded(value))).collect();
            prop_assert_eq!(found, wanted);
        }
    }
}
