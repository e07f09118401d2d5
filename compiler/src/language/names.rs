//! Names of a spec for the names of a source, which may be any text.
//!
//! They depend on the names and not on their order: what is imported twice has the same names twice.

use mcp_bundle::definition::Pin;
use std::collections::BTreeMap;

/// Longest name of a tool.
pub const MAX_LENGTH: usize = 64;
/// Longest name of a toolset or an upstream.
const MAX_SPEC: usize = 48;
/// Hexadecimal digits that tell two names apart.
const DIGITS: usize = 8;
/// Names of toolsets that are taken.
pub const RESERVED: [&str; 2] = ["tools", "invoke"];

/// What a tool would like to be called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted<'s> {
    /// Made of letters, digits, `_` and `-`.
    pub name: String,
    /// What the source calls it: different for each tool.
    pub theirs: &'s str,
    /// The name is the source's own: of names that become one, it keeps its name.
    pub is_own: bool,
    /// The name says something, and not only its prefix.
    pub has_name: bool,
}

/// The text with `_` for each run of characters that a name cannot have; empty if nothing is left.
pub fn portable(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || c == '-' {
            out.push(c);
        } else if c == '_' || !out.ends_with('_') {
            out.push('_');
        }
    }
    if out.bytes().any(|byte| byte.is_ascii_alphanumeric()) { out } else { String::new() }
}

/// A name for a toolset, its file, or an upstream, in lower case; `None` if the text has no letter or digit.
///
/// It has nothing that leads out of a folder.
pub fn spec_name(text: &str) -> Option<String> {
    let name: String = portable(text).to_ascii_lowercase().chars().take(MAX_SPEC).collect();
    match name.trim_matches(['_', '-']) {
        "" => None,
        name if RESERVED.contains(&name) => Some(format!("api_{name}")),
        name => Some(name.to_owned()),
    }
}

/// The name of a variable, `SHOP_API_KEY`; `fallback` if the texts have no letter or digit.
pub fn variable(parts: &[&str], fallback: &str) -> String {
    let words: Vec<String> = parts
        .iter()
        .map(|part| portable(&part.replace('-', "_")).trim_matches('_').to_ascii_uppercase())
        .filter(|part| !part.is_empty())
        .collect();
    let name: String = words.join("_").chars().take(MAX_LENGTH).collect();
    match name.chars().next() {
        None => fallback.to_owned(),
        Some(first) if first.is_ascii_digit() => format!("_{name}"),
        Some(_) => name,
    }
}

/// A name for each tool, all different.
pub fn distinct(wanted: &[Wanted<'_>]) -> Vec<String> {
    let mut takers = BTreeMap::<&str, (usize, usize)>::new();
    for Wanted { name, is_own, .. } in wanted {
        let (all, own) = takers.entry(name).or_default();
        *all += 1;
        *own += usize::from(*is_own);
    }
    let each = wanted.iter().map(|Wanted { name, theirs, is_own, has_name }| {
        let (all, own) = takers.get(name.as_str()).copied().unwrap_or_default();
        let fits = *has_name && name.len() <= MAX_LENGTH;
        if fits && (all == 1 || (*is_own && own == 1)) { name.clone() } else { told_apart(name, theirs) }
    });
    each.collect()
}

/// A name with the start of the digest of what it stands for.
fn told_apart(name: &str, theirs: &str) -> String {
    let digest = Pin::of(theirs).to_string();
    let digits: String = digest.chars().skip_while(|c| *c != ':').skip(1).take(DIGITS).collect();
    let start: String = name.chars().take(MAX_LENGTH - DIGITS - 1).collect();
    let start = start.trim_end_matches('_');
    if start.is_empty() { format!("tool_{digits}") } else { format!("{start}_{digits}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn variables_are_upper_case_words() {
        assert_eq!(variable(&["My Shop", "api-key"], "KEY"), "MY_SHOP_API_KEY");
        assert_eq!(variable(&["工具"], "KEY"), "KEY");
        assert_eq!(variable(&["2factor"], "KEY"), "_2FACTOR");
    }

    #[test]
    fn a_spec_name_leads_nowhere_else() {
        assert_eq!(spec_name("../../etc/passwd").as_deref(), Some("etc_passwd"));
        assert_eq!(spec_name("Tools").as_deref(), Some("api_tools"));
        assert_eq!(spec_name("网络"), None);
    }

    proptest! {
        #[test]
        fn names_are_portable_and_distinct(
            theirs in prop::collection::btree_set("(?s).{1,8}|[a-z._ -]{1,4}|[a-z]{50,90}", 1..20),
        ) {
            let wanted: Vec<Wanted<'_>> = theirs
                .iter()
                .map(|theirs| {
                    let name = portable(theirs);
                    Wanted { is_own: name == *theirs, has_name: !name.is_empty(), theirs, name }
                })
                .collect();
            let names = distinct(&wanted);
            for name in &names {
                let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
                prop_assert!((1..=MAX_LENGTH).contains(&name.len()) && name.chars().all(fits), "{:?}", name);
            }
            let mut unique = names.clone();
            unique.sort();
            unique.dedup();
            prop_assert_eq!(unique.len(), names.len(), "{:?}", names);
        }
    }
}
