//! The demands of the seed documents, row by row, from spec text to request. The letters are the rows' names.
#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails here fails the test")]

use mcp_bundle::bind::matchers::Matchers;
use mcp_bundle::bind::{
    Arguments, BindError, Binder, Limits, PreparedTools, ProblemKind, Request, Scratch, Values,
};
use mcp_bundle::plan::Contents;
use mcp_bundle::shape::{self, Answer, ShapeFailure};
use mcp_bundle::template::Ambient;
use mcpc::check::{MemoryFiles, Report, check_files};

fn check(tool: &str) -> Report {
    let text = format!("[[tool]]\nname = \"t\"\ndescription = \"A tool that is under test.\"\n{tool}");
    check_files(&MemoryFiles::one("spec.toml", &text))
}

fn errors(tool: &str) -> Vec<String> {
    let report = check(tool);
    let errors = report.diagnostics.iter().filter(|d| d.severity == mcp_diagnostics::Severity::Error);
    errors.map(|d| d.name().to_owned()).collect()
}

fn warnings(tool: &str) -> Vec<String> {
    let report = check(tool);
    let warnings = report.diagnostics.iter().filter(|d| d.severity == mcp_diagnostics::Severity::Warning);
    let of_interest = warnings.map(|d| d.name()).filter(|name| !name.starts_with("missing-"));
    of_interest.map(str::to_owned).collect()
}

fn contents(tool: &str) -> Contents {
    let report = check(tool);
    let messages: Vec<&String> = report.diagnostics.iter().map(|d| &d.message).collect();
    report.contents.unwrap_or_else(|| panic!("{messages:#?}"))
}

/// URL, headers and body.
type Sent = (String, Vec<(String, String)>, String);

fn call(tool: &str, arguments: &str) -> Result<Sent, BindError> {
    let contents = contents(tool);
    let (_, plan) = contents.tool("t").unwrap();
    let (scratch, mut request) = (&mut Scratch::default(), Request::default());
    let (limits, matchers) = (Limits::default(), Matchers::new(&contents));
    let prepared = PreparedTools::new(&contents, &[], &limits);
    let mut binder = Binder { contents: &contents, matchers: &matchers, limits: &limits, scratch };
    let tool = prepared.find("t").unwrap();
    binder.bind(tool, &Arguments::of_text(arguments), &Values::default(), &mut request)?;
    let headers = request.headers().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    let body = String::from_utf8(request.body().unwrap_or_default().to_vec()).unwrap();
    Ok((request.url(&contents, plan), headers, body))
}

fn problems(tool: &str, arguments: &str) -> Vec<ProblemKind> {
    call(tool, arguments).unwrap_err().problems.into_iter().map(|problem| problem.kind).collect()
}

/// The texts of a result, whether it is an error, and what failed.
fn answer(tool: &str, status: u16, body: &str) -> (Vec<String>, bool, Option<ShapeFailure>) {
    let contents = contents(tool);
    let (_, plan) = contents.tool("t").unwrap();
    let (matchers, mut out) = (Matchers::new(&contents), vec![b'{']);
    let answer = Answer {
        status,
        content_type: Some("application/json"),
        content_location: None,
        message: None,
        body: body.as_bytes(),
    };
    let (ambient, limits, mut scratch) =
        (Ambient::default(), shape::Limits::default(), shape::Scratch::default());
    let shaped =
        shape::shape(&contents, &matchers, plan, &answer, &ambient, &limits, &mut scratch, &mut (), &mut out);
    out.push(b'}');
    let result: serde_json::Value = serde_json::from_slice(&out).unwrap();
    let content = result.get("content").and_then(|content| content.as_array()).unwrap();
    let text = |item: &serde_json::Value| item.get("text").and_then(|text| text.as_str()).unwrap().to_owned();
    (content.iter().map(text).collect(), shaped.is_error, shaped.failure)
}

const POST: &str = "method = \"POST\"\nendpoint = \"https://a.example/x\"\n";
const PATH: &str = "method = \"GET\"\nendpoint = \"https://a.example/users/{id}/orders\"\n\
                    parameters = [{ name = \"id\", required = true, position = \"path\" }]\n";

#[test]
fn a1_the_long_names_mean_what_the_short_ones_mean() {
    let short = r#"parameters = [{ name = "p", type = "string", description = "A word", required = false, default = "a", enum = ["a", "b"], position = "body" }]"#;
    let long = short
        .replace("type =", "parameter_type =")
        .replace("default =", "default_value =")
        .replace("enum =", "enum_values =")
        .replace("\"string\"", "\"String\"");
    assert_eq!(contents(&format!("{POST}{short}")), contents(&format!("{POST}{long}")));
}

