//! Arguments that are read as part of a message are bound like those that are read alone.
//!
//! Each [`Built::bind`] compares the two; this asks for it with arguments of all spellings.

use crate::built::Built;
use crate::support::{Tool, tool};
use mcp_bundle::bind::{Limits, Request};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use std::sync::LazyLock;

/// Those of parameters, and others.
const NAMES: &[&str] =
    &["a", "b", "é/😀", "h", "k", "list", "n", "o", "q", "s", "t", "u", "\"", "", "A", "lisT", "other"];

/// Values in spellings that few callers use.
const ODD: &str = r#"
    null true false 0 -0 -0.0 1 42 1.0 1e0 1E+2 10e-1 -1.5 -1.50001 0.1e1 1e30 1e400 123456789012345678901234567890 0e99999999999
    "" "\/" "\u0000" "\ud83d\ude00" "a,b|c" ".." "\r\nx:\ty" "{\"k\":[1}" "\\" "\\\""
"#;

/// Arguments and depth: enough for most, and too few.
const LIMITS: &[(usize, usize)] = &[(256, 64), (256, 4), (256, 2), (256, 1), (256, 0), (9, 3), (4, 64)];

static TOOLS: LazyLock<Vec<Built>> = LazyLock::new(|| {
    let build = |tool: fn() -> Tool| {
        LIMITS.iter().map(move |&(arguments, depth)| {
            let mut built = tool().build();
            built.limits = Limits { arguments, depth, ..Limits::default() };
            built
        })
    };
    [closed, open, checked].into_iter().flat_map(build).collect()
});

/// Headers that are fixed, some before and some after those of a call; no arguments of other names.
fn closed() -> Tool {
    parameters(tool("GET", "/v1/{a}/{list}"), "query")
        .fixed("header", "accept", "application/json")
        .fixed("header", "authorization", "Bearer ${KEY}")
        .fixed("header", "x-tenant", "${tenant.id}")
        .fixed("header", "x-last", "${KEY}")
        .with("header", "h", json!({}))
        .with("cookie", "u", json!({}))
}

/// Takes nearly everything.
fn open() -> Tool {
    tool("POST", "/v1")
        .body("json")
        .with("body", "a", json!({}))
        .with("body", "é/😀", json!({}))
        .with("body", "list", json!({"items": {}}))
        .with("body", "o", json!({"properties": {"k": {}}}))
        .with("body", "x7", json!({"wire": "x.seven"}))
        .fixed("header", "authorization", "Bearer ${KEY}")
        .additional(json!({}))
}

/// Others only of a kind, and a schema for all.
fn checked() -> Tool {
    parameters(tool("POST", "/v1/{a}/{list}").body("json"), "body")
        .with(
            "body",
            "u",
            json!({"properties": {"a": {"enum": [1, "a", null]}}, "additionalProperties": false}),
        )
        .additional(json!({"items": {"type": ["integer", "string"]}}))
        .schema(json!({"type": "object", "maxProperties": 12}))
}

fn parameters(tool: Tool, position: &str) -> Tool {
    tool.with("path", "a", json!({"default": "d"}))
        .with("path", "list", json!({"default": ["d"], "items": {}}))
        .with(position, "b", json!({"type": "boolean"}))
        .with(position, "é/😀", json!({}))
        .with(position, "n", json!({"type": "number", "minimum": -1.5, "maximum": 1e30}))
        .with(position, "o", json!({"style": "json", "properties": {"k": {"type": "string"}, "list": {"items": {"type": "integer"}, "maxItems": 2}}}))
        .with(position, "q", json!({"style": "json"}))
        .with(position, "s", json!({"type": "string", "maxLength": 6, "sensitive": true}))
        .with(position, "t", json!({"type": ["integer", "null"]}))
}

fn space() -> impl Strategy<Value = &'static str> {
    select(vec!["", "", "", "", " ", "\n", "\t\r\n "])
}

/// A string in one of its spellings: `escaped` has a bit for each character.
fn string(text: &str, escaped: u8) -> String {
    let mut out = String::from("\"");
    for (index, character) in text.chars().enumerate() {
        if escaped >> (index % 8) & 1 == 1 {
            let mut units = [0; 2];
            character
                .encode_utf16(&mut units)
                .iter()
                .for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
        } else {
            let quoted = json!(character).to_string();
            out.push_str(&quoted[1..quoted.len() - 1]);
        }
    }
    out.push('"');
    out
}

fn escaped() -> impl Strategy<Value = u8> {
    prop_oneof![3 => Just(0), 1 => any::<u8>()]
}

fn name() -> impl Strategy<Value = String> {
    let name = prop_oneof![
        1 => select(NAMES).prop_map(str::to_owned),
        1 => (0..60).prop_map(|number| format!("x{number}")),
    ];
    (name, escaped()).prop_map(|(name, escaped)| string(&name, escaped))
}

fn leaf() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => select(ODD.split_whitespace().map(str::to_owned).collect::<Vec<_>>()),
        1 => any::<f64>().prop_filter("JSON", |number| number.is_finite()).prop_map(|number| json!(number).to_string()),
        2 => ("\\PC{0,8}", escaped()).prop_map(|(text, escaped)| string(&text, escaped)),
    ]
}

/// Brackets around a value, about as many as are allowed.
fn nested() -> impl Strategy<Value = String> {
    let levels = prop_oneof![3 => 0..6_usize, 1 => 60..68_usize, 1 => 122..132_usize];
    (levels, any::<u128>(), leaf()).prop_map(|(levels, objects, leaf)| {
        (0..levels).fold(leaf, |inner, level| match objects >> (level % 128) & 1 {
            1 => format!("{{\"k\":{inner}}}"),
            _ => format!("[{inner}]"),
        })
    })
}

fn value() -> impl Strategy<Value = String> {
    let first = prop_oneof![24 => leaf(), 1 => nested()];
    first.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec((space(), inner.clone(), space()), 0..4).prop_map(|items| {
                let items: Vec<String> = items.iter().map(|(a, item, b)| format!("{a}{item}{b}")).collect();
                format!("[{}]", items.join(","))
            }),
            object(inner, 4),
        ]
    })
}

/// Names may occur twice.
fn object(value: impl Strategy<Value = String>, most: usize) -> impl Strategy<Value = String> {
    let member = (space(), name(), space(), space(), value, space())
        .prop_map(|(a, name, b, c, value, d)| format!("{a}{name}{b}:{c}{value}{d}"));
    (space(), vec(member, 0..most)).prop_map(|(space, members)| match members.is_empty() {
        true => format!("{{{space}}}"),
        false => format!("{{{}}}", members.join(",")),
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arguments_of_a_message_are_bound_like_others(
        before in space(),
        arguments in prop_oneof![9 => object(value(), 14), 1 => value()],
        after in space(),
    ) {
        let arguments = format!("{before}{arguments}{after}");
        // Else there would be nothing to compare.
        prop_assert!(serde_json::from_str::<serde::de::IgnoredAny>(&arguments).is_ok());
        for tool in &*TOOLS {
            let _ = tool.bind(arguments.as_bytes(), &mut Request::new());
        }
    }
}

#[test]
fn few_arguments_and_many_are_bound_alike() {
    let open = open().build();
    for count in 0..20 {
        let members: Vec<String> = (0..count).map(|number| format!("\"x{number}\": {number}")).collect();
        let body = open.json_body(&format!("{{{}}}", members.join(" ,")));
        assert_eq!(body.matches("\"x").count(), count, "{body}");
    }
}
