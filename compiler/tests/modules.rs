//! No two modules of a crate import each other: what a later stage derives does not live in an earlier stage's module.
//!
//! Only the top-level modules count, and only code that is not a test.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

type Imports = BTreeMap<String, BTreeSet<String>>;

/// Pairs that still import each other, by crate. Take a pair out when it is gone; none comes in without a reason.
const COMPILER: &[(&str, &str)] = &[];
const DIAGNOSTICS: &[(&str, &str)] = &[];
const BUNDLE: &[(&str, &str)] = &[("bind", "shape"), ("plan", "template")];
const PROXY: &[(&str, &str)] = &[
    ("call", "mcp"),
    ("call", "request"),
    ("call", "telemetry"),
    ("catalog", "mcp"),
    ("catalog", "request"),
    ("edge", "mcp"),
    ("edge", "request"),
    ("edge", "rest"),
    ("mcp", "request"),
    ("request", "rest"),
    ("request", "telemetry"),
    ("runtime", "upstream"),
    ("telemetry", "upstream"),
];

#[test]
fn no_two_modules_import_each_other() {
    let known = [("compiler", COMPILER), ("diagnostics", DIAGNOSTICS), ("bundle", BUNDLE), ("proxy", PROXY)];
    for (name, known) in known {
        let is_new = |(a, b): &(String, String)| !known.contains(&(a.as_str(), b.as_str()));
        let new: Vec<_> = pairs(name).into_iter().filter(is_new).collect();
        assert_eq!(new, [], "modules of {name} that import each other");
    }
}

/// The pairs of top-level modules that import each other.
fn pairs(name: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(name).join("src");
    let mut imports = Imports::new();
    for entry in std::fs::read_dir(&root).unwrap() {
        let path = entry.unwrap().path();
        let module = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if !matches!(module.as_str(), "lib" | "main") {
            collect(&path, imports.entry(module).or_default());
        }
    }
    assert!(imports.len() > 5, "{name} has modules");
    let does_import = |from: &String, to: &String| imports.get(from).is_some_and(|all| all.contains(to));
    let all = imports.keys().flat_map(|a| imports.keys().map(move |b| (a, b)));
    let cyclic = all.filter(|(a, b)| a < b && does_import(a, b) && does_import(b, a));
    cyclic.map(|(a, b)| (a.clone(), b.clone())).collect()
}

fn collect(path: &Path, imports: &mut BTreeSet<String>) {
    let stem = path.file_stem().unwrap().to_str().unwrap();
    if stem.ends_with("tests") || stem == "testing" && path.is_file() {
        return;
    }
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            collect(&entry.unwrap().path(), imports);
        }
        return;
    }
    let text = std::fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("crate::") {
            rest = after;
            // `$crate::` in a macro is an import of the user of the macro.
            if before.ends_with(|c: char| c == '$' || c.is_alphanumeric() || c == '_') {
                continue;
            }
            let names = match rest.strip_prefix('{') {
                Some(list) => list.split('}').next().unwrap().split(',').collect(),
                None => vec![rest],
            };
            for name in names {
                let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                imports.insert(name.trim().split(|c| !is_word(c)).next().unwrap().to_owned());
            }
        }
    }
}
