use super::{drafted, listed};
use crate::check::{MemoryFiles, Report, check_files};
use crate::servers::{State, compare, repin};
use proptest::prelude::*;
use serde_json::{Value, json};

fn tool(description: Option<&str>, schema: Value, output: Option<Value>) -> Value {
    json!({"name": "search", "description": description, "inputSchema": schema, "outputSchema": output})
}

fn old() -> Value {
    let schema = json!({"type": "object", "properties": {"q": {"type": "string"}}});
    tool(Some("Finds pages."), schema, Some(json!({"type": "object"})))
}

fn check(text: &str) -> Report {
    let report = check_files(&MemoryFiles::one("wiki.toml", text));
    let said: Vec<String> =
        report.diagnostics.iter().map(|d| format!("{}: {}", d.code(), d.message)).collect();
    assert_eq!(report.errors(), 0, "{said:#?}\n{text}");
    report
}

/// The spec after its tool was pinned again; it then says what the server says.
fn repinned(text: &str, live: &Value) -> String {
    let live = listed(std::slice::from_ref(live));
    let report = check(text);
    let comparison = compare(report.contents.as_ref().unwrap(), 0, &live, &[]);
    let State::Changed(changes, new) = &comparison.tools[0].state else { return text.to_owned() };
    let parts: Vec<_> = changes.iter().map(|change| change.part).collect();
    let name = report.toolsets[0].tools[0].name.as_ref().unwrap().span;
    let text = repin(text, name.start as usize, new, &parts).unwrap();
    let report = check(&text);
    let comparison = compare(report.contents.as_ref().unwrap(), 0, &live, &[]);
    assert_eq!(comparison.tools[0].state, State::Same, "{text}");
    text
}

const SERVER: &str =
    "# Ours.\n[upstream.wiki]\nkind = \"mcp\"\nurl = \"https://mcp.example.com/mcp\" # where\n";

fn without_pin(text: &str) -> String {
    text.lines().filter(|line| !line.starts_with("pin ")).map(|line| format!("{line}\n")).collect()
}

/// A tool whose pin is that of [`old`].
fn spec(rest: &str) -> String {
    let draft = drafted(&[old()]);
    let pin = draft.text.lines().find(|line| line.starts_with("pin ")).unwrap();
    format!(
        "{SERVER}\n[[tool]] # the only one\nname = \"wiki_search\"\nupstream = \"wiki\"\nmcp_tool = \"search\"\n{pin} # reviewed\n{rest}"
    )
}

const OWN: &str = r#"description = "Finds pages." # theirs
input_schema = '{"type": "object", "properties": {"q": {"type": "string"}}}'
output_schema = { type = "object" }
"#;

#[test]
fn only_what_changed_changes() {
    let new = tool(Some("Finds all pages."), old()["inputSchema"].clone(), Some(json!({"type": "object"})));
    let before = spec(OWN);
    let after = repinned(&before, &new);
    assert_eq!(without_pin(&after), without_pin(&before).replace("Finds pages.", "Finds all pages."));
    let pin = |text: &str| text.lines().find(|line| line.starts_with("pin ")).unwrap().to_owned();
    assert!(pin(&after) != pin(&before) && pin(&after).ends_with(" # reviewed"));
}

#[test]
fn the_text_of_a_person_stays_and_the_pinned_one_changes() {
    let rest = OWN.replace("Finds pages.", "Our words.");
    let before = spec(&format!("{rest}[tool.pinned] # theirs\ndescription = 'Finds pages.'\n"));
    let new = tool(Some("Other."), json!({"type": "object"}), Some(json!({"type": "object"})));
    let after = repinned(&before, &new);
    assert!(
        after.contains("\"Our words.\" # theirs") && after.contains("description = \"Other.\"\n"),
        "{after}"
    );
}

