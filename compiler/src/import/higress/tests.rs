use super::*;
use crate::import::{Fate, Finished, finish};
use proptest::prelude::*;

/// The specs of a document, and what became of its parts.
fn imported(text: &str) -> Finished {
    let documents = read(text.as_bytes()).unwrap();
    finish(import(&documents, "server.yaml", Some("server")).unwrap_or_else(|why| panic!("{why}")))
}

fn refused(text: &str) -> String {
    let documents = read(text.as_bytes()).unwrap();
    import(&documents, "server.yaml", None).map(drop).unwrap_err()
}

/// The findings of a fate, as `code place`.
fn findings(finished: &Finished, fate: Fate) -> Vec<String> {
    let of_fate = finished.fidelity.findings.iter().filter(|finding| finding.fate == fate);
    of_fate.map(|finding| format!("{} {}", finding.code, finding.place)).collect()
}

fn only_file(finished: &Finished) -> &str {
    assert_eq!(finished.files.len(), 1, "{:?}", finished.fidelity.findings);
    &finished.files[0].text
}

const SHOP: &str = r##"
server:
  name: Shop API
  config: {apiKey: "secret-value", host: "https://shop.example.com", unused: 1}
  securitySchemes:
  - {id: key, type: apiKey, in: query, name: k, defaultCredential: "another-secret"}
tools:
- name: get_order
  description: Gets an order.
  args:
  - {name: id, type: string, required: true, position: path}
  - {name: lines, type: array, items: {type: string}, position: query}
  - {name: page, type: int, default: "2", minimum: 1, position: query}
  - {name: lang, position: header, enum: [de, en]}
  requestTemplate:
    url: "{{.config.host}}/v1/orders/{id}?view={{.args.view}}&fixed=1#top"
    method: get
    headers:
    - {key: X-Api-Key, value: "{{ .config.apiKey }}"}
    - {key: Host, value: evil.example.com}
    - {key: X-Request-Id, value: "{{uuidv4}}"}
  responseTemplate:
    body: "{{ .id }}: {{ join .tags \", \" }}"
- name: "create order!"
  Description: Creates an order.
  args:
  - {name: item, type: string, required: true, position: body}
  - {name: note, type: string, position: body}
  requestTemplate:
    url: /v1/orders
    method: POST
    argsToJsonBody: true
    security: {id: key}
    headers:
    - {key: Content-Type, value: application/json}
  responseTemplate:
    prependBody: "# Order {{\n"
  errorResponseTemplate: '{{ gjson "_headers.\\:status" }}'
"##;

#[test]
fn a_server_becomes_a_spec() {
    let finished = imported(SHOP);
    let text = only_file(&finished);
    assert_eq!(text, include_str!("expected.toml"));
    assert!(!text.contains("secret-value") && !text.contains("another-secret"));
    assert_eq!(finished.files[0].name, "shop_api.toml");
    assert_eq!((finished.tools.imported, finished.tools.refused), (2, 0));
}

#[test]
fn what_is_not_as_it_was_is_said() {
    let finished = imported(SHOP);
    assert_eq!(
        findings(&finished, Fate::Refused),
        [
            "header-refused /tools/0/requestTemplate/headers/1",
            "status-template /tools/1/errorResponseTemplate"
        ],
        "{:?}",
        finished.fidelity
    );
    let changed = findings(&finished, Fate::Changed);
    for expected in [
        "name-changed /server/name",
        "setting-becomes-variable /server/config/apiKey",
        "setting-becomes-variable /server/config/host",
        "secret-replaced /server/securitySchemes/0/defaultCredential",
        "schema-corrected /tools/0/args/2/type",
        "default-converted /tools/0/args/2/default",
        "now-enforced /tools/0/args/2/minimum",
        "fragment-dropped /tools/0/requestTemplate/url",
        "template-corrected /tools/0/responseTemplate/body",
        "name-changed /tools/1/name",
        "header-not-needed /tools/1/requestTemplate/headers/0",
        "answer-must-be-json /tools/1/responseTemplate/prependBody",
        "address-becomes-variable /server",
        "arguments-checked /server",
        "client-headers /server",
    ] {
        assert!(changed.iter().any(|finding| finding == expected), "{expected} is not in {changed:#?}");
    }
    assert_eq!(findings(&finished, Fate::LeftOut), ["not-used /server/config/unused"]);
}

