use super::{drafted, listed, origin, source};
use crate::check::{MemoryFiles, check_files};
use crate::servers::{DraftError, Reach, ServerKey, ServerSource, by_name, check_server, draft, read_all};
use mcp_bundle::wire_enums::Transport;
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn a_spec_says_where_it_comes_from_and_all_that_the_server_says() {
    let tool = r#"{
        "name": "search", "title": "Search", "description": "Finds pages of the wiki.\nBy words.",
        "annotations": {"readOnlyHint": true},
        "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}},
        "outputSchema": {"type": "object"}
    }"#;
    let (tools, _) = read_all([tool]);
    let text = draft(&source(), "wiki", "wiki", &origin(), tools).unwrap().text;
    let lines = text.lines().filter(|line| !line.starts_with("pin")).collect::<Vec<_>>().join("\n");
    assert_eq!(
        lines,
        r#"# Tools of the MCP server Wiki 1.0 (https://mcp.example.com/mcp, MCP 2025-11-25), written by `mcpc import`.
# `mcpc lock --check` compares them with the server.

[toolset]
name = "wiki"

[upstream.wiki]
kind = "mcp"
transport = "http"
url = "https://mcp.example.com/mcp"

[[tool]]
name = "wiki_search"
title = "Search"
description = """
Finds pages of the wiki.
By words."""
upstream = "wiki"
mcp_tool = "search"
annotations = { readOnlyHint = true }
input_schema = '''
{
  "type": "object",
  "properties": {
    "query": {
      "type": "string"
    }
  }
}'''
output_schema = '''
{
  "type": "object"
}'''"#
    );
}

#[test]
fn hostile_definitions_stay_in_their_strings() {
    let schema = json!({"type": "object"});
    let tools = [
        json!({"name": "a\u{1b}[31m", "description": "\u{1b}]0;x\u{7}\r\n\"\"\"\n'''\n[upstream.evil]\\", "inputSchema": schema}),
        json!({"name": "'''\n[[tool]]\nname = \"x\"", "description": "x", "inputSchema": schema}),
        json!({"name": "b", "title": "\u{202e}\u{e0041}\0", "inputSchema": {
            "type": "object", "properties": {"'''\"": {"description": "''' \u{0} ${TOKEN}"}},
        }}),
        json!({"name": "huge", "description": "word ".repeat(40_000), "inputSchema": schema}),
        json!({"name": "工具", "description": "{{ .secret }} ${TOKEN} ${tenant.id} \u{1b}]0;x\u{7}\r\n\"\"\"\n'''\n[upstream.evil]\\", "inputSchema": schema}),
    ];
    let draft = drafted(&tools);
    assert_eq!(draft.tools.len(), 3);
    let left_out: Vec<&str> = draft.left_out.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(
        left_out,
        ["''' [[tool]] name = \"x\"", "a␛[31m"],
        "names with control characters are refused"
    );
    let report = check_files(&MemoryFiles::one("wiki.toml", &draft.text));
    assert_eq!(report.errors(), 0);
    let contents = report.contents.unwrap();
    assert_eq!(contents.servers.len(), 1);
    assert_eq!(contents.variable_names().count(), 0, "nothing that a server says is a variable");
}

#[test]
fn tools_that_the_check_refuses_are_left_out_with_its_reason() {
    let schema = json!({"type": "object"});
    let draft = drafted(&[
        json!({"name": "good", "inputSchema": schema}),
        json!({"name": "number", "inputSchema": {"type": "object", "properties": {"a": {"type": "strnig"}}}}),
        json!({"name": "remote", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "https://a.example/b"}}}}),
        json!({"name": "typeless", "inputSchema": {"type": "array"}}),
    ]);
    assert_eq!(draft.tools, ["wiki_good"]);
    let left_out: Vec<String> =
        draft.left_out.iter().map(|tool| format!("{}: {}", tool.name, tool.why)).collect();
    assert_eq!(left_out.len(), 3, "{left_out:?}");
    for (left_out, name) in left_out.iter().zip(["number", "remote", "typeless"]) {
        assert!(left_out.starts_with(&format!("{name}: `")) && left_out.contains("(MCP0406)"), "{left_out}");
    }
    let all = draft_of(&[json!({"name": "a", "inputSchema": {"type": "array"}})]);
    assert!(matches!(&all, Err(DraftError::NoTools(left_out)) if left_out.len() == 1), "{all:?}");
}

