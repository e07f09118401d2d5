use super::*;
use crate::import::gateways::testing::{any_json, findings, imported, mutated, refusal};
use crate::import::{Finished, ToolCount, document, finish};
use proptest::prelude::*;

const BOOTSTRAP: &str = r#"
admin: { address: { socket_address: { address: 127.0.0.1, port_value: 9901 } } }
static_resources:
  listeners:
  - name: mcp
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          stat_prefix: mcp
          http_filters:
          - name: envoy.filters.http.mcp_json_rest_bridge
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.filters.http.mcp_json_rest_bridge.v3.McpJsonRestBridge
              server_info: { max_supported_protocol_version: "2025-11-25" }
              tool_config:
                tools:
                - name: get_user
                  http_rule: { get: "/v1/users/{id}", bindings: [ { type: HEADER, name: X-Trace, argument_path: trace } ] }
                  tool_list_config:
                    title: Users
                    description: Gets one user.
                    input_schema: '{"properties":{"id":{"type":"string"},"fields":{"type":"array","items":{"type":"string"}},"where":{"type":"object","properties":{"city":{"type":"string"}}}},"required":["id"]}'
                - name: add_item
                  http_rule: { post: "/v1/{name=lists/*}/items", body: "*" }
                  tool_list_config: { input_schema: '{"type":"object","properties":{"name":{"type":"string"},"text":{"type":"string"}},"required":["name"]}' }
                - name: nested
                  httpRule: { put: "/v1/a/{user.id}", body: "note" }
                  toolListConfig: { inputSchema: '{"type":"object","properties":{"user":{"type":"object","properties":{"id":{"type":"string"}}},"note":{"type":"object"}},"required":["user"]}' }
                - name: bare
                  http_rule: { delete: "/other/{key}" }
                - name: two
                  http_rule: { get: "/x", post: "/y" }
                - name: bad braces
                  http_rule: { get: "/x/{a" }
          route_config:
            virtual_hosts:
            - name: all
              domains: ["*"]
              routes:
              - match: { prefix: "/v1" }
                route: { cluster: shop, prefix_rewrite: "/api/v1", timeout: 5s }
  clusters:
  - name: shop
    load_assignment:
      endpoints: [ { lb_endpoints: [
        { endpoint: { address: { socket_address: { address: api.example.com, port_value: 443 } } } },
        { endpoint: { address: { socket_address: { address: api2.example.com, port_value: 443 } } } } ] } ]
    transport_socket: { name: envoy.transport_sockets.tls }
"#;

fn text(finished: &Finished) -> &str {
    let [file] = finished.files.as_slice() else { panic!("{:?}", finished.files) };
    &file.text
}

#[test]
fn a_bootstrap_becomes_tools_with_their_places() {
    let finished = imported(import, BOOTSTRAP);
    assert_eq!(finished.tools, ToolCount { imported: 4, refused: 2 }, "{:?}", findings(&finished));
    let text = text(&finished);
    for line in [
        "lenient = true",
        "url = \"https://api.example.com\"",
        "timeout_seconds = 5",
        "url = \"${API_URL}\"",
        "endpoint = \"/api/v1/users/{id}\"",
        "endpoint = \"/api/v1/{name}/items\"",
        "endpoint = \"/api/v1/a/{{ .user.id }}\"",
        "endpoint = \"/other/{key}\"",
        "body = \"whole:note\"",
        "wire_name = \"X-Trace\"",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let codes: Vec<&str> = findings(&finished).into_iter().map(|(code, _)| code).collect();
    for code in [
        "client-headers",
        "arguments-checked",
        "status-meaning",
        "slashes-encoded",
        "nested-argument",
        "schema-completed",
        "schema-missing",
        "base-url-unknown",
        "not-expressible",
        "one-endpoint",
        "beside-tools",
    ] {
        assert!(codes.contains(&code), "{code} {codes:?}");
    }
    assert!(!codes.contains(&"unknown-member"), "{:?}", findings(&finished));
    let whys: Vec<&str> = finished.fidelity.findings.iter().map(|finding| finding.why.as_str()).collect();
    assert!(whys.contains(&"`http_rule` has several methods: get, post"));
    assert!(whys.contains(&"a `{` of the path `/x/{a` is not closed"));
}

#[test]
fn the_filter_alone_and_routes_with_their_own_tools_are_read() {
    let alone = r#"{"tool_config": {"tools": [{"name": "a", "http_rule": {"get": "/a"}, "color": 1}]}}"#;
    let finished = imported(import, alone);
    assert_eq!(finished.tools.imported, 1);
    assert!(findings(&finished).contains(&("unknown-member", "/tool_config/tools/0/color")));
    let routes = r#"{"routes": [
        {"name": "one", "typed_per_filter_config": {"envoy.filters.http.mcp_json_rest_bridge": {"tool_config": [{"tools": [{"name": "a", "http_rule": {"get": "/a"}}]}]}}},
        {"name": "two", "typed_per_filter_config": {"envoy.filters.http.mcp_json_rest_bridge": {"tool_config": {"tools": [{"name": "a", "http_rule": {"get": "/b"}}]}}}}
    ]}"#;
    let finished = imported(import, routes);
    let names: Vec<&str> = finished.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["one.toml", "two.toml"]);
    assert_eq!(findings(&finished).iter().filter(|(code, _)| *code == "name-changed").count(), 2);
}

#[test]
fn wrong_tools_are_refused_one_by_one() {
    for (rule, expected) in [
        (r#"{}"#, "`http_rule` has none of get, put, post, delete, patch"),
        (r#"{"get": "/a?b=1"}"#, "has a `?`"),
        (r#"{"get": "/a#b"}"#, "has a `#`"),
        (r#"{"get": "a"}"#, "does not begin with `/`"),
        (r#"{"get": "/{my-id}"}"#, "`{my-id}` names no argument"),
        (r#"{"get": "/a}b"}"#, "do not match"),
        (r#"{"post": "/a", "body": "a.b"}"#, "only an argument can be the body"),
        (r#"{"post": "/{a}", "body": "a"}"#, "also in the path or a header"),
        (
            r#"{"get": "/a", "bindings": [{"type": "COOKIE", "name": "c", "argument_path": "a.b"}]}"#,
            "is a member of an argument",
        ),
        (r#"{"get": "/{a}/{a}"}"#, "`a` goes to two places"),
    ] {
        let finished = imported(
            import,
            &format!(r#"{{"tool_config": {{"tools": [{{"name": "a", "http_rule": {rule}}}]}}}}"#),
        );
        let found = finished.fidelity.findings.iter().any(|finding| finding.why.contains(expected));
        assert!(found && finished.tools.refused == 1, "{rule}: {:?}", finished.fidelity.findings);
    }
    let schema = r#"{"tool_config": {"tools": [{"name": "a", "http_rule": {"get": "/a"}, "tool_list_config": {"input_schema": "{"}}]}}"#;
    assert_eq!(imported(import, schema).tools.refused, 1);
    assert!(refusal(import, "static_resources: {}").starts_with("it has no filter"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn hostile_documents_are_imported_or_refused(choices in prop::collection::vec((0..250_u8, any_json()), 150)) {
        let document = document::read(BOOTSTRAP.as_bytes()).unwrap();
        let document = mutated(&document, &mut choices.into_iter());
        if let Ok(imported) = import(&Source { name: "x", stem: None }, &document) {
            finish(imported);
        }
    }
}
