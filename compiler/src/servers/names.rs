//! Names of a spec for the names of a server, which may be any text.
//!
//! A tool's name depends on the prefix and on the names of the chosen tools, and not on their order: what is imported
//! twice has the same names twice.

use super::listed::ListedTool;
use crate::language::names::{RESERVED, Wanted, distinct, portable};

/// Longest name of a server: it is the prefix of its tools.
const MAX_SERVER: usize = 32;

/// A name for a server and its file, of what it is called elsewhere; `None` if that has no letter or digit.
pub fn server_name(text: &str) -> Option<String> {
    let name: String = portable(text).to_ascii_lowercase().chars().take(MAX_SERVER).collect();
    let name = name.trim_matches(['_', '-']);
    match name {
        "" => None,
        name if RESERVED.contains(&name) => Some(format!("mcp_{name}")),
        name => Some(name.to_owned()),
    }
}

/// The spec's names of tools, one for each.
pub fn own_names(prefix: &str, tools: &[ListedTool]) -> Vec<String> {
    let wanted = tools.iter().map(|tool| {
        let plain = portable(&tool.name);
        let name = prefixed(prefix, &plain);
        let is_own = name == tool.name || name == prefixed(prefix, &tool.name);
        // A name without letters is told apart by its digest, whatever the prefix.
        Wanted { is_own, theirs: &tool.name, has_name: !plain.is_empty(), name }
    });
    distinct(&wanted.collect::<Vec<_>>())
}

/// A server that prefixes its tools itself gets no second prefix.
fn prefixed(prefix: &str, name: &str) -> String {
    let has_prefix = name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(['_', '-']));
    if prefix.is_empty() || has_prefix { name.to_owned() } else { format!("{prefix}_{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::servers::read_all;
    use proptest::prelude::*;
    use serde_json::json;

    fn names(prefix: &str, theirs: &[&str]) -> Vec<String> {
        let texts: Vec<String> =
            theirs.iter().map(|name| json!({"name": name, "inputSchema": {}}).to_string()).collect();
        let (tools, _) = read_all(texts.iter().map(String::as_str));
        own_names(prefix, &tools)
    }

    #[test]
    fn names_are_prefixed_once() {
        assert_eq!(
            names("git", &["status", "git_log", "git-add", "gitx"]),
            ["git-add", "git_log", "git_gitx", "git_status"]
        );
        assert_eq!(names("", &["a.b", "_x"]), ["_x", "a_b"]);
    }

    #[test]
    fn names_that_become_one_are_told_apart_whatever_their_order() {
        assert_eq!(names("s", &["a.b", "a_b", "a b"]), ["s_a_b_c8687a08", "s_a_b_2e7336dc", "s_a_b"]);
        assert_eq!(names("s", &["a_b", "a b", "a.b"]), names("s", &["a.b", "a_b", "a b"]));
    }

    #[test]
    fn a_name_without_letters_gets_its_digest() {
        let [one, other] = names("s", &["工具", "搜索"]).try_into().unwrap();
        assert!(one.starts_with("s_") && other.starts_with("s_") && one != other, "{one} {other}");
        assert_eq!(names("", &["☃"]), ["tool_51643361"]);
    }

    #[test]
    fn servers_have_short_names_in_lower_case() {
        assert_eq!(server_name("My Server (v2)").as_deref(), Some("my_server_v2"));
        assert_eq!(server_name("tools").as_deref(), Some("mcp_tools"));
        assert_eq!(server_name("网络"), None);
        assert_eq!(server_name(&"x-".repeat(40)).unwrap().len(), 31);
    }

    proptest! {
        #[test]
        fn every_name_is_portable_and_taken_once(
            prefix in "[a-z]{0,32}",
            theirs in prop::collection::btree_set("(?s).{1,8}|[a-z._ -]{1,4}|[a-z]{50,90}", 1..20),
        ) {
            let theirs: Vec<&str> = theirs.iter().map(String::as_str).collect();
            let names = names(&prefix, &theirs);
            prop_assert_eq!(names.len(), theirs.len());
            for name in &names {
                let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
                prop_assert!((1..=64).contains(&name.len()) && name.chars().all(fits), "{:?}", name);
            }
            let mut unique = names.clone();
            unique.sort();
            unique.dedup();
            prop_assert_eq!(unique.len(), names.len(), "{:?}", names);
        }
    }
}
