//! Lenient tools: what is converted, what is not, and that the request is that of well-typed arguments.

use crate::built::Built;
use crate::support::{Tool, tool};
use mcp_bundle::bind::{ProblemKind, Request};
use proptest::collection::btree_map;
use proptest::prelude::*;
use serde_json::{Value, json};

fn records() -> Tool {
    tool("POST", "/v1/{id}")
        .body("json")
        .with("path", "id", json!({"type": "string"}))
        .with("query", "page", json!({"type": "integer", "minimum": 1, "maximum": 9}))
        .with("header", "trace", json!({"type": "string", "default": "none"}))
        .with("body", "title", json!({"type": "string", "maxLength": 4}))
        .with("body", "ratio", json!({"type": "number"}))
        .with("body", "open", json!({"type": "boolean"}))
        .with("body", "kind", json!({"type": "string", "enum": ["1", "2"]}))
        .with("body", "either", json!({"type": ["integer", "boolean"]}))
        .with("body", "free", json!({}))
        .with("body", "codes", json!({"type": "array", "items": {"type": "string"}}))
        .with(
            "body",
            "line",
            json!({
                "type": "object",
                "properties": {"count": {"type": "integer"}, "é\"": {"type": "string"}},
                "additionalProperties": {"type": "boolean"},
            }),
        )
}

