//! Every kind of change that `mcpc diff` reports has a folder with the specs of before and after.
//!
//! `diff/<rule>/expected.txt` holds what is reported, all of it. `UPDATE_EXPECTED=1` writes it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "what fails here fails the test")]

use mcp_bundle::plan::Contents;
use mcpc::check::{MemoryFiles, check_files};
use mcpc::diff::{Change, compare, rules, semver};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/diff")
}

fn contents(folder: &Path) -> Contents {
    let mut files = MemoryFiles::default();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        files.add(path.file_name().unwrap().to_str().unwrap(), &std::fs::read_to_string(&path).unwrap());
    }
    let report = check_files(&files);
    let found: Vec<String> = report
        .diagnostics
        .iter()
        .map(|found| format!("{}: {}: {:?}", found.code(), found.message, found.help))
        .collect();
    report.contents.unwrap_or_else(|| panic!("{}: {found:#?}", folder.display()))
}

fn changes(old: &Contents, new: &Contents) -> Vec<Change> {
    let version = |contents: &Contents| contents.version().map(|version| version.parse().unwrap());
    let mut changes = compare(old, new);
    changes.extend(semver::check(version(old), version(new), &changes));
    changes
}

fn shown(changes: &[Change]) -> String {
    let line = |change: &Change| {
        let tool = change.tool.as_deref().unwrap_or("(bundle)");
        let notes: String = change.notes.iter().map(|note| format!("  note: {note}\n")).collect();
        format!("{}[{}] {tool}: {}\n{notes}", change.class(), change.rule.name, change.message)
    };
    changes.iter().map(line).collect()
}

#[test]
fn every_rule_is_found_where_it_should_be() {
    let mut wrong = Vec::new();
    for rule in rules::all() {
        let folder = root().join(rule.name);
        assert!(folder.is_dir(), "{} has no folder in tests/diff", rule.name);
        let (old, new) = (contents(&folder.join("previous")), contents(&folder.join("current")));
        let found = changes(&old, &new);
        assert!(found.iter().any(|change| change.rule == rule), "{}: {found:#?}", rule.name);
        let (file, shown) = (folder.join("expected.txt"), shown(&found));
        if std::env::var_os("UPDATE_EXPECTED").is_some() {
            std::fs::write(&file, &shown).unwrap();
        }
        if std::fs::read_to_string(&file).unwrap_or_default() != shown {
            wrong.push(format!("{}:\n{shown}", file.display()));
        }
        assert_eq!(changes(&new, &new), [], "{}: nothing changed", rule.name);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn there_is_no_folder_without_a_rule() {
    let names: BTreeSet<&str> = rules::all().map(|rule| rule.name).collect();
    for entry in std::fs::read_dir(root()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(names.contains(name.as_str()), "{name} is no rule");
    }
}

#[test]
fn a_bundle_is_compared_like_its_specs() {
    for rule in rules::all() {
        let folder = root().join(rule.name);
        let [old, new] = ["previous", "current"].map(|side| contents(&folder.join(side)));
        let [read_old, read_new] = [&old, &new].map(|contents| {
            let bytes = mcp_bundle::format::write(contents).unwrap();
            mcp_bundle::format::read(&bytes, &mcp_bundle::format::Trust::Any).unwrap().contents
        });
        assert_eq!(changes(&read_old, &read_new), changes(&old, &new), "{}", rule.name);
    }
}