fn draft_of(tools: &[Value]) -> Result<crate::servers::Draft, DraftError> {
    draft(&source(), "wiki", "wiki", &origin(), listed(tools))
}

#[test]
fn ten_thousand_tools_are_imported_in_one_order() {
    let tool = |n: usize| json!({"name": format!("t{n}"), "description": "Does a thing.", "inputSchema": {"type": "object"}});
    let tools: Vec<Value> = (0..10_000).map(tool).collect();
    let first = drafted(&tools);
    assert_eq!((first.tools.len(), first.left_out.len()), (10_000, 0));
    let reversed: Vec<Value> = tools.into_iter().rev().collect();
    assert!(drafted(&reversed).text == first.text);
}

#[test]
fn what_the_check_says_of_a_server_is_said_before_it_is_connected_to() {
    let with = |headers: &[(&str, &str)], url: &str| {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let auth = Some(ServerKey::Bearer { variable: "TOKEN".into() });
        let reach =
            Reach::Url { transport: Transport::Sse, url: url.into(), headers, auth, timeout_ms: None };
        check_server(&ServerSource { reach, ..source() }, "wiki").map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(with(&[("x-key", "${KEY}")], "https://a.example/sse"), Ok(()));
    let twice = with(&[("authorization", "Bearer ${KEY}")], "https://a.example/sse").unwrap_err();
    assert!(twice.contains("authorization"), "{twice}");
    let secret = with(&[], "https://a.example/sse?api_key=sk-0123456789abcdef0123").unwrap_err();
    assert!(!secret.contains("0123456789"), "{secret}");
}

fn tool() -> impl Strategy<Value = Value> {
    let name = "[a-z]{1,6}|[a-z._ '\"-]{1,12}|(?s).{1,6}";
    let text = "(?s)[ \"'\\\\\n\r\ta-c\u{0}\u{7f}\u{202e}é🦀{}$]{0,24}";
    let property = prop_oneof!["string", "integer", "boolean", "array", "object"];
    (name, prop::option::of(text), prop::collection::btree_map(text, property, 0..4), any::<bool>()).prop_map(
        |(name, description, properties, closed)| {
            let properties: serde_json::Map<String, Value> =
                properties.into_iter().map(|(name, kind)| (name, json!({"type": kind}))).collect();
            let mut schema = json!({"type": "object", "properties": properties});
            if closed {
                schema["additionalProperties"] = json!(false);
            }
            json!({"name": name, "description": description, "inputSchema": schema})
        },
    )
}

fn server() -> impl Strategy<Value = ServerSource> {
    let header =
        ("x-[a-z]{1,8}", "[A-Z]{1,8}").prop_map(|(name, variable)| (name, format!("${{{variable}}}")));
    let headers = prop::collection::btree_map("x-[a-z]{1,8}", header.prop_map(|(_, value)| value), 0..3);
    let url = "https?://[a-z]{1,8}\\.example(:[1-9][0-9]{1,3})?(/[a-z0-9]{1,5}){0,3}";
    let key = prop_oneof![
        "[A-Z]{1,8}".prop_map(|variable| ServerKey::Bearer { variable }),
        ("y-[a-z]{1,8}", "[A-Z]{1,8}").prop_map(|(name, variable)| ServerKey::Header { name, variable }),
    ];
    let timeout = prop::option::of(1_u32..600_000);
    let remote = (any::<bool>(), url, headers, prop::option::of(key), timeout).prop_map(
        |(is_sse, url, headers, auth, timeout_ms)| {
            let transport = if is_sse { Transport::Sse } else { Transport::Http };
            Reach::Url { transport, url, headers: headers.into_iter().collect(), auth, timeout_ms }
        },
    );
    let reach = prop_oneof![3 => remote, 1 => "[a-z]{1,8}".prop_map(Reach::Program)];
    let title = prop::option::of("[a-z网络 ]{1,12}");
    (reach, title).prop_map(|(reach, title)| ServerSource { name: Some("wiki".into()), title, reach })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Property 1 of the MCP servers: a configuration has the server's URL, its transport and its credential.
    #[test]
    fn property_1_a_spec_has_url_transport_and_auth(source in server()) {
        let tools = listed(&[json!({"name": "a", "inputSchema": {"type": "object"}})]);
        let draft = draft(&source, "wiki", "wiki", &origin(), tools).unwrap();
        let report = check_files(&MemoryFiles::one("wiki.toml", &draft.text));
        let upstream = &report.toolsets[0].upstreams[0];
        let server = upstream.server.as_ref().unwrap();
        prop_assert_eq!(server.transport, source.reach.transport());
        match &source.reach {
            Reach::Url { url, headers, auth, timeout_ms, .. } => {
                prop_assert_eq!(&upstream.url.as_ref().unwrap().value.text, url);
                prop_assert_eq!(upstream.auth.is_some(), auth.is_some());
                prop_assert_eq!(upstream.timeout_ms, *timeout_ms);
                // A credential that is a header is one of them.
                let written = upstream.headers.iter().filter(|header| header.name.value.starts_with("x-"));
                let written: Vec<_> = written.map(|h| (h.name.value.clone(), h.value.value.clone())).collect();
                prop_assert_eq!(&written, headers);
            }
            Reach::Program(name) => prop_assert_eq!(&server.program.as_ref().unwrap().value, name),
        }
    }

    /// Property 3: all tools are found, and those that are chosen are in the spec with name, description and schema.
    #[test]
    fn property_3_chosen_tools_are_in_the_spec(tools in prop::collection::vec(tool(), 1..8), chosen: u8) {
        let texts: Vec<String> = tools.iter().map(Value::to_string).collect();
        let (usable, unusable) = read_all(texts.iter().map(String::as_str));
        let is_listed = |tool: &Value| {
            let name = tool["name"].as_str().unwrap();
            usable.iter().any(|tool| tool.name == name) || !unusable.is_empty()
        };
        prop_assert!(tools.iter().all(is_listed));
        let names: Vec<String> = usable.iter().enumerate()
            .filter(|(index, _)| chosen & (1 << index) != 0).map(|(_, tool)| tool.name.clone()).collect();
        prop_assume!(!names.is_empty());
        let wanted = by_name(usable, &unusable, &names).unwrap();
        prop_assert_eq!(wanted.len(), names.len());
        let draft = match draft(&source(), "wiki", "wiki", &origin(), wanted.clone()) {
            Ok(draft) => draft,
            Err(error) => return Err(TestCaseError::reject(error.to_string())),
        };
        prop_assert_eq!(draft.tools.len() + draft.left_out.len(), names.len());
        let report = check_files(&MemoryFiles::one("wiki.toml", &draft.text));
        prop_assert_eq!(report.errors(), 0);
        let contents = report.contents.unwrap();
        for name in &draft.tools {
            let (_, plan) = contents.tool(name).unwrap();
            let mcp = plan.mcp().unwrap();
            let theirs = wanted.iter().find(|tool| tool.name == contents.strings.get(mcp.name)).unwrap();
            prop_assert_eq!(contents.strings.get(mcp.definition), &theirs.canonical);
            let spec = report.toolsets[0].tools.iter().find(|tool| tool.label() == name).unwrap();
            prop_assert_eq!(spec.description.as_ref().map(|d| &d.value), theirs.description.as_ref());
            prop_assert_eq!(&spec.input_schema.as_ref().unwrap().value, &theirs.input_schema);
        }
    }

    /// Property 6: a configuration that is saved and loaded is the same, tools and all.
    #[test]
    fn property_6_what_is_saved_is_loaded(source in server(), tools in prop::collection::vec(tool(), 1..4)) {
        let Ok(first) = draft(&source, "wiki", "wiki", &origin(), listed(&tools)) else { return Ok(()) };
        let loaded = check_files(&MemoryFiles::one("wiki.toml", &first.text));
        prop_assert_eq!(loaded.errors(), 0);
        let bytes = mcp_bundle::format::write(loaded.contents.as_ref().unwrap()).unwrap();
        let again = draft(&source, "wiki", "wiki", &origin(), listed(&tools)).unwrap();
        prop_assert_eq!(&again.text, &first.text);
        let reloaded = check_files(&MemoryFiles::one("wiki.toml", &again.text));
        prop_assert_eq!(mcp_bundle::format::write(reloaded.contents.as_ref().unwrap()).unwrap(), bytes);
    }
}