#[test]
fn values_that_lose_nothing_are_converted() {
    let tool = records().lenient().build();
    for (arguments, body) in [
        (r#""title": 4.50"#, r#"{"title":"4.50"}"#),
        (r#""ratio": "-1.50e+2""#, r#"{"ratio":-1.50e+2}"#),
        (r#""ratio": "\u0037""#, r#"{"ratio":7}"#),
        (r#""open": "true""#, r#"{"open":true}"#),
        (r#""kind": 2"#, r#"{"kind":"2"}"#),
        (r#""either": "12345678901234567890""#, r#"{"either":12345678901234567890}"#),
        (r#""either": "false""#, r#"{"either":false}"#),
        (r#""either": "1.0""#, r#"{"either":1.0}"#),
        (r#""codes": ["a", 1, 2e3 ]"#, r#"{"codes":["a", "1", "2e3" ]}"#),
        (
            r#""line": {"count": "3", "\u00e9\"": 4, "other": "true"}"#,
            r#"{"line":{"count": 3, "\u00e9\"": "4", "other": true}}"#,
        ),
        (r#""free": ["1", 1, "true"]"#, r#"{"free":["1", 1, "true"]}"#),
    ] {
        assert_eq!(tool.json_body(&format!(r#"{{"id": 7, {arguments}}}"#)), body, "{arguments}");
    }
    let bound = tool.ok(r#"{"id": 7, "page": "3", "trace": 5}"#);
    assert_eq!(bound.url, "https://api.example.com/v1/7?page=3");
    assert_eq!(bound.headers[0], ("trace".to_owned(), "5".to_owned()));
}

#[test]
fn everything_else_is_refused_as_before() {
    let (lenient, strict) = (records().lenient().build(), records().build());
    for arguments in [
        r#"{"id": true}"#,
        r#"{"id": null}"#,
        r#"{"id": ["a"]}"#,
        r#"{"id": "a", "page": 1.5}"#,
        r#"{"id": "a", "page": "1.5"}"#,
        r#"{"id": "a", "page": ""}"#,
        r#"{"id": "a", "page": " 1"}"#,
        r#"{"id": "a", "page": "1 "}"#,
        r#"{"id": "a", "page": "+1"}"#,
        r#"{"id": "a", "page": "01"}"#,
        r#"{"id": "a", "page": "0x1"}"#,
        r#"{"id": "a", "page": "1,2"}"#,
        r#"{"id": "a", "page": "null"}"#,
        r#"{"id": "a", "ratio": "NaN"}"#,
        r#"{"id": "a", "open": "True"}"#,
        r#"{"id": "a", "open": 1}"#,
        r#"{"id": "a", "codes": "a"}"#,
        r#"{"id": "a", "line": "{}"}"#,
        r#"{"id": "a", "unknown": 1}"#,
        r#"{"id": "a", "id": "b"}"#,
        r#"[1]"#,
        r#"{"id": "#,
    ] {
        assert_eq!(lenient.error(arguments), strict.error(arguments), "{arguments}");
    }
}

#[test]
fn what_was_converted_is_checked_like_any_value() {
    let tool = records().lenient().build();
    let (kind, message) = tool.problem(r#"{"id": 1, "page": "12"}"#);
    assert_eq!((kind, message.as_str()), (ProblemKind::OutOfRange, "`page` must be at most 9, not 12"));
    assert_eq!(tool.problem(r#"{"id": 1, "title": 12345}"#).0, ProblemKind::Length);
    assert_eq!(tool.problem(r#"{"id": 1, "kind": 3}"#).0, ProblemKind::NotInEnum);
    // Of several problems, only those are told that remain.
    let error = tool.error(r#"{"id": 1, "page": "3", "open": "yes", "line": {"count": []}}"#);
    let told: Vec<&str> = error.problems.iter().map(|problem| problem.argument.as_str()).collect();
    assert_eq!(told, ["open", "line.count"]);
}

#[test]
fn arguments_of_any_name_are_converted_too() {
    let any = || tool("POST", "/").body("json").additional(json!({"type": "integer"}));
    assert_eq!(any().lenient().build().json_body(r#"{"a": "1", "b": 2}"#), r#"{"a":1,"b":2}"#);
    assert_eq!(any().build().problem(r#"{"a": "1"}"#).0, ProblemKind::WrongType);
}

#[test]
fn a_full_schema_sees_what_was_converted() {
    let schema = json!({"properties": {"n": {"multipleOf": 2}}});
    let tool = tool("POST", "/").body("json").with("body", "n", json!({"type": "integer"})).schema(schema);
    let tool = tool.lenient().build();
    assert_eq!(tool.json_body(r#"{"n": "4"}"#), r#"{"n":4}"#);
    assert_eq!(tool.problem(r#"{"n": "5"}"#).0, ProblemKind::Schema);
}

/// A value for `records`, and what else may stand for it.
fn value(kind: &str) -> BoxedStrategy<(String, String)> {
    let integer = || any::<i32>().prop_map(|n| (n.to_string(), format!("\"{n}\"")));
    match kind {
        "string" => ("[a-z]{0,4}", 0..9999_u32)
            .prop_flat_map(|(word, n)| {
                prop_oneof![
                    Just((format!("\"{word}\""), format!("\"{word}\""))),
                    Just((format!("\"{n}\""), n.to_string())),
                ]
            })
            .boxed(),
        "boolean" => any::<bool>().prop_map(|b| (b.to_string(), format!("\"{b}\""))).boxed(),
        _ => integer().boxed(),
    }
}

fn arguments() -> impl Strategy<Value = (String, String)> {
    let member = |name: &'static str, kind: &'static str| value(kind).prop_map(move |v| (name, v));
    let one = prop_oneof![
        member("trace", "string"),
        member("title", "string"),
        member("ratio", "number"),
        member("open", "boolean"),
        member("either", "integer"),
        (value("string"), value("string"))
            .prop_map(|(a, b)| ("codes", (format!("[{},{}]", a.0, b.0), format!("[{}, {}]", a.1, b.1)))),
        (value("integer"), value("boolean")).prop_map(|(a, b)| {
            let write = |a: &str, b: &str| format!(r#"{{"count":{a},"x":{b}}}"#);
            ("line", (write(&a.0, &b.0), write(&a.1, &b.1)))
        }),
    ];
    btree_map(any::<u8>(), one, 0..6).prop_map(|members| {
        let mut named: std::collections::BTreeMap<&str, (String, String)> = members.into_values().collect();
        named.insert("id", ("\"5\"".to_owned(), "5".to_owned()));
        let write = |pick: fn(&(String, String)) -> &str| {
            let members = named.iter().map(|(name, pair)| format!("\"{name}\":{}", pick(pair)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        };
        (write(|pair| &pair.0), write(|pair| &pair.1))
    })
}

type Sent = (String, Vec<(String, String)>, Value);

/// A request whose body is compared as JSON: white space comes over as it was.
fn request_of(tool: &Built, arguments: &str) -> Option<Sent> {
    let mut request = Request::new();
    tool.bind(arguments.as_bytes(), &mut request).ok()?;
    let bound = tool.ok(arguments);
    Some((bound.url, bound.headers, serde_json::from_str(&bound.body?).unwrap()))
}

proptest! {
    #[test]
    fn converted_arguments_give_the_request_of_typed_ones((typed, loose) in arguments()) {
        let (lenient, strict) = (records().lenient().build(), records().build());
        let expected = request_of(&strict, &typed);
        prop_assert!(expected.is_some());
        prop_assert_eq!(&request_of(&lenient, &loose), &expected);
        prop_assert_eq!(&request_of(&lenient, &typed), &expected);
    }

    #[test]
    fn whatever_strict_tools_take_lenient_ones_take_alike(text in r#"\{"(id|page|open)": ?("[0-9a-e.+-]{0,4}"|-?[0-9.e]{1,4}|true|\[\]|null)(, "id": "?a?"?)?\}"#) {
        let (lenient, strict) = (records().lenient().build(), records().build());
        let (taken, bound) = (request_of(&lenient, &text), request_of(&strict, &text));
        prop_assert!(bound.is_none() || taken == bound);
        if bound.is_none() && taken.is_none() {
            // The same number of problems at least: a conversion never hides one.
            prop_assert!(!lenient.error(&text).problems.is_empty());
        }
    }
}
