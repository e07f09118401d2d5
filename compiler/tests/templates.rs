//! Templates against the outputs of the engines whose dialects they are in.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "tests fail by panicking"
)]

use mcp_bundle::template::{Ambient, Destination, Limits, Scratch, render_text};
use mcpc::plan::standalone;
use mcpc::template::{Dialect, compile_for};
use serde_json::Value;

/// What a template makes of data; the kind of error and its message if it makes nothing.
fn render(dialect: Dialect, template: &str, data: &str) -> Result<String, (&'static str, String)> {
    let compiled = compile_for(Destination::Text, dialect, template)
        .map_err(|errors| ("parse", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")))?;
    let contents = standalone(&[compiled]);
    let mut out = vec![b'"'];
    let (limits, ambient) = (Limits::default(), Ambient::default());
    let program = &contents.templates.programs[0];
    render_text(&contents, program, data, &ambient, &limits, &mut Scratch::default(), &mut (), &mut out)
        .map_err(|error| {
            (if error.fault.name() == "invalid_json" { "data" } else { "exec" }, error.to_string())
        })?;
    out.push(b'"');
    Ok(serde_json::from_slice(&out)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&out))))
}

/// Where we differ from the engine on purpose, and what we do.
const DIFFERENT: &[(&str, &str, &str)] = &[
    ("handlebars/num_1e3", "1e3", "numbers keep their digits"),
    ("handlebars/num_1e21", "1e21", "numbers keep their digits"),
    ("handlebars/num_0_000001", "0.000001", "numbers keep their digits"),
    ("handlebars/num_m0", "-0", "numbers keep their digits"),
    ("handlebars/num_2_50", "2.50", "numbers keep their digits"),
    ("handlebars/ws_crlf_standalone", "a\nb\nc", "line ends of templates count as line feeds"),
    ("handlebars/each_obj", "b=2;a=1;c=3;", "objects are looped over in the order of the document"),
];

/// Refused when compiled, where the engine renders nothing.
const REFUSED: &[&str] = &["handlebars/key_named_log"];

fn run(dialect: Dialect, cases: &str) {
    let mut failed = 0;
    let mut count = 0;
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| case[key].as_str();
        let (id, template, data) = (text("id").unwrap(), text("template").unwrap(), text("data").unwrap());
        let different = DIFFERENT.iter().find(|(known, ..)| *known == id).map(|(_, expected, _)| *expected);
        let actual = render(dialect, template, data);
        count += 1;
        let good = match (&actual, text("error"), different.or(text("expected"))) {
            (Err(("parse", _)), None, _) => REFUSED.contains(&id),
            (Ok(actual), None, Some(expected)) => actual == expected,
            // An error that is certain is reported when the template is compiled.
            (Err((kind, _)), Some(expected), _) => {
                *kind == expected || (*kind == "parse" && expected == "exec")
            }
            _ => false,
        };
        if !good {
            failed += 1;
            eprintln!(
                "{id}: {template:?} over {data}\n  expected {:?} {:?}\n  actual   {actual:?}",
                text("expected"),
                text("error")
            );
        }
    }
    assert!(failed == 0, "{failed} of {count} cases failed");
    assert!(count > 100, "only {count} cases");
}

#[test]
fn go_templates_do_what_go_and_higress_do() {
    run(Dialect::Go, include_str!("fixtures/templates/go.jsonl"));
}

#[test]
fn handlebars_templates_do_what_the_crate_does() {
    run(Dialect::Handlebars, include_str!("fixtures/templates/handlebars.jsonl"));
}

/// One iteration must not read a whole answer for one step.
#[test]
fn work_that_grows_with_the_data_is_limited() {
    let items = format!("[{}1]", "1,".repeat(2_000));
    let zeros = format!("0.{}1", "0".repeat(200_000));
    let spaces = format!("[{}1]", " ".repeat(200_000));
    for (template, value) in [
        ("{{ range .items }}{{ if $.n }}x{{ end }}{{ end }}", &zeros),
        ("{{ range .items }}{{ with $.n }}x{{ end }}{{ end }}", &zeros),
        ("{{ range .items }}{{ and $.n 1 }}{{ end }}", &spaces),
        ("{{ range .items }}{{ if $.n }}x{{ end }}{{ end }}", &spaces),
        ("{{ range .items }}{{ len $.n }}{{ end }}", &spaces),
    ] {
        let data = format!("{{\"items\":{items},\"n\":{value}}}");
        let error = render(Dialect::Go, template, &data).unwrap_err().1;
        assert!(error.ends_with("it takes more steps than allowed"), "{template}: {error}");
    }
    let error =
        render(Dialect::Go, "{{ range .n }}{{ end }}", &format!("{{\"n\":1.{}1}}", "3".repeat(9_000)));
    assert!(error.unwrap_err().1.len() < 200);
}

#[test]
fn a_number_of_any_length_is_formatted_or_refused() {
    for digits in [65_535, 65_536, 70_000, 300_000] {
        for verb in ["%d", "%x", "%.3v", "%c", "%q", "%08d"] {
            let template = format!("{{{{ printf \"{verb}\" .n }}}}");
            // Either way is fine, as long as it comes back.
            let _ = render(Dialect::Go, &template, &format!("{{\"n\":{}}}", "9".repeat(digits)));
        }
    }
}

#[test]
fn lists_in_lists_are_printed_in_one_pass() {
    let nested = |space: &str| format!("{}{space}1{}", "[".repeat(100), "]".repeat(100));
    let plain = render(Dialect::Handlebars, "{{x}}", &format!("{{\"x\":{}}}", nested(""))).unwrap();
    assert_eq!(plain, nested(""));
    let mixed = r#"{"x":[1,[],["a",[null,{"b":[2]}],"["],[[3]],true]}"#;
    assert_eq!(
        render(Dialect::Handlebars, "{{x}}", mixed).unwrap(),
        "[1, [], [a, [, [object]], [], [[3]], true]"
    );
}

#[test]
fn lists_that_a_template_makes_do_not_nest_without_end() {
    let grow = "{{ $x := list }}{{ range until 200 }}{{ $x = list $x }}{{ end }}{{ len $x }}";
    let (kind, message) = render(Dialect::Go, grow, "null").unwrap_err();
    assert_eq!(kind, "exec");
    assert!(message.contains("`list`: its result nests deeper than"), "{message}");
    let pairs = "{{ $x := dict }}{{ range .l }}{{ $x = dict \"last\" . \"n\" (add1 $x.n) }}{{ end }}{{ $x }}";
    assert_eq!(render(Dialect::Go, pairs, r#"{"l":["a","b"]}"#).unwrap(), r#"{"last":"b","n":2}"#);
}

#[test]
fn a_definition_is_put_where_it_is_used() {
    let tree = "{{ define \"node\" }}<{{ .name }}{{ range .children }}{{ template \"leaf\" . }}{{ end }}>{{ end }}\
        {{ define \"leaf\" }}{{ $n := .name }} {{ $n | upper }}{{ with .size }}={{ . }}{{ $.name }}{{ end }}{{ end }}\
        {{ $n := \"kept\" }}{{ template \"node\" .tree }}{{ $n }}{{ template \"leaf\" (dict \"name\" \"made\") }}{{ .tree.name }}";
    let data = r#"{"tree":{"name":"a","children":[{"name":"b","size":2},{"name":"c"}]}}"#;
    assert_eq!(render(Dialect::Go, tree, data).unwrap(), "<a B=2b C>kept MADEa");
}
