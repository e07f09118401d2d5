//! The table is in order, every rule file is in it, and the examples in the rules' docs do what
//! they say.

use super::*;
use crate::check::{MemoryFiles, check_files};
use mcp_diagnostics::Severity;
use std::collections::BTreeSet;

/// Rules about files as such: no TOML shows them. `compiler/tests/bad_input.rs` tests them.
const WITHOUT_TOML: &[&str] = &["unreadable-file", "invalid-utf8", "oversized-file"];

/// Codes of rules that are gone.
const RETIRED: &[&str] = &["MCP0609"];

#[test]
fn the_table_is_sorted_and_codes_and_names_are_unique() {
    let codes: Vec<&str> = all().map(|rule| rule.code).collect();
    assert!(codes.is_sorted(), "sort the table by code");
    assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len());
    assert_eq!(names().collect::<BTreeSet<_>>().len(), codes.len());
    assert!(!codes.iter().any(|code| RETIRED.contains(code)), "a code is never reused");
}

#[test]
fn every_rule_file_is_in_the_table() {
    let source = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let files: BTreeSet<String> = ["lint/rules", "language/rules"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(source.join(folder)).unwrap())
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .map(|name| name.strip_suffix(".rs").unwrap_or(&name).replace('_', "-"))
        .filter(|name| !matches!(name.as_str(), "mod" | "tests"))
        .collect();
    let table: BTreeSet<String> = names().map(str::to_owned).collect();
    assert_eq!(files, table);
}

#[test]
fn names_and_codes_have_their_form() {
    for rule in all() {
        let digits = rule.code.strip_prefix("MCP").unwrap();
        assert!(digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()), "{}", rule.code);
        assert!(
            rule.name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
            "{}",
            rule.name
        );
        assert!(!rule.name.starts_with("no-"), "{}: name the bad pattern", rule.name);
    }
}

#[test]
fn docs_have_all_headings_and_no_gap() {
    for rule in all() {
        for heading in ["What it does", "Why is this bad", "Fails", "Passes"] {
            let text = rule.section(heading).unwrap_or_else(|| panic!("{}: no `## {heading}`", rule.name));
            assert!(text.len() > 20 && !text.contains("PENDING"), "{}: `## {heading}` is empty", rule.name);
        }
        assert!(rule.summary().ends_with('.'), "{}: {}", rule.name, rule.summary());
    }
}

#[test]
fn failing_examples_fail_with_their_rule_alone() {
    for rule in all().filter(|rule| !WITHOUT_TOML.contains(&rule.name)) {
        let cases = cases(rule, "Fails");
        assert!(!cases.is_empty(), "{}: no example fails", rule.name);
        for case in cases {
            let report = check_files(&case);
            let found = report.diagnostics.iter().any(|d| d.is(rule));
            assert!(found, "{}: not found in {case:?}: {:#?}", rule.name, messages(&report.diagnostics));
            let others: Vec<_> = report
                .diagnostics
                .iter()
                .filter(|d| !d.is(rule) && (d.severity == Severity::Error || rule.level == Level::Warning))
                .cloned()
                .collect();
            assert!(
                others.is_empty(),
                "{}: something else is wrong too: {:#?}",
                rule.name,
                messages(&others)
            );
        }
    }
}

#[test]
fn passing_examples_pass() {
    for rule in all().filter(|rule| !WITHOUT_TOML.contains(&rule.name)) {
        let cases = cases(rule, "Passes");
        assert!(!cases.is_empty(), "{}: no example passes", rule.name);
        for case in cases {
            let report = check_files(&case);
            let bad: Vec<_> = report
                .diagnostics
                .iter()
                .filter(|d| d.is(rule) || d.severity == Severity::Error)
                .cloned()
                .collect();
            assert!(bad.is_empty(), "{}: {:#?}", rule.name, messages(&bad));
        }
    }
}

/// The cases of a section: each plain `toml` block is one, all blocks with a file name are one
/// together.
fn cases(rule: &Rule, heading: &str) -> Vec<MemoryFiles> {
    let mut cases = Vec::new();
    let mut named = MemoryFiles::default();
    for block in rule.section(heading).unwrap_or_default().split("```toml").skip(1) {
        let (info, rest) = block.split_once('\n').unwrap();
        let text = rest.split("```").next().unwrap();
        match info.trim() {
            "" => cases.push(MemoryFiles::one("spec.toml", text)),
            name => named.add(name, text),
        }
    }
    if !named.is_empty() {
        // A configuration alone still needs a spec to be about.
        if named.names().all(|name| !name.ends_with(".toml") || name == "mcpc.toml") {
            named.add("spec.toml", SPEC);
        }
        cases.push(named);
    }
    cases
}

const SPEC: &str = r#"
[[tool]]
name = "get_time"
description = "The current time in a given time zone."
method = "GET"
endpoint = "https://api.example.com/time"
[[tool.examples]]
arguments = {}
"#;

fn messages(diagnostics: &[mcp_diagnostics::Diagnostic]) -> Vec<String> {
    diagnostics.iter().map(|d| format!("{}: {}", d.name(), d.message)).collect()
}
