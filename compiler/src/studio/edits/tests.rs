//! Properties of edits: what was asked for is there, and nothing else has changed.

use super::{NewExample, NewResponse, example, fix, fix_all, text, with_server_value};
use crate::check::{MemoryFiles, check_files};
use crate::checked::CheckedTool;
use crate::language::json::Json;
use crate::language::toml::{self, Style};
use crate::studio::changes::Edit;
use crate::studio::files::hash;
use crate::studio::workspace::{Places, Workspace};
use proptest::prelude::*;

/// The texts of the first tool of a spec.
fn keys(spec: &str) -> [&'static str; 5] {
    let of_request = if spec.contains("kind = \"mcp\"") { "arguments_template" } else { "body_template" };
    ["title", "description", "response_template", "error_template", of_request]
}

/// How the first tool gets its answers.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Get,
    Post,
    Mcp,
}

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
        (prop_oneof![Just(Kind::Get), Just(Kind::Post), Just(Kind::Mcp)], 0..4_usize, any::<bool>()),
    );
    lines.prop_map(|(comment, name, description, title, template, parameters, examples, (kind, request, crlf))| {
        let (head, rest, key) = match kind {
            Kind::Get => ("", "method = \"GET\"\nendpoint = \"https://a.example/a\"\n", ""),
            Kind::Post => ("", "method = \"POST\"\nendpoint = \"https://a.example/a\"\n", "body_template"),
            Kind::Mcp => (
                "[upstream.wiki] # a server\nkind = \"mcp\"\nurl = \"https://w.example/mcp\"\n\n",
                "upstream = \"wiki\"\n",
                "arguments_template",
            ),
        };
        let value = ["", " = '{\"q\": {{.q}}}' # made", " = { go = \"\"\"\n{{.q}}\n\"\"\" }", "={handlebars='{{q}}'}"];
        let request = match value.get(request).filter(|value| !value.is_empty() && !key.is_empty()) {
            Some(value) => format!("{key}{value}\n"),
            None => String::new(),
        };
        let text = format!(
            "{comment}{head}[[tool]]\n{name}\n{description}{rest}{title}{request}{template}{parameters}{examples}\n{SECOND}"
        );
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

/// The server of a spec, written in many ways.
fn server_spec() -> impl Strategy<Value = String> {
    let url = prop_oneof![
        Just("url = \"https://w.example/mcp\" # there\n"),
        Just("url        = 'https://w.example/mcp'\n"),
        Just("url=\"https://w.example/mcp\"\n"),
    ];
    let timeout =
        prop_oneof![Just(""), Just("timeout_seconds = 2.5 # short\n"), Just("timeout_seconds=30\n")];
    let more = prop_oneof![Just(""), Just("headers = { x-a = \"${A}\" }\n"), Just("retry_count = 1\n")];
    (url, timeout, more, any::<bool>(), any::<bool>()).prop_map(|(url, timeout, more, is_inline, crlf)| {
        let inline = "[upstream]\nwiki = { kind = \"mcp\", url = \"https://w.example/mcp\" } # there\n";
        let table = format!("[upstream.wiki]  # a server\n# Its kind.\nkind = \"mcp\"\n{url}{timeout}{more}");
        let server = if is_inline { inline } else { &table };
        let text = format!("# The wiki.\n[toolset]\nname = \"wiki\"\n\n{server}\n{SECOND}");
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

/// What a check reads of the server: its URL, its time, its retries.
fn server(spec: &str) -> (String, Option<u32>, Option<u8>) {
    let report = check_files(&MemoryFiles::one("a.toml", spec));
    let upstream = report.toolsets.first().unwrap().upstreams.first().unwrap();
    let retries = upstream.retry_count.as_ref().map(|count| count.value);
    (upstream.url.as_ref().unwrap().value.text.clone(), upstream.timeout_ms, retries)
}

/// Keys of the first tool as people misspell them.
const MISSPELT: [(&str, &str); 3] =
    [("description", "descripton"), ("endpoint", "endpiont"), ("position", "positon")];

/// The text with the first of each of these words misspelt.
fn misspelt(spec: &str, which: [bool; 3]) -> String {
    let wrong = MISSPELT.iter().zip(which).filter(|(_, is_wrong)| *is_wrong);
    wrong.fold(spec.to_owned(), |text, ((right, wrong), _)| text.replacen(right, wrong, 1))
}

fn workspace(spec: &str) -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.toml"), spec).unwrap();
    let places = Places { paths: vec![folder.path().to_path_buf()], ..Places::default() };
    let workspace = Workspace::open(places).unwrap();
    (folder, workspace)
}

/// Makes an edit, and takes it back.
fn made_and_undone(workspace: &Workspace, folder: &tempfile::TempDir, edit: Edit) {
    let change = edit.changes.first().unwrap().clone();
    let read = || std::fs::read_to_string(folder.path().join("a.toml")).unwrap();
    let before = read();
    if change.before == change.after {
        return;
    }
    let known = [(change.path.clone(), hash(&before))].into_iter().collect();
    workspace.commit(edit, &known, true).unwrap();
    assert_eq!(Some(read()), change.after);
    workspace.undo("1").unwrap();
    assert_eq!(read(), before);
    workspace.undo("2").unwrap();
    assert_eq!(Some(read()), change.after, "undoing an undo makes the edit again");
}

/// The new text of the only file.
fn after(edit: &Edit) -> String {
    edit.changes.first().unwrap().after.clone().unwrap()
}

/// A text of the first tool, as a check reads it.
fn read(spec: &str, key: &str) -> Option<String> {
    let report = check_files(&MemoryFiles::one("a.toml", spec));
    let tool: &CheckedTool = report.toolsets.first().unwrap().tools.first().unwrap();
    match key {
        "title" => tool.title.as_ref().map(|title| title.value.clone()),
        "description" => tool.description.as_ref().map(|description| description.value.clone()),
        "response_template" => tool.response_template.as_ref().map(|template| template.text().to_owned()),
        "error_template" => tool.error_template.as_ref().map(|template| template.text().to_owned()),
        _ => tool.body_template.as_ref().map(|template| template.text().to_owned()),
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
        key in 0..5_usize,
        new in "(?s)[ \"'\\\\\n\t#={}\\[\\]a-c\u{7f}\u{202e}é🦀]{0,30}",
    ) {
        let key = keys(&spec)[key];
        let (folder, workspace) = workspace(&spec);
        let edit = text(&workspace.snapshot(), "first", key, Some(&new)).unwrap();
        let made = after(&edit);
        // An empty template of the result is none.
        let expected = Some(new).filter(|new| !(new.is_empty() && key == "response_template"));
        prop_assert_eq!(read(&made, key), expected, "{}", made);
        for other in keys(&spec).iter().filter(|other| **other != key) {
            prop_assert_eq!(read(&made, other), read(&spec, other), "{} of {}", other, made);
        }
        prop_assert!(made.ends_with(&second(&spec)), "{}", made);
        prop_assert_eq!(made.contains("\r\n"), spec.contains("\r\n"));
        prop_assert!(!made.replace("\r\n", "").contains('\r'));
        made_and_undone(&workspace, &folder, edit);
    }

    #[test]
    fn a_fix_changes_what_is_wrong_and_nothing_else(spec in spec(), which: [bool; 3]) {
        let wrong = misspelt(&spec, which);
        let (_folder, workspace) = workspace(&wrong);
        let snapshot = workspace.snapshot();
        let unknown = snapshot.report.diagnostics.iter().enumerate();
        let unknown: Vec<usize> = unknown
            .filter(|(_, found)| found.code() == "MCP0101" && found.fix.is_some())
            .map(|(index, _)| index)
            .collect();
        let right = |text: &str| MISSPELT.iter().any(|(right, word)| text == wrong.replacen(word, right, 1) && text != wrong);
        prop_assert_eq!(unknown.is_empty(), wrong == spec, "{}", wrong);
        for index in unknown {
            let made = after(&fix(&snapshot, &format!("1-{index}")).unwrap());
            prop_assert!(right(&made), "{}", made);
        }
    }

    #[test]
    fn all_fixes_leave_the_file_that_it_was_meant_to_be(spec in spec(), which: [bool; 3]) {
        let wrong = misspelt(&spec, which);
        prop_assume!(wrong != spec);
        let (folder, workspace) = workspace(&wrong);
        let edit = fix_all(&workspace.snapshot(), None).unwrap();
        let (_other, meant) = self::workspace(&spec);
        let meant = fix_all(&meant.snapshot(), None).map_or(spec, |edit| after(&edit));
        prop_assert_eq!(after(&edit), meant);
        made_and_undone(&workspace, &folder, edit);
    }

    #[test]
    fn a_server_gets_what_was_typed_and_the_rest_stays(
        spec in server_spec(),
        key in 0..3_usize,
        path in "[a-z/]{0,10}",
        number in 0..10_u8,
    ) {
        let url = format!("https://w.example/{path}");
        let (key, value) = [
            ("url", toml::string(&url, Style::Line, "\n")),
            ("timeout_seconds", format!("{}.5", number)),
            ("retry_count", number.to_string()),
        ][key].clone();
        let made = with_server_value(&spec, "wiki", key, &value).unwrap();
        let mut expected = server(&spec);
        match key {
            "url" => expected.0 = url,
            "timeout_seconds" => expected.1 = Some(u32::from(number) * 1000 + 500),
            _ => expected.2 = Some(number),
        }
        prop_assert_eq!(server(&made), expected, "{}", made);
        prop_assert!(made.ends_with(&second(&spec)), "{}", made);
        prop_assert_eq!(comments(&made), comments(&spec), "{}", made);
        // All other lines are there, in their order and with their ends.
        let is_other = |line: &&str| !line.trim_start().starts_with(key) && !line.starts_with("wiki =");
        let lines = |text: &str| text.split_inclusive('\n').filter(is_other).map(str::to_owned).collect::<Vec<_>>();
        prop_assert_eq!(lines(&made), lines(&spec), "{}", made);
        prop_assert!(!spec.contains("\r\n") || !made.replace("\r\n", "").contains('\n'), "{}", made);
    }

    #[test]
    fn a_text_that_is_added_and_removed_leaves_nothing(spec in spec(), key in 0..5_usize) {
        let key = keys(&spec)[key];
        prop_assume!(read(&spec, key).is_none());
        let (_folder, workspace) = workspace(&spec);
        let made = after(&text(&workspace.snapshot(), "first", key, Some("one\ntwo")).unwrap());
        let (_other, workspace) = self::workspace(&made);
        let back = after(&text(&workspace.snapshot(), "first", key, None).unwrap());
        prop_assert_eq!(back, spec);
    }

    #[test]
    fn a_text_that_is_removed_takes_no_comment_with_it(spec in spec(), key in 0..5_usize) {
        let key = keys(&spec)[key];
        prop_assume!(read(&spec, key).is_some() && !read(&spec, key).unwrap().contains('#'));
        let (_folder, workspace) = workspace(&spec);
        let made = after(&text(&workspace.snapshot(), "first", key, None).unwrap());
        prop_assert_eq!(read(&made, key), None);
        prop_assert_eq!(comments(&made), comments(&spec), "{}", made);
        prop_assert!(made.ends_with(&second(&spec)), "{}", made);
    }

    #[test]
    fn an_example_is_added_and_the_rest_stays(spec in spec(), body in "(?s)[ \"'\\\\\n\t{}a-c\u{202e}é]{0,20}", n: u32) {
        let (folder, workspace) = workspace(&spec);
        let snapshot = workspace.snapshot();
        let content_type = Some("text/plain".to_owned());
        let response = NewResponse { status: 200, content_type, body: Ok(body.clone()) };
        let arguments = Json::Object(Vec::new());
        let title = format!("call {n}");
        let new = NewExample { title: Some(title.clone()), arguments, response: Some(response) };
        let edit = example(&snapshot, "first", new).unwrap();
        let made = after(&edit);
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
        made_and_undone(&workspace, &folder, edit);
    }
}
