//! What goes upstream, byte for byte.

use mcpc_tests::{World, answer, spec};
use serde_json::{Value, json};

/// A call, and the request that it makes.
struct Row {
    /// The rest of the tool's table.
    tool: String,
    arguments: Value,
    line: &'static str,
    /// Content type and text.
    body: Option<(&'static str, &'static str)>,
}

fn row(tool: impl Into<String>, arguments: Value, line: &'static str) -> Row {
    Row { tool: tool.into(), arguments, line, body: None }
}

fn check(rows: &[Row]) {
    let names: Vec<String> = (0..rows.len()).map(|number| format!("t{number}")).collect();
    let tools: Vec<(&str, &str)> =
        names.iter().zip(rows).map(|(name, row)| (name.as_str(), row.tool.as_str())).collect();
    let world = World::new(&spec(&tools));
    for (number, (name, row)) in names.iter().zip(rows).enumerate() {
        let called = world.call(name, row.arguments.clone());
        assert!(!called.is_error(), "{}: {}", row.tool, called.body);
        let mut expected = format!("{} HTTP/1.1\r\nhost: {}\r\n", row.line, world.upstream.address);
        if let Some((kind, _)) = row.body {
            expected.push_str(&format!("content-type: {kind}\r\n"));
        }
        expected.push_str("accept-encoding: gzip, br, zstd\r\n");
        if let Some((_, body)) = row.body {
            expected.push_str(&format!("content-length: {}\r\n", body.len()));
        }
        expected.push_str(concat!("user-agent: mcp-edge/", env!("CARGO_PKG_VERSION"), "\r\n\r\n"));
        expected.push_str(row.body.map_or("", |(_, body)| body));
        assert_eq!(world.upstream.request(number).text(), expected, "{}", row.tool);
    }
}

#[test]
fn path_values_are_encoded_and_stay_in_their_segment() {
    let path = r#"
        method = "GET"
        endpoint = "/orders/{id}/lines"
        parameters = [{ name = "id", description = "Id", required = true, position = "path" }]
    "#;
    let list = r#"
        method = "DELETE"
        endpoint = "/orders/{ids}"
        [[tool.parameters]]
        name = "ids"
        type = "array"
        items = { type = "integer" }
        description = "Ids"
        required = true
        position = "path"
        style = "comma"
    "#;
    let unicode = "GET /orders/Zo%C3%AB%20%E6%9D%B1%E4%BA%AC%20%F0%9F%A6%80/lines";
    let reserved = "GET /orders/a%2Fb%3Fc%23d%20e%25f%2Bg/lines";
    check(&[
        row(path, json!({"id": "a-1_b.c~"}), "GET /orders/a-1_b.c~/lines"),
        row(path, json!({"id": "a/b?c#d e%f+g"}), reserved),
        row(path, json!({"id": "Zoë 東京 🦀"}), unicode),
        row(list, json!({"ids": [1, 2, 30]}), "DELETE /orders/1,2,30"),
    ]);
}

#[test]
fn every_style_of_the_query_is_written_as_the_language_says() {
    let query = |options: &str, value: Value, line: &'static str| {
        let parameter = format!("{{ name = \"v\", description = \"V\", position = \"query\", {options} }}");
        let arguments = if value.is_null() { json!({}) } else { json!({"v": value}) };
        row(format!("method = \"GET\"\nendpoint = \"/q\"\nparameters = [{parameter}]"), arguments, line)
    };
    let (text, number) = ("type = \"string\"", "type = \"integer\"");
    let default = "type = \"integer\", default = 25, wire_name = \"limit\"";
    let list = |style: &str| format!("type = \"array\", items = {{ type = \"integer\" }}{style}");
    let (comma, space, pipe) =
        (list(", style = \"comma\""), list(", style = \"space\""), list(", style = \"pipe\""));
    let object = "type = \"object\", properties = { a = { type = \"integer\" }, b = { type = \"string\" } }";
    let text_form = format!("{object}, style = \"json\"");
    check(&[
        query(text, json!("a b&c=d+é"), "GET /q?v=a%20b%26c%3Dd%2B%C3%A9"),
        query(text, json!(""), "GET /q?v="),
        query(text, Value::Null, "GET /q"),
        query(default, Value::Null, "GET /q?limit=25"),
        query(number, json!(12_345_678_901_234_567_890_u64), "GET /q?v=12345678901234567890"),
        query("type = \"boolean\"", json!(true), "GET /q?v=true"),
        query(&list(""), json!([1, 2]), "GET /q?v=1&v=2"),
        query(&comma, json!([1, 2]), "GET /q?v=1,2"),
        query(&space, json!([1, 2]), "GET /q?v=1%202"),
        query(&pipe, json!([1, 2]), "GET /q?v=1%7C2"),
        query(object, json!({"a": 1, "b": "x y"}), "GET /q?v%5Ba%5D=1&v%5Bb%5D=x%20y"),
        query(&text_form, json!({"a": 1}), "GET /q?v=%7B%22a%22%3A1%7D"),
    ]);
}

