//! Templates of a request, from spec text to request: whatever the arguments are, nothing breaks out of its place.
#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails here fails the test")]

mod request_support;

use mcp_bundle::bind::ProblemKind;
use mcp_bundle::format::{self, Trust};
use mcpc::publish::bundle_view::BundleView;
use request_support::{HOSTILE, POST, Sent, contents, send, spec};
use serde_json::{Value, json};

fn call(tool: &str, arguments: &Value) -> Sent {
    send(&contents(&spec(tool)), arguments).unwrap_or_else(|error| panic!("{error:?}\n{tool}"))
}

fn problems(tool: &str, arguments: &Value) -> Vec<ProblemKind> {
    let error = send(&contents(&spec(tool)), arguments).unwrap_err();
    error.problems.into_iter().map(|problem| problem.kind).collect()
}

#[test]
fn values_in_a_json_body_stay_values() {
    let tool = format!(
        "{POST}body_template = '{{\"text\": \"<{{{{ .p }}}}>\", \"value\": {{{{ .p }}}}, \"{{{{ .p }}}}\": 1}}'\n\
         parameters = [{{ name = \"p\" }}]"
    );
    for value in HOSTILE {
        let sent = call(&tool, &json!({ "p": value }));
        let body: Value = serde_json::from_str(&sent.body).unwrap();
        assert_eq!(body, json!({ "text": format!("<{value}>"), "value": value, value: 1 }), "{value:?}");
        assert_eq!(sent.header("content-type"), Some("application/json"));
    }
}

#[test]
fn values_in_both_dialects_keep_their_types() {
    let arguments = json!({ "s": "a\"b", "n": 12.50, "b": true, "l": [1, "x", null], "o": { "k": ["v"] } });
    let parameters = "parameters = [{ name = \"s\" }, { name = \"n\", type = \"number\" }, { name = \"b\", \
        type = \"boolean\" }, { name = \"l\", type = \"array\", items = {} }, { name = \"o\", type = \"object\" }]";
    for template in [
        "{\"s\": {{ .s }}, \"n\": {{ .n }}, \"b\": {{ .b }}, \"l\": {{ .l }}, \"o\": {{ .o }}, \"none\": {{ .o.x }}}",
        "{\"s\": {{s}}, \"n\": {{n}}, \"b\": {{b}}, \"l\": {{l}}, \"o\": {{o}}, \"none\": {{o.x}}}",
    ] {
        let sent = call(&format!("{POST}body_template = '{template}'\n{parameters}"), &arguments);
        let mut expected = arguments.clone();
        expected["none"] = Value::Null;
        assert_eq!(serde_json::from_str::<Value>(&sent.body).unwrap(), expected, "{template}");
    }
}

#[test]
fn conditions_and_loops_write_json() {
    let tool = format!(
        "{POST}body_template = '''\n{{\n  \"query\": {{{{ .text }}}}{{{{ if .limit }}}},\n  \"size\": {{{{ .limit }}}}{{{{ end }}}},\n\
         \"tags\": [{{{{ range $i, $t := .tags }}}}{{{{ if $i }}}}, {{{{ end }}}}\"#{{{{ $t }}}}\"{{{{ end }}}}]\n}}\n'''\n\
         parameters = [{{ name = \"text\", required = true }}, {{ name = \"limit\", type = \"integer\" }}, \
         {{ name = \"tags\", type = \"array\", items = {{ type = \"string\" }} }}]"
    );
    let contents = contents(&spec(&tool));
    for (arguments, expected) in [
        (json!({ "text": "a" }), json!({ "query": "a", "tags": [] })),
        (json!({ "text": "\"", "limit": 3 }), json!({ "query": "\"", "size": 3, "tags": [] })),
        (json!({ "text": "", "tags": ["x", "\",\""] }), json!({ "query": "", "tags": ["#x", "#\",\""] })),
    ] {
        let sent = send(&contents, &arguments).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&sent.body).unwrap(), expected);
    }
}

#[test]
fn a_body_that_is_not_json_is_not_sent() {
    let tool = format!(
        "{POST}body_template = '[{{{{ if .a }}}}{{{{ .a }}}}{{{{ end }}}}{{{{ if .b }}}}{{{{ .b }}}}{{{{ end }}}}]'\n\
         parameters = [{{ name = \"a\", type = \"integer\" }}, {{ name = \"b\", type = \"integer\" }}]"
    );
    assert_eq!(call(&tool, &json!({ "a": 1 })).body, "[1]");
    assert_eq!(call(&tool, &json!({ "b": 2 })).body, "[2]");
    // Not 12.
    assert_eq!(problems(&tool, &json!({ "a": 1, "b": 2 })), [ProblemKind::Template]);
    let keyed = format!(
        "{POST}body_template = '{{{{{{ .a }}}}: 1}}'\nparameters = [{{ name = \"a\", type = \"object\" }}]"
    )
    .replace("{{{ .a }}:", "{ {{ .a }}:");
    assert_eq!(problems(&keyed, &json!({ "a": { "b": 1 } })), [ProblemKind::Template]);
}

