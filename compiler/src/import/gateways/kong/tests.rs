use super::*;
use crate::import::gateways::testing::{any_json, findings, imported, mutated, refusal};
use crate::import::{ToolCount, document, finish};
use proptest::prelude::*;

const DECK: &str = r#"
_format_version: "3.0"
services:
- name: shop
  url: https://api.example.com/v2
  routes:
  - name: orders
    paths: [ /shop ]
    methods: [ GET ]
    plugins:
    - name: rate-limiting
      config: { minute: 5 }
    - name: ai-mcp-proxy
      config:
        mode: conversion-listener
        server: { timeout: 2500 }
        default_acl: [ { scope: tools, allow: [ gold ] } ]
        tools:
        - description: Gets one order.
          annotations: { title: Get order, read_only_hint: true }
          path: /shop/orders/{id}
          parameters:
          - { name: id, in: path, required: true, schema: { type: integer, nullable: true, minimum: 0, exclusiveMinimum: true } }
          - { name: fields, in: query, description: Which, schema: { type: array, items: { type: string } } }
          headers: { X-Api-Key: [ hunter2 ], accept: [ application/json ] }
          query: { v: [ "1" ] }
        - name: add-order
          description: Adds one order.
          method: POST
          path: orders
          scheme: https
          acl: { allow: [ admins ] }
          request_body: { required: true, content: { application/json: { schema: { type: object, properties: { note: { type: string } } } } } }
          responses: { "201": { description: Done } }
        - description: Sends a form.
          method: POST
          path: /shop/form
          request_body: { required: true, content: { application/x-www-form-urlencoded: { schema: { type: object, properties: { a: { type: string } }, required: [ a ] } } } }
        - description: Is too much.
          method: POST
          path: /shop/upload
          request_body: { content: { image/png: {} } }
  - name: raw
    paths: [ /raw ]
    strip_path: false
plugins:
- name: ai-mcp-proxy
  route: raw
  config:
    mode: conversion-only
    tools: [ { name: list, description: Lists it all., method: GET, path: /raw/list } ]
- name: ai-mcp-proxy
  service: shop
  config: { mode: passthrough-listener }
- name: ai-mcp-proxy
  config: { mode: listener, tag: all }
consumers: [ { username: me } ]
"#;

#[test]
fn a_configuration_becomes_tools_of_the_services_behind_it() {
    let finished = imported(import, DECK);
    assert_eq!(finished.tools, ToolCount { imported: 4, refused: 2 }, "{:?}", finished.fidelity.findings);
    let [file] = finished.files.as_slice() else { panic!("one file") };
    for line in [
        "lenient = true",
        "url = \"https://api.example.com/v2\"",
        "timeout_seconds = 2.5",
        "timeout_seconds = 10",
        "name = \"Get_order\"",
        "endpoint = \"/orders/{path_id}\"",
        "endpoint = \"/orders\"",
        "endpoint = \"/raw/list\"",
        "name = \"add-order\"",
        "name = \"orders-3\"",
        "body = \"whole:body\"",
        "body = \"form\"",
        "readOnlyHint = true",
        "X-Api-Key = \"${GET_ORDER_X_API_KEY}\"",
        "wire_name = \"fields\"",
    ] {
        assert!(file.text.contains(line), "{line}\n{}", file.text);
    }
    assert!(!file.text.contains("hunter2") && !file.text.contains("nullable"), "{}", file.text);
    let codes: Vec<&str> = findings(&finished).into_iter().map(|(code, _)| code).collect();
    for code in [
        "acl-dropped",
        "answer-not-checked",
        "beside-tools",
        "form-flattened",
        "gateway-host",
        "client-headers",
        "name-changed",
        "not-expressible",
        "other-plugin",
        "passthrough",
        "arguments-checked",
        "secret-replaced",
    ] {
        assert!(codes.contains(&code), "{code} {codes:?}");
    }
}

#[test]
fn members_that_nobody_reads_are_told() {
    let finished = imported(import, &DECK.replace("path: /raw/list", "path: /raw/list, color: red"));
    assert!(findings(&finished).contains(&("unknown-member", "/plugins/0/config/tools/0/color")));
}

#[test]
fn other_documents_are_refused() {
    assert!(refusal(import, "services: []").contains("deck gateway dump"));
    assert!(refusal(import, "ai_gateway_mcp_servers: []").contains("AI Gateway 2"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn hostile_documents_are_imported_or_refused(choices in prop::collection::vec((0..250_u8, any_json()), 150)) {
        let document = document::read(DECK.as_bytes()).unwrap();
        let document = mutated(&document, &mut choices.into_iter());
        if let Ok(imported) = import(&Source { name: "x", stem: None }, &document) {
            finish(imported);
        }
    }
}
