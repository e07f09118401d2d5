//! Responses of MCP servers.

use super::{Seen, Tool, tool};
use crate::shape::{McpCode, McpFault, ShapeFailure};
use proptest::prelude::*;
use serde_json::{Value, json};

impl Tool {
    /// The result of a response to request 7.
    fn response(mut self, body: &str) -> Seen {
        self.message = Some(7);
        self.answer(200, None, body.as_bytes())
    }

    fn result(self, result: &Value) -> Seen {
        self.response(&json!({"jsonrpc": "2.0", "id": 7, "result": result}).to_string())
    }
}

fn code(seen: &Seen) -> McpCode {
    match &seen.shaped.failure {
        Some(ShapeFailure::Mcp(fault)) => fault.code(),
        other => panic!("{other:?}: {seen:?}"),
    }
}

fn every_block() -> Value {
    json!([
        {"type": "text", "text": "a \"b\"\n", "annotations": {"priority": 0.5}},
        {"type": "image", "data": "aGk=", "mimeType": "image/png"},
        {"type": "audio", "data": "aGk=", "mimeType": "audio/wav"},
        {"type": "resource", "resource": {"uri": "test://a", "text": "b"}},
        {"type": "resource_link", "uri": "test://b", "name": "B"},
    ])
}

#[test]
fn a_result_is_passed_through() {
    let result = json!({"content": every_block(), "structuredContent": {"a": [1.50]}});
    let seen = tool().result(&result);
    assert!(!seen.shaped.is_error, "{seen:?}");
    assert_eq!(Value::from(seen.items.clone()), every_block());
    assert_eq!(seen.structured, Some(json!({"a": [1.5]})));
    assert_eq!(seen.shaped.meta, None);
}

