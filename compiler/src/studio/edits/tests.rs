//! Properties of edits: what was asked for is there, and nothing else has changed.

use super::{NewExample, NewResponse, example, text};
use crate::check::{MemoryFiles, check_files};
use crate::language::json::Json;
use crate::studio::changes::Edit;
use crate::studio::workspace::{Places, Workspace};
use proptest::prelude::*;

const KEYS: [&str; 4] = ["title", "description", "response_template", "error_template"];

/// What follows the tool that is edited.
const SECOND: &str = "# The second one.\n[[tool]]\nname = \"second\"   # it stays\ndescription = 'Gets another thing.'\nmethod = \"GET\"\nendpoint = \"https://a.example/b\"\n";

/// A spec whose first tool is written in many ways.
fn spec() -> impl Strategy<Value = String> {
    let line = |line: &'static str| prop_oneof![Just(String::new()), Just(line.to_owned())];
    let lines = (
        prop_oneof![Just("# first\n\n"), Just(""), Just("\n\n# a\n")],
        prop_oneof![Just("name = \"first\""), Just("name        = 'first' # its name"), Just("  name = \"first\"")],
        prop_oneof![
            Just("description = \"Gets a thing.\" # what it does\n"),
            Just("description = \"\"\"\nGets\na thing.\"\"\"\n"),
            Just("description=\"Gets \\n it\"\n"),
        ],
        line("title = 'First'\n"),
        prop_oneof![
            Just(String::new()),
            Just("response_template = \"{{.a}} # no comment\"\n".to_owned()),
            Just("response_template = { go = '''\n{{.a}}\n''' }   # go\n".to_owned()),
            Just("response_template = { handlebars = \"{{a}}\" }\n".to_owned()),
        ],
        line("\n# about the parameter\n[[tool.parameters]]\nname = \"q\"\ndescription = \"What\"\nposition = \"query\"\n"),
        prop_oneof![
            Just(String::new()),
            Just("\n[[tool.examples]]\narguments = {}\n".to_owned()),
            Just("\n[[tool.examples]]\narguments = {}\n[tool.examples.response]\nstatus = 200 # fine\nbody = { a = 1 }\n".to_owned()),
        ],
        any::<bool>(),
    );
    lines.prop_map(|(comment, name, description, title, template, parameters, examples, crlf)| {
        let rest = "method = \"GET\"\nendpoint = \"https://a.example/a\"\n";
        let text = format!(
            "{comment}[[tool]]\n{name}\n{description}{rest}{title}{template}{parameters}{examples}\n{SECOND}"
        );
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

fn workspace(spec: &str) -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.toml"), spec).unwrap();
    let places = Places { paths: vec![folder.path().to_path_buf()], ..Places::default() };
    let workspace = Workspace::open(places).unwrap();
    (folder, workspace)
}

/// The new text of the only file.
fn after(edit: &Edit) -> String {
    edit.changes.first().unwrap().after.clone().unwrap()
}

/// A text of the first tool, as a check reads it.
fn read(spec: &str, key: &str) -> Option<String> {
    let report = check_files(&MemoryFiles::one("a.toml", spec));
    let tool = report.toolsets.first().unwrap().tools.first().unwrap();
    match key {
        "title" => tool.title.as_ref().map(|title| title.value.clone()),
        "description" => tool.description.as_ref().map(|description| description.value.clone()),
        "response_template" => tool.response_template.as_ref().map(|template| template.text().to_owned()),
        _ => tool.error_template.as_ref().map(|template| template.text().to_owned()),
    }
}

fn second(spec: &str) -> String {
    if spec.contains("\r\n") { SECOND.replace('\n', "\r\n") } else { SECOND.to_owned() }
}

/// The comments of a text, each with what is on its line.
fn comments(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.rsplit_once("# ")).map(|(_, comment)| comment).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Property 6 of the MCP servers: what is saved comes back exactly.
    #[test]
    fn property_6_a_text_comes_back_and_the_rest_stays(
        spec in spec(),
        key in prop::sample::select(&KEYS[..]),
        new in "(?s)[ \"'\\\\\n\t#={}\\[\\]a-c\u{7f}\u{202e}é🦀]{0,30}",
    ) {
        let (_folder, workspace) = workspace(&spec);
        let snapshot = workspace.snapshot();
        let made = after(&text(&snapshot, "first", key, Some(&new)).unwrap());
        // An empty template of the result is none.
        let expected = Some(new).filter(|new| !(new.is_empty() && key == "response_template"));
        prop_assert_eq!(read(&made, key), expected, "{}", made);
        for other in KEYS.iter().filter(|other| **other != key) {
            prop_assert_eq!(read(&made, other), read(&spec, other), "{} of {}", other, made);
        }
        prop_assert!(made.ends_with(&second(&spec)), "{}", made);
        prop_assert_eq!(made.contains("\r\n"), spec.contains("\r\n"));
        prop_assert!(!made.replace("\r\n", "").contains('\r'));
    }

    #[test]
    fn a_text_that_is_added_and_removed_leaves_nothing(spec in spec(), key in prop::sample::select(&KEYS[..])) {
        prop_assume!(read(&spec, key).is_none());
        let (_folder, workspace) = workspace(&spec);
        let made = after(&text(&workspace.snapshot(), "first", key, Some("one\ntwo")).unwrap());
        let (_other, workspace) = self::workspace(&made);
        let back = after(&text(&workspace.snapshot(), "first", key, None).unwrap());
        prop_assert_eq!(back, spec);
    }

    #[test]
    fn a_text_that_is_removed_takes_no_comment_with_it(spec in spec(), key in prop::sample::select(&KEYS[..])) {
        prop_assume!(read(&spec, key).is_some() && !read(&spec, key).unwrap().contains('#'));
        let (_folder, workspace) = workspace(&spec);
        let made = after(&text(&workspace.snapshot(), "first", key, None).unwrap());
        prop_assert_eq!(read(&made, key), None);
        prop_assert_eq!(comments(&made), comments(&spec), "{}", made);
        prop_assert!(made.ends_with(&second(&spec)), "{}", made);
    }

    #[test]
    fn an_example_is_added_and_the_rest_stays(spec in spec(), body in "(?s)[ \"'\\\\\n\t{}a-c\u{202e}é]{0,20}", n: u32) {
        let (_folder, workspace) = workspace(&spec);
        let snapshot = workspace.snapshot();
        let response = NewResponse { status: 200, content_type: Some("text/plain"), body: Ok(body.clone()) };
        let arguments = Json::Object(Vec::new());
        let title = format!("call {n}");
        let new = NewExample { title: Some(&title), arguments, response: Some(response) };
        let made = after(&example(&snapshot, "first", &new).unwrap());
        let report = check_files(&MemoryFiles::one("a.toml", &made));
        let tool = report.toolsets.first().unwrap().tools.first().unwrap();
        let last = tool.examples.last().unwrap();
        prop_assert_eq!(last.title.as_ref().map(|title| title.value.as_str()), Some(title.as_str()));
        let written = last.response.as_ref().and_then(|response| response.body.as_ref()).map(|body| &body.value);
        prop_assert_eq!(written, Some(&Json::String(body)), "{}", made);
        // Only whole lines came, in one place.
        let at = made.find("[[tool.examples]]\n").or(made.find("[[tool.examples]]\r\n"));
        prop_assert!(at.is_some() && made.ends_with(&second(&spec)), "{}", made);
        let rest: Vec<&str> = spec.lines().collect();
        let mut lines = made.lines();
        prop_assert!(rest.iter().all(|line| lines.any(|other| other == *line)), "{}", made);
    }
}
