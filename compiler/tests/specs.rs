//! The real specs: clean, and each example becomes exactly the request it states.
#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails here fails the test")]

use mcp_bundle::bind::{Limits, Request, Scratch, Values, bind};
use mcp_bundle::matchers::Matchers;
use mcp_bundle::plan::Contents;
use mcpc::check::{Report, check};
use mcpc::disk::{Disk, discover};
use mcpc::json::Json;
use mcpc::spec::{ExampleRequest, ToolSpec};
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn checked(path: &str) -> Report {
    let report = check(&discover(&[root().join(path)], None).unwrap(), &Disk);
    let messages: Vec<_> =
        report.diagnostics.iter().map(|d| format!("{}: {}", d.rule.name, d.message)).collect();
    assert_eq!(messages, [""; 0]);
    report
}

/// Binds every example that states a request, and returns how many there were.
fn examples_match(report: &Report) -> usize {
    let contents = report.contents.as_ref().unwrap();
    let mut compared = 0;
    for tool in report.toolsets.iter().flat_map(|toolset| &toolset.tools) {
        for example in &tool.examples {
            if let Some(expected) = &example.request {
                let arguments = example.arguments.as_ref().map_or("{}".into(), |a| a.value.to_text());
                example_matches(contents, tool, &arguments, expected);
                compared += 1;
            }
        }
    }
    compared
}

fn example_matches(contents: &Contents, tool: &ToolSpec, arguments: &str, expected: &ExampleRequest) {
    // Each variable holds its own name, so that `${NAME}` in an example can be compared.
    let variables: Vec<Box<str>> = contents.variable_names().map(Box::from).collect();
    let resolved = |text: &str| {
        variables.iter().fold(text.to_owned(), |text, name| text.replace(&format!("${{{name}}}"), name))
    };
    let values = Values { variables: &variables, tenant_id: None, principal_sub: None };
    let (_, plan) = contents.tool(tool.label()).unwrap();
    let (mut scratch, mut request) = (Scratch::default(), Request::default());
    let matchers = Matchers::new(contents);
    let limits = Limits::default();
    bind(contents, &matchers, plan, arguments.as_bytes(), &values, &limits, &mut scratch, &mut request)
        .unwrap_or_else(|error| panic!("{}: {error:?}", tool.label()));

    if let Some(method) = &expected.method {
        assert_eq!(plan.method, method.value, "{}", tool.label());
    }
    if let Some(url) = &expected.url {
        assert_eq!(request.url(contents, plan), resolved(&url.value), "{}", tool.label());
    }
    for header in &expected.headers {
        let name = header.name.value.to_ascii_lowercase();
        let found = request.headers().find(|(n, _)| *n == name).map(|(_, value)| value);
        assert_eq!(found, Some(resolved(&header.value.value).as_str()), "{}: {name}", tool.label());
    }
    if let Some(body) = &expected.body {
        let sent = std::str::from_utf8(request.body().unwrap_or_default()).unwrap();
        match &body.value {
            Json::String(text) => assert_eq!(sent, resolved(text), "{}", tool.label()),
            json => {
                let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
                assert_eq!(parse(sent), parse(&resolved(&json.to_text())), "{}", tool.label());
            }
        }
    }
}

#[test]
fn the_real_specs_are_clean_and_their_examples_are_exact() {
    let report = checked("tool-specs");
    assert!(report.toolsets.len() >= 5 && report.tools() >= 15);
    assert!(report.toolsets.iter().flat_map(|t| &t.tools).all(|tool| !tool.examples.is_empty()));
    assert!(examples_match(&report) >= 15);
    for name in ["elasticsearch", "node_knowledge_retriever", "get_order"] {
        assert!(report.contents.as_ref().unwrap().tool(name).is_some(), "{name}");
    }
}

// The first seed document's JSON configuration, key by key, with its long names and its body on GET.
#[test]
fn the_seed_configuration_is_expressed_one_to_one() {
    let report = checked("tests/fixtures/seed_example.toml");
    assert_eq!(examples_match(&report), 1);
    let contents = report.contents.as_ref().unwrap();
    let (_, plan) = contents.tool("seed_get_order").unwrap();
    let policy = &contents.policies[plan.policy as usize];
    assert_eq!((policy.timeout_ms, policy.retry_count), (30_000, 3));
    assert!(plan.response.template.is_some());
}
