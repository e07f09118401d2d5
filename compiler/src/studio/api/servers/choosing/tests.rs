//! Properties of choices: what was asked for is there, and nothing else has changed.

use super::{Live, repinned, with_new, without_unwanted};
use crate::check::{MemoryFiles, check_files};
use crate::servers::{self, Listed, ListedTool};
use crate::studio::api::servers::Server;
use crate::studio::api::servers::listing::index_of;
use crate::studio::workspace::{Places, Workspace};
use proptest::prelude::*;

const NAMES: [&str; 4] = ["find", "get", "list", "put"];

const HEAD: &str =
    "# The wiki.\n[upstream.wiki]   # a server\nkind = \"mcp\"\nurl = 'https://w.example/mcp'\n\n";

/// What the server lists: all tools, each with its description.
fn listed(descriptions: &[&str; 4]) -> Vec<ListedTool> {
    let texts = NAMES.iter().zip(descriptions).map(|(name, description)| {
        let schema = r#"{"type":"object","properties":{"q":{"type":"string","description":"What"}}}"#;
        format!(r#"{{"name":"{name}","description":"{description}","inputSchema":{schema}}}"#)
    });
    let texts: Vec<String> = texts.collect();
    servers::read_all(texts.iter().map(String::as_str)).0
}

/// A tool with a comment above it and an empty line below.
fn block(tool: &ListedTool, is_there: bool) -> String {
    let own = format!("wiki_{}", tool.name);
    let text = if is_there { format!("{}\n", servers::tool_text(&own, tool, "wiki")) } else { String::new() };
    format!("# About {}.\n{text}", tool.name)
}

/// A spec with some of the tools.
fn spec(tools: &[ListedTool], which: [bool; 4], crlf: bool) -> String {
    let blocks = tools.iter().zip(which).map(|(tool, is_there)| block(tool, is_there));
    let text = format!("{HEAD}{}", blocks.collect::<String>());
    if crlf { text.replace('\n', "\r\n") } else { text }
}

fn workspace(spec: &str) -> (tempfile::TempDir, Workspace) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("wiki.toml"), spec).unwrap();
    let places = Places { paths: vec![folder.path().to_path_buf()], ..Places::default() };
    (folder, Workspace::open(places).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn dropped_tools_take_nothing_with_them(there: [bool; 4], wanted: [bool; 4], crlf: bool) {
        let tools = listed(&["Finds pages."; 4]);
        let text = spec(&tools, there, crlf);
        let (_folder, workspace) = workspace(&text);
        let snapshot = workspace.snapshot();
        let names = NAMES.iter().zip(wanted).filter(|(_, is_wanted)| *is_wanted);
        let names: Vec<String> = names.map(|(name, _)| (*name).to_owned()).collect();
        let made = without_unwanted(&text, Server::find(&snapshot, "wiki").unwrap(), &names).unwrap();
        let both = std::array::from_fn(|index| there[index] && wanted[index]);
        prop_assert_eq!(made, spec(&tools, both, crlf));
    }

    #[test]
    fn new_tools_come_behind_all_that_is_there(there: [bool; 4], crlf: bool) {
        let tools = listed(&["Finds pages."; 4]);
        let text = spec(&tools, there, crlf);
        let (_folder, workspace) = workspace(&text);
        let snapshot = workspace.snapshot();
        let new = tools.iter().zip(there).filter(|(_, is_there)| !is_there);
        let new: Vec<ListedTool> = new.map(|(tool, _)| tool.clone()).collect();
        let server = Server::find(&snapshot, "wiki").unwrap();
        let (made, left_out) = with_new(&snapshot, server, text.clone(), new).unwrap();
        prop_assert!(left_out.is_empty() && made.starts_with(&text), "{}", made);
        prop_assert!(!crlf || !made.replace("\r\n", "").contains('\n'), "{:?}", made);
        prop_assert!(crlf || !made.contains('\r'), "{:?}", made);
        let report = check_files(&MemoryFiles::one("wiki.toml", &made));
        let mut labels: Vec<&str> =
            report.toolsets.iter().flat_map(|set| &set.tools).map(|tool| tool.label()).collect();
        labels.sort_unstable();
        prop_assert_eq!(labels, NAMES.map(|name| format!("wiki_{name}")));
    }

    #[test]
    fn a_tool_that_is_pinned_again_changes_alone(
        which in 0..4_usize,
        new in "[A-Za-z '#=]{1,20}[a-z]",
        crlf: bool,
    ) {
        prop_assume!(new.trim() != "Finds pages.");
        let before = listed(&["Finds pages."; 4]);
        let mut descriptions = ["Finds pages."; 4];
        descriptions[which] = &new;
        let now = listed(&descriptions);
        let text = spec(&before, [true; 4], crlf);
        let (_folder, workspace) = workspace(&text);
        let snapshot = workspace.snapshot();
        let contents = snapshot.contents().unwrap();
        let index = index_of(contents, "wiki").unwrap();
        let states = servers::compare(contents, index, &now, &[]).tools;
        let live = Live { tools: now.clone(), unusable: Vec::new(), states, listed: Listed::default() };
        for (other, name) in NAMES.iter().enumerate() {
            let made = repinned(&text, &live, name);
            prop_assert_eq!(made.is_ok(), other == which, "only what has changed is pinned again");
            if let Ok(made) = made {
                prop_assert_eq!(made, spec(&now, [true; 4], crlf));
            }
        }
    }
}