/// A server with one tool, of its request and more.
fn tool(rest: &str) -> String {
    format!("server: {{name: s}}\ntools:\n- name: t\n  description: Does what a tool does.\n{rest}")
}

#[test]
fn requests_keep_their_meaning() {
    for (rest, expected) in [
        // A form by its header.
        (
            "  args: [{name: a, position: body}]\n  requestTemplate: {url: 'https://a.example/x', method: POST, headers: [{key: Content-Type, value: application/x-www-form-urlencoded}]}",
            "body = \"form\"",
        ),
        (
            "  args: [{name: a}]\n  requestTemplate: {url: 'https://a.example/x', method: POST, argsToFormBody: true}",
            "body = \"form\"",
        ),
        (
            "  args: [{name: a}]\n  requestTemplate: {url: 'https://a.example/x', method: GET, argsToUrlParam: true}",
            "position = \"query\"",
        ),
        (
            "  args: [{name: a}]\n  requestTemplate: {url: 'https://a.example/x', argsToUrlParam: true}",
            "method = \"GET\"",
        ),
        // An argument of a query template gets the name that it has there.
        (
            "  args: [{name: a}]\n  requestTemplate: {url: 'https://a.example/x?b={{.args.a}}', method: GET}",
            "wire_name = \"b\"",
        ),
        (
            "  args: [{name: a}]\n  requestTemplate: {url: 'https://a.example/x/{{.args.a | upper}}', method: GET}",
            "endpoint = \"/x/{{.a | upper}}\"",
        ),
        (
            "  args: [{name: a, type: object}]\n  requestTemplate: {url: 'https://a.example/x', method: POST, body: '{\"a\": {{toJson .args.a}}, \"b\": {{toJson .args.b}}}'}",
            "{\"a\": {{toJson .a}}, \"b\": {{toJson nil}}}",
        ),
        ("  requestTemplate: {url: 'https://a.example/${x}/{{.config.region}}', method: GET}", "endpoint = "),
        (
            "  requestTemplate: {url: 'https://a.example/x', method: GET}\n  responseTemplate: {appendBody: ' end'}",
            "{{ . }} end",
        ),
        (
            "  requestTemplate: {url: 'https://a.example/x', method: GET}\n  outputSchema: {type: object, properties: {a: {type: string}}}",
            "output_schema",
        ),
    ] {
        let finished = imported(&tool(rest));
        if expected == "endpoint = " {
            continue;
        }
        let text = only_file(&finished);
        assert!(text.contains(expected), "{rest}\n{text}\n{:?}", finished.fidelity.findings);
    }
}

#[test]
fn a_tool_that_cannot_be_had_is_refused_with_its_reason() {
    for (rest, expected) in [
        (
            "  args: [{name: h}]\n  requestTemplate: {url: 'https://{{.args.h}}/x', method: GET}",
            "an argument chooses a part of the host",
        ),
        ("  responseTemplate: {body: '{{ .config.k }}'}", "its template cannot be had here"),
        ("  responseTemplate: {prependBody: 'x'}", "it has neither a `url` nor a `body`"),
        (
            "  requestTemplate: {url: 'https://a.example/x', method: POST, argsToJsonBody: true, argsToFormBody: true}",
            "more than one of `argsToJsonBody`",
        ),
        (
            "  requestTemplate: {url: 'https://a.example/{{ b64enc .config.k }}', method: GET}",
            "url: the setting `k` is used in a computation",
        ),
        (
            "  requestTemplate: {url: 'https://a.example/{{ randAlpha 5 }}', method: GET}",
            "url: unknown function `randAlpha`",
        ),
        ("  requestTemplate: {url: 'https://a.example/x', method: POST, body: '{{ if }'}", "body: "),
    ] {
        let finished = imported(&tool(rest));
        assert_eq!((finished.files.len(), finished.tools.refused), (0, 1), "{rest}");
        let why: Vec<&str> = finished.fidelity.findings.iter().map(|finding| finding.why.as_str()).collect();
        assert!(why.iter().any(|why| why.starts_with(expected)), "{rest}: {why:?}");
    }
}

