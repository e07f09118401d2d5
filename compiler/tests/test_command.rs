//! `mcpc test` as people and CI jobs use it.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "what fails here fails the test"
)]

mod cli_support;

use cli_support::{CLEAN, Done, Workplace};
use serde_json::Value;

/// A tool whose text is the answer itself, and one with a template; all examples are right.
const SPEC: &str = include_str!("fixtures/test_command/shop.toml");

/// The same without the tool whose text a template makes.
fn plain() -> String {
    SPEC.split("[[tool]]\nname        = \"create_order\"").next().unwrap().to_owned()
}

fn document(done: &Done) -> Value {
    serde_json::from_str(&done.out).unwrap_or_else(|_| panic!("{done:?}"))
}

fn failures(done: &Done) -> Vec<(String, Value, Value)> {
    let document = document(done);
    let failures =
        document["tests"].as_array().unwrap().iter().flat_map(|t| t["failures"].as_array().unwrap());
    failures
        .map(|f| (f["what"].as_str().unwrap().to_owned(), f["expected"].clone(), f["actual"].clone()))
        .collect()
}

#[test]
fn examples_that_are_right_pass() {
    let place = Workplace::with_spec(SPEC);
    let done = place.run(&["test"]);
    assert_eq!(
        (done.code, done.out.as_str()),
        (0, "2 tools, 2 examples: 2 passed, 0 failed\n"),
        "{}",
        done.err
    );
    assert_eq!(done.err, "");
}

#[test]
fn requests_are_compared_without_any_response() {
    let spec = plain().replace("response  = { status = 200, body = '{\"status\":\"paid\"}' }\n", "");
    let place = Workplace::with_spec(spec.replace("text      = '{\"status\":\"paid\"}'\n", ""));
    assert_eq!(place.run(&["test"]).out, "1 tool, 1 example: 1 passed, 0 failed\n");
    // What cannot be compared is not a success.
    place.write("spec.toml", spec);
    let done = place.run(&["test"]);
    assert_eq!(done.code, 1);
    assert!(done.out.contains("cannot be compared: the example has no `response`"), "{}", done.out);
}

#[test]
fn a_wrong_url_is_shown_with_its_first_difference() {
    let place = Workplace::with_spec(plain().replace("/orders/4%202?", "/orders/4+2?"));
    let done = place.run(&["test"]);
    let expected = "\
spec.toml:25:1: get_order, example 1 failed
  request.url
    expected  https://api.example.com/v1/orders/4+2?key=${SHOP_KEY}
    actual    https://api.example.com/v1/orders/4%202?key=${SHOP_KEY}
                                                 ^

1 tool, 1 example: 0 passed, 1 failed
";
    assert_eq!((done.code, done.out.as_str()), (1, expected), "{}", done.err);
}

#[test]
fn every_stated_part_of_a_request_is_compared_and_nothing_else() {
    let example = "request = { method = \"PUT\", url = \"https://x/\", headers = { accept = \"text/html\", x-none = \"1\" }, body = { sku = \"INK\" } }\n";
    let start = SPEC.find("[tool.examples.request]").unwrap();
    let spec = SPEC[..start].replace("text      = \"Order 7\\n- PEN: 2\"\n", example);
    let place = Workplace::with_spec(&spec);
    let done = place.run(&["test", "--tool", "create_order", "--format", "json"]);
    let found = failures(&done);
    let what: Vec<&str> = found.iter().map(|(what, ..)| what.as_str()).collect();
    let all =
        ["request.method", "request.url", "request.headers.accept", "request.headers.x-none", "request.body"];
    assert_eq!(what, all, "{}", done.out);
    assert_eq!((found[0].1.as_str(), found[0].2.as_str()), (Some("PUT"), Some("POST")));
    assert_eq!(found[2].2, "application/json");
    assert_eq!(found[3].2, Value::Null);
    assert_eq!(found[4].2.as_str().unwrap(), "{\n  \"sku\": \"PEN\",\n  \"count\": 2\n}");
}

#[test]
fn texts_of_several_lines_become_a_diff() {
    let place = Workplace::with_spec(SPEC.replace("- PEN: 2\"", "- PEN: 3\\n\""));
    let done = place.run(&["test"]);
    let expected = "\
spec.toml:54:1: create_order, example 1 (two at once) failed
  text (- expected, + actual)
      Order 7
    - - PEN: 3
    -
    + - PEN: 2

2 tools, 2 examples: 1 passed, 1 failed
";
    assert_eq!((done.code, done.out.as_str()), (1, expected), "{}", done.err);
}