#[test]
fn values_in_a_form_stay_in_their_field() {
    let tool = format!(
        "{POST}body = \"form\"\nbody_template = 'q=<{{{{ .p }}}}>&fixed=1'\nparameters = [{{ name = \"p\" }}]"
    )
    .replace("<{{ .p }}>", "x{{ .p }}y");
    for value in HOSTILE {
        let sent = call(&tool, &json!({ "p": value }));
        let pairs: Vec<(&str, &str)> =
            sent.body.split('&').map(|pair| pair.split_once('=').unwrap()).collect();
        assert_eq!((pairs.len(), pairs[0].0, pairs[1]), (2, "q", ("fixed", "1")), "{value:?}: {}", sent.body);
        let decoded = percent_encoding::percent_decode_str(pairs[0].1).decode_utf8().unwrap();
        assert_eq!(decoded, format!("x{value}y"));
        assert_eq!(sent.header("content-type"), Some("application/x-www-form-urlencoded"));
    }
}

#[test]
fn values_in_a_header_are_one_line_or_refused() {
    let tool = format!(
        "{POST}headers = {{ x-a = \"v1 {{{{ .p }}}} ${{KEY}}\", x-b = \"{{{{ .q }}}}\" }}\nparameters = [{{ name = \"p\" }}, {{ name = \"q\" }}]"
    );
    let contents = contents(&spec(&tool));
    for value in HOSTILE {
        let plain = value.chars().all(|c| matches!(c, ' '..='~' | '\t'));
        match send(&contents, &json!({ "p": value })) {
            Ok(sent) => {
                assert!(plain, "{value:?}");
                let expected = format!("v1 {value} <KEY>\"/");
                assert_eq!(sent.header("x-a"), Some(expected.as_str()));
                // What renders to nothing is left out, and what a header reads is in no body.
                assert_eq!((sent.header("x-b"), sent.body.as_str()), (None, ""));
            }
            Err(error) => {
                assert!(!plain, "{value:?}");
                assert_eq!(error.problems[0].kind, ProblemKind::InvalidHeaderValue);
            }
        }
    }
    assert_eq!(send(&contents, &json!({ "q": "z" })).unwrap().header("x-b"), Some("z"));
}

#[test]
fn values_in_a_path_stay_in_their_segment() {
    let tool = "method = \"GET\"\nendpoint = \"https://a.example/v1/{team}/x-{{ .p }}/end?q={{ .p }}&fixed=1\"\n\
        parameters = [{ name = \"team\", position = \"path\", required = true }, { name = \"p\", required = true }, \
        { name = \"page\", type = \"integer\", position = \"query\" }]";
    let contents = contents(&spec(tool));
    for value in HOSTILE {
        let Ok(sent) = send(&contents, &json!({ "team": "a", "p": value, "page": 2 })) else {
            assert!(
                value.chars().any(char::is_control) || value.contains("..") || value == "..",
                "{value:?}"
            );
            continue;
        };
        let (path, query) = sent.url.split_once('?').unwrap();
        let segments: Vec<&str> = path.strip_prefix("https://a.example/").unwrap().split('/').collect();
        assert_eq!((segments.len(), segments[0], segments[1], segments[3]), (4, "v1", "a", "end"), "{path}");
        let decoded = percent_encoding::percent_decode_str(segments[2]).decode_utf8().unwrap();
        assert_eq!(decoded, format!("x-{value}"));
        let names: Vec<&str> = query.split('&').map(|pair| pair.split('=').next().unwrap()).collect();
        assert_eq!(names, ["q", "fixed", "page"], "{query}");
        assert!(!sent.url.contains('#') && sent.body.is_empty());
    }
    for value in ["", ".", "a\u{7f}", "%2e%2e/x"] {
        let tool = "method = \"GET\"\nendpoint = \"https://a.example/{{p}}\"\nparameters = [{ name = \"p\", required = true }]";
        assert_eq!(problems(tool, &json!({ "p": value })), [ProblemKind::InvalidPathParameter], "{value:?}");
    }
}

#[test]
fn what_comes_together_in_a_segment_is_looked_at_as_a_whole() {
    let tool = "method = \"GET\"\nendpoint = \"https://a.example/{{ .a }}{{ .b }}/x\"\n\
        parameters = [{ name = \"a\", required = true }, { name = \"b\", required = true }]";
    assert_eq!(call(tool, &json!({ "a": "a", "b": "." })).url, "https://a.example/a./x");
    assert_eq!(problems(tool, &json!({ "a": ".", "b": "." })), [ProblemKind::InvalidPathParameter]);
    let tool = "method = \"GET\"\nendpoint = \"https://a.example/{{ if .a }}.{{ end }}{{ if .b }}.{{ end }}x{{ .c }}\"\n\
        parameters = [{ name = \"a\" }, { name = \"b\" }, { name = \"c\", default = \"y\" }]";
    assert_eq!(call(tool, &json!({ "a": "1", "b": "1" })).url, "https://a.example/..xy");
}