#[test]
fn a2_a_parameter_without_position_goes_into_the_body_and_an_unknown_one_is_refused() {
    let (_, _, body) = call(&format!("{POST}parameters = [{{ name = \"p\" }}]"), r#"{"p":"x"}"#).unwrap();
    assert_eq!(body, r#"{"p":"x"}"#);
    assert_eq!(
        errors(&format!("{POST}parameters = [{{ name = \"p\", position = \"queri\" }}]")),
        ["unknown-position"]
    );
}

#[test]
fn a3_each_argument_goes_where_its_position_says() {
    let tool = "method = \"POST\"\nendpoint = \"https://a.example/{p}\"\nparameters = [\
        { name = \"p\", required = true, position = \"path\" }, { name = \"q\", position = \"query\" },\
        { name = \"h\", position = \"header\" }, { name = \"c\", position = \"cookie\" },\
        { name = \"b1\", type = \"integer\" }, { name = \"b2\", type = \"array\", items = {} }]";
    let arguments = r#"{"b2":[1,"x"],"c":"5","h":"4","q":"3","p":"2","b1":12345678901234567890}"#;
    let (url, headers, body) = call(tool, arguments).unwrap();
    assert_eq!(url, "https://a.example/2?q=3");
    assert_eq!(body, r#"{"b1":12345678901234567890,"b2":[1,"x"]}"#);
    for header in [("h", "4"), ("cookie", "c=5"), ("content-type", "application/json")] {
        let header = (header.0.to_owned(), header.1.to_owned());
        assert!(headers.contains(&header), "{header:?}: {headers:?}");
    }
}

#[test]
fn a4_path_arguments_are_percent_encoded() {
    let (url, ..) = call(PATH, r#"{"id":"a b/ü?#"}"#).unwrap();
    assert_eq!(url, "https://a.example/users/a%20b%2F%C3%BC%3F%23/orders");
}

#[test]
fn a5_placeholders_and_path_parameters_belong_together() {
    assert_eq!(errors("method = \"GET\"\nendpoint = \"https://a.example/{id}\""), ["unbound-placeholder"]);
    let lonely = "method = \"GET\"\nendpoint = \"https://a.example/x\"\n\
                  parameters = [{ name = \"id\", required = true, position = \"path\" }]";
    assert_eq!(errors(lonely), ["unused-path-parameter"]);
    let near = PATH.replace("{id}", "{Id}");
    let report = check(&near);
    let finding = report.diagnostics.iter().find(|d| d.name() == "unbound-placeholder").unwrap();
    let help = finding.help.clone().unwrap();
    assert!(help.contains("did you mean"), "{help}");
}

#[test]
fn a6_header_names_obey_http_and_some_are_never_set() {
    let header = |name: &str| format!("{POST}parameters = [{{ name = \"{name}\", position = \"header\" }}]");
    assert_eq!(errors(&header("x-ok")), [""; 0]);
    assert_eq!(errors(&header("not ok")), ["invalid-header-name"]);
    for name in
        ["Host", "Content-Length", "Transfer-Encoding", "Connection", "Mcp-Name", "Proxy-Authorization"]
    {
        assert_eq!(errors(&header(name)), ["forbidden-header"], "{name}");
    }
}

#[test]
fn a6_header_names_beyond_letters_digits_and_hyphens_are_a_warning() {
    let header = |name: &str| format!("{POST}parameters = [{{ name = \"{name}\", position = \"header\" }}]");
    for (name, expected) in [
        ("X-Trace-1", &[][..]),
        ("X_Trace", &["unportable-header-name"]),
        ("x.y", &["unportable-header-name"]),
    ] {
        assert_eq!(errors(&header(name)), [""; 0], "{name}");
        assert_eq!(warnings(&header(name)), expected, "{name}");
    }
}

#[test]
fn a7_templates_of_both_dialects_turn_answers_into_text() {
    let body = r#"{"data":{"name":"Ada"},"list":["a","b"],"condition":true}"#;
    let go = "{{ .data.name }}{{- range $index, $item := .list }} {{ $index }}{{ $item }}{{- end }}{{- if .condition }} yes{{- end }}";
    let handlebars = "{{data.name}}{{#each list}} {{@index}}{{this}}{{/each}}{{#if condition}} yes{{/if}}";
    for template in [go, handlebars] {
        let (texts, is_error, _) = answer(&format!("response_template = '{template}'\n{PATH}"), 200, body);
        assert_eq!((texts.join("|").as_str(), is_error), ("Ada 0a 1b yes", false), "{template}");
    }
}

#[test]
fn a8_without_a_template_the_raw_answer_goes_back_and_with_a_failing_one_both() {
    let raw = "{ \"n\": 1.50,\n\"s\":\"\\u00e9\" }";
    assert_eq!(answer(PATH, 200, raw), (vec![raw.to_owned()], false, None));
    let tool = format!("response_template = '{{{{ index .l 5 }}}}'\n{PATH}");
    let (texts, is_error, failure) = answer(&tool, 200, r#"{"l":[1]}"#);
    let [words, raw] = texts.as_slice() else { panic!("{texts:?}") };
    assert!(words.contains("response_template of `t`, line 1, column 4: `index`"), "{words}");
    assert_eq!((raw.as_str(), is_error), (r#"{"l":[1]}"#, true));
    assert_eq!(failure.unwrap().name(), "template_render");
}

#[test]
fn a9_templates_are_compiled_into_the_bundle_and_nothing_parses_them_later() {
    let tool = format!("response_template = 'unmistakable {{{{ .n }}}}'\n{PATH}");
    let contents = contents(&tool);
    assert_eq!(contents.templates.programs.len(), 1);
    let bytes = mcp_bundle::format::write(&contents).unwrap();
    let has = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
    assert!(has("unmistakable ") && !has("{{"), "the text is there, the template is not");
}

#[test]
fn a13_a_finding_has_file_line_column_rule_and_help() {
    let report = check("method = \"get\"\nendpoint = \"https://a.example/x\"");
    let finding = report.diagnostics.iter().find(|d| d.name() == "unknown-method").unwrap();
    let (start, end) = (finding.start(&report.sources), finding.end(&report.sources));
    assert_eq!((start.line, start.column, end.column), (4, 10, 15));
    assert_eq!(report.sources.file(finding.span.file).name, "spec.toml");
    assert!(finding.help.is_some() && !finding.notes.is_empty());
}

#[test]
fn a14_paths_cannot_traverse_and_headers_cannot_break_lines() {
    for value in ["..", ".", "", "a/../b", "%2e%2e", "..%2f", "a\\u0000"] {
        let arguments = format!("{{\"id\":\"{value}\"}}");
        assert_eq!(problems(PATH, &arguments), [ProblemKind::InvalidPathParameter], "{value}");
    }
    let tool = format!("{POST}parameters = [{{ name = \"h\", position = \"header\" }}]");
    assert_eq!(problems(&tool, r#"{"h":"a\r\nx-evil: 1"}"#), [ProblemKind::InvalidHeaderValue]);
    assert_eq!(
        problems(&tool, &format!("{{\"h\":\"{}\"}}", "a".repeat(9000))),
        [ProblemKind::InvalidHeaderValue]
    );
}

#[test]
fn a14_templates_are_limited() {
    let nested = |depth: usize| {
        format!("response_template = '{}x{}'\n{PATH}", "{{ if .a }}".repeat(depth), "{{ end }}".repeat(depth))
    };
    assert_eq!(errors(&nested(32)), [""; 0]);
    assert_eq!(errors(&nested(33)), ["unsupported-template-feature"]);
    let tool = format!("response_template = '{{{{ range .l }}}}{{{{ end }}}}'\n{PATH}");
    let list = |count: usize| format!("{{\"l\":[{}0]}}", "0,".repeat(count - 1));
    assert!(answer(&tool, 200, &list(100_000)).2.is_none());
    let failure = answer(&tool, 200, &list(100_001)).2.unwrap();
    assert!(
        matches!(&failure, ShapeFailure::Template { error, .. } if error.fault.name() == "iteration_limit"),
        "{failure:?}"
    );
}

#[test]
fn a17_timeouts_and_retries_are_per_tool_and_optional() {
    let policy = |tool: &str| {
        let contents = contents(tool);
        let policy = contents.policies.first().unwrap().clone();
        (policy.timeout_ms, policy.retry_count)
    };
    assert_eq!(policy(&format!("timeout_seconds = 7\nretry_count = 2\n{PATH}")), (7_000, 2));
    assert_eq!(policy(&format!("timeout_seconds = 0.25\n{PATH}")), (250, 0), "fractions of seconds");
    assert_eq!(policy(PATH), (30_000, 0), "without the keys, as before they were there");
    assert_eq!(policy(&format!("retry_count = 2\n{POST}")), (30_000, 0), "not where it is unsafe");
    assert_eq!(policy(&format!("retry_count = 2\nidempotent = true\n{POST}")), (30_000, 2));
}

#[test]
fn a17_a_body_on_get_is_a_warning_and_is_sent() {
    let tool = "method = \"GET\"\nendpoint = \"https://a.example/x\"\nparameters = [{ name = \"p\" }]";
    assert_eq!((errors(tool), warnings(tool)), (vec![], vec!["body-on-get".to_owned()]));
    assert_eq!(call(tool, r#"{"p":"x"}"#).unwrap().2, r#"{"p":"x"}"#);
}

// What a spec gets wrong is a rule, what a call or a response gets wrong is a kind of its own.
#[test]
fn a18_each_kind_of_error_has_its_own_name() {
    assert_eq!(problems(PATH, "{}"), [ProblemKind::MissingPathParameter]);
    assert_eq!(problems(PATH, r#"{"id":".."}"#), [ProblemKind::InvalidPathParameter]);
    for position in ["query", "header", "cookie", "body"] {
        let elsewhere = PATH.replace("\"path\"", &format!("\"{position}\""));
        assert_eq!(errors(&elsewhere), ["position-mismatch"], "{position}");
    }
    assert_eq!(errors(&PATH.replace("\"path\"", "\"paht\"")), ["unknown-position"]);
    assert_eq!(errors(&format!("response_template = \"{{{{ .a\"\n{PATH}")), ["template-syntax"]);
    let tool = format!("response_template = '{{{{ b64dec .a }}}}'\n{PATH}");
    assert_eq!(answer(&tool, 200, r#"{"a":"!"}"#).2.unwrap().name(), "template_render");
}
