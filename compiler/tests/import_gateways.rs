//! `mcpc import` of other gateways' configurations, as people type it.

mod cli_support;

use cli_support::{Done, Workplace};
use mcpc::check::{MemoryFiles, check_files};
use mcpc::import::gateways::{Source, tool_json};
use mcpc::import::{document, finish};
use serde_json::Value;

const ENVOY: &str = r#"{"tool_config": {"tools": [
  {"name": "get_user", "http_rule": {"get": "/v1/users/{id}"},
   "tool_list_config": {"description": "Gets one user.", "input_schema": "{\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"}},\"required\":[\"id\"]}"}},
  {"name": "two methods", "http_rule": {"get": "/a", "put": "/b"}}
]}}"#;

const KONG: &str = r#"
services:
- name: shop
  url: https://api.example.com
  routes:
  - name: orders
    paths: [ /shop ]
    plugins:
    - name: ai-mcp-proxy
      config:
        mode: conversion-listener
        tools:
        - { name: list_orders, description: Lists all orders of the shop., method: GET, path: /shop/orders, headers: { authorization: "Bearer hunter2" } }
"#;

const POSTMAN: &str = r#"{
  "info": {"name": "Shop", "schema": "https://schema.getpostman.com/json/collection/v2.1.0/collection.json"},
  "item": [{"name": "Get order", "request": {"method": "GET", "url": "https://api.example.com/orders/:id"},
            "response": [{"name": "Paid", "code": 200, "body": "{\"id\": 1}"}]}]
}"#;

const AGENTGATEWAY: &str = r#"
mcp:
  targets:
  - name: shop
    openapi:
      schema: { file: shop.json }
      host: api.example.com
      port: 443
"#;

const APISIX: &str = r#"
routes:
- id: 1
  uri: /mcp
  plugins:
    openapi-to-mcp:
      base_url: https://api.example.com
      headers: { Authorization: Bearer hunter2 }
      openapi_url: https://api.example.com/openapi.json
"#;

/// The document that both read.
const WRAPPED: &str = r#"{"openapi": "3.0.0", "info": {"title": "Shop", "version": "1"}, "paths": {
  "/orders": {"get": {"operationId": "listOrders", "summary": "Lists all orders of the shop", "responses": {"200": {"description": "x"}}}}
}}"#;

fn imported(format: &str, text: &str, more: &[&str]) -> (Workplace, Done) {
    let place = Workplace::new();
    place.write("source.txt", text);
    let done = place.run(&[&["import", format, "source.txt", "-o", "specs"], more].concat());
    (place, done)
}

/// A19: the documents' own configuration comes over one to one: the bundle is that of the spec which people wrote for it.
#[test]
fn a19_the_seed_configuration_is_imported_one_to_one() {
    let text = include_str!("../../tests/fixtures/seed_get_order.json");
    let json = document::read(text.as_bytes()).unwrap();
    let source = Source { name: "seed_get_order.json", stem: Some("seed_get_order") };
    let finished = finish(tool_json::import(&source, &json).unwrap());
    assert_eq!(finished.fidelity.per_mille(), 1000);
    assert_eq!((finished.fidelity.changed, finished.fidelity.refused, finished.fidelity.left_out), (0, 0, 0));
    let [file] = finished.files.as_slice() else { panic!("{:?}", finished.files) };

    let plan = |name: &str, text: &str| {
        let report = check_files(&MemoryFiles::one(name, text));
        assert_eq!(report.errors(), 0);
        report.contents.unwrap()
    };
    let imported = plan(&file.name, &file.text);
    let written = plan("seed_get_order.toml", include_str!("../../tests/fixtures/seed_example.toml"));
    let request = |contents: &mcp_bundle::plan::Contents| {
        let tool = &contents.tools[0];
        let name = |id| contents.strings.get(id).to_owned();
        let http = tool.http().unwrap();
        let parts = |parts: &[mcp_bundle::plan::Part]| {
            parts.iter().map(|part| format!("{} {}", part.kind, part.id)).collect::<Vec<_>>()
        };
        let headers: Vec<_> =
            http.headers.iter().map(|header| (name(header.name), header.value.len())).collect();
        let parameters: Vec<_> = tool
            .parameters
            .iter()
            .map(|p| {
                (
                    name(p.name),
                    p.position,
                    p.required,
                    p.default.map(name),
                    tool.checks[p.check as usize].types,
                )
            })
            .collect();
        let members: Vec<_> = http.body.ops.iter().map(|op| (name(op.name), parts(&op.value))).collect();
        let policy = &contents.policies[tool.policy as usize];
        (http.method, http.path.len(), headers, parameters, members, policy.timeout_ms, policy.retry_count)
    };
    assert_eq!(request(&imported), request(&written));
    let program = |contents: &mcp_bundle::plan::Contents| contents.templates.programs[0].clone();
    assert_eq!(program(&imported), program(&written));
}