#[test]
fn headers_cookies_constants_and_variables_go_where_they_belong() {
    let spec = r#"
[upstream.api]
url = "UPSTREAM/base"
headers = { authorization = "Bearer ${TOKEN}", x-origin = "upstream" }

[[tool]]
name = "t"
description = "Sends headers and cookies of all kinds."
upstream = "api"
method = "GET"
endpoint = "/h?fixed=1"
headers = { x-origin = "tool", x-made = "{{ .region }}/x" }
[[tool.parameters]]
name = "trace"
description = "A header"
position = "header"
wire_name = "x-trace"
[[tool.parameters]]
name = "flags"
type = "array"
items = { type = "string" }
description = "A list in a header"
position = "header"
wire_name = "x-flags"
[[tool.parameters]]
name = "session"
description = "A cookie"
position = "cookie"
[[tool.parameters]]
name = "theme"
description = "Another cookie"
position = "cookie"
default = "dark"
[[tool.parameters]]
name = "region"
description = "Read by a template"
[[tool.parameters]]
name = "version"
position = "query"
value = "v ${TOKEN}"
"#;
    let world = World::new(spec);
    let arguments = json!({"trace": "a b\tc", "flags": ["x", "y"], "session": "s=1; t", "region": "eu"});
    assert!(!world.call("t", arguments).is_error());
    let request = world.upstream.request(0);
    assert_eq!(request.line(), "GET /base/h?fixed=1&version=v%20s3cr3t-T0k3n-value HTTP/1.1");
    for (name, values) in [
        ("host", vec![world.upstream.address.to_string()]),
        ("authorization", vec!["Bearer s3cr3t-T0k3n-value".to_owned()]),
        ("x-origin", vec!["tool".to_owned()]),
        ("x-made", vec!["eu/x".to_owned()]),
        ("x-trace", vec!["a b\tc".to_owned()]),
        ("x-flags", vec!["x,y".to_owned()]),
        ("cookie", vec!["session=s%3D1%3B%20t; theme=dark".to_owned()]),
        ("content-length", vec![]),
    ] {
        assert_eq!(request.header(name), values, "{name}: {}", request.text());
    }
}

#[test]
fn bodies_are_json_forms_whole_arguments_or_templates() {
    let nested = r#"
        method = "POST"
        endpoint = "/b"
        parameters = [
          { name = "city", description = "City", wire_name = "ship.address.city" },
          { name = "zip", description = "Zip", wire_name = "ship.address.zip" },
          { name = "count", type = "integer", description = "Count", default = 1 },
          { name = "kind", value = "order" },
          { name = "tags", type = "array", items = { type = "string" }, description = "Tags" },
        ]
    "#;
    let form = r#"
        method = "POST"
        endpoint = "/b"
        body = "form"
        parameters = [
          { name = "name", description = "Name" },
          { name = "ids", type = "array", items = { type = "integer" }, description = "Ids" },
        ]
    "#;
    let whole = r#"
        method = "PUT"
        endpoint = "/b"
        body = "whole:document"
        parameters = [{ name = "document", type = "object", description = "Document", required = true }]
    "#;
    let template = r#"
        method = "PATCH"
        endpoint = "/b"
        body_template = '{"query": {{ .text }}, "label": "by {{ .user }}"}'
        parameters = [
          { name = "text", description = "Text", required = true },
          { name = "user", description = "User", required = true },
        ]
    "#;
    let with = |tool: &str, arguments, line, kind, body| Row {
        body: Some((kind, body)),
        ..row(tool, arguments, line)
    };
    const JSON: &str = "application/json";
    const FORM: &str = "application/x-www-form-urlencoded";
    let all = json!({"city": "Zürich \"1\"", "zip": "8001", "count": 2, "tags": ["a\nb"]});
    let written = r#"{"ship":{"address":{"city":"Zürich \"1\"","zip":"8001"}},"count":2,"kind":"order","tags":["a\nb"]}"#;
    let document = json!({"document": {"b": 1.5, "a": [true, "é"]}});
    let quoted = json!({"text": "say \"hi\"", "user": "a\"b"});
    check(&[
        with(nested, all, "POST /b", JSON, written),
        with(nested, json!({}), "POST /b", JSON, r#"{"count":1,"kind":"order"}"#),
        with(form, json!({"name": "a b&c", "ids": [1, 2]}), "POST /b", FORM, "name=a%20b%26c&ids=1&ids=2"),
        with(whole, document, "PUT /b", JSON, r#"{"b":1.5,"a":[true,"é"]}"#),
        with(template, quoted, "PATCH /b", JSON, r#"{"query": "say \"hi\"", "label": "by a\"b"}"#),
    ]);
}

#[test]
fn large_bodies_go_both_ways() {
    let tool = r#"
        method = "POST"
        endpoint = "/big"
        parameters = [{ name = "text", description = "Text" }]
    "#;
    let world = World::new(&spec(&[("t", tool)]));
    let argument = "é".repeat(100 << 10);
    let body = "x".repeat(1 << 20);
    world.upstream.answers(answer(200, "text/plain", &body));
    assert_eq!(world.call("t", json!({"text": argument})).text(), body);
    let request = world.upstream.request(0);
    let expected = format!("{{\"text\":\"{argument}\"}}");
    assert!(request.body() == expected);
    assert_eq!(request.header("content-length"), [expected.len().to_string()]);
}
