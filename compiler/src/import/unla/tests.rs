use super::*;
use crate::import::{Finished, document, finish};
use proptest::prelude::*;

fn imported(text: &str) -> Finished {
    let document = document::read(text.as_bytes()).unwrap();
    finish(import(&document, "gateway.yaml", Some("gateway")).unwrap_or_else(|why| panic!("{why}")))
}

const USERS: &str = r#"
name: mock-user
tenant: default
routers:
- {server: users, prefix: /gateway/user, cors: {allowOrigins: ["*"]}}
servers:
- name: users
  description: Users of the shop.
  allowedTools: [register_user, update_avatar]
  config: {token: secret-value, unused: x}
tools:
- name: register_user
  description: Registers a user.
  method: POST
  endpoint: "https://users.example.com/users"
  headers:
    Content-Type: application/json
    Authorization: "Bearer {{.Config.token}}"
    X-Env: '{{ env "USERS_REGION" }}'
    Cookie: "{{.Request.Headers.Cookie}}"
  args:
  - {name: username, position: body, required: true, type: string, description: The name}
  - {name: tags, position: body, type: array, items: {type: string}}
  - {name: limit, position: query, type: integer, default: "5"}
  requestBody: '{"username": "{{.Args.username}}", "tags": {{toJSON .Args.tags}}}'
  responseBody: "{{.Response.Data.id}}: {{ .Response.Data.username | upper }}"
- name: update_avatar
  description: Sets the picture of a user.
  method: PUT
  endpoint: "https://users.example.com/users/{{.Args.email}}/avatar"
  args:
  - {name: email, position: path, required: true, type: string}
  - {name: url, position: form-data, required: true, type: string}
  annotations: {title: Avatar, idempotentHint: true}
  proxy: {host: proxy.example.com, port: 8080, type: http}
  responseBody: "{{.Response.Body}}"
- name: unlisted
  method: GET
  endpoint: "https://users.example.com/"
prompts: [{name: p}]
"#;

#[test]
fn a_configuration_becomes_specs() {
    let finished = imported(USERS);
    assert_eq!(finished.files.len(), 1, "{:#?}", finished.fidelity.findings);
    assert_eq!(finished.files[0].text, include_str!("expected.toml"), "{:#?}", finished.fidelity.findings);
    assert!(!finished.files[0].text.contains("secret-value"));
}

#[test]
fn what_is_not_as_it_was_is_said() {
    let finished = imported(USERS);
    let of = |fate: Fate| -> Vec<String> {
        let all = finished.fidelity.findings.iter().filter(|finding| finding.fate == fate);
        all.map(|finding| format!("{} {}", finding.code, finding.place)).collect()
    };
    assert_eq!(
        of(Fate::Refused),
        ["credential-not-passed /tools/0/headers/Cookie", "outbound-proxy /tools/1/proxy", "prompt /prompts",]
    );
    let changed = of(Fate::Changed);
    for expected in [
        "tenant /tenant",
        "routes /routers",
        "setting-becomes-variable /servers/0/config/token",
        "raw-becomes-encoded /tools/0/requestBody",
        "default-converted /tools/0/args/2/default",
        "raw-becomes-encoded /tools/1/endpoint",
        "arguments-checked /tools",
    ] {
        assert!(changed.iter().any(|finding| finding == expected), "{expected} is not in {changed:#?}");
    }
    assert_eq!(of(Fate::LeftOut), ["not-used /servers/0/config/unused", "not-used /tools/2"]);
}

#[test]
fn without_servers_all_tools_are_one_toolset() {
    let finished = imported(
        "tools: [{name: t, description: Reads it., method: GET, endpoint: 'https://a.example/x', \
         inputSchema: {type: object, properties: {q: {type: string, description: Words}}}}]",
    );
    assert_eq!(finished.files[0].name, "gateway.toml");
    assert!(finished.files[0].text.contains("input_schema"), "{}", finished.files[0].text);
}

#[test]
fn what_is_no_configuration_is_named() {
    for (text, expected) in [
        ("[]", "it is no configuration of Unla: it must be an object, not an array"),
        ("openapi: 3.1.0", "it is no configuration of Unla with tools: it has no `tools`"),
        ("mcpServers: [{name: a}]", "it has no `tools`: those of its `mcpServers`"),
        ("tools: {a: 1}", "its `tools` must be a list"),
    ] {
        let document = document::read(text.as_bytes()).unwrap();
        let why = import(&document, "x", None).map(drop).unwrap_err();
        assert!(why.starts_with(expected), "{why}");
    }
}

#[test]
fn a_tool_that_cannot_be_had_is_refused_with_its_reason() {
    for (rest, expected) in [
        ("endpoint: '{{.Args.url}}'", "an argument chooses the host"),
        ("method: GET", "it has no `endpoint`"),
        ("endpoint: 'https://a.example/{{ .Request.Path.x }}'", "endpoint: `.Request.Path.x` is neither"),
        ("endpoint: 'https://a.example/{{ safeGet \"a\" .Args }}'", "endpoint: unknown function `safeGet`"),
    ] {
        let finished = imported(&format!("tools: [{{name: t, description: Reads it., {rest}}}]"));
        assert_eq!(finished.tools.refused, 1, "{rest}");
        let why: Vec<&str> = finished.fidelity.findings.iter().map(|finding| finding.why.as_str()).collect();
        assert!(why.iter().any(|why| why.starts_with(expected)), "{rest}: {why:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_values_are_imported_or_refused(
        endpoint in r"(https://a\.example|/|\{\{\.Args\.a\}\}|\?|&|=|\{\{\.Config\.k\}\}|\$\{X\}|é){0,6}",
        position in "(path|query|body|header|form-data|x)?",
        body in r#"(\{|\}|"a"|:|\{\{\.Args\.a\}\}|\{\{toJSON \.Args\.b\}\}|,|é){0,8}"#,
        response in r"(\{\{|\}\}|\.Response\.Data|\.Response\.Body|\.a| |range|end|x){0,8}",
        name in "\\PC{0,8}",
    ) {
        let text = |text: &str| Json::string(text).to_text();
        let document = format!(
            r#"{{"name":{},"servers":[{{"name":{},"config":{{"k":"v"}}}}],"tools":[{{"name":{},"method":"POST","endpoint":{},
            "args":[{{"name":"a","position":{},"default":{}}}],"headers":{{"x-a":{}}},"requestBody":{},"responseBody":{},"other":1}}]}}"#,
            text(&name), text(&name), text(&name), text(&endpoint), text(&position), text(&body), text(&body), text(&body),
            text(&response),
        );
        let document = document::read(document.as_bytes()).unwrap();
        let finished = finish(import(&document, "x", None).unwrap());
        prop_assert!(finished.fidelity.refused >= 1, "the unknown member is named");
    }
}
