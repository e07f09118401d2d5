//! Templates of a request with arguments of all kinds: what the template writes around them is always there, and no more.

mod request_support;

use mcp_bundle::plan::Contents;
use proptest::prelude::*;
use request_support::{HOSTILE, POST, contents, send, spec};
use serde_json::{Value, json};

/// JSON values that an argument without a type can have.
fn argument() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<String>().prop_map(Value::from),
        prop::sample::select(&HOSTILE[..]).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<i32>().prop_map(|n| Value::from(f64::from(n) / 64.0)),
        any::<bool>().prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 4, |inner| prop::collection::vec(inner, 0..4).prop_map(Value::from))
}

const ANY: &str = "input_schema = { type = \"object\", properties = { a = {}, b = {}, l = { type = \"array\" } }, additionalProperties = false }";

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_json_body_always_has_its_structure(a in argument(), b in argument(), l in prop::collection::vec(argument(), 0..4)) {
        thread_local! {
            static CONTENTS: Contents = contents(&spec(&format!(
                "{POST}{ANY}\nbody_template = '''{{\"a\": {{{{ .a }}}}, \"t\": \"x{{{{ .a }}}}y\", \"in\": {{\"b\": [{{{{ .b }}}}, 1]}},\
                 \"l\": [{{{{ range $i, $x := .l }}}}{{{{ if $i }}}},{{{{ end }}}}{{{{ $x }}}}{{{{ end }}}}]\
                 {{{{ if .b }}}}, \"c\": \"{{{{ .b }}}}\"{{{{ end }}}}}}'''"
            )));
        }
        let arguments = json!({ "a": a, "b": b, "l": l });
        let sent = CONTENTS.with(|contents| send(contents, &arguments)).unwrap();
        let body: Value = serde_json::from_str(&sent.body).unwrap();
        let same = |found: &Value, given: &Value| found == given;
        prop_assert!(same(&body["a"], &a) && same(&body["in"]["b"][0], &b) && same(&body["l"], &json!(l)), "{}", sent.body);
        let text = body["t"].as_str().unwrap();
        prop_assert!(text.starts_with('x') && text.ends_with('y'));
        if let Some(given) = a.as_str() {
            prop_assert_eq!(text, format!("x{given}y"));
        }
        let mut names: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
        names.sort_unstable();
        prop_assert!(names == ["a", "in", "l", "t"] || names == ["a", "c", "in", "l", "t"], "{:?}", names);
        prop_assert_eq!(&body["in"], &json!({ "b": [body["in"]["b"][0], 1] }));
    }

    #[test]
    fn headers_never_have_line_ends(a in argument(), b in argument()) {
        thread_local! {
            static CONTENTS: Contents = contents(&spec(&format!(
                "{POST}{ANY}\nheaders = {{ x-a = \"a {{{{ .a }}}} {{{{ .l }}}}\", x-b = \"{{{{b}}}}\" }}"
            )));
        }
        if let Ok(sent) = CONTENTS.with(|contents| send(contents, &json!({ "a": a, "b": b }))) {
            for (name, value) in &sent.headers {
                prop_assert!(value.bytes().all(|b| matches!(b, b' '..=b'~' | b'\t')), "{}: {:?}", name, value);
            }
            prop_assert!(sent.header("x-a").unwrap().starts_with("a "));
        }
    }

    #[test]
    fn urls_always_have_their_segments_and_pairs(a in argument(), b in argument()) {
        thread_local! {
            static CONTENTS: Contents = contents(&spec(&format!(
                "method = \"GET\"\nendpoint = \"https://a.example/v1/{{{{ .a }}}}/m/{{{{ .b }}}}-x?q={{{{ .a }}}}&b={{{{ .b }}}}\"\n{ANY}"
            )).replace(", l = { type = \"array\" }", ""));
        }
        if let Ok(sent) = CONTENTS.with(|contents| send(contents, &json!({ "a": a, "b": b }))) {
            prop_assert!(sent.url.bytes().all(|b| b.is_ascii_graphic() && b != b'#'), "{}", sent.url);
            let (path, query) = sent.url.strip_prefix("https://a.example").unwrap().split_once('?').unwrap();
            let segments: Vec<&str> = path.split('/').collect();
            prop_assert_eq!(segments.len(), 5);
            prop_assert_eq!((segments[1], segments[3]), ("v1", "m"));
            prop_assert!(segments.iter().all(|segment| !matches!(*segment, "." | "..")));
            prop_assert_eq!(query.split('&').count(), 2);
            prop_assert!(query.split('&').all(|pair| pair.matches('=').count() == 1), "{}", query);
        } else {
            // Numbers and truths are never in the way.
            prop_assert!(a.is_string() || a.is_array() || b.is_string() || b.is_array());
        }
    }

    #[test]
    fn a_form_always_has_its_fields(a in argument(), b in argument()) {
        thread_local! {
            static CONTENTS: Contents = contents(&spec(&format!(
                "{POST}{ANY}\nbody = \"form\"\nbody_template = 'a={{{{a}}}}&b={{{{b}}}}'"
            )).replace("l = { type = \"array\" }", "l = {}"));
        }
        let sent = CONTENTS.with(|contents| send(contents, &json!({ "a": a, "b": b }))).unwrap();
        let pairs: Vec<&str> = sent.body.split('&').collect();
        prop_assert_eq!(pairs.len(), 2);
        prop_assert!(pairs[0].starts_with("a=") && pairs[1].starts_with("b=") && pairs.iter().all(|p| p.matches('=').count() == 1));
    }
}