#[test]
fn digits_and_spelling_stay_and_line_ends_go() {
    let body = "{\n\"id\":\"7\",\n\"result\": {\"content\": [\n{\"type\":\"text\",\"text\":\"\\u00e9\"}\n],\n \"structuredContent\": {\"n\":\n 1.50e0}}}";
    let seen = tool().response(body);
    assert!(seen.members.contains(r#"{"type":"text","text":"\u00e9"}"#), "{}", seen.members);
    assert!(seen.members.ends_with(r#""structuredContent":{"n":1.50e0}"#), "{}", seen.members);
}

#[test]
fn what_a_revision_does_not_know_is_written_in_a_form_that_it_does() {
    let limits = |audio, resource_links| {
        tool().limits(move |limits| (limits.audio, limits.resource_links) = (audio, resource_links))
    };
    let result = json!({"content": every_block()});
    let oldest = limits(false, false).result(&result);
    let blob = json!({"type": "resource", "resource": {"uri": "answer:get_order", "mimeType": "audio/wav", "blob": "aGk="}});
    assert_eq!(oldest.items[2], blob);
    assert_eq!(oldest.items[4], json!({"type": "text", "text": "B: test://b"}));
    assert_eq!(oldest.items[0], every_block()[0]);
    let middle = limits(true, false).result(&result);
    assert_eq!(middle.items[2], every_block()[2]);
    assert_eq!(middle.items[4], json!({"type": "text", "text": "B: test://b"}));
}

#[test]
fn long_texts_are_cut() {
    let content = json!([{"type": "text", "text": "é".repeat(20)}, {"type": "text", "text": "short"}]);
    let seen = tool().max_text(10).result(&json!({"content": content}));
    assert!(seen.texts[0].starts_with("ééééé\n… (cut"), "{seen:?}");
    assert_eq!(seen.texts[1], "short");
}

#[test]
fn an_error_of_the_tool_stays_one() {
    let content = json!([{"type": "text", "text": "no such city"}]);
    let seen = tool().result(&json!({"content": content, "isError": true, "structuredContent": {}}));
    assert_eq!(seen.failure(), ("mcp_tool_failed", vec!["no such city"]));
    assert_eq!(code(&seen), McpCode::ExecutionError);
    assert_eq!(seen.structured, None);
}

#[test]
fn errors_of_the_protocol_have_their_code() {
    for (error, expected) in [
        (json!({"code": -32602, "message": "Unknown tool: x"}), McpCode::ToolNotFound),
        (json!({"code": -32602, "message": "MCP error -32602: Tool x not found"}), McpCode::ToolNotFound),
        (json!({"code": -32602, "message": "`city` must be a string"}), McpCode::InvalidParams),
        (json!({"code": -32601, "message": "Method not found"}), McpCode::ToolNotFound),
        (json!({"code": -32603, "message": "out of memory"}), McpCode::ExecutionError),
        (json!({}), McpCode::ExecutionError),
        (json!("no"), McpCode::ExecutionError),
    ] {
        let seen = tool().response(&json!({"id": 7, "error": error}).to_string());
        assert_eq!(code(&seen), expected, "{error}");
        let message = error["message"].as_str().unwrap_or("it did not say why");
        assert_eq!(seen.text(), format!("The MCP server refused the call: {message}"));
    }
}

#[test]
fn what_is_no_response_is_an_error_that_shows_it() {
    let good = r#"{"content":[]}"#;
    for (body, expected, words) in [
        ("hello".to_owned(), McpCode::ParseError, "cannot be read"),
        (String::new(), McpCode::ParseError, "cannot be read"),
        (format!(r#"{{"id":8,"result":{good}}}"#), McpCode::ProtocolError, "another request"),
        (format!(r#"{{"id":null,"result":{good}}}"#), McpCode::ProtocolError, "another request"),
        (format!(r#"{{"result":{good}}}"#), McpCode::ProtocolError, "another request"),
        (format!(r#"{{"id":7,"id":7,"result":{good}}}"#), McpCode::ProtocolError, "not one response"),
        (
            format!(r#"{{"id":7,"result":{good},"result":{good}}}"#),
            McpCode::ProtocolError,
            "not one response",
        ),
        (format!(r#"{{"id":7,"result":{good},"error":{{}}}}"#), McpCode::ProtocolError, "not one response"),
        (r#"{"id":7}"#.to_owned(), McpCode::ProtocolError, "not one response"),
        (format!(r#"[{{"id":7,"result":{good}}}]"#), McpCode::ProtocolError, "not one response"),
        (r#"{"id":7,"result":[]}"#.to_owned(), McpCode::ParseError, "not an object"),
        (r#"{"id":7,"result":{}}"#.to_owned(), McpCode::ParseError, "has no `content`"),
        (r#"{"id":7,"result":{"content":"a"}}"#.to_owned(), McpCode::ParseError, "not a list"),
        (r#"{"id":7,"result":{"content":[],"content":[]}}"#.to_owned(), McpCode::ParseError, "twice"),
        (r#"{"id":7,"result":{"content":[1]}}"#.to_owned(), McpCode::ParseError, "block 0"),
        (
            r#"{"id":7,"result":{"content":[{"type":"text","text":"a"},{"type":"video"}]}}"#.to_owned(),
            McpCode::ParseError,
            "block 1 of `content` has a type that no revision",
        ),
        (
            r#"{"id":7,"result":{"content":[{"type":"image","data":"a"}]}}"#.to_owned(),
            McpCode::ParseError,
            "lacks a member",
        ),
        (
            r#"{"id":7,"result":{"content":[{"type":"resource","resource":{"uri":"a:b"}}]}}"#.to_owned(),
            McpCode::ParseError,
            "lacks a member",
        ),
    ] {
        let seen = tool().response(&body);
        assert_eq!(code(&seen), expected, "{body}");
        assert!(seen.texts[0].contains(words), "{body}: {seen:?}");
        assert_eq!(seen.texts.get(1).map_or("", String::as_str), body);
    }
}

#[test]
fn half_a_character_is_replaced() {
    let seen = tool().response(r#"{"id":7,"result":{"content":[{"type":"text","text":"a\ud83d"}]}}"#);
    assert_eq!(seen.text(), "a\u{fffd}");
}

#[test]
fn structured_content_is_what_the_schema_promises() {
    let schema = json!({"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}});
    let result = |structured: Value| json!({"content": [], "structuredContent": structured});
    let seen = tool().schema(schema.clone()).result(&result(json!({"a": 1})));
    assert_eq!(seen.structured, Some(json!({"a": 1})));
    for wrong in [result(json!({"a": "1"})), json!({"content": []})] {
        let seen = tool().schema(schema.clone()).result(&wrong);
        assert_eq!(seen.failure().0, "output_schema", "{seen:?}");
    }
    // An error need not fit.
    let seen = tool().schema(schema).result(&json!({"content": [], "isError": true}));
    assert_eq!(seen.failure().0, "mcp_tool_failed");
}

#[test]
fn templates_take_the_place_of_the_blocks() {
    let result = json!({"content": [{"type": "text", "text": "x"}], "structuredContent": {"a": 1}});
    let seen = tool().silent_templates().result(&result);
    assert_eq!((seen.text(), &seen.structured), ("", &None));
    // An error template without words leaves the server's.
    let result = json!({"content": [{"type": "text", "text": "x"}], "isError": true});
    assert_eq!(tool().silent_templates().result(&result).text(), "x");
    let seen = tool().broken_template().result(&json!({"content": []}));
    assert_eq!(seen.failure().0, "template_render");
}

#[test]
fn the_meta_of_a_result_is_for_the_caller_but_not_the_servers_name() {
    let info = json!({"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}});
    let seen = tool().result(&json!({"content": [], "_meta": info}));
    assert_eq!(seen.shaped.meta, None);
    let seen = tool().result(&json!({"content": [], "_meta": {
        "io.modelcontextprotocol/serverInfo": {}, "a/b": [1], "c": "d",
    }}));
    assert_eq!(seen.shaped.meta.as_deref(), Some(r#""a/b":[1],"c":"d""#));
}

#[test]
fn input_is_asked_for_only_where_the_caller_can_be_asked() {
    let result = json!({"resultType": "input_required", "requestState": "s", "inputRequests": {"q": {}}});
    let seen = tool().result(&result);
    assert_eq!(code(&seen), McpCode::ProtocolError);
    assert_eq!(seen.shaped.failure, Some(ShapeFailure::Mcp(McpFault::InputRequired)));

    let mut asking = tool().limits(|limits| limits.input_required = true);
    asking.message = Some(7);
    let body = json!({"id": 7, "result": result}).to_string();
    let (members, shaped) = asking.members(200, None, body.as_bytes());
    assert_eq!(members, r#""inputRequests":{"q":{}},"requestState":"s""#);
    assert!(shaped.input_required && !shaped.is_error);
}

fn json_value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        prop_oneof![Just("text"), Just("image"), Just("resource"), Just("a:b"), Just("\n\"")]
            .prop_map(Value::from),
    ];
    scalar.prop_recursive(5, 40, 6, |inner| {
        let name = prop::sample::select(vec![
            "type",
            "text",
            "data",
            "mimeType",
            "uri",
            "name",
            "resource",
            "content",
            "structuredContent",
            "isError",
            "_meta",
            "resultType",
            "code",
            "message",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((name, inner), 0..5).prop_map(|members| {
                Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
            }),
        ]
    })
}

proptest! {
    /// Whatever a server sends, the members of the result are valid JSON on one line, with blocks that clients know.
    #[test]
    fn whatever_comes_the_result_is_one(result in json_value(), is_error in any::<bool>(), audio in any::<bool>()) {
        let body = match is_error {
            true => json!({"id": 7, "error": result}),
            false => json!({"id": 7, "result": result}),
        };
        tool().limits(|limits| (limits.audio, limits.resource_links) = (audio, audio)).response(&body.to_string());
        tool().response(&result.to_string());
    }

    #[test]
    fn bytes_are_no_danger(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let mut tool = tool();
        tool.message = Some(7);
        tool.answer(200, None, &bytes);
    }
}