#[test]
fn a_template_that_fails_fails_the_example() {
    let spec = SPEC.replace("{{ .count }}", "{{ index $.items 5 }}");
    let place = Workplace::with_spec(&spec);
    let done = place.run(&["test", "--format", "json", "--tool", "create_order"]);
    assert_eq!(done.code, 1);
    assert_eq!(failures(&done)[0].0, "response_template", "{}", done.out);
    // Not even `--update` writes that into an example.
    let done = place.run(&["test", "--update"]);
    assert_eq!(done.code, 1);
    assert!(done.out.contains("not updated: create_order, example 1 (two at once): text:"), "{}", done.out);
    assert_eq!(place.read("spec.toml"), spec.as_bytes());
}

#[test]
fn an_error_response_is_an_example_like_others() {
    let spec = plain().replace("endpoint    =", "error_template = \"Shop: {{ .message }}\"\nendpoint    =");
    let spec = spec.replace(
        "status = 200, body = '{\"status\":\"paid\"}'",
        "status = 404, body = { message = \"gone\" }",
    );
    let spec = spec.replace("text      = '{\"status\":\"paid\"}'", "text      = \"Shop: gone\"");
    let done = Workplace::with_spec(spec).run(&["test"]);
    assert_eq!(
        (done.code, done.out.as_str()),
        (0, "1 tool, 1 example: 1 passed, 0 failed\n"),
        "{}",
        done.err
    );
}

#[test]
fn structured_content_is_compared_as_json() {
    let schema = "output_schema = { type = \"object\", properties = { status = { type = \"string\" } } }\nendpoint    =";
    let spec = plain().replace("endpoint    =", schema);
    let with =
        |line: &str| Workplace::with_spec(format!("{spec}{line}\n")).run(&["test", "--format", "json"]);
    for good in
        ["structured_content = { status = \"paid\" }", "structured_content = '{ \"status\": \"paid\" }'"]
    {
        let done = with(good);
        assert_eq!(done.code, 0, "{good}: {}", done.out);
    }
    let done = with("structured_content = { status = \"sent\" }");
    assert_eq!(failures(&done)[0].0, "structured_content");
}

#[test]
fn a_fixed_answer_is_compared_too() {
    let spec = "[[tool]]\nname = \"hours\"\ndescription = \"Tells when the shop is open.\"\nrespond = \"From 9 to 5.\"\n[[tool.examples]]\ntext = \"From 9 to 5.\"\n";
    let place = Workplace::with_spec(spec);
    let done = place.run(&["test"]);
    assert_eq!(
        (done.code, done.out.as_str()),
        (0, "1 tool, 1 example: 1 passed, 0 failed\n"),
        "{}",
        done.err
    );
    place.write("spec.toml", spec.replace("text = \"From 9", "text = \"From 8"));
    assert_eq!(place.run(&["test"]).code, 1);
}