#[test]
fn each_format_is_imported_checked_and_built() {
    for (format, text, tool) in [
        ("envoy", ENVOY, "get_user"),
        ("kong", KONG, "list_orders"),
        ("postman", POSTMAN, "get_order"),
        ("tool-json", include_str!("../../tests/fixtures/seed_get_order.json"), "source"),
    ] {
        let (place, done) = imported(format, text, &[]);
        assert_eq!(done.code, i32::from(format == "envoy"), "{format}: {}{}", done.out, done.err);
        assert_eq!(place.run(&["check", "specs"]).code, 0, "{format}");
        assert_eq!(place.run(&["test", "specs"]).code, 0, "{format}");
        assert_eq!(place.run(&["build", "specs", "-o", "all.mcpk"]).code, 0, "{format}");
        let shown = place.run(&["inspect", "all.mcpk"]).out;
        assert!(shown.contains(tool), "{format}: {shown}");
        // The same again changes nothing.
        let again = place.run(&["import", format, "source.txt", "-o", "specs"]);
        assert!(again.out.contains("unchanged"), "{format}: {}", again.out);
    }
}

#[test]
fn gateways_of_openapi_documents_are_imported_checked_and_built() {
    for (format, text, more) in
        [("agentgateway", AGENTGATEWAY, &[][..]), ("apisix", APISIX, &["--openapi", "shop.json"][..])]
    {
        let place = Workplace::new();
        place.write("gateway.yaml", text);
        place.write("shop.json", WRAPPED);
        let run =
            |more: &[&str]| place.run(&[&["import", format, "gateway.yaml", "-o", "specs"], more].concat());
        let done = run(more);
        assert_eq!(done.code, 0, "{format}: {}{}", done.out, done.err);
        assert!(done.out.contains("tools: 1 imported, 0 refused"), "{format}: {}", done.out);
        assert_eq!(place.run(&["check", "specs"]).code, 0, "{format}");
        assert_eq!(place.run(&["test", "specs"]).code, 0, "{format}");
        assert_eq!(place.run(&["build", "specs", "-o", "all.mcpk"]).code, 0, "{format}");
        let shown = place.run(&["inspect", "all.mcpk"]).out;
        assert!(shown.contains("list_orders"), "{format}: {shown}");
        let written: String = std::fs::read_dir(place.path("specs"))
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_file())
            .map(|path| std::fs::read_to_string(path).unwrap())
            .collect();
        assert!(!written.contains("hunter2"), "{format}: {written}");
        assert!(run(more).out.contains("unchanged"), "{format}");
        // A document that is not there is named.
        std::fs::remove_file(place.path("shop.json")).unwrap();
        let gone = run(more);
        assert_eq!(gone.code, 2, "{format}: {}", gone.out);
        assert!(gone.err.contains("shop.json"), "{format}: {}", gone.err);
    }
}

#[test]
fn a_gateway_whose_document_is_at_a_url_asks_for_a_file() {
    let (place, done) = imported("apisix", APISIX, &[]);
    assert_eq!(done.code, 2, "{}", done.out);
    assert!(done.err.contains("--openapi"), "{}", done.err);
    assert_eq!(place.files(), ["source.txt"]);
}

#[test]
fn secrets_are_nowhere_and_the_report_names_their_variables() {
    let (place, done) = imported("kong", KONG, &["--format", "json"]);
    let report: Value = serde_json::from_str(&done.out).unwrap();
    let findings = report["findings"].as_array().unwrap();
    let replaced: Vec<&Value> =
        findings.iter().filter(|finding| finding["code"] == "secret-replaced").collect();
    assert_eq!(replaced.len(), 1);
    assert!(replaced[0]["why"].as_str().unwrap().contains("${LIST_ORDERS_AUTHORIZATION}"));
    assert_eq!(replaced[0]["place"], "/services/0/routes/0/plugins/0/config/tools/0/headers/authorization");
    let spec = String::from_utf8(place.read("specs/source.toml")).unwrap();
    assert!(spec.contains("Bearer ${LIST_ORDERS_AUTHORIZATION}") && !spec.contains("hunter2"), "{spec}");
}

#[test]
fn refused_tools_are_named_and_end_with_1() {
    let (_, done) = imported("envoy", ENVOY, &["--dry-run"]);
    assert_eq!(done.code, 1);
    assert!(
        done.out.contains("/tool_config/tools/1: `http_rule` has several methods: get, put"),
        "{}",
        done.out
    );
    assert!(done.out.contains("would write"), "{}", done.out);
}

#[test]
fn wrong_documents_are_refused_and_write_nothing() {
    let openapi = r#"{"openapi": "3.1.0", "info": {}, "paths": {}}"#;
    for (format, text, expected) in [
        ("envoy", openapi, "it has no filter `envoy.filters.http.mcp_json_rest_bridge`"),
        ("kong", openapi, "it has no plugin `ai-mcp-proxy`"),
        ("kong", "ai_gateway_mcp_servers: []", "AI Gateway 2"),
        ("postman", openapi, "no Postman collection of version 2"),
        ("tool-json", openapi, "it holds no tool"),
        ("tool-json", "[1", "cannot be read"),
        ("envoy", "a: &a [*a]", "cannot be read"),
        ("kong", "\u{0}", "cannot be read"),
        ("postman", "", "it is empty"),
    ] {
        let (place, done) = imported(format, text, &[]);
        assert_eq!(done.code, 2, "{format} {text}: {}", done.out);
        assert!(done.err.contains(expected), "{format} {text}: {}", done.err);
        assert_eq!(place.files(), ["source.txt"], "{format}");
    }
}

#[test]
fn names_stay_in_the_folder() {
    let text = POSTMAN.replace("\"Shop\"", "\"../../etc/passwd\"");
    let (place, done) = imported("postman", &text, &[]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert_eq!(place.files(), ["source.txt", "specs"]);
    assert!(!place.read("specs/etc_passwd.toml").is_empty());
}
