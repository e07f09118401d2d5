//! What is wrong with templates of a request, and where.

use mcp_diagnostics::Severity;
use mcpc::check::{MemoryFiles, check_files};

/// Rules and underlined texts of all errors.
fn errors(tool: &str) -> Vec<(String, String)> {
    let text = format!("[[tool]]\nname = \"t\"\ndescription = \"A tool under test.\"\n{tool}");
    let report = check_files(&MemoryFiles::one("spec.toml", &text));
    let errors = report.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    errors.map(|d| (d.name().to_owned(), report.sources.text(d.span).to_owned())).collect()
}

#[test]
fn errors_are_found_in_the_right_column() {
    let parameters = "parameters = [{ name = \"p\", required = true }]";
    for (tool, rule, text) in [
        ("endpoint = \"https://a.example/\\u0061/{{ .p }}/{q}\"", "template-syntax", "{"),
        ("endpoint = \"https://a.example/a/{{ .p | nosuch }}\"", "unknown-template-function", "nosuch"),
        ("endpoint = 'https://a.example/a/{{ .p }}/..'", "template-syntax", ""),
        ("endpoint = 'https://a.example/a/{{p}}#x'", "template-syntax", "#x"),
        (
            "endpoint = 'https://a.example/a/{{ $.p }}'",
            "ambiguous-dialect",
            "'https://a.example/a/{{ $.p }}'",
        ),
        ("endpoint = 'https://{{ .p }}.example/a'", "invalid-url", "{{ .p }}"),
        ("endpoint = 'https://a.example/a/{{ .q }}/{{ .p }}'", "unknown-template-argument", "q"),
        (
            "endpoint = 'https://a.example/{{ .p }}'\nheaders = { x = \"\\u0061\\n{{ .p }}\" }",
            "template-syntax",
            "\\n",
        ),
        (
            "endpoint = 'https://a.example/{{ .p }}'\nheaders = { x = '{{ .p }}${1}' }",
            "invalid-variable",
            "${1}",
        ),
        (
            "endpoint = 'https://a.example/{{ .p }}'\nbody = 'whole:p'\nbody_template = '{{ .p }}'",
            "invalid-value",
            "'whole:p'",
        ),
        (
            "endpoint = 'https://a.example/{{ .p }}'\nbody_template = '{\"a\": 1{{ .p }}}'",
            "template-syntax",
            ".p",
        ),
        (
            "endpoint = 'https://a.example/{{ .p }}?a=1'\nparameters = [{ name = 'p', required = true }, { name = 'a', position = 'query' }]",
            "wire-name-conflict",
            "'a'",
        ),
    ] {
        let rest = if tool.contains("parameters") { "" } else { parameters };
        let found = errors(&format!("method = \"POST\"\n{tool}\n{rest}"));
        assert_eq!(found, [(rule.to_owned(), text.to_owned())], "{tool}");
    }
}

#[test]
fn a_body_template_on_get_is_only_a_warning() {
    let tool = "method = \"GET\"\nendpoint = \"https://a.example/x\"\nbody_template = '{{ .p }}'\nparameters = [{ name = \"p\" }]";
    assert_eq!(errors(tool), []);
    let report = check_files(&MemoryFiles::one("spec.toml", &format!("[[tool]]\nname = \"t\"\n{tool}")));
    let found = report.diagnostics.iter().find(|d| d.name() == "body-on-get").unwrap();
    assert_eq!(report.sources.text(found.span), "'{{ .p }}'");
}

// What is wrong with a template is one finding: what would follow from it is not said.
#[test]
fn a_template_that_is_not_sound_is_one_finding() {
    for tool in [
        "endpoint = 'https://a.example/{{ .p'",
        "endpoint = 'https://a.example/x'\nheaders = { x = '{{ .p | nosuch }}' }",
        "endpoint = 'https://a.example/x'\nheaders = { x = '{{ $.p }}' }",
    ] {
        for position in ["", ", position = 'path'"] {
            let parameters = format!("parameters = [{{ name = 'p', required = true{position} }}]");
            let found = errors(&format!("method = \"GET\"\n{tool}\n{parameters}"));
            let is_path_of_another = position.contains("path") && !tool.contains("/{{");
            assert_eq!(found.len(), if is_path_of_another { 2 } else { 1 }, "{tool}: {found:?}");
        }
    }
}

#[test]
fn a_path_parameter_may_be_in_the_template() {
    let with = |endpoint: &str, keys: &str| {
        errors(&format!(
            "method = \"GET\"\nendpoint = 'https://a.example{endpoint}'\nparameters = [{{ name = 'p'{keys} }}]"
        ))
    };
    assert_eq!(with("/{{ .p }}", ", position = 'path', required = true"), []);
    assert_eq!(with("/{p}/{{ .p }}", ", position = 'path', required = true"), []);
    assert_eq!(with("/x?p={{ .p }}", ", position = 'path'"), []);
    assert_eq!(with("/{{ .p }}", ", position = 'path'")[0].0, "optional-path-parameter");
    assert_eq!(with("/{p}/{{ .p }}", ", required = true")[0].0, "position-mismatch");
}

/// Nothing can be said about an argument while a template that may read it is wrong.
#[test]
fn a_wrong_template_brings_no_advice_about_its_arguments() {
    let parameters = "parameters = [{ name = \"a\", required = true }]";
    for (endpoint, rule) in [
        ("https://a.example/u/{{ .args.a }}", "unknown-template-argument"),
        ("https://{{ .a }}.example/u", "invalid-url"),
        ("https://a.example/u#{{ .a }}", "invalid-url"),
        ("https://a.example/u/{{ .a | lwer }}", "unknown-template-function"),
    ] {
        let found = errors(&format!("method = \"GET\"\nendpoint = '{endpoint}'\n{parameters}"));
        let rules: Vec<&str> = found.iter().map(|(rule, _)| rule.as_str()).collect();
        assert_eq!(rules, [rule], "{endpoint}");
    }
}