#[test]
fn an_answer_of_arguments_is_compared_too() {
    let spec = "[[tool]]\nname = \"greet\"\ndescription = \"Greets someone by name.\"\nrespond = { go = \"Hello {{ .name | upper }}{{ .mark }}\" }\n\
        [[tool.parameters]]\nname = \"name\"\ndescription = \"Who it is\"\nrequired = true\n\
        [[tool.parameters]]\nname = \"mark\"\ndescription = \"What comes last\"\ndefault = \"!\"\n\
        [[tool.examples]]\narguments = { name = \"a \\\"b\\\"\" }\ntext = \"Hello A \\\"B\\\"!\"\n";
    let place = Workplace::with_spec(spec);
    let done = place.run(&["test"]);
    assert_eq!(
        (done.code, done.out.as_str()),
        (0, "1 tool, 1 example: 1 passed, 0 failed\n"),
        "{}",
        done.err
    );
    let done = place.run(&["try", "greet", "--args", r#"{"name":"x","mark":"?"}"#]);
    assert_eq!((done.code, done.out.as_str()), (0, "text:\nHello X?\n\nisError: false\n"));
    assert_eq!(place.run(&["try", "greet", "--args", "{}"]).code, 1, "an argument is missing");
    assert_eq!(place.run(&["build", "-o", "tools.mcpk"]).code, 0);
    // A request beside it, a constant, or a second template.
    for more in ["method = \"GET\"\n", "response_template = \"x\"\n"] {
        place.write("spec.toml", spec.replace("respond =", &format!("{more}respond =")));
        assert_eq!(place.run(&["check"]).code, 1, "{more}");
    }
    place.write("spec.toml", spec.replace("default = \"!\"", "value = \"!\""));
    assert_eq!(place.run(&["check"]).code, 1, "a constant");
}

#[test]
fn json_has_the_documented_shape() {
    let spec =
        format!("{SPEC}{}", CLEAN.split("[[tool.examples]]").next().unwrap().replace("get_order", "bare"));
    let place = Workplace::with_spec(spec.replace("/orders/4%202?", "/orders/?"));
    let done = place.run(&["test", "--format", "json"]);
    assert_eq!(done.out.lines().count(), 1);
    let document = document(&done);
    assert_eq!(document["version"], 1);
    let first = &document["tests"][0];
    assert_eq!((first["toolset"].as_str(), first["tool"].as_str()), (Some("spec"), Some("get_order")));
    assert_eq!((&first["example"], &first["title"]), (&Value::from(1), &Value::Null));
    assert_eq!((first["file"].as_str(), first["status"].as_str()), (Some("spec.toml"), Some("failed")));
    assert_eq!(first["start"]["line"], 25);
    assert_eq!(first["failures"][0]["what"], "request.url");
    assert_eq!(document["tests"][1]["title"], "two at once");
    assert_eq!(document["untested"][0]["tool"], "bare");
    assert!(document["uncovered"].is_array());
    let summary = &document["summary"];
    assert_eq!(
        (&summary["tools"], &summary["examples"], &summary["untested"]),
        (&3.into(), &2.into(), &1.into())
    );
    assert_eq!(summary["passed"].as_u64().unwrap() + summary["failed"].as_u64().unwrap(), 2);
}

#[test]
fn a_selection_runs_what_it_says() {
    let place = Workplace::with_spec(SPEC);
    let count = |arguments: &[&str]| {
        let done = place.run(&[&["test", "--format", "json"], arguments].concat());
        document(&done)["tests"].as_array().unwrap().len()
    };
    assert_eq!(count(&["--tool", "get_order"]), 1);
    assert_eq!(count(&["--tool", "*_order"]), 2);
    assert_eq!(count(&["--tool", "get_order", "--tool", "create_order"]), 2);
    assert_eq!(count(&["--example", "1"]), 2);
    assert_eq!(count(&["--example", "TWO at"]), 1);
    assert_eq!(count(&["spec.toml", "--tool", "get*", "--example", "1"]), 1);
}

#[test]
fn a_tool_without_an_example_is_not_taken_for_a_wrong_name() {
    let untested =
        "[[tool]]\nname = \"hours\"\ndescription = \"Tells when the shop is open.\"\nrespond = \"9 to 5\"\n";
    let place = Workplace::with_spec(format!("{}\n{untested}", plain()));
    let done = place.run(&["test", "--tool", "hours"]);
    assert_eq!((done.code, done.err.as_str()), (2, "error: `hours` has no example\n"));
}

#[test]
fn a_selection_of_nothing_could_not_run() {
    let place = Workplace::with_spec(SPEC);
    for (arguments, message) in [
        (&["--tool", "get_oder"][..], "there is no tool `get_oder`; did you mean `get_order`?"),
        (&["--tool", "zzzzzz"], "there is no tool `zzzzzz`"),
        (&["--tool", "x*"], "no tool matches `x*`"),
        (&["--example", "2"], "no example matches"),
        (&["--example", "three"], "no example matches"),
        (&["--tool", "get_order", "--example", "two"], "no example matches"),
        (&["--tool", ""], "there is no tool ``"),
    ] {
        let done = place.run(&[&["test"], arguments].concat());
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{arguments:?}");
        assert_eq!(done.err, format!("error: {message}\n"));
    }
}

#[test]
fn bad_usage_exits_2() {
    let place = Workplace::with_spec(SPEC);
    for bad in [
        &["test", "--format", "xml"][..],
        &["test", "nowhere.toml"],
        &["test", "--deny", "all"],
        &["test", "--tool"],
        &["test", "--updat"],
    ] {
        let done = place.run(bad);
        assert_eq!((done.code, done.out.as_str()), (2, ""), "{bad:?}: {}", done.out);
        assert!(!done.err.is_empty());
    }
}

#[test]
fn specs_with_errors_are_refused_as_check_refuses_them() {
    let place = Workplace::with_spec(SPEC.replace("/orders/{orderId}", "/orders/{orderID}"));
    let done = place.run(&["test"]);
    assert_eq!((done.code, done.out.as_str()), (1, ""));
    assert!(done.err.contains("error[MCP0301]"), "{}", done.err);
    let json = place.run(&["test", "--format", "json"]);
    assert_eq!((json.code, &json.out), (1, &place.run(&["check", "--format", "json"]).out));
    // Arguments that the tool refuses are `check`'s finding already.
    place.write("spec.toml", SPEC.replace("{ orderId = \"4 2\" }", "{ orderid = \"4 2\" }"));
    let done = place.run(&["test"]);
    assert_eq!(done.code, 1);
    assert!(done.err.contains("would refuse the arguments of this example"), "{}", done.err);
}

#[test]
fn tools_without_an_example_are_named_and_can_be_denied() {
    let bare = CLEAN.split("[[tool.examples]]").next().unwrap();
    let place =
        Workplace::with_spec(format!("{}{}", bare.replace("get_order", "b"), bare.replace("get_order", "a")));
    let done = place.run(&["test"]);
    let expected = "2 tools have no example: b, a\n2 tools, 0 examples: 0 passed, 0 failed\n";
    assert_eq!((done.code, done.out.as_str()), (0, expected), "{}", done.err);
    let done = place.run(&["test", "--deny", "untested"]);
    assert_eq!(done.code, 1);
    let denied = "0 failed; denied: 2 tools without an example (--deny untested)\n";
    assert!(done.out.ends_with(denied), "{}", done.out);
    place.write("spec.toml", CLEAN);
    assert_eq!(place.run(&["test", "--deny", "untested"]).code, 0);
}

#[test]
fn results_do_not_depend_on_the_environment() {
    let place = Workplace::with_spec(plain());
    let output = place
        .command(&["test", "--format", "json"])
        .env("SHOP_TOKEN", "hunter2")
        .env("SHOP_KEY", "k")
        .output();
    let out = String::from_utf8(output.unwrap().stdout).unwrap();
    assert_eq!(out, place.run(&["test", "--format", "json"]).out);
    assert!(!out.contains("hunter2"));
}

#[test]
fn branches_that_no_example_reaches_are_listed() {
    let place = Workplace::with_spec(COVERED);
    let expected = "\
spec.toml:6:56: get_order: no example reaches what follows `{{ if .line }}`
spec.toml:8:1: get_order: no example reaches the `else` of `{{ if .paid }}`
spec.toml:9:1: get_order: no example reaches what follows `{{- range .items }}`
spec.toml:12:18: get_order: no example reaches `error_template`
1 tool, 1 example: 1 passed, 0 failed
";
    let done = place.run(&["test"]);
    assert_eq!((done.code, done.out.as_str()), (0, expected), "{}", done.err);
    let document = document(&place.run(&["test", "--format", "json"]));
    let uncovered = document["uncovered"].as_array().unwrap();
    assert_eq!(uncovered.len(), 4);
    assert_eq!(uncovered[1]["template"], "response_template", "{document}");
    let done = place.run(&["test", "--deny", "uncovered", "--deny", "untested", "--format", "junit"]);
    assert_eq!(done.code, 1);
    assert!(done.out.contains("<testsuite name=\"uncovered\" tests=\"4\" failures=\"4\""), "{}", done.out);
    assert!(done.out.contains("message=\"no example reaches `error_template`\""), "{}", done.out);
    let done = place.run(&["test", "--deny", "uncovered"]);
    let denied = "0 failed; denied: 4 branches that no example reaches (--deny uncovered)\n";
    assert!(done.code == 1 && done.out.ends_with(denied), "{}", done.out);
    // One example alone says nothing about all of them.
    let done = place.run(&["test", "--example", "1"]);
    assert_eq!(done.out, "1 tool, 1 example: 1 passed, 0 failed\n");
}

const COVERED: &str = r#"
[[tool]]
name        = "get_order"
description = "Gets one order with all that belongs to it."
method      = "GET"
endpoint    = "https://api.example.com/orders/{{ .id }}{{ if .line }}/{{ .line }}{{ end }}"
response_template = """
{{ if .paid }}paid{{ else }}open{{ end }}
{{- range .items }}
- {{ .name }}
{{- end }}"""
error_template = "The shop said: {{ .message }}"

[[tool.parameters]]
name        = "id"
description = "Id of the order"
required    = true

[[tool.parameters]]
name        = "line"
type        = "integer"
description = "A line of the order"

[[tool.examples]]
arguments = { id = "7" }
request   = { url = "https://api.example.com/orders/7" }
response  = { body = { paid = true, items = [] } }
text      = "paid"
"#;
