use super::*;
use crate::import::draft::{DraftContent, DraftExample, DraftResponse, DraftUpstream};
use crate::language::json::Json;

fn tool(name: &str) -> DraftTool {
    DraftTool {
        place: format!("/{name}"),
        name: name.into(),
        description: Some("Gets the list of all orders.".into()),
        upstream: Some("shop".into()),
        method: Some("GET".into()),
        endpoint: Some("/orders".into()),
        ..DraftTool::default()
    }
}

fn spec(name: &str, tools: Vec<DraftTool>) -> DraftSpec {
    let upstream =
        DraftUpstream { name: "shop".into(), url: "https://shop.example".into(), ..DraftUpstream::default() };
    DraftSpec { name: name.into(), upstreams: vec![upstream], tools, ..DraftSpec::default() }
}

#[test]
fn what_the_check_refuses_is_left_out_with_the_reason() {
    let bad = DraftTool { endpoint: Some("/orders/{id}".into()), ..tool("bad") };
    let judged = judge(vec![spec("a", vec![tool("good"), bad]), spec("b", vec![tool("other")])]);
    let files: Vec<(&str, usize)> =
        judged.files.iter().map(|file| (file.name.as_str(), file.tools)).collect();
    assert_eq!(files, [("a.toml", 1), ("b.toml", 1)]);
    let [left_out] = judged.left_out.as_slice() else { panic!("{:?}", judged.left_out) };
    assert_eq!((left_out.tool.as_str(), left_out.place.as_str()), ("bad", "/bad"));
    assert_eq!(left_out.why, "no path parameter is named `id` (MCP0301)");
    assert!(judged.warnings.contains_key("missing-example"), "{:?}", judged.warnings);
}

#[test]
fn a_spec_that_cannot_be_had_takes_its_tools_along() {
    let mut broken = spec("a", vec![tool("one"), DraftTool { name: "two two".into(), ..tool("two") }]);
    broken.upstreams[0].url = "not a url".into();
    let judged = judge(vec![broken, spec("b", vec![tool("other")])]);
    assert_eq!(judged.files.len(), 1);
    assert_eq!(judged.left_out.len(), 2, "{:?}", judged.left_out);
    let none = judge(vec![DraftSpec { name: "tools".into(), ..spec("a", vec![tool("one")]) }]);
    assert!(none.files.is_empty() && none.left_out.len() == 1);
}

#[test]
fn a_bad_upstream_takes_the_tools_along_that_are_sent_there() {
    let mut mixed = spec("a", vec![tool("one"), DraftTool { upstream: Some("odd".into()), ..tool("two") }]);
    let odd = DraftUpstream { name: "odd".into(), url: "not a url".into(), ..DraftUpstream::default() };
    mixed.upstreams.push(odd.clone());
    let judged = judge(vec![mixed]);
    assert_eq!(judged.files.len(), 1);
    assert!(!judged.files[0].text.contains("[upstream.odd]"), "{}", judged.files[0].text);
    let [left_out] = judged.left_out.as_slice() else { panic!("{:?}", judged.left_out) };
    assert_eq!(left_out.tool, "two");
    // Tools that name no upstream are sent to the only one.
    let alone =
        DraftSpec { upstreams: vec![odd], ..spec("a", vec![DraftTool { upstream: None, ..tool("one") }]) };
    let judged = judge(vec![alone]);
    assert!(judged.files.is_empty() && judged.left_out.len() == 1, "{judged:?}");
}

#[test]
fn examples_that_do_not_hold_are_left_out_alone() {
    let example = |arguments: &str, body: &str| DraftExample {
        place: format!("/examples/{arguments}"),
        arguments: vec![(arguments.to_owned(), Json::string("x"))],
        response: Some(DraftResponse {
            body: Some(DraftContent::Text(body.into())),
            ..DraftResponse::default()
        }),
        ..DraftExample::default()
    };
    let schema = r#"{"type":"object","properties":{"q":{"type":"string","description":"Words"}}}"#;
    let output = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
    let searching = DraftTool {
        input_schema: Json::read(schema).ok(),
        output_schema: Json::read(output).ok(),
        parameters: vec![crate::import::draft::DraftParameter {
            name: "q".into(),
            position: Some("query"),
            ..Default::default()
        }],
        examples: vec![example("q", "{\"n\":1}"), example("unknown", "{\"n\":1}"), example("q", "{}")],
        ..tool("search")
    };
    let judged = judge(vec![spec("a", vec![searching])]);
    assert_eq!(judged.left_out, []);
    let places: Vec<&str> = judged.examples.iter().map(|example| example.place.as_str()).collect();
    assert_eq!(places, ["/examples/unknown", "/examples/q"]);
    assert_eq!(judged.files[0].text.matches("[[tool.examples]]").count(), 1);
}

#[test]
fn values_that_toml_lacks_are_a_reason() {
    let mut odd = tool("odd");
    odd.parameters = vec![crate::import::draft::DraftParameter {
        name: "q".into(),
        position: Some("query"),
        default: Some(Json::Null),
        ..Default::default()
    }];
    let judged = judge(vec![spec("a", vec![odd.clone()])]);
    assert_eq!(judged.left_out[0].why, "TOML cannot write a value of `default`");
    let mut partly = tool("partly");
    let arguments = vec![("a".to_owned(), Json::Null)];
    partly.examples = vec![DraftExample { arguments, ..DraftExample::default() }];
    let judged = judge(vec![spec("a", vec![partly])]);
    assert_eq!((judged.left_out.len(), judged.examples.len(), judged.files.len()), (0, 1, 1));
    let judged = judge(vec![spec("a", vec![odd])]);
    assert!(judged.files.is_empty());
}