#[test]
fn endpoints_end_in_templates() {
    let parameters = "parameters = [{ name = \"a\", default = \"d\" }, { name = \"b\" }]";
    for (endpoint, arguments, url) in [
        ("https://a.example/x/{{ .a }}", json!({}), "https://a.example/x/d"),
        (
            "https://a.example/x/{{ .a }}{{ if .b }}/sub/{{ .b }}{{ end }}",
            json!({ "b": "z" }),
            "https://a.example/x/d/sub/z",
        ),
        ("https://a.example/x?a={{ .a }}", json!({ "a": "1 2" }), "https://a.example/x?a=1%202"),
        ("https://a.example?a={{a}}", json!({}), "https://a.example/?a=d"),
        (
            "https://a.example/x{{ if .b }}?b={{ .b }}{{ end }}",
            json!({ "b": "?" }),
            "https://a.example/x?b=%3F",
        ),
        ("https://a.example/x{{ if .b }}?b={{ .b }}{{ end }}", json!({}), "https://a.example/x"),
        ("https://a.example/{{ .a }}/${TEAM}", json!({}), "https://a.example/d/%3CTEAM%3E%22%2F"),
    ] {
        let tool = format!("method = \"POST\"\nendpoint = \"{endpoint}\"\n{parameters}");
        assert_eq!(call(&tool, &arguments).url, url, "{endpoint}");
    }
    let text = "[upstream.u]\nurl = \"https://a.example/base/\"\n[[tool]]\nname = \"t\"\nupstream = \"u\"\n\
        description = \"A tool under test.\"\nmethod = \"GET\"\nendpoint = \"/{{ .a }}\"\nparameters = [{ name = \"a\", required = true }]";
    assert_eq!(send(&contents(text), &json!({ "a": "b" })).unwrap().url, "https://a.example/base/b");
}

#[test]
fn a_position_that_is_written_holds_beside_templates() {
    let tool = format!(
        "{POST}headers = {{ x-a = \"{{{{ .a }}}}{{{{ .b }}}}{{{{ .c }}}}\" }}\nparameters = [{{ name = \"a\" }}, \
         {{ name = \"b\", position = \"query\" }}, {{ name = \"c\", position = \"body\" }}, {{ name = \"d\" }}]"
    );
    let sent = call(&tool, &json!({ "a": "1", "b": "2", "c": "3", "d": "4" }));
    assert_eq!(sent.url, "https://a.example/x?b=2");
    assert_eq!((sent.header("x-a"), sent.body.as_str()), (Some("123"), "{\"c\":\"3\",\"d\":\"4\"}"));
}

#[test]
fn a_content_type_that_the_tool_sets_is_kept() {
    let tool = format!(
        "{POST}headers = {{ content-type = \"application/vnd.a+json\" }}\nbody_template = '{{{{ .p }}}}'\nparameters = [{{ name = \"p\" }}]"
    );
    let sent = call(&tool, &json!({ "p": "x" }));
    assert_eq!((sent.header("content-type"), sent.body.as_str()), (Some("application/vnd.a+json"), "\"x\""));
    assert_eq!(sent.headers.iter().filter(|(name, _)| name == "content-type").count(), 1);
}

#[test]
fn variables_are_encoded_like_values() {
    let tool = format!(
        "{POST}body_template = '[\"${{A}} {{{{ .p }}}}\", ${{A}}, \"${{tenant.id}}\", \"$${{A}}\"]'\nparameters = [{{ name = \"p\" }}]"
    );
    let sent = call(&tool, &json!({ "p": "x" }));
    assert_eq!(
        serde_json::from_str::<Value>(&sent.body).unwrap(),
        json!(["<A>\"/ x", "<A>\"/", "acme", "${A}"])
    );
}

#[test]
fn properties_and_other_arguments_are_data_too() {
    let tool = |rest: &str| {
        format!(
            "{POST}input_schema = {{ type = \"object\", properties = {{ a = {{}}, b = {{}} }}, additionalProperties = true }}\n{rest}"
        )
    };
    let sent = call(&tool("headers = { x-a = '{{ .a }}{{ .z }}' }"), &json!({ "a": 1, "b": 2, "z": 3 }));
    assert_eq!((sent.header("x-a"), sent.body.as_str()), (Some("13"), "{\"b\":2,\"z\":3}"));
    let sent = call(&tool("body_template = '{\"all\": {{ . }}}'"), &json!({ "b": 2, "z": 3 }));
    assert_eq!(sent.body, "{\"all\": {\"b\":2,\"z\":3}}");
}