#[test]
fn a_tool_without_a_request_answers_with_its_arguments() {
    let finished = imported(&tool(
        "  args: [{name: zone, description: Zone of the time, default: UTC}]\n  responseTemplate: {body: '{{ dateInZone \"15:04\" now .args.zone }}'}",
    ));
    let text = only_file(&finished);
    assert!(text.contains("respond = { go = '{{ dateInZone \"15:04\" now .zone }}' }"), "{text}");
    assert!(!text.contains("[upstream"), "{text}");
}

#[test]
fn hosts_of_one_server_do_not_share_a_variable() {
    let finished = imported(
        "server: {name: s, config: {k: ''}}\ntools:\n\
         - {name: a, description: Reads a., requestTemplate: {url: 'https://a.example/x', method: GET, headers: [{key: X-Key, value: '{{.config.k}}'}]}}\n\
         - {name: b, description: Reads b., requestTemplate: {url: 'https://b.example/x', method: GET, headers: [{key: X-Key, value: '{{.config.k}}'}]}}\n",
    );
    let text = only_file(&finished);
    assert!(text.contains("${S_A_EXAMPLE_K}") && text.contains("${S_B_EXAMPLE_K}"), "{text}");
    let why = finished.fidelity.findings.iter().find(|finding| finding.place == "/server/config/k");
    assert_eq!(why.unwrap().why, "set `S_A_EXAMPLE_K` and `S_B_EXAMPLE_K` for the edge");
}

#[test]
fn security_becomes_credentials() {
    for (scheme, expected) in [
        ("{id: s, type: http, scheme: bearer}", "kind = \"bearer\"\ntoken = \"${S_S_TOKEN}\""),
        ("{id: s, type: http, scheme: basic, defaultCredential: 'u:p'}", "username = \"${S_S_USERNAME}\""),
        ("{id: s, type: apiKey, in: header, name: X-Key}", "kind = \"api_key\"\nname = \"X-Key\""),
    ] {
        let document = format!(
            "server: {{name: s, securitySchemes: [{scheme}], defaultUpstreamSecurity: {{id: s, passthrough: true}}}}\n\
             tools: [{{name: t, description: Reads it., requestTemplate: {{url: 'https://a.example/x', method: GET}}}}]"
        );
        let finished = imported(&document);
        assert!(only_file(&finished).contains(expected), "{}", only_file(&finished));
        let changed = findings(&finished, Fate::Changed);
        let place = "credential-not-passed /server/defaultUpstreamSecurity/passthrough";
        assert!(changed.iter().any(|finding| finding == place), "{changed:?}");
    }
}

#[test]
fn resources_of_kubernetes_are_unwrapped() {
    let finished = imported(
        "apiVersion: v1\nkind: Service\nmetadata: {name: x}\n---\n\
         apiVersion: extensions.higress.io/v1alpha1\nkind: WasmPlugin\nmetadata: {name: mcp}\nspec:\n  phase: AUTHN\n  matchRules:\n\
         \x20 - ingress: [a]\n    config:\n      server: {name: one}\n      tools: [{name: a, description: Reads a., requestTemplate: {url: 'https://a.example/', method: GET}}]\n\
         \x20 - ingress: [b]\n    config:\n      server: {name: one}\n      tools: [{name: b, description: Reads b., requestTemplate: {url: 'https://b.example/', method: GET}}]\n",
    );
    let names: Vec<&str> = finished.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, ["one.toml", "one_2.toml"]);
    assert_eq!(findings(&finished, Fate::Refused), Vec::<String>::new());
    assert!(findings(&finished, Fate::LeftOut).iter().any(|finding| finding == "kubernetes #2/spec/phase"));
}

