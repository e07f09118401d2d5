use super::*;
use proptest::prelude::*;
use std::collections::BTreeMap;

const HEAD: &str = "# From api.json.\n[toolset]\nname = \"api\"\n";

fn tool(name: &str, rest: &str) -> String {
    format!("\n[[tool]]\nname = \"{name}\"\n{rest}")
}

fn file(tools: &[String]) -> String {
    format!("{HEAD}{}", tools.concat())
}

fn merged(last: &str, now: &str, source: &str) -> Merge {
    merge(Versions { last, now, source }, Settle::Later)
}

#[test]
fn an_edit_stays_beside_a_change_of_the_source() {
    let last = file(&[tool("a", "description = \"one\"\nmethod = \"GET\"\n"), tool("b", "")]);
    let now = last.replace("\"one\"", "\"What a person wrote\"");
    let source = last.replace("GET", "POST");
    let merge = merged(&last, &now, &source);
    assert_eq!(merge.text, now.replace("GET", "POST"));
    assert_eq!(merge.last, source);
    assert_eq!(merge.changed, [("`a`".to_owned(), Fate::Merged)]);
    assert_eq!(merge.conflicts, []);
    // Nothing more to do the next time.
    let next = merged(&merge.last, &merge.text, &source);
    assert_eq!((next.text, next.changed), (merge.text, vec![]));
}

#[test]
fn what_both_changed_is_a_conflict_until_it_is_settled() {
    let last = file(&[tool("a", "description = \"one\"\n"), tool("b", "description = \"x\"\n")]);
    let now = last.replace("one", "mine");
    let source = last.replace("one", "two").replace("\"x\"", "\"y\"");
    let merge = merged(&last, &now, &source);
    assert_eq!(merge.text, now.replace("\"x\"", "\"y\""), "the person's text stays, the rest is updated");
    let [conflict] = merge.conflicts.as_slice() else { panic!("{merge:?}") };
    assert_eq!((conflict.part.as_str(), conflict.why), ("`a`", "both changed the same lines"));
    assert!(conflict.source.contains("+description = \"two\""), "{}", conflict.source);
    assert!(conflict.mine.contains("+description = \"mine\""), "{}", conflict.mine);
    // It shows again.
    assert_eq!(merged(&merge.last, &merge.text, &source).conflicts.len(), 1);
    let settled = |settle| super::merge(Versions { last: &last, now: &now, source: &source }, settle);
    let mine = settled(Settle::Mine);
    assert_eq!((mine.text.as_str(), mine.last.as_str()), (merge.text.as_str(), source.as_str()));
    assert_eq!(merged(&mine.last, &mine.text, &source).conflicts, []);
    assert_eq!(settled(Settle::Source).text, source);
}

#[test]
fn tools_come_and_go_with_the_source() {
    let [a, b, c] = ["a", "b", "c"].map(|name| tool(name, ""));
    let own = tool("own", "# a person's\n");
    let last = file(&[a.clone(), c.clone()]);
    let now = file(&[a.clone(), own.clone(), c]);
    let source = file(&[a.clone(), b.clone()]);
    let merge = merged(&last, &now, &source);
    assert_eq!(merge.text, file(&[a, b, own]));
    assert_eq!(merge.changed, [("`b`".to_owned(), Fate::Added), ("`c`".to_owned(), Fate::Removed)]);
    assert_eq!(merge.last, source);
}

#[test]
fn a_tool_that_a_person_took_out_stays_out() {
    let [a, b] = ["a", "b"].map(|name| tool(name, "method = \"GET\"\n"));
    let (last, now) = (file(&[a.clone(), b.clone()]), file(&[a]));
    let merge = merged(&last, &now, &last);
    assert_eq!((merge.text.as_str(), merge.changed.len()), (now.as_str(), 0));
    let changed = last.replace(&b, &b.replace("GET", "PUT"));
    let merge = merged(&last, &now, &changed);
    assert_eq!(merge.text, now);
    assert_eq!(
        merge.conflicts.first().map(|c| c.why),
        Some("you removed or renamed it, and the source changed it")
    );
}

#[test]
fn changes_that_do_not_fit_together_are_a_conflict() {
    let last = file(&[tool("a", "method = \"GET\"\nendpoint = \"/a\"\n")]);
    let now = last.replace("method", "timeout_seconds = 1\nmethod");
    let source = last.replace("\"/a\"\n", "\"/a\"\ntimeout_seconds = 2\n");
    let merge = merged(&last, &now, &source);
    assert_eq!(merge.text, now);
    assert_eq!(
        merge.conflicts.first().map(|c| c.why),
        Some("both changed it, and together the changes are no TOML")
    );
}

#[test]
fn line_ends_and_empty_lines_of_the_file_stay() {
    let last = file(&[tool("a", ""), tool("b", "")]);
    let now = last.replace("\n\n[[tool]]", "\n\n\n[[tool]]").replace('\n', "\r\n");
    let source = last.replace("[toolset]", "[toolset]\ntitle = \"T\"");
    let merge = merged(&last, &now, &source);
    assert_eq!(merge.text, now.replace("[toolset]", "[toolset]\r\ntitle = \"T\""));
}

#[test]
fn headers_inside_texts_are_no_tools() {
    let text = "description = '''\n[[tool]]\nname = \"x\"\n'''\n";
    let last = file(&[tool("a", text), tool("b", "")]);
    let merge = merged(&last, &last, &file(&[tool("b", "")]));
    assert_eq!(merge.changed, [("`a`".to_owned(), Fate::Removed)]);
}

fn arbitrary_file() -> impl Strategy<Value = String> {
    let keys = prop::collection::btree_map("[klm]", "[xyz]", 0..3);
    let tools = prop::collection::hash_map("[a-e]", keys, 0..5);
    tools.prop_map(|tools| {
        let tool = |(name, keys): (&String, &BTreeMap<String, String>)| {
            let keys: String = keys.iter().map(|(key, value)| format!("{key} = \"{value}\"\n")).collect();
            tool(name, &keys)
        };
        file(&tools.iter().map(tool).collect::<Vec<_>>())
    })
}

proptest! {
    #[test]
    fn a_side_that_changes_nothing_yields(last in arbitrary_file(), new in arbitrary_file()) {
        let merge = merged(&last, &new, &last);
        prop_assert_eq!((merge.text, merge.conflicts), (new.clone(), vec![]));
        let merge = merged(&last, &last, &new);
        prop_assert_eq!(merge.conflicts, vec![]);
        prop_assert_eq!(merge.last.trim_end(), new.trim_end());
    }

    #[test]
    fn what_is_merged_is_done(last in arbitrary_file(), now in arbitrary_file(), source in arbitrary_file()) {
        let first = merged(&last, &now, &source);
        let again = merged(&first.last, &first.text, &source);
        prop_assert_eq!(again.text, first.text);
        prop_assert_eq!(again.changed, vec![]);
        prop_assert_eq!(again.conflicts.len(), first.conflicts.len());
    }

    #[test]
    fn any_texts_merge(last in "(?s)[\\[\\]a-z=\"'#\r\n]{0,40}", now in "(?s)[\\[\\]a-z=\"'#\r\n]{0,40}", source in "(?s).{0,30}") {
        let _ = merged(&last, &now, &source);
    }
}