#[test]
fn parts_that_come_and_go_are_written_and_removed() {
    let none = tool(None, old()["inputSchema"].clone(), None);
    let before = spec(OWN);
    let after = repinned(&before, &none);
    assert!(after.contains("pinned.description = \"\"\n") && !after.contains("output_schema"), "{after}");
    assert!(after.contains("description = \"Finds pages.\" # theirs"), "it is still said to models: {after}");
    let back = repinned(&after, &old());
    assert!(back.contains("output_schema = '''\n{\n  \"type\": \"object\"\n}'''\n"), "{back}");
}

#[test]
fn a_schema_that_is_made_of_parameters_stays() {
    let schema =
        json!({"type": "object", "properties": {"q": {"type": "string"}}, "additionalProperties": false});
    let live = tool(Some("Finds pages."), schema, None);
    for pinned in [
        "[tool.pinned]\ndescription = \"\"\ninput_schema = { type = \"object\" }\n",
        "[[tool.parameters]]\nname = \"q\"\n",
    ] {
        let text = format!(
            "{SERVER}[[tool]]\nname = \"search\"\nupstream = \"wiki\"\npin = \"X\"\ndescription = \"Finds pages.\"\n{pinned}"
        );
        let report = check_files(&MemoryFiles::one("wiki.toml", &text));
        // The right pin is what the check says.
        let said = report
            .diagnostics
            .iter()
            .map(|d| format!("{} {:?} {:?}", d.message, d.help, d.notes))
            .collect::<String>();
        let pin = said.find("sha256:").and_then(|at| said.get(at..at + 71)).map(str::to_owned);
        let Some(pin) = pin else { panic!("{said}") };
        let after = repinned(&text.replace("\"X\"", &format!("\"{pin}\"")), &live);
        assert!(after.contains(pinned.lines().next().unwrap()), "{after}");
    }
}

#[test]
fn inline_and_dotted_forms_are_patched_where_they_are() {
    let new = tool(Some("Other."), json!({"type": "object"}), Some(json!({"type": "object", "title": "'"})));
    for pinned in [
        "pinned = { description = \"Finds pages.\" }\n",
        "pinned.description = \"Finds pages.\"\n",
        "\n[tool.pinned]\ndescription = \"Finds pages.\"\n",
    ] {
        let own = OWN.replace("Finds pages.", "Our words.");
        repinned(&spec(&format!("{own}{pinned}")), &new);
    }
    let header =
        OWN.replace("output_schema = { type = \"object\" }\n", "[tool.output_schema]\ntype = \"object\"\n");
    let (text, live) = (spec(&header), listed(&[new]));
    let report = check(&text);
    let comparison = compare(report.contents.as_ref().unwrap(), 0, &live, &[]);
    let State::Changed(changes, new) = &comparison.tools[0].state else { panic!("it changed") };
    let parts: Vec<_> = changes.iter().map(|change| change.part).collect();
    let at = report.toolsets[0].tools[0].name.as_ref().unwrap().span.start as usize;
    let why = repin(&text, at, new, &parts).unwrap_err().to_string();
    assert_eq!(
        why,
        "its `output_schema` is not one value in the spec; write it there as JSON text, or change it by hand"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn any_new_definition_is_pinned_and_line_ends_stay(
        description in prop::option::of("(?s)[ \"'\\\\\n\r\ta\u{0}\u{202e}🦀{}$]{0,16}"),
        property in "(?s).{1,8}",
        output in prop::option::of("[a-z ']{0,8}"),
        crlf: bool,
    ) {
        let schema = json!({"type": "object", "properties": {property: {"type": "string"}}});
        let live = tool(description.as_deref(), schema, output.map(|title| json!({"type": "object", "title": title})));
        let text = spec(OWN);
        let text = if crlf { text.replace('\n', "\r\n") } else { text };
        let after = repinned(&text, &live);
        let bare = after.replace("\r\n", "").contains('\n');
        prop_assert!(!(crlf && bare), "{:?}", after);
        prop_assert!(crlf || !after.contains('\r'), "{:?}", after);
    }
}