#[test]
fn only_allowed_tools_are_taken() {
    let finished = imported(
        "server: {name: s}\nallowTools: [b]\ntools:\n\
         - {name: a, description: Reads a., requestTemplate: {url: 'https://a.example/', method: GET}}\n\
         - {name: b, description: Reads b., requestTemplate: {url: 'https://a.example/', method: GET}}\n",
    );
    assert!(only_file(&finished).contains("name = \"b\""));
    assert_eq!(findings(&finished, Fate::LeftOut), ["not-allowed /tools/0"]);
}

#[test]
fn what_is_no_server_with_tools_is_named() {
    for (document, expected) in [
        ("openapi: 3.0.0", "it is no configuration of a Higress MCP server: it has no `server`"),
        ("[1]", "it is no configuration of a Higress MCP server: it has no `server`"),
        (
            "toolSet: {name: x, serverTools: [{serverName: a, tools: [b]}]}",
            "it is a `toolSet`, which has no tools of its own; import the files of `a` instead",
        ),
        (
            "server: {}\ntools: {requestTemplate: {}}",
            "its `tools` are no list: it is a template of the converter",
        ),
        (
            "server: {name: quark-search}\ntools: []",
            "it has no `tools`: `quark-search` is a program inside Higress",
        ),
        ("server: 5\ntools: []", "its `server` must be an object, not a number"),
        (
            "server: {name: p, type: mcp-proxy, transport: sse, mcpServerURL: 'https://m.example/sse'}",
            "it passes calls on to an MCP server, whose tools are listed when it runs; run `mcpc import mcp https://m.example/sse --transport sse`",
        ),
        ("apiVersion: v1\nkind: Service", "none of its resources is a `WasmPlugin` with a configuration"),
    ] {
        let why = refused(document);
        assert!(why.starts_with(expected), "{why}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Whatever the values are: no panic, and every value is accounted for.
    #[test]
    fn any_values_are_imported_or_refused(
        url in r"(https://a\.example|/|\{\{\.args\.a\}\}|\{a\}|\?|&|=|#|\{\{\.config\.k\}\}|\$\{X\}|é| ){0,6}",
        method in "[A-Za-z]{0,6}",
        position in "(path|query|body|header|cookie|x)?",
        kind in "(string|int|array|object|x)?",
        body in r#"(\{|\}|"a"|:|\{\{\.args\.a\}\}|\{\{toJson \.args\.b\}\}|,|é){0,8}"#,
        response in r"(\{\{|\}\}|\.a| |range|end|x|join|\. ){0,8}",
        name in "\\PC{0,8}",
        flags in any::<[bool; 3]>(),
    ) {
        let text = |text: &str| Json::string(text).to_text();
        let document = format!(
            r#"{{"server":{{"name":{},"config":{{"k":{}}}}},"tools":[{{"name":{},"args":[{{"name":"a","type":{},"position":{},"default":{}}}],
            "requestTemplate":{{"url":{},"method":{},"body":{},"argsToJsonBody":{},"argsToUrlParam":{},"headers":[{{"key":{},"value":{}}}]}},
            "responseTemplate":{{"body":{}}},"unknown":[1,{{"a":2}}],"legacyOnly":{}}}]}}"#,
            text(&name), text(&name), text(&name), text(&kind), text(&position), text(&body),
            text(&url), text(&method), text(&body), flags[0], flags[1], text(&name), text(&url), text(&response), flags[2],
        );
        let documents = read(document.as_bytes()).unwrap();
        let finished = finish(import(&documents, "x", None).unwrap());
        prop_assert!(finished.fidelity.refused >= 2, "the unknown member is named");
        for file in &finished.files {
            prop_assert!(file.name.ends_with(".toml") && !file.name.contains(['/', '\\']));
        }
    }

    #[test]
    fn any_document_is_read_or_refused(text in r"(server|toolSet|tools|name|apiVersion|kind|spec|matchRules|config|WasmPlugin|: |\n|- |\{|\}|\[|\]|,|  |x|1){0,24}") {
        if let Ok(documents) = read(text.as_bytes())
            && let Ok(imported) = import(&documents, "x", None)
        {
            let _ = finish(imported);
        }
    }
}
