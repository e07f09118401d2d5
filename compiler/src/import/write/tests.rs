use super::*;
use crate::check::{MemoryFiles, check_files};
use crate::import::draft::{DraftRequest, DraftResponse};
use crate::spec::toml_to_json;
use proptest::prelude::*;

fn json(text: &str) -> Json {
    Json::read(text).unwrap()
}

fn spec() -> DraftSpec {
    let tool = DraftTool {
        comments: vec!["POST /orders of the document".into()],
        name: "create_order".into(),
        title: Some("Create an order".into()),
        description: Some("New order.\nUnpaid.".into()),
        tags: vec!["orders".into()],
        annotations: vec![("destructiveHint".into(), false)],
        upstream: Some("shop".into()),
        method: Some("POST".into()),
        endpoint: Some("/orders".into()),
        headers: vec![("x-version".into(), "2".into())],
        input_schema: Some(json(
            r#"{"type":"object","properties":{"id":{"type":"string","description":"Its id"}},"required":["id"]}"#,
        )),
        select: vec!["id".into(), "items[].name".into()],
        timeout_ms: Some(2500),
        max_results: Some(50),
        allow: vec![DraftAllow { rule: "short-description".into(), reason: "it says all".into() }],
        parameters: vec![DraftParameter {
            name: "dry".into(),
            value: Some(Json::Bool(true)),
            position: Some("query"),
            ..DraftParameter::default()
        }],
        examples: vec![DraftExample {
            arguments: vec![("id".into(), Json::string("1"))],
            request: Some(DraftRequest {
                method: Some("POST".into()),
                url: Some("https://shop.example/v1/orders?dry=true".into()),
                ..DraftRequest::default()
            }),
            response: Some(DraftResponse {
                status: Some(201),
                body: Some(DraftContent::Json(json(r#"{"id":"1","items":[{"name":"pen","price":3}]}"#))),
                ..DraftResponse::default()
            }),
            ..DraftExample::default()
        }],
        ..DraftTool::default()
    };
    DraftSpec {
        name: "shop".into(),
        comments: vec!["From shop.yaml, by `mcpc import openapi`".into()],
        upstreams: vec![DraftUpstream {
            name: "shop".into(),
            url: "https://shop.example/v1".into(),
            auth: Some(DraftAuth::ApiKey {
                name: "x-api-key".into(),
                value: "${SHOP_KEY}".into(),
                in_query: false,
            }),
            ..DraftUpstream::default()
        }],
        tools: vec![tool],
        ..DraftSpec::default()
    }
}

#[test]
fn a_draft_is_the_file_that_a_person_would_write() {
    let written = write(&spec());
    assert_eq!(written.text, include_str!("expected.toml"));
    let report = check_files(&MemoryFiles::one("shop.toml", &written.text));
    assert_eq!(report.diagnostics, []);
    let part = written.text.get(written.tools[0].range.clone()).unwrap();
    assert!(part.starts_with("# POST /orders") && part.ends_with("} }\n"), "{part}");
    assert!(written.text.get(written.tools[0].examples[0].clone()).unwrap().starts_with("[[tool.examples]]"));
}

#[test]
fn what_toml_cannot_write_is_named() {
    let mut spec = spec();
    spec.tools[0].parameters[0].default = Some(Json::Null);
    let written = write(&spec);
    assert_eq!(written.tools[0].unwritable, ["default"]);
    spec.tools[0].parameters[0].default = None;
    assert!(write(&spec).tools[0].unwritable.is_empty());
}

#[test]
fn bodies_keep_their_json_whatever_it_is() {
    let text = |json: &str| content(&DraftContent::Json(Json::read(json).unwrap()));
    assert_eq!(text(r#"{"a":1}"#), "{ a = 1 }");
    assert_eq!(text(r#"{"a":null}"#), "'''\n{\n  \"a\": null\n}'''");
    assert_eq!(text(r#""a""#), "'\"a\"'");
    assert_eq!(text("null"), "\"null\"");
}

const TEXT: &str = "(?s)[ \"'\\\\\n\r\ta-c#=\\[\\]{}\u{0}\u{202e}é🦀]{0,16}";

proptest! {
    /// Whatever the texts of a source are, the file is TOML that says exactly them.
    #[test]
    fn what_is_written_reads_back(
        comment in TEXT, description in TEXT, name in TEXT, url in TEXT, header in TEXT, key in TEXT, value in TEXT,
    ) {
        let spec = DraftSpec {
            name: "a".into(),
            comments: vec![comment.clone()],
            title: Some(description.clone()),
            instructions: Some(description.clone()),
            allow: vec![DraftAllow { rule: name.clone(), reason: comment.clone() }],
            upstreams: vec![DraftUpstream {
                name: name.clone(),
                url: url.clone(),
                headers: vec![(header.clone(), value.clone())],
                auth: Some(DraftAuth::Bearer { token: value.clone() }),
                ..DraftUpstream::default()
            }],
            tools: vec![DraftTool {
                comments: vec![comment],
                name: name.clone(),
                description: Some(description.clone()),
                select: vec![key.clone(), value.clone()],
                response_template: Some(DraftTemplate::Go(description.clone())),
                input_schema: Some(Json::Object(vec![(key.clone(), Json::string(&value))])),
                parameters: vec![DraftParameter { name: name.clone(), default: Some(Json::string(&value)), ..DraftParameter::default() }],
                examples: vec![DraftExample {
                    arguments: vec![(key.clone(), Json::string(&value))],
                    response: Some(DraftResponse { body: Some(DraftContent::Text(description.clone())), ..DraftResponse::default() }),
                    ..DraftExample::default()
                }],
                ..DraftTool::default()
            }],
            ..DraftSpec::default()
        };
        let text = write(&spec).text;
        let read = toml_to_json(&text).unwrap_or_else(|| panic!("{text}"));
        let toolset = read.get("toolset").unwrap();
        prop_assert_eq!(toolset.get("instructions"), Some(&Json::string(&description)));
        let upstream = read.get("upstream").unwrap().get(&name).unwrap();
        prop_assert_eq!(upstream.get("url"), Some(&Json::string(&url)));
        prop_assert_eq!(upstream.get("headers").unwrap().get(&header), Some(&Json::string(&value)));
        prop_assert_eq!(upstream.get("auth").unwrap().get("token"), Some(&Json::string(&value)));
        let tool = &read.get("tool").unwrap().as_array().unwrap()[0];
        prop_assert_eq!(tool.get("name"), Some(&Json::string(&name)));
        prop_assert_eq!(tool.get("description"), Some(&Json::string(&description)));
        prop_assert_eq!(tool.get("select"), Some(&Json::Array(vec![Json::string(&key), Json::string(&value)])));
        prop_assert_eq!(tool.get("response_template").unwrap().get("go"), Some(&Json::string(&description)));
        let schema = Json::read(tool.get("input_schema").unwrap().as_str().unwrap()).unwrap();
        prop_assert_eq!(schema.get(&key), Some(&Json::string(&value)));
        let example = &tool.get("examples").unwrap().as_array().unwrap()[0];
        prop_assert_eq!(example.get("arguments").unwrap().get(&key), Some(&Json::string(&value)));
        prop_assert_eq!(example.get("response").unwrap().get("body"), Some(&Json::string(&description)));
    }
}
