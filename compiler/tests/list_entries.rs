//! What `tools/list` will show, for each protocol revision, against that revision's own schema of a tool.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use mcp_bundle::plan::Contents;
use mcp_bundle::wire_enums::ProtocolVersion;
use mcpc::check::{MemoryFiles, check_files};
use serde_json::{Value, json};
use std::path::Path;

const SPEC: &str = r##"
[[tool]]
name = "everything"
title = "Everything"
description = "A tool with all that can be published, \"quotes\" and\nlines included."
method = "DELETE"
endpoint = "https://api.example.com/things/{id}"
tags = ["demo"]
annotations = { openWorldHint = false, destructiveHint = false }
output_schema = { type = "object", properties = { ok = { type = "boolean" } } }
icons = [{ src = "https://example.com/icon.png", mimeType = "image/png", sizes = ["48x48"], theme = "light" }]
parameters = [
  { name = "id", description = "Id of the thing", required = true, position = "path", mcp_header = "Thing" },
  { name = "mode", description = "How to do it", enum = ["fast", "slow"], default = "fast", position = "query" },
]
examples = [{ arguments = { id = "1" } }]

[[tool]]
name = "list_output"
description = "A tool whose structured result is a list."
method = "GET"
endpoint = "https://api.example.com/things"
output_schema = { type = "array", items = { type = "string" } }
examples = [{ arguments = {} }]

[[tool]]
name = "own_schema"
description = "A tool with a schema of its own, with a boolean in it."
method = "POST"
endpoint = "https://api.example.com/things"
input_schema = { type = "object", "$defs" = { name = { type = "string" } }, properties = { any = true, name = { "$ref" = "#/$defs/name", description = "Its name" } }, if = { required = ["any"] }, then = { required = ["name"] } }
examples = [{ arguments = { name = "x" } }]

[[tool]]
name = "plain"
description = "A tool without any parameter."
method = "POST"
endpoint = "https://api.example.com/ping"
examples = [{ arguments = {} }]
"##;

fn contents() -> Contents {
    let report = check_files(&MemoryFiles::one("spec.toml", SPEC));
    let messages: Vec<&str> = report.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert!(report.contents.is_some(), "{messages:#?}");
    report.contents.unwrap()
}

fn entry(contents: &Contents, tool: &str, era: ProtocolVersion) -> Value {
    let (index, _) = contents.tool(tool).unwrap();
    let text = format!("{}}}", contents.list.get(index).unwrap().open_form(&contents.strings, era));
    serde_json::from_str(&text).unwrap()
}

#[test]
fn every_entry_is_a_tool_of_its_revision() {
    let contents = contents();
    for &era in ProtocolVersion::ALL {
        let name = format!("tests/fixtures/mcp/tool-{era}.schema.json");
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(name);
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let validator = jsonschema::options().build(&schema).unwrap();
        for tool in ["everything", "list_output", "own_schema", "plain"] {
            let entry = entry(&contents, tool, era);
            let problems: Vec<String> = validator.iter_errors(&entry).map(|e| e.to_string()).collect();
            assert_eq!(problems, [""; 0], "{tool} in {era}: {entry:#}");
        }
    }
}

#[test]
fn members_appear_with_the_revision_that_introduced_them() {
    let contents = contents();
    let members = |tool: &str, era| {
        let entry = entry(&contents, tool, era);
        let mut names: Vec<String> = entry.as_object().unwrap().keys().cloned().collect();
        names.sort();
        names
    };
    let oldest = ["description", "inputSchema", "name"];
    assert_eq!(members("everything", ProtocolVersion::V20241105), oldest);
    assert_eq!(
        members("everything", ProtocolVersion::V20250326),
        ["annotations", "description", "inputSchema", "name"]
    );
    assert_eq!(
        members("everything", ProtocolVersion::V20250618),
        ["_meta", "annotations", "description", "inputSchema", "name", "outputSchema", "title"]
    );
    assert!(members("everything", ProtocolVersion::V20251125).contains(&"icons".to_owned()));
    // Only the newest revision has structured results that are not objects.
    assert!(!members("list_output", ProtocolVersion::V20251125).contains(&"outputSchema".to_owned()));
    assert!(members("list_output", ProtocolVersion::V20260728).contains(&"outputSchema".to_owned()));
}

#[test]
fn a_schema_of_ones_own_is_published_untouched() {
    let contents = contents();
    let schema = entry(&contents, "own_schema", ProtocolVersion::V20260728)["inputSchema"].clone();
    assert_eq!(schema["properties"]["any"], json!(true));
    assert_eq!(schema["if"], json!({ "required": ["any"] }));
    let legacy = entry(&contents, "own_schema", ProtocolVersion::V20251125)["inputSchema"].clone();
    assert_eq!(legacy["properties"]["any"], json!({}), "older revisions want objects there");
}

#[test]
fn the_generated_schema_says_what_binding_demands() {
    let schema = entry(&contents(), "everything", ProtocolVersion::V20260728)["inputSchema"].clone();
    assert_eq!(
        schema,
        json!({
            "type": "object",
            "properties": {
                "id": { "type": "string", "description": "Id of the thing", "x-mcp-header": "Thing" },
                "mode": { "type": "string", "description": "How to do it", "enum": ["fast", "slow"], "default": "fast" },
            },
            "required": ["id"],
            "additionalProperties": false,
        })
    );
}

#[test]
fn hints_follow_from_the_method_and_yield_to_the_spec() {
    let contents = contents();
    let annotations = entry(&contents, "everything", ProtocolVersion::V20260728)["annotations"].clone();
    assert_eq!(
        annotations,
        json!({ "destructiveHint": false, "idempotentHint": true, "openWorldHint": false })
    );
    let annotations = entry(&contents, "list_output", ProtocolVersion::V20260728)["annotations"].clone();
    assert_eq!(annotations, json!({ "readOnlyHint": true }));
    assert!(entry(&contents, "plain", ProtocolVersion::V20260728).get("annotations").is_none());
}