#[test]
fn inspect_shows_what_a_template_writes() {
    let text = spec(
        "method = \"POST\"\nendpoint = \"https://a.example/{{ .a }}?b={{ .b.c }}{{ if .b }}&x=1{{ end }}\"\n\
         headers = { x-a = \"v1 {{ .a | upper }} ${KEY}\" }\nbody_template = '{\"a\": {{ .a }}}'\n\
         parameters = [{ name = \"a\", required = true }, { name = \"b\", type = \"object\" }, \
         { name = \"q\", position = \"query\" }]",
    );
    let bytes = format::write(&contents(&text)).unwrap();
    let bundle = format::read(&bytes, &Trust::Any).unwrap();
    let view = BundleView::new(&bundle, bytes.len());
    let tool = &view.tools[0];
    assert_eq!(tool.url, "https://a.example/{{a}}?b={{b.c}}{{…}}&x=1&q={q}");
    assert_eq!(tool.headers, ["x-a: v1 {{…}} ${KEY}"]);
    assert_eq!((tool.body, tool.body_members.as_slice()), ("template", &["{\"a\": {{a}}}".to_owned()][..]));
    let positions: Vec<_> = tool.parameters.iter().map(|p| (p.name, p.position)).collect();
    assert_eq!(positions, [("a", "template"), ("b", "template"), ("q", "query")]);
}

/// What the review of these templates found.
mod hardening {
    use super::*;

    #[test]
    fn a_member_that_an_argument_names_cannot_replace_another() {
        let contents = contents(&spec(&format!(
            "{POST}body_template = '{{\"role\": \"user\", \"in\": {{\"{{{{ .key }}}}\": 1, \"a\": 2}}, \"{{{{ .key }}}}\": {{{{ .value }}}}}}'\n\
             parameters = [{{ name = \"key\" }}, {{ name = \"value\" }}]"
        )));
        let sent = send(&contents, &json!({ "key": "b", "value": "admin" })).unwrap();
        assert_eq!(sent.body, r#"{"role": "user", "in": {"b": 1, "a": 2}, "b": "admin"}"#);
        for key in ["role", "a"] {
            let refused = send(&contents, &json!({ "key": key, "value": "admin" })).unwrap_err().to_string();
            assert!(refused.contains(&format!("it has two members `{key}`")), "{refused}");
        }
    }

    #[test]
    fn what_a_sensitive_argument_holds_is_in_no_message() {
        let contents = contents(&spec(&format!(
            "{POST}body_template = '{{\"a\": {{{{ b64dec .token }}}}}}'\nparameters = [{{ name = \"token\", sensitive = true }}]"
        )));
        let refused = send(&contents, &json!({ "token": "hunter2!" })).unwrap_err().to_string();
        assert!(
            refused.contains("line 1, column 10 cannot use") && !refused.contains("hunter2"),
            "{refused}"
        );
    }

    #[test]
    fn a_refusal_names_the_argument() {
        let contents = contents(&spec(
            "method = \"GET\"\nendpoint = \"https://api.example.com/u/{{ .a }}?q={{ .b | urlquery }}\"\nheaders = { x-a = \"{{ .c }}\" }\n\
             parameters = [{ name = \"a\", required = true }, { name = \"b\" }, { name = \"c\" }]",
        ));
        let refused = send(&contents, &json!({ "a": "..", "b": "", "c": "" })).unwrap_err().to_string();
        assert!(refused.contains("- `a` is part of the path"), "{refused}");
        let refused = send(&contents, &json!({ "a": "x", "b": "", "c": "a\r\nb" })).unwrap_err().to_string();
        assert!(refused.contains("- `c` is sent as a header"), "{refused}");
        // A function that encodes is not needed, and does no harm.
        let sent = send(&contents, &json!({ "a": "x", "b": "é &", "c": "" })).unwrap();
        assert_eq!(sent.url, "https://api.example.com/u/x?q=%C3%A9%20%26");
    }

    #[test]
    fn what_is_never_reached_has_no_place_and_no_effect() {
        let contents = contents(&spec(&format!(
            "{POST}body_template = '{{\"l\": [{{{{ range .l }}}}1{{{{ break }}}}, \"{{{{ . }}}}${{VAR}}\"{{{{ end }}}}]}}'\n\
             parameters = [{{ name = \"l\", type = \"array\", items = {{ type = \"string\" }} }}]"
        )));
        format::write(&contents).unwrap();
        assert_eq!(send(&contents, &json!({ "l": ["x", "y"] })).unwrap().body, r#"{"l": [1]}"#);
    }
}
